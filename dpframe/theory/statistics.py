"""Statistics: how far one record moves each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn

import attrs

from dpframe.exact.formula import Formula
from dpframe.exact.limits import HALF, ZERO, Json, Refused

from .at import Context
from .book import COMBINED, PLAIN, PLAIN_SUM, RECORD_SUM, ZERO_MAP, ZERO_SUM, kind
from .facts import (
    NO_MOVES,
    LabelFacts,
    Move,
    Moves,
    RowFacts,
    StatisticFacts,
    alike,
    of_vector,
    statistic,
)
from .joint import attained_by, by_part, charged, joint, larger, sizes_of
from .procedures import floor_of
from .rows import stepped


def record_sum(
    at: Context,
    shape: tuple[Formula, ...],
    added: Callable[[], Moves],
    replaced: Callable[[], Moves],
    *,
    steps: tuple[Formula, ...],
) -> StatisticFacts:
    """A sum over records of a feature phi: it moves by sup |phi| where a record is added, by
    sup |phi - phi'| where one is replaced. Only the one that is asked for is worked out.
    """
    return statistic(shape, replaced() if at.replaced else added(), steps=steps)


@kind("gram", RowFacts, answers=RECORD_SUM.but(role="gram"))
def _gram(at: Context, rows: RowFacts) -> StatisticFacts:
    """X'X: |xx'|_F = |x|^2; |xx' - zz'|_F^2 = |x|^4 + |z|^4 - 2 (x'z)^2 <= 2 B^4; and -zz' <= xx' -
    zz' <= xx'. Upper triangle in L1: (|x|_1^2 + |x|^2)/2, or by Cauchy-Schwarz over its entries.
    """
    d, norm, norm1, occurring = rows.columns, rows.norm, rows.norm1, rows.occurring
    steps = stepped(rows, rows)
    if norm is None or norm1 is None:
        return attrs.evolve(statistic((d, d), NO_MOVES, steps=steps), part="gram")
    square = norm**2
    once, alone = (norm1**2 + square) * HALF, at.constant(d) == 1

    def added() -> Moves:
        upper = Move(once, "upper triangle of xx': (|x|_1^2 + |x|^2)/2", occurring.ball)
        whole = Move(square, "|xx'| = |x|^2 <= B^2", occurring.extreme)
        return Moves(upper, whole, whole)

    def replaced() -> Moves:
        cauchy = (d * (d + 3) * HALF) ** HALF * square
        l1 = square if alone else at.minimum(once * 2, cauchy)
        l2 = square if alone else at.number(2) ** HALF * square
        rule = "|xx' - zz'|_F^2 <= 2 B^4, operator norm <= B^2"
        upper = Move(l1, "Cauchy-Schwarz over the upper triangle", attained=False)
        return Moves(upper, Move(l2, rule, occurring.ball), Move(square, rule, occurring.ball))

    found = record_sum(at, (d, d), added, replaced, steps=steps)
    return attrs.evolve(found, part="gram", size=square, table=(rows, None))


@kind("lambda_min", StatisticFacts, answers=COMBINED.but(role="floor"))
def _lambda_min(at: Context, gram: StatisticFacts) -> StatisticFacts:
    """The smallest eigenvalue of a symmetric matrix, 1-Lipschitz in the operator norm [Weyl]; that
    of X'X is B^2.
    """
    at.require(len(gram.shape) == 2, "its input must be a symmetric matrix")
    rows, move = gram.table[0], gram.moves.operator
    if move is None:
        return statistic((), NO_MOVES)
    if gram.part != "gram" or rows is None or gram.size is None:
        return statistic((), alike(Move(move.value, WEYL, attained=False)))
    # Rounded down to multiples of g = B^2/2^bits: moves of B^2 stay, l < B^2 becomes l + g at most
    g = rows.share if gram.steps and rows.entry is None else ZERO
    moves = alike(Move(move.value, WEYL, rows.occurring.ball))
    found = statistic((), moves, steps=(gram.size * g,) if g else ())
    charge = g * (2 + g) if at.replaced else ZERO
    return attrs.evolve(found, part="floor", size=gram.size, table=gram.table, charge=charge)


WEYL = "Weyl: 1-Lipschitz in the operator norm of X'X"


@kind("moment", RowFacts, LabelFacts, answers=RECORD_SUM.but(role="moment"))
def _moment(at: Context, rows: RowFacts, column: LabelFacts) -> StatisticFacts:
    """X'y: |y x| <= Y B; replaced, twice that."""
    shape, steps = (rows.columns,), stepped(rows, column)
    if rows.norm is None or rows.norm1 is None or column.bound is None:
        return statistic(shape, NO_MOVES, steps=steps)
    l1, l2, label = rows.norm1 * column.bound, rows.norm * column.bound, column.occurring.ball
    ball, extreme = label and rows.occurring.ball, label and rows.occurring.extreme
    found = once_or_twice(
        at, shape, (l1, l2), (ball, extreme), ("|y x| <= Y B", "|y x - w z| <= 2 Y B")
    )
    return attrs.evolve(found, part="moment", size=l2, table=(rows, column), steps=steps)


def once_or_twice(
    at: Context,
    shape: tuple[Formula, ...],
    sizes: tuple[Formula | None, Formula | None],
    attained: tuple[bool, bool],
    rules: tuple[str, str],
    replaced: tuple[bool, bool] | None = None,
) -> StatisticFacts:
    """A sum of a feature with bounds in L1 and L2 that is symmetric around 0: replaced, it moves by
    twice as much. `attained` of each norm, where one is added, and `replaced`.
    """
    factor, rule = (2, rules[1]) if at.replaced else (1, rules[0])
    reached = replaced if at.replaced and replaced is not None else attained
    moves = [
        None if size is None else Move(size * factor, rule, own)
        for size, own in zip(sizes, reached, strict=True)
    ]
    return statistic(shape, of_vector(*moves))


@kind("squares", LabelFacts, answers=RECORD_SUM.but(role="squares"))
def _squares(_: Context, column: LabelFacts) -> StatisticFacts:
    """y'y: 0 <= y^2 <= Y^2, under both relations."""
    steps = stepped(column, column)
    if column.bound is None:
        return statistic((), NO_MOVES, steps=steps)
    size = column.bound**2
    found = statistic((), alike(Move(size, "0 <= y^2 <= Y^2", column.occurring.ball)), steps=steps)
    return attrs.evolve(found, part="squares", size=size, table=(None, column))


@kind("count", RowFacts, answers=PLAIN_SUM.but(record_by_record=True))
def _count(at: Context, _: RowFacts) -> StatisticFacts:
    """n: one row counts once; replacing it changes nothing."""
    one = alike(Move(at.number(1), "one row counts once", attained=True))
    none = alike(Move(at.number(0), "n is public", attained=True))
    found = record_sum(at, (), lambda: one, lambda: none, steps=(at.number(1),))
    return attrs.evolve(found, counts=True)


@kind("row_sum", RowFacts, answers=RECORD_SUM)
def _row_sum(at: Context, rows: RowFacts) -> StatisticFacts:
    """The sum of the rows: |x| <= B; replaced, twice that."""
    ball, rules = rows.occurring.ball, ("|x| <= B", "|x - z| <= 2 B")
    sizes, reached = (rows.norm1, rows.norm), (ball, rows.occurring.extreme)
    found = once_or_twice(at, (rows.columns,), sizes, reached, rules, replaced=(ball, ball))
    return attrs.evolve(found, steps=stepped(rows))


@kind("label_sum", LabelFacts, answers=RECORD_SUM)
def _label_sum(at: Context, column: LabelFacts) -> StatisticFacts:
    """The sum of the labels: |y| <= Y; replaced, twice that."""
    sizes, reached = (column.bound, column.bound), (column.occurring.ball, column.occurring.ball)
    found = once_or_twice(at, (), sizes, reached, ("|y| <= Y", "|y - w| <= 2 Y"))
    return attrs.evolve(found, steps=stepped(column))


@kind("trace", RowFacts, answers=ZERO_SUM)
def _trace(at: Context, rows: RowFacts) -> StatisticFacts:
    """The sum of the |x|^2, each in [0, B^2]; constant where each is B^2 and rows are replaced."""
    if rows.norm is None:
        return statistic((), NO_MOVES, steps=stepped(rows, rows))
    square, rule, occurring = rows.norm**2, "0 <= |x|^2 <= B^2", rows.occurring
    added = alike(Move(square, rule, occurring.extreme))
    swapped = alike(Move(square, rule, occurring.ball))
    if rows.unit_norm:
        swapped = alike(Move(at.number(0), "every row has the same norm", attained=True))
    # rows of one norm are counted
    steps = (square,) if rows.unit_norm else stepped(rows, rows)
    return record_sum(at, (), lambda: added, lambda: swapped, steps=steps)


@kind("column_squares", RowFacts, answers=ZERO_SUM)
def _column_squares(at: Context, rows: RowFacts) -> StatisticFacts:
    """(sum of x_j^2)_j: |x o x|_2 <= |x o x|_1 = |x|^2; in a box every entry in [0, b^2]. Replaced,
    two vectors without negative entries.
    """
    d, occurring = rows.columns, rows.occurring
    shape, steps = (d,), stepped(rows, rows)
    if rows.norm is None:
        return statistic(shape, NO_MOVES, steps=steps)
    if rows.entry is not None:
        square, reached = rows.entry**2, occurring.box if at.replaced else occurring.extreme
        l1, l2 = (Move(size * square, "0 <= x_j^2 <= b^2", reached) for size in (d, d**HALF))
        return statistic(shape, of_vector(l1, l2), steps=steps)
    square = rows.norm**2
    alone, rule = at.constant(d) == 1, "two vectors without negative entries"
    more = (at.number(1),) * 2 if alone else (at.number(2), at.number(2) ** HALF)
    once = alike(Move(square, "|x o x| <= |x|^2 <= B^2", occurring.ball))
    swapped = of_vector(*(Move(square * factor, rule, attained=False) for factor in more))
    return record_sum(at, shape, lambda: once, lambda: swapped, steps=steps)


def counts_of_bins(
    at: Context,
    shape: tuple[Formula, ...],
    columns: Formula,
    attained: tuple[bool, bool],
    rules: tuple[str, str],
) -> StatisticFacts:
    """Counts of records in bins, `columns` times: one record is in one bin of each at most; replaced,
    one bin of each loses a record and one gains it.
    """
    l1 = columns * 2 if at.replaced else columns
    moves = [Move(size, rules[at.replaced], attained[at.replaced]) for size in (l1, l1**HALF)]
    return statistic(shape, of_vector(*moves), steps=(at.number(1),))


@kind("bin_counts", RowFacts, LabelFacts, many=True, answers=PLAIN_SUM)
def _bin_counts(
    at: Context, *data: RowFacts | LabelFacts, cuts: Json, absolute: Json
) -> StatisticFacts:
    """Records between cuts, column by column."""
    at.require(len(data) == 1 and type(absolute) is bool, "one input; absolute: true or false")
    ends = cuts_of(at, cuts)
    d = data[0].columns if isinstance(data[0], RowFacts) else at.number(1)
    rules = ("one record is in one bin a column", "one bin a column loses a record, one gains it")
    return counts_of_bins(at, (d * (len(ends) + 1),), d, (True, False), rules)


def cuts_of(at: Context, cuts: Json) -> list[Fraction]:
    """Increasing numbers."""
    at.require(type(cuts) is list and 1 <= len(cuts) <= 10_000, "cuts: a list of numbers")
    ends = [at.rational(cut) for cut in cuts]
    at.require(sorted(set(ends)) == ends, "cuts must increase")
    return ends


@kind("norm_counts", RowFacts, answers=ZERO_SUM)
def _norm_counts(at: Context, _: RowFacts, *, cuts: Json) -> StatisticFacts:
    """Rows with norms between cuts, none at or below the first."""
    ends, one = cuts_of(at, cuts), at.number(1)
    at.require(ends[0] > 0, "cuts must increase, from above 0")
    rules = ("one row is in at most one bin", "one bin loses a row, one gains it")
    return counts_of_bins(at, (at.number(len(ends)),), one, (False, False), rules)


@kind("histogram", RowFacts, LabelFacts, answers=PLAIN_SUM)
def _histogram(at: Context, rows: RowFacts, column: LabelFacts, *, cells: Json) -> StatisticFacts:
    """Records in cells of a public grid, whose number is the exponential of its logarithm."""
    at.require(type(cells) is int and 2 <= cells <= 1000, "cells: a whole number from 2 to 1000")
    shape = (at.exp((rows.columns + 1) * at.log(at.number(cells))),)
    if rows.step is None or column.step is None:
        return statistic(shape, NO_MOVES)
    rules = ("one record is in one cell", "one cell loses a record, one gains it")
    return counts_of_bins(at, shape, at.number(1), (True, column.occurring.ball), rules)


@kind("log_residual", StatisticFacts, StatisticFacts, answers=PLAIN)
def _log_residual(
    at: Context, gram: StatisticFacts, moment: StatisticFacts, *, penalty: Json, floor: Json
) -> StatisticFacts:
    """log(Y + B |theta|), theta = H^-1 X'y, H = X'X + penalty I >= h: a record more moves theta by
    at most B (Y + B |theta|)/h, and so this by log(1 + B^2/h).
    """
    size, least = at.positive(penalty, "penalty"), floor_of(at, gram, moment, floor)
    at.require(at.single() or at.constant(least) == 0, "with a floor, one row a person")
    if gram.size is None:
        return statistic((), NO_MOVES)
    once = at.log(1 + gram.size / (size + least))
    rule = "theta moves by x r/lambda_min, |r| <= Y + B |theta|"
    move = Move(once * 2 if at.replaced else once, rule, attained=False)
    return attrs.evolve(statistic((), alike(move)), table=moment.table, ridge=(size, least))


@kind("linear", StatisticFacts, many=True, answers=COMBINED)
def _linear(at: Context, *parts: StatisticFacts, coefficients: Json) -> StatisticFacts:
    """sum c_i S_i: the triangle inequality."""
    fits = type(coefficients) is list and len(coefficients) == len(parts) > 0
    at.require(fits, "one coefficient for each input")
    for part in parts:
        at.require(len(part.shape) == len(parts[0].shape), "its inputs must have one shape")
        for mine, first in zip(part.shape, parts[0].shape, strict=True):
            at.equal(mine, first, "its inputs must have one shape")
    factors = [at.formula(value) for value in coefficients]
    sizes = [at.maximum(f, -f) for f in factors]
    moves = Moves(
        summed(at, sizes, [part.moves.l1 for part in parts]),
        summed(at, sizes, [part.moves.l2 for part in parts]),
        summed(at, sizes, [part.moves.operator for part in parts]),
    )
    return statistic(parts[0].shape, moves, steps=common_step(at, factors, parts))


def summed(at: Context, sizes: Sequence[Formula], moves: Sequence[Move | None]) -> Move | None:
    """sum size_i move_i; None where a move has no bound."""
    known = [move for move in moves if move is not None]
    if len(known) < len(moves):
        return None
    value = at.total(size * move.value for size, move in zip(sizes, known, strict=True))
    attained = len(known) == 1 and known[0].attained
    return Move(value, "triangle inequality: sum |c_i| Delta_i", attained)


def common_step(
    at: Context, factors: Sequence[Formula], parts: Sequence[StatisticFacts]
) -> tuple[Formula, ...]:
    """The largest step of which every term is a whole multiple: quotients must be rational."""
    if not all(len(part.steps) == 1 and not part.stacked for part in parts):
        return ()
    first = parts[0].steps[0]
    terms = [
        at.constant(f * (part.steps[0] / first)) for f, part in zip(factors, parts, strict=True)
    ]
    shares = [term for term in terms if term is not None]
    if len(shares) < len(terms) or not any(shares):
        return (first,) if len(shares) == len(terms) else ()
    above = math.gcd(*(share.numerator for share in shares))
    return (first * Fraction(above, math.lcm(*(share.denominator for share in shares))),)


@kind("stack", StatisticFacts, many=True, answers=COMBINED)
def _stack(at: Context, *parts: StatisticFacts) -> StatisticFacts:
    """All in one vector; off the diagonal of a matrix times sqrt(2), so that L2 is Frobenius's."""
    at.require(parts, "at least one input")
    shape, root = (at.total(map(partial(entries, at), parts)),), at.number(2) ** HALF
    known = [(p.l1, len(p.shape) == 2) for p in parts if p.l1 is not None and p.l2 is not None]
    moves = NO_MOVES
    if len(known) == len(parts):
        l1 = at.total(size * root if matrix else size for size, matrix in known)
        moves = of_vector(Move(l1, "sum of the parts", attained=False), together(at, parts))
    exact = all(part.steps for part in parts)
    scales = [(1, root) if len(p.shape) == 2 else (1,) for p in parts] if exact else []
    steps = tuple(s * f for p, fs in zip(parts, scales, strict=False) for s in p.steps for f in fs)
    return attrs.evolve(statistic(shape, moves, steps=steps), stacked=True)


def entries(at: Context, part: StatisticFacts) -> Formula:
    """How many numbers a part of a stack is."""
    n = part.shape[0] if part.shape else at.number(1)
    return n * (n + 1) * HALF if len(part.shape) == 2 else n


def together(at: Context, parts: Sequence[StatisticFacts]) -> Move:
    """How far all parts move together, for one pair of neighbours."""
    squares = [(part, size**2) for part, size in sizes_of(at, parts)]
    sums = by_part(at, charged(parts, squares))
    total = at.maximum(*joint(sums, partial(larger, at), lambda f: at.constant(f) == 0))
    alone = all(part == "rest" for part, _ in squares)
    rule = "sum of squares" if alone else "joint supremum of one pair (proofs/joint)"
    return Move(total**HALF, rule, at.same(attained_by(at, parts, squares), total))


def units(at: Context, rows: RowFacts) -> tuple[Formula, Formula] | None:
    """Bounds on |x/B|_1 and |x/B|^2: d and d in a box, B_1/B and 1 elsewhere. None for no bound."""
    if rows.entry is not None:
        return rows.columns, rows.columns
    if rows.norm is None or rows.norm1 is None:
        return None
    return rows.norm1 / rows.norm, at.number(1)


def shared_grid(rows: RowFacts, column: LabelFacts) -> Fraction:
    """The step of rows and labels as a share of their bounds, where it is one; 0 where it is not."""
    return rows.share if rows.share == column.share else ZERO


@kind("sufficient_statistics", RowFacts, LabelFacts, answers=ZERO_SUM)
def _sufficient(
    at: Context, rows: RowFacts, column: LabelFacts, *, constant: Json
) -> StatisticFacts:
    """Upper X'X, X'y, perhaps y'y of u = (x/B, y/Y): (|u|_1^2 + |u|^2)/2; |uu'|_F = |u|^2. Replaced
    in a box, uu' - vv' = 2 (pq' + qp') with |p_j| + |q_j| <= 1: the same, and d (d + 2)^2/(2 d + 2)
    without y'y, which is largest at p, q constant.
    """
    at.require(type(constant) is bool, "constant must be true or false")
    shape = (rows.columns * (rows.columns + 3) * HALF + int(constant),)
    share, size = shared_grid(rows, column), units(at, rows)
    if not share or size is None:
        return attrs.evolve(statistic(shape, NO_MOVES), table=(rows, column), constant=constant)
    n1, squared = size
    once = (n1**2 + squared + n1 * 2) * HALF + int(constant)

    def added() -> Moves:
        rule = "each product of u = (x, y) once: (|u|_1^2 + |u|^2)/2"
        l2 = Move(squared + 1, "|uu'| = |u|^2", attained=False)
        return of_vector(Move(once, rule, corner(at, rows, column)), l2)

    def replaced() -> Moves:
        l2 = Move((squared + 1) * at.number(2) ** HALF, "|uu'| = |u|^2", attained=False)
        if rows.entry is None:
            return of_vector(Move(once * 2, "remove and add", attained=False), l2)
        boxed = once if constant else n1 * (n1 + 2) ** 2 / ((n1 + 1) * 2)
        rule = "uu' - vv' = 2 (pq' + qp'), |p_j| + |q_j| <= 1"
        return of_vector(Move(boxed, rule, corner(at, rows, column)), l2)

    found = record_sum(at, shape, added, replaced, steps=(at.number(share**2),))
    return attrs.evolve(found, table=(rows, column), constant=constant)


def corner(at: Context, rows: RowFacts, column: LabelFacts) -> bool:
    """Whether a record of all entries and |y| at their bounds may occur (a row of a box whose
    2-norm is largest is a corner); and, where one is replaced, any inside the box beside it.
    """
    occurring = rows.occurring
    added = occurring.ball if rows.entry is None else occurring.extreme
    return column.occurring.ball and (occurring.box if at.replaced else added)


@kind("monomials", StatisticFacts, answers=ZERO_MAP)
def _monomials(at: Context, own: StatisticFacts) -> StatisticFacts:
    """Its statistics times 1, 2, -2: sum_jk |u_j u_k| = |u|_1^2 with y'y, |u|_1^2 - 1 without.
    Replaced in a box, 4 |p|_1 |q|_1 <= (d + 1)^2; without y'y no more.
    """
    rows, column = own.table
    at.require(own.constant is not None, "its input must be sufficient statistics")
    size = None if rows is None else units(at, rows)
    if rows is None or column is None or size is None or not own.steps:
        return statistic(own.shape, NO_MOVES)
    n1, squared = size
    whole = (n1 + 1) ** 2

    def added() -> Moves:
        rule = "sum of |u_j u_k|: |u|_1^2, u = (x, y)"
        l2 = Move((squared + 1) * at.number(2) ** HALF, "sqrt(2) |uu'|_F", attained=False)
        return of_vector(Move(once, rule, corner(at, rows, column)), l2)

    def replaced() -> Moves:
        l2 = Move((squared + 1) * 2, "sqrt(2) |uu'|_F", attained=False)
        if rows.entry is None:
            return of_vector(Move(once * 2, "remove and add", attained=False), l2)
        rule = "4 |p|_1 |q|_1 <= (|p|_1 + |q|_1)^2"
        return of_vector(Move(whole, rule, corner(at, rows, column)), l2)

    once = whole if own.constant else n1 * (n1 + 2)
    return record_sum(at, own.shape, added, replaced, steps=own.steps)


@kind("raw", RowFacts, LabelFacts, StatisticFacts, many=True, answers=PLAIN)
@kind("identity", RowFacts, LabelFacts, StatisticFacts, many=True, answers=PLAIN)
def _unbounded(at: Context, *_: Any) -> NoReturn:
    """Nothing bounds what one row does to it."""
    raise Refused(f"{at.where}: no rule bounds its sensitivity")
