"""Documents and numbers on the way in: counted before they are parsed, and nothing is rounded."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe import documents
from dpframe.cli import app
from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.numbers import as_fraction, nonnegative, open_unit, positive

# ----------------- Documents are looked at before they are read, and counted before they are parsed
CHECKER = ["-m", "dpframe.kernel"]
LONG = 900  # seconds after which a test that hangs is ended


def accounts(path):
    """A ledger of records from a file."""
    return dp.RecordLedger.load(path)


def spending(path):
    """A filter from a file."""
    return dp.Filter.load(path)


READERS = {
    "certificate": dp.load,
    "description": dp.audits.read_description,
    "filter": spending,
    "record ledger": accounts,
}
COMMANDS = {
    "check": ["check", "{}"],
    "check --json": ["check", "--json", "{}"],
    "diff": ["diff", "{}", "{}"],
    "schema": ["certify", "SSP", "--epsilon", "1", "--schema", "{}"],
}


@pytest.fixture
def pipe(tmp_path):
    """A named pipe that nobody writes to."""
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    return path


@pytest.fixture
def sparse(tmp_path):
    """A file of a terabyte that takes no room."""
    path = tmp_path / "sparse.toml"
    with path.open("wb") as file:
        file.truncate(2**40)
    return path


@pytest.fixture
def many(tmp_path):
    """A short JSON document of too many values."""
    path = tmp_path / "many.json"
    path.write_text("[" + "[]," * documents.MOST_VALUES + "[]]")
    return path


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_pipe_and_a_device_are_no_documents(reader, pipe, tmp_path):
    """They are refused, not read: neither ends."""
    device = tmp_path / "device.toml"
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(DPFrameError, match="regular file"):
            reader(path)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_huge_file_is_refused_by_its_size(reader, sparse):
    """Reading it would take a terabyte."""
    with pytest.raises(DPFrameError, match="at most"):
        reader(sparse)


@pytest.mark.parametrize("reader", [dp.load, accounts], ids=["certificate", "record ledger"])
def test_values_are_counted_before_they_are_made(reader, many, monkeypatch):
    """The parser is not called."""
    monkeypatch.setattr(documents.json, "loads", None)
    with pytest.raises(DPFrameError, match="values"):
        reader(many)


@pytest.mark.parametrize(
    "reader",
    [dp.load, accounts, partial(dp.Setting.load, relation=dp.ADD_REMOVE)],
    ids=["certificate", "record ledger", "codebook"],
)
def test_a_repeated_key_is_refused(reader, tmp_path):
    """A reader of the file may see the other value."""
    path = tmp_path / "twice.json"
    path.write_text('{"columns": [{"name": "age", "lower": 18, "lower": 0, "upper": 90}]}')
    with pytest.raises(DPFrameError, match="'lower' twice"):
        reader(path)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_refuses_a_pipe_a_device_and_a_huge_file(command, pipe, sparse):
    """With its status for bad arguments."""
    for path in (str(pipe), "/dev/zero", str(sparse)):
        result = CliRunner().invoke(app, [word.format(path) for word in command])
        assert result.exit_code == 2
        assert not isinstance(result.exception, OSError | MemoryError)


def test_the_checker_alone_refuses_them_too(pipe, sparse, many):
    """As a program."""
    wrong = {pipe: "regular", "/dev/zero": "regular", sparse: "larger", many: "values"}
    for path, why in wrong.items():
        done = subprocess.run(
            [sys.executable, *CHECKER, str(path)],
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert (done.returncode, why in done.stdout) == (2, True)


def test_a_file_that_grows_while_it_is_read_is_cut_off(tmp_path, monkeypatch):
    """Files of /proc state no size."""
    path = tmp_path / "small"
    path.write_bytes(b"123456789")
    monkeypatch.setattr(documents.os, "fstat", lambda _: os.stat_result((0o100644, *[0] * 9)))
    assert documents.content_of(path, "it", 9) == b"123456789"
    with pytest.raises(InvalidArgument, match="at most"):
        documents.content_of(path, "it", 8)


def test_a_missing_file_says_why():
    """In the words of the operating system, without its exception."""
    with pytest.raises(DPFrameError, match="No such file") as caught:
        dp.load("/nowhere/certificate.json")
    assert caught.value.__cause__ is None


def test_a_table_is_a_regular_file(tmp_path):
    """A pipe with the name of a table is refused before anything waits for it."""
    path = tmp_path / "survey.csv"
    os.mkfifo(path)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    with pytest.raises(dp.BadData, match="regular file"):
        dp.execute(run, path, rng=0)


# -------------------------------------------------------------------------------------- Exact input
@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(3602879701896397, 2**55)),
        (np.float64(0.1), Fraction(3602879701896397, 2**55)),
        (5e-324, Fraction(1, 2**1074)),
        (-0.0, Fraction(0)),
        (3, Fraction(3)),
        (np.int8(100), Fraction(100)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_numbers_are_taken_exactly(value: object, exact: Fraction) -> None:
    """A float is its exact binary value; integers of numpy do not overflow later."""
    number = as_fraction("epsilon", value)
    assert number == exact
    assert type(number.numerator) is int


@pytest.mark.parametrize(
    "value",
    [
        *(True, np.bool_(True), "0.1", None, Decimal("0.1"), 1j, [1]),
        *(np.array([1.0]), np.float32(0.1), np.float64("nan")),
        *(float("nan"), float("inf"), -float("inf")),
    ],
)
def test_other_values_are_refused_by_name(value: object) -> None:
    """Booleans, text, nan, infinities and foreign numbers are refused, naming the argument."""
    with pytest.raises(InvalidArgument, match=r"^epsilon must be an exact number"):
        as_fraction("epsilon", value)


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (nonnegative, [0, 5e-324, 7], [-5e-324, -1]),
        (positive, [5e-324, 7], [0, -0.0, -1]),
        (open_unit, [5e-324, 1 - 2**-53], [0, 1, 1.5, -0.5]),
    ],
)
def test_domains(domain: object, inside: list[float], outside: list[float]) -> None:
    """Each domain takes its own numbers and refuses the others by name."""
    assert callable(domain)
    for value in inside:
        assert domain("delta", value) == Fraction(value)
    for value in outside:
        with pytest.raises(InvalidArgument, match=r"^delta must be"):
            domain("delta", value)
