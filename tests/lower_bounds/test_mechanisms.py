"""Every mechanism: the true noise passes, noise x0.7 and x0.5 is flagged, by the same job.

Draws have fixed seeds, so that the verdicts are the same in every run; at confidence 1 - 1e-6 for
each attack a right claim would be flagged by one seed in a million.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.mechanisms import positive_formula
from dpframe.sensitivity import L1
from tests.lower_bounds import attacked_cases as cases
from tests.lower_bounds.attacked_cases import CONFIDENCE, MECHANISMS, mechanism_attack
from tests.lower_bounds.faults import noise_times
from tests.support import samples

FACTORS = ("0.7", "0.5")
every = pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.__name__)


def test_every_mechanism_is_attacked():
    """Discovery: a mechanism without an entry, or an entry without a mechanism, is red here."""
    found = set(samples.final_subclasses(dp.Mechanism))
    assert {*MECHANISMS, dp.mechanisms.BlackBox} == found


@every
def test_the_true_noise_passes(cls):
    """At the claim of its own law; and the bounds are far from nothing."""
    found = mechanism_attack(cls)
    assert not found.flagged, str(found)
    assert found.epsilon > 0.15 * found.claimed
    assert all(one.found <= one.allowed for one in found.findings)


@every
@pytest.mark.parametrize("factor", FACTORS)
def test_too_little_noise_is_flagged(cls, factor):
    """By draws, not by the listed law alone."""
    found = mechanism_attack(cls, factor)
    drawn = [one for one in found.findings if not one.certain]
    assert any(one.flagged for one in drawn), str(found)


@pytest.mark.parametrize("cls", samples.NOISES, ids=lambda cls: cls.__name__)
def test_a_sampler_that_draws_too_little_is_flagged(cls):
    """The fault is in the sampler: the mechanism says that its noise is right."""
    mechanism = MECHANISMS[cls](Fraction(1))
    with noise_times("0.7"):
        found = dp.attack(mechanism, draws=16_000, confidence=CONFIDENCE, seed=7)
    assert found.flagged, str(found)
    ways = [one for one in found.findings if one.whole and not one.certain]
    assert sum(one.flagged for one in ways) >= min(1 if cls.joint else 2, len(ways)), str(found)


@pytest.mark.parametrize("factor", [1, *FACTORS])
def test_a_black_box_is_attacked_by_what_it_stands_for(factor):
    """The claim is the black box's guarantee, the draws are a program's."""
    claim = dp.mechanisms.BlackBox(dp.PureDP(1), name="a sum")
    X = np.ones((3, 1))
    found = dp.attack(
        cases.laplace_program(Fraction(factor)),
        on=(X, X[:2]),
        claim=claim,
        draws=6000,
        confidence=CONFIDENCE,
        seed=1,
    )
    assert found.flagged is (factor != 1), str(found)
    with pytest.raises(dp.InvalidArgument, match=r"dp\.attack"):
        dp.attack(claim)


def test_a_small_claim_is_seen_in_many_runs_together():
    """At mu = 1/10, 8000 draws show nothing of x0.7; of 64 runs together they do."""
    found = dp.attack(
        dp.Gaussian(std=7), claim=dp.Gaussian(std=10), draws=8000, confidence=CONFIDENCE, seed=3
    )
    assert found.flagged
    assert all(one.repeats > 1 for one in found.findings if one.flagged)


def test_sensitivities_scale():
    """Noise 10 at sensitivity 10 is noise 1 at sensitivity 1; at sensitivity 20 it is too little
    for that claim.
    """
    true = dp.attack(dp.Laplace(scale=10), sensitivity=10, draws=8000, seed=2)
    assert true.claimed == 1
    assert not true.flagged
    assert dp.attack(dp.Laplace(scale=10), sensitivity=20, claim=dp.PureDP(1), seed=2).flagged


def whole_noise(factor):
    """Discrete Laplace noise from outside, not exact, which claims to have `factor` times its
    scale.
    """

    @attrs.frozen(cache_hash=True)
    class Whole(dp.mechanisms.AdditiveNoise):
        """Differences of geometric numbers. [tests]"""

        kind, gives, norm, noise, integer = "whole", dp.PureDP, L1, "scale", True
        scale: dp.Expression = attrs.field(converter=positive_formula)
        formula = property(lambda self: self.scale)
        deviation = property(lambda self: dp.constant(2) * self.scale)

        def guarantee(self, sensitivity):
            """Pure."""
            return dp.PureDP(sensitivity / (factor * self.scale))

        @staticmethod
        def sample(size, shape, rng, *, symmetric):
            """In doubles."""
            chance = 1 - np.exp(-1 / size)
            return (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(float)

    return Whole(scale=2)


@pytest.mark.parametrize("factor", [1, 3])
def test_noise_in_whole_numbers_that_is_not_exact_is_attacked(factor):
    """What is claimed truly passes, three times that is flagged."""
    assert dp.attack(whole_noise(factor), seed=1).flagged == (factor == 3)
