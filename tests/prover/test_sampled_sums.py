"""Any sum over records on fresh samples: the cost is that of the composed pairs, what is run reads
samples, and what amplifies nothing is charged in full.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TABLE = np.zeros((4000, 2)), np.linspace(-1, 1, 4000)
RATES = Fraction(1, 10), Fraction(1, 4)


class Sampled(dp.Regression):
    """X'X on 20 samples, and counts on one."""

    pure: bool = False
    std: str = "4"

    def declare(self, X, y, budget):
        """Stated noise, no shares."""
        del budget
        first, second = RATES
        noise = dp.Laplace(scale=3) if self.pure else dp.Gaussian(std=3)
        gram = dp.release(X.T @ X, dp.Gaussian(std=self.std), sampled=first, times=20, name="gram")
        counts = dp.graph.bin_counts(y, [0])
        few = dp.release(counts, noise, sampled=second, name="few")
        every = dp.release(counts, dp.Gaussian(std=1000), name="every")
        return dp.post(seen, gram, few, every)


def seen(gram, few, every):
    """Shapes, and both counts."""
    return gram.shape, few, every


def verdict(epsilon, relation=dp.ADD_REMOVE, rows=1, **fields):
    """Of this epsilon at delta 1e-6."""
    asked = attrs.evolve(SETTING, relation=relation, rows_per_person=rows)
    done = dp.audit(Sampled(**fields), target=dp.ApproxDP(epsilon, "1e-6"), setting=asked)
    return str(done.verdict)


@pytest.fixture(scope="module")
def true():
    """By composition of the pairs: 20 of mu 1/4, one of mu 1/3, and a Gaussian of mu 1/1000."""
    first, second = RATES
    loss = dp.pld.SubsampledGaussianLoss
    parts = (loss(Fraction(1, 4), first), 20), loss(Fraction(1, 3), second)
    return dp.compose(*parts, dp.pld.GaussianLoss(Fraction(1, 1000))).epsilon("1e-6").upper


def test_the_cost_is_that_of_the_pairs(true):
    """Proved a little above, and not a little below."""
    assert verdict(f"{true * 1.0001:.6f}") == "proved"
    assert verdict(f"{true * 0.999:.6f}") != "proved"


@pytest.mark.parametrize(
    "fewer",
    [
        {"relation": dp.REPLACE_ONE},
        {"rows": 2},
        {"std": "3"},
        {"pure": True},
    ],
    ids=str,
)
def test_what_samples_hide_less_is_charged(true, fewer):
    """Replaced records move further, several rows a person have no pair, pure noise another."""
    assert verdict(f"{true * 1.0001:.6f}", **fewer) != "proved"
    assert verdict("60", **fewer) == "proved"


def test_draws_read_fresh_samples():
    """A quarter of 4,000 records, beside all of them; the kernel replays all but the total."""
    proof = dp.certify(Sampled(), target=dp.ApproxDP(2, "1e-6"), setting=SETTING)
    shape, few, every = dp.execute(proof.at(d=2), *TABLE, rng=1).output
    assert shape == (20, 2, 2)
    assert abs(few.sum() - 1000) < 150
    assert abs(every.sum() - 4000) < 9000
    with pytest.raises(dp.NotExecutable, match="drawn on Poisson samples"):
        dp.attack(proof.at(d=2), seed=1)
