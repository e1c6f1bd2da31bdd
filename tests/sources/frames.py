"""Pieces of a frame, as tables and files, the bits of arrays, a slow executor."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

PIECES = [slice(0, 250), slice(250, 251), slice(251, None)]


def bits(array):
    """The 64 bits of every double: -0.0 is not 0.0."""
    assert array.dtype == float
    return np.ascontiguousarray(array).view(np.int64).tolist()


def arrow(frame):
    """The frame as a table of Arrow."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def written(frame, folder, kind, pieces=PIECES):
    """Files of some pieces of the frame."""
    for number, piece in enumerate(pieces):
        if kind == "parquet":
            frame[piece].to_parquet(folder / f"{number}.parquet", row_group_size=90, index=False)
        else:
            frame[piece].to_csv(folder / f"{number}.csv", index=False)
    return sorted(folder.glob(f"*.{kind}"))


TABLES = {  # each takes a frame and a folder
    "a frame of pandas": lambda frame, _: frame,
    "nullable pandas": lambda frame, _: frame.convert_dtypes(),
    "pandas on Arrow": lambda frame, _: frame.convert_dtypes(dtype_backend="pyarrow"),
    "Polars": lambda frame, _: pl.from_pandas(frame),
    "lazy Polars": lambda frame, _: pl.from_pandas(frame).lazy(),
    "a scan of Polars": lambda frame, f: pl.scan_parquet(written(frame, f, "parquet")),
    "a table of Arrow": lambda frame, _: arrow(frame),
    "a reader of Arrow": lambda frame, _: arrow(frame).to_reader(max_chunksize=64),
    "a relation of DuckDB": lambda frame, _: duckdb.connect().from_arrow(arrow(frame)),
    "a Parquet file": lambda frame, f: written(frame, f, "parquet", [slice(None)])[0],
    "Parquet files by pattern": lambda frame, f: (
        written(frame, f, "parquet") and str(f / "*.parquet")
    ),
    "Parquet files by list": lambda frame, f: written(frame, f, "parquet"),
    "a CSV file": lambda frame, f: written(frame, f, "csv", [slice(None)])[0],
    "CSV files by pattern": lambda frame, f: written(frame, f, "csv") and str(f / "*.csv"),
    "an iterator of frames": lambda frame, _: iter([frame[piece] for piece in PIECES]),
    "an iterator of pairs": lambda frame, _: (
        (frame[piece].drop(columns="rating"), frame[piece]["rating"]) for piece in PIECES
    ),
    "an iterator of Arrow": lambda frame, _: iter(arrow(frame).to_batches(max_chunksize=64)),
    "an iterator of tables": lambda frame, _: iter([arrow(frame[piece]) for piece in PIECES]),
}


class Late:
    """An executor that works on a part only when its result is asked for."""

    _max_workers = 4

    def submit(self, function, *arguments):
        return Promise(function, arguments)


class Promise:
    """A future of it."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def result(self):
        return self.function(*self.arguments)

    def cancel(self):
        """Nothing is running."""
