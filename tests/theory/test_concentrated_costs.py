"""What one draw costs in rho and in mu, against numbers that are written down: the kernel accepts
exactly these, and no claim that is 1% smaller.
"""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.kernel import check
from dpframe.kernel.checker import hash_of
from dpframe.mechanisms import ExponentialSelection, PermuteAndFlipSelection

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.ADD_REMOVE)
EIGHTH, HALF = Fraction(1, 8), Fraction(1, 2)
COSTS = {  # noise of size 2 of a number that moves by 1: rho, by which derivation
    "normal law": (dp.Gaussian(std=2), EIGHTH, ("gaussian", "zcdp")),
    "discrete Gaussian": (dp.DiscreteGaussian(std=2), EIGHTH, ("zcdp",)),
    "Laplace": (dp.Laplace(scale=2), EIGHTH, ("zcdp",)),
    "discrete Laplace": (dp.DiscreteLaplace(scale=2), EIGHTH, ("zcdp",)),
    "permute and flip": (PermuteAndFlipSelection(scale=2), EIGHTH, ("zcdp",)),
    "exponential": (ExponentialSelection(scale=2), Fraction(1, 32), ("zcdp",)),
}
CASES = [(name, by) for name, (_, _, ways) in COSTS.items() for by in ways]


def accepted(noise, target, by, less=Fraction(1)):
    """Whether the kernel accepts the certificate, its claim multiplied by `less`."""

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            counts = dp.graph.bin_counts(y, [-1, 1]) if noise.kind.endswith("selection") else None
            return dp.release(dp.count(X) if counts is None else counts, noise)

    made = dp.certify(Declared(), target=target, setting=SETTING, accountant=by).document
    found = copy.deepcopy(made)
    (amount,) = found["statement"]["target"]["amounts"]
    found["statement"]["target"]["amounts"] = [str(Fraction(amount) * less)]
    found["hash"] = hash_of(found["statement"], found["graph"], found["assumptions"])
    return check(found).accepted


@pytest.mark.parametrize(("name", "by"), CASES)
def test_rho_is_neither_more_nor_less(name, by):
    """mu^2/2 of normal laws, (move/size)^2/2 of others, an eighth of it by bounded range.
    [BunS16, Prop 1.4, 1.6] [CanonneKS20, Thm 4] [DongDR20]
    """
    noise, rho, _ = COSTS[name]
    assert accepted(noise, dp.ZeroConcentratedDP(rho), by)
    assert not accepted(noise, dp.ZeroConcentratedDP(rho), by, Fraction(99, 100))


def test_mu_is_neither_more_nor_less():
    """The move over the std. [DongRS22, Thm 2.7]"""
    assert accepted(dp.Gaussian(std=2), dp.GaussianDP(HALF), "gaussian")
    assert not accepted(dp.Gaussian(std=2), dp.GaussianDP(HALF), "gaussian", Fraction(99, 100))
