"""Table 3 of [Wang18] as numbers: 36 sets, seven columns, cross-validation error and its spread."""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Mapping
from importlib import resources

import attrs

FILE = "wang_table3.csv"
FOLDS = 10
BASELINES = ("trivial", "non-private")
PRIVATE = ("ObjPert", "OPS", "SSP", "AdaOPS", "AdaSSP")
COLUMNS = (*BASELINES, *PRIVATE)


@attrs.frozen
class Cell:
    """Mean squared error over 10 folds; `spread` is what is printed behind it.

    The spread of a bold cell is the std over folds, of any other 2 std/sqrt(10), as exp_uci.m
    prints them. [Wang18]
    """

    error: float
    spread: float
    bold: bool = False

    @property
    def half_width(self) -> float:
        """2 std/sqrt(10): half of a 95% interval of the error."""
        return self.spread * (2 / math.sqrt(FOLDS) if self.bold else 1.0)


@functools.cache
def table3() -> Mapping[str, Mapping[str, Cell]]:
    """Cells by set and column, as published."""
    lines = (resources.files(__package__) / FILE).read_text("utf-8").splitlines()
    return {record["set"]: _marked(_cells(record)) for record in csv.DictReader(lines)}


def _cells(record: Mapping[str, str]) -> dict[str, Cell]:
    return {name: Cell(float(record[name]), float(record[f"{name} ±"])) for name in COLUMNS}


def _marked(cells: dict[str, Cell]) -> dict[str, Cell]:
    """The cells with those bold that the code prints so.

    Our copy of the table has lost its bold type. The code sets a private cell in bold where std <
    error and error - 2 std/sqrt(10) < the least private error. A cell that fits both readings is
    taken to be bold, which makes its half-width the narrower one.
    """
    best = min(cells[name].error for name in PRIVATE)
    bold = {name: attrs.evolve(cells[name], bold=True) for name in PRIVATE}
    fits = {
        name: cell.spread < cell.error and cell.error - cell.half_width < best
        for name, cell in bold.items()
    }
    return {name: bold[name] if fits.get(name) else cell for name, cell in cells.items()}
