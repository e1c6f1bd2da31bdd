"""The preparations that the fixed-noise thesis compares. NOT PRIVATE: all read the data.

[Thesis, Sec 3.3, 3.4]
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import dpframe as dp

from .data import DataSet, standardised
from .declared import TrainTestSplit

Array = NDArray[Any]


@attrs.frozen
class Preparation:
    """Rows over their own "row" norm or the largest norm, "max"; statistics of all rows, or of the
    training rows after the split; labels over the norm of their row too; a column of ones; training
    entries, and perhaps test entries, of at most `clip` deviations above the mean.
    """

    norm: str = "row"
    before: bool = False
    labels: bool = False
    intercept: bool = False
    clip: float | None = None
    clip_test: bool = False


PREPARATIONS = {
    "row norms, before": Preparation(before=True),
    "row norms": Preparation(),
    "row norms, y included": Preparation(labels=True),
    "maximum norm, before": Preparation("max", before=True),
    "maximum norm": Preparation("max"),
    "maximum norm, intercept": Preparation("max", intercept=True),
    **{f"clip {c}": Preparation("max", clip=c) for c in (1.0, 1.3, 1.6, 2.0)},
    **{
        f"clip {c}, test too": Preparation("max", clip=c, clip_test=True)
        for c in (1.0, 1.3, 1.6, 2.0)
    },
}


def prepared_split(
    table: DataSet, train: Array, test: Array, how: Preparation, setting: dp.Setting
) -> TrainTestSplit:
    """One split, prepared. Errors are in units of the largest training label, whatever the
    preparation does to labels.
    """
    fitted = np.arange(len(table.y)) if how.before else train
    X = table.X
    if how.clip is not None:
        X = clipped(X, fitted, how.clip, train, None if not how.clip_test else test)
    rows = standardised(X, fitted)
    if how.intercept:
        rows = np.column_stack([rows, np.ones(len(rows))])
    lengths = np.linalg.norm(rows, axis=1)
    own = np.where(lengths > 0, lengths, 1)
    if how.norm == "row":
        rows = rows / own[:, None]
    else:
        rows = rows / (lengths[fitted].max(initial=0) or 1)
    y = table.y / (np.abs(table.y[fitted]).max(initial=0) or 1)
    weights = None
    labels = y
    if how.labels:
        second = np.abs(y[fitted] / own[fitted]).max(initial=0) or 1
        labels = y / own / second
        weights = (own[test] * second) ** 2
    return TrainTestSplit(
        X=rows[train],
        y=labels[train],
        rows=rows[test],
        labels=labels[test],
        setting=setting,
        n=len(y),
        weights=weights,
    )


def clipped(X: Array, fitted: Array, c: float, train: Array, test: Array | None) -> Array:
    """Entries of at most mean + c std of the rows `fitted`, in the rows `train`, and in `test`
    where these are given. [Thesis, Eq. 3.8, 3.9]
    """
    upper = X[fitted].mean(axis=0) + c * X[fitted].std(axis=0)
    result = X.copy()
    for place in (train, test):
        if place is not None:
            result[place] = np.minimum(X[place], upper)
    return result


def scaled_columns(X: Array) -> Array:
    """Columns onto [-1, 1] by their least and largest entries; zeros where these are equal."""
    low, high = X.min(axis=0), X.max(axis=0)
    width = high - low
    scaled: Array = np.where(width > 0, 2 * (X - low) / np.where(width > 0, width, 1) - 1, 0)
    return scaled
