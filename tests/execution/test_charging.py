"""What a ledger is charged for executions, and when: before anything is drawn."""

import gc
import re
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.errors import PrivacyWarning
from dpframe.execution import execute, note
from dpframe.execution.receipts import _SPENT, Spending, costs, together
from dpframe.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    ApproxDP,
    GaussianDP,
    PersonalizedDP,
    PureDP,
    Unit,
    ZeroConcentratedDP,
    each,
)
from dpframe.prover.mixture import joint_gaussian

# -------------------------------------------- After the table was read and before anything is drawn
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


# --------------------------------------------------------------------- What several executions cost
UNIT = Unit(ADD_REMOVE)


def spent_silently(run, *table, **arguments):
    """Whether the execution warns of nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        execute(run, *table, **arguments)
    return not caught


def test_the_second_execution_warns_with_the_sum(run, data):
    """Each later execution states the joint cost at the sum of the deltas: less than the sums of
    epsilons, and no less than the composition of the certificates.
    """
    assert spent_silently(run, *data)
    for many in (2, 3):
        with pytest.warns(PrivacyWarning, match=f"execution {many} on") as caught:
            execute(run, *data)
        stated = joint_epsilon(str(caught[0].message), f"{many}e-6")
        assert dp.compose((run, many)).epsilon(f"{many}e-6").upper <= stated < many


def joint_epsilon(text, delta):
    """The epsilon that a warning states at this delta."""
    return float(re.search(rf"\(([\d.]+), {delta}\)", text)[1])


def test_another_certificate_spends_the_same_table(run, symbolic, data):
    """What counts is the table, not the certificate."""
    execute(run, *data)
    other = symbolic.at(epsilon=2, delta="2e-6", gamma="1/3")
    with pytest.warns(PrivacyWarning, match="by composition") as caught:
        execute(other, *data)
    stated = joint_epsilon(str(caught[0].message), "3e-6")
    assert dp.compose(run, other).epsilon("3e-6").upper <= stated < 3


VIEWS = {
    "slices": lambda X, y: (X[10:], y[10:]),
    "other strides": lambda X, y: (X[::2, ::-1], y[::2]),
    "other labels": lambda X, y: (X, np.zeros(60)),
    "a reshaped view": lambda X, y: (X.reshape(3, 60).reshape(60, 3), y),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_of_one_array_are_one_table(run, data, view):
    """Arrays that share memory count together, in either order."""
    execute(run, *data)
    with pytest.warns(PrivacyWarning, match="execution 2 on"):
        execute(run, *view(*data))


def test_slices_of_a_data_frame_are_one_table(run, data):
    """A frame is known by its first column's memory."""
    frame = pd.DataFrame(data[0])
    execute(run, frame, data[1])
    with pytest.warns(PrivacyWarning, match="execution 2 on"):
        execute(run, frame.iloc[5:], data[1][5:])


def test_a_frame_without_numpy_columns_is_known_by_itself(run, data):
    """Nullable columns have no memory to go by."""
    frame = pd.DataFrame(data[0]).convert_dtypes()
    execute(run, frame, data[1])
    with pytest.warns(PrivacyWarning, match="execution 2 on"):
        execute(run, frame, data[1])


def test_copies_and_simulations_go_unnoticed(run, data):
    """A simulation spends nothing; a copy cannot be known without reading it."""
    assert spent_silently(run, *data, rng=0)
    assert spent_silently(run, *data)
    assert spent_silently(run, *data, rng=0)
    assert spent_silently(run, data[0].copy(), data[1])


@pytest.mark.slow
def test_a_table_is_forgotten_with_its_memory(run, data):
    """Another array at the same address is another table."""
    gc.collect()
    known = len(_SPENT)
    X = data[0].copy()
    execute(run, X, data[1])
    assert len(_SPENT) == known + 1
    del X
    gc.collect()
    assert len(_SPENT) == known
    assert spent_silently(run, data[0].tolist(), data[1])
    assert len(_SPENT) == known


def test_where_warnings_are_errors_nothing_is_spent(run, data):
    """The warning comes before the draw, and an execution that did not happen is not counted."""
    execute(run, *data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PrivacyWarning, match="execution 2 on"):
            execute(run, *data)
    with pytest.warns(PrivacyWarning, match="execution 2 on"):
        execute(run, *data)


def test_a_refused_table_is_not_spent(run, data):
    """Bad data costs nothing."""
    X, y = data
    with pytest.raises(ValueError, match="as long as X"):
        execute(run, X, y[1:])
    assert spent_silently(run, X, y)


def test_others_may_note_what_they_spent(data):
    """Estimators, and code of one's own, add to the same record."""
    X = data[0]
    note(X, PureDP(1), UNIT)
    with pytest.warns(PrivacyWarning, match="by composition, 3-differential privacy"):
        note(X, PureDP(2), UNIT)


def test_what_cannot_be_added_is_listed(data):
    """Two units of privacy have no sum."""
    X = data[0]
    note(X, PureDP(1), UNIT)
    listed = (
        "1-differential privacy for one row added or removed; then 2-differential privacy for one"
    )
    with pytest.warns(PrivacyWarning, match=listed):
        note(X, PureDP(2), Unit(REPLACE_ONE))


def test_what_cannot_be_followed_is_let_be():
    """Objects without weak references are not recorded."""
    known = dict(_SPENT)
    note([1.0], PureDP(1), UNIT)
    assert known == _SPENT


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ((PureDP(1), PureDP(2)), PureDP(3)),
        ((PureDP(1), ApproxDP(1, "1e-6")), ApproxDP(2, "1e-6")),
        ((GaussianDP(3), GaussianDP(4)), GaussianDP(5)),
        ((ZeroConcentratedDP(1), ZeroConcentratedDP(2)), ZeroConcentratedDP(3)),
    ],
)
def test_guarantees_of_one_kind_add_up(parts, total):
    """Each by its own accountant."""
    assert together([Spending(part, UNIT) for part in parts]) == total


# ---------------------------------------------------------- Where records have budgets of their own
REPLACED = Unit(REPLACE_ONE)


def spent(*guarantees):
    """One execution each."""
    return [Spending(guarantee, REPLACED) for guarantee in guarantees]


@pytest.mark.parametrize(
    "guarantees",
    [
        (PersonalizedDP(each("epsilon")), PersonalizedDP(each("epsilon"))),
        (PersonalizedDP(np.array([0.1, 1.0])), PersonalizedDP(np.array([0.1, 1.0]))),
        (PersonalizedDP({"a": 1}), PersonalizedDP({"b": 1})),
        (PersonalizedDP({"a": "0.1", "b": 1}), PersonalizedDP({"a": 1, "b": "0.1"})),
        (PersonalizedDP({"a": 1}), PureDP(1)),
        (GaussianDP(1), PersonalizedDP(each("epsilon"))),
    ],
)
def test_where_nobody_knows_who_is_who_there_is_no_sum(guarantees):
    """Each is named, and what a record pays in words."""
    assert together(spent(*guarantees)) is None
    said = costs(spent(*guarantees))
    assert "each record pays the sum over those that it is part of" in said
    assert said.startswith(("2 times personalised", str(guarantees[0])))
