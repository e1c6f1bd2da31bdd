"""Statistics: how far one record moves each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from dpframe.exact.documents import number
from dpframe.exact.formula import Formula
from dpframe.exact.limits import HALF, ZERO, Json, Refused

from .at import At
from .book import COMBINED, PLAIN, PLAIN_SUM, RECORD_SUM, ZERO_MAP, ZERO_SUM, kind
from .facts import Column, Rows, Statistic
from .joint import by_part, charged, joint, sizes_of
from .procedures import floor_of
from .rows import stepped


@kind("gram", Rows, answers=RECORD_SUM.but(role="gram"))
def _gram(c: At, rows: Rows) -> Statistic:
    """X'X: |xx'|_F = |x|^2; |xx' - zz'|_F^2 <= 2 B^4; upper triangle in L1 (|x|_1^2 + |x|^2)/2."""
    d = rows.columns
    if rows.norm is None or rows.norm1 is None:
        return Statistic((d, d), None, None, "gram")
    square = rows.norm**2
    l1, l2 = (rows.norm1**2 + square) * HALF, square
    if c.replaced:
        cauchy = (d * (d + 3) * HALF) ** HALF * square
        l1, l2 = c.ring.extremum("min", [l1 * 2, cauchy]), c.ring.lift(2) ** HALF * square
    if c.replaced and d.constant == 1:
        l1 = l2 = square
    steps = stepped(rows, rows)
    return Statistic((d, d), l1, l2, "gram", square, (rows, None), steps=steps)


@kind("lambda_min", Statistic, answers=COMBINED.but(role="floor"))
def _lambda_min(c: At, gram: Statistic) -> Statistic:
    """The smallest eigenvalue of X'X, 1-Lipschitz in the operator norm [Weyl], which is B^2."""
    c.require(gram.part == "gram", "its input must be a gram")
    # Rounded down to multiples of g = B^2/2^bits: moves of B^2 stay, l < B^2 becomes l + g at most
    g = gram.table[0].share if gram.steps and gram.table[0] else ZERO
    charge = g * (2 + g) if c.replaced else ZERO
    steps = (gram.size * g,) if g and gram.size is not None else ()
    return Statistic((), gram.size, gram.size, "floor", gram.size, gram.table, charge, steps)


@kind("moment", Rows, Column, answers=RECORD_SUM.but(role="moment"))
def _moment(c: At, rows: Rows, column: Column) -> Statistic:
    """X'y: |y x| <= Y B; replaced, twice that."""
    if rows.norm is None or rows.norm1 is None or column.bound is None:
        return Statistic((rows.columns,), None, None)
    size, twice = rows.norm * column.bound, 2 if c.replaced else 1
    l1 = rows.norm1 * column.bound * twice
    steps = stepped(rows, column)
    table = (rows, column)
    return Statistic((rows.columns,), l1, size * twice, "moment", size, table, steps=steps)


@kind("squares", Column, answers=RECORD_SUM.but(role="squares"))
def _squares(_: At, column: Column) -> Statistic:
    """y'y: 0 <= y^2 <= Y^2."""
    size = None if column.bound is None else column.bound**2
    steps = stepped(column, column)
    return Statistic((), size, size, "squares", size, (None, column), steps=steps)


@kind("count", Rows, answers=PLAIN_SUM.but(record_by_record=True))
def _count(c: At, _: Rows) -> Statistic:
    """n: one row counts once; replacing it changes nothing."""
    one = c.ring.lift(0 if c.replaced else 1)
    return Statistic((), one, one, steps=(c.ring.lift(1),), counts=True)


@kind("row_sum", Rows, answers=RECORD_SUM)
def _row_sum(c: At, rows: Rows) -> Statistic:
    """The sum of the rows: |x| <= B; replaced, twice that."""
    twice = 2 if c.replaced else 1
    l1, l2 = (None if b is None else b * twice for b in (rows.norm1, rows.norm))
    return Statistic((rows.columns,), l1, l2, steps=stepped(rows))


@kind("label_sum", Column, answers=RECORD_SUM)
def _label_sum(c: At, column: Column) -> Statistic:
    """The sum of the labels: |y| <= Y; replaced, twice that."""
    size = None if column.bound is None else column.bound * (2 if c.replaced else 1)
    return Statistic((), size, size, steps=stepped(column))


@kind("trace", Rows, answers=ZERO_SUM)
def _trace(c: At, rows: Rows) -> Statistic:
    """The sum of the |x|^2, each in [0, B^2]; constant where each is B^2 and rows are replaced."""
    size = None if rows.norm is None else rows.norm**2
    size = c.ring.lift(0) if c.replaced and rows.exact else size
    # rows of one norm are counted
    steps = (rows.norm**2,) if rows.exact and rows.norm is not None else stepped(rows, rows)
    return Statistic((), size, size, steps=steps)


@kind("column_squares", Rows, answers=ZERO_SUM)
def _column_squares(c: At, rows: Rows) -> Statistic:
    """(sum of x_j^2)_j: |x o x|_2 <= |x o x|_1 = |x|^2; in a box every entry in [0, b^2]. Replaced,
    two vectors without negative entries.
    """
    shape = (rows.columns,)
    if rows.norm is None:
        return Statistic(shape, None, None)
    l1 = l2 = rows.norm**2
    if rows.entry is not None:
        square = rows.entry**2
        l1, l2 = rows.columns * square, rows.columns**HALF * square
    elif c.replaced and rows.columns.constant != 1:
        l1, l2 = l1 * 2, l2 * c.ring.lift(2) ** HALF
    return Statistic(shape, l1, l2, steps=stepped(rows, rows))


@kind("bin_counts", Rows, Column, many=True, answers=PLAIN_SUM)
def _bin_counts(c: At, *data: Rows | Column, cuts: Json, absolute: Json) -> Statistic:
    """Records between cuts, column by column: each in one bin of each; replaced, two bins move."""
    c.require(len(data) == 1 and type(absolute) is bool, "one input; absolute: true or false")
    c.require(type(cuts) is list and 1 <= len(cuts) <= 10_000, "cuts: a list of numbers")
    ends = [number(cut, c.where) for cut in cuts]
    c.require(sorted(set(ends)) == ends, "cuts must increase")
    d = data[0].columns if isinstance(data[0], Rows) else c.ring.lift(1)
    l1 = d * 2 if c.replaced else d
    return Statistic((d * (len(ends) + 1),), l1, l1**HALF, steps=(c.ring.lift(1),))


@kind("norm_counts", Rows, answers=ZERO_SUM)
def _norm_counts(c: At, _: Rows, *, cuts: Json) -> Statistic:
    """Rows with norms between cuts, none at or below the first: each in one bin at most."""
    c.require(type(cuts) is list and 1 <= len(cuts) <= 10_000, "cuts: a list of numbers")
    ends = [number(cut, c.where) for cut in cuts]
    c.require(sorted(set(ends)) == ends and ends[0] > 0, "cuts must increase, from above 0")
    one = c.ring.lift(1)
    l1 = one * 2 if c.replaced else one
    return Statistic((one * len(ends),), l1, l1**HALF, steps=(one,))


@kind("log_residual", Statistic, Statistic, answers=PLAIN)
def _log_residual(
    c: At, gram: Statistic, moment: Statistic, *, penalty: Json, floor: Json
) -> Statistic:
    """log(Y + B |theta|), theta = H^-1 X'y, H = X'X + penalty I >= h: a record more moves theta by
    at most B (Y + B |theta|)/h, and so this by log(1 + B^2/h).
    """
    size, least = c.positive(penalty, "penalty"), floor_of(c, gram, moment, floor)
    c.require(c.rows.constant == 1 or not least, "with a floor, one row a person")
    assert gram.size is not None  # noqa: S101 - required by floor_of
    move = c.ring.log(gram.size / (size + least) + 1) * (2 if c.replaced else 1)
    return Statistic((), move, move, table=moment.table, ridge=(size, least))


@kind("linear", Statistic, many=True, answers=COMBINED)
def _linear(c: At, *parts: Statistic, coefficients: Json) -> Statistic:
    """sum c_i S_i: the triangle inequality."""
    fits = type(coefficients) is list and len(coefficients) == len(parts) > 0
    c.require(fits, "one coefficient for each input")
    for part in parts:
        c.require(len(part.shape) == len(parts[0].shape), "its inputs must have one shape")
        for mine, first in zip(part.shape, parts[0].shape, strict=True):
            c.equal(mine, first, "its inputs must have one shape")
    factors = [c.formula(value) for value in coefficients]
    sizes = [c.ring.extremum("max", [f, -f]) for f in factors]
    bounds: list[Formula | None] = []
    for own in ([p.l1 for p in parts], [p.l2 for p in parts]):
        known = [size * bound for size, bound in zip(sizes, own, strict=True) if bound is not None]
        bounds.append(c.ring.total(known) if len(known) == len(parts) else None)
    return Statistic(parts[0].shape, bounds[0], bounds[1], steps=common_step(factors, parts))


def common_step(factors: Sequence[Formula], parts: Sequence[Statistic]) -> tuple[Formula, ...]:
    """The largest step of which every term is a whole multiple: quotients must be rational."""
    if not all(len(part.steps) == 1 and not part.stacked for part in parts):
        return ()
    first = parts[0].steps[0]
    terms = [(f * part.steps[0] / first).constant for f, part in zip(factors, parts, strict=True)]
    shares = [term for term in terms if term is not None]
    if len(shares) < len(terms) or not any(shares):
        return (first,) if len(shares) == len(terms) else ()
    above = math.gcd(*(share.numerator for share in shares))
    return (first * Fraction(above, math.lcm(*(share.denominator for share in shares))),)


@kind("stack", Statistic, many=True, answers=COMBINED)
def _stack(c: At, *parts: Statistic) -> Statistic:
    """All in one vector; off the diagonal of a matrix times sqrt(2), so that L2 is Frobenius's."""
    c.require(parts, "at least one input")
    first = [math.prod(p.shape[:1], start=c.ring.lift(1)) for p in parts]
    counts = [
        n * (n + 1) * HALF if len(p.shape) == 2 else n for n, p in zip(first, parts, strict=True)
    ]
    shape = (c.ring.total(counts),)
    known = [(p.l1, len(p.shape) == 2) for p in parts if p.l1 is not None and p.l2 is not None]
    if len(known) < len(parts):
        return Statistic(shape, None, None)
    root = c.ring.lift(2) ** HALF
    l1 = c.ring.total(size * root if matrix else size for size, matrix in known)
    sums = by_part(c, charged(parts, [(part, size**2) for part, size in sizes_of(c, parts)]))
    largest = c.ring.extremum("max", joint(sums, lambda a, b: c.ring.extremum("max", [a, b])))
    exact = all(part.steps for part in parts)
    scales = [(1, root) if len(p.shape) == 2 else (1,) for p in parts] if exact else []
    steps = tuple(s * f for p, fs in zip(parts, scales, strict=False) for s in p.steps for f in fs)
    return Statistic(shape, l1, largest**HALF, steps=steps, stacked=True)


@kind("sufficient_statistics", Rows, Column, answers=ZERO_SUM)
def _sufficient(c: At, rows: Rows, column: Column, *, constant: Json) -> Statistic:
    """Upper X'X, X'y, perhaps y'y of u = (x/B, y/Y): (|u|_1^2 + |u|^2)/2; |uu'|_F = |u|^2. Replaced
    in a box, uu' - vv' = 2 (pq' + qp') with |p_j| + |q_j| <= 1: the same, and d (d + 2)^2/(2 d + 2)
    without y'y, which is largest at p, q constant.
    """
    c.require(type(constant) is bool, "constant must be true or false")
    shape = (rows.columns * (rows.columns + 3) * HALF + int(constant),)
    share = None if column.bound is None or column.step is None else column.step / column.bound
    side = rows.norm if rows.entry is None else rows.entry
    if side is None or rows.norm1 is None or rows.step is None or share is None:
        return Statistic(shape, None, None, table=(rows, column), constant=constant)
    c.equal(rows.step / side, share, "rows and labels must have as many steps to their bounds")
    n1, squared = (rows.norm1 / side, c.ring.lift(1)) if rows.entry is None else (rows.columns,) * 2
    l1, l2 = (n1**2 + squared) * HALF + n1 + int(constant), squared + 1
    if c.replaced:
        l2 = l2 * c.ring.lift(2) ** HALF
        boxed = l1 if constant else n1 * (n1 + 2) ** 2 / ((n1 + 1) * 2)
        l1 = l1 * 2 if rows.entry is None else boxed
    return Statistic(shape, l1, l2, table=(rows, column), steps=(share**2,), constant=constant)


@kind("monomials", Statistic, answers=ZERO_MAP)
def _monomials(c: At, own: Statistic) -> Statistic:
    """Its statistics times 1, 2, -2: sum_jk |u_j u_k| = |u|_1^2 with y'y, |u|_1^2 - 1 without.
    Replaced in a box, 4 |p|_1 |q|_1 <= (d + 1)^2; without y'y no more.
    """
    (rows, _), constant = own.table, own.constant
    c.require(constant is not None and rows, "its input must be sufficient statistics")
    side = rows and (rows.norm if rows.entry is None else rows.entry)
    if not (rows and rows.norm1 and side and own.l2):
        return Statistic(own.shape, None, None)
    whole = ((rows.columns if rows.entry is not None else rows.norm1 / side) + 1) ** 2
    l1 = whole if constant or (c.replaced and rows.entry is not None) else whole - 1
    l1 = l1 * 2 if c.replaced and rows.entry is None else l1
    return Statistic(own.shape, l1, own.l2 * c.ring.lift(2) ** HALF, steps=own.steps)


@kind("histogram", Rows, Column, answers=PLAIN_SUM)
def _histogram(c: At, rows: Rows, column: Column, *, cells: Json) -> Statistic:
    """Records in cells of a public grid: one each; replaced, one cell loses it, one gains it."""
    c.require(type(cells) is int and 2 <= cells <= 1000, "cells: a whole number from 2 to 1000")
    logarithm = c.ring.log(c.ring.lift(cells))  # that of the number of cells stands for it
    shape = ((rows.columns + 1) * logarithm,)
    if rows.step is None or column.step is None:
        return Statistic(shape, None, None)
    one, two = c.ring.lift(1), c.ring.lift(2)
    l1, l2 = (two, two**HALF) if c.replaced else (one, one)
    return Statistic(shape, l1, l2, steps=(one,))


@kind("raw", Rows, Column, Statistic, many=True, answers=PLAIN)
@kind("identity", Rows, Column, Statistic, many=True, answers=PLAIN)
def _unbounded(c: At, *_: object) -> NoReturn:
    """Nothing bounds what one row does to it."""
    raise Refused(f"{c.where}: no rule bounds its sensitivity")
