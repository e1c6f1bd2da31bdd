"""The meaning of one cell of a table, as a function of the codebook and of that cell alone.

No other cell, no inferred type of a list or column, and no position takes part. A real number is
read as the nearest double, and truth values as 0 and 1. Anything else (missing values, texts,
dates, complex numbers) is not a number and is read as nan. A level of a category is read as its
position in the codebook; a cell that equals no level is missing, or -1 if the codebook says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NO_LEVEL = -1.0
MISSING = ("NAType", "NaTType")  # of pandas
NUMERIC = ("number", "truth value")


class Meaning:
    """How the cells of one column are read as doubles: real numbers; nan for anything else."""

    kinds: tuple[str, ...] = NUMERIC
    """The kinds of columns that can be read, as refusals name them."""

    def of_numbers(self, numbers: Array) -> Array:
        """Read cells that are doubles, nan for missing ones."""
        return numbers

    def of_cell(self, cell: Any) -> float:
        """Read a cell of any type."""
        return number(cell)

    def of_cells(self, cells: Sequence[Any]) -> Array:
        """Read cells of any type, shape (m,)."""
        return np.fromiter(map(self.of_cell, cells), dtype=float, count=len(cells))


@attrs.frozen(eq=False, slots=False)
class Levels(Meaning):
    """Positions of levels: texts are compared as texts, numbers and truth values as doubles. A cell
    that equals no level is read as `other`: NO_LEVEL, or nan if it is missing.
    """

    texts: Mapping[str, float]
    numbers: Mapping[float, float]
    other: float

    @classmethod
    def of(cls, levels: Iterable[object], other: float = NO_LEVEL) -> Levels:
        """The levels of a codebook, in its order."""
        texts: dict[str, float] = {}
        numbers: dict[float, float] = {}
        for code, level in enumerate(levels):
            if isinstance(level, str):
                texts[level] = float(code)
            else:
                numbers[number(level)] = float(code)
        return cls(texts, numbers, other)

    @property
    def kind(self) -> str:
        """The kind of the levels."""
        return "text" if self.texts else "number"

    @cached_property
    def ordered(self) -> Array:
        """The numeric levels and their codes, increasing, for vectorised lookup: (levels, 2)."""
        return np.array(sorted(self.numbers.items()), dtype=float).reshape(-1, 2)

    @property
    def kinds(self) -> tuple[str, ...]:  # type: ignore[override]  # as its levels say
        return (*(("text",) if self.texts else ()), *(NUMERIC if self.numbers else ()))

    def of_numbers(self, numbers: Array) -> Array:
        levels, codes = self.ordered.T
        if not len(levels):
            return np.full(len(numbers), self.other)
        places = np.minimum(np.searchsorted(levels, numbers), len(levels) - 1)
        return np.where(levels[places] == numbers, codes[places], self.other)

    def of_cell(self, cell: Any) -> float:
        if issubclass(type(cell), str):
            return self.texts.get(str.__str__(cell), self.other)
        return self.numbers.get(number(cell), self.other)


NUMBERS = Meaning()


def label_meaning(classes: Iterable[object] | None) -> Meaning:
    """How labels are read: classes as their positions, numbers where no classes are declared."""
    return NUMBERS if classes is None else Levels.of(classes, np.nan)


def number(cell: Any) -> float:
    """The double nearest to a real number, possibly infinite; nan for anything else. Only the type
    of the object is trusted: no method of a subclass is called.
    """
    kind = type(cell)
    if kind is float:
        return cell  # type: ignore[no-any-return]
    try:
        if issubclass(kind, float):
            return float.__float__(cell)
        if issubclass(kind, int):
            return int.__float__(cell)
        if issubclass(kind, np.generic):
            return _of_numpy(cell)
        if issubclass(kind, complex):
            return _of_complex(complex.__complex__(cell))
        if issubclass(kind, Decimal):
            return float(Decimal(cell))
        if kind is Fraction:
            return float(cell)
    except (ArithmeticError, TypeError, ValueError):  # too large, or a signalling nan
        pass
    return np.nan


def _of_numpy(cell: np.generic) -> float:
    """A scalar of numpy: dates and durations are no numbers, though numpy would convert them."""
    array = np.asarray(cell)  # by its memory
    with np.errstate(over="ignore"):
        if array.dtype.kind == "c":
            return _of_complex(complex(array.astype(np.complex128)))
        return float(array.astype(np.float64)) if array.dtype.kind in "fiub" else np.nan


def _of_complex(cell: complex) -> float:
    return float(cell.real) if cell.imag == 0 else np.nan


def is_missing(cell: Any) -> bool:
    """Whether a cell that is not a number is missing, rather than a value of another kind."""
    number_like = issubclass(type(cell), (float, np.floating, Decimal))
    return cell is None or number_like or type(cell).__name__ in MISSING
