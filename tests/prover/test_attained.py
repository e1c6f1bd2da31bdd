"""Totals that one pair of neighbours breaks: refuted ones are false by an independent computation,
and bounds stay below what is proved.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.graph.maps.bounds import ClipNorm
from dpframe.graph.statistics import RowSum
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


def test_rounded_counts_have_no_lower_bound_by_a_pair():
    """A count moves by one step of its grid, so rounding may hide much of the noise's loss."""

    class Count(dp.Regression):
        """One release."""

        def declare(self, X, y, budget):
            """At the edge."""
            return dp.release(dp.count(X), dp.Laplace("0.999"), name="n")

    done = examine(Count(), target=dp.ApproxDP(1, "1e-9"), setting=setting())
    assert float(one_pair(done.problem).rounding.value) > 2
    assert least_epsilon(done.problem, {}, Fraction(1, 10**9)) == 0


class HalfSum(RowSum):
    """A statistic from outside that moves by half of what its base does."""

    def block(self, values):
        """Half."""
        return super().block(values) / 2


class HalfClip(ClipNorm):
    """A row map from outside that never attains the bound of its base."""

    def apply(self, block, number):
        """Half."""
        return super().apply(block, number) / 2


class FromOutside(dp.Regression):
    """Releases that cost half of what they would with the base classes."""

    rows: bool = False

    def declare(self, X, y, budget):
        """A sum with half of the move, or a sum of rows of half the norm."""
        if self.rows:
            return dp.release(HalfClip(X.source, 1).sum(), dp.Gaussian(std=2), name="s")
        return dp.release(HalfSum(X), dp.Laplace(2), name="s")


@pytest.mark.parametrize(
    ("rows", "target"),
    [(False, dp.PureDP("0.6")), (False, dp.ApproxDP("0.6", "1e-6")), (True, dp.GaussianDP("0.3"))],
)
def test_nothing_is_attained_by_inheritance(rows, target):
    """A class from outside may move less than its base: true costs are 1/2, 1/2 and mu = 1/4."""
    trust = [HalfClip if rows else HalfSum]
    done = dp.audit(FromOutside(rows), target=target, setting=setting(4), trust=trust)
    assert str(done.verdict) == "unproved"


class Shrunk(dp.Regression):
    """Labels, or rows, divided by 3, which no clip keeps at the bound of the grid."""

    rows: bool = False

    def declare(self, X, y, budget):
        """Labels twice, so that no single release is above the claim."""
        if self.rows:
            third = X / 3
            return dp.release(third.T @ third, dp.Gaussian("1/100"), name="rows")
        squares, noise = (y / 3) @ (y / 3), dp.Laplace("1/50")
        return dp.release(squares, noise, name="a"), dp.release(squares, noise, name="b")


@pytest.mark.parametrize("rows", [False, True])
def test_coarse_grids_that_lose_a_step_attain_no_bound(rows):
    """At 4 bits the largest label has 15 steps of 16, so the cost is (15/16)^2 = 0.879."""
    given = dp.Setting(
        X=dp.Rows(norm="3/10", d=2), y=dp.Column(bound="3/10"), relation=dp.ADD_REMOVE, grid=4
    )
    target = dp.GaussianDP("0.98") if rows else dp.ApproxDP("0.88", "1e-6")
    done = dp.audit(Shrunk(rows), target=target, setting=given)
    assert str(done.verdict) == "unproved"
    assert least_epsilon(done.report.problem, {}, Fraction(1, 10**6)) < 0.879
