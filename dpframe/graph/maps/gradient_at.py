"""The gradient of each record's squared loss, at coefficients that were released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import NotExecutable

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import RecordMap
from .gradients import HUGE, margins
from .residuals import released_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class GradientAt(RecordMap):
    """(x'theta - y) x of each record, shape (d,); theta, shape (d,), was released, or is 0
    (None). It bounds nothing: clip what it gives. A record of zeros has none. Proof page:
    proofs/adaptive_clipping.
    """

    kind: ClassVar[str] = "gradient_at"
    source: Rows
    column: Column
    theta: Node | None = attrs.field(
        default=None, converter=attrs.converters.optional(released_coefficients)
    )

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, y, and theta where it is not zero."""
        theta = () if self.theta is None else (self.theta,)
        return (self.source, self.column, *theta)

    @property
    def label(self) -> str:
        """`gradient at descend`."""
        return f"gradient at {'0' if self.theta is None else self.theta.label}"

    def record(self) -> dict[str, object]:
        """Nothing: its inputs say all."""
        return {}

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Finite for finite rows and labels: sizes stop at 1e300, where clipping keeps the
        direction only. Raises NotExecutable where theta has another length than rows.
        """
        import numpy as np

        del number
        rows, labels = np.asarray(values[self.source], dtype=float), values[self.column]
        zeros = np.zeros(rows.shape[1])
        given = zeros if self.theta is None else np.asarray(values[self.theta], dtype=float)
        theta = np.nan_to_num(given)
        if theta.shape != (rows.shape[1],):
            wanted = f"coefficients of shape {theta.shape} for {rows.shape[1]} columns"
            raise NotExecutable(f"{wanted}. Release one a column.")
        with np.errstate(over="ignore"):
            slopes = np.nan_to_num(margins(rows, theta) - labels)
        most = HUGE / np.maximum(1.0, np.max(np.abs(rows), axis=1, initial=0.0))
        gradients: Array = rows * np.clip(slopes, -most, most)[:, None]
        return gradients
