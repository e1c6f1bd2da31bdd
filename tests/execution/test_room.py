"""What does not fit into memory is refused from public sizes, before a row is read."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import BadData
from dpframe.execution import execution as room
from dpframe.execution.execution import BYTES, check_room, entries

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def statistics(setting=SETTING):
    """Those of noisy sums."""
    return dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting).graph.statistics


def test_entries_are_those_of_the_released_shapes():
    """X'X and X'y of seven columns."""
    assert sum(entries(one, {"d": 7}) for one in statistics()) == 7 * 7 + 7


def test_levels_count_as_columns():
    """Whatever the table's own number of columns is."""
    columns = [dp.Categorical("town", [f"town {j}" for j in range(30)]), dp.Numeric("u", 0, 1)]
    rows = dp.Rows(columns=columns)
    coded = statistics(dp.Setting(X=rows, y=dp.Column(bound=1), relation=dp.ADD_REMOVE))
    width = sum(part.width for part in rows.columns)
    assert max(entries(one, {"d": 2}) for one in coded) == width**2


@pytest.mark.parametrize(("spare", "refused"), [(0, False), (-1, True)])
def test_the_limit_is_what_was_given(spare, refused):
    """One byte decides."""
    most = (7 * 7 + 7) * BYTES + spare
    if not refused:
        check_room(statistics(), {"d": 7}, most)
        return
    with pytest.raises(BadData, match="fit into"):
        check_room(statistics(), {"d": 7}, most)


def test_nothing_is_read_or_charged_before(monkeypatch, tmp_path):
    """The ledger keeps its whole budget."""
    monkeypatch.setattr(room, "memory", lambda: 1000)
    ledger = dp.Ledger(tmp_path / "ledger")
    ledger.create("survey", dp.ApproxDP(5, "1e-5"))
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)

    def blocks():
        yield np.zeros((1, 7)), np.zeros(1)
        raise AssertionError("a second block was asked for")

    with pytest.raises(BadData, match="fit into"):
        dp.execute(run, blocks(), ledger=ledger, dataset="survey")
    assert ledger.charges("survey") == ()
