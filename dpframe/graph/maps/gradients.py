"""The gradient of each record's loss, at a point that was released."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import Number

from ..columns import Column
from ..loop import Iterate
from ..node import Node
from ..objectives import Objective
from ..rows import Rows
from .base import RecordMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

FAR = 1e150  # beyond it, a margin has a square that may overflow
HUGE = 1e300  # no entry of a gradient is larger


def _point(value: object) -> Iterate:
    if not isinstance(value, Iterate):
        way_out = "point = dp.iterate(X.columns); dp.gradient(X, y, at=point, clip=1)."
        raise InvalidArgument("at", "the point of a loop", value, way_out)
    return value


def _objective(value: object) -> Objective:
    if not isinstance(value, Objective):
        raise InvalidArgument("loss", "a convex loss, such as dp.Squared()", value, "")
    return value


@attrs.frozen(cache_hash=True)
class Gradient(RecordMap):
    """phi'(x'theta, y) x of each record, theta the point of a loop, shape (d,): one row a record,
    of 2-norm at most slope B where the loss has a bounded slope. Proof page:
    proofs/clipped_gradients.
    """

    kind: ClassVar[str] = "gradient"
    source: Rows
    column: Column
    point: Iterate = attrs.field(converter=_point)
    objective: Objective = attrs.field(converter=_objective)

    def __attrs_post_init__(self) -> None:
        """The point has one number for each column."""
        if self.point.size - self.source.columns != Number(Fraction(0)):
            way_out = "point = dp.iterate(X.columns), of the rows whose gradient is taken."
            wanted = f"of {self.source.columns} numbers, one for each column"
            raise InvalidArgument("at", wanted, str(self.point.size), way_out)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, y, the point, the loss."""
        return (self.source, self.column, self.point, self.objective)

    @property
    def label(self) -> str:
        """`gradient at theta`."""
        return f"gradient at {self.point.label}"

    def record(self) -> dict[str, object]:
        """Nothing: its inputs say all."""
        return {}

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Finite for finite rows, labels and points: sizes stop at 1e300, where clipping keeps the
        direction only.
        """
        import numpy as np

        rows, labels = np.asarray(values[self.source], dtype=float), values[self.column]
        reached = margins(rows, values[self.point])
        slopes = self.objective.slopes(reached, np.asarray(labels, dtype=float), number)
        most = HUGE / np.maximum(1.0, np.max(np.abs(rows), axis=1, initial=0.0))
        sized = np.clip(np.nan_to_num(slopes), -most, most)
        gradients: Array = rows * sized[:, None]
        return gradients


def margins(rows: Array, theta: Array) -> Array:
    """x'theta of each row, shape (m,), in [-1e150, 1e150]. Added column by column, so that a row's
    is the same to the last bit wherever it stands.
    """
    import numpy as np

    size = float(np.max(np.abs(theta), initial=0.0))
    found = np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
        for column, coefficient in zip(rows.T, theta / (size or 1.0), strict=True):
            found += column * coefficient
        reached: Array = np.clip(np.nan_to_num(found * size), -FAR, FAR)
    return reached
