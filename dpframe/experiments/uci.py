"""The UCI regression sets as files, and the preprocessing of the paper, which is not private."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData, InvalidArgument

Array = NDArray[Any]

ENDING = ".csv.gz"
FORM = "Each set is NAME.csv.gz: comma separated, no header, numbers only, the target last."
CONSTANT = 1e-12  # a column whose std is this small beside its largest entry is rounding


@attrs.frozen(eq=False)
class Table:
    """A set by its name: features X (n, d) and targets y (n,)."""

    name: str
    X: Array
    y: Array


def present(folder: Path) -> tuple[str, ...]:
    """Names of the sets in a folder, sorted. Raises InvalidArgument where there is none."""
    names = tuple(sorted(path.name.removesuffix(ENDING) for path in folder.glob(f"*{ENDING}")))
    if not names:
        raise InvalidArgument("data", "a folder of UCI sets", str(folder), FORM)
    return names


def load(folder: Path, name: str) -> Table:
    """A set as it lies in its file. Raises BadData, naming the file."""
    path = folder / f"{name}{ENDING}"
    try:
        with gzip.open(path, "rt") as file:
            values = _numbers(file.read())
    except (OSError, EOFError, ValueError, UnicodeDecodeError):
        raise BadData("data", "a readable set", str(path), FORM) from None
    if values.shape[1] < 2 or not np.all(np.isfinite(values)):
        raise BadData("data", "finite features and a target", str(path), FORM)
    return Table(name, values[:, :-1], values[:, -1])


def _numbers(text: str) -> Array:
    """Comma separated lines as a matrix, of no columns where there is no line."""
    if not text.strip():
        return np.empty((0, 0))
    return np.loadtxt(text.splitlines(), delimiter=",", ndmin=2, comments=None)


def prepared(table: Table) -> Table:
    """Features to z-scores, rows to unit length, targets over max|y|. NOT PRIVATE: it reads means,
    stds and the maximum of all rows, test rows too. [Wang18, exp_uci.m]

    A constant column becomes zeros, and a row of zeros stays one.
    """
    X = standardised(table.X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    largest = np.abs(table.y).max(initial=0)
    return Table(table.name, X / np.where(lengths > 0, lengths, 1), table.y / (largest or 1))


def standardised(X: Array, fitted: Any = slice(None)) -> Array:
    """Columns less their means, over their stds in the rows `fitted` (n, d); zeros where a column
    is constant.
    """
    if len(X) == 0:
        return X
    mean, std = X[fitted].mean(axis=0), X[fitted].std(axis=0)
    varies = std > CONSTANT * np.abs(X[fitted]).max(axis=0)
    found: Array = np.where(varies, X - mean, 0) / np.where(varies, std, 1)
    return found
