"""PrivateRegressor and `dpframe fit` take every source, and keep scikit-learn's attributes."""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app

N = 5000
RNG = np.random.default_rng(22)
FRAME = pd.DataFrame({"age": RNG.uniform(20, 60, N), "years": RNG.uniform(0, 30, N)})
FRAME["rating"] = 1.5 + 0.03 * FRAME["age"] + 0.02 * FRAME["years"]
CODEBOOK = [dp.Numeric("years", 0, 30), dp.Numeric("age", 20, 60)]
BOUNDED = {"norm": dp.Rows(norm=70), "codebook": dp.Rows(columns=CODEBOOK, intercept=True)}
SOURCES = {
    "a frame with labels": lambda f: FRAME,
    "lazy": lambda f: pl.from_pandas(FRAME).lazy(),
    "Arrow": lambda f: pa.Table.from_pandas(FRAME),
    "Parquet": lambda f: FRAME.to_parquet(f / "t.parquet", index=False) or str(f / "*.parquet"),
    "CSV": lambda f: FRAME.to_csv(f / "t.csv", index=False) or f / "t.csv",
    "iterator": lambda f: iter([FRAME[:10], FRAME[10:]]),
    "Dask": lambda f: dd.from_pandas(FRAME, npartitions=7),
}


def model(rows, **options):
    """An estimator whose noise is a simulation."""
    setting = dp.Setting(X=rows, y=dp.Column("rating", lower=1, upper=5), relation=dp.ADD_REMOVE)
    return dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting, rng=3, **options)


@pytest.mark.parametrize("rows", BOUNDED.values(), ids=BOUNDED)
@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_an_estimator_is_fitted_from_every_source(make, rows, tmp_path):
    """To the bit what X and y in memory give, with the same names of features."""
    wanted = model(rows).fit(FRAME[["age", "years"]], FRAME["rating"])
    fitted = model(rows).fit(make(tmp_path))
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
    coefficients = json.loads(printed.output)["coefficients"]
    rows = dp.Rows(columns=[dp.Numeric("age", 20, 60)])
    wanted = model(rows).fit(FRAME[["age"]], FRAME["rating"])
    assert list(coefficients.values()) == wanted.coef_.tolist()
