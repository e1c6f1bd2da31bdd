"""Executions that are charged to everybody's own account."""

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
    proof = dp.certify(
        dp.regressions.OutputPerturbationPure(), target=dp.PureDP("0.05"), setting=SETTING
    )
    dp.execute(proof, *table(), records=accounts)
    assert left(accounts) == [Fraction(3, 20), Fraction(39, 20)]


KINDS = {"epsilon": dp.PureDP, "rho": dp.ZeroConcentratedDP, "mu": dp.GaussianDP}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("way", ["list", "each"])
def test_a_notion_that_the_accounts_do_not_add_is_refused(name, kind, way):
    """Epsilons are no rhos, and neither are squares of mu: arrays do not say what they are."""
    accounts = dp.RecordLedger(np.full(40, 100.0), kind=kind)
    own = EPSILONS if way == "list" else dp.each(name)
    target = dp.PersonalizedDP(**{name: own})
    declaration = RIDGE if name == "epsilon" else dp.regressions.PersonalizedSSP()
    proof = dp.certify(declaration, target=target, setting=SETTING)
    run = {"budgets": None if way == "list" else EPSILONS, "records": accounts}
    if KINDS[name] is not kind:
        with pytest.raises(dp.InvalidArgument, match="accounts in"):
            dp.execute(proof, *table(), **run)
        assert accounts.releases == 0
        return
    dp.execute(proof, *table(), **run)
    spent = accounts.account(0).spent.amounts[0].value
    promised = Fraction("0.1") ** (2 if name == "mu" else 1)
    assert promised <= spent <= promised * (1 + Fraction(1, 10**9))


def test_epsilons_are_no_squares_of_mu_for_groups():
    """No implication leads there."""
    accounts = dp.RecordLedger({"a": 1, "b": 1}, NAMES, kind=dp.GaussianDP)
    with pytest.raises(dp.DPFrameError):
        dp.execute(certified(GROUPS), *table(), budgets=NAMES, records=accounts)
    assert accounts.releases == 0


def test_accounts_are_of_the_records_of_the_table():
    """Three accounts do not pay for forty people."""
    accounts = dp.RecordLedger(np.full(3, 10.0), kind=dp.PureDP)
    proof = dp.certify(
        dp.regressions.OutputPerturbationPure(), target=dp.PureDP(1), setting=SETTING
    )
    with pytest.raises(dp.InvalidArgument, match="one each"):
        dp.execute(proof, *table(), records=accounts)
    assert accounts.releases == 0


def test_accounts_are_of_one_relation():
    """Who joins is promised something else than who is replaced."""
    accounts = ledger(5)
    dp.execute(certified(GROUPS), *table(), budgets=NAMES, records=accounts)
    joins = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    proof = dp.certify(dp.PersonalizedRidge(total=20), target=GROUPS, setting=joins)
    with pytest.raises(dp.InvalidArgument, match="as before"):
        dp.execute(proof, *table(), budgets=NAMES, records=accounts)
    assert accounts.releases == 1


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
