"""dpframe experiment: lists, refuses, prints, writes; every line says NOT PRIVATE."""

import csv
import gzip

import pytest
from typer.testing import CliRunner

from dpframe.cli import app
from dpframe.experiments.catalogue import ITEMS

from .standing_in import put_all

QUICK = ["--not-private", "--quick", "--repeats", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets, and one that is in no table."""
    monkeypatch.delenv("DPFRAME_DATA", raising=False)
    monkeypatch.delenv("DPFRAME_INSURANCE", raising=False)
    data = tmp_path / "data"
    data.mkdir()
    put_all(data, "yacht", "airfoil", "other")
    return data


def call(*arguments, status=0, env=None):
    """What the command prints on both streams; it must exit with `status`."""
    done = CliRunner().invoke(app, ["experiment", *map(str, arguments)], env=env)
    assert done.exit_code == status, done.output
    assert (done.stderr == "") == (status == 0)
    return done.stdout if status == 0 else " ".join(done.stderr.split())


def test_the_list_has_every_name():
    """One line each, and what has stand-in data says so."""
    lines = call("list").splitlines()
    assert [line.split()[0] for line in lines] == list(ITEMS)
    assert sum("(stand-in data)" in line for line in lines) == sum(
        bool(one.stand_in) for one in ITEMS.values()
    )


def test_a_table_is_printed_and_written(folder, tmp_path):
    """Each line and each record says NOT PRIVATE; what is not there is named."""
    out = tmp_path / "out"
    printed = call("wang-table-3", *QUICK, "--data", folder, "--out", out)
    lines = printed.splitlines()
    assert all(line.startswith("NOT PRIVATE") for line in lines)
    assert not any("other" in line.split() for line in lines)
    assert any("not here: " in line and "wine" in line for line in lines)
    rows = list(csv.DictReader((out / "wang-table-3.csv").read_text().splitlines()))
    assert {row["set"] for row in rows} == {"airfoil", "yacht"}
    assert {row["label"] for row in rows} == {"NOT PRIVATE"}
    assert {row["published"] for row in rows if row["method"] == "SSP"} == {"0.232", "4.92"}
    assert (out / "remembered" / "wang-uci.jsonl").is_file()


def test_a_figure_is_drawn(tmp_path):
    """As PNG and SVG."""
    pytest.importorskip("matplotlib")
    call("wang-figure-1", *QUICK, "--out", tmp_path)
    assert (tmp_path / "wang-figure-1.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "wang-figure-1.svg").read_text()


def test_the_second_time_nothing_is_computed(folder, tmp_path, monkeypatch):
    """The same table from stored results."""
    arguments = ["acharya-table-2", *QUICK, "--data", folder, "--out", tmp_path]
    first = call(*arguments)
    monkeypatch.setattr("dpframe.experiments.catalogue.Method.fit", None)
    again = call(*arguments)
    assert first.splitlines()[:-2] == again.splitlines()[:-2]


def test_what_is_not_private_needs_leave(folder):
    """The refusal names the way."""
    assert "--not-private must be given" in call("wang-table-3", "--data", folder, status=2)


def test_missing_data_is_said(folder, tmp_path):
    """No folder named, a folder without sets, a name that is none, a table without its sets."""
    out = ("--out", tmp_path / "out")
    assert "--data or DPFRAME_DATA" in call("wang-table-3", *QUICK, *out, status=2)
    assert "DPFRAME_INSURANCE" in call("acharya-table-2", *QUICK, *out, status=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "a folder of UCI sets" in call("wang-table-3", *QUICK, *out, "--data", empty, status=2)
    assert "experiment list" in call("wang-table-9", *QUICK, *out, status=2)
    output = call("dandekar-figure-2", *QUICK, *out, "--data", folder)
    assert "none of its sets is here" in output


def test_a_short_set_is_refused(tmp_path):
    """By its number of rows."""
    with gzip.open(tmp_path / "yacht.csv.gz", "wt") as file:
        file.write("1,2\n" * 9)
    out = ("--out", tmp_path / "out")
    refused = call("wang-table-3", *QUICK, *out, "--data", tmp_path, status=2)
    assert "at least 10 rows" in refused
