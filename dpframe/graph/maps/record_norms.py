"""Records divided by the norm of their row: (x, y)/|x|, as rows and labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import exact

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import ColumnMap, RecordMap, RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class DividedRecords(RecordMap):
    """(x, y)/|x| as one row; a record whose row is zero stays as it is. Proof page:
    proofs/divided.
    """

    kind: ClassVar[str] = "divided_records"
    source: Rows
    column: Column

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Rows and labels."""
        return (self.source, self.column)

    @property
    def label(self) -> str:
        """`(x, y)/|x|`."""
        return "(x, y)/|x|"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Divide; a label that overflows becomes the largest double."""
        import numpy as np

        from ..clipping import normalize, squared_norms

        del number
        rows, labels = values[self.source], values[self.column]
        largest = np.max(np.abs(rows), axis=1, initial=0.0)
        some = largest > 0
        size = np.where(some, largest, 1.0)
        lengths = np.where(some, np.sqrt(squared_norms(rows / size[:, None])), 1.0)
        unit = np.where(some[:, None], normalize(rows), 0.0)
        with np.errstate(over="ignore"):
            records: Array = np.nan_to_num(np.column_stack([unit, labels / size / lengths]))
        return records


@attrs.frozen(cache_hash=True)
class RecordRows(RowMap):
    """The row of a record (x, y)/|x|: of norm at most 1."""

    kind: ClassVar[str] = "record_rows"
    source: DividedRecords

    @property
    def label(self) -> str:
        """`rows`."""
        return "rows"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def apply(self, block: Array, number: Numbers) -> Array:
        """All columns but the last."""
        del number
        return block[:, :-1]


@attrs.frozen(cache_hash=True)
class RecordLabels(ColumnMap):
    """The label of a record (x, y)/|x|: unbounded, since |x| may be small. Clip it."""

    kind: ClassVar[str] = "record_labels"
    source: DividedRecords

    @property
    def label(self) -> str:
        """`labels`."""
        return "labels"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def apply(self, block: Array, number: Numbers) -> Array:
        """The last column."""
        del number
        return block[:, -1]


def divided_records(rows: Rows, column: Column, *, bound: object) -> tuple[Rows, Column]:
    """Rows x/|x| and labels y/|x|, clipped to the public interval [-bound, bound]: the map by row
    norms that divides the label too. [Thesis, Eq. 3.4, with a public bound]
    """
    records, most = DividedRecords(rows, column), exact(bound, "bound")
    return RecordRows(records), RecordLabels(records).clip(-most, most)
