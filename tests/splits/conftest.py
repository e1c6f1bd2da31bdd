"""The setting, the claim and the declarations of these tests."""

import pytest

import dpframe as dp

NOISE = dp.audits.NoiseCriterion(d=10)


def setting(relation, norm=1, bound=1, grid=20):
    """Rows and labels with bounds."""
    rows, column = dp.Rows(norm=norm), dp.Column(bound=bound)
    return dp.Setting(X=rows, y=column, relation=relation, grid=grid)


@pytest.fixture
def ball():
    """Rows and labels of length at most 1; add/remove."""
    return setting(dp.ADD_REMOVE)


@pytest.fixture
def one():
    """(1, 1e-6)-differential privacy."""
    return dp.ApproxDP(1, "1e-6")


@pytest.fixture
def best(ball, one):
    """The best split of adaSSPbudget, or of another declaration, by NOISE or as it says."""

    def split(of=dp.literature.AdaSSPBudget(), **more):  # noqa: B008 - a frozen value
        return dp.best_split(of, **{"target": one, "setting": ball, "criterion": NOISE, **more})

    return split


class TwoSums(dp.Regression):
    """Two pure releases, one of them drawn three times."""

    def declare(self, X, y, budget):
        for_rows, for_labels = budget.split(dp.constant("1/2"), dp.constant("1/6"))
        rows = dp.release(dp.total(X), dp.Laplace.pure, for_rows, name="rows")
        labels = dp.release(dp.total(y), dp.Laplace.pure, for_labels, times=3, name="labels")
        return rows, labels
