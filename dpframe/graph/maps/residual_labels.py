"""The residual of each record as its label, at coefficients that were released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import RecordColumn
from .gradients import margins
from .grid import Grid, gridded, step_size
from .residuals import coefficients_in, released_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class ResidualLabels(RecordColumn):
    """y - x'theta of each record; theta, shape (d,), was released. Bounded rows are read on their
    table's grid, where x'theta is exact. It bounds nothing: clip what it gives. Proof page:
    proofs/divided.
    """

    kind: ClassVar[str] = "residual_labels"
    bound: ClassVar[None] = None
    source: Column
    rows: Rows = attrs.field(converter=gridded)
    theta: Node = attrs.field(converter=released_coefficients)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """y, X, theta."""
        return (self.source, self.rows, self.theta)

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """The rows, where they lie on a grid inside a ball."""
        return (self.rows,) if type(self.rows) is Grid else ()

    @property
    def label(self) -> str:
        """`residuals at theta_of`."""
        return f"residuals at {self.theta.label}"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Finite for finite rows and labels. Raises NotExecutable where theta has another length
        than rows.
        """
        import numpy as np

        reached = self._margins(values, number)
        with np.errstate(over="ignore"):
            residuals: Array = values[self.source] - reached
        return residuals

    def _margins(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """x'theta of each record."""
        rows, theta = values[self.rows], coefficients_in(values[self.theta], values[self.rows])
        if type(self.rows) is not Grid:
            return margins(rows, theta)
        from ..margins import margins_on_grid

        return margins_on_grid(rows, theta, number(step_size(self.rows)), self.rows.bits)
