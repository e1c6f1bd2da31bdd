"""Pieces of a frame of 700 rows, as tables and files, and the bits of arrays."""

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
