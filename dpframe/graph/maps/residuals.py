"""Linear maps of a record: by released coefficients, its residual, as a row or a label, and the
gradient of its loss; by a public or released matrix, for example to whiten rows. Proof page:
proofs/divided.
"""

from __future__ import annotations

import base64
from fractions import Fraction
from typing import Any, ClassVar

import attrs
from attrs.converters import optional

from dpframe.errors import InvalidArgument, NotExecutable, Plain, check_kind
from dpframe.numerics.blocks.gridding import margins, margins_on_grid
from dpframe.symbols import RELEASED, Number

from ..node import Array, Node, Numbers, Values, np, titled
from ..post import Iterate, Post, post
from ..procedure import Objective
from ..rows import ColumnNode, RowsNode
from ..statistics.sums import Trace
from .base import OfRecord, RecordColumn, RecordMap
from .grid import Grid, gridded, step_size

HUGE = 1e300  # no entry of a gradient is larger


def released_coefficients(value: object) -> Node:
    """A node whose value is released before rows are read: a release, a function of releases, or
    the point of a loop. Raises InvalidArgument.
    """
    if not isinstance(value, Node) or value.scope is not RELEASED:
        way_out = "Release them first: dp.post(...), dp.release(...)."
        raise InvalidArgument("theta", "released coefficients", value, way_out)
    return value


def coefficients_in(released: Any, rows: Array) -> Array:
    """Released coefficients as finite numbers, one per column of `rows`. Raises NotExecutable if
    their length differs.
    """
    theta: Array = np.nan_to_num(np.asarray(released, dtype=float))
    if theta.shape != (rows.shape[1],):
        wanted = f"coefficients of shape {theta.shape} for {rows.shape[1]} columns"
        raise NotExecutable(f"{wanted}. Release one a column.")
    return theta


class OfMargins(OfRecord):
    """Abstract: reads x'theta, exactly where the rows lie on a grid inside a ball."""

    __slots__ = ()

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """The rows on such a grid."""
        return tuple(one for one in self.inputs if type(one) is Grid)


@attrs.frozen(cache_hash=True)
class Residuals(RecordMap):
    """y - x'theta of each record, as rows of one column, for released theta, shape (d,). The result
    is unbounded and needs a clip.
    """

    kind: ClassVar[str] = "residuals"
    label = titled("residuals at {0.theta.label}")
    source: RowsNode
    column: ColumnNode
    theta: Node = attrs.field(converter=released_coefficients)

    def records(self, values: Values, number: Numbers) -> Array:
        """Finite for finite rows and labels. Raises NotExecutable if the length of theta differs
        from that of the rows.
        """
        rows, labels = values[self.source], values[self.column]
        theta = coefficients_in(values[self.theta], rows)
        with np.errstate(over="ignore"):
            residuals: Array = np.nan_to_num(labels - margins(rows, theta))[:, None]
        return residuals


@attrs.frozen(cache_hash=True)
class ResidualLabels(OfMargins, RecordColumn):
    """y - x'theta of each record, for released theta, shape (d,). Bounded rows are read on the grid
    of their table, where x'theta is exact. The result is unbounded and needs a clip. Proof page:
    proofs/divided.
    """

    kind: ClassVar[str] = "residual_labels"
    written: ClassVar[str] = "residuals"
    label = titled("residuals at {0.theta.label}")
    bound = None
    source: ColumnNode
    rows: RowsNode = attrs.field(converter=gridded)
    theta: Node = attrs.field(converter=released_coefficients)

    def records(self, values: Values, number: Numbers) -> Array:
        """Finite for finite rows and labels. Raises NotExecutable if the length of theta differs
        from that of the rows.
        """
        theta = coefficients_in(values[self.theta], values[self.rows])
        fitted = margins_of(self.rows, values[self.rows], theta, number)
        with np.errstate(over="ignore"):
            residuals: Array = values[self.source] - fitted
        return residuals


def margins_of(node: RowsNode, rows: Array, theta: Array, number: Numbers) -> Array:
    """x'theta for the rows of a node, which are whole steps if it is a grid inside a ball."""
    if type(node) is not Grid:
        return margins(rows, theta)
    return margins_on_grid(rows, theta, number(step_size(node)), node.bits)


def clipped_error(rows: RowsNode, column: ColumnNode, theta: Node, *, bound: object) -> Trace:
    """sum of min((y - x'theta)^2, bound^2), at released coefficients: sensitivity bound^2 under
    both relations, since each term lies in [0, bound^2]. Proof page: proofs/tuning.
    """
    return Trace(Residuals(rows, column, theta).clip(norm=bound))


POINT = "point = dp.iterate(X.columns); dp.graph.gradient(X, y, at=point, clip=1)."


@attrs.frozen(cache_hash=True)
class Gradient(RecordMap):
    """phi'(x'theta, y) x of each record, for the point theta of a loop, shape (d,): one row per
    record, of 2-norm at most slope B if the loss has a bounded slope. Proof page:
    proofs/clipped_gradients.
    """

    kind: ClassVar[str] = "gradient"
    written: ClassVar[str] = "gradients"
    label = titled("gradient at {0.point.label}")
    source: RowsNode
    column: ColumnNode
    point: Iterate
    objective: Objective

    def __attrs_post_init__(self) -> None:
        """Check that the point has one number per column."""
        check_kind("at", self.point, Iterate, "the point of a loop", POINT)
        check_kind("loss", self.objective, Objective, "a convex loss, such as dp.graph.Squared()")
        given, wanted = self.point.size, self.source.columns
        if given != wanted and given - wanted != Number(Fraction(0)):
            way_out = "point = dp.iterate(X.columns), of the rows whose gradient is taken."
            requirement = f"of {wanted} numbers, one for each column"
            raise InvalidArgument("at", requirement, Plain(given), way_out)

    def records(self, values: Values, number: Numbers) -> Array:
        """Finite for finite rows, labels and points: entries are limited to 1e300, beyond which
        clipping keeps the direction only.
        """
        rows, labels = np.asarray(values[self.source], dtype=float), values[self.column]
        fitted = margins(rows, values[self.point])
        slopes = self.objective.slopes(fitted, np.asarray(labels, dtype=float), number)
        return sized(rows, np.nan_to_num(slopes))


@attrs.frozen(cache_hash=True)
class GradientAt(OfMargins, RecordMap):
    """phi'(x'theta, y) x of each record, shape (d,), for released theta, shape (d,), or 0 (None),
    and a loss phi, by default the squared one; `curved` takes the root of phi'' in place of phi',
    so that the Gram matrix of the rows is the Hessian of the loss. A record of zeros has a zero
    gradient. For rows on their grid x'theta is exact. No bound is derived: the result needs a clip.
    Proof page: proofs/adaptive_clipping.
    """

    kind: ClassVar[str] = "gradient_at"
    source: RowsNode
    column: ColumnNode
    theta: Node | None = attrs.field(default=None, converter=optional(released_coefficients))
    objective: Objective | None = None
    curved: bool | None = None

    @property
    def label(self) -> str:
        """`gradient at descend`."""
        what = "root of curvature" if self.curved else "gradient"
        return f"{what} at {'0' if self.theta is None else self.theta.label}"

    @property
    def written(self) -> str:  # type: ignore[override]
        """`gradients`, or `curvatures`."""
        return "curvatures" if self.curved else "gradients"

    def records(self, values: Values, number: Numbers) -> Array:
        """Finite for finite rows and labels: entries are limited to 1e300, beyond which clipping
        keeps the direction only. Raises NotExecutable if the length of theta differs from that of
        the rows.
        """
        rows, labels = np.asarray(values[self.source], dtype=float), values[self.column]
        zeros = np.zeros(rows.shape[1])
        theta = coefficients_in(zeros if self.theta is None else values[self.theta], rows)
        step = number(step_size(self.source)) if type(self.source) is Grid else 1.0
        fitted = margins_of(self.source, rows, theta, number)
        with np.errstate(over="ignore", invalid="ignore"):
            factors = np.nan_to_num(self._factors(fitted, np.asarray(labels, dtype=float), number))
        return sized(rows, step * factors)

    def _factors(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """What multiplies each row, shape (m,)."""
        if self.objective is None:
            return margins - labels
        if self.curved:
            return np.sqrt(self.objective.curvatures(margins, labels, number))
        return self.objective.slopes(margins, labels, number)


def sized(rows: Array, slopes: Array) -> Array:
    """Each row multiplied by its slope, with entries limited to 1e300."""
    largest = max(float(rows.max(initial=1.0)), -float(rows.min(initial=0.0)))
    with np.errstate(over="ignore"):
        if float(np.abs(slopes).max(initial=0.0)) * largest <= HUGE / 2:  # below the clips by far
            return np.asarray(rows * slopes[:, None])
    most = HUGE / np.maximum(1.0, np.max(np.abs(rows), axis=1, initial=0.0))
    return np.asarray(rows * np.clip(slopes, -most, most)[:, None])


@attrs.frozen(cache_hash=True)
class LinearMap(OfMargins, RecordMap):
    """x A for each row x, where A (d, d) is public or released. Bounded rows are read on the grid
    of their table, where the product is exact. The result is unbounded and needs a clip.
    """

    kind: ClassVar[str] = "linear_map"
    label = titled("times {0.by.label}")
    source: RowsNode = attrs.field(converter=gridded)
    by: Node = attrs.field(converter=released_coefficients)

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
