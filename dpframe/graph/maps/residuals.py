"""The residual of each record, at coefficients that were released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable

from ..columns import Column
from ..node import Node
from ..rows import Rows
from ..statistics import Trace
from .base import RecordMap
from .gradients import margins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def released_coefficients(value: object) -> Node:
    """A node that is known when rows are read: a release, or what is computed from releases, or the
    point of a loop. Raises InvalidArgument.
    """
    from ..known import Known
    from ..loop import Iterate, Loop
    from ..post import Post
    from ..procedure import Procedure
    from ..release import Release

    if not isinstance(value, (Release, Procedure, Post, Known, Loop, Iterate)):
        way_out = "Release them first: dp.post(...), dp.release(...)."
        raise InvalidArgument("theta", "released coefficients", value, way_out)
    return value


def coefficients_in(released: Any, rows: Array) -> Array:
    """Released coefficients as finite numbers, one a column of `rows`. Raises NotExecutable where
    they are of another length.
    """
    import numpy as np

    theta: Array = np.nan_to_num(np.asarray(released, dtype=float))
    if theta.shape != (rows.shape[1],):
        wanted = f"coefficients of shape {theta.shape} for {rows.shape[1]} columns"
        raise NotExecutable(f"{wanted}. Release one a column.")
    return theta


@attrs.frozen(cache_hash=True)
class Residuals(RecordMap):
    """y - x'theta of each record, as rows of one column; theta, shape (d,), was released. It bounds
    nothing: clip what it gives.
    """

    kind: ClassVar[str] = "residuals"
    source: Rows
    column: Column
    theta: Node = attrs.field(converter=released_coefficients)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, y, theta."""
        return (self.source, self.column, self.theta)

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

        del number
        rows, labels = values[self.source], values[self.column]
        theta = coefficients_in(values[self.theta], rows)
        with np.errstate(over="ignore"):
            residuals: Array = np.nan_to_num(labels - margins(rows, theta))[:, None]
        return residuals


def clipped_error(rows: Rows, column: Column, theta: Node, *, bound: object) -> Trace:
    """sum of min((y - x'theta)^2, bound^2), at released coefficients: moves by at most bound^2
    under both relations, since each term lies in [0, bound^2]. Proof page: proofs/tuning.
    """
    return Trace(Residuals(rows, column, theta).clip(norm=bound))
