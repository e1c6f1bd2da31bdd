"""Records outside a cell count nowhere; cells that read releases are all charged."""

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import post, release
from dpframe.graph.maps.cells import CellColumn, CellRows
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.statistics import NormCounts

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def gathered(*counts):
    """All of them."""
    return counts


class CountsOverATinyDivisor(dp.Regression):
    """Counts of gradient norms of cells, over a number that is zero in doubles."""

    def declare(self, X, y, budget):
        """A count a cell."""
        cells = dp.partition(X, y, cells=4, salt="s")
        counts = []
        for j in range(4):
            each = GradientAt(CellRows(cells, j), CellColumn(cells, j), None)
            norms = NormCounts(each.scaled(Fraction(1, 10**400)), [1])
            counts.append(release(norms, dp.Gaussian(std=1), name=f"c{j}"))
        return post(gathered, *counts)


def test_a_record_outside_a_cell_is_not_counted_whatever_the_divisor():
    """0/0 was NaN, and NaN was counted in every cell."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(51, 2)), rng.normal(size=51)
    target = dp.GaussianDP(1)
    try:
        proof = dp.certify(CountsOverATinyDivisor(), target=target, setting=SETTING)
    except dp.Uncertified:
        return  # refused is as good
    fits = [np.array(dp.execute(proof, X[:n], y[:n], rng=1).output) for n in (50, 51)]
    moved = np.abs(fits[1] - fits[0]).ravel()
    assert np.sum(moved > 0.5) <= 1


@pytest.mark.parametrize("theta", [dp.graph.Squared(), 3, "theta"])
def test_residuals_are_at_something_that_was_released(theta):
    """A node that is no release has no value when rows are read."""
    X, y = SETTING.nodes()
    with pytest.raises(dp.InvalidArgument, match="released coefficients"):
        y.residuals(X, theta)


class CellsOfResiduals(dp.Regression):
    """Cells that released coefficients decide."""

    def declare(self, X, y, budget):
        """Four counts, charged as if a record were in one cell."""
        theta = release(X.T @ y, dp.Gaussian(std=2), name="t")
        left = y.residuals(X, theta).clip(-1, 1)
        cells = dp.partition(X, left, cells=4, salt="a")
        noise = dp.Gaussian(std="1.1548")
        return post(
            gathered, theta, *[release(cells.count(j), noise, name=f"k{j}") for j in range(4)]
        )


def test_cells_that_read_releases_are_charged_all():
    """The prover charges what the standalone checker charges."""
    with pytest.raises(dp.Uncertified):
        dp.certify(CellsOfResiduals(), target=dp.GaussianDP(1), setting=SETTING)
