"""Listed laws: against brute force in Fractions, and against claims that are false."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from mpmath import mp, mpf

import dpframe as dp
from dpframe.audits.lower_bounds import claim_of
from dpframe.audits.lower_bounds.exact_laws import (
    LAWS,
    PRECISION,
    divergence,
    enumerated,
    neighbours,
    renyi,
)
from dpframe.audits.lower_bounds.of_mechanisms import listed
from dpframe.audits.lower_bounds.two_tables import Job
from dpframe.numerics import arb_float, ball, working
from dpframe.randomness import Randomness

SCORES = [(0, 0), (3, 0), (0, 1, 2), (5, 5, 0, 1)]


def softmax(scores):
    """By its definition, at 50 digits."""
    weights = [mp.exp(mpf(score)) for score in scores]
    return [weight / mp.fsum(weights) for weight in weights]


def orders(scores):
    """Permute-and-flip, by every order of the candidates."""
    coins = [mp.exp(mpf(score - max(scores))) for score in scores]
    law = [mpf(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = mpf(1) / math.factorial(len(scores))
        for i in order:
            law[i] += left * coins[i]
            left *= 1 - coins[i]
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
    with mp.workdps(50), working(PRECISION):
        found = LAWS[cls]([Fraction(score) for score in scores])
        for one, want in zip(found, BY_DEFINITION[cls](scores), strict=True):
            assert one.rad() < 1e-25
            assert abs(mpf(one.mid().str(40, radius=False)) - want) < mpf("1e-30")


def test_neighbours_are_neighbours():
    """Moves have range 1."""
    found = list(neighbours())
    assert len(found) > 50
    for first, second in found:
        moves = [b - a for a, b in zip(first, second, strict=True)]
        assert max(moves) - min(moves) == 1


def job(claim):
    """A job without draws."""
    return Job(claim_of(claim), 100, 0.05, Randomness.of(0), lambda _: None)


ONCE = dp.mechanisms.ExponentialSelection(scale="1/2")  # epsilon is 2
FLIPS = dp.mechanisms.PermuteAndFlipSelection(scale="1/2")
FALSE = {  # a mechanism, and a claim that its law refutes, just beyond one that holds
    "exponential": (ONCE, dp.PureDP("1.97"), dp.PureDP(2)),
    "exponential, twice": (
        dp.mechanisms.ExponentialSelection(scale=1),
        dp.PureDP("0.97"),
        dp.PureDP(1),
    ),
    "permute and flip": (FLIPS, dp.PureDP("1.9"), dp.PureDP(2)),
    "answers": (
        dp.mechanisms.RandomizedResponse(1, categories=5),
        dp.PureDP("0.999"),
        dp.PureDP(1),
    ),
    "odds": (dp.mechanisms.RandomizedResponse(dp.log(3)), dp.PureDP("1.09"), dp.PureDP("1.1")),
    "discrete Laplace": (dp.DiscreteLaplace(scale=2), dp.PureDP("0.49"), dp.PureDP("0.5")),
    "discrete Gaussian": (
        dp.DiscreteGaussian(std=1),
        dp.ApproxDP("4.4", "1e-6"),
        dp.ApproxDP("4.6", "1e-6"),
    ),
    "permute and flip as concentrated": (  # as OpenDP paid for it, issue 2911
        FLIPS,
        dp.ZeroConcentratedDP("1/2"),
        dp.ZeroConcentratedDP(2),
    ),
    "exponential as concentrated": (
        ONCE,
        dp.ZeroConcentratedDP("0.43"),
        dp.ZeroConcentratedDP("1/2"),
    ),
}


@pytest.mark.some(3)
@pytest.mark.parametrize("name", FALSE)
def test_false_claims_are_refuted_without_draws(name):
    """By enumeration alone, for certain; the true claim holds."""
    mechanism, false, true = FALSE[name]
    assert any(
        one.flagged and one.certain for one in listed(mechanism, Fraction(1), job(false), false)
    )
    assert not any(one.flagged for one in listed(mechanism, Fraction(1), job(true), true))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_divergences_of_answers_in_closed_form(k):
    """(e^eps - e^at)/(e^eps + k - 1), and the Renyi divergence, at 50 digits."""
    mechanism = dp.mechanisms.RandomizedResponse("3/2", categories=k)
    with mp.workdps(50), working(PRECISION):
        (laws,) = enumerated(mechanism, Fraction(1))
        whole = mp.exp(mpf(3) / 2) + k - 1
        for at in (0, Fraction(1, 2), 1):
            want = (
                mp.exp(mpf(3) / 2) - mp.exp(mpf(Fraction(at).numerator) / Fraction(at).denominator)
            ) / whole
            assert abs(arb_float(divergence(laws, Fraction(at)), up=False) - float(want)) < 1e-15
        p, q = mp.exp(mpf(3) / 2) / whole, 1 / whole
        want = mp.log(p**5 / q**4 + q**5 / p**4 + (k - 2) * q) / 4
        assert abs(arb_float(renyi(laws, 5), up=False) - float(want)) < 1e-14


@pytest.mark.parametrize(
    "mechanism", [dp.DiscreteLaplace(scale="3/2"), dp.DiscreteGaussian(std=2)], ids=lambda m: m.kind
)
def test_windows_leave_out_next_to_nothing(mechanism):
    """The listed outcomes have all but 1e-15 of either law, and sum to at most 1."""
    with working(PRECISION):
        (laws,) = enumerated(mechanism, Fraction(2))
        for law in (laws.first, laws.second):
            total = sum(law, ball(0))
            assert arb_float(total, up=True) <= 1 + 1e-15
            assert arb_float(total, up=False) >= 1 - 1e-15
