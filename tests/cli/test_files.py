"""Files that commands write: none is overwritten unless the user says so; and what help says."""

import hashlib
import json
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app
from dpframe.cli.app import COMMANDS
from tests.support.commands import both_streams, call

CLAIM = ("--epsilon", "1", "--delta", "1e-6")
BALL = ("--norm", "1", "--bound", "1")
BOOK = (
    '{"columns": [{"name": "age", "lower": 0, "upper": 9}],\n "target": {"lower": 0, "upper": 9}}'
)
LEVELS = (
    '{"columns": [{"name": "town", "levels": ["Bern", "Basel"]}], '
    '"target": {"lower": 0, "upper": 9}}'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table, a codebook and a ledger, in the current folder."""
    (tmp_path / "t.csv").write_text("age,y,town\n3,4,bern\n2,2,basel\n")
    (tmp_path / "book.json").write_text(BOOK)
    monkeypatch.chdir(tmp_path)
    both_streams("ledger", "create", "l.sqlite", "panel", "--epsilon", "9", "--delta", "1e-4")
    return tmp_path


def fit(*more, table="t.csv", status=0):
    """A fit of the table, by default private."""
    given = ("fit", "SSP", table, "--target", "y", *CLAIM, "--schema", "book.json")
    return " ".join(both_streams(*given, *more, status=status).split())


LEDGER = ("--ledger", "l.sqlite", "--dataset", "panel")
SIMULATE = ("--simulate", "1")


# ------------------------------------------------------------------------- The standalone checker
def test_the_checker_never_overwrites_another_file(folder):
    """Neither a certificate, nor another zip file; an earlier checker is replaced."""
    other = folder / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("__main__.py", "print(1)")
    for path in (folder / "book.json", other):
        before = path.read_bytes()
        said = call("check", "--standalone", path, status=2)
        assert "--standalone must be a new file" in said
        assert path.read_bytes() == before
    before = (folder / "book.json").read_bytes()
    assert CliRunner().invoke(app, ["check", "book.json", "--standalone"]).exit_code == 2
    assert (folder / "book.json").read_bytes() == before


def test_the_checker_is_written_with_its_hash(folder):
    """The same bytes each time, and a program that accepts a certificate."""
    printed = [both_streams("check", "--standalone", "kernel.pyz") for _ in range(2)]
    digest = hashlib.sha256((folder / "kernel.pyz").read_bytes()).hexdigest()
    assert all(f"SHA-256 {digest}" in text for text in printed)
    assert all("kernel.pyz is written" in text for text in printed)
    both_streams("certify", "SSP", *CLAIM, *BALL, "--out", "proof.json")
    command = [sys.executable, "-I", "kernel.pyz", "proof.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("accepted: ")


@pytest.mark.parametrize("given", [[], ["a.json", "--standalone", "b.pyz"]])
def test_check_wants_a_file_or_a_place(given, folder):
    """Not both, not neither; nothing is written."""
    assert "FILE must be given, or --standalone kernel.pyz" in call("check", *given, status=2)
    assert not (folder / "b.pyz").exists()


# ------------------------------------------------------------------------------- Files of results
@pytest.mark.parametrize("option", ["--out", "--certificate"])
def test_a_fit_overwrites_no_result(folder, option):
    """Refused before the table is read or the ledger is charged; --force overwrites."""
    path = folder / "result.json"
    path.write_text("paid for")
    said = fit(*LEDGER, option, "result.json", table="absent.csv", status=2)
    assert f"{option} must be a new file; got 'result.json'. It exists" in said
    assert path.read_text() == "paid for"
    fit(*LEDGER, option, "result.json", status=2)
    fit(*SIMULATE, option, "result.json", status=2)
    assert path.read_text() == "paid for"
    assert dp.Ledger("l.sqlite").account("panel").runs == 0
    fit(*SIMULATE, option, "result.json", "--force")
    assert json.loads(path.read_text())


@pytest.mark.usefixtures("folder")
def test_two_options_do_not_name_one_file():
    """The second would overwrite the first."""
    said = fit(*SIMULATE, "--out", "a.json", "--certificate", "./a.json", status=2)
    assert "--out must be a file of its own" in said
    assert not Path("a.json").exists()


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("certify", "SSP", *CLAIM, *BALL), "--out"),
        (("audit", "SSP", *CLAIM, *BALL), "--html"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_other_results_are_not_overwritten(folder, command, option):
    """Unless --force is given."""
    if option == "--html":
        pytest.importorskip("jinja2")
    path = folder / "x"
    path.write_text("earlier")
    assert f"{option} must be a new file" in call(*command, option, path, status=2)
    assert path.read_text() == "earlier"
    both_streams(*command, option, path, "--force")
    assert path.read_text() != "earlier"


# --------------------------------------------------------------------------------- Ledgers
@pytest.mark.usefixtures("folder")
def test_a_ledger_that_does_not_exist_is_answered_with_the_line_that_creates_it():
    """The line works as it is printed."""
    said = fit("--ledger", "b.sqlite", "--dataset", "two words", status=2)
    line = "ledger create b.sqlite 'two words' --epsilon 1 --delta 1e-6 --relation add-remove"
    assert said.endswith(f"dpframe {line}")
    replaced = ("--relation", "replace-one")
    more = ("--ledger", "b.sqlite", "--dataset", "a", *replaced)
    assert fit(*more, status=2).endswith("--relation replace-one")
    assert "FILE must be an existing ledger" in call("ledger", "show", "b.sqlite", status=2)


@pytest.mark.usefixtures("folder")
def test_a_data_set_in_other_capitals_is_named():
    """Another name is answered with how to create one."""
    assert "Did you mean 'panel'?" in fit(*LEDGER[:3], "Panel", status=2)
    assert "Did you mean" not in fit(*LEDGER[:3], "other", status=2)


@pytest.mark.usefixtures("folder")
def test_runs_are_numbered_one_by_one():
    """Not by the entries of the chain."""
    for _ in range(2):
        fit(*LEDGER)
    shown = both_streams("ledger", "show", "l.sqlite", "panel").splitlines()
    assert [line.split()[0] for line in shown if "released" in line] == ["1", "2"]


@pytest.mark.usefixtures("folder")
def test_a_fit_without_a_ledger_says_so():
    """In its receipt; a simulation spends nothing."""
    words = "not recorded in a ledger: earlier runs on this table are not counted"
    assert words in fit()
    assert words not in fit(*LEDGER)
    assert words not in fit(*SIMULATE)


def test_a_fit_of_several_files_says_whose_rows_it_counts(folder):
    """Of one file, or where the rows of a person are counted, it does not."""
    (folder / "more.csv").write_text("age,y,town\n5,6,bern\n")
    both = ("more.csv", *SIMULATE)
    assert "A person in several of these files has several rows" in fit(*both)
    assert "several of these files" not in fit(*both, "--rows-per-person", "2")
    assert "several of these files" not in fit(*SIMULATE)


@pytest.mark.usefixtures("folder")
def test_a_ledger_as_text_is_answered_with_the_call():
    """In Python."""
    X, y = dp.Rows(columns=[dp.Numeric("age", 0, 9)]), dp.Column(lower=0, upper=9)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE)
    given = {"epsilon": 1, "delta": "1e-6", "setting": setting, "dataset": "panel"}
    with pytest.raises(dp.InvalidArgument, match=r"dp\.Ledger\('l\.sqlite'\) opens it"):
        dp.PrivateRegressor(dp.SSP(), ledger="l.sqlite", **given).fit("t.csv", "y")


# ------------------------------------------------------------------------------- Help and messages
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_flags_are_shown_without_a_value(name):
    """No flag takes one; --help itself is one."""
    assert "<bool>" not in call(*([name] if name else []), "--help")
    command = get_command(app).commands.get(name)
    if name == "ledger":
        assert "<bool>" not in call("ledger", "show", "--help")
    assert command is not None or not name


@pytest.mark.usefixtures("folder")
def test_notes_is_an_option():
    """The summary names it, and it prints what is left out."""
    short, whole = fit(*SIMULATE), fit(*SIMULATE, "--notes")
    assert "--notes prints all notes" in short
    assert "summary(" not in short
    assert "prints all notes" not in whole
    assert len(whole) > len(short)


MESSAGES = {
    "no file": ("nofile.csv", None, BOOK, "TABLE must be an existing file; got 'nofile.csv'. No s"),
    "semicolons": ("t.csv", "age;y\n3;4\n", BOOK, "Is it separated by commas"),
    "tabs": ("t.csv", "age\ty\n3\t4\n", BOOK, "Is it separated by commas"),
    "JSON": ("t.csv", None, BOOK.replace("9}}", "9,}}"), "an error in line 2, column 36"),
    "renamed": (
        "t.csv",
        "alter,town,y\n3,a,4\n",
        BOOK.replace("}]", '}, {"name": "town", "levels": ["a", "b"]}]'),
        "got 0 of that name. TABLE has alter, town, y.",
    ),
    "level": ("t.csv", None, LEVELS, "missing ones. Spell the levels as the table does"),
    "bias": ("t.csv", None, LEVELS, "at no cost in privacy, but may bias it"),
}


@pytest.mark.parametrize(("table", "rows", "book", "says"), MESSAGES.values(), ids=MESSAGES)
def test_messages_say_what_to_look_at(folder, table, rows, book, says):
    """In the words of the command line."""
    (folder / "book.json").write_text(book)
    if rows is not None:
        (folder / table).write_text(rows)
    assert says in fit(*SIMULATE, table=table, status=2)


def test_a_comparison_shows_that_it_works(monkeypatch):
    """On a terminal, while it computes."""
    shown = []

    @contextmanager
    def waiting(text):
        shown.append(text)
        yield

    monkeypatch.setattr("dpframe.cli.compare.waiting", waiting)
    call("compare", "--epsilon", "1")
    assert len(shown) == 1


def test_equal_points_are_compared_once():
    """However they are written."""
    at = ("--delta", "1e-6", "--json")
    once = call("compare", "--epsilon", "1", *at)
    assert call("compare", "--epsilon", "1, 1.0,10/10", *at) == once
    assert call("compare", "--pair", "1,1e-6", "--pair", "1,0.000001", "--json") == once


@pytest.mark.usefixtures("folder")
def test_a_simulation_is_charged_to_no_ledger():
    """The option of the command line is named."""
    assert "--simulate must be left out with --ledger" in fit(*SIMULATE, *LEDGER, status=2)
