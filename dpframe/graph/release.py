"""A release: one statistic, one mechanism, its own draw and its own charge."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.identity import kind_of
from dpframe.mechanisms import AdditiveNoise, Calibration
from dpframe.privacy import Each, Guarantee, PureDP, Share
from dpframe.symbols import Expression, Number, Product, Sum, Symbol, exact, multiply, to_json

from .answers import noise_of
from .known import Known
from .node import DataNode, Node
from .of_budgets import OfBudgets
from .rows import Rows
from .scaling import Scaling, ruled, scaling
from .statistics import BlockSum, Identity, Statistic

ONE = Number(Fraction(1))


@attrs.frozen(eq=False, slots=False)
class Release(Node):
    """The statistic plus fresh noise. Compares by identity: two equal calls are two draws and two
    charges, one object used twice is one.
    """

    kind: ClassVar[str] = "release"
    statistic: Statistic
    stated: AdditiveNoise | Calibration
    share: Share | None
    times: Expression
    name: str
    sampled: Number | None = None
    """The rate of a fresh Poisson sample of the rows that each draw reads; None: it reads all."""

    def __attrs_post_init__(self) -> None:
        """What execution relies on, however it was made."""
        _refuse_integer_noise(self.stated, self.statistic)
        _count(self.times)
        _name(self.name)
        if self.sampled is not None:
            _rate(self.sampled, self.statistic)

    @cached_property
    def mechanism(self) -> AdditiveNoise:
        """The noise: as stated, or as its theorem prescribes for the share and the derived
        sensitivity.
        """
        if isinstance(self.stated, AdditiveNoise):
            return self.stated
        sensitivity = self.statistic.sensitivity(self.stated.mechanism.norm)
        return self.stated.calibrate(
            self.stated.check(self.share), ONE if sensitivity is None else sensitivity.value
        )

    @property
    def rule(self) -> Calibration | None:
        """The theorem that calibrates the noise, or None where the noise is stated."""
        return self.stated if isinstance(self.stated, Calibration) else None

    @property
    def noise(self) -> type[AdditiveNoise]:
        """The kind of noise."""
        return self.stated.mechanism if isinstance(self.stated, Calibration) else type(self.stated)

    @property
    def gives(self) -> type[Guarantee]:
        """The kind of guarantee that its noise gives."""
        return self.noise.gives

    def guarantee(self, sensitivity: Expression) -> Guarantee:
        """What one draw guarantees at this sensitivity. Raises InvalidArgument where noise of your
        own gives another kind of guarantee than it says.
        """
        found = self.mechanism.guarantee(sensitivity)
        if not isinstance(found, self.gives):
            way_out = "Its `gives` and its `guarantee` must agree."
            raise InvalidArgument(self.noise.kind, f"a {self.gives.__name__}", str(found), way_out)
        return found

    @cached_property
    def formulas(self) -> dict[str, Expression]:
        """What the release reads besides its statistic, by name: a stated size, its share, its
        number of draws.
        """
        found = {} if self.times is ONE else {"times": self.times}
        if self.sampled is not None:
            found["sampled"] = self.sampled
        if isinstance(self.stated, AdditiveNoise):
            found[self.stated.noise] = self.stated.formula
        if self.share is not None:
            found |= {
                f"share of {name}": weight
                for name, weight in zip(self.share.currency, self.share.weights, strict=True)
            }
            found |= {
                f"budget of {name}": whole
                for name, whole in zip(self.share.currency, self.share.wholes, strict=True)
            }
        return found

    @property
    def exact(self) -> bool:
        """Whether its value and its noise are computed exactly, on a grid."""
        return self.statistic.exact and self.mechanism.exact

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The statistic."""
        return (self.statistic,)

    @property
    def label(self) -> str:
        """Its name, or `release of X'X`."""
        return self.name or f"release of {self.statistic.label}"

    @property
    def reached(self) -> bool:
        """Whether the pairs of neighbours that move the statistic furthest cost most: they may not
        where a sample hides them, nor where noise is larger in some directions than in others,
        unless rows along an axis occur. (proofs/matrix_noise)
        """
        noise = noise_of(self.noise)
        uneven = noise is not None and noise.uneven and self.statistic.symmetric
        rows = getattr(self.statistic, "rows", None)
        along = isinstance(rows, Rows) and rows.ball
        return self.sampled is None and (along or not uneven)

    @property
    def std(self) -> Expression:
        """The public standard deviation of the noise of one number; of a symmetric matrix, of one
        on its diagonal.
        """
        return self.mechanism.deviation_among(self.entries)

    @property
    def entries(self) -> Expression:
        """How many numbers are drawn: those of the shape, or of the upper triangle of a symmetric
        matrix.
        """
        if self.statistic.symmetric:
            d = self.statistic.shape[0]
            return d * (d + 1) * Fraction(1, 2)
        return multiply(ONE, *self.statistic.shape)

    def record(self) -> dict[str, object]:
        """AdditiveNoise, formula, rule, share and number of draws."""
        share = (
            None
            if self.share is None
            else dict(zip(self.share.currency, map(to_json, self.share.amounts), strict=True))
        )
        rate = {} if self.sampled is None else {"sampled": to_json(self.sampled)}
        return {
            **rate,
            "mechanism": kind_of(type(self.mechanism)),
            "size": to_json(self.mechanism.formula),
            "rule": "stated" if self.rule is None else self.rule.name,
            "share": share,
            "times": to_json(self.times),
            "name": self.name,
        }


def release(
    statistic: object,
    mechanism: object,
    share: Share | None = None,
    *,
    times: object = 1,
    sampled: object = None,
    name: str = "",
) -> Release:
    """Release `statistic` with fresh noise of its own, `times` times over (independent draws, each
    charged).

    `mechanism` is a theorem that calibrates noise to `share` and the derived sensitivity
    (dp.Gaussian.kamath_ullman, ...), or a mechanism
    with stated noise (dp.Gaussian(std=...)), for which `share` is only a claim. `sampled`, a number
    in (0, 1], lets each draw of a loop's step read a fresh Poisson sample of the rows at this rate;
    the certified numeric accountant counts what that amplifies. Raises InvalidArgument.
    """
    if not isinstance(statistic, DataNode):
        raise InvalidArgument(
            "statistic",
            "a statistic of declared data, such as X.T @ X",
            statistic,
            "Public and released values need no release.",
        )
    queried = statistic if isinstance(statistic, Statistic) else Identity(statistic)
    if share is not None and not isinstance(share, Share):
        raise InvalidArgument("share", "a share of budget.split(...)", share, "")
    if isinstance(mechanism, Calibration):
        mechanism.check(share)
    elif not isinstance(mechanism, AdditiveNoise):
        raise InvalidArgument(
            "mechanism",
            "dp.Gaussian.analytic or another calibration, or a mechanism such as "
            "dp.Gaussian(std=...)",
            mechanism,
            "Selections, black boxes and the like are accounted, not released: take their "
            ".guarantee(sensitivity) or .loss(sensitivity).",
        )
    _refuse_integer_noise(mechanism, queried)
    rate = None if sampled is None else _rate(sampled, queried)
    declared = ruled(Release(queried, mechanism, share, _count(times), _name(name), rate))
    scaled = scaling()
    return declared if scaled is None else _rescaled(declared, scaled)


def _rescaled(declared: Release, by: Scaling) -> Release:
    """The release with other noise, and the share that it then spends of a pure budget."""
    moved = declared.statistic.sensitivity(declared.noise.norm)
    scaled = attrs.evolve(declared, stated=_multiplied(declared.mechanism, by.factor), share=None)
    if moved is None or moved.value == Number(Fraction(0)):
        return scaled
    guarantee = declared.guarantee(moved.value)
    share = by.share(guarantee.epsilon) if isinstance(guarantee, PureDP) else None
    return attrs.evolve(scaled, share=share)


def _multiplied(noise: AdditiveNoise, factor: Expression) -> AdditiveNoise:
    try:
        return noise.scaled(factor)
    except TypeError:
        way_out = "Noise of your own with several fields says how in `scaled`."
        raise InvalidArgument("mechanism", "noise that can be scaled", noise, way_out) from None


def _refuse_integer_noise(mechanism: AdditiveNoise | Calibration, statistic: Statistic) -> None:
    noise = mechanism.mechanism if isinstance(mechanism, Calibration) else type(mechanism)
    if noise.integer and statistic.step != ONE:
        raise InvalidArgument(
            "mechanism",
            f"noise on real numbers, as {statistic.label} is not known to be in whole numbers",
            mechanism,
            "Use dp.Gaussian or dp.Laplace, which are rounded onto the grid; dp.count(X) is whole.",
        )


def _count(times: object) -> Expression:
    if times == 1 and not isinstance(times, bool):
        return ONE
    count = exact(times, "times")
    if not whole(count) or (isinstance(count, Number) and count.value < 1):
        raise InvalidArgument(
            "times",
            "a whole number of at least 1, or a sum of whole parameters and whole numbers",
            str(count),
            "",
        )
    return count


def _rate(value: object, statistic: Statistic) -> Number:
    rate = exact(value, "sampled")
    if not isinstance(rate, Number) or not 0 < rate.value <= 1:
        raise InvalidArgument("sampled", "a number in (0, 1]", str(rate), "Such as '0.01'.")
    rows = isinstance(statistic, BlockSum) and not any(
        isinstance(one, Statistic) for one in statistic.inputs
    )
    if not rows:
        way_out = "dp.gradient(...) is one."
        raise InvalidArgument("statistic", "a sum over rows, to sample", statistic.label, way_out)
    return rate


def whole(count: Expression) -> bool:
    """Whether a formula is certainly a whole number: sums and products of whole numbers."""
    numbers = all(part.value.denominator == 1 for part in _numbers(count))
    return numbers and _polynomial(count) and all(one.domain.integer for one in count.symbols())


def _numbers(formula: Expression) -> list[Number]:
    return (
        [formula]
        if isinstance(formula, Number)
        else [number for part in formula.parts for number in _numbers(part)]
    )


def _polynomial(formula: Expression) -> bool:
    """Sums and products of symbols and numbers only."""
    return isinstance(formula, (Number, Symbol, Sum, Product)) and all(
        _polynomial(part) for part in formula.parts
    )


def _name(name: str) -> str:
    if not isinstance(name, str) or (name and not name.isidentifier()):
        raise InvalidArgument("name", "a Python name", name, "")
    return name


def is_public(formula: Expression) -> bool:
    """Whether the formula is free of data that is not released."""
    return all(public_symbol(symbol) for symbol in formula.symbols())


def public_symbol(symbol: Symbol) -> bool:
    """Whether a symbol stands for a public or released number."""
    origin = symbol.origin
    if isinstance(origin, OfBudgets):
        return not origin.private
    return origin is None or isinstance(origin, (Each, Known)) or still(symbol)


def still(symbol: Symbol) -> bool:
    """Whether a data symbol is constant over neighbours: n under replace-one."""
    from dpframe.sensitivity import L2

    origin = symbol.origin
    moved = origin.sensitivity(L2) if isinstance(origin, Statistic) else None
    return moved is not None and moved.value == Number(Fraction(0))
