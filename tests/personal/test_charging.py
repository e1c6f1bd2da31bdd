"""Executions that are charged to everybody's own account."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp

NAMES = np.repeat(["a", "b"], 20)
EPSILONS = np.where(NAMES == "a", 0.1, 1.0)
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
GROUPS = dp.PersonalizedDP({"a": "0.1", "b": 1})
RIDGE = dp.PersonalizedRidge()


def table():
    """A table that nobody has seen."""
    return np.full((40, 2), 0.5), np.full(40, 0.5)


def certified(target):
    """PersonalizedRidge for a target."""
    return dp.certify(RIDGE, target=target, setting=SETTING)


def ledger(times):
    """Accounts for so many executions."""
    budgets = {"a": times * Fraction(1, 10), "b": times}
    return dp.RecordLedger(budgets, NAMES, kind=dp.PureDP)


def left(accounts):
    """What is left to a record of each group."""
    return [accounts.account(k).remaining.amounts[0].value for k in (0, 39)]


@pytest.mark.parametrize(
    ("target", "budgets"),
    [
        (GROUPS, NAMES),
        (dp.PersonalizedDP(EPSILONS), None),
        (dp.PersonalizedDP(dp.each("epsilon")), EPSILONS),
    ],
    ids=["groups", "list", "beside"],
)
def test_every_record_is_charged_what_it_is_promised(target, budgets):
    """Exactly, each time; the third execution fits nobody, and releases nothing."""
    accounts, proof = ledger(2), certified(target)
    for used in (1, 2):
        assert dp.execute(proof, *table(), budgets=budgets, records=accounts).receipt.private
        assert left(accounts) == [Fraction(2 - used, 10), 2 - used]
    with pytest.raises(dp.BudgetExceeded):
        dp.execute(proof, *table(), budgets=budgets, records=accounts)
    assert accounts.releases == 2


def test_a_target_for_all_charges_all_alike():
    """Ordinary certificates too."""
    accounts = ledger(2)
    proof = dp.certify(dp.OutputPerturbationPure(), target=dp.PureDP("0.05"), setting=SETTING)
    dp.execute(proof, *table(), records=accounts)
    assert left(accounts) == [Fraction(3, 20), Fraction(39, 20)]


def test_a_notion_that_the_accounts_do_not_add_is_refused():
    """Epsilons are no squares of mu."""
    accounts = dp.RecordLedger({"a": 1, "b": 1}, NAMES, kind=dp.GaussianDP)
    with pytest.raises(dp.DPFrameError):
        dp.execute(certified(GROUPS), *table(), budgets=NAMES, records=accounts)
    assert accounts.releases == 0


@pytest.mark.parametrize(
    ("accounts", "budgets", "rng"),
    [
        (ledger(2), NAMES[::-1], None),
        (ledger(2), NAMES, 0),
        ("ledger", NAMES, None),
        (dp.RecordLedger({"a": 1, "b": 1}, NAMES[:-1], kind=dp.PureDP), NAMES, None),
    ],
    ids=["another order", "a simulation", "no ledger", "other records"],
)
def test_accounts_of_others_are_refused(accounts, budgets, rng):
    """Nobody is charged, nothing is drawn."""
    with pytest.raises(dp.InvalidArgument):
        dp.execute(certified(GROUPS), *table(), budgets=budgets, records=accounts, rng=rng)
    assert getattr(accounts, "releases", 0) == 0


def test_whose_budget_is_gone_is_left_out():
    """By public costs, as public as budgets: everybody else goes on."""
    accounts = dp.RecordLedger({"a": 0.1, "b": 3}, NAMES, kind=dp.PureDP)
    proof = certified(dp.PersonalizedDP(dp.each("epsilon")))
    dp.execute(proof, *table(), budgets=EPSILONS, records=accounts)
    who = accounts.affords(EPSILONS)
    assert (who == (NAMES == "b")).all()
    X, y = table()
    result = dp.execute(proof, X[who], y[who], budgets=EPSILONS[who])
    accounts.spend(EPSILONS, who=who)
    assert result.receipt.private
    assert left(accounts) == [0, 1]


@pytest.mark.parametrize(
    ("target", "budgets"),
    [
        (dp.PersonalizedDP(dp.each("epsilon")), np.linspace(0.1, 1, 40)),
        (dp.PersonalizedDP(np.linspace(0.1, 1, 40)), None),
        (GROUPS, NAMES),
    ],
    ids=["beside", "list", "groups"],
)
def test_a_receipt_says_which_budgets_there_were(target, budgets):
    """From the least to the largest."""
    result = dp.execute(certified(target), *table(), budgets=budgets)
    assert "epsilon in [1/10, 1], of each record" in str(result.receipt.cost)
    assert any("budget is public" in one for one in result.receipt.assumptions)


def test_a_ledger_of_a_data_set_is_no_ledger_of_records(tmp_path):
    """It has one budget for all."""
    book = dp.Ledger(tmp_path / "budget.sqlite")
    book.create("survey", dp.PureDP(1), relation=dp.REPLACE_ONE)
    with pytest.raises(dp.InvalidArgument, match="RecordLedger"):
        dp.execute(certified(GROUPS), *table(), budgets=NAMES, ledger=book, dataset="survey")
