"""Mechanisms: random releases with their guarantees, additive noise, and its calibrations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self, TypeAlias, final

import attrs

from dpframe.errors import AttrsClass, InvalidArgument, Plain, listed_words
from dpframe.identity import own
from dpframe.numbers import Exact
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, PureDP, Relation, Share
from dpframe.sensitivity import L2, Norm
from dpframe.symbols import ZERO, Expression, Number, exact
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory.book import THEOREMS
from dpframe.theory.calibrations import SizeTheorem
from dpframe.theory.guarantees import APPROX, PURE
from dpframe.theory.guarantees import Guarantee as Notion
from dpframe.theory.mechanisms import NOISES
from dpframe.wording import say

if TYPE_CHECKING:
    import numpy as np

    from dpframe.pld.losses import PrivacyLoss
    from dpframe.randomness import Bits

Array: TypeAlias = "np.ndarray"
Generator: TypeAlias = "np.random.Generator"
Shape: TypeAlias = tuple[int, ...]


class Mechanism(AttrsClass, ABC):
    """Abstract: a random release and its guarantee. Of `guarantee` and `loss`, a class from outside
    has what it states nearest: if only one of them, then the other is not inherited, since it was
    written for other noise.
    """

    __slots__ = ()
    kind: ClassVar[str]
    gives: ClassVar[type[Guarantee]]

    def __getattribute__(self, name: str) -> Any:
        """An attribute; in place of a loss that is not inherited, the worst one of the guarantee;
        in place of a guarantee that is not inherited, a refusal.
        """
        if name in INSTEAD and name not in stated(type(self)):
            return partial(INSTEAD[name], self)
        return object.__getattribute__(self, name)

    @abstractmethod
    def guarantee(self, sensitivity: Expression) -> Guarantee:
        """The guarantee of one release with an input of this sensitivity."""

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> PrivacyLoss:
        """The privacy loss of one release between neighbours under `relation`, in the removing
        direction; `sensitivity` is that under `relation`. Exact where the law of the mechanism is
        used, else the worst loss of its guarantee.
        """
        guarantee = self.guarantee(exact(sensitivity, "sensitivity"))
        loss = guarantee.loss
        if loss is None:
            way_out = "The RDP and zCDP accountants add it."
            raise InvalidArgument(self.kind, "dominated by one pair", Plain(guarantee), way_out)
        return loss


def stated(kind: type[Mechanism]) -> Collection[str]:
    """Which of `guarantee` and `loss` the nearest class that defines any of them states; of a class
    of dpframe both. Methods may be added to a class later, so this is not kept.
    """
    for base in kind.__mro__:
        found = INSTEAD.keys() & vars(base).keys()
        if found:
            return INSTEAD if own(base) else found
    return INSTEAD


def states_loss(kind: type[Mechanism]) -> bool:
    """Whether a class has a loss besides the worst one of its guarantee."""
    return "loss" in stated(kind) and kind.loss is not Mechanism.loss


def _no_guarantee(self: Mechanism, *_: object, **__: object) -> Never:
    name = type(self).__name__
    way_out = (
        f"Define `guarantee` in {name}: one that is inherited is that of other noise. "
        "dp.compose with the numeric accountant reads the loss alone."
    )
    wanted = "a class that states a guarantee beside its loss"
    raise InvalidArgument(name, wanted, Plain("a loss alone"), way_out)


INSTEAD: Mapping[str, Callable[..., Any]] = {"guarantee": _no_guarantee, "loss": Mechanism.loss}


class AdditiveNoise(Mechanism):
    """Abstract: independent noise added to a statistic. Proofs and executions share the expression
    `formula`. `integer` noise is for statistics in whole numbers only.
    """

    __slots__ = ()
    norm: ClassVar[Norm]
    noise: ClassVar[str]
    integer: ClassVar[bool] = False
    joint: ClassVar[bool] = False
    """Whether the numbers of one draw depend on each other: then each draw is a separate call."""
    exact: ClassVar[bool] = False
    """Whether `on_grid` draws it exactly; otherwise `sample` draws it in floating point. Subclasses
    do not inherit it.
    """
    isotropic: ClassVar[bool] = False
    """Whether noise on a symmetric matrix is smaller off the diagonal, by sqrt 2."""
    symmetric: ClassVar[bool] = True
    """Whether noise on a symmetric matrix is symmetric; otherwise each entry has its own draw."""
    attained: ClassVar[bool] = False
    """Whether the neighbours that move the statistic furthest cost most: of uneven noise, along an
    axis, where a row moves nothing off the diagonal. Refutations read it, and no proof does."""
    uneven: ClassVar[bool] = False
    """Whether noise on a symmetric matrix is larger off the diagonal than `guarantee` needs."""
    selects: ClassVar[bool] = False
    """Whether it releases the index of one entry of a vector, without added noise."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Reset `exact`, which is not inherited."""
        super().__init_subclass__(**kwargs)
        restated(cls, AdditiveNoise, "exact")

    @property
    @abstractmethod
    def formula(self) -> Expression:
        """The size of the noise: the std or scale, as named by `noise`."""

    @property
    @abstractmethod
    def deviation(self) -> Expression:
        """The standard deviation of the noise of one number."""

    def deviation_among(self, entries: Expression) -> Expression:
        """The standard deviation of the noise of one number among `entries` >= 1 numbers that are
        released together; for a symmetric matrix, of a diagonal entry. By default `deviation`.
        """
        return self.deviation

    def given_in(self, kind: type[Guarantee], sensitivity: Expression) -> Guarantee:
        """The guarantee of one release, as a `kind` where this is more than `guarantee` implies."""
        return self.guarantee(sensitivity)

    def guarantee_among(self, sensitivity: Expression, entries: Expression) -> Guarantee:
        """The guarantee of one draw for `entries` >= 1 numbers that are released together, for a
        symmetric matrix its upper triangle. By default `guarantee`.
        """
        return self.guarantee(sensitivity)

    @property
    def parameters(self) -> Mapping[str, Expression]:
        """The parameters of the law besides its size, by name: the fields except the one named by
        `noise`. Formulas of public numbers, which certificates hold.
        """
        names = _names(self)
        others = [one for one in names if one != self.noise] if len(names) > 1 else []
        return {one: exact(getattr(self, one), one) for one in others}

    def scaled(self, factor: Expression) -> Self:
        """The same kind of noise, `factor` times as large, with the same parameters. Raises
        InvalidArgument where none of several fields is named by `noise`.
        """
        names = _names(self)
        if len(names) > 1 and self.noise not in names:
            way_out = f"Rename the field, or set noise = {names[0]!r} in the class."
            wanted = f"with a field {self.noise!r}"
            raise InvalidArgument(type(self).__name__, wanted, names, way_out)
        return self.resized(factor * self.formula)

    def resized(self, size: Exact | Expression, **parameters: Exact) -> Self:
        """The same kind of noise with this size, and with these of its parameters."""
        if len(_names(self)) > 1:
            return attrs.evolve(self, **{self.noise: size}, **parameters)  # type: ignore[misc]
        return type(self)(size)  # type: ignore[call-arg]  # its one field

    @staticmethod
    @abstractmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Draw noise of `size` (a std or a scale), an array of `shape`; symmetric (..., d, d) noise
        is symmetric by construction, where `symmetric` of the class is true. Its `parameters` are
        passed by name, as doubles.
        """

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> Array:
        """`n` independent draws, (n,), of one number's noise of `size`, in steps of a grid, rounded
        to whole numbers; exact in distribution. Only where `exact`.
        """
        del size, n, bits
        raise InvalidArgument("noise", "exact on a grid", Plain("noise in floating point"), "")


def _names(noise: AdditiveNoise) -> list[str]:
    """The names of its fields."""
    kind: Any = type(noise)
    return [one.name for one in attrs.fields(kind)] if attrs.has(kind) else []


def restated(cls: type, base: type, *names: str) -> None:
    """Reset attributes that a class does not define to those of its abstract base: exactness is
    not inherited, as an overridden method may not be exact.
    """
    for name in names:
        if name not in vars(cls) and getattr(cls, name) is not vars(base)[name]:
            setattr(cls, name, vars(base)[name])


NEEDS_DELTA = say("Gaussian noise needs a $delta$ above 0, since no $epsilon$ alone can pay for it")
WITH_DELTA = say(
    "give its share a $delta$, take a target `dp.ApproxDP(epsilon, delta)`, or use `dp.Laplace`."
)


class Calibration(AttrsClass, ABC):
    """Abstract: a theorem that turns a share and a sensitivity into a mechanism. Certificates cite
    its `name`.
    """

    __slots__ = ()
    name: str
    citation: str
    mechanism: type[AdditiveNoise]
    currencies: tuple[tuple[str, ...], ...]

    @abstractmethod
    def calibrate(self, share: Share, sensitivity: Expression) -> AdditiveNoise:
        """The mechanism with the noise of this theorem, as an exact formula."""

    def calibrate_among(
        self, share: Share, sensitivity: Expression, entries: Expression
    ) -> AdditiveNoise:
        """The mechanism for `entries` >= 1 numbers that are released together. By default
        `calibrate`.
        """
        return self.calibrate(share, sensitivity)

    @abstractmethod
    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """The theorem's hypothesis as (left, right, strict), left <= right (or < where strict);
        None where it always holds.
        """

    def check(self, share: Share | None) -> Share:
        """The share, or a refusal that names what is missing."""
        if share is None:
            way_out = "Pass a share of budget.split(...), or state a std."
            raise InvalidArgument("share", f"given to {self.name}", None, way_out)
        pure, approximate = (name in self.currencies for name in (PURE.currency, APPROX.currency))
        if _without_delta(share) and approximate and not pure:
            way_out = f"{WITH_DELTA[0].upper()}{WITH_DELTA[1:]}"
            wanted = f"one for {self.name}: {NEEDS_DELTA}"
            raise InvalidArgument("share", wanted, Plain(share), way_out)
        if share.currency not in self.currencies:
            wanted, way_out = (
                f"in a currency that {self.name} can spend",
                "Gaussian.analytic spends all of them.",
            )
            raise InvalidArgument("share", wanted, listed_words(share.currency), way_out)
        return share


def _without_delta(share: Share) -> bool:
    """Whether it is a share of epsilon with delta 0."""
    if share.currency != APPROX.currency:
        return share.currency == PURE.currency
    return ZERO in (share.weights[1], share.wholes[1])


CALIBRATIONS = {key: one for key, one in THEOREMS.items() if isinstance(one, SizeTheorem)}
"""Theorems of the rule book that size noise, by mechanism and name."""


@final
@attrs.frozen(cache_hash=True)
class Theorem(Calibration):
    """A theorem of the rule book, which has its formula and its hypothesis. `Laplace.pure` is the
    attribute of that name of the class Laplace. A release names it and does not call it: a row of
    `dp.compare` has its std at numbers, `dp.gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=1)`
    is the least std that is enough.

    >>> import dpframe as dp
    >>> found = dp.compare(dp.Gaussian.classical, epsilon="0.5", delta="1e-6", sensitivity=1)
    >>> round(found.records()[0]["std"], 3)
    10.598
    """

    name: str
    kind: str = attrs.field(repr=False)
    citation: str = attrs.field(eq=False, repr=False)
    currencies: tuple[tuple[str, ...], ...] = attrs.field(eq=False, repr=False)

    @classmethod
    def of(cls, name: str, citation: str, *spends: Notion) -> Theorem:
        """The theorem of this name, and the guarantees whose shares it spends. Raises ValueError
        where the rule book has none.
        """
        (kind,) = (kind for kind, own in CALIBRATIONS if own == name)
        return cls(name, kind, citation, tuple(one.currency for one in spends))

    @property
    def entry(self) -> Any:
        """Its line of the rule book."""
        return CALIBRATIONS[self.kind, self.name]

    @property
    def mechanism(self) -> type[AdditiveNoise]:  # type: ignore[override]  # by its name
        """The class of noise with this theorem, in the module of its kind or of selections."""
        return _noise(self.kind, self.name.partition(".")[0])

    def calibrate(self, share: Share, sensitivity: Expression) -> AdditiveNoise:
        """The noise of the size that the theorem prescribes."""
        self.check(share)
        amounts = dict(zip(share.currency, share.amounts, strict=True))
        size = self.entry.size(Formulas(None), sensitivity, amounts)
        return self.mechanism(size)  # type: ignore[call-arg]  # its one field

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        if self.entry.limit is None:
            return None
        return share.epsilon, self.entry.limit(Formulas(None)), self.entry.strict


@lru_cache(maxsize=64)
def _noise(kind: str, name: str) -> type[AdditiveNoise]:
    module = "selections" if NOISES[kind].selects else kind
    found: type[AdditiveNoise] = getattr(import_module(f".{module}", __package__), name)
    return found


def mirrored(noise: Array, *, symmetric: bool) -> Array:
    """The draws as they are; for a symmetric statistic, their upper triangle on both sides."""
    import numpy as np

    return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


def positive_formula(value: object) -> Expression:
    """An exact formula; a number must be positive. Raises InvalidArgument."""
    formula = exact(value, "the size of the noise")
    if isinstance(formula, Number) and formula.value <= 0:
        way_out = "No noise is no privacy."
        raise InvalidArgument("the size of the noise", "positive", Plain(formula), way_out)
    return formula


@attrs.frozen(cache_hash=True)
class PureNoise(AdditiveNoise):
    """Abstract: (Delta/scale)-DP for a statistic of sensitivity Delta in the norm of the noise."""

    gives: ClassVar[type[Guarantee]] = PureDP
    noise: ClassVar[str] = "scale"
    scale: Expression = attrs.field(converter=positive_formula)

    @property
    def formula(self) -> Expression:
        """The scale."""
        return self.scale

    def guarantee(self, sensitivity: Expression) -> PureDP:
        """(sensitivity/scale)-DP."""
        return PureDP(sensitivity / self.scale)


@attrs.frozen(cache_hash=True)
class StdNoise(AdditiveNoise):
    """Abstract: the std of one number is the parameter of the noise, or at most that."""

    noise: ClassVar[str] = "std"
    std: Expression = attrs.field(converter=positive_formula)

    @property
    def formula(self) -> Expression:
        """The std."""
        return self.std

    @property
    def deviation(self) -> Expression:
        """The std."""
        return self.std


@attrs.frozen(cache_hash=True)
class NormalNoise(StdNoise):
    """Abstract: normal draws of one std, (Delta/std)-Gaussian DP for a statistic of L2 sensitivity
    Delta [DongRS22, Thm 2.7]. Classes differ in the noise of a symmetric matrix.
    """

    gives: ClassVar[type[Guarantee]] = GaussianDP
    norm: ClassVar[Norm] = L2
    attained: ClassVar[bool] = True

    def guarantee(self, sensitivity: Expression) -> GaussianDP:
        """(sensitivity/std)-Gaussian DP."""
        return GaussianDP(sensitivity / self.std)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> Array:
        """N(0, size^2), rounded to the nearest whole number."""
        from dpframe.randomness import rounded_gaussian

        return rounded_gaussian(bits, size, n)
