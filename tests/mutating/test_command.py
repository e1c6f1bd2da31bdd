"""python -m tests.mutating: tables, JSON, and an exit status that tells."""

from __future__ import annotations

import json

import pytest

from dpframe.prover import total
from dpframe.prover.judge import Earned
from tests.mutating.__main__ import main


def test_a_regression_by_name(capsys):
    """Exit status 0, a table, the sums."""
    assert main(["SSP", "--set", "ridge=2", "--list", "--repairs"]) == 0
    output = capsys.readouterr().out
    assert "No survivors." in output
    assert "refused: SSP, half: gram: all releases together:" in output
    assert "refusals offer a way out" in output


def test_json(capsys):
    """One record a mutant."""
    assert main(["DPME", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {one["verdict"] for one in records} >= {"refused", "accepted"}


def test_survivors_are_named(capsys, monkeypatch):
    """Exit status 1."""
    monkeypatch.setattr(total, "judge", lambda _, move: Earned(move.obligation("so")))
    assert main(["AdaSSP"]) == 1
    assert "survivor: AdaSSP, half: " in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["SSP", "--all"], ["OLS"], ["NoSuchRegression"]])
def test_bad_arguments(words):
    """Exit status 2, with a sentence."""
    with pytest.raises(SystemExit, match="2"):
        main(words)
