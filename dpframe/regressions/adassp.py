"""adaSSP: ridge on noisy X'X and X'y, with a ridge that adapts to a noisy smallest eigenvalue."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly
from dpframe.privacy import Share
from dpframe.symbols import Expression

from .solve import QUANTILE, RHO, adapted, released, sums


class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    use: ClassVar[str] = (
        "The first to try for least squares with a delta: its ridge grows where the data say "
        "little. With so few records that X'X is mostly noise it returns almost zero."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, equal squared mu; the eigenvalue is lowered by the 5% quantile of its
        noise.
        """
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()])
        return adapted(released(statistics, noises), QUANTILE, self.rho)
