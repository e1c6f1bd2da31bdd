"""Each record's place in the list of different budgets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData
from dpframe.sources.reading import Plain
from dpframe.sources.table import Block

Array = NDArray[Any]


def places(keys: Array, budgets: Array | None) -> Array:
    """Where each entry stands among `keys`, sorted, shape (m,). Raises BadData for any other."""
    if budgets is None:
        raise BadData("budgets", "given, one a record", None, "dp.execute(..., budgets=...).")
    if not len(budgets):
        return np.empty(0, dtype=np.intp)
    budgets = comparable(budgets)
    found = np.minimum(np.searchsorted(keys, budgets), len(keys) - 1)
    if not np.array_equal(keys[found], budgets):
        groups = ", ".join(map(str, keys[:10])) if keys.dtype.kind == "U" else ""
        wanted = f"among the groups {groups}" if groups else "among those that were declared"
        way_out = "Declare every group, or every budget."
        raise BadData("budgets", wanted, Plain("others"), way_out)
    return found


@attrs.frozen(eq=False)
class Different:
    """The different entries of a column of budgets and how many records have each, as work for a
    source: they add up.
    """

    entries: Array
    counts: Array

    def __add__(self, other: Different) -> Different:
        both = np.concatenate([self.entries, other.entries])
        kept, where = np.unique(both, return_inverse=True)
        counts = np.bincount(where, np.concatenate([self.counts, other.counts]), len(kept))
        return Different(kept, counts)


def different(blocks: Iterable[Block]) -> Different:
    """The different budgets of blocks, at least one."""
    found = [np.unique(_column(block), return_counts=True) for block in blocks]
    together = Different(found[0][0], found[0][1].astype(float))
    for entries, counts in found[1:]:
        together += Different(entries, counts.astype(float))
    return together


def _column(block: Block) -> Array:
    """A block's budgets; names as texts that sort."""
    if block.budgets is None:
        raise BadData("budgets", "given, one a record", None, "dp.execute(..., budgets=...).")
    return comparable(block.budgets)


def comparable(column: Array) -> Array:
    """Names as texts, which sort; numbers as they are. Raises BadData for names that arrays of
    texts would change.
    """
    if column.dtype != object:
        return column
    names = (name for name in set(column.tolist()) if isinstance(name, str))
    if any(name.endswith("\0") for name in names):
        raise BadData("budgets", "names in printable characters", Plain("others"))
    return column.astype(str)
