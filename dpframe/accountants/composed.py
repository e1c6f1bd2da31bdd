"""The composed cost of mechanisms, and the factor of their noise that meets a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

import attrs

from dpframe import mechanisms
from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise
from dpframe.numbers import Exact, positive, shortest
from dpframe.numerics import Interval, to_float
from dpframe.pld import losses
from dpframe.privacy import (
    ADD_REMOVE,
    ApproxDP,
    GaussianDP,
    Guarantee,
    Relation,
    ZeroConcentratedDP,
    number,
)
from dpframe.symbols import Number, rational

from . import (
    Accountant,
    Part,
    RenyiAccountant,
    count_of,
    parts_of,
)
from .base import Costed


# ------------------------------------------------------------------------------------------ compose
@attrs.frozen(cache_hash=True)
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

    def epsilon(self, delta: Exact) -> Interval:
        """The least epsilon >= 0 at this delta, 0 < delta < 1: spend `upper`, claim `lower`."""
        return self._bounded(self.accountant.epsilon(self.parts, delta))

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta at this epsilon >= 0: spend `upper`, claim `lower`."""
        return self._bounded(self.accountant.delta(self.parts, epsilon))

    def _bounded(self, answer: Interval) -> Interval:
        """`lower` is 0 where the cost of a part is an upper bound."""
        bounded = any(part.above and part.count for part in self.parts)
        return Interval(0.0, answer.upper) if bounded else answer

    def __add__(self, other: Composition) -> Composition:
        """The composition of both."""
        if not isinstance(other, Composition):
            return NotImplemented
        if (self.relation, self.accountant) != (other.relation, other.accountant):
            way_out = "Compose the parts again."
            raise InvalidArgument("other", "of one relation and accountant", str(other), way_out)
        return attrs.evolve(self, parts=self.parts + other.parts)

    def __mul__(self, count: int) -> Composition:
        """`count` times over."""
        times = count_of(count)
        parts = tuple(attrs.evolve(part, count=part.count * times) for part in self.parts)
        return attrs.evolve(self, parts=parts)


def compose(
    *things: object,
    relation: Relation = ADD_REMOVE,
    accountant: str | Accountant | None = None,
    sensitivity: object = 1,
) -> Composition:
    """What these cost together: mechanisms, guarantees, privacy losses, or pairs (thing, count).

    `sensitivity` is that of what each mechanism hides, in the norm of its noise, under `relation`;
    for mechanisms of different sensitivities give `mechanism.loss(sensitivity, relation)`. A
    mechanism whose cost under the relation is not known is refused. `accountant` is an accountant
    or the name of one of dpframe's; the certified numeric one where it is left out or "auto". Where
    a mechanism is added by a guarantee that it may not spend, `lower` is 0. Raises InvalidArgument.
    """
    from .every import AUTO, accountant_of

    if not isinstance(relation, Relation):
        raise InvalidArgument("relation", "dp.ADD_REMOVE or dp.REPLACE_ONE", relation)
    chosen = accountant_of(AUTO if accountant is None else accountant)
    pricing = Pricing(
        relation, chosen, positive("sensitivity", rational(sensitivity, "sensitivity"))
    )
    costs = [_cost(thing, pricing) for thing in things]
    return Composition(parts_of(*costs), relation, chosen)


@runtime_checkable
class Composed(Protocol):
    """An object with a composition, such as a certificate."""

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


def _cost(thing: object, pricing: Pricing) -> object:
    if isinstance(thing, tuple) and len(thing) == 2:
        if isinstance(thing[0], mechanisms.Mechanism):
            return attrs.evolve(_priced(thing[0], pricing), count=thing[1])
        return (_cost(thing[0], pricing), thing[1])
    if isinstance(thing, mechanisms.Mechanism):
        return _priced(thing, pricing)
    return _symmetric(thing) if pricing.relation.replaced else thing


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
    guarantee.
    """
    if isinstance(thing, mechanisms.BlackBox):
        return True
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
_NEAR = 1e-13  # tolerance of the search

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
    raise InvalidArgument("target", "one that less noise misses", "one that is met anyway", way_out)


def _out_of_reach() -> InvalidArgument:
    way_out = "Raise epsilon or delta: some part costs more at any noise."
    return InvalidArgument("target", "within reach of more noise", "one that is not", way_out)


@attrs.frozen(cache_hash=True)
class Calibrated:
    """A calibration: the factor, the things with scaled noise, and their composition."""

    factor: Fraction
    things: tuple[object, ...]
    composition: Composition


def calibrate(
    *things: object,
    target: ApproxDP,
    relation: Relation = ADD_REMOVE,
    accountant: str | Accountant | None = None,
    sensitivity: object = 1,
) -> Calibrated:
    """All noise among `things` multiplied by the one factor at which the whole is inside `target`,
    with numbers for epsilon and delta; its proportions stay.

    Arguments are as in `compose`: noise is stated as it is wanted up to the factor. What is not
    additive noise (a guarantee, a loss, a selection) costs what it costs. The factor is hardly
    larger than the least one (in epsilon, by 1e-12 or so), never smaller. Raises InvalidArgument.

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


def _bare(thing: object) -> object:
    return thing[0] if isinstance(thing, tuple) and thing else thing


def _scaled(thing: object, factor: Fraction) -> object:
    if isinstance(thing, tuple) and len(thing) == 2:
        return (_scaled(thing[0], factor), thing[1])
    return thing.scaled(Number(factor)) if isinstance(thing, AdditiveNoise) else thing
