"""Public budgets beside a table, one a record: positive numbers, or names of groups.

Which of both is known when a table is opened; every later entry must be of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Setting

from .arrow import is_arrow, letter
from .arrow import number_column as arrow_column
from .reading import (
    KINDS,
    REAL,
    WAYS_OUT,
    WIDE,
    Array,
    Column,
    Plain,
    coerced,
    number_column,
    objects,
)

NUMBERS, NAMES = "positive numbers", "names of groups"
TEXT, OBJECT = ("U", "T"), "O"  # numpy's letters
OF_POLARS = {**dict.fromkeys(("String", "Categorical", "Enum"), "U"), "Object": "O", "Null": "O"}
BOTH = "positive numbers, or names of groups as texts"
PUBLIC = "Budgets are public: every record needs one, and none is left out for the lack of it."
SAME = "All budgets of a table are of one kind; astype(float) makes numbers of objects."
DERIVED = "is derived from what it protects; give budgets that are public."


@attrs.frozen
class Positive:
    """A window of numbers as doubles, all positive and finite. `convert` makes nan of others."""

    title: str
    convert: Callable[[Any], Array]

    def __call__(self, window: Any) -> Array:
        """Shape (m,). Raises BadData, without a value."""
        numbers = self.convert(window)
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
        names = objects(window)
        if not all(isinstance(name, str) and name.strip() for name in names):
            raise BadData(self.title, NAMES, Plain("missing or other values"), PUBLIC)
        return names


def kind(values: Any, title: str) -> str | None:
    """NUMBERS or NAMES, by the type of the values, or by the first of them where they are objects;
    None where nothing shows it. Raises BadData for types that are neither.
    """
    found = _letter(values)
    if found in REAL or found in TEXT:
        return NUMBERS if found in REAL else NAMES
    if found != OBJECT:
        got = Plain(f"values of kind {KINDS.get(found, found)}")
        raise BadData(title, BOTH, got, WAYS_OUT.get(found, "") if found in WIDE else "")
    first = Column(values, objects).read(0, 1)
    if any(isinstance(entry, str) for entry in first):
        return NAMES
    return None if np.isnan(coerced(first)).all() else NUMBERS


def column(values: Any, title: str, wanted: str) -> Column:
    """A column of budgets of the wanted kind, judged as it is read. Raises BadData."""
    found = kind(values, title)
    if found not in (None, wanted) and not _nothing(values):
        raise BadData(title, wanted, Plain(found), SAME)
    if wanted == NAMES:
        return Column(values, Named(title))
    plain = _numbers(values, title)
    return Column(plain.values, Positive(title, plain.convert))


def listed(entries: Sequence[Any]) -> Array:
    """A list as an array: doubles, nan for what is no number; objects where there are texts.

    numpy would make numbers of truth values, and texts of numbers.
    """
    cells = np.fromiter(entries, dtype=object, count=len(entries))
    return cells if any(isinstance(cell, str) for cell in cells) else coerced(cells)


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
        raise BadData("budgets", "the name of a column", budgets, f"X has {', '.join(header)}.")
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
    if str(dtype) in WIDE:
        return str(dtype)
    return str(getattr(dtype, "kind", None) or _of_polars(dtype))


def _of_polars(dtype: Any) -> str:
    if dtype.is_numeric():
        return "f"
    name = str(dtype)
    return OF_POLARS.get(name.partition("(")[0], name)


def _nothing(values: Any) -> bool:
    """Whether this is a column that is null throughout, which is of every kind."""
    return is_arrow(values) and letter(values.type) == OBJECT


def _numbers(values: Any, title: str) -> Column:
    if _letter(values) == OBJECT:
        return Column(values, coerced)
    return arrow_column(values, title) if is_arrow(values) else number_column(values, title)
