"""A release: a statistic and a mechanism, with its own noise and its own cost."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.identity import kind_of, own
from dpframe.mechanisms import AdditiveNoise, Calibration
from dpframe.privacy import ADD_REMOVE, Guarantee, PureDP, Share
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import (
    ONE,
    RECORD,
    RELEASED,
    ZERO,
    Expression,
    Number,
    Product,
    Scope,
    Sum,
    Symbol,
    exact,
    multiply,
    to_json,
)
from dpframe.symbols.expression import Domain

from .facts import noise_of
from .node import DataNode, Node, Reading, amounts_of, noted, share_readings, written
from .reached import pair_needs
from .rows import COLUMNS, ColumnSource, RowsNode, RowSource
from .statistics import Count, Identity, RecordSum, Statistic

POSITIVE = Domain(Fraction(0), None)


def whole(count: Expression) -> bool:
    """Whether a formula is certainly a whole number: sums and products of whole numbers."""
    match count:
        case Number():
            return count.value.denominator == 1
        case Symbol():
            return count.domain.integer
    return isinstance(count, (Sum, Product)) and all(map(whole, count.parts))


def _count(times: object) -> Expression:
    if times is ONE or (times == 1 and not isinstance(times, bool)):
        return ONE
    count = exact(times, "times")
    if not whole(count) or (isinstance(count, Number) and count.value < 1):
        wanted = "a whole number of at least 1, or a sum of whole parameters and whole numbers"
        raise InvalidArgument("times", wanted, Plain(count), "")
    return count


@attrs.frozen(eq=False, slots=False)
class Release(Node):
    """A statistic plus fresh noise. Compares by identity: two equal calls are two draws and two
    charges, one object used twice is one.
    """

    kind: ClassVar[str] = "release"
    scope: ClassVar[Scope] = RELEASED
    statistic: Statistic
    stated: AdditiveNoise | Calibration
    share: Share | None
    times: Expression = attrs.field(converter=_count)
    name: str
    sampled: Number | None = None
    """The rate of a fresh Poisson sample of the rows that each draw reads; None: it reads all."""

    def __attrs_post_init__(self) -> None:
        """Check the conditions that execution relies on."""
        _refuse_integer_noise(self.stated, self.statistic)
        if self.noise.selects and len(self.statistic.shape) != 1:
            way_out = "Such as dp.graph.bin_counts(y, cuts), X.sum() or X.T @ y."
            wanted = "a vector of scores, one for each candidate"
            raise InvalidArgument("statistic", wanted, self.statistic.label, way_out)
        _name(self.name)
        if self.sampled is not None:
            _rate(self.sampled, self.statistic)

    @cached_property
    def mechanism(self) -> AdditiveNoise:
        """The mechanism: as stated, or as its theorem calibrates it to the share and the derived
        sensitivity; to sensitivity 1 where there is none or it is 0, which no proof accepts.
        """
        if isinstance(self.stated, AdditiveNoise):
            return self.stated
        moved = ONE if self.moved is None or self.moved.value == ZERO else self.moved.value
        return self.stated.calibrate_among(self.stated.check(self.share), moved, self.entries)

    @property
    def moved(self) -> Sensitivity | None:
        """The sensitivity of its statistic in the mechanism's norm; None if no rule bounds it."""
        return self.statistic.sensitivity(self.noise.norm)

    @property
    def rule(self) -> Calibration | None:
        """The calibration theorem, or None if the noise is stated."""
        return self.stated if isinstance(self.stated, Calibration) else None

    @property
    def noise(self) -> type[AdditiveNoise]:
        """The class of the mechanism."""
        return self.stated.mechanism if isinstance(self.stated, Calibration) else type(self.stated)

    @property
    def gives(self) -> type[Guarantee]:
        """The kind of guarantee of the mechanism."""
        return self.noise.gives

    def guarantee(self, sensitivity: Expression) -> Guarantee:
        """The guarantee of one draw at this sensitivity. Raises InvalidArgument if a mechanism from
        outside returns another kind of guarantee than it states.
        """
        given = self.mechanism.guarantee_among(sensitivity, self.entries)
        if not isinstance(given, self.gives):
            way_out = "Its `gives` and its `guarantee` must agree."
            wanted = f"a {self.gives.__name__}"
            raise InvalidArgument(self.noise.kind, wanted, Plain(given), way_out)
        return self._on_sample(given)

    def given_in(self, kind: type[Guarantee], sensitivity: Expression) -> Guarantee:
        """The guarantee of one draw, as a `kind` if the mechanism has a tighter one of it."""
        if not own(self.noise):
            return self.guarantee(sensitivity)
        return self._on_sample(self.mechanism.given_in(kind, sensitivity))

    @property
    def hides(self) -> Number | None:
        """The rate of Poisson subsampling if it amplifies privacy: a person is one row that is
        added or removed, so one inclusion indicator decides whether a draw reads that person. None
        otherwise.
        """
        unit = self.statistic.unit
        alone = unit.relation is ADD_REMOVE and unit.rows_per_person == ONE
        return self.sampled if alone else None

    @property
    def on_all_rows(self) -> Release:
        """The same without samples, which costs at least as much."""
        return self if self.sampled is None else attrs.evolve(self, sampled=None)

    def _on_sample(self, given: Guarantee) -> Guarantee:
        """A pure guarantee at numbers, amplified by subsampling."""
        rate = self.hides if own(self.noise) else None
        if rate is None or rate == ONE:
            return given
        if not isinstance(given, PureDP) or given.epsilon.symbols():
            return given
        from dpframe.mechanisms.subsampled import epsilon_on_sample  # most releases read all rows

        return PureDP(epsilon_on_sample(given.epsilon, rate))

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """Formulas that the release reads besides its statistic: a stated noise size, its share,
        its number of draws. The noise size may depend on earlier releases, and on the record's
        budget.
        """
        readings = {} if self.times is ONE else {"times": Reading(self.times)}
        if self.sampled is not None:
            readings["sampled"] = Reading(self.sampled)
        if isinstance(self.stated, AdditiveNoise):
            readings[self.stated.noise] = Reading(self.stated.formula, RELEASED | RECORD)
        for name, formula in self.parameters.items():
            readings[f"{name} of the noise"] = Reading(formula)
        return readings if self.share is None else readings | share_readings(self.share, RECORD)

    @cached_property
    def parameters(self) -> Mapping[str, Expression]:
        """Parameters of a mechanism from outside besides its size."""
        return {} if own(self.noise) else self.mechanism.parameters

    @property
    def positive(self) -> tuple[str, ...]:
        """Empty: the plan judges the share, and the mechanism its own size."""
        return () if type(self) is Release else super().positive

    @cached_property
    def formulas(self) -> dict[str, Expression]:
        """The formulas of `readings`."""
        return super().formulas

    @property
    def derived(self) -> dict[str, Reading]:
        """The shape of the statistic: of the released value, or the number of candidates."""
        return _shape(self.statistic)

    @property
    def exact(self) -> bool:
        """Whether its value and its noise are computed exactly, on a grid, with the size as the
        only parameter.
        """
        on_grid = self.statistic.step is not None or not self.noise.selects
        by_size = self.mechanism.exact and not self.parameters
        return self.statistic.exact and by_size and on_grid

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
        """Whether pairs of neighbours that attain the sensitivity are also those of largest privacy
        loss. Not if the noise is larger in some directions than in others, unless rows along an
        axis may occur (proofs/matrix_noise); not under subsampling, except for the epsilon of
        Laplace noise; and not if its size depends on listed budgets, or on a number of rows or
        columns that may be too small for the pair.
        """
        noise = noise_of(self.noise)
        if noise is None:
            return False  # what a class from outside states is an upper bound
        sizes = [one for one in self.mechanism.formula.symbols() if RECORD in one.scope]
        if any(one.domain.lower_closed and one.domain.upper_closed for one in sizes):
            return False
        amounts = () if self.share is None else self.share.amounts
        moved = () if self.moved is None else (self.moved.value,)
        read = frozenset().union(*(f.symbols() for f in (self.mechanism.formula, *moved, *amounts)))
        if any(isinstance(one.origin, Count) for one in read) and (
            noise.selects or pair_needs("many_rows", self.statistic)
        ):
            return False
        replaced = self.statistic.unit.relation.replaced
        angled = replaced and pair_needs("angled", self.statistic)
        if COLUMNS in read and (noise.selects or angled):
            return False
        uneven = self.noise.uneven and self.statistic.symmetric
        rows = getattr(self.statistic, "rows", None)
        along = isinstance(rows, RowsNode) and rows.ball
        laplace = noise.loss.name == "laplace" and self.hides is not None
        return (self.sampled is None or laplace) and (along or not uneven)

    @property
    def std(self) -> Expression:
        """The public standard deviation of the noise of one number; for a symmetric matrix, of a
        diagonal entry. A symbol while the declaration is a draft.
        """
        return self.std_symbol if self._draft else self.deviation

    @property
    def deviation(self) -> Expression:
        """The formula of the std."""
        return self.mechanism.deviation_among(self.entries)

    @property
    def std_symbol(self) -> Symbol:
        """The symbol that stands for the std in later formulas, so that they follow when noise is
        recalibrated.
        """
        return Symbol(f"std of {self.label} at {id(self):x}", POSITIVE, self)

    @property
    def _draft(self) -> bool:
        node: Node | None = self.statistic
        while node is not None and node.inputs:
            node = next((one for one in node.inputs if isinstance(one, DataNode)), None)
        return isinstance(node, (RowSource, ColumnSource)) and node.draft

    @property
    def symmetric(self) -> bool:
        """Whether the released value is a symmetric matrix: both statistic and mechanism are
        symmetric.
        """
        return self.statistic.symmetric and self.noise.symmetric

    @property
    def entries(self) -> Expression:
        """The number of independent draws: the size of the shape, or of the upper triangle of a
        symmetric release.
        """
        return _entries(self.statistic, self.symmetric)

    @property
    def squared_noise(self) -> Expression:
        """E|Z|^2/std^2 for the noise Z of one draw, in the 2-norm (Frobenius norm for a matrix): p
        for p numbers; for a symmetric matrix d (d + 1)/2 if the noise is isotropic, else d^2.
        """
        return _entries(self.statistic, self.symmetric and self.noise.isotropic)

    @property
    def _rule(self) -> str:
        """The theorem's name in files: its own name, or the class of a calibration from outside."""
        if self.rule is None:
            return "stated"
        kind = type(self.rule)
        return self.rule.name if own(kind) else f"{kind.__module__}:{kind.__qualname__}"

    def record(self) -> dict[str, object]:
        """Mechanism, formula, rule, share and number of draws."""
        share = None if self.share is None else written(amounts_of(self.share))
        rate = {} if self.sampled is None else {"sampled": to_json(self.sampled)}
        return {
            **rate,
            **self._states(),
            "mechanism": kind_of(type(self.mechanism)),
            "size": to_json(self.mechanism.formula),
            "rule": self._rule,
            "share": share,
            "times": to_json(self.times),
            "name": self.name,
        }

    def _states(self) -> dict[str, object]:
        """The guarantee that a mechanism from outside states for one draw, at the statistic's
        sensitivity.
        """
        norm, moved = self.noise.norm, self.moved
        if own(self.noise) or moved is None:
            return {}
        amounts = amounts_of(self.guarantee(moved.value))
        law = {"parameters": dict(self.parameters)} if self.parameters else {}
        states = {"norm": norm.name, "move": moved.value, "amounts": amounts, **law}
        return {"states": written(states)}


@lru_cache(maxsize=1024)
def _entries(statistic: Statistic, triangle: bool) -> Expression:  # noqa: FBT001 - a key of the cache
    shape = statistic.shape
    return shape[0] * (shape[0] + 1) * Fraction(1, 2) if triangle else multiply(ONE, *shape)


@lru_cache(maxsize=1024)
def _shape(statistic: Statistic) -> dict[str, Reading]:
    return {f"shape {i + 1}": Reading(size) for i, size in enumerate(statistic.shape)}


def symbols_of(node: Node) -> frozenset[Symbol]:
    """Every symbol of the formulas of a node."""
    if type(node) is not Release:
        return frozenset().union(*(formula.symbols() for formula in node.formulas.values()))
    share = () if node.share is None else (*node.share.weights, *node.share.wholes)
    size = (node.stated.formula,) if isinstance(node.stated, AdditiveNoise) else ()
    rate = () if node.sampled is None else (node.sampled,)
    law = () if own(node.noise) else node.parameters.values()
    # without a dictionary of readings for each of many
    read = (node.times, *rate, *size, *share, *law)
    return frozenset().union(*[one.symbols() for one in read if type(one) is not Number])


def release(
    statistic: object,
    mechanism: object,
    share: Share | None = None,
    *,
    times: object = 1,
    sampled: object = None,
    name: str = "",
) -> Release:
    """Release `statistic` with fresh noise, `times` times (independent draws, each charged).

    `mechanism` is a calibration theorem, which fits the noise to `share` and the derived
    sensitivity (dp.Gaussian.analytic, dp.Laplace.pure, ...), or a mechanism with stated noise
    (dp.Gaussian(std=...)), for which `share` is only a claim.

    `sampled`, a number in (0, 1], is the rate of Poisson subsampling: each draw of a sum over
    records reads a fresh, secret sample of the rows. Amplification counts, at numbers, where a
    person has one row: for Gaussian noise in the numeric and Renyi accountants; for epsilon-DP
    noise under add/remove, as log(1 + sampled (e^epsilon - 1)) [BalleBG18, Thm 8]. Raises
    InvalidArgument.
    """
    if not isinstance(statistic, DataNode):
        from .ways_out import instead_of_release

        wanted = "a statistic of declared data, such as X.T @ X"
        got = str(statistic) if isinstance(statistic, Expression) else statistic
        raise InvalidArgument("statistic", wanted, got, instead_of_release(statistic))
    queried = statistic if isinstance(statistic, Statistic) else Identity(statistic)
    if share is not None and not isinstance(share, Share):
        raise InvalidArgument("share", "a share of budget.split(...)", share, "")
    if isinstance(mechanism, Calibration):
        mechanism.check(share)
    elif not isinstance(mechanism, AdditiveNoise):
        from .ways_out import instead_of_mechanism

        wanted = (
            "dp.Gaussian.analytic or another calibration, or a mechanism such as "
            "dp.Gaussian(std=...)"
        )
        raise InvalidArgument("mechanism", wanted, mechanism, instead_of_mechanism(mechanism))
    rate = None if sampled is None else _rate(sampled, queried)
    made = Release(queried, mechanism, share, times, name, rate)
    noted(made)
    return made


def _refuse_integer_noise(mechanism: AdditiveNoise | Calibration, statistic: Statistic) -> None:
    noise = mechanism.mechanism if isinstance(mechanism, Calibration) else type(mechanism)
    if noise.integer and statistic.step != ONE:
        wanted = f"noise on real numbers, as {statistic.label} is not known to be in whole numbers"
        way_out = (
            "Use dp.Gaussian or dp.Laplace, which are rounded onto the grid; dp.count(X) is whole."
        )
        raise InvalidArgument("mechanism", wanted, mechanism, way_out)


def _rate(value: object, statistic: Statistic) -> Number:
    rate = exact(value, "sampled")
    if not isinstance(rate, Number) or not 0 < rate.value <= 1:
        raise InvalidArgument("sampled", "a number in (0, 1]", Plain(rate), "Such as '0.01'.")
    rows = isinstance(statistic, RecordSum) and not any(
        isinstance(one, Statistic) for one in statistic.inputs
    )
    if not rows:
        way_out = "dp.graph.gradient(...) is one."
        raise InvalidArgument("statistic", "a sum over rows, to sample", statistic.label, way_out)
    return rate


def _name(name: object) -> None:
    if not isinstance(name, str) or (name and not name.isidentifier()):
        raise InvalidArgument("name", "a Python name", name, "")
