"""With one seed, one release: execute gives the same bits from every source and every executor."""

from concurrent.futures import ThreadPoolExecutor

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpframe as dp

N = 9000  # several blocks
RNG = np.random.default_rng(21)
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)) / 2, columns=["u", "v", "rating"])
SOURCES = {
    "frame": lambda f: FRAME,
    "array": lambda f: (FRAME[["u", "v"]].to_numpy(), FRAME["rating"].to_numpy()),
    "Polars": lambda f: pl.from_pandas(FRAME),
    "lazy": lambda f: pl.from_pandas(FRAME).lazy(),
    "Arrow": lambda f: pa.Table.from_pandas(FRAME).to_reader(max_chunksize=700),
    "DuckDB": lambda f: duckdb.connect().from_arrow(pa.Table.from_pandas(FRAME)),
    "Parquet": lambda f: FRAME.to_parquet(f / "t.parquet", row_group_size=777) or f / "t.parquet",
    "CSV": lambda f: FRAME.to_csv(f / "t.csv", index=False) or f / "t.csv",
    "iterator": lambda f: iter([FRAME[:10], FRAME[10:8000], FRAME[8000:]]),
    "Dask": lambda f: dd.from_pandas(FRAME, npartitions=7),
}


def released(relation, given, **options):
    """What is released of two features and their labels, by name."""
    X, y = given if isinstance(given, tuple) else (given, None)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("rating", bound=1), relation=relation)
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    return dp.execute(run, X, y, rng=5, **options).released


def same(left, right):
    """Whether two releases are equal to the bit."""
    return left.keys() == right.keys() and all(
        np.array_equal(np.asarray(left[name]), np.asarray(right[name])) for name in left
    )


@pytest.fixture(scope="module")
def wanted():
    """From the array, under each relation."""
    return {
        relation: released(relation, SOURCES["array"](None))
        for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE)
    }


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_every_source_is_released_alike(make, relation, wanted, tmp_path):
    """Under replace-one too, where n is public and some sources have to count."""
    assert same(released(relation, make(tmp_path)), wanted[relation])


@pytest.mark.parametrize("kind", ["frame", "Parquet", "Dask", "iterator"])
def test_every_executor_releases_alike(kind, wanted, processes, tmp_path):
    """Threads and processes."""
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, processes):
            given = SOURCES[kind](tmp_path)
            assert same(released(dp.ADD_REMOVE, given, executor=executor), wanted[dp.ADD_REMOVE])


def test_another_table_is_released_otherwise(wanted):
    """The control of the tests above: one cell in one row changes the bits."""
    other = FRAME.copy()
    other.loc[4500, "u"] += 0.01
    assert not same(released(dp.ADD_REMOVE, other), wanted[dp.ADD_REMOVE])
