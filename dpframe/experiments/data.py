"""The data of experiments: a folder of UCI regression sets, with the preprocessing of the paper,
which is not private, and a file of medical costs.
"""

from __future__ import annotations

import functools
import gzip
import os
import zlib
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData, InvalidArgument

from . import medical_costs

Array = NDArray[Any]

ENDING = ".csv.gz"
FORM = "Each set is NAME.csv.gz: comma separated, no header, numbers only, the target last."
CONSTANT = 1e-12  # a column whose std is this small beside its largest entry is rounding


@attrs.frozen(eq=False)
class DataSet:
    """A set by its name: features X (n, d) and targets y (n,)."""

    name: str
    X: Array
    y: Array


def present(folder: Path) -> tuple[str, ...]:
    """Names of the sets in a folder, sorted. Raises InvalidArgument where there is none."""
    names = tuple(sorted(path.name.removesuffix(ENDING) for path in folder.glob(f"*{ENDING}")))
    if not names:
        places = " and ".join(str(path) for path in _below(folder))
        way_out = f"{places} hold sets. Name one of them." if places else FORM
        raise InvalidArgument("data", "a folder of UCI sets", str(folder), way_out)
    return names


def _below(folder: Path) -> list[Path]:
    """Folders of this folder that hold sets, sorted; none where it holds sets itself."""
    if any(folder.glob(f"*{ENDING}")):
        return []
    return sorted({path.parent for path in folder.glob(f"*/*{ENDING}")})


def load(folder: Path, name: str) -> DataSet:
    """A set, unchanged. Raises BadData, naming the file."""
    path = folder / f"{name}{ENDING}"
    try:
        with gzip.open(path, "rt") as file:
            values = _numbers(file.read())
    except (OSError, EOFError, ValueError, UnicodeDecodeError):
        raise BadData("data", "a readable set", str(path), FORM) from None
    if values.shape[1] < 2 or not np.all(np.isfinite(values)):
        raise BadData("data", "finite features and a target", str(path), FORM)
    return DataSet(name, values[:, :-1], values[:, -1])


def _numbers(text: str) -> Array:
    """Comma separated lines as a matrix, of no columns where there is no line."""
    if not text.strip():
        return np.empty((0, 0))
    return np.loadtxt(text.splitlines(), delimiter=",", ndmin=2, comments=None)


def prepared(table: DataSet) -> DataSet:
    """Features to z-scores, rows to unit length, targets over max|y|. NOT PRIVATE: it reads means,
    stds and the maximum of all rows, test rows too. [Wang18, exp_uci.m]

    A constant column becomes zeros, and a row of zeros stays one.
    """
    X = standardised(table.X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    largest = np.abs(table.y).max(initial=0)
    return DataSet(table.name, X / np.where(lengths > 0, lengths, 1), table.y / (largest or 1))


def standardised(X: Array, fitted: Any = slice(None)) -> Array:
    """Columns less their means, over their stds in the rows `fitted` (n, d); zeros where a column
    is constant.
    """
    if len(X) == 0:
        return X
    mean, std = X[fitted].mean(axis=0), X[fitted].std(axis=0)
    varies = std > CONSTANT * np.abs(X[fitted]).max(axis=0)
    scaled: Array = np.where(varies, X - mean, 0) / np.where(varies, std, 1)
    return scaled


COSTS = "insurance.csv"


@attrs.frozen
class Data:
    """A folder of sets as `load` reads them, and the file of medical costs; None where there is
    none.
    """

    folder: Path | None = None
    costs: Path | None = None

    @classmethod
    def found(cls, given: Path | None) -> Data:
        """The data that `given` or the environment names: DPFRAME_DATA a folder of sets, or the
        folder above it if no other folder there holds sets; DPFRAME_INSURANCE the medical costs,
        which may also be in the folder or beside it.
        """
        folder = given or _named("DPFRAME_DATA")
        if folder is not None and len(below := _below(folder)) == 1:
            folder = below[0]
        costs = _named("DPFRAME_INSURANCE")
        if costs is None and folder is not None:
            near = (folder / COSTS, folder.parent / COSTS)
            costs = next((path for path in near if path.is_file()), None)
        return cls(folder, costs)

    def present(self) -> tuple[str, ...]:
        """Names of the sets, sorted. Raises InvalidArgument without a folder."""
        if self.folder is None:
            way_out = f"Name it with --data or DPFRAME_DATA. {FORM}"
            raise InvalidArgument("data", "a folder of sets", self.folder, way_out)
        return present(self.folder)

    def table(self, name: str) -> DataSet:
        """A set. Raises BadData, InvalidArgument."""
        self.present()
        return _table(self.folder or Path(), name)

    def people(self) -> medical_costs.MedicalCosts:
        """The medical costs. Raises BadData, InvalidArgument."""
        if self.costs is None:
            way_out = f"Name it with DPFRAME_INSURANCE. {medical_costs.FORM}"
            raise InvalidArgument("data", "a file of medical costs", self.costs, way_out)
        return _people(self.costs)

    def mark(self, name: str | None) -> str:
        """A checksum of the file of a set, or of the medical costs, in the keys of results."""
        path = self.costs if name is None else (self.folder or Path()) / f"{name}{ENDING}"
        return f"{_checksum(path):08x}" if path is not None and path.is_file() else ""


def _named(variable: str) -> Path | None:
    path = os.environ.get(variable)
    return Path(path) if path else None


@functools.lru_cache(maxsize=2)
def _table(folder: Path, name: str) -> DataSet:
    return load(folder, name)


@functools.lru_cache(maxsize=1)
def _people(path: Path) -> medical_costs.MedicalCosts:
    return medical_costs.load(path)


@functools.lru_cache(maxsize=64)
def _checksum(path: Path) -> int:
    return zlib.crc32(path.read_bytes())
