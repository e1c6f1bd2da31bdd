"""Many shares of one theorem are judged by the whole, or one by one where that is too much."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import dpframe as dp
from tests.support.checking import check

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
GAMMA = dp.parameter("gamma", 0, 1)


class Twenty(dp.Regression):
    """Twenty releases with shares gamma^i/20 of the budget, i from 1 to 20. [here]"""

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        """Powers of gamma, all different."""
        del y
        shares = budget.split(*[GAMMA**i / 20 for i in range(1, 21)])
        return tuple(dp.release(X.T @ X, dp.Gaussian.kamath_ullman, share) for share in shares)


def test_the_region_keeps_every_share_inside_its_theorem() -> None:
    """Where the region holds, each share of epsilon is at most 4 log 2; the checker agrees."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    assert check(proof.document).accepted
    with pytest.raises(dp.InvalidArgument, match="inside the proof's region"):
        proof.at(epsilon=100, delta="1e-6", gamma=1 - Fraction(1, 10**6))


@pytest.mark.parametrize("epsilon", [5, 50])
def test_a_whole_beyond_the_theorem_leaves_its_shares_inside(epsilon: int) -> None:
    """epsilon = 5 and 50 are beyond 4 log 2, a twentieth of them is not."""
    target = dp.ApproxDP(epsilon, "1e-6")
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    assert proof.derivation == "basic"
    assert not proof.region


def test_shares_beyond_the_theorem_are_not_certified_everywhere() -> None:
    """At epsilon = 100 a share of 5 is beyond 4 log 2: the region says so."""
    target = dp.ApproxDP(100, "1e-6")
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    with pytest.raises(dp.InvalidArgument):
        proof.at(gamma=1 - Fraction(1, 10**6))
