"""What a person sees: the page, the record, the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.audits.lower_bounds import of_certificates
from dpframe.cli import app

TABLES = (np.ones((3, 1)), np.ones((2, 1)))


def release(X, seed):
    """A count with half the noise that epsilon = 1 needs."""
    return len(X) + np.random.default_rng(seed).laplace(0.0, 0.5)


def ran(*arguments):
    """The command, and what it printed."""
    return CliRunner().invoke(app, ["attack", *arguments])


def test_a_flagged_page_says_so_first():
    """Verdict, claim, bounds, confidence, what was tried, what it means."""
    text = str(dp.attack(dp.Laplace(scale="1/2"), claim=dp.PureDP(1), draws=4000, seed=1))
    assert text.startswith("Attack on laplace at sensitivity 1: FLAGGED")
    for part in (
        "Claimed: 1-differential",
        "epsilon >=",
        "Confidence 0.95",
        "REFUTED",
        "NOT private",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_page_without_a_flag_is_no_praise():
    """It says that nothing is proved."""
    text = str(dp.attack(dp.Laplace(scale=1), draws=4000, seed=1))
    assert "not flagged" in text.splitlines()[0]
    assert "no proof" in text
    assert "REFUTED" not in text


def test_a_record_is_json_with_the_pair():
    """Everything that the page has; the tables themselves."""
    found = dp.attack(release, on=TABLES, claim=dp.PureDP(1), draws=1000, seed=1)
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["flagged"] is True
    assert record["pair"]["tables"][1]["X"] == [[1.0], [1.0]]
    assert record["findings"][0]["flagged"] is True
    assert "flagged" in repr(found)


def test_what_was_not_tried_is_said(monkeypatch):
    """A procedure whose law nobody knows: the page names it."""
    monkeypatch.setattr(of_certificates, "shortness", lambda *_: None)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(dp.regressions.ObjPertPure(), target=dp.PureDP(2), setting=setting)
    found = dp.attack(run, draws=400, seed=1)
    assert len(found.passed_over) == 1
    assert "not tried: " in str(found)


def test_progress_is_told():
    """Each step in words."""
    told = []
    dp.attack(dp.mechanisms.PermuteAndFlipSelection(scale=1), draws=1000, seed=1, told=told.append)
    assert any("pairs of laws" in one for one in told)
    assert any("1000 draws" in one for one in told)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["Laplace", "--set", "scale=1"], 0, "not flagged"),
        (["Laplace", "--set", "scale=1/2", "--epsilon", "1"], 1, "REFUTED"),
        (["SSP", "--epsilon", "3"], 0, "all releases together"),
        (["Laplace"], 2, "--set"),
        (["Lapalce"], 2, "dpframe list"),
        (["SSP", "--draws", "3"], 2, "draws"),
    ],
)
def test_the_command(arguments, status, said):
    """Exit 0 where nothing is flagged, 1 where a claim is refuted, 2 for a bad argument."""
    found = ran("--draws", "1000", "--seed", "1", *arguments)
    assert found.exit_code == status, found.output
    assert said in found.output


def test_the_command_attacks_a_program(tmp_path, monkeypatch):
    """module:function, with its claim and its tables; as JSON."""
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "tables = (np.ones((3, 1)), np.ones((2, 1)))\n"
        "def release(X, seed):\n"
        "    return len(X) + np.random.default_rng(seed).laplace(0.0, 0.5)\n"
    )
    monkeypatch.chdir(tmp_path)
    asked = ("mine:release", "--on", "mine:tables", "--epsilon", "1", "--draws", "1000", "--json")
    found = ran(*asked, "--seed", "1")
    assert found.exit_code == 1, found.output
    assert json.loads(found.stdout)["flagged"] is True
