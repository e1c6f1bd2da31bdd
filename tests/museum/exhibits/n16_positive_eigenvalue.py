"""Boosted adaSSP's code releases the smallest positive eigenvalue."""

from functools import partial

import numpy as np

import dpframe as dp
from tests.museum.gates import FACTS, stated
from tests.museum.museum import FALSIFIED, Exhibit
from tests.museum.own import Stated

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


class SmallestPositive(Stated):
    """The smallest eigenvalue of X'X that is above 0."""

    kind = "smallest_positive_eigenvalue"

    def states(self):
        """As the smallest of all, by Weyl's inequality."""
        return 1

    def whole(self, X, y):
        found = np.linalg.eigvalsh(X.T @ X)
        return min(found[found > 1e-9], default=0.0)


def put(make):
    """Rows of two columns."""
    return stated(make, setting=TABLE, columns=2)


EXHIBIT = Exhibit(
    number=16,
    name="The smallest positive eigenvalue",
    system="BoostedAdaSSP, both repositories of its authors",
    source="shuaitang/BoostedAdaSSP, `eigvalsh(..., subset_by_value=(0, inf))`",
    claim="Sensitivity 1, like that of the smallest eigenvalue.",
    fact="n equal rows have the eigenvalues 0 and n. One additional row in another direction "
    "makes the smallest positive eigenvalue about 1. The sensitivity is unbounded, also "
    "for one-hot columns.",
    port="That eigenvalue as a statistic with a stated sensitivity of 1.",
    gate=FACTS,
    verdict=FALSIFIED,
    wrong=partial(put, SmallestPositive),
    mended=partial(put, lambda X, y: dp.lambda_min(X.T @ X)),
    repair="`dp.lambda_min`, the smallest of all eigenvalues.",
    shows=("refuted: smallest positive eigenvalue states 1",),
)
