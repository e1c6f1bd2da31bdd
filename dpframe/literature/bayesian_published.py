"""Bayesian regression from noisy sums as its authors coded it, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.functions import aggregate, sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.regressions.bayesian import BayesianSSP, laplace_posterior
from dpframe.symbols import exact


class BayesianSSPCoded(Regression):
    """Bayesian regression from noisy statistics as its authors' code has it: one Laplace scale for
    all, from the ranges of the columns and labels of the data itself; n is read in the clear. Not
    private, as a comment in the code says. [Bernstein19, generate_data.py]

    Here one largest entry stands for all ranges. The variant with noisy fourth moments
    (run_methods.py) draws their noise for half of epsilon and then hands the moments without it to
    the sampler; that is not declared here.
    """

    paper: ClassVar[str] = "Bernstein19"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "Bayesian SSP"
    understated: ClassVar[str] = "one variant of the code reads fourth moments without noise"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        d, row, label = X.columns, exact(aggregate("max_abs", X)), exact(aggregate("max_abs", y))
        wide, long = 2 * row * d, 2 * label
        moved = d * (d + 1) / 2 * wide**2 + d * wide + d * wide * long + long**2
        statistics = sufficient_statistics(X, y, constant=True)
        noisy = release(statistics, Laplace(moved / budget.epsilon), budget, name="statistics")
        units = (noisy.std, unit_of_entries(X), y.radius)
        ours = BayesianSSP()
        return post(laplace_posterior, noisy, X.rows, *units, *ours.prior, ours.sweeps)
