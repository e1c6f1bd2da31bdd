"""Public budgets beside a table, one a record: positive numbers, or names of groups.

Which of both is known when a table is opened; every later entry must be of that kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Setting
from dpframe.graph.cells import number

from .arrow import is_arrow, letter
from .headers import columns_said
from .held import held
from .reading import Array, Column, Plain

NUMBERS, NAMES = "positive numbers", "names of groups"
REAL, TEXT, OBJECT = "fiu", ("U", "T"), "O"  # numpy's letters
KINDS = {"b": "bool", "c": "complex", "S": "bytes", "M": "date", "m": "date"}
TRUTHS = (bool, np.bool_)
OF_POLARS = {**dict.fromkeys(("String", "Categorical", "Enum"), "U"), "Object": "O", "Null": "O"}
BOTH = "positive numbers, or names of groups as texts"
PUBLIC = "Budgets are public: every record needs one, and none is left out for the lack of it."
SAME = "All budgets of a table are of one kind; astype(float) makes numbers of objects."
DERIVED = "is derived from what it protects; give budgets that are public."


@attrs.frozen
class Positive:
    """A window of numbers as doubles, all positive and finite."""

    title: str

    def __call__(self, window: Any) -> Array:
        """Shape (m,). Raises BadData, without a value."""
        numbers = amounts(window)
        if not (np.isfinite(numbers) & (numbers > 0)).all():
            wanted, got = "positive, finite numbers", Plain("missing or other values")
            raise BadData(self.title, wanted, got, PUBLIC)
        return numbers


@attrs.frozen
class Named:
    """A window of texts as objects, none of them blank."""

    title: str

    def __call__(self, window: Any) -> Array:
        """Shape (m,). Raises BadData, without a value."""
        cells = held(window)
        names = np.fromiter(cells, dtype=object, count=len(cells))
        if not all(isinstance(name, str) and name.strip() for name in names):
            raise BadData(self.title, NAMES, Plain("missing or other values"), PUBLIC)
        return names


def amounts(window: Any) -> Array:
    """Cells as doubles, nan for what is no number; a truth value is no budget."""
    cells = held(window)
    if isinstance(cells, np.ndarray):
        return cells
    found = (np.nan if isinstance(cell, TRUTHS) else number(cell) for cell in cells)
    return np.fromiter(found, dtype=float, count=len(cells))


def kind(values: Any, title: str) -> str | None:
    """NUMBERS or NAMES, by the type of the values, or by the first of them where they are objects;
    None where nothing shows it. Raises BadData for types that are neither.
    """
    found = _letter(values)
    if found in REAL or found in TEXT:
        return NUMBERS if found in REAL else NAMES
    if found != OBJECT:
        got = Plain(f"values of kind {KINDS.get(found, found)}")
        raise BadData(title, BOTH, got)
    first = Column(values, np.asarray).entries(0, 1)
    cells = held(first)
    if any(isinstance(entry, str) for entry in cells):
        return NAMES
    return None if np.isnan(amounts(first)).all() else NUMBERS


def column(values: Any, title: str, wanted: str) -> Column:
    """A column of budgets of the wanted kind, judged as it is read. Raises BadData."""
    found = kind(values, title)
    if found not in (None, wanted) and not _nothing(values):
        raise BadData(title, wanted, Plain(found), SAME)
    return Column(values, Named(title) if wanted == NAMES else Positive(title))


def listed(entries: Sequence[Any]) -> Array:
    """A list as an array: doubles, nan for what is no number; objects where there are texts.

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


def _letter(values: Any) -> str:
    """numpy's letter for the type of a column of any make, else the type's own name."""
    if is_arrow(values):
        return letter(values.type)
    dtype = values.dtype
    if "decimal" in str(getattr(dtype, "pyarrow_dtype", "")):
        return "f"
    return str(getattr(dtype, "kind", None) or _of_polars(dtype))


def _of_polars(dtype: Any) -> str:
    if dtype.is_numeric():
        return "f"
    name = str(dtype)
    return OF_POLARS.get(name.partition("(")[0], name)


def _nothing(values: Any) -> bool:
    """Whether this is a column that is null throughout, which is of every kind."""
    return is_arrow(values) and letter(values.type) == OBJECT
