"""The command line answers wrong input by one sentence and the exit status 2, never by a traceback;
codebooks and formulas are read by every command that describes a table.
"""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app
from tests.support.commands import both_streams

BOOK = {
    "columns": [
        {"name": "age", "lower": 18, "upper": 64},
        {"name": "bmi", "lower": 15, "upper": 55},
        {"name": "smoker", "levels": ["no", "yes"]},
    ],
    "target": {"lower": 0, "upper": 60000},
    "intercept": True,
}
ONE = ("--epsilon", "1", "--delta", "1e-6")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table and its codebook, in the current folder."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(18, 64, 300), "bmi": rng.uniform(15, 55, 300)})
    frame["smoker"] = rng.choice(["no", "yes"], 300)
    frame["charges"] = 500 * frame["age"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps(BOOK))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fit(*more, name="SSP", status=0):
    """A fit of the table."""
    given = (name, "t.csv", "--target", "charges", *ONE, "--schema", "s.json", "--simulate", 1)
    return both_streams("fit", *given, *more, status=status)


@pytest.mark.usefixtures("folder")
def test_a_fit_prints_standard_errors_and_intervals():
    """Those of the summary; in JSON, too."""
    printed = fit("--alpha", "0.1")
    assert all(word in printed for word in ("std err", "[0.05", "0.95]", "identified"))
    record = json.loads(fit("--json", "--alpha", "0.1"))["summary"]
    assert record["alpha"] == 0.1
    joint = fit("--json", "--alpha", "0.1", "--simultaneous", "bonferroni")
    jointly = json.loads(joint)["summary"]
    assert jointly["simultaneous"] == "bonferroni"
    pairs = zip(jointly["coefficients"], record["coefficients"], strict=True)
    known = [(one["upper"], other["upper"]) for one, other in pairs if other["upper"] is not None]
    assert known
    assert all(one > other for one, other in known)
    assert [one["name"] for one in record["coefficients"]][:2] == ["age", "bmi"]
    assert {"std_err", "lower", "upper"} <= set(record["coefficients"][0])


@pytest.mark.usefixtures("folder")
def test_a_fit_without_standard_errors_says_why():
    """And prints what was paid for."""
    printed = fit(name="AdaOPS")
    assert "There are no intervals: AdaOPS is not" in printed
    assert any(line.lstrip().startswith("age ") for line in printed.splitlines())


@pytest.mark.usefixtures("folder")
def test_audits_and_certificates_read_the_codebook(tmp_path):
    """The same setting as a fit's."""
    both_streams("certify", "SSP", *ONE, "--schema", "s.json", "--out", tmp_path / "c.json")
    columns = [dp.Numeric("age", 18, 64), dp.Numeric("bmi", 15, 55)]
    columns = [*columns, dp.Categorical("smoker", ["no", "yes"])]
    X, y = dp.Rows(columns=columns, intercept=True), dp.Column(lower=0, upper=60000)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE)
    target = dp.ApproxDP(1, "1e-6")
    known = dp.certify(dp.SSP(), target=target, setting=setting)
    assert dp.load(tmp_path / "c.json").hash == known.hash
    record = json.loads(both_streams("audit", "SSP", *ONE, "--schema", "s.json", "--json"))
    assert record["releases"][0]["sensitivity"] == "4"
    description = tmp_path / "x.toml"
    description.write_text("")
    both_streams("audit", description, "--schema", "s.json", status=2)


@pytest.mark.usefixtures("folder")
def test_formulas_stand_beside_a_codebook():
    """In every command that reads one."""
    pytest.importorskip("formulaic")
    formula = ("--formula", "age + C(smoker) + bmi:C(smoker)")
    assert "bmi:smoker[yes]" in fit(*formula)
    record = json.loads(
        both_streams("audit", "SSP", *ONE, "--schema", "s.json", *formula, "--json")
    )
    assert record["releases"][0]["sensitivity"] == "5"
    printed = both_streams("certify", "SSP", *ONE, *formula, status=2)
    wanted = "--formula must be given with --schema, its codebook; got --formula alone. Add"
    assert printed.startswith(wanted)


@pytest.mark.usefixtures("folder")
def test_a_label_is_no_feature():
    """Named by the codebook or by a formula, it would predict itself."""
    given = ("t.csv", "--target", "bmi", *ONE, "--schema", "s.json")
    told = both_streams("fit", "SSP", *given, status=2)
    assert told.startswith("--target must be no column that is a feature; got 'bmi'.")
    pytest.importorskip("formulaic")
    both_streams("fit", "SSP", *given, "--formula", "age*bmi", status=2)
    assert "age" in both_streams("fit", "SSP", *given, "--formula", "age", "--simulate", "1")


A = {"name": "a", "lower": 0, "upper": 1}
BOUND = {"bound": 1}
BAD_BOOKS = {
    "no JSON": "{",
    "deep": "[" * 100_000,
    "NaN": '{"columns": [{"name": "a", "lower": NaN, "upper": 1}], "target": {"bound": 1}}',
    "a list": [1],
    "no target": {"columns": []},
    "no columns": {"columns": [], "target": BOUND},
    "a number": {"columns": 3, "target": BOUND},
    "texts": {"columns": ["age"], "target": BOUND},
    "a name": {"columns": [A | {"name": 5}], "target": BOUND},
    "bounds": {"columns": [A | {"lower": 1, "upper": 0}], "target": BOUND},
    "nested": {"columns": [A | {"lower": [0], "upper": {}}], "target": BOUND},
    "one end": {"columns": [{"name": "a", "lower": 0}], "target": BOUND},
    "a wrong key": {"columns": [A | {"x": 1}], "target": BOUND},
    "levels": {"columns": [{"name": "a", "levels": 5}], "target": BOUND},
    "lists": {"columns": [{"name": "a", "levels": [[1], [2]]}], "target": BOUND},
    "a label": {"columns": [A], "target": {"bound": [1]}},
    "an empty target": {"columns": [A], "target": {}},
    "a mean": {"columns": [A], "target": {"mean": 1}},
    "a half": {"columns": [A], "target": {"lower": 1}},
    "a word": {"columns": [A], "target": {"bound": "1/0"}},
    "more": {"columns": [A], "target": BOUND, "more": 1},
    "an intercept": {"columns": [A], "target": BOUND, "intercept": 1},
}


@pytest.mark.parametrize("book", BAD_BOOKS)
def test_codebooks_that_are_none_are_refused(folder, book):
    """By each command, in one sentence."""
    bad = BAD_BOOKS[book]
    (folder / "s.json").write_text(bad if isinstance(bad, str) else json.dumps(bad))
    said = {fit(status=2), both_streams("certify", "SSP", *ONE, "--schema", "s.json", status=2)}
    said |= {both_streams("audit", "SSP", *ONE, "--schema", "s.json", status=2)}
    assert len(said) == 1
    assert " must be " in said.pop()


WRONG = [
    ("fit", "SSP", "nope.csv", "--target", "charges", *ONE, "--schema", "s.json"),
    ("fit", "SSP", ".", "--target", "charges", *ONE, "--schema", "s.json"),
    ("fit", "SSP", "s.json", "--target", "charges", *ONE, "--schema", "s.json"),
    ("fit", "SSP", "t.csv", "--target", "charges", *ONE, "--schema", "t.csv"),
    ("fit", "SSP", "t.csv", "--target", "charges", *ONE, "--norm", "nan", "--bound", "1"),
    ("fit", "SSP", "t.csv", "--target", "charges", *ONE, "--schema", "s.json", "--alpha", "2"),
    (
        *("fit", "SSP", "t.csv", "--target", "charges", *ONE, "--schema", "s.json"),
        *("--simultaneous", "most"),
    ),
    ("fit", "Nope", "t.csv", "--target", "charges", *ONE, "--schema", "s.json"),
    ("certify", "SSP", "--epsilon", "1/0"),
    ("certify", "SSP", "--epsilon", "9" * 400),
    ("certify", "SSP", *ONE, "--set", "ridge=abc"),
    ("certify", "SSP", *ONE, "--norm", "1", "--schema", "s.json"),
    ("audit", "SSP", *ONE, "--box", "1", "--schema", "s.json"),
    ("audit", "SSPWang", "--epsilon", "1e400", "--delta", "1e-6"),
    ("check", "t.csv"),
    ("diff", "t.csv", "s.json"),
    ("ledger", "show", "t.csv"),
    ("attack", "Laplace", "--set", "scale=0"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=lambda words: " ".join(words)[:50])
@pytest.mark.usefixtures("folder")
def test_wrong_input_is_answered_by_a_sentence(arguments):
    """And the exit status 2."""
    printed = both_streams(*arguments, status=2)
    assert "Traceback" not in printed
    assert printed.strip().splitlines()[-1].rstrip("╯").strip("─│ ╰")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"smoker": "no"}, "--target must be the name of a column"),
        ({"levels": ["No", "yes"]}, "declared levels, 'No', 'yes'; got other values"),
        ({"levels": ["No", "yes"]}, "--drop leaves those rows out"),
        ({"target": {"levels": ["a", "b"]}}, "label column charges must be 'a' or 'b'"),
    ],
)
def test_messages_are_in_terms_of_the_command_line(folder, change, said):
    """Options and the codebook, not arguments of Python."""
    book = json.loads(json.dumps(BOOK)) | {k: v for k, v in change.items() if k == "target"}
    book["columns"][2]["levels"] = change.get("levels", ["no", "yes"])
    (folder / "s.json").write_text(json.dumps(book))
    more = ("--target", "nope") if "smoker" in change else ()
    printed = " ".join(fit(*more, status=2).split())
    assert said in printed
    assert "missing=" not in printed


DESCRIBED = """
title = "A mode"
relation = "add-remove"
[claim]
epsilon = 1
{delta}
[rows]
norm = 1
[labels]
bound = 2
[[release]]
name = "mode"
statistic = "bin_counts(y, -1, 0, 1)"
mechanism = "{mechanism}"
share = "{share}"
[output]
reads = ["mode"]
"""


@pytest.mark.parametrize(
    ("delta", "mechanism", "share", "claim"),
    [
        ("", 'exponential selection"\nscale = "2/epsilon', "epsilon", "2-diff"),
        ("delta = 1e-6", 'gaussian"\nstd = "9/epsilon', "epsilon, delta", "(2, 1e-6)-diff"),
    ],
)
def test_one_number_of_a_described_claim_is_replaced(tmp_path, delta, mechanism, share, claim):
    """--epsilon alone leaves the delta of the file, or none."""
    description = tmp_path / "d.toml"
    description.write_text(DESCRIBED.format(delta=delta, mechanism=mechanism, share=share))
    assert f"satisfies {claim}" in both_streams("audit", description, "--epsilon", 2)


def test_what_nobody_foresaw_is_one_sentence(monkeypatch):
    """Its class and place, not its message, which may quote data."""
    monkeypatch.delenv("DPFRAME_TRACEBACK", raising=False)

    def broken(*_, **__):
        raise KeyError("secret")

    monkeypatch.setattr(dp, "compare", broken)
    printed = both_streams("compare", status=3)
    assert "secret" not in printed
    assert printed.startswith("dpframe made a mistake: KeyError in ")
    monkeypatch.setenv("DPFRAME_TRACEBACK", "1")
    assert isinstance(CliRunner().invoke(app, ["compare"]).exception, KeyError)


@pytest.mark.parametrize(
    ("source", "said"),
    [("raise RuntimeError('secret')", "RuntimeError"), ("def (:", "Invalid syntax")],
)
def test_a_file_that_cannot_be_imported_is_named(source, said, tmp_path):
    """Its own error is no mistake of dpframe's."""
    file = tmp_path / f"broken_{len(source)}.py"
    file.write_text(source)
    printed = both_streams("audit", f"{file}:Mine", "--epsilon", 1, status=2)
    assert said in printed
    assert "secret" not in printed
    assert file.name in "".join(printed.split())
