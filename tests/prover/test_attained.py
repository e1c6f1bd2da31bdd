"""Totals that one pair of neighbours breaks: refuted ones are false by an independent computation,
and bounds stay below what is proved.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.prover.attained import least_epsilon, one_pair
from dpframe.prover.certify import examine

TARGET = dp.ApproxDP(1, "1e-6")


class Mixed(dp.Regression):
    """X'X with Gaussian noise, X'y and n with Laplace noise."""

    std: object = attrs.field(default="10.6")
    scale: object = attrs.field(default=2)
    noise: object = attrs.field(default=dp.Gaussian)

    def declare(self, X, y, budget):
        """Stated noise."""
        return (
            dp.release(X.T @ X, self.noise(self.std), name="gram"),
            dp.release(X.T @ y, dp.Laplace(self.scale), name="moment"),
        )


def setting(d=10, relation=dp.ADD_REMOVE):
    """Rows in a ball of radius 1."""
    return dp.Setting(X=dp.Rows(norm=1, d=d), y=dp.Column(bound=1), relation=relation)


def judged(regression, given, target=TARGET):
    """Whether the total is refuted."""
    return dp.audit(regression, target=target, setting=given)


def test_a_false_total_of_two_kinds_of_noise_is_refuted():
    """By the row with equal entries, as the composition of its losses says."""
    done = judged(Mixed(), setting())
    assert str(done.verdict) == "refuted"
    assert "10 Laplace losses" in done.sentence
    parts = (dp.Gaussian(std="10.6"), (dp.Laplace(scale="6.32456"), 10))
    true = dp.compose(*parts).epsilon("1e-6").lower
    least = least_epsilon(done.report.problem, {}, Fraction(1, 10**6))
    assert true - 0.005 < least <= true


@pytest.mark.parametrize(
    ("regression", "given"),
    [
        (Mixed(scale="3.846", std="20.4"), setting()),
        (Mixed(), setting(d=1)),
        (Mixed(scale=20), setting(d=3, relation=dp.REPLACE_ONE)),
    ],
)
def test_a_total_that_is_not_refuted_is_not_broken(regression, given):
    """Enough noise, one column, another relation."""
    assert str(judged(regression, given).verdict) != "refuted"


def test_one_release_that_breaks_the_total_refutes_it():
    """Under replace-one too, where no pair is known to attain several sensitivities."""
    done = judged(Mixed(scale=1), setting(d=2, relation=dp.REPLACE_ONE))
    assert str(done.verdict) == "refuted"
    assert one_pair(done.report.problem) is None
    small = judged(Mixed(std="1/2", scale=50), setting(d=2, relation=dp.REPLACE_ONE))
    assert "some pair moves" in small.sentence or "worst pair" in small.sentence


def test_pure_totals_are_refuted_by_the_sum_of_losses():
    """Of two Laplace releases; equal to the claim is not above it."""

    class Two(dp.Regression):
        """n and the sum of labels."""

        scale: object = attrs.field(default=2)

        def declare(self, X, y, budget):
            """Each costs 1/scale."""
            return (
                dp.release(dp.count(X), dp.Laplace(self.scale), name="n"),
                dp.release(y.sum(), dp.Laplace(self.scale), name="labels"),
            )

    assert str(judged(Two(), setting(), dp.PureDP(1)).verdict) == "proved"
    assert str(judged(Two("1.9"), setting(), dp.PureDP(1)).verdict) == "refuted"


def test_rounded_counts_are_not_refuted_by_the_noise_before_rounding():
    """A count moves by one step of its grid, so rounding may hide much of the noise's loss."""

    class Count(dp.Regression):
        """One release."""

        def declare(self, X, y, budget):
            """At the edge."""
            return dp.release(dp.count(X), dp.Laplace("0.999"), name="n")

    done = examine(Count(), target=dp.ApproxDP(1, "1e-9"), setting=setting())
    pair = one_pair(done.problem)
    assert float(pair.rounding.value) > 2


@pytest.mark.parametrize("noise", [dp.Gaussian, dp.mechanisms.MirroredGaussian])
def test_the_pair_costs_what_its_tables_show(noise):
    """The moves of an actual record of equal entries on all entries that are released, by the
    composition of their losses; noise is larger off the diagonal where it is mirrored.
    """
    d, std, scale = 4, 6.0, 3.0
    report = examine(Mixed(std=6, scale=3, noise=noise), target=TARGET, setting=setting(d))
    entry = 1 / np.sqrt(d)
    row = np.full(d, entry)
    outer = np.outer(row, row)
    squares = np.sum(outer**2) if noise is dp.Gaussian else np.sum(np.triu(outer) ** 2)
    mu = np.sqrt(squares) / std
    losses = (dp.Laplace(Fraction(scale / entry)), d)
    true = dp.compose(dp.Gaussian(Fraction(1 / mu)), losses).epsilon("1e-6").lower
    least = least_epsilon(report.problem, {}, Fraction(1, 10**6))
    assert 0 < least <= true
    assert noise is not dp.Gaussian or least > true - 0.01
