"""Shares: even splits of every size are proved; what overspends by a hair is refuted."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.prover import Verdict
from dpframe.symbols import Number
from tests.support.samples import setting

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


class Many(dp.Regression):
    """`count` releases of X'y at the weights of `weights`, or evenly. [tests]"""

    count: int = 2
    weights: tuple = ()

    def declare(self, X, y, budget):
        """One release a share."""
        weights = self.weights
        shares = budget.split(*weights) if weights else budget.split_evenly(self.count)
        return tuple(dp.release(X.T @ y, dp.Gaussian.analytic, share) for share in shares)


def report(**fields):
    """What verification finds for such releases, by basic composition."""
    return dp.examine(Many(**fields), target=TARGET, setting=setting(), accountant="basic")


@pytest.mark.some(1)
@pytest.mark.parametrize("start", range(1, 8))
def test_even_splits_add_up_exactly(start):
    """For every k up to 1000 the k shares sum to the budget, in Fractions."""
    for k in range(start, 1001, 7):
        shares = dp.ApproxDP(1, "1e-6").budget.split_evenly(k)
        assert len(shares) == k
        assert sum(share.epsilon.value for share in shares) == 1
        assert sum(share.delta.value for share in shares) == Fraction(1, 10**6)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 49, 64, 99, 128, 333, 512, 729, 999, 1000])
def test_even_splits_are_proved(k):
    """budget.split_evenly(k), symbolically."""
    assert report(count=k).proved


@pytest.mark.parametrize("k", [3, 7, 29, 144, 731, 1000])
def test_k_shares_of_one_kth_are_proved(k):
    """Fraction(1, k) k times over, and epsilon/k as a formula."""
    assert report(weights=(Fraction(1, k),) * k).proved
    assert report(weights=(Number(Fraction(1)) / k,) * k).proved


@pytest.mark.parametrize("k", [2, 7, 144, 1000])
def test_one_share_too_many_is_refuted(k):
    """k + 1 shares of 1/k are refuted, with a counterexample that overspends."""
    found = report(weights=(Fraction(1, k),) * (k + 1))
    assert not found.proved
    refuted = [o for o in found.open_obligations if o.verdict is Verdict.REFUTED]
    assert {o.node for o in refuted} >= {"budget"}
    for obligation in refuted:
        if "epsilon" in obligation.witness.values:
            epsilon = obligation.witness.values["epsilon"]
            assert (k + 1) * Fraction(1, k) * epsilon > epsilon


@pytest.mark.parametrize("excess", ["1e-9", "1e-17", "1e-30"])
def test_the_smallest_excess_is_refuted(excess):
    """Exact algebra has no tolerance."""
    found = report(weights=(Fraction(1, 2), Fraction(1, 2) + Fraction(excess)))
    assert any(o.verdict is Verdict.REFUTED for o in found.open_obligations)
    assert report(weights=(Fraction(1, 2), Fraction(1, 2) - Fraction(excess))).proved


def test_a_thousand_releases_are_one_obligation_a_class():
    """Equal releases pose one obligation, which counts them."""
    found = report(count=1000)
    assert found.proved
    assert len(found.obligations) < 10
    assert max(obligation.count for obligation in found.obligations) >= 1000


@pytest.mark.parametrize("k", [0, -1, 1.0, "2", True, None, Fraction(2)])
def test_a_number_of_shares_is_a_whole_number(k):
    """split_evenly(k) needs a whole k of at least 1."""
    with pytest.raises(dp.InvalidArgument, match="k must be"):
        TARGET.budget.split_evenly(k)


@pytest.mark.parametrize(
    "split",
    [
        lambda b: b.split(epsilon=(1,)),
        lambda b: b.split(epsilon=(1,), delta=(1, 1)),
        lambda b: b.split(1, epsilon=(1,), delta=(1,)),
        lambda b: b.split(rho=(1,)),
        lambda b: b.split("half"),
        lambda b: b.split(float("nan")),
    ],
)
def test_a_split_that_is_none_is_refused(split):
    """Unequal lengths, another currency and weights that are no numbers are errors."""
    with pytest.raises(dp.InvalidArgument):
        split(TARGET.budget)


def test_each_call_is_its_own_draw_and_charge():
    """Two equal releases are two nodes; one object used twice is one."""

    class Twice(dp.Regression):
        """Two equal calls. [tests]"""

        def declare(self, X, y, budget):
            """Both halves, and one of them twice."""
            first, second = (
                dp.release(X.T @ y, dp.Gaussian.analytic, share) for share in budget.split_evenly(2)
            )
            return first, second, first

    graph = Twice().graph(setting(), TARGET.budget)
    assert len(graph.releases) == 2
    assert graph.releases[0] != graph.releases[1]
