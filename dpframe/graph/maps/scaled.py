"""Rows and labels divided by one number, by public or released numbers per column, or by the norm
of their row. Proof page: proofs/divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, listed_words
from dpframe.symbols import DATA, ONE, RELEASED, ZERO, Expression, Number, Symbol, exact, rational

from ..known import Known
from ..node import Array, Node, Numbers, Reading, Values, check_ends, np, positive, reads, titled
from ..rows import ColumnNode, Occurring, RowsNode
from ..statistics.base import Statistic
from .base import ColumnMap, RecordMap, RowMap
from .bounds import within_of

TINY, FAR = 1e-300, 1e150  # nothing is divided by less; no released centre is believed beyond
MOST = Fraction(10) ** 300
WAY_OUT = "Take them from a codebook, never from the data: lists of numbers."


def _by(value: object) -> Expression:
    return positive(value, "by")


@attrs.frozen(cache_hash=True)
class Scaled(RowMap):
    """Each row divided by one number."""

    kind: ClassVar[str] = "scale"
    label = titled("divide by {0.by}")
    source: RowsNode
    by: Expression = attrs.field(converter=_by, metadata=reads("divisor", positive=True))

    @property
    def public(self) -> bool:
        """Whether the divisor depends on public and released numbers only."""
        origins = [symbol.origin for symbol in self.by.symbols()]
        return all(origin is None or isinstance(origin, Known) for origin in origins)

    def apply(self, block: Array, number: Numbers) -> Array:
        """Divide. Overflow becomes the largest double, and zeros stay zeros."""
        by = max(number(self.by), TINY)  # rounded towards zero, a divisor may become zero
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
            return finite(block if by == 1 else block / by)

    def occurs(self) -> Occurring:
        """Those of the source; nothing where the divisor is private."""
        source, ball, box = self.source, self.norm is not None, self.entry is not None
        extreme = ball and source.extreme
        return Occurring(ball=ball and source.ball, box=box and source.box, extreme=extreme)


def finite(block: Array) -> Array:
    """The block with nan as 0 and infinities as the largest double; itself if it has neither."""
    proved = np.isfinite(block.sum())  # inf and nan survive addition
    return block if proved else np.asarray(np.nan_to_num(block))


@lru_cache(maxsize=1024)
def _finite(labels: ColumnNode) -> bool:
    """Whether labels are bounded; cached, not recomputed per block."""
    return labels.bound is not None


def _minus(value: object) -> Expression:
    return exact(value, "minus")


@attrs.frozen(cache_hash=True)
class ScaledLabels(ColumnMap):
    """(y - minus)/by, for public or released numbers (dp.known). An aggregate of the data is
    refused by the verifier, which shows the path.
    """

    kind: ClassVar[str] = "scaled_labels"
    source: ColumnNode
    by: Expression = attrs.field(converter=_by, metadata=reads("divisor", positive=True))
    minus: Expression = attrs.field(converter=_minus, default=ZERO, metadata=reads("centre"))

    @property
    def bound(self) -> Expression | None:  # type: ignore[override]
        """bound/by if nothing is subtracted and the divisor is not private; else None."""
        before, plain = self.source.bound, self.minus == ZERO and DATA not in self.by.scope
        return before / self.by if before is not None and plain else None

    @property
    def label(self) -> str:
        """`divide by 2`."""
        shift = "" if self.minus == ZERO else f"subtract {self.minus}, "
        return f"{shift}divide by {self.by}"

    def apply(self, block: Array, number: Numbers) -> Array:
        """Shift, then divide. Overflow becomes the largest double."""
        by = max(number(self.by), TINY)  # rounded towards zero, a divisor may become zero
        minus = number(self.minus)
        if by == 1 and minus == 0 and _finite(self.source):
            return block
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
            return finite((block - minus if minus else block) / by)

    def occurs(self) -> Occurring:
        """Those of the source; also if a released number from a public range is subtracted, since
        one pair of labels serves for all its values.
        """
        public = self.bound is not None and RELEASED not in self.by.scope
        within = None
        if self.by == ONE and isinstance(self.minus, Symbol):
            below, span = within_of(self.source), self.minus.domain
            if below is not None and span.lower is not None and span.upper is not None:
                within = below - max(abs(span.lower), abs(span.upper))
        return Occurring(ball=public and self.source.ball, within=within)


def _numbers(value: object, name: str) -> tuple[Fraction, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or not value:
        raise InvalidArgument(name, "a list of public numbers, one a column", value, WAY_OUT)
    return tuple(rational(one, name) for one in value)


def _divisors(value: object) -> tuple[Fraction, ...]:
    return _numbers(value, "by")


def _centres(value: object) -> tuple[Fraction, ...]:
    return _numbers(value, "minus")


@attrs.frozen(cache_hash=True)
class ScaledColumns(RowMap):
    """Column j becomes (x_j - minus_j)/by_j, for public numbers. The norm is at most (norm +
    |minus|)/min by.
    """

    kind: ClassVar[str] = "scaled_columns"
    label: ClassVar[str] = "scale columns by public numbers"
    source: RowsNode
    by: tuple[Fraction, ...] = attrs.field(converter=_divisors)
    minus: tuple[Fraction, ...] = attrs.field(
        converter=_centres, default=attrs.Factory(lambda self: [0] * len(self.by), takes_self=True)
    )

    def __attrs_post_init__(self) -> None:
        """Check their sizes, and that there is one number per column."""
        if not (1 / MOST <= min(self.by) and max(self.by) <= MOST):
            raise InvalidArgument("by", "positive, from 1e-300 to 1e300", [*self.by], WAY_OUT)
        if max(map(abs, self.minus)) > MOST:
            raise InvalidArgument("minus", "at most 1e300 in size", [*self.minus], WAY_OUT)
        known = self.source.columns
        wanted = int(known.value) if isinstance(known, Number) else len(self.by)
        if not len(self.by) == len(self.minus) == wanted:
            lengths = (len(self.by), len(self.minus))
            raise InvalidArgument("by and minus", f"{wanted} numbers each", lengths, WAY_OUT)

    @property
    def width(self) -> int:
        """The number of columns required."""
        return len(self.by)

    def apply(self, block: Array, number: Numbers) -> Array:
        """Shift, then divide. Raises NotExecutable for another number of columns."""
        if block.shape[1] != len(self.by):
            wanted = f"{len(self.by)} public scales for {block.shape[1]} columns"
            raise NotExecutable(f"{wanted}. Give one number a column.")
        minus, by = (np.array(one, dtype=float) for one in (self.minus, self.by))
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
            return finite((block - minus) / by)

    def occurs(self) -> Occurring:
        """Those of the source, if all columns are divided alike."""
        alike = len(set(self.by)) == 1 and not any(self.minus)
        return Occurring(ball=alike and self.source.ball, extreme=alike and self.source.extreme)


def between(rows: RowsNode, lower: object, upper: object) -> RowsNode:
    """[lower_j, upper_j] of every column mapped to [-1, 1]; values outside are clipped. Raises
    InvalidArgument.
    """
    low, high = _numbers(lower, "lower"), _numbers(upper, "upper")
    if len(low) != len(high):
        got = listed_words((len(low), len(high)))
        raise InvalidArgument("lower and upper", "of one length", got, WAY_OUT)
    for j, (least, most) in enumerate(zip(low, high, strict=True)):
        check_ends(f"column {j}", least, most)
    halves = [(most - least) / 2 for least, most in zip(low, high, strict=True)]
    centres = [(most + least) / 2 for least, most in zip(low, high, strict=True)]
    return ScaledColumns(rows, halves, centres).boxed(1)


def _known_or_statistic(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    known = isinstance(value, Statistic) or (isinstance(value, Node) and value.scope is RELEASED)
    if value is not None and not known:
        wanted = "a released vector, one number a column"
        way_out = "Release it first: dp.post(scales, dp.release(...), ...)."
        raise InvalidArgument(attribute.name, wanted, value, way_out)


def _lower(value: object) -> Expression:
    return positive(value, "lower")


def _upper(value: object) -> Expression:
    return positive(value, "upper")


@attrs.frozen(cache_hash=True)
class DividedColumns(RecordMap):
    """Column j becomes (x_j - minus_j)/by_j for released vectors `by` and `minus`, shape (d,); `by`
    is first clipped to the public range [lower, upper].

    For fixed released vectors it maps one row at a time, so neighbours remain neighbours. The
    result is unbounded and needs a clip.
    """

    kind: ClassVar[str] = "divided_columns"
    source: RowsNode
    by: Node = attrs.field(validator=_known_or_statistic)
    minus: Node | None = attrs.field(validator=_known_or_statistic)
    lower: Expression = attrs.field(converter=_lower, metadata=reads(positive=True))
    upper: Expression = attrs.field(converter=_upper, metadata=reads(positive=True))

    @property
    def readings(self) -> dict[str, Reading]:
        """The range; and the value of a vector that is not released, which taints the node."""
        vectors = {"divisor": self.by, "centre": self.minus}
        raw = {name: one for name, one in vectors.items() if isinstance(one, Statistic)}
        values = {name: Reading(one.__expression__(), RELEASED) for name, one in raw.items()}
        return super().readings | values

    @property
    def label(self) -> str:
        """`divide columns by scales`."""
        shift = "" if self.minus is None else f"subtract {self.minus.label}, "
        return f"{shift}divide columns by {self.by.label}"

    def record(self) -> dict[str, object]:
        """The range, and whether columns are centred."""
        return {**super().record(), "centred": self.minus is not None}

    def records(self, values: Values, number: Numbers) -> Array:
        """Shift, then divide. Overflow becomes the largest double. Raises NotExecutable if a vector
        does not have one number per column.
        """
        rows = values[self.source]
        low, high = number(self.lower), number(self.upper)
        low = max(low, TINY)  # rounded towards zero, it may be zero
        by = np.clip(_vector(values[self.by], rows.shape[1], nan=high), low, max(low, high))
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
            if self.minus is not None:
                rows = rows - np.clip(_vector(values[self.minus], rows.shape[1]), -FAR, FAR)
            return finite(rows / by)


def _vector(value: Any, columns: int, nan: float = 0.0) -> Array:
    vector = np.asarray(value, dtype=float)
    if vector.shape not in ((), (columns,)):
        wanted = f"released scales of shape {vector.shape} for {columns} columns"
        raise NotExecutable(f"{wanted}. Release one number a column.")
    return np.asarray(np.nan_to_num(np.broadcast_to(vector, (columns,)), nan=nan))


@attrs.frozen(cache_hash=True)
class DividedRecords(RecordMap):
    """(x, y)/|x| as one row; a record with a zero row is unchanged."""

    kind: ClassVar[str] = "divided_records"
    label: ClassVar[str] = "(x, y)/|x|"
    source: RowsNode
    column: ColumnNode

    def records(self, values: Values, number: Numbers) -> Array:
        """Divide; a label that overflows becomes the largest double."""
        from dpframe.numerics.blocks.elementwise import normalize, squared_norms

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
    """The row of a record (x, y)/|x|, of norm at most 1."""

    kind: ClassVar[str] = "record_rows"
    label: ClassVar[str] = "rows"
    source: DividedRecords

    def apply(self, block: Array, number: Numbers) -> Array:
        """All columns but the last."""
        return block[:, :-1]


@attrs.frozen(cache_hash=True)
class RecordLabels(ColumnMap):
    """The label of a record (x, y)/|x|, unbounded since |x| may be small. It needs a clip."""

    kind: ClassVar[str] = "record_labels"
    label: ClassVar[str] = "labels"
    source: DividedRecords

    def apply(self, block: Array, number: Numbers) -> Array:
        """The last column."""
        return block[:, -1]


def divided_records(
    rows: RowsNode, column: ColumnNode, *, bound: object
) -> tuple[RowsNode, ColumnNode]:
    """Rows x/|x| and labels y/|x|, clipped to the public interval [-bound, bound]: the map by row
    norms that divides the label too. [Thesis, Eq. 3.4, with a public bound]
    """
    records, most = DividedRecords(rows, column), exact(bound, "bound")
    return RecordRows(records), RecordLabels(records).clip(-most, most)
