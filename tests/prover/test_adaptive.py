"""Released numbers that formulas read."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.stages import Stages
from dpframe.graph import known

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def rooted(value):
    """The root of a released number, kept from falling below 1."""
    return float(np.sqrt(max(value, 1.0)))


class Scaled(dp.Regression):
    """Rows divided by a released length, then X'X of what is left, clipped to norm 1."""

    clip: bool = True

    def declare(self, X, y, budget):
        """Half the budget for the length."""
        own, rest = budget.split_evenly(2)
        size = dp.release(dp.trace(X.T @ X), dp.Gaussian.analytic, own, name="size")
        length = known(dp.post(rooted, size), "1/10", 1000, name="length")
        rows = X.scaled(by=length)
        rows = rows.clip(norm=1) if self.clip else rows
        return dp.release(rows.T @ rows, dp.Gaussian.analytic, rest, name="gram")


@pytest.mark.parametrize("clip", [True, False])
@pytest.mark.parametrize(
    ("target", "derivation"),
    [
        (TARGET, "basic"),
        (dp.GaussianDP(dp.MU), "gaussian"),
        (dp.ZeroConcentratedDP(dp.RHO), "zcdp"),
    ],
)
def test_rows_scaled_by_a_released_number_are_certified(clip, target, derivation):
    """Whatever is released; without clipping, noise is measured in the released unit."""
    proof = dp.certify(Scaled(clip=clip), target=target, setting=SETTING)
    assert proof.derivation in (derivation, "gaussian")
    assert "length" not in proof.free


def test_a_number_that_is_learned_is_not_given():
    """Nobody states what an execution releases."""
    proof = dp.certify(Scaled(), target=TARGET, setting=SETTING)
    with pytest.raises(dp.InvalidArgument, match="left to execution"):
        proof.at(length=2)


def test_an_execution_has_as_many_stages_as_the_graph():
    """The second pass sees rows divided by what the first released: checked without noise."""
    proof = dp.certify(Scaled(), target=TARGET, setting=SETTING).at(epsilon=10**9, delta="1/2")
    assert Stages(proof.graph).count == 2
    X = np.full((100, 2), 0.5)
    result = dp.execute(proof, X, np.zeros(100), rng=1)
    length = np.sqrt(np.sum(X**2))
    np.testing.assert_allclose(result.released["gram"], X.T @ X / length**2, atol=1e-3)


def test_what_is_released_is_put_into_its_range():
    """Above, below, infinite, not a number."""
    release = dp.release(dp.trace(SETTING.nodes()[0].T @ SETTING.nodes()[0]), dp.Gaussian(std=1))
    node = known(release, "1/2", 3, name="size").origin
    ends = {1.0: 1, 0.1: Fraction(1, 2), 7.0: 3, np.inf: 3, -np.inf: Fraction(1, 2)}
    for value, wanted in {**ends, np.nan: Fraction(1, 2)}.items():
        assert node.learned(value, float) == wanted


def test_a_table_that_is_read_once_is_refused_before_anything_is_drawn():
    """The second stage needs a second pass."""
    proof = dp.certify(Scaled(), target=TARGET, setting=SETTING).at(epsilon=1, delta="1e-6")
    blocks = ((np.ones((5, 2)), np.ones(5)) for _ in range(2))
    with pytest.raises(dp.BadData, match="read several times"):
        dp.execute(proof, blocks)


def test_raw_statistics_are_not_known():
    """Only what is released can be."""
    X, _ = SETTING.nodes()
    with pytest.raises(dp.InvalidArgument, match=r"a release or a dp\.post"):
        known(dp.trace(X.T @ X), 0, 1, name="raw")


@pytest.mark.parametrize("times", [1, 2])
def test_several_numbers_are_not_known(times):
    """A vector, and several draws of a number, are refused before anything is released."""
    X, y = SETTING.nodes()
    asked = X.sum() if times == 1 else dp.trace(X.T @ X)
    made = dp.release(asked, dp.Gaussian(std=1), times=times)
    with pytest.raises(dp.InvalidArgument, match="a release of one number, drawn once"):
        known(made, 0, 1, name="length")
    votes = dp.graph.bin_counts(y, [0, "1/2"])
    best = known(dp.release(votes, dp.mechanisms.GumbelSelection(1)), 0, 2, name="best")
    assert str(best) == "best"


def test_noise_that_is_too_small_for_some_released_number_is_not_proved():
    """The std is right for a length of 1 and wrong for all smaller ones."""

    class Fixed(dp.Regression):
        """Noise for rows of norm 1, whose norm is 1/length."""

        def declare(self, X, y, budget):
            own, rest = budget.split_evenly(2)
            size = dp.release(dp.trace(X.T @ X), dp.Gaussian.analytic, own, name="size")
            rows = X.scaled(by=known(size, "1/10", 1000, name="length"))
            noise = dp.Gaussian(std=dp.analytic_sigma(rest.epsilon, rest.delta))
            return dp.release(rows.T @ rows, noise, rest, name="gram")

    assert not dp.examine(Fixed(), target=TARGET, setting=SETTING).proved
