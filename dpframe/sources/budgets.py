"""Public budgets beside a table, one a record: positive numbers, or names of groups.

Their kind is determined when a table is opened; every later entry must be of that kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Setting
from dpframe.graph.cells import number

from .column_values import cell_values, kind_of
from .headers import columns_said
from .reading import Array, ColumnData, Plain

NUMBERS, NAMES = "positive numbers", "names of groups"
KINDS = {"number": NUMBERS, "text": NAMES}
TRUTHS = (bool, np.bool_)
BOTH = "positive numbers, or names of groups as texts"
PUBLIC = "Budgets are public: every record needs one, and none is left out for the lack of it."
SAME = "All budgets of a table are of one kind; astype(float) makes numbers of objects."
DERIVED = "is derived from what it protects; give budgets that are public."


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
    return ColumnData(values, partial(_names if wanted == NAMES else _positive, title))


def listed(entries: Sequence[Any]) -> Array:
    """A list as an array: doubles, nan for anything but a number; objects where there are texts.

    numpy would make numbers of truth values, and texts of numbers.
    """
    cells = np.fromiter(entries, dtype=object, count=len(entries))
    return cells if any(isinstance(cell, str) for cell in cells) else amounts(cells)


def column_name(
    setting: Setting, header: Sequence[str] | None, budgets: Any, label: str | None
) -> str | None:
    """The column of X that holds the budgets; None where none does. Raises BadData.

    It is neither a feature of the codebook nor the column of the labels.
    """
    if not isinstance(budgets, str):
        return None
    if header is None:
        got = Plain("a name")
        raise BadData("budgets", "an entry a record", got, "An array has no names of columns.")
    if budgets not in header:
        way_out = columns_said(setting.X.columns, header)
        raise BadData("budgets", "the name of a column", budgets, way_out)
    if any(part.name == budgets for part in setting.X.columns or ()):
        way_out = f"A budget that is also a feature {DERIVED}"
        raise BadData("budgets", "no column of the codebook", budgets, way_out)
    if budgets in (label, None if setting.y is None else setting.y.name):
        raise _label(budgets)
    return budgets


def check_no_labels(y: Any, budgets: Any) -> None:
    """Refuse labels that are given as budgets too. Raises BadData."""
    if budgets is not None and budgets is y:
        raise _label(Plain("the same"))


def _label(got: str) -> BadData:
    way_out = f"A budget that is also a label {DERIVED}"
    return BadData("budgets", "something else than the labels", got, way_out)
