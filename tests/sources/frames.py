"""Pieces of a frame of 700 rows, as tables and files, the bits of arrays, a slow executor."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

PIECES = [slice(0, 250), slice(250, 251), slice(251, 700)]


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
