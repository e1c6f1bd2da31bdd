"""The composed cost of mechanisms, and the factor of their noise that meets a target."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import attrs

from dpframe import mechanisms
from dpframe.errors import InvalidArgument, Plain, PrivacyWarning, of_target, warn
from dpframe.identity import own, strangers
from dpframe.mechanisms import AdditiveNoise
from dpframe.numbers import Exact, positive, rounded_up, shortest
from dpframe.numerics import Interval, to_float
from dpframe.pld import losses
from dpframe.privacy import (
    ADD_REMOVE,
    ApproxDP,
    GaussianDP,
    Guarantee,
    Relation,
    Unit,
    ZeroConcentratedDP,
    number,
)
from dpframe.symbols import Number, rational

from . import Accountant, Part, RenyiAccountant, count_of, parts_of
from .base import Costed, delta_argument


# ------------------------------------------------------------------------------------------ compose
@attrs.frozen(cache_hash=True, repr=False)
class Composition:
    """Adaptive composition of parts under one neighbouring relation, by one accountant.

    >>> from dpframe import Gaussian, Laplace, compose
    >>> spent = compose((Gaussian(std=4), 8), Laplace(scale=10)).epsilon(1e-6)
    >>> round(spent.upper, 8), spent.width < 1e-12
    (3.34102301, True)
    """

    parts: tuple[Part, ...]
    relation: Relation
    accountant: Accountant
    unit: Unit | None = attrs.field(default=None, kw_only=True)
    """The unit of privacy of certificates among the parts; None without certificates."""

    def epsilon(self, delta: Exact) -> Interval:
        """The least epsilon >= 0 at this delta, 0 < delta < 1: spend `upper`, claim `lower`. A
        PrivacyWarning says so where the parts' own deltas leave no epsilon.
        """
        answer = self.accountant.epsilon(self.parts, delta)
        own = sum((one.count * _delta(one.what) for one in self.parts), Fraction(0))
        if math.isinf(answer.upper) and own:
            at = f"{float(delta_argument(delta)):.6g}"
            text = f"No epsilon holds at delta {at}: the deltas of the parts sum to {_up(own)}."
            warn(f"{text} Evaluate epsilon at a larger delta.", PrivacyWarning)
        parts, hidden = self._least()
        known = answer if parts == self.parts else self.accountant.epsilon(parts, delta)
        if not hidden or math.isinf(known.lower):
            return Interval(known.lower, answer.upper)
        least = max(Fraction(known.lower) - hidden, Fraction(0))
        return Interval(to_float(least, up=False), answer.upper)

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta at this epsilon >= 0: spend `upper`, claim `lower`."""
        answer = self.accountant.delta(self.parts, epsilon)
        parts, hidden = self._least()
        if parts == self.parts and not hidden:
            return answer
        beyond = rational(epsilon, "epsilon") + hidden
        return Interval(self.accountant.delta(parts, beyond).lower, answer.upper)

    def _least(self) -> tuple[tuple[Part, ...], Fraction]:
        """Parts that cost at most as much, at an epsilon that is larger by a number; none where the
        cost of a part is an upper bound.
        """
        if any(part.above and part.count for part in self.parts):
            return (), Fraction(0)
        known = [(part.least, part.count) for part in self.parts if part.least is not None]
        hidden = sum((least.hidden * count for least, count in known), Fraction(0))
        parts = (
            part if part.least is None else Part(part.least.loss, part.count) for part in self.parts
        )
        return tuple(parts), hidden

    def __repr__(self) -> str:
        """`Composition(12 x GaussianLoss(mu=0.0685), add/remove, numeric)`: the parts, their
        numbers rounded up to 6 digits (variances are exact), the relation and the accountant.
        """
        parts = "".join(f"{one.count} x {_rounded(repr(one.what))}, " for one in self.parts)
        return f"Composition({parts}{self.relation}, {self.accountant.name})"

    def __add__(self, other: Composition) -> Composition:
        """The composition of both."""
        if not isinstance(other, Composition):
            return NotImplemented
        if (self.relation, self.accountant) != (other.relation, other.accountant):
            way_out = "Compose the parts again."
            raise InvalidArgument("other", "of one relation and accountant", Plain(other), way_out)
        return compose(self, other, accountant=self.accountant)

    def __mul__(self, count: int) -> Composition:
        """`count` times over."""
        times = count_of(count)
        parts = tuple(attrs.evolve(part, count=part.count * times) for part in self.parts)
        return attrs.evolve(self, parts=parts)


def _delta(what: Costed) -> Fraction:
    """The probability with which the loss is infinite, as a guarantee allows or as a loss has."""
    if isinstance(what, ApproxDP):
        return number("delta", what.delta)
    return Fraction(what.infinite) if isinstance(what, losses.PrivacyLoss) else Fraction(0)


def compose(
    *things: object,
    relation: Relation | None = None,
    accountant: str | Accountant | None = None,
    sensitivity: object = 1,
) -> Composition:
    """What these cost together: mechanisms, certificates, compositions, guarantees, privacy losses,
    or pairs (thing, count).

    `sensitivity` is that of what each mechanism hides, in the norm of its noise, under `relation`;
    for mechanisms of different sensitivities give `mechanism.loss(sensitivity, relation)`. A
    mechanism whose cost under the relation is not known is refused. `relation` is by default that
    of the certificates and compositions, and dp.ADD_REMOVE without them. `accountant` is an
    accountant or the name of one of dpframe's; the certified numeric one where it is left out or
    "auto". Of a certificate its releases are added, which together cost at most its target.
    `lower` is 0 where a mechanism is added by a guarantee that it may not spend, and where a
    certificate is added to other things. Raises InvalidArgument.
    """
    from .every import AUTO, accountant_of

    chosen = accountant_of(AUTO if accountant is None else accountant)
    size = positive("sensitivity", rational(sensitivity, "sensitivity"))
    pricing = Pricing(_relation(things, relation), chosen, size)
    parts = tuple(part for thing in things for part in _parts(thing, pricing))
    unit = next(iter(_units(things)), None)
    if unit is not None and len(things) > 1:  # the worst neighbours of a certificate may differ
        parts = tuple(attrs.evolve(part, above=True) for part in parts)
    return Composition(parts, pricing.relation, chosen, unit=unit)


def _units(things: Sequence[object]) -> list[Unit]:
    """The unit of privacy of each certificate, and of each composition with certificates."""
    whats = [_counted(thing)[0] for thing in things]
    units = [one.setting.unit for one in whats if isinstance(one, Composed)]
    return units + [one.unit for one in whats if isinstance(one, Composition) and one.unit]


def _relation(things: Sequence[object], given: Relation | None) -> Relation:
    """The relation of all things. Raises InvalidArgument where certificates or compositions have
    others, and where the units of privacy of certificates differ.
    """
    if given is not None and not isinstance(given, Relation):
        raise InvalidArgument("relation", "dp.ADD_REMOVE or dp.REPLACE_ONE", given)
    units = {str(unit) for unit in _units(things)}
    if len(units) > 1:
        way_out = "Certify all for the same relation and rows_per_person."
        wanted = "of one unit of privacy"
        raise InvalidArgument("certificates", wanted, "; ".join(sorted(units)), way_out)
    whats = [_counted(thing)[0] for thing in things]
    own = [unit.relation for unit in _units(things)]
    own += [one.relation for one in whats if isinstance(one, Composition)]
    chosen = given or next(iter(own), ADD_REMOVE)
    others = [str(one) for one in own if one is not chosen]
    if others:
        wanted = f"that of every certificate and composition, {chosen} here"
        raise InvalidArgument("relation", wanted, others[0], "Certify all for one relation.")
    return chosen


@runtime_checkable
class Composed(Protocol):
    """An object with a composition, such as a certificate."""

    setting: Any

    def as_composition(self) -> Composition:
        """Its releases together. Raises InvalidArgument."""


def composition_of(thing: object) -> Composition:
    """`thing` as a Composition: itself, what a certificate's releases cost, or `compose(thing)` at
    sensitivity 1 under add/remove. Raises InvalidArgument.
    """
    if isinstance(thing, Composition):
        return thing
    return thing.as_composition() if isinstance(thing, Composed) else compose(thing)


@attrs.frozen
class Pricing:
    """How mechanisms are priced: under which relation, by whom, at which sensitivity."""

    relation: Relation
    accountant: Accountant
    sensitivity: Fraction


def _counted(thing: object) -> tuple[object, int]:
    """A thing and its count, from a pair or alone. Raises InvalidArgument."""
    if isinstance(thing, type):
        parts_of(thing)  # refuses it
    if isinstance(thing, int):
        way_out = "Ten releases are one pair: (dp.Gaussian(std=1), 10)."
        raise InvalidArgument("part", "a mechanism, a certificate or a guarantee", thing, way_out)
    pair = isinstance(thing, tuple) and len(thing) == 2
    return (thing[0], count_of(thing[1])) if pair else (thing, 1)  # type: ignore[index]


def _parts(thing: object, pricing: Pricing) -> Iterator[Part]:
    """The parts of a thing, counted."""
    what, count = _counted(thing)
    if isinstance(what, Composed):
        found = what.as_composition().parts
    elif isinstance(what, Composition):
        found = what.parts
    elif isinstance(what, Part):
        _symmetric(what.what if pricing.relation.replaced else None)
        found = (what,)
    elif isinstance(what, mechanisms.Mechanism):
        found = (_priced(what, pricing),)
    else:
        found = parts_of(_symmetric(what) if pricing.relation.replaced else what)
    yield from (attrs.evolve(part, count=part.count * count) for part in found)


def _priced(thing: mechanisms.Mechanism, pricing: Pricing) -> Part:
    what = _of_mechanism(thing, pricing)
    return Part(what, above=not _attained(thing, what))


def _of_mechanism(thing: mechanisms.Mechanism, pricing: Pricing) -> Costed:
    given = type(thing.given) if isinstance(thing, mechanisms.BlackBox) else thing.gives
    concentrated = given is ZeroConcentratedDP
    by_orders = concentrated and isinstance(pricing.accountant, RenyiAccountant)
    if pricing.accountant.reads_losses and not by_orders:
        return thing.loss(pricing.sensitivity, pricing.relation)
    size = Number(pricing.sensitivity)
    if isinstance(thing, mechanisms.Subsampled):
        return thing.guarantee(size, pricing.relation)
    return thing.guarantee(size)


def _attained(thing: mechanisms.Mechanism, what: Costed) -> bool:
    """Whether some release of a mechanism attains `what`: Gaussian noise its guarantee, others
    their own loss, none the worst loss of a guarantee. A black box is any mechanism with its
    guarantee. What a class from outside states is an upper bound.
    """
    if isinstance(thing, mechanisms.BlackBox):
        return True
    if strangers([thing], own):
        return False
    if isinstance(what, Guarantee):
        return isinstance(what, GaussianDP)
    return not isinstance(what, losses.ResponseLoss)


def _symmetric(thing: object) -> object:
    """`thing`; refuses a loss of one direction, as a replacement both removes and adds a record."""
    if isinstance(thing, losses.PrivacyLoss) and thing.reverse() != thing:
        way_out = 'Take the loss from a mechanism, or direction="both".'
        raise InvalidArgument("loss", "that of both directions under replace-one", thing, way_out)
    return thing


# ---------------------------------------------------------------------------------------- calibrate
_POWERS = (1, 2, 4, 8, 16, 32, 64, 128)
_FAR = 700.0  # in place of log infinity
FRACTION = re.compile(r"(?<!variance=)Fraction\((\d+), (\d+)\)")  # a variance is printed exactly
_NEAR = 1e-13  # tolerance of the search
DIGITS = 6  # of printed numbers

PartsAt = Callable[[Fraction], Sequence[Part]]


def least_factor(
    accountant: Accountant,
    parts_at: PartsAt,
    epsilon: Fraction,
    delta: Fraction,
    *,
    near: float = 1.0,
) -> Fraction:
    """A factor s, hardly above the least one, such that the accountant proves for parts_at(s), with
    all noise s times as large, that `epsilon` is enough at delta and `delta` at epsilon. The search
    starts at `near`.

    Upper ends of epsilon and delta need not be equally sharp, so both are evaluated at the answer,
    a short decimal. Raises InvalidArgument where no factor is enough.
    """
    near = float(positive("near", near))
    target, start = math.log(epsilon.numerator) - math.log(epsilon.denominator), math.log(near)

    @lru_cache(maxsize=8)
    def whole(factor: Fraction) -> float:
        if factor == shortest(near):
            return first
        return accountant.epsilon(parts_at(factor), delta).upper

    first, searched = accountant.searched(parts_at(shortest(near)), delta)

    def root(cost: Callable[[Fraction], float]) -> float:
        from scipy.optimize import brentq

        @lru_cache(maxsize=8)
        def excess(log_factor: float) -> float:
            found = first if log_factor == start else cost(shortest(math.exp(log_factor)))
            log = math.log(found) - target if found > 0 else -_FAR
            return min(max(log, -_FAR), _FAR)

        if abs(excess(start)) <= _NEAR:
            return near
        low, high = _bracket(excess, start)
        return math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-14))

    found = root(lambda factor: searched(parts_at(factor)))
    if whole(shortest(found)) > float(epsilon) * (1 + 1e-12):  # `searched` was too low
        found = root(whole)
    # where parts without noise cost all of delta, the answer is the double above it
    for most in (delta, Fraction(to_float(delta, up=True))):
        factor, step = found, 2e-14
        while step < 1:
            short = shortest(factor)
            by_epsilon = whole(short) <= epsilon
            if by_epsilon and accountant.delta(parts_at(short), epsilon).upper <= most:
                return short
            factor, step = factor * (1 + step), 2 * step
    raise _out_of_reach()


def _bracket(excess: Callable[[float], float], start: float) -> tuple[float, float]:
    """Logs between which the excess changes its sign, from the start: 2^-j and 2^-2j times it, or
    2^j and 2^2j.
    """
    near, dear = start, excess(start) > 0
    for power in _POWERS:
        far = start + power * math.log(2) * (1 if dear else -1)
        if (excess(far) > 0) is not dear:
            return min(near, far), max(near, far)
        near = far
    if dear:
        raise _out_of_reach()
    way_out = "Lower epsilon or delta, or state less noise: this target needs next to none."
    raise InvalidArgument(
        "target", "one that less noise misses", Plain("one that is met anyway"), way_out
    )


def _out_of_reach() -> InvalidArgument:
    way_out = "Raise epsilon or delta: some part costs more at any noise."
    return InvalidArgument(
        "target", "within reach of more noise", Plain("one that is not"), way_out
    )


@attrs.frozen(cache_hash=True, repr=False)
class Calibrated:
    """A calibration: the factor, the things with scaled noise, and their composition."""

    factor: Fraction
    things: tuple[object, ...]
    composition: Composition

    def __repr__(self) -> str:
        """`Calibrated(factor=6.25076, (Gaussian(std=6.25076), 2), Laplace(scale=12.5015))`, its
        numbers rounded up to 6 digits; exact with discrete Gaussian noise, of which more may cost
        more.
        """
        rising = any(isinstance(_bare(thing), mechanisms.DiscreteGaussian) for thing in self.things)
        show = _exact if rising else _up
        things = ", ".join(_brief(thing, show) for thing in self.things)
        return f"Calibrated(factor={show(self.factor)}, {things})"


@of_target
def calibrate(
    *things: object,
    target: ApproxDP,
    relation: Relation | None = None,
    accountant: str | Accountant | None = None,
    sensitivity: object = 1,
) -> Calibrated:
    """All noise among `things` multiplied by the one factor at which the whole is inside `target`,
    with numbers for epsilon and delta; its proportions stay.

    Arguments are as in `compose`: noise is stated as it is wanted up to the factor, also on
    samples (dp.mechanisms.PoissonSubsampled). What is not additive noise (a guarantee, a loss, a
    certificate, a selection) costs what it costs. The factor is hardly
    larger than the least one (in epsilon, by 1e-12 or so), never smaller. Raises InvalidArgument.

    With discrete Gaussian noise use the factor as it is, do not round it: a larger std may cost
    more, so that several factors may be hardly sufficient, and one of them is found
    (docs/proofs/shifts.md).

    >>> from dpframe import ApproxDP, Gaussian, Laplace, calibrate
    >>> found = calibrate((Gaussian(std=1), 2), Laplace(scale=2), target=ApproxDP(1, "1e-6"))
    >>> round(float(found.factor), 6), found.composition.delta(1).upper <= 1e-6
    (6.250757, True)
    """
    if not isinstance(target, ApproxDP):
        raise InvalidArgument("target", "a dp.ApproxDP with numbers", target)
    if not any(isinstance(_bare(thing), AdditiveNoise) for thing in things):
        way_out = "Such as dp.Gaussian(std=1), or (dp.Gaussian(std=1), 10) for ten releases."
        got = things[0] if len(things) == 1 else things
        raise InvalidArgument("things", "some noise to scale", got, way_out)
    epsilon, delta = number("epsilon", target.epsilon), number("delta", target.delta)

    def at(factor: Fraction) -> Composition:
        made = (_scaled(thing, factor) for thing in things)
        return compose(*made, relation=relation, accountant=accountant, sensitivity=sensitivity)

    adds = at(Fraction(1)).accountant
    factor = least_factor(adds, lambda found: at(found).parts, epsilon, delta)
    return Calibrated(factor, tuple(_scaled(thing, factor) for thing in things), at(factor))


def _rounded(text: str) -> str:
    """A text with its exact fractions rounded up to 6 digits."""
    return FRACTION.sub(lambda found: _up(Fraction(int(found[1]), int(found[2]))), text)


def _up(value: Fraction) -> str:
    return f"{float(rounded_up(value, DIGITS)):.{DIGITS}g}"


def _exact(value: Fraction) -> str:
    decimal = Context(prec=40).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{decimal:f}" if Fraction(decimal) == value else str(value)


def _brief(thing: object, show: Callable[[Fraction], str]) -> str:
    """A thing, the size of its noise as `show` has it."""
    if isinstance(thing, tuple) and len(thing) == 2:
        return f"({_brief(thing[0], show)}, {thing[1]})"
    if isinstance(thing, mechanisms.Subsampled):
        rate = getattr(thing, "rate", None)
        return f"{type(thing).__name__}({_brief(thing.mechanism, show)}, rate={rate})"
    size = thing.formula if isinstance(thing, AdditiveNoise) else None
    if isinstance(thing, AdditiveNoise) and isinstance(size, Number):
        return f"{type(thing).__name__}({thing.noise}={show(size.value)})"
    return repr(thing)


def _bare(thing: object) -> object:
    bare = thing[0] if isinstance(thing, tuple) and thing else thing
    return bare.mechanism if isinstance(bare, mechanisms.Subsampled) else bare


def _scaled(thing: object, factor: Fraction) -> object:
    if isinstance(thing, tuple) and len(thing) == 2:
        return (_scaled(thing[0], factor), thing[1])
    if isinstance(thing, mechanisms.Subsampled):
        return attrs.evolve(thing, mechanism=_scaled(thing.mechanism, factor))  # type: ignore[misc]
    return thing.scaled(Number(factor)) if isinstance(thing, AdditiveNoise) else thing
