"""The audit in one run: its theorem by brute force, its coverage, and what it reaches."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import binomial, mp, mpf

import dpframe as dp
from dpframe.audits.lower_bounds import chance_of, epsilon_of

CANARIES = 1000


def responses(m, odds, right, guesses):
    """P[at least `right` right] when randomised response answers for each of m fair coins and the
    first `guesses` answers are the guesses: by listing all coins and all answers.
    """
    truth = Fraction(odds, odds + 1)
    total = Fraction(0)
    for lies in itertools.product((0, 1), repeat=m):
        chance = Fraction(1)
        for lie in lies:
            chance *= 1 - truth if lie else truth
        if sum(1 - lie for lie in lies[:guesses]) >= right:
            total += chance
    return total


@pytest.mark.parametrize("guesses", [1, 4, 7])
def test_it_is_exact_for_randomised_response(guesses):
    """Pure: no other mechanism lets so many guesses be right so often."""
    for right in range(guesses + 1):
        exact = responses(7, 3, right, guesses)
        assert chance_of(right, guesses, 7, math.log(3), 0.0) == pytest.approx(float(exact))


def confessions(m, odds, delta, right):
    """The same where each answer confesses the truth with probability delta."""
    truth = delta + (1 - delta) * Fraction(odds, odds + 1)
    return sum(math.comb(m, k) * truth**k * (1 - truth) ** (m - k) for k in range(right, m + 1))


@pytest.mark.some(1)
@pytest.mark.parametrize("delta", [Fraction(1, 1000), Fraction(1, 50)])
def test_it_covers_answers_that_confess(delta):
    """(eps, delta): randomised response that tells the truth with probability delta stays below."""
    for m in (5, 40, 200):
        for right in range(m + 1):
            exact = float(confessions(m, 3, delta, right))
            assert exact <= chance_of(right, m, m, math.log(3), float(delta)) * (1 + 1e-9)


def catastrophe(m, delta, right):
    """With probability delta everything is told; else nothing: (0, delta)-private."""
    told = float(delta)
    return told + (1 - told) * sum(math.comb(m, k) for k in range(right, m + 1)) / 2**m


def test_it_covers_one_that_tells_all():
    """All guesses at once: a mixture that no count of single answers shows."""
    for m in (4, 20, 60):
        for right in range(m + 1):
            bound = chance_of(right, m, m, 0.0, 0.01)
            assert catastrophe(m, 0.01, right) <= bound * (1 + 1e-9)


def test_the_tail_at_high_precision():
    """The binomial tail, at 50 digits."""
    with mp.workdps(50):
        q = mp.exp(1) / (1 + mp.exp(1))
        want = mp.fsum(binomial(1000, k) * q**k * (1 - q) ** (1000 - k) for k in range(800, 1001))
        assert abs(mpf(chance_of(800, 1000, 1000, 1.0, 0.0)) / want - 1) < 1e-9


def test_more_right_guesses_refute_more():
    """epsilon rises with them, falls with delta, and is 0 at half."""
    found = [epsilon_of(right, 1000, 1000) for right in (500, 600, 700, 800, 1000)]
    assert found == sorted(found)
    assert found[0] == 0
    assert epsilon_of(800, 1000, 1000, delta=1e-5) < epsilon_of(800, 1000, 1000)
    for right in (600, 800, 1000):
        bound = epsilon_of(right, 1000, 1000, delta=1e-6, failing=0.01)
        assert chance_of(right, 1000, 1000, bound, 1e-6) <= 0.01
        assert chance_of(right, 1000, 1000, bound + 1e-6, 1e-6) > 0.01


def test_coverage_for_randomised_response():
    """At the true epsilon, 1, at most 5% and a little of 4000 audits claim more than 1."""
    rng = np.random.default_rng(2)
    right = rng.binomial(CANARIES, math.e / (1 + math.e), 4000)
    known = {int(one): epsilon_of(int(one), CANARIES, CANARIES) for one in np.unique(right)}
    wrong = np.mean([known[int(one)] > 1 for one in right])
    assert 0.02 < wrong <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 4000)


@pytest.mark.parametrize(("scale", "flagged"), [(1, False), (0.5, True)])
def test_programs_take_a_table_of_canaries(scale, flagged):
    """A program's own canaries and score: sums of one-hot rows with Laplace noise, one run."""
    canaries = np.eye(CANARIES)

    def run(X, seed):
        return X.sum(axis=0) + np.random.default_rng(seed).laplace(0.0, scale, CANARIES)

    def score(output, X, y):
        assert y is None
        return X @ output

    found = dp.attack(
        run, claim=dp.PureDP(1), canaries=(canaries, None), score=score, guesses=600, seed=3
    )
    assert found.flagged is flagged
    assert found.epsilon > 0.6


def test_one_run_is_for_programs():
    """A mechanism is drawn from many times, which proves more."""
    with pytest.raises(dp.InvalidArgument, match="canaries must be left out but for a program"):
        dp.attack(dp.Laplace(scale=1), canaries=(np.eye(5), None))
