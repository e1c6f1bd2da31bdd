"""Rows multiplied by a public or released matrix, for example to whiten them. Proof page:
proofs/divided.
"""

from __future__ import annotations

import base64
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.numerics.blocks.gridding import margins, margins_on_grid

from ..arrays import Array, Numbers, Values, np
from ..node import Node, titled
from ..post import Post, post
from ..rows import RowsNode
from .base import RecordMap
from .grid import Grid, gridded, step_size
from .residuals import released_coefficients


@attrs.frozen(cache_hash=True)
class LinearMap(RecordMap):
    """x A for each row x, where A (d, d) is public or released. Bounded rows are read on the grid
    of their table, where the product is exact. The result is unbounded and needs a clip.
    """

    kind: ClassVar[str] = "linear_map"
    label = titled("times {0.by.label}")
    source: RowsNode = attrs.field(converter=gridded)
    by: Node = attrs.field(converter=released_coefficients)

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """The rows, if they lie on a grid inside a ball."""
        return (self.source,) if type(self.source) is Grid else ()

    @property
    def width(self) -> int | None:
        """The number of columns required by a public matrix; None for a released one."""
        if not isinstance(self.by, Post) or self.by.function is not decoded:
            return None
        return len(decoded(*map(str, self.by.arguments)))

    def records(self, values: Values, number: Numbers) -> Array:
        """The product, column by column. Raises NotExecutable for another shape."""
        rows, d = values[self.source], values[self.source].shape[1]
        matrix = np.nan_to_num(np.asarray(values[self.by], dtype=float))
        if matrix.shape != (d, d):
            wanted = f"a matrix of shape {matrix.shape} for {d} columns"
            raise NotExecutable(f"{wanted}. Give one of shape ({d}, {d}).")
        if type(self.source) is not Grid:
            return np.column_stack([margins(rows, column) for column in matrix.T])
        step, bits = number(step_size(self.source)), self.source.bits
        made = [margins_on_grid(rows, column, step, bits) for column in matrix.T]
        return np.column_stack(made)


def public_array(values: Any, name: str = "values") -> Post:
    """Public numbers (any shape) for functions and maps of released values; the certificate
    contains them. Raises InvalidArgument.
    """
    return post(decoded, *encoded(values, name))


def encoded(values: Any, name: str = "values") -> tuple[str, str]:
    """The shape of an array, and its numbers as little-endian doubles in base 64. Raises
    InvalidArgument.
    """
    try:
        array = np.asarray(values, dtype="<f8")
    except Exception:  # noqa: BLE001 - whatever others' arrays raise, which may quote data
        array = np.array(np.nan)
    if not np.all(np.isfinite(array)):
        wanted = "an array of finite numbers"
        raise InvalidArgument(name, wanted, type(values).__name__, "It is public.")
    text = base64.b64encode(array.tobytes()).decode()
    return ",".join(map(str, array.shape)), text


def decoded(shape: str, text: str) -> Array:
    """The array encoded by `encoded`."""
    numbers = np.frombuffer(base64.b64decode(text), dtype="<f8").astype(float)
    return numbers.reshape([int(size) for size in shape.split(",") if size])
