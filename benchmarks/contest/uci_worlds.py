"""The UCI sets as worlds: cross-validation, under the papers' bounds or bounds stated before."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.experiments import data as uci
from dpframe.experiments.worlds import folds as random_folds

from .stated import stated
from .worlds import Split, World

PAPER, STATED = "paper", "stated"
BOUNDS = (PAPER, STATED)


@attrs.frozen
class UciWorld(World):
    """A set of a folder. `paper` bounds are uci.prepared, which reads the data; `stated` ones are a
    public map.
    """

    family: ClassVar[str] = "uci"
    reference: ClassVar[str] = "Ridge"
    folder: Path
    name: str
    bounds: str = PAPER

    @property
    def size(self) -> tuple[int, int]:
        """As the bounds' map leaves the table."""
        n, d = self._table.X.shape
        return n, d

    def splits(self, rng: np.random.Generator, folds: int) -> Iterator[Split]:
        """One cross-validation: every row is tested on once."""
        X, y = self._table.X, self._table.y
        for train, test in random_folds(len(y), rng, folds):
            yield Split(X[train], y[train], X[test], y[test])

    @property
    def _table(self) -> uci.DataSet:
        return read(self.folder, self.name, self.bounds)


@functools.lru_cache(maxsize=2)
def read(folder: Path, name: str, bounds: str) -> uci.DataSet:
    """A set under its bounds. Raises BadData, and InvalidArgument where none are stated."""
    table = uci.load(folder, name)
    if bounds == PAPER:
        return uci.prepared(table)
    if name not in stated():
        way_out = f"Bounds are stated for {', '.join(stated())}; bounds=paper reads the data."
        raise InvalidArgument("set", "one with stated bounds", name, way_out)
    return stated()[name].applied(table)


def uci_worlds(folder: Path | None, bounds: str, sets: Sequence[str] = ()) -> tuple[UciWorld, ...]:
    """The sets that were asked for, all of the folder where none was. Raises InvalidArgument."""
    if folder is None:
        way_out = f"Name it with --data or DPFRAME_DATA, or --worlds synthetic. {uci.FORM}"
        raise InvalidArgument("data", "a folder of UCI sets", folder, way_out)
    if bounds not in BOUNDS:
        raise InvalidArgument("bounds", f"one of {', '.join(BOUNDS)}", bounds)
    present = uci.present(folder)
    strange = sorted(set(sets) - set(present))
    if strange:
        way_out = f"The folder has {', '.join(present)}."
        raise InvalidArgument("sets", "sets in the folder", ", ".join(strange), way_out)
    return tuple(UciWorld(folder, name, bounds) for name in sets or present)
