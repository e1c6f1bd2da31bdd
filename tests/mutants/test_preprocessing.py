"""Preprocessing that reads the data is refused by its path."""

from __future__ import annotations

import pytest

from tests.mutants.preprocessing_cases import MOVED, MUTANTS


@pytest.mark.parametrize("name", MOVED)
@pytest.mark.parametrize("n", [10, 1000])
def test_one_record_moves_them_all(name, n):
    """numpy alone: the statistic that was thought to move by 2 at most moves in proportion to n."""
    assert MOVED[name](n) >= n / 5
    if name.startswith("T05") and name != "T05y":
        assert MOVED[name](n) == 2 * (n - 1)


@pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)
def test_the_path_is_shown(case):
    """From the raw data through the aggregate to what it would have reached."""
    if case.decides != "TAINT":
        pytest.skip("nothing raw: something else is wrong")
    rules = [one.rule for one in case.examine().open_obligations]
    assert any(("X -> " in rule or "y -> " in rule) for rule in rules)


def test_the_path_ends_at_the_statistic():
    """X -> mean -> z-score -> X'X."""
    case = next(one for one in MUTANTS if one.name == "T05z")
    rules = " ".join(one.rule for one in case.examine().open_obligations)
    assert "X -> clip to norm 1 -> mean -> centre of X" in rules
    assert "divide columns by std -> X'X" in rules
