"""The experiment and its command, on made-up sets. Every line and record says NOT PRIVATE."""

import gzip
import json

import attrs
import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app
from dpframe.experiments.methods import METHODS, Method, Standing
from dpframe.experiments.published import COLUMNS, table3
from dpframe.experiments.text import left_out
from dpframe.experiments.uci import Table, prepared
from dpframe.experiments.wang_table3 import Experiment, compared, disagreeing

FAST = tuple(method for method in METHODS if method.standing is not Standing.CERTIFIED)
SMALL = Experiment(methods=FAST, repeats=2)
QUICK = ["experiment", "wang-table3", "--repeats", "1"]


def made_up(name="yacht", n=60, d=3, seed=0):
    """A set that bears the name of a published one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return Table(name, X, X.sum(axis=1) + rng.normal(size=n))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets of the table, and one that is not in it."""
    monkeypatch.delenv("DPFRAME_DATA", raising=False)
    for name in ("yacht", "airfoil", "other"):
        table = made_up(name)
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            np.savetxt(file, np.column_stack([table.X, table.y]), delimiter=",")
    return tmp_path


def call(*arguments, status=0, env=None):
    """What the command prints on both streams; it must exit with `status`."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)
    assert done.exit_code == status, done.output
    assert (done.stderr == "") == (status == 0)
    return done.stdout if status == 0 else " ".join(done.stderr.split())


def test_the_methods_are_columns_of_the_table():
    """Each once, and what has no proof says so."""
    names = [method.column for method in METHODS]
    assert set(names) == set(COLUMNS) - {"SSP"}
    assert len(set(names)) == len(names)
    kept = [method.column for method in Experiment().proved_only().methods]
    assert kept == ["trivial", "non-private", "AdaSSP"]


def test_baselines_by_hand():
    """The errors of zero and of ridge are means over folds of equal size: over all rows."""
    trivial, ridge, *_ = compared(made_up(), SMALL)
    ready = prepared(made_up())
    assert trivial.ours.error == pytest.approx(np.mean(ready.y**2))
    inverse = np.linalg.inv(ready.X.T @ ready.X + np.eye(3))
    fitted = np.mean((ready.y - ready.X @ (inverse @ ready.X.T @ ready.y)) ** 2)
    assert fitted < ridge.ours.error < fitted * 1.3
    assert trivial.ours.errors.shape == (2, 10)
    assert (trivial.n, trivial.d, trivial.published) == (60, 3, table3()["yacht"]["trivial"])


def test_a_seed_repeats_and_a_column_left_out_moves_no_other():
    """Noise and folds are those of the seed, the set and the column."""
    whole = {one.method.column: one.ours.error for one in compared(made_up(), SMALL)}
    part = attrs.evolve(SMALL, methods=FAST[3:4])
    (alone,) = compared(made_up(), part)
    assert alone.ours.error == whole["OPS"]
    (other,) = compared(made_up(), attrs.evolve(part, seed=1))
    assert other.ours.error != alone.ours.error
    assert len(np.unique(alone.ours.errors)) == alone.ours.errors.size


def test_every_column_and_repeat_draws_noise_of_its_own():
    """Folds are shared, draws are not."""
    drawn = []

    def fit(X, y, epsilon, delta, rng):
        drawn.append((X.tobytes(), rng.standard_normal()))
        return np.zeros(X.shape[1])

    methods = tuple(Method(column, column, fit) for column in ("OPS", "AdaOPS"))
    compared(made_up(), Experiment(methods=methods, repeats=2))
    assert len({noise for _, noise in drawn}) == len(drawn) == 40
    assert len({rows for rows, _ in drawn}) == 20


def test_nothing_is_left_out_where_all_is_proved():
    """No line that names no column."""
    assert left_out(Experiment().proved_only().methods) == []


def test_noise_falls_with_epsilon():
    """A control: what is measured depends on the claim."""
    strict, lax = (
        {one.method.column: one.ours.error for one in compared(made_up(n=400), experiment)}
        for experiment in (SMALL, attrs.evolve(SMALL, epsilon=30.0))
    )
    for column in ("ObjPert", "OPS", "AdaOPS"):
        assert lax[column] < strict[column]
    assert lax["non-private"] == strict["non-private"]


def test_a_set_that_is_another_does_not_agree():
    """A control of the whole chain: made-up rows under a published name."""
    entries = compared(made_up("keggundirected", n=300), SMALL)
    assert disagreeing(entries, "trivial") == ["keggundirected"]
    assert disagreeing(entries, "trivial", closely=True) == ["keggundirected"]
    mine = table3()["keggundirected"]["trivial"]
    ours = attrs.evolve(entries[0], published=attrs.evolve(mine, error=entries[0].ours.error))
    assert disagreeing([ours], "trivial") == []


def test_the_certified_column_runs_by_its_certificate():
    """The same declaration, executed by hand on rows in the unit ball."""
    method = next(method for method in METHODS if method.standing is Standing.CERTIFIED)
    ready = prepared(made_up())
    found = method.fit(ready.X, ready.y, 0.1, 1e-6, np.random.default_rng(5))
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    target = dp.ApproxDP("0.1", "1e-6")
    proof = dp.certify(dp.literature.AdaSSPWangCoded(), target=target, setting=setting)
    seed = int(np.random.default_rng(5).integers(2**63))
    want = dp.execute(proof, ready.X, ready.y, rng=seed).output.coefficients
    assert found == pytest.approx(want, rel=1e-12)  # sizes of noise may differ by a rounding


def test_degenerate_sets_have_errors():
    """Ten rows, one column, constant columns: numbers."""
    for X in (np.arange(10.0)[:, None], np.ones((12, 2))):
        table = Table("yacht", X, np.arange(len(X)) - 4.0)
        for entry in compared(table, attrs.evolve(SMALL, repeats=1)):
            assert np.all(np.isfinite(entry.ours.errors))
            json.dumps(entry.record(SMALL), allow_nan=False)


def test_the_command_says_not_private_everywhere(folder):
    """Each line and each record; unproved columns only by leave."""
    file = folder / "out.json"
    printed = call(*QUICK, "--data", folder, "--not-private", "--json", file)
    lines = printed.splitlines()
    assert all(line.startswith("NOT PRIVATE") for line in lines)
    assert not any("other" in line for line in lines)
    assert any("3droad" in line for line in lines)
    assert "--not-private" not in printed
    records = json.loads(file.read_text())
    assert len(records) == 2 * len(METHODS)
    assert {record["label"] for record in records} == {"NOT PRIVATE"}
    assert {record["set"] for record in records} == {"airfoil", "yacht"}
    (one,) = (r for r in records if (r["set"], r["column"]) == ("airfoil", "ObjPert"))
    assert one["published"] == {"error": 0.356, "spread": 0.064, "bold": False}
    assert one["standing"] == "claimed"
    for method in METHODS:
        (counted,) = (line for line in lines if f"  {method.column} " in line and " of 2 " in line)
        agreeing = sum(r["agrees"] for r in records if r["column"] == method.column)
        assert f"{agreeing} of 2" in counted


def test_unproved_columns_are_refused_without_leave(folder):
    """What is left out is named, with the way to it."""
    printed = call(*QUICK, "--sets", "yacht", env={"DPFRAME_DATA": str(folder)})
    (refused,) = (line for line in printed.splitlines() if "--not-private" in line)
    assert "ObjPert, OPS, AdaOPS left out" in refused
    assert printed.count("ObjPert") == 1
    assert "airfoil" not in printed
    assert "AdaSSP" in printed


def test_missing_data_is_said(folder):
    """No folder named, a folder without sets, sets that are not there, nowhere to write."""
    assert "--data or DPFRAME_DATA" in call(*QUICK, status=2)
    (folder / "empty").mkdir()
    assert "a folder of UCI sets" in call(*QUICK, "--data", folder / "empty", status=2)
    refused = call(*QUICK, "--data", folder, "--sets", "yacht,bike", status=2)
    assert "got bike" in refused
    assert "airfoil, yacht" in refused
    assert "published sets" in call(*QUICK, "--data", folder, "--sets", "other", status=2)
    nowhere = folder / "no" / "out.json"
    assert "a folder that exists" in call(*QUICK, "--data", folder, "--json", nowhere, status=2)


def test_a_short_set_is_refused(tmp_path):
    """By its number of rows."""
    with gzip.open(tmp_path / "yacht.csv.gz", "wt") as file:
        file.write("1,2\n" * 9)
    assert "at least 10 rows" in call(*QUICK, "--data", tmp_path, status=2)
