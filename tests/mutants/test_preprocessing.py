"""Preprocessing that reads the data is refused by its path; public, per row or paid, it is not."""

from __future__ import annotations

import pytest

import dpframe as dp
from dpframe.prover import Verdict
from tests.mutants.cases import Declared
from tests.mutants.preprocessing_cases import MOVED, MUTANTS, VARIANTS

every_mutant = pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)


@every_mutant
def test_a_mutant_is_refused(case):
    """In words, with a way out, and a counterexample where something was refuted."""
    report = case.examine()
    assert not report.proved
    assert any(case.node in one.node for one in report.open_obligations)
    for one in report.open_obligations:
        assert one.rule
        assert one.facts
        assert one.repair
        assert one.verdict is not Verdict.REFUTED or str(one.witness)
    with pytest.raises(dp.Uncertified):
        dp.certify(Declared(case.name), target=case.target, setting=case.setting)


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


@pytest.mark.parametrize("case", VARIANTS, ids=lambda case: case.name)
def test_a_variant_is_accepted(case):
    """Proved, for all parameter values."""
    report = case.examine()
    assert report.proved, [str(one) for one in report.open_obligations]
