import gc
import warnings

import numpy as np
import pandas as pd
import pytest

from dpframe.errors import PrivacyWarning
from dpframe.execution import execute, note
from dpframe.execution.receipts import _SPENT, Spending, together
from dpframe.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    ApproxDP,
    GaussianDP,
    PureDP,
    Unit,
    ZeroConcentratedDP,
)

UNIT = Unit(ADD_REMOVE)


def spent_silently(run, *table, **arguments):
    """Whether the execution warns of nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        execute(run, *table, **arguments)
    return not caught


def test_the_second_execution_warns_with_the_sum(run, data):
    """Three executions cost three times as much, and each later one says so."""
    assert spent_silently(run, *data)
    with pytest.warns(PrivacyWarning, match=r"execution 2 on .* \(2, 2e-6\)-differential privacy"):
        execute(run, *data)
    with pytest.warns(PrivacyWarning, match=r"execution 3 on .* \(3, 3e-6\)-differential"):
        execute(run, *data)


def test_another_certificate_spends_the_same_table(run, symbolic, data):
    """What counts is the table, not the certificate."""
    execute(run, *data)
    with pytest.warns(PrivacyWarning, match=r"by composition, \(3, 3e-6\)"):
        execute(symbolic.at(epsilon=2, delta="2e-6", gamma="1/3"), *data)


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
