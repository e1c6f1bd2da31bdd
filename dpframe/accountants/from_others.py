"""What other systems say that they did: histories of Opacus, privacy maps of OpenDP and Tumult."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpframe.errors import InvalidArgument
from dpframe.numbers import as_fraction
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, ApproxDP, Guarantee, PureDP, ZeroConcentratedDP

from .base import Part, count_of
from .composed import Composition
from .numeric import NumericAccountant

MOST_ENTRIES = 100_000


def from_opacus(history: object) -> Composition:
    """What an Opacus history costs, as a Composition under add/remove, to be read with any
    accountant: each step is Gaussian noise on a Poisson sample, as Opacus counts it.

    `history` is a list of (noise_multiplier, sample_rate, num_steps), in this order, as its
    accountants keep it; or such an accountant, or its `state_dict()`. Doubles mean their binary
    values. Raises InvalidArgument for what is no history: noise of 0, rates outside [0, 1], numbers
    of steps that are not whole or negative.

    >>> from_opacus([(1.1, 256 / 60000, 14063)]).epsilon(1e-5).upper < 2.3817
    True
    """
    found: Any = history
    if isinstance(history, Mapping) and "history" in history:
        found = history["history"]
    elif not isinstance(history, Mapping):
        found = getattr(history, "history", history)
    if isinstance(found, (str, bytes)) or not isinstance(found, Sequence):
        wanted = "a list of (noise_multiplier, sample_rate, num_steps)"
        raise InvalidArgument("history", wanted, type(found).__name__)
    if len(found) > MOST_ENTRIES:
        raise InvalidArgument("history", f"of at most {MOST_ENTRIES} entries", len(found))
    parts = tuple(part for entry in found for part in _steps(entry))
    return Composition(parts, ADD_REMOVE, NumericAccountant())


def _steps(entry: object) -> tuple[Part, ...]:
    """The steps of one entry; none where there are none, or where no record is read."""
    if not isinstance(entry, Sequence) or isinstance(entry, (str, bytes)) or len(entry) != 3:
        wanted = "of entries (noise_multiplier, sample_rate, num_steps)"
        raise InvalidArgument("history", wanted, type(entry).__name__)
    sigma = as_fraction("noise_multiplier", entry[0])
    rate = as_fraction("sample_rate", entry[1])
    steps = as_fraction("num_steps", entry[2])
    if sigma <= 0:
        raise InvalidArgument("noise_multiplier", "positive", str(sigma), "No noise, no privacy.")
    if not 0 <= rate <= 1:
        raise InvalidArgument("sample_rate", "in [0, 1]", str(rate))
    if steps.denominator != 1 or steps < 0:
        raise InvalidArgument("num_steps", "a whole number, at least 0", str(steps))
    if rate == 0 or steps == 0:
        return ()
    mu = 1 / sigma
    loss = losses.GaussianLoss(mu) if rate == 1 else losses.SubsampledGaussianLoss(mu, rate)
    return (Part(loss, count_of(int(steps))),)


def stated_by(measurement: object, d_in: object = 1) -> Guarantee:
    """What a measurement of OpenDP or Tumult Core says that it costs at inputs `d_in` apart: its
    own privacy map, `map` or `privacy_function`, on its word. Nothing here proves it.

    dp.compose adds it up with others. Known output measures are pure, approximate and
    zero-concentrated differential privacy (MaxDivergence, Approximate(MaxDivergence) with a fixed
    delta, ZeroConcentratedDivergence; PureDP, ApproxDP, RhoZCDP). `d_in` is in the measurement's
    own metric and units. Raises InvalidArgument for other measures and for unlimited costs.

    >>> from types import SimpleNamespace
    >>> stated_by(SimpleNamespace(output_measure="MaxDivergence", map=lambda d: d / 2.0))
    PureDP(epsilon=1/2)
    """
    said = getattr(measurement, "map", None) or getattr(measurement, "privacy_function", None)
    measure = _measure(getattr(measurement, "output_measure", None))
    if not callable(said) or measure not in MEASURES:
        wanted = f"with a privacy map and an output measure of {', '.join(MEASURES)}"
        way_out = "Read its guarantee, and give dp.compose that."
        raise InvalidArgument("measurement", wanted, measure or type(measurement).__name__, way_out)
    found = said(d_in)
    amounts = [_upper(one) for one in (found if isinstance(found, tuple) else (found,))]
    kind: Any = MEASURES[measure]
    if kind is ApproxDP and amounts[-1:] == [Fraction(0)]:
        kind, amounts = PureDP, amounts[:1]
    if len(amounts) != len(kind.parameters):
        wanted = f"a privacy map with {len(kind.parameters)} numbers"
        raise InvalidArgument("measurement", wanted, len(amounts))
    stated: Guarantee = kind(*amounts)
    return stated


def _measure(measure: object) -> str:
    """`MaxDivergence` of OpenDP, `PureDP` of Tumult, whatever is written in brackets behind."""
    text = str(measure)
    name = type(measure).__name__
    return text if text in MEASURES else name if name in MEASURES else text.partition("(")[0]


def _upper(value: Any) -> Fraction:
    """A number of theirs, upwards where it is an exact one of Tumult."""
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
"""Output measures by the name that their library gives them."""
