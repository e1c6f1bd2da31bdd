"""Public budgets beside a table, one a record: positive numbers, or names of groups.

Their kind is determined when a table is opened; every later entry must be of that kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from dpframe.errors import BadData
from dpframe.graph.cells import number

from .column_values import cell_values, column_data, kind_of
from .reading import Array, ColumnData, Plain

NUMBERS, NAMES = "positive numbers", "names of groups"
KINDS = {"number": NUMBERS, "text": NAMES}
TRUTHS = (bool, np.bool_)
BOTH = "positive numbers, or names of groups as texts"
PUBLIC = "Budgets are public: every record needs one, and none is left out for the lack of it."
SAME = "All budgets of a table are of one kind; astype(float) makes numbers of objects."


def _positive(title: str, window: Any) -> Array:
    """A window of numbers as doubles, (m,), all positive and finite. Raises BadData."""
    numbers = amounts(window)
    if not (np.isfinite(numbers) & (numbers > 0)).all():
        wanted, got = "positive, finite numbers", Plain("missing or other values")
        raise BadData(title, wanted, got, PUBLIC)
    return numbers


def _names(title: str, window: Any) -> Array:
    """A window of texts as objects, (m,), none of them blank. Raises BadData."""
    cells = cell_values(window)
    names = np.fromiter(cells, dtype=object, count=len(cells))
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise BadData(title, NAMES, Plain("missing or other values"), PUBLIC)
    return names


def amounts(window: Any) -> Array:
    """Cells as doubles, nan for anything but a number; a truth value is no budget."""
    cells = cell_values(window)
    if isinstance(cells, np.ndarray):
        return cells
    found = (np.nan if isinstance(cell, TRUTHS) else number(cell) for cell in cells)
    return np.fromiter(found, dtype=float, count=len(cells))


def kind(values: Any, title: str) -> str | None:
    """NUMBERS or NAMES, by the type of the values, or by the first of them where they are objects;
    None where nothing shows it. Raises BadData for types that are neither.
    """
    is_complex = getattr(getattr(values, "dtype", None), "kind", "") == "c"
    of_type = "complex" if is_complex else kind_of(values)
    if of_type is not None and of_type not in KINDS:
        raise BadData(title, BOTH, Plain(f"values of kind {of_type}"))
    if of_type is not None:
        return KINDS[of_type]
    first = ColumnData(values, np.asarray).entries(0, 1)
    if any(isinstance(entry, str) for entry in cell_values(first)):
        return NAMES
    return None if np.isnan(amounts(first)).all() else NUMBERS


def column(values: Any, title: str, wanted: str) -> ColumnData:
    """A column of budgets of the wanted kind, checked as it is read. Raises BadData."""
    given = kind(values, title)
    if given not in {None, wanted}:
        raise BadData(title, wanted, Plain(str(given)), SAME)
    return column_data(values, partial(_names if wanted == NAMES else _positive, title))


def listed(entries: Sequence[Any]) -> Array:
    """A list as an array: doubles, nan for anything but a number; objects where there are texts.

    numpy would make numbers of truth values, and texts of numbers.
    """
    cells = np.fromiter(entries, dtype=object, count=len(entries))
    return cells if any(isinstance(cell, str) for cell in cells) else amounts(cells)
