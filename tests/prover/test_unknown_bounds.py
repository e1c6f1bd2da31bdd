"""A statistic of one's own that answers None has no known bound, which refutes nothing; a share
without delta cannot calibrate Gaussian noise, and one message says so.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.statistics.base import RecordSum
from dpframe.prover.problem import Verdict

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
HALF = Fraction(1, 2)


@attrs.frozen
class Unknown(RecordSum):
    """A statistic whose author knows no bound."""

    column: object
    label = "unknown"
    formula = "unknown(y)"
    shape = ()
    inputs = property(lambda self: (self.column,))

    def record(self):
        """Nothing more."""
        return {}

    def one_row(self, norm, relation):
        """None is known."""

    def block(self, values):
        """The sum."""
        return np.asarray(float(np.sum(values[self.column])))


class OfOnesOwn(dp.Regression):
    """Releases it with noise of some size."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(Unknown(y), dp.Gaussian(std=1))


def test_none_is_unproved():
    """No counterexample is claimed, and the way out names the class."""
    report = dp.audit(OfOnesOwn(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING).report
    opened = report.open_obligations
    assert opened
    assert {one.verdict for one in opened} == {Verdict.UNPROVED}
    assert any("Unknown.one_row" in one.repair for one in opened if one.repair)


def test_rows_without_a_bound_have_a_counterexample():
    """Of the statistics of dpframe None means that one row can move it by any amount."""

    class Raw(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(dp.graph.aggregate("std", X), dp.Gaussian(std=1))

    report = dp.audit(Raw(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING).report
    assert any(one.witness is not None for one in report.open_obligations)


def declared(rule, deltas):
    """A regression that gives its first release none of delta."""

    class Split(dp.Regression):
        def declare(self, X, y, budget):
            first, second = budget.split(epsilon=(HALF, HALF), delta=deltas)
            return dp.release(X.T @ X, rule, first), dp.release(X.T @ y, rule, second)

    return Split()


RULES = [dp.Gaussian.analytic, dp.Gaussian.classical, dp.Gaussian.kamath_ullman]


@pytest.mark.parametrize("rule", RULES, ids=lambda one: one.name)
@pytest.mark.parametrize("target", [dp.ApproxDP(1, "1e-6"), dp.ApproxDP(dp.EPSILON, dp.DELTA)])
def test_gaussian_noise_needs_delta(rule, target):
    """One message, whichever theorem calibrates and whether or not the claim has symbols."""
    with pytest.raises(dp.InvalidArgument, match="a delta above 0"):
        dp.certify(declared(rule, (0, 1)), target=target, setting=SETTING)


@pytest.mark.parametrize("rule", RULES, ids=lambda one: one.name)
def test_so_it_does_under_a_pure_claim(rule):
    """There is no delta to split."""

    class Pure(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(X.T @ X, rule, budget)

    with pytest.raises(dp.InvalidArgument, match="a delta above 0"):
        dp.certify(Pure(), target=dp.PureDP(1), setting=SETTING)


def test_laplace_noise_needs_none():
    """A share of epsilon alone is enough."""
    target = dp.ApproxDP(1, "1e-6")
    assert dp.certify(declared(dp.Laplace.pure, (0, 1)), target=target, setting=SETTING)
