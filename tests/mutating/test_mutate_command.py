"""dpframe mutate: tables, JSON, and an exit status that tells."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dpframe.cli import app
from dpframe.prover import joint_total
from dpframe.prover.judge import Earned

run = CliRunner().invoke


def test_a_regression_by_name():
    """Exit status 0, a table, the sums."""
    done = run(app, ["mutate", "SSP", "--set", "ridge=2", "--list", "--repairs"])
    assert done.exit_code == 0, done.output
    assert "No survivors." in done.output
    assert "refused: SSP, half: gram: all releases together:" in done.output
    assert "refusals offer a way out" in done.output


def test_json():
    """One record a mutant."""
    done = run(app, ["mutate", "DPME", "--json"])
    assert done.exit_code == 0, done.output
    records = json.loads(done.output)
    assert {one["verdict"] for one in records} >= {"refused", "accepted"}


def test_survivors_are_named(monkeypatch):
    """Exit status 1."""
    monkeypatch.setattr(joint_total, "judge", lambda _, move: Earned(move.obligation("so")))
    done = run(app, ["mutate", "AdaSSP"])
    assert done.exit_code == 1
    assert "survivor: AdaSSP, half: " in done.output


@pytest.mark.parametrize("words", [[], ["SSP", "--all"], ["OLS"], ["NoSuchRegression"]])
def test_bad_arguments(words):
    """Exit status 2, with a sentence."""
    done = run(app, ["mutate", *words])
    assert done.exit_code == 2
    assert done.exception is None or isinstance(done.exception, SystemExit)
