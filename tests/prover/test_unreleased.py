"""The refusal of a statistic that is used without noise states how far neighbours differ in it."""

import itertools
import re

import attrs
import numpy as np
import pytest

import dpframe as dp

ROWS = dp.Rows(
    columns=[dp.Numeric("age", 18, 90), dp.Categorical("sport", ["never", "weekly", "daily"])],
    intercept=True,
)
CODEBOOK = dp.Setting(X=ROWS, y=dp.Column("hours", lower=0, upper=10), relation=dp.REPLACE_ONE)
AGES, LEVELS = (-1.0, -0.3, 0.0, 0.5, 1.0), ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
RECORDS = [np.array([a, *level, 1.0]) for a in AGES for level in LEVELS]
EMPTY = np.zeros(4)
STATISTICS = {
    "trace(X'X)": (lambda X, _: dp.trace(X.T @ X), lambda x, _: x @ x),
    "X'X": (lambda X, _: X.T @ X, lambda x, _: np.outer(x, x)),
    "X'y": (lambda X, y: X.T @ y, lambda x, y: x * y),
}


def same(value):
    """A function of released values."""
    return value


class Unreleased(dp.Regression):
    """A statistic beside its release."""

    which: str = "X'X"

    def declare(self, X, y, budget):
        """The release, and the statistic without noise."""
        moment = dp.release(y.sum(), dp.Gaussian.analytic, budget)
        return dp.post(same, moment), dp.post(same, STATISTICS[self.which][0](X, y))


@pytest.mark.parametrize("relation", [dp.REPLACE_ONE, dp.ADD_REMOVE], ids=str)
@pytest.mark.parametrize("which", STATISTICS)
def test_a_move_is_called_attained_only_if_records_of_the_codebook_attain_it(which, relation):
    """Compared with all pairs of records at some ages, levels and labels."""
    function = STATISTICS[which][1]
    values = [function(x, y) for x in RECORDS for y in (-1.0, 0.0, 1.0)]
    others = values if relation is dp.REPLACE_ONE else [function(EMPTY, 0.0)]
    largest = max(np.linalg.norm(a - b) for a, b in itertools.product(values, others))
    setting = attrs.evolve(CODEBOOK, relation=relation)
    with pytest.raises(dp.Uncertified) as refused:
        dp.certify(Unreleased(which), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    text = str(refused.value)
    bound = re.search(r"(differs by|by at most) ([\d.*sqrt()]+?)(,| in L2)", text)
    size = eval(bound[2], {"sqrt": np.sqrt})
    attained = "of some two neighbours differs by" in text
    assert not attained or np.isclose(largest, size)
    assert attained or (which != "X'y" and relation is dp.REPLACE_ONE)
    assert largest <= size * (1 + 1e-12)
    assert "from 0" not in text
