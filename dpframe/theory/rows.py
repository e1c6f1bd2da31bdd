"""Maps of rows and labels, each of one record by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TypeVar

from dpframe.exact.documents import HALF, NUMBER, ZERO, Json, number
from dpframe.exact.formula import Formula

from .at import Context
from .book import Bits, Number, Place, Positive, Read, Whole, kind
from .facts import Iterate, LabelFacts, Loss, PerRecord, Public, Records, RowFacts, times

Coded = tuple[int, Formula]  # columns of an entry of a codebook, and their part of |x|_1


@kind("rows")
def _rows(at: Context, *, name: str, columns: Whole) -> RowFacts:
    """A table of finite numbers: nothing bounds a row. One table only: a record is a row of it."""
    at.sole(RowFacts, "there is one table of rows")
    return RowFacts(columns)


@kind("encode")
def _encode(
    at: Context, rows: RowFacts, *, schema: list[Json], terms: list[list[Place]] | None = None
) -> RowFacts:
    """Each of k entries adds at most 1 to |x|^2, and may add 1; so does each of k terms, all
    products of a column of each of its entries: |a x b| = |a| |b|, in both norms.
    """
    at.require(schema, "schema must be a list of columns")
    parts = [_encoded(at, entry) for entry in schema]
    at.equal(rows.columns, at.number(len(parts)), "the table has a column for each entry")
    coded = parts if terms is None else [_term(at, parts, term) for term in terms]
    at.require(coded, "terms must be a list of terms")
    norm1 = at.total(longest for _, longest in coded)
    columns = at.number(sum(width for width, _ in coded))
    return RowFacts(columns, at.number(len(coded)) ** HALF, norm1)


def _term(at: Context, parts: list[Coded], places: list[int]) -> Coded:
    """Columns of a term and its part of |x|_1: the products of those of its entries."""
    once = 0 < len(places) == len(set(places)) and max(places) < len(parts)
    at.require(once, "a term is a list of different positions of entries")
    own = [parts[place] for place in places]
    return reduce(lambda a, b: (a[0] * b[0], a[1] * b[1]), own)


def _encoded(at: Context, entry: Json) -> Coded:
    """Columns of an entry and its part of |x|_1: a number in [-1, 1]; indicators of distinct
    levels; or a corner of a simplex of radius 1 in one column less, of |x|_1 at most sqrt(columns).
    """
    named = type(entry) is list and len(entry) in (2, 3) and type(entry[0]) is str
    at.require(named, "an entry of schema is [name, lower, upper] or [name, levels, coding]")
    if len(entry) == 3 and type(entry[1]) is not list:
        low, high = at.rational(entry[1]), at.rational(entry[2])
        at.require(low < high, f"bounds of {entry[0]!r:.40} must increase")
        return 1, at.number(1)
    levels = entry[1]
    known = type(levels) is list and levels and all(type(level) is str for level in levels)
    at.require(known and len(set(levels)) == len(levels), "levels must be distinct texts")
    if len(entry) == 2:
        return len(levels), at.number(1)
    corner = entry[2] == "simplex" and len(levels) > 1
    at.require(corner, "levels are coded as a simplex")
    return len(levels) - 1, at.number(len(levels) - 1) ** HALF


@kind("clip_norm", zero_neutral=True)
def _clip_norm(at: Context, rows: RowFacts, *, norm: Positive) -> RowFacts:
    """x min(1, norm/|x|): every entry shrinks, so a bound on the 1-norm stays; Cauchy-Schwarz."""
    here = rows.columns**HALF * norm
    norm1 = here if rows.norm1 is None else at.minimum(here, rows.norm1)
    return RowFacts(rows.columns, norm, norm1)


@kind("box", zero_neutral=True)
def _box(at: Context, rows: RowFacts, *, bound: Positive) -> RowFacts:
    """Entries in [-bound, bound]: |x|_1 <= d bound, |x| <= sqrt(d) bound, equal in a corner;
    every entry shrinks, so what was known before stays.
    """
    corner = rows.columns**HALF * bound, rows.columns * bound
    norm, norm1 = smaller(at, corner[0], rows.norm), smaller(at, corner[1], rows.norm1)
    entry = bound if at.same(norm, corner[0]) and at.same(norm1, corner[1]) else None
    return RowFacts(rows.columns, norm, norm1, entry)


@kind("capped", zero_neutral=True)
def _capped(_: Context, rows: RowFacts, *, bound: Positive) -> RowFacts:
    """min(x_j, bound), bound > 0: no entry grows, and 0 stays."""
    return RowFacts(rows.columns, rows.norm, rows.norm1)


def smaller(at: Context, here: Formula, before: Formula | None) -> Formula:
    """The minimum of two positive formulas: at once where their squares differ by a number."""
    if before is None:
        return here
    room = at.constant(before**2 - here**2)
    if room is None:
        return at.minimum(here, before)
    return here if room >= 0 else before


@kind("normalize")
def _normalize(at: Context, rows: RowFacts) -> RowFacts:
    """x/|x|, and the first unit vector for x = 0: the norm is 1, exactly."""
    return RowFacts(rows.columns, at.number(1), rows.columns**HALF, unit_norm=True)


@kind("intercept")
def _intercept(at: Context, rows: RowFacts, *, value: Positive) -> RowFacts:
    """One more entry, a constant."""
    if rows.norm is None or rows.norm1 is None:
        return RowFacts(rows.columns + 1)
    norm, norm1 = (rows.norm**2 + value**2) ** HALF, rows.norm1 + value
    entry = rows.entry if rows.entry is not None and at.same(rows.entry, value) else None
    return RowFacts(rows.columns + 1, norm, norm1, entry)


@kind("scale", zero_neutral=True)
def _scale(at: Context, rows: RowFacts, *, by: Positive) -> RowFacts:
    """x/by, for a public number: by one of the data, one record would move every row."""
    return ball(rows.columns, times(rows.norm, 1 / by), times(rows.entry, 1 / by))


def ball(columns: Formula, norm: Formula | None, entry: Formula | None = None) -> RowFacts:
    """Rows whose 2-norm alone has a bound, or none; by Cauchy-Schwarz their 1-norm has one too."""
    return RowFacts(columns, norm, times(columns**HALF, norm), entry)


@kind("scaled_columns")
def _scaled_columns(
    at: Context, rows: RowFacts, *, by: list[Number], minus: list[Number]
) -> RowFacts:
    """(x_j - minus_j)/by_j, by public numbers: at most (|x| + |minus|)/min by."""
    at.require(len(by) == len(minus) > 0, "by and minus must be lists, one number a column")
    every = at.constant(rows.columns) in (None, len(by))
    at.require(every and min(by) > 0, "by must be positive, one number a column")
    far = at.number(sum((shift**2 for shift in minus), ZERO)) ** HALF
    return ball(rows.columns, None if rows.norm is None else (rows.norm + far) / min(by))


@kind("linear_map", zero_neutral=True)
def _linear_map(_: Context, rows: RowFacts, __: Public) -> RowFacts:
    """x A for a square matrix that was released: a map of one row. It bounds nothing."""
    return RowFacts(rows.columns)


@kind("divided_columns")
def _divided_columns(
    at: Context, rows: RowFacts, *by: Public, lower: Positive, upper: Positive, centred: bool
) -> RowFacts:
    """(x_j - m_j)/s_j by released vectors, s clipped to [lower, upper]: a map of one row. It bounds
    nothing.
    """
    at.require(len(by) == 1 + centred, "rows, and one vector or two")
    at.at_least(upper, lower, "the range of divisors must not be empty")
    return RowFacts(rows.columns)


@kind("divided_records")
def _divided_records(_: Context, rows: RowFacts, __: LabelFacts) -> Records:
    """(x, y)/|x|: a record's own row, its label the last entry."""
    return Records(rows.columns + 1)


@kind("record_rows")
def _record_rows(at: Context, records: Records) -> RowFacts:
    """x/|x|, and 0 for x = 0."""
    return ball(records.columns - 1, at.number(1))


@kind("record_labels")
def _record_labels(_: Context, __: Records) -> LabelFacts:
    """y/|x|, which nothing bounds."""
    return LabelFacts()


@kind("residuals")
def _residuals(at: Context, _: RowFacts, __: LabelFacts, ___: Public) -> RowFacts:
    """y - x'theta, as rows of one column; theta was released. It bounds nothing."""
    return RowFacts(at.number(1))


@kind("residual_labels")
def _residual_labels(_: Context, __: LabelFacts, ___: RowFacts, ____: Public) -> LabelFacts:
    """y - x'theta, as labels; theta was released. It bounds nothing."""
    return LabelFacts()


@kind("gradient")
def _gradient(
    at: Context, rows: RowFacts, column: LabelFacts, point: Iterate, loss: Loss
) -> RowFacts:
    """phi'(x'theta, y) x at the point of a loop, which is known: of norm slope B, where the slope
    has a bound for every theta.
    """
    at.equal(point.size, rows.columns, "the point has one number for each column")
    slope = None if column.bound is None else loss.slope(None, column.bound)
    return ball(rows.columns, times(slope, rows.norm))


@kind("gradient_at", zero_neutral=True)
def _gradient_at(
    _: Context, rows: RowFacts, __: LabelFacts, *by: Public, curved: bool | None = None
) -> RowFacts:
    """f(x'theta, y) x at coefficients that were released, or at 0: f is the slope of a loss, by
    default x'theta - y, or the root of its curvature. A map of one record. It bounds nothing.
    """
    return RowFacts(rows.columns)


OnGrid = TypeVar("OnGrid", RowFacts, LabelFacts)


def on_grid(at: Context, fact: OnGrid, bits: int, most: Formula | None) -> OnGrid:
    """A grid whose step is 2^-bits of a bound that must be there, towards zero: no number grows."""
    at.require(most is not None, "what is put on a grid must be bounded")
    share = Fraction(1, 2**bits)
    step = None if most is None else most * share
    return replace(fact, step=step, share=share, weighed=None)


@kind("grid", zero_neutral=True, rounds=True)
def _grid(at: Context, rows: RowFacts, *, bits: Bits) -> RowFacts:
    """Rows in whole steps of norm/2^bits: inside the ball, no longer in L1."""
    return replace(on_grid(at, rows, bits, rows.norm), entry=None, unit_norm=False)


@kind("box_grid", zero_neutral=True, rounds=True)
def _box_grid(at: Context, rows: RowFacts, *, bits: Bits) -> RowFacts:
    """Rows in whole steps of entry/2^bits, entry by entry; corners are on it."""
    return replace(on_grid(at, rows, bits, rows.entry), unit_norm=False)


@kind("grid_column", zero_neutral=True, rounds=True)
def _grid_column(at: Context, column: LabelFacts, *, bits: Bits) -> LabelFacts:
    """Labels in whole steps of bound/2^bits."""
    return on_grid(at, column, bits, column.bound)


@kind("column")
def _column(at: Context, *, name: str) -> LabelFacts:
    """Labels: finite numbers, one for each row of the table."""
    at.sole(LabelFacts, "there is one column of labels")
    return LabelFacts()


def around_zero(node: Mapping[str, Json]) -> bool:
    """Whether an interval of labels holds 0: numbers on both sides of it; or -Y and Y, all that the
    rule admits for others.
    """
    ends = node["lower"], node["upper"]
    known = all(type(end) is str and NUMBER.match(end) for end in ends)
    return not known or number(ends[0], "lower") <= 0 <= number(ends[1], "upper")


@kind("clip_column", zero_neutral=around_zero)
def _clip_column(at: Context, _: LabelFacts, *, lower: Json, upper: Json) -> LabelFacts:
    """y clipped into [lower, upper]: -Y and Y, positive and public or released; or numbers. The
    interval has points, so one of -lower and upper is not negative.
    """
    low, high = at.formula(lower), at.formula(upper)
    if at.constant(low + high) != 0:
        at.require(at.rational(lower) < at.rational(upper), "bounds must be -Y and Y, or increase")
        return LabelFacts(at.maximum(-low, high))
    at.shared(high)
    at.at_least(high, 0, "Y must be positive", strict=True)
    return LabelFacts(high)


@kind("unit_interval")
def _unit_interval(at: Context, _: LabelFacts, *, lower: Number, upper: Number) -> LabelFacts:
    """[lower, upper] onto [-1, 1], clipped."""
    at.require(lower < upper, "bounds must increase")
    return LabelFacts(at.number(1))


@kind("scaled_labels")
def _scaled_labels(at: Context, column: LabelFacts, *, by: Positive, minus: Read) -> LabelFacts:
    """(y - minus)/by, by numbers that are public or released."""
    return LabelFacts(times(column.bound, 1 / by) if at.constant(minus) == 0 else None)


@kind("shrunk_labels", zero_neutral=True)
def _shrunk_labels(_: Context, column: LabelFacts, __: RowFacts, *, norm: Positive) -> LabelFacts:
    """y min(1, norm/|x|): no label grows."""
    return LabelFacts(column.bound)


def stepped(*factors: PerRecord) -> tuple[Formula, ...]:
    """The step of a sum of products of rows and labels, where all are on a grid."""
    steps = [one.step for one in factors if one.step is not None]
    return (reduce(mul, steps),) if len(steps) == len(factors) else ()
