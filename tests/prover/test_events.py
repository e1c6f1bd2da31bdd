"""Bounds that may fail: what is paid, and what they are good for."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

import dpframe as dp
from dpframe.graph import lower_bound, upper_bound
from dpframe.prover.problem import REFUTED

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


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


def test_no_stds_at_all_are_refuted():
    """Half of the time the noise is on the wrong side."""
    assert not report(stds=0).proved


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
    assert any("derived" in one.rule for one in found.open_obligations)


def test_bounds_hold_as_often_as_they_promise():
    """A simulation at a failure of 0.05, on a table and on its neighbour: both inside, rounding and
    margin included; and a control without the margin, which fails for the smaller one.
    """
    rng, B = np.random.default_rng(0), 1.0
    std, failure = 2.0, 0.05
    shift = std * np.sqrt(2 * np.log(1 / (2 * failure)))
    noise = rng.normal(0, std, 200_000)
    large, small = 10.0, 10.0 - B**2
    for own in (large, small):
        bound = own + noise - shift - B**2
        assert np.mean(bound > small) <= failure
    assert norm.sf(shift / std) <= failure
    exact = std * norm.isf(failure)
    assert np.mean(large + noise - exact > small) > 1.5 * failure
