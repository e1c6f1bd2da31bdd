"""A second opinion on every number, and what is exported for it.

dp_accounting's PLD accountant is pessimistic: at these deltas and counts, where its rounding is far
below delta, its epsilon is at least the exact one. So is that of its RDP accountant. What an event
states is checked against its documentation in exact arithmetic or 60 digits.
"""

import math
import sys
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.prover import together
from tests.support import samples
from tests.support.oracles import mpf

library = pytest.importorskip("dp_accounting")
events = library.dp_event

HALF = Fraction(1, 2)
SMOOTH = {  # some Gaussian part: our interval is narrow
    "gaussian": [dp.Gaussian(std=1)],
    "gaussian guarantee": [(dp.GaussianDP("1/3"), 4)],
    "mixture": [(dp.Gaussian(std=4), 8), dp.Laplace(scale=10), (dp.Laplace(scale=7), 3)],
    "four kinds": [
        (dp.Gaussian(std=20), 60),
        (dp.Laplace(scale=30), 40),
        (dp.DiscreteLaplace(scale=9), 10),
        (dp.PureDP("1/10"), 5),
    ],
    "selection": [dp.Gaussian(std=2), (dp.mechanisms.ExponentialSelection(scale=4), 3)],
    "subsampled": [(dp.pld.SubsampledGaussianLoss(1, Fraction(1, 50)), 30)],
    "subsampled and plain": [
        (dp.pld.SubsampledGaussianLoss(HALF, Fraction(1, 10)), 20),
        dp.Gaussian(std=3),
    ],
}
ATOMS = {  # no Gaussian part: jumps
    "laplace": [(dp.Laplace(scale=2), 5)],
    "discrete laplace": [(dp.DiscreteLaplace(scale="3/2"), 6)],
    "discrete laplace far": [(dp.pld.DiscreteLaplaceLoss(HALF, 3), 4)],
    "pure": [(dp.PureDP("1/4"), 12)],
}
RESPONSES = {
    "two": [(dp.mechanisms.RandomizedResponse("1/2"), 20)],
    "five": [
        (dp.mechanisms.RandomizedResponse(1, categories=5), 8),
        (dp.mechanisms.RandomizedResponse("1/3"), 4),
    ],
    "odds": [(dp.mechanisms.RandomizedResponse.answering_at_random("1/2"), 15)],
}
BY_RDP = {  # the events of their RDP accountant (0.6.0)
    "gaussian": SMOOTH["gaussian"],
    "mixture": SMOOTH["mixture"],
    "laplace": ATOMS["laplace"],
    "subsampled": SMOOTH["subsampled"],
}


@pytest.mark.some(2)
@pytest.mark.parametrize(("name", "delta"), [("mixture", 1e-3), *((name, 1e-6) for name in SMOOTH)])
def test_their_pld_confirms_a_smooth_sum(theirs, name, delta) -> None:
    """ours.upper <= theirs, and theirs is not another problem: within 1e-3 of our lower end, or of
    the upper one of a selection, whose loss is a bound, so that no lower end is claimed.
    """
    whole = dp.compose(*SMOOTH[name])
    ours, other = whole.epsilon(delta), theirs(dp.accountants.to_event(whole), delta)
    assert ours.upper <= other <= (ours.upper if name == "selection" else ours.lower) + 1e-3
    assert (ours.lower == 0) is (name == "selection")


@pytest.mark.parametrize("name", ATOMS)
def test_their_pld_is_above_our_lower_end(theirs, name) -> None:
    """theirs is at least what we claim as the exact value's lower end."""
    whole = dp.compose(*ATOMS[name])
    ours, other = whole.epsilon(1e-6), theirs(dp.accountants.to_event(whole))
    assert ours.lower <= other
    assert other <= ours.upper + 1e-2


@pytest.mark.parametrize("by", ["pld", "rdp"])
@pytest.mark.parametrize("name", RESPONSES)
def test_randomised_response_under_their_only_relation(theirs, name, by) -> None:
    """They read it under REPLACE_ONE: one value becomes any other."""
    whole = dp.compose(*RESPONSES[name], relation=dp.REPLACE_ONE)
    other = theirs(dp.accountants.to_event(whole), by=by, relation="REPLACE_ONE")
    assert whole.epsilon(1e-6).lower <= other


@pytest.mark.parametrize("name", BY_RDP)
def test_their_rdp_is_above_our_lower_end(theirs, name) -> None:
    """Renyi composition is never below the exact profile."""
    whole = dp.compose(*BY_RDP[name])
    ours, other = whole.epsilon(1e-6), theirs(dp.accountants.to_event(whole), by="rdp")
    assert ours.lower <= other <= 2 * ours.upper


def test_zero_concentrated_parts(theirs) -> None:
    """rho-zCDP: theirs, by their conversion, is at least ours, by all real orders."""
    whole = dp.compose(
        (dp.ZeroConcentratedDP("1/20"), 3),
        dp.Laplace(scale=4),
        accountant=dp.accountants.RenyiAccountant(),
    )
    other = theirs(dp.accountants.to_event(whole), by="rdp")
    assert whole.epsilon(1e-6).upper <= other <= 1.1 * whole.epsilon(1e-6).upper


def test_a_count_of_randomised_response_is_a_list(theirs) -> None:
    """100 answers at random with probability 1/2 cost 94.28987 by the binomial sum [KairouzOV15,
    Thm 3.3]; under a count theirs would be 1.0987, as it is dropped.
    """
    whole = dp.compose((dp.mechanisms.RandomizedResponse.answering_at_random(HALF), 100))
    event = dp.accountants.to_event(whole)
    assert [type(each) for each in event.events] == [events.RandomizedResponseDpEvent] * 100
    with mpmath.workdps(60):

        def delta(epsilon):
            size = mpmath.log(3)
            terms = (
                mpmath.binomial(100, j)
                * (mpmath.exp((100 - j) * size) - mpmath.exp(epsilon + j * size))
                for j in range(101)
                if (100 - 2 * j) * size > epsilon
            )
            return mpmath.fsum(terms) / 4**100

        low, high = mpf(90), mpf(100)
        for _ in range(150):
            middle = (low + high) / 2
            low, high = (middle, high) if delta(middle) > mpf(Fraction("1e-6")) else (low, middle)
    assert whole.epsilon("1e-6").lower <= high
    assert low <= whole.epsilon("1e-6").upper
    assert 94.2898 < low <= theirs(event, relation="REPLACE_ONE") <= high + 0.01


@pytest.mark.parametrize("mu", [Fraction(1, 3), Fraction(7, 10), Fraction(10**40, 3), Fraction(4)])
def test_noise_multipliers_are_rounded_down(mu) -> None:
    """The largest double at or below 1/mu, also of an irrational mu, by exact arithmetic; a float
    even where whole.
    """
    for event in (
        dp.accountants.to_event(dp.pld.GaussianLoss(mu)),
        dp.accountants.to_event(dp.pld.LaplaceLoss(mu)),
        dp.accountants.to_event(dp.GaussianDP(mu)),
    ):
        multiplier = event.noise_multiplier
        assert type(multiplier) is float
        assert Fraction(multiplier) <= 1 / mu < Fraction(math.nextafter(multiplier, math.inf))
    multiplier = dp.accountants.to_event(dp.GaussianDP(dp.sqrt(mu))).noise_multiplier
    above = math.nextafter(multiplier, math.inf)
    assert Fraction(multiplier) ** 2 <= 1 / mu < Fraction(above) ** 2


@pytest.mark.parametrize(("epsilon", "k"), [("1/3", 2), ("5", 3), ("1e-9", 7), ("40", 1000)])
def test_a_random_answer_is_no_more_frequent(epsilon, k) -> None:
    """(1 - p + p/k)/(p/k) >= e^epsilon at 60 digits, and no more than rounding makes it."""
    event = dp.accountants.to_event(dp.pld.CategoricalLoss(Fraction(epsilon), k))
    with mpmath.workdps(60):
        p = mpf(event.noise_parameter)
        odds = (1 - p + p / k) / (p / k)
        wanted = mpmath.exp(mpf(Fraction(epsilon)))
        assert wanted <= odds <= wanted * (1 + mpf("1e-15") * (1 + 1 / (1 - p)))
    assert event.num_buckets == k
    event = dp.accountants.to_event(dp.mechanisms.RandomizedResponse.answering_at_random(HALF))
    assert event == events.RandomizedResponseDpEvent(0.5, 2)  # odds of 3, exactly


def test_pure_privacy_is_discrete_laplace_noise_moved_by_one() -> None:
    """Its documented law, tanh(a/2) e^(-a|x|): loss a with probability e^a/(1 + e^a), else -a."""
    event = dp.accountants.to_event(dp.PureDP("3/4"))
    assert (event.noise_parameter, event.sensitivity) == (0.75, 1)
    with mpmath.workdps(40):
        a = mpf(event.noise_parameter)
        yes = mpmath.nsum(lambda x: mpmath.tanh(a / 2) * mpmath.exp(-a * x), [0, mpmath.inf])
        assert mpmath.almosteq(yes, mpmath.exp(a) / (1 + mpmath.exp(a)), rel_eps=mpf("1e-30"))


def test_rates_are_rounded_up() -> None:
    """More of the sample costs more."""
    event = dp.accountants.to_event(dp.pld.SubsampledGaussianLoss(1, Fraction(1, 3)))
    rate = event.sampling_probability
    assert Fraction(math.nextafter(rate, 0)) < Fraction(1, 3) <= Fraction(rate)
    assert dp.accountants.to_event(dp.pld.SubsampledGaussianLoss(2, 1)) == events.GaussianDpEvent(
        0.5
    )
    addition = dp.pld.SubsampledGaussianLoss(1, Fraction(1, 3), "addition")
    assert dp.accountants.to_event(addition) == event


def test_shapes_of_events() -> None:
    """Nothing, one, a count, several; equal parts are counted together."""
    one = events.GaussianDpEvent(2.0)
    assert dp.accountants.to_event(dp.compose()) == events.NoOpDpEvent()
    assert dp.accountants.to_event(dp.compose((dp.Gaussian(std=2), 0))) == events.NoOpDpEvent()
    assert dp.accountants.to_event(dp.GaussianDP(0)) == events.NoOpDpEvent()
    assert dp.accountants.to_event(dp.Gaussian(std=2)) == one
    twice = events.SelfComposedDpEvent(one, 2)
    assert dp.accountants.to_event(dp.compose(dp.Gaussian(std=2), dp.Gaussian(std=2))) == twice
    whole = dp.compose((dp.Gaussian(std=2), 2), dp.Laplace(scale=4))
    assert dp.accountants.to_event(whole) == events.ComposedDpEvent(
        [twice, events.LaplaceDpEvent(4.0)]
    )


class Own(dp.pld.GaussianLoss):
    """A loss that no rule here knows, whatever it inherits. [tests]"""


@pytest.mark.parametrize(
    ("thing", "way_out"),
    [
        (dp.pld.SubsampledGaussianLoss(1, HALF, "both"), "sizes"),
        (dp.compose((dp.mechanisms.RandomizedResponse(1), 10**6)), "PureDP"),
        (
            dp.compose(
                dp.pld.SubsampledGaussianLoss(1, HALF),
                dp.pld.SubsampledGaussianLoss(1, HALF, "addition"),
            ),
            "one direction",
        ),
        (dp.pld.DiscreteGaussianLoss(2), "double"),
        ("text", "mechanism"),
        (Own(1), "Export a dpframe guarantee"),
    ],
)
def test_what_has_no_counterpart_is_refused(thing, way_out) -> None:
    """Never approximated; the error says what to do."""
    with pytest.raises(dp.InvalidArgument, match=way_out):
        dp.accountants.to_event(thing)


def _above(number):
    """The least double at or above, by exact comparison."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


@pytest.mark.parametrize("name", ["EpsilonDeltaDpEvent", "DiscreteGaussianDpEvent"])
def test_events_of_newer_versions(monkeypatch, name) -> None:
    """Refused by name where absent; made where present, as their sources document them."""
    part = dp.ApproxDP("1/3", "1e-6")
    found = (_above(Fraction(1, 3)), _above(Fraction(1, 10**6)))
    if name == "DiscreteGaussianDpEvent":
        part, found = dp.pld.DiscreteGaussianLoss(Fraction(25, 4), 3), (2.5, 3.0, 1)
    monkeypatch.delattr(events, name, raising=False)
    with pytest.raises(dp.InvalidArgument, match=name):
        dp.accountants.to_event(part)
    monkeypatch.setattr(events, name, lambda *given: SimpleNamespace(given=given), raising=False)
    assert dp.accountants.to_event(part).given == found


def test_without_dp_accounting(monkeypatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(dp.errors.MissingExtra, match=r"dpframe\[peers\]"):
        dp.accountants.to_event(dp.Gaussian(std=1))


def _certificate(regression, relation):
    return dp.certify(regression, target=dp.ApproxDP(1, "1e-6"), setting=samples.setting(relation))


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_a_certificate_is_one_gaussian_of_the_joint_mu(theirs, relation) -> None:
    """Random and extreme neighbours never move all releases by more than mu together, and some by
    more than nine tenths of it; their epsilon confirms the target.
    """
    certificate = _certificate(dp.SSP(), relation)
    event = dp.accountants.to_event(certificate)
    assert type(event) is events.GaussianDpEvent
    assert 1 <= theirs(event) <= 1 + 1e-4
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(300):
        worst = max(worst, _moved(certificate, *_neighbours(rng, relation)))
    assert 0.9 / event.noise_multiplier <= worst <= (1 + 1e-9) / event.noise_multiplier


def _neighbours(rng, relation):
    """Two tables of rows of norm 3/2 and labels of size 2; the last row is the one that differs."""
    X = rng.normal(size=(4, 2))
    X *= float(samples.NORM) / np.linalg.norm(X, axis=1, keepdims=True)
    y = float(samples.BOUND) * rng.choice([-1.0, 1.0], 4)
    if relation is dp.ADD_REMOVE:
        return (X, y), (X[:-1], y[:-1])
    Z, w = X.copy(), y.copy()
    angle = rng.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    Z[-1], w[-1] = turn @ X[-1], rng.choice([-1.0, 1.0]) * y[-1]
    return (X, y), (Z, w)


def _moved(certificate, one, other):
    """sqrt(sum of (shift/std)^2) over the releases."""
    total = 0.0
    for release in certificate.graph.releases:
        shift = np.linalg.norm(
            samples.evaluate(release.statistic, *one) - samples.evaluate(release.statistic, *other)
        )
        total += (shift / certificate.number(release.std, up=True)) ** 2
    return math.sqrt(total)


def test_a_certificate_needs_numbers() -> None:
    """Symbols are refused; given numbers, the event is there, and its cost is the target's."""
    certificate = dp.certify(
        dp.SSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=samples.setting()
    )
    with pytest.raises(dp.InvalidArgument, match="number"):
        dp.accountants.to_event(certificate)
    at = certificate.at(epsilon=2, delta="1e-6")
    assert together(at).relation is dp.ADD_REMOVE
    assert 2 - 1e-9 <= together(at).epsilon("1e-6").upper <= 2 + 1e-9
