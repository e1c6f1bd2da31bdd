"""Labels that are classes: a public list of two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from dpframe.errors import InvalidArgument

Class = str | int | float | bool
WAY_OUT = 'dp.Column("smoker", levels=["no", "yes"]): the list is public, never read from the data.'


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
    keys = set(map(compared, found)) if right else set()
    if len(found) != 2 or len(keys) != 2 or None in keys:
        wanted = "two different texts, or two different finite numbers"
        raise InvalidArgument(name, wanted, found, WAY_OUT)
    return found


def _plain(value: Any) -> Any:
    """A scalar of numpy as Python's."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def compared(level: Any) -> str | float | None:
    """A level as cells are compared with it: a text as it is, a number or truth value as a double;
    None where no finite double is near it.
    """
    if isinstance(level, str):
        return level
    try:
        found = float(level)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
