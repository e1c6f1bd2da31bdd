"""Bounds from counts and from listed laws: against brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import binomial, mp, mpf

import dpframe as dp
from dpframe.audits.lower_bounds import claim_of
from dpframe.audits.lower_bounds.bounds import at_least, at_most
from dpframe.numerics import arb_float, ball, working
from tests.support import exact_laws as exact

# -------------------------------------------------------------------------------------- Listed laws
SCORES = [(0, 0), (3, 0), (0, 1, 2), (5, 5, 0, 1)]


def softmax(scores):
    """By its definition, at 50 digits."""
    weights = [mp.exp(mpf(score)) for score in scores]
    return [weight / mp.fsum(weights) for weight in weights]


def orders(scores):
    """Permute-and-flip, by every order of the candidates."""
    heads = [mp.exp(mpf(score - max(scores))) for score in scores]
    law = [mpf(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = mpf(1) / math.factorial(len(scores))
        for i in order:
            law[i] += left * heads[i]
            left *= 1 - heads[i]
    return law


BY_DEFINITION = {
    dp.mechanisms.ExponentialSelection: softmax,
    dp.mechanisms.GumbelSelection: softmax,
    dp.mechanisms.PermuteAndFlipSelection: orders,
    dp.mechanisms.ExponentialNoiseSelection: orders,
}


@pytest.mark.parametrize("cls", BY_DEFINITION, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("scores", SCORES, ids=str)
def test_laws_enclose_brute_force(cls, scores):
    """Each ball is as narrow as 1e-25 and has the brute force in it."""
    with mp.workdps(50), working(exact.PRECISION):
        found = exact.LAWS[cls]([Fraction(score) for score in scores])
        for one, want in zip(found, BY_DEFINITION[cls](scores), strict=True):
            assert one.rad() < 1e-25
            assert abs(mpf(one.mid().str(40, radius=False)) - want) < mpf("1e-30")


def test_neighbours_are_neighbours():
    """Moves have range 1."""
    moves = [np.subtract(b, a) for a, b in exact.neighbours()]
    assert len(moves) > 50
    assert {max(one) - min(one) for one in moves} == {1}


ONCE = dp.mechanisms.ExponentialSelection(scale="1/2")  # epsilon is 2
FLIPS = dp.mechanisms.PermuteAndFlipSelection(scale="1/2")
FALSE = {  # a mechanism, and a claim that its law refutes, just beyond one that holds
    "exponential": (ONCE, dp.PureDP("1.97"), dp.PureDP(2)),
    "twice": (dp.mechanisms.ExponentialSelection(scale=1), dp.PureDP("0.97"), dp.PureDP(1)),
    "permute and flip": (FLIPS, dp.PureDP("1.9"), dp.PureDP(2)),
    "answers": (
        *(dp.mechanisms.RandomizedResponse(1, categories=5), dp.PureDP("0.999"), dp.PureDP(1)),
    ),
    "odds": (dp.mechanisms.RandomizedResponse(dp.log(3)), dp.PureDP("1.09"), dp.PureDP("1.1")),
    "discrete Laplace": (dp.DiscreteLaplace(scale=2), dp.PureDP("0.49"), dp.PureDP("0.5")),
    "discrete Gaussian": (
        *(dp.DiscreteGaussian(std=1), dp.ApproxDP("4.4", "1e-6"), dp.ApproxDP("4.6", "1e-6")),
    ),
    # as OpenDP paid for it, issue 2911
    "flips in rho": (FLIPS, dp.ZeroConcentratedDP("1/2"), dp.ZeroConcentratedDP(2)),
    "once in rho": (ONCE, dp.ZeroConcentratedDP("0.43"), dp.ZeroConcentratedDP("1/2")),
}


def exceeds(mechanism, claim):
    """Some listed pair of laws has more delta, or a larger Renyi divergence, than is claimed."""
    profile, rho = claim_of(claim), getattr(claim, "rho", None)
    with working(exact.PRECISION):
        pairs = list(exact.enumerated(mechanism, Fraction(1)))
        assert pairs
        delta = any(
            arb_float(exact.divergence(laws, Fraction(at)), up=False) > profile.delta(at)
            for laws in pairs
            for at in profile.grid
        )
        return delta or any(
            arb_float(exact.renyi(laws, order), up=False) > float(rho.value * order)
            for laws in (pairs if rho is not None else ())
            for order in exact.ORDERS
        )


@pytest.mark.some(3)
@pytest.mark.parametrize("name", FALSE)
def test_claims_are_those_of_the_law(name):
    """The law exceeds the false claim, and not the true one."""
    mechanism, false, true = FALSE[name]
    assert exceeds(mechanism, false)
    assert not exceeds(mechanism, true)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_divergences_of_answers_in_closed_form(k):
    """(e^eps - e^at)/(e^eps + k - 1), and the Renyi divergence, at 50 digits."""
    mechanism = dp.mechanisms.RandomizedResponse("3/2", categories=k)
    with mp.workdps(50), working(exact.PRECISION):
        (laws,) = exact.enumerated(mechanism, Fraction(1))
        p, q = (mp.exp(mpf(one)) / (mp.exp(mpf("1.5")) + k - 1) for one in ("1.5", 0))
        for at in (Fraction(0), Fraction(1, 2), Fraction(1)):
            want = p - mp.exp(mpf(float(at))) * q
            assert abs(arb_float(exact.divergence(laws, at), up=False) - float(want)) < 1e-15
        want = mp.log(p**5 / q**4 + q**5 / p**4 + (k - 2) * q) / 4
        assert abs(arb_float(exact.renyi(laws, 5), up=False) - float(want)) < 1e-14


@pytest.mark.parametrize(
    "mechanism", [dp.DiscreteLaplace(scale="3/2"), dp.DiscreteGaussian(std=2)], ids=lambda m: m.kind
)
def test_windows_leave_out_next_to_nothing(mechanism):
    """The listed outcomes have all but 1e-15 of either law, and sum to at most 1."""
    with working(exact.PRECISION):
        (laws,) = exact.enumerated(mechanism, Fraction(2))
        for law in (laws.first, laws.second):
            total = sum(law, ball(0))
            assert arb_float(total, up=True) <= 1 + 1e-15
            assert arb_float(total, up=False) >= 1 - 1e-15


# ------------------------------------------------------------------------------- Bounds from counts
CASES = [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1000), (480, 1000), (999, 1000), (7000, 20000)]


def tail(hits, draws, p):
    """P[Binomial(draws, p) >= hits]."""
    with mp.workdps(50):
        return mp.fsum(
            binomial(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(hits, draws + 1)
        )


@pytest.mark.parametrize(("hits", "draws"), CASES)
@pytest.mark.parametrize("failing", [0.05, 1e-6])
def test_bounds_are_binomial_inverses(hits, draws, failing):
    """At the lower bound, so many hits or more have probability `failing`, from below; the upper
    bound is that on misses. They enclose the share.
    """
    low, high = float(at_least(hits, draws, failing)), float(at_most(hits, draws, failing))
    assert low <= hits / draws <= high
    assert high == pytest.approx(1 - float(at_least(draws - hits, draws, failing)), abs=1e-15)
    if hits == 0:
        assert low == 0
    elif draws <= 1000:
        with mp.workdps(50):
            assert tail(hits, draws, mpf(low)) <= failing
            assert tail(hits, draws, mpf(low) + mpf("1e-8")) > failing


def test_coverage():
    """Of 20,000 binomials, no more than 5% and a little have a bound above the truth."""
    rng = np.random.default_rng(1)
    for p in (0.003, 0.2, 0.9):
        bounds = at_least(rng.binomial(200, p, 20_000), 200, 0.05)
        assert np.mean(bounds > p) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 20_000)
