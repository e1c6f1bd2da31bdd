"""Events of dp_accounting as compositions: they cost what dp_accounting says, and come back."""

import math
import random
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.accountants import from_event, to_event

library = pytest.importorskip("dp_accounting")
events = library.dp_event
HALF = Fraction(1, 2)


def one(rng, *, sampled=True):
    """A random event of one draw."""
    kinds = ["gaussian", "laplace", "discrete laplace", *(["sampled"] if sampled else [])]
    match rng.choice(kinds):
        case "gaussian":
            return events.GaussianDpEvent(rng.uniform(1, 20))
        case "laplace":
            return events.LaplaceDpEvent(rng.uniform(2, 30))
        case "discrete laplace":
            return events.DiscreteLaplaceDpEvent(rng.uniform(0.02, 0.5), rng.randint(1, 3))
    gaussian = events.GaussianDpEvent(rng.uniform(0.8, 3))
    return events.PoissonSampledDpEvent(rng.uniform(0.001, 0.05), gaussian)


def some(seed):
    """A random composition, with a Gaussian part, so that intervals are narrow."""
    rng = random.Random(seed)
    found = [events.GaussianDpEvent(rng.uniform(2, 10))]
    for _ in range(rng.randint(0, 3)):
        inner = one(rng, sampled=seed % 5 == 0)
        found.append(events.SelfComposedDpEvent(inner, rng.choice([1, 2, 5, 20])))
    if rng.random() < 0.3:
        found = [events.ComposedDpEvent(found), events.NoOpDpEvent()]
    return events.ComposedDpEvent(found)


@pytest.mark.some(12, most=15)
@pytest.mark.parametrize("seed", range(50))
def test_random_events(seed):
    """Our interval is just below their pessimistic number, and a round trip leaves it there."""
    event = some(seed)
    ours = from_event(event).epsilon("1e-5")
    theirs = library.pld.PLDAccountant(value_discretization_interval=1e-3)
    assert theirs.supports(event)
    value = theirs.compose(event).get_epsilon(1e-5)
    assert ours.lower <= value * (1 + 1e-6)
    assert value <= ours.upper * 1.01 + 2e-2
    again = from_event(to_event(from_event(event))).epsilon("1e-5")
    assert again.upper == pytest.approx(ours.upper, rel=1e-9)
    assert again.upper >= ours.lower


def test_every_kind_of_draw():
    """What each event is here."""
    half = 0.5
    pairs = [
        (events.GaussianDpEvent(4.0), dp.pld.GaussianLoss(Fraction(1, 4))),
        (events.LaplaceDpEvent(2.0), dp.pld.LaplaceLoss(HALF)),
        (events.DiscreteLaplaceDpEvent(half, 3), dp.pld.DiscreteLaplaceLoss(HALF, 3)),
        (events.ZCDpEvent(half), dp.ZeroConcentratedDP("1/2")),
        (events.RandomizedResponseDpEvent(half, 4), dp.pld.OddsLoss(4, 4)),
        (
            events.PoissonSampledDpEvent(half, events.GaussianDpEvent(1.0)),
            dp.pld.SubsampledGaussianLoss(1, HALF),
        ),
        (events.PoissonSampledDpEvent(1.0, events.GaussianDpEvent(1.0)), dp.pld.GaussianLoss(1)),
    ]
    for event, loss in pairs:
        (part,) = from_event(event).parts
        assert (part.what, part.count) == (loss, 1)
        back = to_event(from_event(event))
        assert from_event(back).parts == from_event(event).parts
    nested = events.SelfComposedDpEvent(events.SelfComposedDpEvent(pairs[0][0], 3), 4)
    assert from_event(nested).parts[0].count == 12
    assert from_event(events.NoOpDpEvent()).parts == ()
    assert from_event(events.PoissonSampledDpEvent(0.0, pairs[0][0])).parts == ()


@pytest.mark.parametrize(
    "event",
    [
        events.NonPrivateDpEvent(),
        events.UnsupportedDpEvent(),
        events.GaussianDpEvent(0.0),
        events.LaplaceDpEvent(math.nan),
        events.ZCDpEvent(1.0, 0.5),
        events.PoissonSampledDpEvent(0.1, events.LaplaceDpEvent(1.0)),
        events.PoissonSampledDpEvent(1.5, events.GaussianDpEvent(1.0)),
        events.SampledWithoutReplacementDpEvent(10, 2, events.GaussianDpEvent(1.0)),
        events.SelfComposedDpEvent(events.GaussianDpEvent(1.0), -1),
        events.SelfComposedDpEvent(events.GaussianDpEvent(1.0), 2.5),
        events.RandomizedResponseDpEvent(0.0, 2),
        events.RandomizedResponseDpEvent(1.0, 2),
        "GaussianDpEvent(1)",
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_has_no_counterpart_is_refused(event):
    """By name, and never as something cheaper."""
    with pytest.raises(dp.InvalidArgument):
        from_event(event)


def test_a_rho_is_added_by_divergences_and_converted():
    """Alone as [BunS16, Prop 1.3] or better; with other events no less than without them."""
    rho = events.ZCDpEvent(0.01)
    found = from_event(rho).epsilon("1e-6").upper
    assert found <= 0.01 + 2 * math.sqrt(0.01 * math.log(1e6))
    more = from_event(events.ComposedDpEvent([rho, events.GaussianDpEvent(5.0)]))
    wanted = dp.accountants.RenyiAccountant().epsilon(more.parts, Fraction("1e-6")).upper
    assert found < more.epsilon("1e-6").upper == wanted
