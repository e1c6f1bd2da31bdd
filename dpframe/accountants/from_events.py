"""Compositions from the records of other systems: events of dp_accounting, histories of Opacus,
and privacy maps of OpenDP and Tumult.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import as_fraction
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, ApproxDP, Guarantee, PureDP, ZeroConcentratedDP

from .base import Costed, Part
from .composed import Composition
from .numeric import NumericAccountant
from .renyi import RenyiAccountant

MOST_DEPTH, MOST_EVENTS = 40, 100_000


def from_event(event: object) -> Composition:
    """A dp_accounting.DpEvent as a Composition under add/remove: by the numeric accountant, or with
    parts of which only a rho is stated, by Renyi divergences. Doubles mean their binary values, as
    in dp_accounting.

    Supported are no-op, Gaussian, Laplace, discrete Gaussian (of one number) and discrete Laplace
    noise, randomised response, (epsilon, delta), zCDP with xi = 0, Poisson samples of Gaussian
    noise, and compositions of them. Noise multipliers refer to a sensitivity of 1 under the
    intended relation. An event is read by its class and fields; dp_accounting need not be
    installed. Raises InvalidArgument for other events, also for its non-private ones.

    >>> from types import SimpleNamespace
    >>> class GaussianDpEvent(SimpleNamespace): pass
    >>> from_event(GaussianDpEvent(noise_multiplier=4.0)).epsilon("1e-6").upper < 1.2
    True
    """
    parts = tuple(_parts(event, 1, 0))
    if len(parts) > MOST_EVENTS:
        raise InvalidArgument("event", f"of at most {MOST_EVENTS} events", len(parts), "")
    concentrated = any(isinstance(part.what, ZeroConcentratedDP) for part in parts)
    accountant = RenyiAccountant() if concentrated else NumericAccountant()
    return Composition(parts, ADD_REMOVE, accountant)


def _parts(event: Any, count: int, depth: int) -> Iterator[Part]:
    """The parts of an event that occurs so many times."""
    if depth > MOST_DEPTH:
        raise InvalidArgument("event", f"at most {MOST_DEPTH} deep", depth, "")
    match type(event).__name__:
        case "NoOpDpEvent":
            return
        case "ComposedDpEvent":
            events = list(event.events)
            if len(events) > MOST_EVENTS:
                raise InvalidArgument("events", f"at most {MOST_EVENTS}", len(events), "")
            for inner in events:
                yield from _parts(inner, count, depth + 1)
        case "SelfComposedDpEvent":
            yield from _parts(event.event, count * _whole(event, "count"), depth + 1)
        case "PoissonSampledDpEvent":
            yield from _sampled(event, count)
        case name if name in COSTS:
            yield Part(COSTS[name](event), count)
        case name:
            names = ", ".join(name.removesuffix("DpEvent") for name in COSTS)
            wanted = f"{names}, Poisson-sampled Gaussian noise, or compositions of them"
            way_out = "dp.compose takes guarantees that it implies, such as dp.ApproxDP."
            raise InvalidArgument("event", wanted, name, way_out)


def _sampled(event: Any, count: int) -> Iterator[Part]:
    """Gaussian noise on a fresh Poisson sample at each release."""
    rate, inner = _number(event, "sampling_probability"), event.event
    if type(inner).__name__ != "GaussianDpEvent":
        way_out = "State the guarantee of a step, with dp.compose."
        raise InvalidArgument("event", "a sample of Gaussian noise", type(inner).__name__, way_out)
    if rate:
        yield Part(_gaussian_on_sample(_inverse(inner, "noise_multiplier"), rate), count)


def _gaussian_on_sample(mu: Fraction, rate: Fraction) -> losses.PrivacyLoss:
    plain = losses.GaussianLoss(mu)
    return plain if rate == 1 else losses.SubsampledGaussianLoss(mu, rate)


def _number(event: Any, name: str, *, positive: bool = False) -> Fraction:
    """A field, as the binary value of its double."""
    value = as_fraction(name, getattr(event, name))
    if value < 0 or (positive and value == 0):
        raise InvalidArgument(name, "positive" if positive else "at least 0", Plain(value), "")
    return value


def _whole(event: Any, name: str) -> int:
    value = _number(event, name)
    if value.denominator != 1:
        way_out = "Noise in whole numbers hides them."
        raise InvalidArgument(name, "a whole number", Plain(value), way_out)
    return int(value)


def _inverse(event: Any, name: str) -> Fraction:
    return 1 / _number(event, name, positive=True)


def _discrete_gaussian(event: Any) -> Costed:
    if getattr(event, "dimension", 1) != 1:
        way_out = "Of vectors, dp.compose adds dp.ZeroConcentratedDP(rho)."
        raise InvalidArgument("dimension", "1", Plain(event.dimension), way_out)
    sigma = _number(event, "sigma", positive=True)
    return losses.DiscreteGaussianLoss(sigma**2, _whole(event, "sensitivity"))


def _response(event: Any) -> Costed:
    """A uniform answer of k has probability p: the truth is 1 + k (1 - p)/p times as likely as
    another answer.
    """
    random, many = _number(event, "noise_parameter", positive=True), _whole(event, "num_buckets")
    if random >= 1:
        way_out = "At 1 the answer is independent of the data: leave it out."
        raise InvalidArgument("noise_parameter", "in (0, 1)", Plain(random), way_out)
    return losses.OddsLoss(many * (1 - random) / random, many)


def _stated(event: Any) -> Costed:
    epsilon, delta = _number(event, "epsilon"), _number(event, "delta")
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _concentrated(event: Any) -> Costed:
    if _number(event, "xi"):
        raise InvalidArgument("xi", "0", Plain(event.xi), "An epsilon at every order is no zCDP.")
    return ZeroConcentratedDP(_number(event, "rho"))


COSTS: Mapping[str, Callable[[Any], Costed]] = MappingProxyType(
    {
        "GaussianDpEvent": lambda one: losses.GaussianLoss(_inverse(one, "noise_multiplier")),
        "LaplaceDpEvent": lambda one: losses.LaplaceLoss(_inverse(one, "noise_multiplier")),
        "DiscreteGaussianDpEvent": _discrete_gaussian,
        "DiscreteLaplaceDpEvent": lambda one: losses.DiscreteLaplaceLoss(
            _number(one, "noise_parameter", positive=True), _whole(one, "sensitivity")
        ),
        "RandomizedResponseDpEvent": _response,
        "EpsilonDeltaDpEvent": _stated,
        "ZCDpEvent": _concentrated,
    }
)
"""Costs of single events, by the name of their class."""


def from_opacus(history: object) -> Composition:
    """An Opacus history as a Composition under add/remove: each step is Gaussian noise on a Poisson
    sample, as in Opacus.

    `history` is the list of (noise_multiplier, sample_rate, num_steps) of an Opacus accountant, the
    accountant, or its `state_dict()`. Doubles mean their binary values. Raises InvalidArgument for
    noise of 0, rates outside [0, 1], and numbers of steps that are not whole or negative.

    >>> from_opacus([(1.1, 256 / 60000, 14063)]).epsilon(1e-5).upper < 2.3817
    True
    """
    if isinstance(history, Mapping):
        entries = history.get("history", history)
    else:
        entries = getattr(history, "history", history)
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Sequence):
        wanted = "a list of (noise_multiplier, sample_rate, num_steps)"
        raise InvalidArgument("history", wanted, type(entries).__name__)
    if len(entries) > MOST_EVENTS:
        raise InvalidArgument("history", f"of at most {MOST_EVENTS} entries", len(entries))
    parts = tuple(part for entry in entries for part in _steps(entry))
    return Composition(parts, ADD_REMOVE, NumericAccountant())


def _steps(entry: object) -> tuple[Part, ...]:
    """The steps of one entry; none for a rate of 0."""
    if not isinstance(entry, Sequence) or isinstance(entry, (str, bytes)) or len(entry) != 3:
        wanted = "of entries (noise_multiplier, sample_rate, num_steps)"
        raise InvalidArgument("history", wanted, type(entry).__name__)
    sigma = as_fraction("noise_multiplier", entry[0])
    rate = as_fraction("sample_rate", entry[1])
    steps = as_fraction("num_steps", entry[2])
    if sigma <= 0:
        raise InvalidArgument("noise_multiplier", "positive", Plain(sigma), "No noise, no privacy.")
    if not 0 <= rate <= 1:
        raise InvalidArgument("sample_rate", "in [0, 1]", Plain(rate))
    if steps.denominator != 1 or steps < 0:
        raise InvalidArgument("num_steps", "a whole number, at least 0", Plain(steps))
    if rate == 0 or steps == 0:
        return ()
    return (Part(_gaussian_on_sample(1 / sigma, rate), int(steps)),)


def stated_by(measurement: object, d_in: object = 1) -> Guarantee:
    """The unproved guarantee that a measurement of OpenDP or Tumult Core states for inputs at the
    distance `d_in`, by its privacy map, `map` or `privacy_function`.

    dp.compose adds it to others. Supported output measures are pure, approximate and
    zero-concentrated differential privacy (MaxDivergence, Approximate(MaxDivergence) with a fixed
    delta, ZeroConcentratedDivergence; PureDP, ApproxDP, RhoZCDP). `d_in` is in the measurement's
    own metric and units. Raises InvalidArgument for other measures and for unlimited costs.

    >>> from types import SimpleNamespace
    >>> stated_by(SimpleNamespace(output_measure="MaxDivergence", map=lambda d: d / 2.0))
    PureDP(epsilon=1/2)
    """
    privacy_map = getattr(measurement, "map", None) or getattr(
        measurement, "privacy_function", None
    )
    measure = _measure(getattr(measurement, "output_measure", None))
    if not callable(privacy_map) or measure not in MEASURES:
        wanted = f"with a privacy map and an output measure of {', '.join(MEASURES)}"
        way_out = "Read its guarantee, and give dp.compose that."
        raise InvalidArgument("measurement", wanted, measure or type(measurement).__name__, way_out)
    cost = privacy_map(d_in)
    amounts = [_upper(amount) for amount in (cost if isinstance(cost, tuple) else (cost,))]
    kind: Any = MEASURES[measure]
    if kind is ApproxDP and amounts[-1:] == [Fraction(0)]:
        kind, amounts = PureDP, amounts[:1]
    if len(amounts) != len(kind.parameters):
        wanted = f"a privacy map with {len(kind.parameters)} numbers"
        raise InvalidArgument("measurement", wanted, len(amounts))
    stated: Guarantee = kind(*amounts)
    return stated


def _measure(measure: object) -> str:
    """`MaxDivergence` of OpenDP, `PureDP` of Tumult, without arguments in brackets."""
    text = str(measure)
    name = type(measure).__name__
    return text if text in MEASURES else name if name in MEASURES else text.partition("(")[0]


def _upper(value: Any) -> Fraction:
    """An amount as an exact number; exact numbers of Tumult are rounded up."""
    rounded = getattr(value, "to_float", None)
    return as_fraction("cost", rounded(round_up=True) if callable(rounded) else value)


MEASURES: Mapping[str, type[Guarantee]] = MappingProxyType(
    {
        "MaxDivergence": PureDP,
        "PureDP": PureDP,
        "Approximate(MaxDivergence)": ApproxDP,
        "ApproxDP": ApproxDP,
        "ZeroConcentratedDivergence": ZeroConcentratedDP,
        "RhoZCDP": ZeroConcentratedDP,
    }
)
"""Guarantees by the names of output measures."""
