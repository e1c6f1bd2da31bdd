"""The command: runs, goes on, reports, and refuses what is missing."""

import gzip

import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from benchmarks.contest import synthetic
from benchmarks.contest.__main__ import app
from benchmarks.contest.results import Results
from benchmarks.contest.synthetic import SyntheticWorld

HERE = ["--jobs", "1", "--folds", "2"]
QUICK = ["--repeats", "2", "--epsilon", "1", "--methods", "SSP,AdaSSP", "--flagship", "SSP"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets of 60 rows and 4 columns."""
    monkeypatch.delenv("DPFRAME_DATA", raising=False)
    for place, name in enumerate(("servo", "other")):
        rng = np.random.default_rng(place)
        X = rng.normal(size=(60, 4))
        values = np.column_stack([X, X.sum(axis=1) + rng.normal(size=60)])
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            np.savetxt(file, values, delimiter=",")
    return tmp_path


def call(*arguments, status=0):
    """Standard output where it ends well; the complaint where not."""
    done = CliRunner().invoke(app, [str(one) for one in (*HERE, *arguments)])
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else " ".join(done.stderr.split())


def test_it_runs_reports_and_goes_on(folder):
    """Results, a page; a second call runs nothing and writes the same."""
    out, page = folder / "out", folder / "contest.md"
    given = ["--data", folder, "--out", out, *QUICK, "--page", page]
    first = call(*given)
    lines = first.splitlines()
    assert all(line.startswith(("NOT PRIVATE", "wrote")) for line in lines)
    assert "milliseconds a fit" in first
    assert "2 worlds, 2 to 2 repeats" in first
    text, found = page.read_text(), Results(out).file.read_text()
    second = call(*given)
    assert "milliseconds a fit" not in second
    assert (page.read_text(), Results(out).file.read_text()) == (text, found)
    reported = call("--out", out, "--flagship", "SSP", "--report-only")
    assert reported == "".join(f"{one}\n" for one in second.splitlines() if "wrote" not in one)


def test_synthetic_worlds_need_no_folder(folder, monkeypatch):
    """Both bounds and the synthetic family at once; SSP is no rival of itself."""
    monkeypatch.setattr(synthetic, "SYNTHETIC", (SyntheticWorld(60, 2, 1),))
    call("--worlds", "synthetic", "--out", folder / "out", *QUICK)
    given = ["--data", folder, "--sets", "servo", "--bounds", "both"]
    printed = call("--worlds", "both", *given, "--out", folder / "out", *QUICK)
    for title in ("synthetic, known", "uci, paper", "uci, stated"):
        assert f"{title} bounds, epsilon 1" in printed
    assert len(Results(folder / "out").records()) == 3 * 2 * (3 + 2)


def test_what_is_missing_is_said(folder):
    """No folder, a wrong set, a wrong method, a wrong number: exit status 2 and the way out."""
    out = ["--out", folder / "out"]
    assert "DPFRAME_DATA" in call(*out, *QUICK, status=2)
    absent = call(*out, *QUICK, "--data", folder / "absent", status=2)
    assert "a folder of UCI sets" in absent
    given = [*out, "--data", folder]
    assert "The folder has other, servo" in call(*given, "--sets", "yacht", status=2)
    assert "dpframe list" in call(*given, "--methods", "Nobody", status=2)
    assert "separated by commas" in call(*given, "--epsilon", "one", status=2)
    nowhere = folder / "nowhere" / "page.md"
    assert "a folder that exists" in call(*given, "--page", nowhere, status=2)
    assert "Run the contest" in call(*out, "--report-only", "--page", folder / "p.md", status=2)
    assert not (folder / "out").exists()


def test_a_refused_method_is_named(folder):
    """Published adaSSP under replace-one at epsilon 10."""
    given = ["--data", folder, "--sets", "servo", "--out", folder / "out", "--relation"]
    asked = ["replace-one", "--epsilon", "10", "--repeats", "1", "--methods", "AdaSSPWang,SSP"]
    printed = call(*given, *asked, "--flagship", "SSP")
    assert (
        "left out: AdaSSPWang at epsilon 10: AdaSSPWangIsotropic(rho=1/20) is not certified"
        in printed
    )
    assert dp.REPLACE_ONE.name
    assert {one["method"] for one in Results(folder / "out").records() if one["epsilon"]} == {"SSP"}
