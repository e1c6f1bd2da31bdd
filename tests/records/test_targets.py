"""Ledgers of personalised targets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp

GROUPS = {"a": "1/10", "b": 1}
NAMES = ["b", "a", "b"]


@pytest.mark.parametrize(
    ("target", "kind", "budgets"),
    [
        (dp.PersonalizedDP(GROUPS), dp.PureDP, [(1,), (Fraction(1, 10),), (1,)]),
        (dp.PersonalizedDP(mu=GROUPS), dp.GaussianDP, [(1,), (Fraction(1, 100),), (1,)]),
        (dp.PersonalizedDP(rho=[0.5, 0.25, 2]), dp.ZeroConcentratedDP, [(0.5,), (0.25,), (2,)]),
        (
            dp.PersonalizedDP(GROUPS, delta="1e-6"),
            dp.ApproxDP,
            [
                (1, Fraction(1, 10**6)),
                (Fraction(1, 10), Fraction(1, 10**6)),
                (1, Fraction(1, 10**6)),
            ],
        ),
        (
            dp.PersonalizedDP([0.5, 0.25, 2], delta="1/4"),
            dp.ApproxDP,
            [(0.5, 0.25), (0.25, 0.25), (2, 0.25)],
        ),
    ],
    ids=str,
)
def test_a_ledger_has_the_budgets_of_its_target(target, kind, budgets):
    """In the currency that adds up: squares of mu."""
    ledger = dp.RecordLedger(target, NAMES if target.groups else None)
    assert ledger.kind is kind
    found = [ledger.account(k).budget.amounts for k in range(3)]
    assert [tuple(one.value for one in amounts) for amounts in found] == budgets


def test_a_listed_mu_is_squared_downwards():
    """The square that is spent is at most the square that was promised."""
    mu = np.array([0.1, 1 / 3, 0.7])
    ledger = dp.RecordLedger(dp.PersonalizedDP(mu=mu))
    for k in range(3):
        found = ledger.account(k).budget.amounts[0].value
        assert found <= Fraction(repr(float(mu[k]))) ** 2
        assert found >= Fraction(mu[k]) ** 2 * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize(
    "target",
    [dp.PersonalizedDP(dp.each("epsilon")), dp.PersonalizedDP({"a": dp.parameter("e"), "b": 1})],
    ids=str,
)
def test_budgets_without_numbers_are_refused(target):
    """There is nothing to add up to."""
    with pytest.raises(dp.InvalidArgument):
        dp.RecordLedger(target, NAMES)


def test_a_ledger_of_another_kind_is_refused():
    """A target says its kind."""
    with pytest.raises(dp.InvalidArgument, match="kind"):
        dp.RecordLedger(dp.PersonalizedDP(GROUPS), NAMES, kind=dp.GaussianDP)
