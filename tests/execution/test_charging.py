"""A ledger is charged after the table was read and before anything is drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.prover.composed import joint_gaussian

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
X, Y = np.eye(3) / 2, np.ones(3)


@pytest.fixture
def ledger(tmp_path):
    """A ledger whose data set `survey` affords (1, 1e-6)."""
    found = dp.Ledger(tmp_path / "budget.sqlite")
    found.create("survey", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE)
    return found


def certified(regression=None, epsilon="0.5", delta="1e-7", setting=SETTING):
    """The certificate of a regression."""
    target = dp.ApproxDP(epsilon, delta)
    return dp.certify(regression or dp.SSP(), target=target, setting=setting)


def test_a_run_is_charged_and_marked(ledger):
    """Once, with its certificate's hash and the mu of its noise."""
    run = certified()
    dp.execute(run, X, Y, ledger=ledger, dataset="survey")
    (charge,) = ledger.charges("survey")
    assert charge.status == "released"
    assert charge.cost.certificate == run.hash
    assert joint_gaussian(run) in charge.cost.guarantees


class Failing(dp.Gaussian):
    """Noise whose drawing fails once it matters."""

    exact = True

    @staticmethod
    def on_grid(size, n, bits):
        """Fail for anything but a trial."""
        if n:
            raise OSError("the machine is gone")
        return np.zeros(0, dtype=int)


class Fails(dp.Regression):
    """X'X with noise that fails."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(X.T @ X, Failing(std=20))


def test_the_charge_stands_before_the_draw(ledger):
    """A run that dies while it draws counts, and is shown as not finished."""
    run = dp.certify(Fails(), target=dp.ApproxDP("0.5", "1e-7"), setting=SETTING, trust=[Failing])
    with pytest.raises(OSError, match="gone"):
        dp.execute(run, X, Y, ledger=ledger, dataset="survey")
    assert [charge.status for charge in ledger.charges("survey")] == ["charged, not finished"]


def broken():
    """Blocks that end in an error."""
    yield X, Y
    raise OSError("the disk is gone")


BAD = {
    "nan": (np.full((3, 3), np.nan), Y),
    "another length": (X, Y[:2]),
    "a broken iterator": (broken(), None),
    "a missing file": ("/nowhere/at/all.parquet", "y"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_costs_nothing(name, ledger):
    """Refused before the charge."""
    with pytest.raises(dp.DPFrameError):
        dp.execute(certified(), *BAD[name], ledger=ledger, dataset="survey")
    assert ledger.charges("survey") == ()


def test_a_run_beyond_the_budget_reads_no_row(ledger):
    """It is refused before the table is opened."""

    def blocks():
        raise AssertionError("read")
        yield

    with pytest.raises(dp.BudgetExceeded, match="survey"):
        dp.execute(certified(epsilon=3), blocks(), ledger=ledger, dataset="survey")
    assert ledger.charges("survey") == ()


def test_simulations_are_not_charged(ledger):
    """They are not private, so a ledger refuses to be asked."""
    with pytest.raises(dp.InvalidArgument, match="rng must be left out where a ledger is charged"):
        dp.execute(certified(), X, Y, rng=0, ledger=ledger, dataset="survey")


@pytest.mark.parametrize("given", [{"dataset": "survey"}, {"ledger": True}])
def test_ledger_and_data_set_go_together(given, ledger):
    """One without the other is a slip."""
    options = {key: ledger if key == "ledger" else value for key, value in given.items()}
    with pytest.raises(dp.InvalidArgument, match="given together"):
        dp.execute(certified(), X, Y, **options)


def test_another_unit_is_refused(ledger):
    """A guarantee for replaced rows says nothing about added ones."""
    other = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
    with pytest.raises(dp.InvalidArgument, match="unit"):
        dp.execute(certified(setting=other), X, Y, ledger=ledger, dataset="survey")


class Twice(dp.Regression):
    """X'X and X'y at stated stds."""

    def declare(self, X, y, budget):
        """Two releases, one of them three times over."""
        gram = dp.release(X.T @ X, dp.Gaussian(std=40))
        return gram, dp.release(X.T @ y, dp.Gaussian(std=30), times=3)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_the_joint_mu_is_rounded_up(relation, rows):
    """mu^2 by hand: moves of 1 and 1, or by the joint bound of replaced rows, squared and added."""
    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, rows_per_person=rows
    )
    run = certified(Twice(), epsilon=1, delta="1e-6", setting=setting)
    m1, m2 = Fraction(rows, 40) ** 2, 3 * Fraction(rows, 30) ** 2
    larger = max(2 * m1, m2)
    square = m1 + m2 if relation is dp.ADD_REMOVE else (larger + m2) ** 2 / larger
    found = joint_gaussian(run).mu.value
    assert 1 <= found**2 / square <= 1 + Fraction(1, 10**10)


class Mixed(dp.Regression):
    """A count with Laplace noise beside Gaussian noise."""

    def declare(self, X, y, budget):
        """Two releases."""
        count = dp.release(dp.count(X), dp.Laplace(scale=4))
        return count, dp.release(X.T @ y, dp.Gaussian(std=30))


def test_mixed_noise_states_no_mu():
    """Then the target is what is charged."""
    assert joint_gaussian(certified(Mixed(), epsilon=1, delta="1e-6")) is None
