"""Refusals of best_split name the cause and a way out that works; its page says more."""

from __future__ import annotations

import pytest

import dpframe as dp
from dpframe.regressions import solve

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
ONE = dp.ApproxDP(1, "1e-6")
NESTED = "budget.split(a, (1 - a)*b, (1 - a)*(1 - b))"


class Three(dp.Regression):
    """Three releases; the solver does not read the count."""

    a: dp.Expression = dp.parameter("a", 0, 1)
    b: dp.Expression = dp.parameter("b", 0, 1)
    c: dp.Expression = dp.parameter("c", 0, 1)
    how: str = "three"

    def declare(self, X, y, budget):
        a, b, c = self.a, self.b, self.c
        weights = {
            "three": (a, b, c),
            "last": (a, b, 1 - a - b),
            "nested": (a, (1 - a) * b, (1 - a) * (1 - b)),
        }[self.how]
        first, second, third = budget.split(*weights)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        count = dp.release(dp.count(X), dp.Gaussian.analytic, third, name="count")
        return dp.post(solve.ridge_solve, gram, moment, 1), count


@pytest.mark.parametrize("how", ["three", "last"])
def test_nested_shares_are_the_way_out_of_both_refusals(how):
    """And it is one."""
    report = dp.examine(Three(how=how), target=ONE, setting=SETTING)
    plan = [one for one in report.open_obligations if one.kind == "plan"]
    assert plan
    assert all(NESTED in one.repair for one in plan)
    assert dp.certify(Three(how="nested"), target=ONE, setting=SETTING)


def split(regression=None, **given):
    """The best split."""
    regression = Three() if regression is None else regression
    return dp.best_split(regression, target=ONE, setting=SETTING, **given)


def test_a_release_beside_the_solver_is_named():
    """Not those that the solver reads."""
    criterion = dp.audits.ErrorCriterion(n=1000, d=3)
    with pytest.raises(dp.InvalidArgument, match=r"solver reads.*got 'count'") as refusal:
        split(criterion=criterion)
    assert "gram" not in str(refusal.value)


def test_left_out_arguments_are_said_to_be_left_out():
    """The criterion, and fields."""
    with pytest.raises(dp.InvalidArgument, match=r"criterion must be dp\.audits.*got none"):
        split()
    criterion = dp.audits.NoiseCriterion(d=3)
    with pytest.raises(dp.InvalidArgument, match=r"got none, with symbolic a, b, c"):
        split(Three(how="nested"), criterion=criterion)


def test_a_codebook_says_how_many_columns_there_are():
    """A criterion with others is refused."""
    columns = [dp.Numeric("age", 0, 90), dp.Numeric("dose", 0, 1)]
    setting = dp.Setting(X=dp.Rows(columns=columns), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    given = {"target": ONE, "setting": setting, "over": "shares"}
    criterion = dp.audits.NoiseCriterion(d=7)
    with pytest.raises(dp.InvalidArgument, match=r"d of the criterion must be 2"):
        dp.best_split(Three(), criterion=criterion, **given)


def test_the_page_of_fields_says_what_joint_calibration_saves():
    """And prints short decimals."""
    page = str(split(Three(), criterion=dp.audits.NoiseCriterion(d=3)))
    assert "calibrated jointly, this noise could be multiplied by 0.6" in page
    head = page.splitlines()[0]
    assert "a=0." in head
    assert "/" not in head
