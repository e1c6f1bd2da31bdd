"""Refutations by what one pair of neighbours costs: brute force finds each of them, and none of a
claim that holds.
"""

from __future__ import annotations

import itertools

import attrs
import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.mechanisms import ExponentialSelection, FullGaussian, LaplaceSelection
from dpframe.privacy import REPLACE_ONE
from dpframe.sensitivity import L1, L2
from tests.prover import test_selections
from tests.support.oracles import value

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


LAWS = {cls: law for cls, law in test_selections.LAWS.items() if cls is not LaplaceSelection}


def mu(p, q):
    """The least mu, over tests that reject on some of the indices."""
    found = mpmath.mpf(0)
    for some in itertools.product((0, 1), repeat=len(p)):
        a, b = (mpmath.fsum(x for x, k in zip(law, some, strict=True) if k) for law in (p, q))
        if 0 < b < a < 1:
            root = mpmath.sqrt(2)
            found = max(found, root * (mpmath.erfinv(2 * a - 1) - mpmath.erfinv(2 * b - 1)))
    return found


def divergence(p, q, order):
    """Of Renyi; that of Kullback and Leibler at order 1."""
    if order == 1:
        return mpmath.fsum(a * mpmath.log(a / b) for a, b in zip(p, q, strict=True))
    total = mpmath.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))
    return mpmath.log(total) / (order - 1)


def brute(cls, scale, currency):
    """The largest cost over two and three counts of up to 7 records, one of which rises by 1."""
    costs = [mpmath.mpf(0)]
    for many, most in ((2, 8), (3, 3)):
        for scores in itertools.product(range(most), repeat=many):
            after = (scores[0] + 1, *scores[1:])
            laws = [LAWS[cls](one, scale) for one in (scores, after)]
            for p, q in (laws, laws[::-1]):
                if currency == "mu":
                    costs.append(mu(p, q))
                elif currency == "order 2":
                    costs.append(divergence(p, q, 2))
                else:
                    costs += [divergence(p, q, a) / a for a in (1, mpmath.mpf("1.5"), 3)]
    return max(costs)


TARGETS = {"rho": dp.ZeroConcentratedDP, "mu": dp.GaussianDP, "order 2": lambda e: dp.RenyiDP(2, e)}


class Selected(dp.Regression):
    """Which side of 0 has more labels."""

    noise: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One selection."""
        return dp.release(dp.graph.bin_counts(y, [0]), self.noise, name="side")


@pytest.mark.parametrize("cls", LAWS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("currency", TARGETS)
@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.some(8)
def test_selections_are_refuted_where_brute_force_breaks_them(cls, currency, scale):
    """A claim of 0.7 times what two candidates cost is refuted; one of what they cost is not."""
    cost = brute(cls, scale, currency)
    verdicts = []
    for factor in ("0.7", "1.000001"):
        amount = mpmath.nstr(cost * mpmath.mpf(factor), 20)
        found = dp.audit(Selected(cls(scale)), target=TARGETS[currency](amount), setting=SETTING)
        verdicts.append(found.verdict.value)
    assert verdicts[0] == "refuted"
    assert verdicts[1] != "refuted"


def test_shares_of_selections_are_refuted_too():
    """Half of rho = 0.02, where one coin of two costs 0.12."""

    class Shared(dp.Regression):
        def declare(self, X, y, budget):
            mine, _ = budget.split_evenly(2)
            counts = dp.graph.bin_counts(y, [0])
            return dp.release(counts, ExponentialSelection(1), mine, name="side")

    found = dp.audit(Shared(), target=dp.ZeroConcentratedDP("0.04"), setting=SETTING)
    assert found.lines[0].claim == "refuted"
    assert "rho = 0.120115" in found.lines[0].witness


class Largest(dp.Regression):
    """Statistics that different pairs move furthest."""

    counted: bool = True

    def declare(self, X, y, budget):
        """Squares of columns, and sums with labels; perhaps their sum."""
        squares = dp.release(dp.graph.column_squares(X), FullGaussian(std=2), name="squares")
        both = dp.graph.stack(X.T @ X, X.T @ y)
        sums = dp.release(both, FullGaussian(std=1), name="sums")
        if not self.counted:
            return squares, sums
        total = dp.release(y.sum(), dp.Gaussian(std=3), times=2, name="total")
        return squares, sums, total


@pytest.mark.parametrize("counted", [False, True])
def test_one_pair_refutes_whatever_another_costs(counted):
    """A pair that alone costs too much, beside others of which the largest is not decided."""
    setting = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=REPLACE_ONE)
    found = dp.audit(Largest(counted), target=dp.RenyiDP(2, 1), setting=setting)
    assert found.verdict.value == "refuted"
    assert "costs mu^2 = 2 > 1" in str(found)


class Coded(dp.Regression):
    """X'X with noise of std 1."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(X.T @ X, dp.Gaussian(1), name="gram")


@pytest.mark.parametrize(("grid", "verdict"), [(4, "unproved"), (20, "refuted")])
def test_a_coarse_grid_is_not_refuted_by_rows_that_it_has_not(grid, verdict):
    """The largest |x|^2 on 4 bits is 1.89, so that rho is 1.787: the claim of 1.79 holds there."""
    rows = dp.Rows(columns=[dp.Numeric("a", 0, 1)], intercept=True)
    setting = dp.Setting(X=rows, y=dp.Column(bound=1), relation=dp.ADD_REMOVE, grid=grid)
    found = dp.audit(Coded(), target=dp.ZeroConcentratedDP("1.79"), setting=setting)
    assert found.verdict.value == verdict


def test_a_stack_of_sums_moves_by_all_of_them_at_once():
    """The record x = (1, 1)/sqrt(2), y = 1 adds sqrt(2) + 1 + 1 in L1; a Gram matrix is charged
    more than its triangle moves, so that nothing is known there.
    """
    X, y = SETTING.nodes()
    plain = dp.graph.stack(X.sum(), dp.count(X), y.sum())
    assert plain.one_row(L1, dp.ADD_REMOVE).attained
    row = np.array([1, 1]) / np.sqrt(2)
    moved = np.abs([*row, 1, 1]).sum()
    assert moved == pytest.approx(value(plain.one_row(L1, dp.ADD_REMOVE).value, {"d": 2}))
    assert not plain.one_row(L1, dp.REPLACE_ONE).attained
    assert not dp.graph.stack(X.T @ X, dp.count(X)).one_row(L1, dp.ADD_REMOVE).attained


@pytest.mark.parametrize(("width", "attained"), [(20, True), (801, False)])
def test_labels_around_a_released_centre_fill_what_is_inside(width, attained):
    """|y| <= 1000 less a centre in [-200, 200] covers [-800, 800], wherever the centre lies."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1000), relation=dp.REPLACE_ONE)
    X, y = setting.nodes()
    centre = dp.known(dp.release(dp.count(X), dp.Gaussian(1)), -200, 200, name="centre")
    clipped = y.scaled(1, minus=centre).clip(-width, width)
    assert clipped.sum().one_row(L2, dp.REPLACE_ONE).attained is attained
    ends = [np.clip(end - c, -width, width) for end in (-1000, 1000) for c in (-200, 200)]
    assert bool(min(map(abs, ends)) == width) is attained
