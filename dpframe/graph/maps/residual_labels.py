"""The residual of each record as its label, at coefficients that were released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import RecordColumn
from .residuals import Residuals, released_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class ResidualLabels(RecordColumn):
    """y - x'theta of each record; theta, shape (d,), was released. It bounds nothing: clip what it
    gives. Proof page: proofs/divided.
    """

    kind: ClassVar[str] = "residual_labels"
    bound: ClassVar[None] = None
    source: Column
    rows: Rows
    theta: Node = attrs.field(converter=released_coefficients)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """y, X, theta."""
        return (self.source, self.rows, self.theta)

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
        found: Array = Residuals(self.rows, self.source, self.theta).records(values, number)[:, 0]
        return found
