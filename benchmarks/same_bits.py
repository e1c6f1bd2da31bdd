"""One table from every source, one seed: the same released bits, printed as a digest each.

    python benchmarks/same_bits.py

The table has a denormal, a negative zero and the largest doubles among its labels.
"""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import dpframe as dp

ROWS = 50_000
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.ADD_REMOVE)
RUN = dp.certify(dp.AdaSSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)


def digest(*table: Any, executor: Any = None) -> str:
    """Of everything that a run with seed 9 releases."""
    released = dp.execute(RUN, *table, rng=9, executor=executor).released
    whole = b"".join(np.asarray(value).tobytes() for value in released.values())
    return hashlib.sha256(whole).hexdigest()[:16]


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """(source, digest) of every source."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(ROWS, 3)), rng.normal(size=ROWS)
    y[:4] = [5e-324, -0.0, 1.7e308, -1.7e308]
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, folder / "t.parquet", row_group_size=7_000)
    order, connection = rng.permutation(ROWS), duckdb.connect().register("t", table)
    yield "array", digest(X, y)
    yield "array, columns first", digest(np.asfortranarray(X), y)
    yield "array, rows shuffled", digest(X[order], y[order])
    yield "blocks of 777", digest((X[i : i + 777], y[i : i + 777]) for i in range(0, ROWS, 777))
    yield "pandas", digest(frame)
    yield "Arrow", digest(table)
    yield "Polars", digest(pl.DataFrame(table))
    yield "Polars, lazy", digest(pl.scan_parquet(folder / "t.parquet"))
    yield "DuckDB", digest(connection.sql("select * from t"))
    yield "Parquet", digest(folder / "t.parquet")
    with ThreadPoolExecutor(3) as executor:
        yield "array, three threads", digest(X, y, executor=executor)
    with ProcessPoolExecutor(2) as executor:
        yield "array, two processes", digest(X, y, executor=executor)


def main() -> None:
    """Print one line a source."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        found = dict(digests(Path(folder)))
    for source, value in found.items():
        print(f"{source:22} {value}")
    print(f"{len(found)} sources, {len(set(found.values()))} distinct")


if __name__ == "__main__":
    main()
