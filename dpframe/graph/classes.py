"""Labels that are classes: a public list of two, and which of them a cell is.

What a cell means depends on the list and on the cell alone: a text is the level that is the same
text, a number or truth value the level that is the same double; anything else is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Class = str | int | float | bool
WAY_OUT = 'dp.Column("smoker", levels=["no", "yes"]): the list is public, never read from the data.'
TRUTHS, TIMES = ("bool", "bool_"), ("timedelta64",)  # numpy's, which do not say what they are
KINDS = "biuf"  # numpy's kinds of cells that are numbers


def classes_of(values: object, name: str = "levels") -> tuple[Class, ...] | None:
    """Two different texts, or two different finite numbers or truth values, as they are in Python;
    None for None. Raises InvalidArgument.
    """
    if values is None:
        return None
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidArgument(name, "a list of two classes", values, WAY_OUT)
    found = tuple(_plain(value) for value in values)
    kinds = {isinstance(value, str) for value in found}
    right = all(isinstance(value, (str, bool, int, float)) for value in found) and len(kinds) == 1
    if not right or len(found) != 2 or len(set(map(_key, found))) != 2 or None in map(_key, found):
        wanted = "two different texts, or two different finite numbers"
        raise InvalidArgument(name, wanted, found, WAY_OUT)
    return found


def _plain(value: Any) -> Any:
    """A scalar of numpy as Python's."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def _key(cell: Any) -> str | float | None:
    """What a cell is compared by; None for what is missing."""
    if isinstance(cell, str):
        return str(cell)
    known = isinstance(cell, (Real, Decimal)) and type(cell).__name__ not in TIMES
    if not known and type(cell).__name__ not in TRUTHS:
        return None
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None


@attrs.frozen
class Codes:
    """Cells as 0.0 for the first class, 1.0 for the second, nan for anything else: each by itself,
    in any array of one dimension.
    """

    classes: tuple[Class, ...]

    def __call__(self, cells: Array) -> Array:
        """Codes, shape (m,)."""
        import numpy as np

        first, second = map(_key, self.classes)
        if cells.dtype.kind in KINDS and not isinstance(first, str):
            numbers = cells.astype(float)
            return np.where(numbers == first, 0.0, np.where(numbers == second, 1.0, np.nan))
        codes = {first: 0.0, second: 1.0, None: np.nan}
        return np.array([codes.get(_key(cell), np.nan) for cell in cells], dtype=float)
