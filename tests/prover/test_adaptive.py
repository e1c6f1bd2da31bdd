"""Released numbers that formulas read."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.stages import Stages
from dpframe.graph import known, lower_bound, upper_bound
from dpframe.prover.problem import REFUTED

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


# ----------------------------------------------------------------------------- Bounds that may fail
def setting(relation=dp.ADD_REMOVE, **options):
    """Rows of norm at most B, labels at most Y in size."""
    B, Y = dp.parameter("B"), dp.parameter("Y")
    return dp.Setting(X=dp.Rows(norm=B), y=dp.Column(bound=Y), relation=relation, **options)


class Floored(dp.Regression):
    """A released eigenvalue, and a bound below the true one that something else reads."""

    stds: dp.Expression | None = None
    margin: dp.Expression | None = None
    failure: dp.Expression = dp.constant("1/4")

    def declare(self, X, y, budget):
        """Half of epsilon each; the bound's failure is a part of delta."""
        own, rest = budget.split(epsilon=("1/2", "1/2"), delta=("1/4", "1/2"))
        noisy = dp.release(dp.lambda_min(X.T @ X), dp.Gaussian.analytic, own, name="floor")
        failure = self.failure * budget.delta
        bound = lower_bound(noisy, failure, name="bound", stds=self.stds, margin=self.margin)
        size = dp.graph.log_residual(X.T @ X, X.T @ y, X.radius**2, bound)
        return dp.release(size, dp.Gaussian.analytic, rest, name="size")


def report(relation=dp.ADD_REMOVE, **fields):
    """The verdict on Floored."""
    return dp.examine(Floored(**fields), target=TARGET, setting=setting(relation))


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_a_bound_that_pays_for_its_failure_is_proved(relation):
    """For all epsilon, delta, B and Y; the failure stands in the sum of delta."""
    found = report(relation)
    assert found.proved
    text = "\n".join(map(str, found.obligations))
    assert "1/4*delta + 1/2*delta + 1/4*delta <= delta" in text


def test_a_failure_that_nobody_pays_is_refused():
    """1/4 + 1/2 + 1/2 of delta are more than delta."""
    found = report(failure="1/2")
    assert not found.proved
    (spent,) = [one for one in found.open_obligations if one.node == "budget"]
    assert spent.verdict is REFUTED
    assert "bound may fail" in str(spent)


def test_a_bound_that_is_not_moved_far_enough_is_refuted_with_its_true_failure():
    """The printed shift, sqrt(log(6/delta)) stds, fails 117 times as often as delta/3."""
    found = report(stds=dp.sqrt(dp.log(6 / dp.DELTA)), failure="1/3")
    (tail,) = [one for one in found.open_obligations if one.kind == "event"]
    assert tail.verdict is REFUTED
    with mpmath.workdps(50):
        shift = mpmath.sqrt(mpmath.log(6 * 10**6))
        ratio = mpmath.erfc(shift / mpmath.sqrt(2)) / 2 / (mpmath.mpf(10) ** -6 / 3)
    assert f"{float(ratio):.4g} times what is paid" in str(tail)
    assert float(ratio) == pytest.approx(116.9, abs=0.05)


def test_a_margin_below_what_one_record_moves_is_refuted():
    """The bound would hold for one neighbour and not for the other."""
    found = report(margin=0)
    (margin,) = [one for one in found.open_obligations if "margin" in one.rule]
    assert margin.verdict is REFUTED


def test_a_failure_needs_a_delta():
    """Pure targets have none to pay with."""
    with pytest.raises(dp.InvalidArgument):
        dp.examine(Floored(), target=dp.PureDP(dp.EPSILON), setting=setting())


def test_only_one_number_with_gaussian_or_laplace_noise_has_bounds():
    """Matrices and other noise are refused, with the way out."""
    X, _ = setting().nodes()
    share = TARGET.budget
    matrix = dp.release(X.T @ X, dp.Gaussian.analytic, share)
    number = dp.release(dp.lambda_min(X.T @ X), dp.L2Laplace.pure, share)
    for wrong in (matrix, number, X):
        with pytest.raises(dp.InvalidArgument, match="one number with Gaussian or Laplace noise"):
            upper_bound(wrong, dp.DELTA / 4, name="bound")


def test_a_bound_of_another_table_is_no_floor():
    """The eigenvalue of clipped rows says nothing of the others."""

    class Mixed(dp.Regression):
        """The floor is of rows of norm 1/2."""

        def declare(self, X, y, budget):
            own, rest = budget.split(epsilon=("1/2", "1/2"), delta=("1/4", "1/2"))
            small = X.clip(norm=X.radius / 2)
            noisy = dp.release(dp.lambda_min(small.T @ small), dp.Gaussian.analytic, own)
            bound = lower_bound(noisy, budget.delta / 4, name="bound")
            size = dp.graph.log_residual(X.T @ X, X.T @ y, X.radius**2, bound)
            return dp.release(size, dp.Gaussian.analytic, rest)

    found = dp.examine(Mixed(), target=TARGET, setting=setting())
    assert not found.proved
    assert any("no rule bounds" in one.rule for one in found.open_obligations)
