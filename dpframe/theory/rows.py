"""Maps of rows and labels, each of one record by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpframe.exact.documents import NUMBER, number
from dpframe.exact.formula import Formula
from dpframe.exact.limits import HALF, ZERO, Json, Refused
from dpframe.exact.ring import NAME

from .at import At
from .book import PLAIN, ROUNDING, ZERO_MAP, kind
from .facts import SEEN, Column, Iterate, Loss, Records, Rows, public


@kind("rows", answers=PLAIN)
def _rows(c: At, *, name: Json, columns: Json) -> Rows:
    """A table of finite numbers: nothing bounds a row. One table only: a record is a row of it."""
    c.require(type(name) is str, "name must be text")
    c.require(not any(type(fact) is Rows for fact in c.facts), "there is one table of rows")
    return Rows(c.whole(columns, "columns"))


@kind("encode", Rows, answers=PLAIN)
def _encode(c: At, rows: Rows, *, schema: Json) -> Rows:
    """Each of k entries adds at most 1 to |x|^2."""
    c.require(type(schema) is list and schema, "schema must be a list of columns")
    widths = [_encoded(c, entry) for entry in schema]
    k = c.ring.lift(len(schema))
    c.equal(rows.columns, k, "the table has one column for each entry of schema")
    norm1 = c.ring.lift(0)
    for _, longest in widths:
        norm1 += longest
    return Rows(c.ring.lift(sum(width for width, _ in widths)), k**HALF, norm1)


def _encoded(c: At, entry: Json) -> tuple[int, Formula]:
    """Columns of an entry and its part of |x|_1: a number in [-1, 1]; indicators of distinct
    levels; or a corner of a simplex of radius 1 in one column less, of |x|_1 at most sqrt(columns).
    """
    named = type(entry) is list and len(entry) in (2, 3) and type(entry[0]) is str
    c.require(named, "an entry of schema is [name, lower, upper] or [name, levels, coding]")
    if len(entry) == 3 and type(entry[1]) is not list:
        low, high = number(entry[1], c.where), number(entry[2], c.where)
        c.require(low < high, f"bounds of {entry[0]!r:.40} must increase")
        return 1, c.ring.lift(1)
    levels = entry[1]
    known = type(levels) is list and levels and all(type(level) is str for level in levels)
    c.require(known and len(set(levels)) == len(levels), "levels must be distinct texts")
    if len(entry) == 2:
        return len(levels), c.ring.lift(1)
    corner = entry[2] == "simplex" and len(levels) > 1
    c.require(corner, "levels are coded as a simplex")
    return len(levels) - 1, c.ring.lift(len(levels) - 1) ** HALF


@kind("clip_norm", Rows, answers=ZERO_MAP)
def _clip_norm(c: At, rows: Rows, *, norm: Json) -> Rows:
    """x min(1, norm/|x|): every entry shrinks, so a bound on the 1-norm stays; Cauchy-Schwarz."""
    bound = c.positive(norm, "norm")
    here = rows.columns**HALF * bound
    norm1 = here if rows.norm1 is None else c.ring.extremum("min", [here, rows.norm1])
    return Rows(rows.columns, bound, norm1)


@kind("box", Rows, answers=ZERO_MAP)
def _box(c: At, rows: Rows, *, bound: Json) -> Rows:
    """Entries in [-bound, bound]: |x|_1 <= d bound, |x| <= sqrt(d) bound; every entry shrinks."""
    side = c.positive(bound, "bound")
    norm, norm1 = rows.columns**HALF * side, rows.columns * side
    if rows.norm is None or rows.norm1 is None:
        return Rows(rows.columns, norm, norm1, entry=side)
    alone = c.ring.prove(rows.norm - norm) and c.ring.prove(rows.norm1 - norm1)
    norm = c.ring.extremum("min", [norm, rows.norm])
    norm1 = c.ring.extremum("min", [norm1, rows.norm1])
    return Rows(rows.columns, norm, norm1, entry=side if alone else None)


@kind("normalize", Rows, answers=PLAIN)
def _normalize(c: At, rows: Rows) -> Rows:
    """x/|x|, and the first unit vector for x = 0: the norm is 1, exactly."""
    return Rows(rows.columns, c.ring.lift(1), rows.columns**HALF, exact=True)


@kind("intercept", Rows, answers=PLAIN)
def _intercept(c: At, rows: Rows, *, value: Json) -> Rows:
    """One more entry, a constant."""
    constant = c.positive(value, "value")
    if rows.norm is None or rows.norm1 is None:
        return Rows(rows.columns + 1)
    norm = (rows.norm**2 + constant**2) ** HALF
    entry = rows.entry if rows.entry is not None and rows.entry.key == constant.key else None
    return Rows(rows.columns + 1, norm, rows.norm1 + constant, entry=entry)


@kind("scale", Rows, answers=ZERO_MAP)
def _scale(c: At, rows: Rows, *, by: Json) -> Rows:
    """x/by, for a public number."""
    divisor = c.positive(by, "by")
    if rows.norm is None:
        return Rows(rows.columns)
    norm = rows.norm / divisor
    entry = None if rows.entry is None else rows.entry / divisor
    return Rows(rows.columns, norm, rows.columns**HALF * norm, entry=entry)


@kind("scaled_columns", Rows, answers=PLAIN)
def _scaled_columns(c: At, rows: Rows, *, by: Json, minus: Json) -> Rows:
    """(x_j - minus_j)/by_j, by public numbers: at most (|x| + |minus|)/min by."""
    lists = type(by) is list and type(minus) is list and len(by) == len(minus) > 0
    c.require(lists, "by and minus must be lists, one number a column")
    divisors = [number(one, c.where) for one in by]
    c.require(min(divisors) > 0, "by must be positive")
    far = sum((number(one, c.where) ** 2 for one in minus), ZERO)
    if rows.norm is None:
        return Rows(rows.columns)
    norm = (rows.norm + c.ring.lift(far) ** HALF) / min(divisors)
    return Rows(rows.columns, norm, rows.columns**HALF * norm)


@kind("divided_columns", Rows, *SEEN, many=True, answers=PLAIN)
def _divided_columns(c: At, *inputs: Any, lower: Json, upper: Json, centred: Json) -> Rows:
    """(x_j - m_j)/s_j by released vectors, s put into [lower, upper]: whatever they are, a map of
    one row. It bounds nothing.
    """
    c.require(type(centred) is bool and len(inputs) == 2 + centred, "rows, and one vector or two")
    fits = type(inputs[0]) is Rows and all(map(public, inputs[1:]))
    c.require(fits, "what rows are shifted and divided by must be released")
    low = c.positive(lower, "lower")
    c.at_least(c.positive(upper, "upper"), low, "the range of divisors must not be empty")
    return Rows(inputs[0].columns)


@kind("divided_records", Rows, Column, answers=PLAIN)
def _divided_records(_: At, rows: Rows, __: Column) -> Records:
    """(x, y)/|x|: a record's own row, its label the last entry."""
    return Records(rows.columns + 1)


@kind("record_rows", Records, answers=PLAIN)
def _record_rows(c: At, records: Records) -> Rows:
    """x/|x|, and 0 for x = 0."""
    columns = records.columns - 1
    return Rows(columns, c.ring.lift(1), columns**HALF)


@kind("record_labels", Records, answers=PLAIN)
def _record_labels(_: At, __: Records) -> Column:
    """y/|x|, which nothing bounds."""
    return Column()


@kind("residuals", Rows, Column, *SEEN, many=True, answers=PLAIN)
def _residuals(c: At, *inputs: Any) -> Rows:
    """y - x'theta, as rows of one column; theta was released. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Rows, Column] and len(inputs) == 3 and public(inputs[2])
    c.require(fits, "rows, labels, and coefficients that are released")
    return Rows(c.ring.lift(1))


@kind("residual_labels", Column, Rows, *SEEN, many=True, answers=PLAIN)
def _residual_labels(c: At, *inputs: Any) -> Column:
    """y - x'theta, as labels; theta was released. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Column, Rows] and len(inputs) == 3 and public(inputs[2])
    c.require(fits, "labels, rows, and coefficients that are released")
    return Column()


@kind("gradient", Rows, Column, Iterate, Loss, answers=PLAIN)
def _gradient(c: At, rows: Rows, column: Column, point: Iterate, loss: Loss) -> Rows:
    """phi'(x'theta, y) x at the point of a loop, which is known: of norm slope B, where the slope
    has a bound for every theta.
    """
    c.equal(point.size, rows.columns, "the point has one number for each column")
    slope = None if column.bound is None else loss.slope(None, column.bound)
    if rows.norm is None or slope is None:
        return Rows(rows.columns)
    norm = slope * rows.norm
    return Rows(rows.columns, norm, rows.columns**HALF * norm)


@kind("gradient_at", Rows, Column, *SEEN, many=True, answers=ZERO_MAP)
def _gradient_at(c: At, *inputs: Any) -> Rows:
    """(x'theta - y) x at coefficients that were released, or at 0. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Rows, Column] and len(inputs) <= 3
    c.require(fits and all(map(public, inputs[2:])), "rows, labels, released coefficients")
    return Rows(inputs[0].columns)


@kind("grid", Rows, answers=ROUNDING)
def _grid(c: At, rows: Rows, *, bits: Json) -> Rows:
    """Rows in whole steps of norm/2^bits: towards zero, inside the ball, no longer in L1."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if rows.norm is None or rows.norm1 is None:
        raise Refused(f"{c.where}: rows on a grid must be bounded")
    share = Fraction(1, 2**bits)
    return Rows(rows.columns, rows.norm, rows.norm1, step=rows.norm * share, share=share)


@kind("box_grid", Rows, answers=ROUNDING)
def _box_grid(c: At, rows: Rows, *, bits: Json) -> Rows:
    """Rows in whole steps of entry/2^bits, towards zero, entry by entry."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if rows.entry is None:
        raise Refused(f"{c.where}: a grid of entries is for rows whose entries are bounded")
    share = Fraction(1, 2**bits)
    facts = (rows.columns, rows.norm, rows.norm1, False, rows.entry * share, share, rows.entry)
    return Rows(*facts)


@kind("grid_column", Column, answers=ROUNDING)
def _grid_column(c: At, column: Column, *, bits: Json) -> Column:
    """Labels in whole steps of bound/2^bits, towards zero."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if column.bound is None:
        raise Refused(f"{c.where}: labels on a grid must be bounded")
    return Column(column.bound, column.bound * Fraction(1, 2**bits))


def stepped(*nodes: Rows | Column) -> tuple[Formula, ...]:
    """The step of a sum of products of rows and labels, where all are on a grid."""
    known = [node.step for node in nodes if node.step is not None]
    return (math.prod(known[1:], start=known[0]),) if len(known) == len(nodes) else ()


@kind("column", answers=PLAIN)
def _column(c: At, *, name: Json) -> Column:
    """Labels: finite numbers, one for each row of the table."""
    c.require(type(name) is str, "name must be text")
    c.require(not any(type(fact) is Column for fact in c.facts), "there is one column of labels")
    return Column()


def around_zero(node: Mapping[str, Json]) -> bool:
    """Whether an interval of labels holds 0: numbers on both sides of it; or -Y and Y, all that the
    rule admits for a name Y.
    """
    lower, upper = node["lower"], node["upper"]
    if not all(type(end) is str and NUMBER.match(end) for end in (lower, upper)):
        return type(upper) is str and NAME.match(upper) is not None
    return number(lower, "lower") <= 0 <= number(upper, "upper")


@kind("clip_column", Column, answers=PLAIN.but(zero_neutral=around_zero))
def _clip_column(c: At, _: Column, *, lower: Json, upper: Json) -> Column:
    """y clipped into [lower, upper]: numbers, or -Y and Y for one positive parameter Y."""
    low, high = c.formula(lower), c.formula(upper)
    if low.constant is not None and high.constant is not None:
        c.at_least(high, low, "bounds must increase", strict=True)
    else:
        named = type(upper) is str and upper in c.free and not low + high
        c.require(named, "bounds must be numbers, or -Y and Y for one parameter Y")
        c.at_least(high, 0, "Y must be positive", strict=True)
    return Column(c.ring.extremum("max", [-low, high]))


@kind("unit_interval", Column, answers=PLAIN)
def _unit_interval(c: At, _: Column, *, lower: Json, upper: Json) -> Column:
    """[lower, upper] onto [-1, 1], clipped."""
    c.require(number(lower, c.where) < number(upper, c.where), "bounds must increase")
    return Column(c.ring.lift(1))


@kind("scaled_labels", Column, answers=PLAIN)
def _scaled_labels(c: At, column: Column, *, by: Json, minus: Json) -> Column:
    """(y - minus)/by, by numbers that are public or released."""
    divisor, shift = c.positive(by, "by"), c.formula(minus)
    return Column(None if column.bound is None or shift else column.bound / divisor)
