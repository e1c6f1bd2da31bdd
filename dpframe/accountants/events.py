"""Compositions as events of dp_accounting, for independent checks.

An event states our dominating pair exactly, except for the rounding of its doubles towards more
privacy loss. No part is replaced by a looser one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

from dpframe.errors import InvalidArgument, MissingExtra, Plain
from dpframe.numerics import arb_float, ball, next_up, to_float, working
from dpframe.pld.losses import (
    CategoricalLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    OddsLoss,
    ResponseLoss,
    SubsampledGaussianLoss,
)
from dpframe.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP, number

from . import Part
from .base import Costed, grouped
from .composed import composition_of

LONGEST = 100_000  # events of a list
_BITS = 128
IMPLIED = "Export a dpframe guarantee that it implies, such as dp.PureDP or dp.GaussianDP."


def to_event(thing: object) -> Any:
    """A dp_accounting.DpEvent that costs at least as much as `thing`: a composition, a certificate
    with numbers, or any argument of `compose`.

    Evaluate it with accountants for ADD_OR_REMOVE_ONE under either relation: noise multipliers
    are 1/mu and 1/epsilon at the sensitivity under our relation, and their PLD accountant doubles
    them under REPLACE_ONE. Randomised response is the exception: they take it under REPLACE_ONE
    only, where every other event costs as much or more. Never use REPLACE_SPECIAL.

    The Gaussian releases of a certificate are one event, of their joint mu (proofs/joint), which
    may cost less than separate events. Parts without a counterpart are refused; docs/peers lists
    the others. Raises InvalidArgument, and MissingExtra without dp_accounting.
    """
    parts = composition_of(thing).parts
    _refuse_opposite_directions(parts)
    events = [_repeated(what, count) for what, count in grouped(parts).items()]
    if not events:
        return _made(parts, "NoOpDpEvent")
    return events[0] if len(events) == 1 else _made(parts, "ComposedDpEvent", events)


def _repeated(what: Costed, count: int) -> Any:
    """The event repeated; randomised response as a list, as their PLD accountant (0.6.0) ignores
    its count.
    """
    event = _event(what)
    if count == 1:
        return event
    if not isinstance(what, (CategoricalLoss, OddsLoss)):
        return _made(what, "SelfComposedDpEvent", event, count)
    if count > LONGEST:
        way_out = "Its guarantee, dp.PureDP(epsilon), can be exported any number of times."
        raise InvalidArgument("count", f"at most {LONGEST} for randomised response", count, way_out)
    return _made(what, "ComposedDpEvent", [event] * count)


def _refuse_opposite_directions(parts: Iterable[Part]) -> None:
    """Their Poisson events all remove a record, or all add one."""
    losses = [part.what for part in parts if isinstance(part.what, SubsampledGaussianLoss)]
    if len({loss.direction for loss in losses if loss.rate < 1}) > 1:
        way_out = "State all of them in one direction."
        raise InvalidArgument("subsampled parts", "of one direction", Plain("both"), way_out)


def _event(what: Costed) -> Any:
    """The event of one part. That of a subclass may cost something else."""
    if type(what) not in EVENTS:
        raise _unknown(what, IMPLIED)
    return EVENTS[type(what)](what)


def _gaussian(what: GaussianDP) -> Any:
    square = number("mu^2", what.amounts[0])
    if not square:
        return _made(what, "NoOpDpEvent")
    return _made(what, "GaussianDpEvent", _inverse_root(square))


def _response(what: ResponseLoss) -> Any:
    """Discrete Laplace noise moved by 1 has the loss epsilon or -epsilon: the very same pair."""
    epsilon = to_float(what.epsilon, up=True)
    if what.delta:
        return _made(what, "EpsilonDeltaDpEvent", epsilon, to_float(what.delta, up=True))
    return _made(what, "DiscreteLaplaceDpEvent", epsilon, 1)


def _categorical(what: CategoricalLoss | OddsLoss) -> Any:
    """A uniform answer has the probability k/(e^epsilon + k - 1)."""
    k = what.categories
    if isinstance(what, OddsLoss):
        random = to_float(k / (what.excess + k), up=False)
    else:
        with working(_BITS):
            random = arb_float(k / (ball(what.epsilon).exp() + (k - 1)), up=False)
    return _made(what, "RandomizedResponseDpEvent", random, what.categories)


def _discrete_gaussian(what: DiscreteGaussianLoss) -> Any:
    """Only where sigma is a double: less noise is not known to cost more at every epsilon."""
    sigma = _inverse_root(1 / what.variance)
    if Fraction(sigma) ** 2 != what.variance:
        raise _unknown(what, "Let std be a double, such as dp.DiscreteGaussian(std=2.5).")
    return _made(what, "DiscreteGaussianDpEvent", sigma, float(what.shift), 1)


def _sampled(what: SubsampledGaussianLoss) -> Any:
    gaussian = _event(GaussianLoss(what.mu))
    if what.rate == 1:
        return gaussian
    if what.direction == "both":
        raise _unknown(what, "Their event for it needs the sizes of the sample and of the table.")
    return _made(what, "PoissonSampledDpEvent", to_float(what.rate, up=True), gaussian)


def _below(name: str, value: str) -> Callable[[Any], Any]:
    """The event of noise of 1/value, rounded down."""
    return lambda what: _made(what, name, to_float(1 / getattr(what, value), up=False))


EVENTS: Mapping[type, Callable[[Any], Any]] = {
    GaussianLoss: _below("GaussianDpEvent", "mu"),
    GaussianDP: _gaussian,
    LaplaceLoss: _below("LaplaceDpEvent", "epsilon"),
    DiscreteLaplaceLoss: lambda what: _made(
        what, "DiscreteLaplaceDpEvent", to_float(what.rate, up=True), what.shift
    ),
    **dict.fromkeys((PureDP, ApproxDP), lambda what: _event(what.loss)),
    ResponseLoss: _response,
    ZeroConcentratedDP: lambda what: _made(
        what, "ZCDpEvent", to_float(number("rho", what.rho), up=True)
    ),
    **dict.fromkeys((CategoricalLoss, OddsLoss), _categorical),
    DiscreteGaussianLoss: _discrete_gaussian,
    SubsampledGaussianLoss: _sampled,
}
"""The events of each kind of part."""


def _inverse_root(square: Fraction) -> float:
    """1/sqrt(square), rounded down; exactly where it is a double."""
    with working(_BITS):
        below = arb_float(1 / ball(square).sqrt(), up=False)
    above = next_up(below)
    exact = math.isfinite(above) and Fraction(above) ** 2 * square == 1
    return above if exact else below


def _made(what: object, name: str, *arguments: object) -> Any:
    """The event of class `name`."""
    kind = getattr(_library(), name, None)
    if kind is None:
        way_out = f"It needs a dp_accounting with {name}; or export a guarantee that is implied."
        raise _unknown(what, way_out)
    return kind(*arguments)


def _unknown(what: object, way_out: str) -> InvalidArgument:
    return InvalidArgument("part", "known to the dp_accounting that is installed", what, way_out)


def _library() -> ModuleType:
    try:
        from dp_accounting import dp_event
    except ImportError as error:
        raise MissingExtra("dp_accounting", "peers") from error
    return dp_event  # type: ignore[no-any-return]
