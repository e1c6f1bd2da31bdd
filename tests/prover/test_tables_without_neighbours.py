"""Under replace-one no claim is refuted by a table that has fewer rows than a person may have."""

import pytest

import dpframe as dp
from dpframe.prover import Verdict


def verdict(noise, target, rows):
    """Of the sum of the labels with noise that reads the public number of rows."""

    class Total(dp.Regression):
        """The sum of the labels."""

        def declare(self, X, y, budget):
            return dp.release(y.sum(), noise(X.rows, budget), budget)

    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE, rows_per_person=rows
    )
    return dp.audit(Total(), target=target, setting=setting).verdict


PURE = dp.PureDP(1), lambda n, budget: dp.Laplace(scale=2 * n / budget.epsilon)
NORMAL = (
    dp.ApproxDP(1, "1e-6"),
    lambda n, budget: dp.Gaussian(std=2 * n * dp.analytic_sigma(budget.epsilon, budget.delta)),
)


@pytest.mark.parametrize(("target", "noise"), [PURE, NORMAL], ids=["pure", "normal"])
@pytest.mark.parametrize("rows", [1, 10])
def test_noise_that_is_enough_for_all_tables_with_neighbours_is_not_refuted(target, noise, rows):
    """Tables of less than `rows` rows may have too little noise: nobody can leave them."""
    enough = lambda n, budget: noise(dp.maximum(n, "1/2"), budget)  # noqa: E731
    assert verdict(enough, target, rows) is not Verdict.REFUTED


@pytest.mark.parametrize(("target", "noise"), [PURE, NORMAL], ids=["pure", "normal"])
def test_noise_that_falls_with_the_rows_is_refuted(target, noise):
    """A table of two rows has neighbours, and too little noise."""
    less = lambda n, budget: noise(1 / dp.maximum(n, 1), budget)  # noqa: E731
    assert verdict(less, target, 1) is Verdict.REFUTED
