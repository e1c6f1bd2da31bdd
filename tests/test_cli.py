"""The command line: what it prints, what it exits with, what it refuses."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.audits.figures import figure
from dpframe.prover.algebra import number
from tests.support.commands import call

ONE = ["--epsilon", "1", "--delta", "1e-6"]
BALL = ["--norm", "1", "--bound", "1"]
SCHEMA = {
    "columns": [
        {"name": "age", "lower": 18, "upper": 90},
        {"name": "smoker", "levels": ["no", "yes"]},
        {"name": "children", "levels": [0, 1, 2]},
    ],
    "target": {"lower": 0, "upper": 0.5},
    "intercept": True,
}


@pytest.fixture
def table(tmp_path):
    """A CSV file with a column of each kind, and its codebook as JSON."""
    rng = np.random.default_rng(3)
    n = 500
    frame = pd.DataFrame(
        {
            "age": rng.uniform(18, 90, n),
            "smoker": rng.choice(["no", "yes"], n),
            "children": rng.integers(0, 3, n),
            "y": rng.uniform(0, 0.5, n),
        }
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def test_list_says_what_there_is():
    """Name, variant, paper and title of each, within 100 columns, and how verdicts are had."""
    lines = call("list").splitlines()
    told = {line.split()[0]: line for line in lines if line.strip()}
    assert {cls.__name__ for cls in dp.literature.REGRESSIONS} <= set(told)
    assert told["AdaSSPWang"].split() == ["AdaSSPWang", "printed", "Wang18", "adaSSP"]
    assert "--verdicts" in lines[-1]
    assert max(map(len, lines)) <= 100
    records = json.loads(call("list", "--json", "--variant", "coded"))
    assert {record["variant"] for record in records} == {"coded"}
    assert all(record["summary"] and "verdict" not in record for record in records)


@pytest.mark.slow
def test_list_has_every_verdict():
    """Name, variant, verdict and cost for each relation, paper; within 100 columns."""
    lines = call("list", "--verdicts").splitlines()
    for cls in dp.literature.REGRESSIONS:
        assert any(line.split()[0] == cls.__name__ for line in lines if line.strip())
    (wang,) = [line for line in lines if line.startswith("AdaSSPWang ")]
    assert " ".join(wang.split()) == "AdaSSPWang printed certified* 0.596 refused+ 0.811 Wang18"
    (coded,) = [line for line in lines if line.startswith("SSPWangCoded ")]
    assert " ".join(coded.split()) == "SSPWangCoded coded refused 1.587 refused 2.474 Wang18"
    assert max(map(len, lines)) <= 100


def test_list_as_json():
    """One object a regression and relation."""
    records = json.loads(call("list", "--json", "--verdicts", "--variant", "printed"))
    printed = {cls.__name__ for cls in dp.literature.REGRESSIONS if cls.variant == "printed"}
    assert {record["name"] for record in records} == printed
    assert len(records) == 2 * len(printed)
    found = {(record["name"], record["relation"]): record for record in records}
    wang = found["SSPWang", "add/remove"]
    assert wang["verdict"] == "certified"
    assert wang["region"] == ["epsilon <= 2*log(2) + 2*log(4)"]
    assert wang["cost"]["epsilon"] == pytest.approx(0.751, abs=1e-3)
    assert found["SSPWang", "replace-one"]["verdict"] == "refused"
    assert all(record["reason"] and record["summary"] for record in records)


@pytest.mark.slow
def test_list_of_one_relation_and_variant():
    """Filters; and --why says why."""
    records = json.loads(call("list", "--json", "--variant", "coded", "--relation", "replace-one"))
    assert {record["relation"] for record in records} == {"replace-one"}
    assert {record["variant"] for record in records} == {"coded"}
    why = call("list", "--why", "--variant", "coded", "--relation", "add-remove")
    assert "add/remove: refused, all releases together" in why
    assert "replace-one" not in why
    assert max(map(len, why.splitlines())) <= 100
    assert "--variant" in call("list", "--variant", "best", status=2)


def test_certify_is_symbolic_where_numbers_are_left_out():
    """For every epsilon, delta, B and Y."""
    printed = call("certify", "adassp")
    assert "For all B in (0, inf), Y in (0, inf)" in printed
    assert "(epsilon, delta)-differential privacy" in printed


def test_certify_with_numbers_saves_what_check_accepts(tmp_path):
    """The saved file passes the independent checker, pinned by its hash."""
    path = tmp_path / "certificate.json"
    printed = call("certify", "AdaSSPBudget", "--set", "gamma=1/3", *ONE, *BALL, "--out", str(path))
    assert "(1, 1e-6)-differential privacy" in printed
    certificate = dp.load(path)
    assert certificate.hash[:12] in printed
    assert "accepted" in call("check", str(path), "--expect", certificate.hash)
    said = call("check", str(path), "--expect", certificate.hash)
    verdict = json.loads(call("check", str(path), "--json"))
    assert verdict["accepted"] is True
    sizes = {
        one.label: number(one.mechanism.formula, {}, up=True) for one in certificate.graph.releases
    }
    assert verdict["sizes"] == {name: str(figure(size)) for name, size in sizes.items()}
    assert f"sizes in decimals: {'; '.join(map(' '.join, verdict['sizes'].items()))}" in said
    rejected = json.loads(call("check", str(path), "--expect", "0" * 64, "--json", status=1))
    assert rejected["accepted"] is False


def test_certify_as_json_is_the_file():
    """The document that --out would save."""
    document = json.loads(call("certify", "AdaSSP", "--json"))
    assert document["schema"] == "dpframe-certificate/3"
    setting = dp.Setting(
        X=dp.Rows(norm=dp.parameter("B")),
        y=dp.Column(bound=dp.parameter("Y")),
        relation=dp.ADD_REMOVE,
    )
    proof = dp.certify(dp.AdaSSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=setting)
    assert document["hash"] == proof.hash


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_what_is_not_proved_exits_with_1(extra):
    """certify and audit alike, with the open obligations."""
    for command in ("certify", "audit"):
        assert "refuted" in call(command, "SSPWangCoded", *ONE, *extra, status=1)


def test_audit_prints_the_page():
    """The facts of Wang's adaSSP, and the sentence."""
    printed = call("audit", "AdaSSPWang", *ONE, *BALL)
    assert printed.count("8.85e-7    0.352  refuted") == 3
    assert "epsilon = 0.596 at delta = 1e-6" in printed
    assert "I certify that AdaSSPWang(rho=1/20)" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_audit_as_json():
    """The records of the audit."""
    records = json.loads(call("audit", "SSPWangCoded", *ONE, "--json", status=1))
    assert records["verdict"] == "refuted"
    assert records["joint_epsilon"] == pytest.approx(1.587, abs=1e-3)


def test_audit_under_the_other_relation():
    """Replace-one costs more; several rows a person too."""
    records = json.loads(call("audit", "AdaSSPWang", *ONE, "--relation", "replace-one", "--json"))
    assert records["joint_epsilon"] == pytest.approx(0.811, abs=1e-3)
    options = ["--rows-per-person", "3", "--json"]
    assert json.loads(call("audit", "AdaSSPWang", *ONE, *options, status=1))["joint_epsilon"] > 1


def test_compare():
    """The table, its records, and a picture."""
    printed = call("compare", "--epsilon", "0.1,0.9,3,10", "--delta", "1e-6")
    assert "52.99" in printed
    assert "36.31" in printed
    assert "(0.530, too small)" in printed
    records = json.loads(call("compare", "--epsilon", "0.1", "--json"))
    assert [record["calibration"] for record in records] == [
        "Gaussian.classical",
        "Gaussian.kamath_ullman",
        "Gaussian.analytic",
        "Laplace.pure",
        "DiscreteLaplace.pure",
        "DiscreteGaussian.concentrated",
        "discrete Gaussian, exact law",
    ]


def test_theorems_and_the_exact_law_share_a_table():
    """By default, and by the accountant that the note on discrete Gaussian noise names."""
    names = ["gaussian.classical", "gaussian.analytic", "discretegaussian.concentrated"]
    option = ["--accountant", "basic,numeric"]
    printed = " ".join(call("compare", *names).split())
    assert "discrete Gaussian, exact law" in printed
    assert "--accountant numeric" in printed
    rows = json.loads(call("compare", *names, "--epsilon", "0.5", *option, "--json"))
    found = {(one["noise"], one["accountant"]): one["std"] for one in rows}
    assert {("Gaussian.classical", "basic"), ("Gaussian.analytic", "basic")} < found.keys()
    assert found["DiscreteGaussian", "numeric"] < found["DiscreteGaussian.concentrated", "basic"]


def test_fit_by_codebook(table):
    """Coefficients by name in the codebook's units, and the receipt."""
    schema = ["--schema", str(table / "schema.json")]
    data = [str(table / "table.csv"), "--target", "y"]
    printed = call("fit", "SSP", *data, *ONE, *schema)
    for name in ("age", "smoker[yes]", "children[1]", "children[2]", "intercept"):
        assert any(line.split()[:1] == [name] for line in printed.splitlines())
    assert "Spent (1, 1e-6)-differential privacy" in printed
    record = json.loads(call("fit", "SSP", *data, *ONE, *schema, "--simulate", "7", "--json"))
    again = json.loads(call("fit", "SSP", *data, *ONE, *schema, "--simulate", "7", "--json"))
    assert record["coef_"] == again["coef_"]
    assert record["receipt"]["private"] is False
    assert record["receipt"]["rows"] is None


def test_fit_charges_a_ledger(table, tmp_path):
    """Before it releases; what does not fit is refused, in words."""
    file = str(tmp_path / "budget.sqlite")
    call(
        "ledger",
        "create",
        file,
        "survey",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--relation",
        "add-remove",
    )
    data = [str(table / "table.csv"), "--target", "y", "--schema", str(table / "schema.json")]
    charged = [*data, "--ledger", file, "--dataset", "survey"]
    call("fit", "SSP", *charged, "--epsilon", "0.9", "--delta", "1e-6", "--note", "Ana: costs")
    assert "1 run" in call("ledger", "show", file)
    assert "Ana: costs" in call("ledger", "show", file, "survey")
    refused = call("fit", "SSP", *charged, "--epsilon", "0.9", "--delta", "1e-6", status=2)
    assert "does not fit the budget of 'survey'" in refused
    numbers = ("--epsilon", "0.1", "--delta", "1e-7", "--note", "no ledger")
    assert "--note must be left out without --ledger" in call(
        "fit", "SSP", *data, *numbers, status=2
    )
    assert "1 run" in call("ledger", "show", file)


def test_fit_by_norm_and_bound(tmp_path):
    """Every other column is a feature."""
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [0.5, 0.1], "b": [0.2, 0.3], "y": [1.0, 0.0]}).to_csv(path, index=False)
    printed = call("fit", "AdaSSP", str(path), "--target", "y", *ONE, *BALL)
    table = printed.partition("[0.025")[2].splitlines()[1:]
    assert [line.split()[0] for line in table[:2]] == ["a", "b"]


def test_fit_drops_missing_rows_when_told(tmp_path):
    """Refused by the column's name otherwise."""
    path = tmp_path / "t.csv"
    path.write_text("a,y\n0.5,1\n,0\n")
    arguments = ["fit", "AdaSSP", str(path), "--target", "y", *ONE, *BALL]
    assert "column a of TABLE" in call(*arguments, status=2)
    call(*arguments, "--drop")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (["--target", "nope"], "the name of a column; got 'nope'. TABLE has age"),
        (["--schema", "nope.json"], "a readable file"),
        (["--epsilon", "x"], "epsilon"),
        (["--norm", "1"], "given once"),
    ],
)
def test_fit_refuses_what_it_cannot_use(table, change, says):
    """By a sentence, before anything is spent."""
    given = {
        "--target": "y",
        "--epsilon": "1",
        "--delta": "1e-6",
        "--schema": str(table / "schema.json"),
    }
    given |= dict([change])
    options = [part for pair in given.items() for part in pair]
    assert says in call("fit", "SSP", str(table / "table.csv"), *options, status=2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["certify", "adasp"], "Perhaps AdaSSP"),
        (["certify", "nothing.at.all:Here"], "an importable module:Class"),
        (["certify", "os:path"], "the name of a dp.Regression"),
        (["certify", "dpframe.regressions:Fit"], "the name of a dp.Regression"),
        (["certify", ":"], "an importable module:Class"),
        (["certify", "AdaSSP", "--epsilon", "abc"], "epsilon must be a number"),
        (["certify", "AdaSSP", "--epsilon", "-1"], "epsilon must be in (0, inf)"),
        (["certify", "AdaSSP", "--delta", "1"], "delta must be in (0, 1)"),
        (["certify", "AdaSSP", "--norm", "0"], "norm must be positive"),
        (["certify", "AdaSSP", "--rows-per-person", "1.5"], "rows_per_person"),
        (["certify", "AdaSSP", "--accountant", "best"], "accountant"),
        (["certify", "AdaSSP", "--set", "gamma=1"], "--set must be written"),
        (["certify", "AdaSSPBudget", "--set", "gamma=2"], "gamma must be in (0, 1)"),
        (["certify", "AdaSSPBudget", "--set", "gamma"], "--set must be written"),
        (["certify", "AdaSSP", "--out", "/nowhere/at/all.json"], "--out"),
        (["compare", "--epsilon", ","], "epsilon must be a number"),
        (["compare", "--delta", "2"], "delta"),
        (["compare", "DiscreteGaussian"], "DiscreteGaussian.concentrated"),
        (["compare", "gausian.analytic"], "Did you mean 'Gaussian.analytic'?"),
        (["check", "/nowhere/at/all.json", "--json"], "FILE must be a readable certificate"),
        (
            ["fit", "AdaSSP", "/nowhere.csv", "--target", "y", *ONE, *BALL],
            "TABLE must be an existing file",
        ),
        (["fit", "AdaSSP", "/nowhere.csv", "--target", "y", *ONE], "--schema FILE, or --norm"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value)[:50],
)
def test_bad_arguments_are_one_sentence(arguments, says):
    """On standard error, exit status 2, no traceback."""
    told = call(*arguments, status=2)
    assert says in told
    assert "Traceback" not in told


def test_a_declaration_of_ones_own(tmp_path, monkeypatch):
    """module:Class, from a module in the current folder, its fields set by their kind."""
    (tmp_path / "my_regressions.py").write_text(
        """
import dpframe as dp

class Mine(dp.Regression):
    \"\"\"One release.\"\"\"
    share: dp.Expression = dp.constant("1/2")
    tight: bool = False
    label: str = "gram"
    draws: int = 1

    def declare(self, X, y, budget):
        (part,) = budget.split(self.share)
        noise = dp.Gaussian.analytic if self.tight else dp.Gaussian.kamath_ullman
        return dp.release(X.T @ X, noise, part, name=self.label, times=self.draws)
"""
    )
    monkeypatch.chdir(tmp_path)
    given = ["tight=true", "label=mine", "draws=2", "share=1/2"]
    options = [part for text in given for part in ("--set", text)]
    printed = call("audit", "my_regressions:Mine", *options, *ONE, *BALL)
    assert "mine (×2)" in printed
    assert "Gaussian.analytic" in call(
        "audit", "my_regressions:Mine", *options, *ONE, *BALL, "--details"
    )
    for text in ("tight=maybe", "draws=x", "share=x"):
        assert call("audit", "my_regressions:Mine", "--set", text, status=2)


@pytest.mark.parametrize(
    ("option", "arguments"),
    [
        ("--target", ["fit", "SSP", "t.csv", *ONE, *BALL]),
        ("--delta", ["fit", "SSP", "t.csv", "--target", "y", "--epsilon", "1", *BALL]),
    ],
)
def test_required_options_have_no_default(option, arguments):
    """A budget that is not given is never assumed."""
    said = call(*arguments, status=2)
    assert "Missing option" in said
    assert option in said


def test_version_and_help():
    """Help names every command."""
    assert call("--version").strip() == f"dpframe {dp.__version__}"
    shown = call("--help")
    for command in ("list", "certify", "audit", "compare", "fit", "check"):
        assert command in shown
        assert "--json" in call(command, "--help")


@pytest.mark.slow
def test_python_m_dpframe():
    """The module runs as the command; its exit status is the command's."""
    program = [sys.executable, "-W", "error", "-m", "dpframe"]
    done = subprocess.run(
        [*program, "certify", "adasp"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Perhaps AdaSSP" in done.stderr
    assert done.stdout == ""
    done = subprocess.run(
        [*program, "compare", "--epsilon", "1"], capture_output=True, text=True, check=True
    )
    assert "4.225" in done.stdout


def test_importing_dpframe_loads_no_terminal_library():
    """typer, rich and matplotlib are the command line's."""
    program = "import sys, dpframe.audits; print(*{n.split('.')[0] for n in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert {"typer", "rich", "matplotlib", "pandas", "sklearn"}.isdisjoint(done.stdout.split())


def test_jointly_is_a_word_on_the_command_line():
    """certify and audit take --jointly: the printed adaSSP keeps its shape and spends all."""
    at = ["--epsilon", "1", "--delta", "1e-6", "--norm", "1", "--bound", "1"]
    for command in ("certify", "audit"):
        assert "all noise calibrated jointly" in call(command, "SSPWangCoded", "--jointly", *at)
    assert "refuted" in call("audit", "SSPWangCoded", *at, status=1)
