"""Rows and labels clipped to public bounds: balls, boxes, intervals; and an appended constant
column.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.symbols import ONE, ZERO, Expression, Number, exact

from ..node import Array, Numbers, Values, check_interval, np, positive, reads, titled, without_data
from ..rows import UNKNOWN, ColumnNode, Occurring, RowsNode, occurring
from .base import ColumnMap, RecordColumn, RowMap

if TYPE_CHECKING:
    from ..schema import Categorical, Numeric


@attrs.frozen(cache_hash=True)
class ClipNorm(RowMap):
    """Each row projected onto the ball: x min(1, norm/|x|)."""

    kind: ClassVar[str] = "clip_norm"
    label = titled("clip to norm {0.norm}")
    source: RowsNode
    norm: Expression = attrs.field(converter=positive, metadata=reads(positive=True))

    def apply(self, block: Array, number: Numbers) -> Array:
        """Rows outside the ball are scaled onto it; the same block if there are none."""
        from dpframe.numerics.blocks.elementwise import project

        return project(block, number(self.norm))

    def occurs(self) -> Occurring:
        """Points of the sphere are projections of points outside it."""
        source, ball = self.source, occurring(self.source).any_finite
        room = None if source.norm is None else source.norm**2 - self.norm**2
        outside = isinstance(room, Number) and room.value >= 0
        return Occurring(ball=ball, extreme=ball or (source.extreme and outside))


@attrs.frozen(cache_hash=True)
class ShrunkLabels(RecordColumn):
    """y min(1, norm/|x|): each label multiplied by the factor that `clip(norm=...)` applies to its
    row.
    """

    kind: ClassVar[str] = "shrunk_labels"
    label = titled("shrink with rows to norm {0.norm}")
    source: ColumnNode
    rows: RowsNode
    norm: Expression = attrs.field(converter=positive, metadata=reads(positive=True))

    def records(self, values: Values, number: Numbers) -> Array:
        """The same labels if no row is longer."""
        from dpframe.numerics.blocks.elementwise import shrinking

        labels: Array = values[self.source]
        factors = shrinking(values[self.rows], number(self.norm))
        return labels if factors is None else labels * factors


@attrs.frozen(cache_hash=True)
class Normalized(RowMap):
    """x/|x|, and the first unit vector for a zero row."""

    kind: ClassVar[str] = "normalize"
    label: ClassVar[str] = "x/|x|"
    source: RowsNode

    def apply(self, block: Array, number: Numbers) -> Array:
        """Divide, after scaling by the largest entry so that nothing overflows."""
        from dpframe.numerics.blocks.elementwise import normalize

        return normalize(block)

    def occurs(self) -> Occurring:
        """Every row attains the bound."""
        return Occurring(extreme=True)


def _box(value: object) -> Expression:
    return positive(value, "box")


@attrs.frozen(cache_hash=True)
class Box(RowMap):
    """Each entry of each row clipped into [-bound, bound]: then |x| <= sqrt(d) bound and |x|_1 <= d
    bound.
    """

    kind: ClassVar[str] = "box"
    title = without_data("clip entries to [...]")
    label = titled(lambda one: f"clip entries to [{-one.bound}, {one.bound}]")
    source: RowsNode
    bound: Expression = attrs.field(converter=_box, metadata=reads(positive=True))

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip."""
        most = number(self.bound)
        return np.clip(block, -most, most)

    def occurs(self) -> Occurring:
        """Corners are clipped values of points outside the box."""
        any_finite = occurring(self.source).any_finite
        return Occurring(box=any_finite, extreme=any_finite)


@attrs.frozen(cache_hash=True)
class Capped(RowMap):
    """The minimum of each entry and a positive `bound`, without a lower bound. [Thesis, Eq. 3.8]"""

    kind: ClassVar[str] = "capped"
    label = titled("cap entries at [{0.bound}]")
    title = without_data("cap entries at [...]")
    source: RowsNode
    bound: Expression = attrs.field(converter=_box, metadata=reads(positive=True))

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip one side."""
        return np.minimum(block, number(self.bound))

    def occurs(self) -> Occurring:
        """Nothing is known of rows without a lower bound."""
        return UNKNOWN


def identified(all_levels: tuple[str, ...], *, intercept: bool) -> None:
    """Raises InvalidArgument if columns of a codebook are collinear for every table: the indicators
    of all levels of a category sum to 1, like an intercept.
    """
    if len(all_levels) + intercept < 2:
        return
    others = ["the intercept"] if intercept else []
    sums = " and ".join([f"the levels of {name}" for name in all_levels] + others)
    got = Plain(f"columns that sum to the same 1: {sums}")
    way_out = (
        f"Give {all_levels[-1]} a baseline, dp.Categorical({all_levels[-1]!r}, levels), which is "
        "the default: coefficients are then differences from it."
    )
    raise InvalidArgument("codebook", "one that identifies a model", got, way_out)


@attrs.frozen(cache_hash=True)
class Encoded(RowMap):
    """Numeric columns mapped to [-1, 1], categories to corners of a simplex or to indicators; |x|^2
    is at most the number of source columns. With `terms` (positions of columns), products of these;
    |x|^2 is at most the number of terms.
    """

    kind: ClassVar[str] = "encode"
    source: RowsNode
    schema: tuple[Numeric | Categorical, ...]
    terms: tuple[tuple[int, ...], ...] | None = None

    @property
    def label(self) -> str:
        """What the map does."""
        return "scale by the codebook" + ("" if self.terms is None else ", and multiply columns")

    @property
    def parts(self) -> tuple[tuple[Numeric | Categorical, ...], ...]:
        """The columns of each term."""
        if self.terms is None:
            return tuple((part,) for part in self.schema)
        return tuple(tuple(self.schema[j] for j in term) for term in self.terms)

    @property
    def all_levels(self) -> tuple[str, ...]:
        """Categories without a baseline."""
        from ..schema import all_levels

        return all_levels(self.schema)

    def apply(self, block: Array, number: Numbers) -> Array:
        """Encode column by column, then multiply."""
        columns = [part.columns(block[:, j]) for j, part in enumerate(self.schema)]
        if self.terms is not None:
            from ..formulas import multiplied

            columns = [multiplied([columns[j] for j in term]) for term in self.terms]
        return np.column_stack(columns)

    def occurs(self) -> Occurring:
        """Columns at their ends, of length 1 each."""
        return Occurring(extreme=True)


def _value(value: object) -> Expression:
    return positive(value, "value")


@attrs.frozen(cache_hash=True)
class Intercept(RowMap):
    """A column of `value` after the others."""

    kind: ClassVar[str] = "intercept"
    label: ClassVar[str] = "append intercept"
    source: RowsNode
    value: Expression = attrs.field(converter=_value, default=ONE, metadata=reads(positive=True))

    def __attrs_post_init__(self) -> None:
        """Refuse an intercept beside columns that sum to 1."""
        identified(self.source.all_levels, intercept=True)

    def apply(self, block: Array, number: Numbers) -> Array:
        """Append the column."""
        return np.column_stack([block, np.full(len(block), number(self.value))])

    def occurs(self) -> Occurring:
        """The longest rows of the source."""
        return Occurring(extreme=self.source.extreme)


@attrs.frozen(cache_hash=True)
class InInterval(ColumnMap):
    """Abstract: a map that reads the ends of a public interval, which must not be empty."""

    source: ColumnNode
    lower: Expression = attrs.field(converter=exact, metadata=reads())
    upper: Expression = attrs.field(converter=exact, metadata=reads())

    def __attrs_post_init__(self) -> None:
        """Check that the interval is not empty."""
        check_interval(self.lower, self.upper)

    @property
    def filled(self) -> bool:
        """Whether labels may occur everywhere in the interval."""
        ends, within = (self.lower, self.upper), within_of(self.source)
        return occurring(self.source).any_finite or (
            within is not None
            and all(isinstance(end, Number) and abs(end.value) <= within for end in ends)
        )


def within_of(column: ColumnNode) -> Fraction | None:
    """The largest c for which labels may occur everywhere in [-c, c], as a number."""
    bound, known = column.bound, occurring(column)
    if known.within is not None or not known.ball:
        return known.within
    return bound.value if isinstance(bound, Number) else None


@attrs.frozen(cache_hash=True)
class ClipColumn(InInterval):
    """Each label clipped into [lower, upper]."""

    kind: ClassVar[str] = "clip_column"
    label = titled("clip to [{0.lower}, {0.upper}]")
    title = without_data("clip to [...]")

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip."""
        return np.clip(block, number(self.lower), number(self.upper))

    def occurs(self) -> Occurring:
        """Both bounds, of an interval around 0."""
        return Occurring(ball=self.lower + self.upper == ZERO and self.filled)


@attrs.frozen(cache_hash=True)
class ToUnitInterval(InInterval):
    """A label in [lower, upper] mapped onto [-1, 1] by public affine scaling, clipped."""

    kind: ClassVar[str] = "unit_interval"
    label = titled("[{0.lower}, {0.upper}] onto [-1, 1]")
    title = without_data("[...] onto [-1, 1]")

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip, then map."""
        return onto_unit_interval(block, number(self.lower), number(self.upper))

    def occurs(self) -> Occurring:
        """All of [-1, 1] where the interval is filled."""
        return Occurring(ball=self.filled)


def onto_unit_interval(values: Array, low: float, high: float) -> Array:
    """Numbers clipped to [low, high], which is mapped onto [-1, 1]."""
    share: Array = (np.clip(values, low, high) - low) / (high - low)
    return np.asarray(np.clip(2 * share - 1, -1.0, 1.0))
