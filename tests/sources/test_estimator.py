"""PrivateRegressor and `dpframe fit` on every source; progress; threads of BLAS."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pytest
import threadpoolctl
from sklearn.base import clone
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app
from dpframe.sources import open_source, progress
from dpframe.sources.running import NARROW, limited_blas, one_thread_of_blas
from tests.sources.frames import TABLES

# ------------------------------------------------------------------------------------- Every source
N = 5000
RNG = np.random.default_rng(22)
FRAME = pd.DataFrame({"age": RNG.uniform(20, 60, N), "years": RNG.uniform(0, 30, N)})
FRAME["rating"] = 1.5 + 0.03 * FRAME["age"] + 0.02 * FRAME["years"]
CODEBOOK = [dp.Numeric("years", 0, 30), dp.Numeric("age", 20, 60)]
BOUNDED = {"norm": dp.Rows(norm=70), "codebook": dp.Rows(columns=CODEBOOK, intercept=True)}
SOURCES = (
    "a frame of pandas",
    "lazy Polars",
    "a table of Arrow",
    "Parquet files by pattern",
    "a CSV file",
    "an iterator of frames",
)


def model(rows, **options):
    """An estimator whose noise is a simulation."""
    setting = dp.Setting(X=rows, y=dp.Column("rating", lower=1, upper=5), relation=dp.ADD_REMOVE)
    return dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting, rng=3, **options)


@pytest.mark.parametrize("rows", BOUNDED.values(), ids=BOUNDED)
@pytest.mark.parametrize("kind", SOURCES)
def test_an_estimator_is_fitted_from_every_source(kind, rows, tmp_path):
    """To the bit what X and y in memory give, with the same names of features."""
    wanted = model(rows).fit(FRAME[["age", "years"]], FRAME["rating"])
    fitted = model(rows).fit(TABLES[kind](FRAME, tmp_path))
    np.testing.assert_array_equal(fitted.coef_, wanted.coef_)
    assert fitted.intercept_ == wanted.intercept_
    assert fitted.coef_names_ == wanted.coef_names_
    assert fitted.n_features_in_ == 2
    assert fitted.feature_names_in_.tolist() == wanted.feature_names_in_.tolist()
    features = FRAME[["age", "years"]][:9]
    np.testing.assert_array_equal(fitted.predict(features), wanted.predict(features))


def test_names_of_an_earlier_fit_are_forgotten():
    """As scikit-learn does: an array after a file has no names."""
    fitted = model(BOUNDED["norm"]).fit(pl.from_pandas(FRAME).lazy())
    assert fitted.feature_names_in_.tolist() == ["age", "years"]
    X, y = FRAME[["age", "years"]].to_numpy(), FRAME["rating"].to_numpy()
    fitted.fit((X[k::2], y[k::2]) for k in range(2))
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.coef_names_ == ("x0", "x1")


def test_labels_may_be_named_and_parts_read_in_parallel(tmp_path):
    """y is a name; an executor changes no bit."""
    frame = FRAME.rename(columns={"rating": "score"})
    path = tmp_path / "t.parquet"
    frame.to_parquet(path, row_group_size=500, index=False)
    wanted = model(BOUNDED["norm"]).fit(frame, "score")
    with ThreadPoolExecutor(2) as threads:
        fitted = model(BOUNDED["norm"]).fit(path, "score", executor=threads)
    np.testing.assert_array_equal(fitted.coef_, wanted.coef_)


def test_fits_of_one_file_are_counted_like_fits_of_one_table(tmp_path):
    """A clone that is fitted to another file says what both cost together."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    for path in (first, second):
        FRAME.to_csv(path, index=False)
    private = model(BOUNDED["norm"]).set_params(rng=None)
    private.fit(first)
    with pytest.warns(dp.PrivacyWarning, match="Fit 2 of this estimator"):
        clone(private).fit(second)


def test_a_file_that_is_spent_twice_is_noticed_by_its_path(tmp_path):
    """Once, by execute, as for one array; another spelling of the path is the same file."""
    path = tmp_path / "t.csv"
    FRAME.to_csv(path, index=False)
    private = model(BOUNDED["norm"]).set_params(rng=None)
    private.fit(path)
    with pytest.warns(dp.PrivacyWarning, match="execution 2 on the same table") as told:
        private.fit(str(tmp_path / "*.csv"))
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore::dpframe.errors.PrivacyWarning")
def test_fits_are_charged_to_a_ledger(tmp_path):
    """Also those of clones; a fit that does not fit is refused before anything is released."""
    ledger = dp.Ledger(tmp_path / "budget.sqlite")
    ledger.create("survey", dp.ApproxDP(2, "2e-6"), relation=dp.ADD_REMOVE)
    private = model(BOUNDED["norm"], ledger=ledger, dataset="survey").set_params(rng=None)
    private.fit(FRAME[:100], "rating")
    clone(private).fit(FRAME[100:200].copy(), "rating")
    assert len(ledger.charges("survey")) == 2
    third = clone(private)
    for _ in range(9):
        with contextlib.suppress(dp.BudgetExceeded):
            third.fit(FRAME[200:300].copy(), "rating")
    with pytest.raises(dp.BudgetExceeded):
        clone(private).fit(FRAME[300:400].copy(), "rating")
    with pytest.raises(dp.InvalidArgument, match="rng must be left out"):
        clone(private).set_params(rng=1).fit(FRAME, "rating")


@pytest.mark.parametrize("kind", ["one", "pattern", "list", "csv"])
def test_the_command_line_fits_files(kind, tmp_path):
    """Parquet and CSV, several at once; what the estimator gives."""
    FRAME[:100].to_parquet(tmp_path / "1.parquet", index=False)
    FRAME[100:].to_parquet(tmp_path / "2.parquet", index=False)
    FRAME.to_parquet(tmp_path / "whole.pq", index=False)
    FRAME.to_csv(tmp_path / "whole.csv", index=False)
    files = {
        "one": ["whole.pq"],
        "pattern": ["*.parquet"],
        "list": ["1.parquet", "2.parquet"],
        "csv": ["whole.csv"],
    }[kind]
    bounds = {
        "columns": [{"name": "age", "lower": 20, "upper": 60}],
        "target": {"lower": 1, "upper": 5},
    }
    (tmp_path / "bounds.json").write_text(json.dumps(bounds))
    options = ["--target", "rating", "--epsilon", "1", "--delta", "1e-6", "--simulate", "3"]
    options += ["--schema", str(tmp_path / "bounds.json"), "--json"]
    command = ["fit", "SSP", *(str(tmp_path / file) for file in files), *options]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0, printed.output
    coefficients = json.loads(printed.stdout)["coef_"]
    rows = dp.Rows(columns=[dp.Numeric("age", 20, 60)])
    wanted = model(rows).fit(FRAME[["age"]], FRAME["rating"])
    assert list(coefficients.values()) == wanted.coef_.tolist()


# ----------------------------------------------------------------------------------------- Progress
@pytest.fixture
def watch(monkeypatch):
    """A function: what a pass over five steps writes to a stderr that is a terminal, or not."""

    def watch(*, terminal, patience, count=5):
        stream = io.StringIO()
        stream.isatty = lambda: terminal
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(progress, "PATIENCE", patience)
        with progress.Progress(count) as bar:
            for place, step in enumerate(bar.steps(range(5))):
                assert place == step
                while patience == 0 and terminal and bar._bar is None:
                    time.sleep(0.001)
        return stream.getvalue()

    return watch


@pytest.mark.parametrize("count", [5, None])
def test_a_long_pass_shows_a_bar_on_a_terminal(watch, count):
    """Once patience is over; the items come once and in order all the same."""
    assert "reading the table" in watch(terminal=True, patience=0, count=count)


@pytest.mark.parametrize(("terminal", "patience"), [(True, 60.0), (False, 0)])
def test_a_short_pass_or_a_pipe_sees_no_bar(watch, terminal, patience):
    """Not a byte is written."""
    assert watch(terminal=terminal, patience=patience) == ""


def test_a_pass_that_is_over_leaves_no_bar(monkeypatch):
    """The terminal is given back, and no timer is left behind."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    bar = progress.Progress(None)
    with bar:
        assert bar._timer.is_alive()
    bar._timer.join(10)
    assert not bar._timer.is_alive()
    bar._show()
    assert stream.getvalue() == ""


def test_a_pass_counts_its_blocks(setting, monkeypatch):
    """As many steps as there are blocks, for a source that knows its length."""
    made = []

    class Counted(progress.Progress):
        def __init__(self, count):
            super().__init__(count)
            made.append((self, count))

    monkeypatch.setattr("dpframe.sources.source.Progress", Counted)
    open_source(setting, np.zeros((40_000, 2)), np.zeros(40_000), parts=1).total(list)
    ((bar, count),) = made
    assert bar._done == count == 8


def test_in_a_notebook_a_bar_ends_as_an_empty_output(monkeypatch):
    """One inside another is shown in the outer one's place."""
    said = []
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(progress, "PAUSE", -1)
    monkeypatch.setattr(progress._Cell, "_display", lambda _, text, html: said.append((text, html)))
    with progress.Progress(None, "fitting") as bar:
        while bar._bar is None:
            time.sleep(0.001)
        with progress.Progress(2, "<rows>") as inner:
            assert list(inner.steps("ab")) == ["a", "b"]
            assert inner._bar is None
    shown = '<progress value="2" max="2"></progress> &lt;rows&gt; ...'
    assert said[0] == ("fitting ...", "<progress></progress> fitting ...")
    assert said[-2:] == [("<rows> ...", shown), ("", "")]


# ---------------------------------------------------------------------------------- Threads of BLAS
def allowed() -> set[int]:
    """How many threads any BLAS of this process may use."""
    pools = threadpoolctl.threadpool_info()
    return {pool["num_threads"] for pool in pools if pool["user_api"] == "blas"}


@pytest.fixture
def two():
    """Two threads for every BLAS, as on a machine that has them."""
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        yield allowed()


SEEN = []


def noted(moment):
    """What was released; how many threads there were is noted."""
    SEEN.append(allowed())
    return moment


class Noting(dp.Regression):
    """The noisy X'y, through a function that looks at the threads."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.post(noted, dp.release(X.T @ y, dp.Gaussian.analytic, budget))


SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@cache
def run():
    """Its certificate."""
    return dp.certify(Noting(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)


def fitted(d, **given):
    """The threads that a function of what was released sees, for d columns."""
    SEEN.clear()
    dp.execute(run(), np.zeros((3, d)), np.zeros(3), rng=0, **given)
    return SEEN[-1:]  # after rehearsals


@pytest.mark.parametrize(("d", "threads"), [(1, 1), (NARROW, 1), (NARROW + 1, 2)])
def test_functions_of_few_columns_have_one_thread(d, threads, two):
    """Those of many columns have all."""
    assert two == {2}
    assert fitted(d) == [{threads}]
    assert allowed() == two


def test_executors_have_all_threads(two):
    """Processes that are started on the way would keep the limit."""
    with ThreadPoolExecutor(1) as executor:
        assert fitted(2, executor=executor) == [two]


def test_columns_of_categories_have_all_threads(two):
    """Two of them may be hundreds on the way."""
    levels = dp.Categorical("kind", ["a", "b"])
    rows = dp.Rows(norm=1, columns=[levels, dp.Numeric("size", 0, 1)])
    setting = attrs.evolve(SETTING, X=rows)
    run = dp.certify(Noting(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    SEEN.clear()
    X = np.array([["a", 0.5], ["b", 0.25]], dtype=object)
    dp.execute(run, X, np.zeros(2), rng=0)
    assert SEEN[-1:] == [two]


def test_they_are_back_after_a_failure(two):
    """Whatever ends the execution."""
    bad = np.full((3, 2), np.nan)
    with pytest.raises(dp.BadData):
        dp.execute(run(), bad, np.zeros(3), rng=0)
    assert allowed() == two


def test_inside_and_beside_one_another(two):
    """Only the outermost sets and lifts the limit."""
    with one_thread_of_blas():
        with limited_blas(2), one_thread_of_blas():
            assert allowed() == {1}
        assert allowed() == {1}
    assert allowed() == two
    with ThreadPoolExecutor(4) as several:
        list(several.map(lambda _: fitted(2), range(12)))
    assert allowed() == two
