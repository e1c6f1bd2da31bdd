"""Commands that help to choose: recommend, list, diff; and what a fit says of its columns."""

from __future__ import annotations

import json
import shlex

import pytest

import dpframe as dp
from tests.support.commands import both_streams, call

ONE = ("--epsilon", "1", "--delta", "1e-6")
BALL = ("--norm", "1", "--bound", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table of two features in the current folder."""
    (tmp_path / "t.csv").write_text("a,b,y\n.1,.2,.3\n.2,.1,.4\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_recommend_is_the_function():
    """Its first regression, spelled as the command line reads it, and its prediction."""
    printed = call("recommend", "-n", "20000", "-d", "8", *ONE)
    found = dp.recommend(n=20_000, d=8, epsilon=1, delta="1e-6")
    assert printed.splitlines()[0] == type(found.regression).__name__
    assert "JointSSP.for_intervals\n" in printed
    assert "dp." not in printed


BOOK = {
    "columns": [
        {"name": "age", "lower": 20, "upper": 80},
        {"name": "sex", "levels": ["f", "m"]},
    ],
    "target": {"lower": 0, "upper": 100},
    "intercept": True,
}


def test_recommend_ends_with_lines_that_fit(folder):
    """With the options that were given; conditions and lengths are in units of the columns."""
    (folder / "book.json").write_text(json.dumps(BOOK))
    given = ["--schema", "book.json", "--relation", "replace-one"]
    printed = call("recommend", "-n", "1500", *given, "--epsilon", "2", "--delta", "1e-6")
    assert "std 12" in printed  # 20% of the range of age
    assert "R-squared" in printed
    intervals, predictions = printed.splitlines()[-2:]
    assert intervals.startswith("For intervals: dpframe fit JointSSP.for_intervals TABLE.csv")
    rows = [f"{20 + k % 60},{'fm'[k % 2]},{k % 90}" for k in range(200)]
    (folder / "TABLE.csv").write_text("\n".join(["age,sex,LABELS", *rows]))
    _, *words = shlex.split(predictions.partition(": ")[2])
    assert "for one row replaced" in call(*words, "--simulate", "1")
    pure = call("recommend", "-n", "1500", *given, "--epsilon", "2")
    assert pure.startswith("Pure privacy, since delta is 0.")
    assert pure.splitlines()[-1].endswith("--epsilon 2 --delta 0")


def test_list_says_when_to_use_each():
    """The default first; whole sentences."""
    first, default, *_ = call("list", "--variant", "recommended").splitlines()
    assert first.split() == ["name", "use", "it", "for"]
    assert default.split()[:3] == ["JointSSP", "The", "default:"]
    assert (
        "one posterior sample under replace-one" in call("list", "--variant", "recommended").lower()
    )


@pytest.mark.usefixtures("folder")
def test_diff_shows_the_regression_first():
    """Then the claim and bounds, and noise by release; every step with --all."""
    both_streams("certify", "JointSSP", "--set", "scaling=0", *ONE, *BALL, "--out", "a.json")
    both_streams("certify", "SSP", *ONE, "--norm", "2", "--bound", "1", "--out", "b.json")
    lines = both_streams("diff", "a.json", "b.json", status=1).splitlines()
    assert lines[1].strip() == "~ regression: JointSSP -> SSP"
    assert any("~ norm of clip_norm(X): 1 -> 2" in line for line in lines)
    assert any(line.strip().startswith("~ noise of gram: ") for line in lines)
    assert len(lines) < 25
    assert not any("code" in line for line in lines)
    assert len(both_streams("diff", "a.json", "b.json", "--all", status=1).splitlines()) > 100


def test_diff_names_a_file_that_is_no_certificate(folder):
    """And the commands that write one."""
    (folder / "r.json").write_text(json.dumps({"coefficients": {}}))
    both_streams("certify", "SSP", *ONE, *BALL, "--out", "a.json")
    said = call("diff", "a.json", "r.json", status=2)
    assert "got 'r.json'" in said
    assert "fit --certificate" in said


FIT = ("fit", "SSP", "t.csv", "--target", "y")


@pytest.mark.usefixtures("folder")
def test_a_fit_without_a_codebook_names_its_columns():
    """Before anything is charged; none in JSON."""
    assert call(*FIT, *ONE, *BALL, "--simulate", "1").startswith("Features: a, b, ")
    json.loads(call(*FIT, *ONE, *BALL, "--simulate", "1", "--json"))


HALF = {"columns": [{"name": "a", "lower": 0}], "target": {"bound": 1}}
NO_TARGET = {"columns": [{"name": "a", "lower": 0, "upper": 1}]}


@pytest.mark.parametrize(
    ("book", "says"),
    [(HALF, "column a must be an object with the key 'upper'"), (NO_TARGET, "key 'target'")],
)
def test_a_missing_key_of_a_codebook_is_named(folder, book, says):
    """With its column."""
    (folder / "book.json").write_text(json.dumps(book))
    assert says in call(*FIT, *ONE, "--schema", "book.json", status=2)


@pytest.mark.usefixtures("folder")
def test_messages_of_numbers_name_the_option():
    """Without advice on Python."""
    said = call(*FIT, "--epsilon", "one", "--delta", "1e-6", *BALL, status=2)
    assert said == "--epsilon must be a number written like '0.05', '1/3' or '1e-6'; got 'one'."


@pytest.mark.filterwarnings("default")
def test_a_warning_is_a_sentence_without_a_place_in_code():
    """On standard error, as errors are."""
    said = both_streams("recommend", "-n", "100", "-d", "3", "--epsilon", "1", "--delta", "0.01")
    assert "Warning: delta = 0.01 is not far below 1/n" in " ".join(said.split())
    assert "main.py" not in said
