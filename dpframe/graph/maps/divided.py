"""Columns shifted and divided by released numbers, one of each a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.symbols import RELEASED, Expression, to_json

from ..node import Node
from ..positive import positive
from ..reading import Reading
from ..rows import Rows
from ..statistics import Statistic
from .base import RecordMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

LEAST, FAR = 1e-300, 1e150  # beyond, what a released centre says is not believed


def _known_or_statistic(instance: object, attribute: attrs.Attribute[Any], value: object) -> None:
    del instance
    known = isinstance(value, Statistic) or (isinstance(value, Node) and value.scope is RELEASED)
    if value is not None and not known:
        way_out = "Release it first: dp.post(scales, dp.release(...), ...)."
        raise InvalidArgument(
            attribute.name, "a released vector, one number a column", value, way_out
        )


def _lower(value: object) -> Expression:
    return positive(value, "lower")


def _upper(value: object) -> Expression:
    return positive(value, "upper")


@attrs.frozen(cache_hash=True)
class DividedColumns(RecordMap):
    """Column j becomes (x_j - minus_j)/by_j, where `by` and `minus` are released vectors (d,);
    whatever was released, `by` is put into the public range [lower, upper] first.

    For each pair of released vectors it is a map of one row, so neighbours stay neighbours. It
    bounds nothing: clip what it gives. Proof page: proofs/divided.
    """

    kind: ClassVar[str] = "divided_columns"
    source: Rows
    by: Node = attrs.field(validator=_known_or_statistic)
    minus: Node | None = attrs.field(validator=_known_or_statistic)
    lower: Expression = attrs.field(converter=_lower)
    upper: Expression = attrs.field(converter=_upper)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the released vectors."""
        return (self.source, self.by, *([] if self.minus is None else [self.minus]))

    @property
    def readings(self) -> dict[str, Reading]:
        """The range; and the value of a vector that was not released, which taints it."""
        vectors = {"divisor": self.by, "centre": self.minus}
        raw = {
            name: Reading(vector.__expression__(), RELEASED)
            for name, vector in vectors.items()
            if isinstance(vector, Statistic)
        }
        return {
            "lower": Reading(self.lower, RELEASED, positive=True),
            "upper": Reading(self.upper, RELEASED, positive=True),
            **raw,
        }

    @property
    def label(self) -> str:
        """`divide columns by scales`."""
        shift = "" if self.minus is None else f"subtract {self.minus.label}, "
        return f"{shift}divide columns by {self.by.label}"

    def record(self) -> dict[str, object]:
        """The range, and whether there is a centre."""
        ends = {"lower": to_json(self.lower), "upper": to_json(self.upper)}
        return {**ends, "centred": self.minus is not None}

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Shift, then divide; what overflows becomes the largest double. Raises NotExecutable where
        a vector has not one number a column.
        """
        import numpy as np

        rows = values[self.source]
        low, high = number(self.lower), number(self.upper)
        low = max(low, LEAST)  # rounded towards zero, it may be zero
        by = np.clip(_vector(values[self.by], rows.shape[1], nan=high), low, max(low, high))
        shift = 0.0 if self.minus is None else _vector(values[self.minus], rows.shape[1])
        with np.errstate(over="ignore"):  # a warning would tell of the data
            divided: Array = np.nan_to_num((rows - np.clip(shift, -FAR, FAR)) / by)
        return divided


def _vector(value: Any, columns: int, nan: float = 0.0) -> Array:
    import numpy as np

    vector = np.asarray(value, dtype=float)
    if vector.shape not in ((), (columns,)):
        wanted = f"released scales of shape {vector.shape} for {columns} columns"
        raise NotExecutable(f"{wanted}. Release one number a column.")
    finite: Array = np.nan_to_num(np.broadcast_to(vector, (columns,)), nan=nan)
    return finite
