"""Statistics: how far one record moves each; also those of records in public bins: sums bin by bin,
linear maps of them for running totals, and medians that are released if a test passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import accumulate
from operator import mul
from typing import Annotated, Any, NamedTuple, NoReturn

from dpframe.exact.documents import HALF, ZERO, Refused
from dpframe.exact.formula import Formula

from .at import Context
from .book import Cuts, Positive, Read, between, kind
from .facts import LabelFacts, RowFacts, StatisticFacts, times
from .gaussian import by_part, charged, joint, larger, sizes_of
from .procedures import floor_of
from .rows import stepped


@kind("gram", zero_neutral=True, sum_over_records=True, record_by_record=True)
def _gram(at: Context, rows: RowFacts) -> StatisticFacts:
    """X'X: |xx'|_F = |x|^2; |xx' - zz'|_F^2 = |x|^4 + |z|^4 - 2 (x'z)^2 <= 2 B^4; and -zz' <= xx' -
    zz' <= xx'. Upper triangle in L1: (|x|_1^2 + |x|^2)/2, or by Cauchy-Schwarz over its entries.
    """
    d, steps = rows.columns, stepped(rows, rows)
    unknown = StatisticFacts((d, d), part="gram", steps=steps, symmetric=True)
    if rows.norm is None or rows.norm1 is None:
        return unknown
    square = l2 = rows.norm**2
    l1 = (rows.norm1**2 + square) * HALF
    if at.replaced:
        alone, cauchy = at.constant(d) == 1, (d * (d + 3) * HALF) ** HALF * square
        l1 = square if alone else at.minimum(l1 * 2, cauchy)
        l2 = square if alone else at.number(2) ** HALF * square
    return replace(unknown, l1=l1, l2=l2, operator=square, size=square, table=(rows, None))


@kind("lambda_min", zero_neutral=True, record_by_record=True)
def _lambda_min(at: Context, gram: StatisticFacts) -> StatisticFacts:
    """The smallest eigenvalue of a symmetric matrix, 1-Lipschitz in the operator norm [Weyl]; that
    of X'X is B^2. Rounded down to multiples of g = B^2/2^bits: moves of B^2 stay, l < B^2 becomes
    l + g at most.
    """
    at.require(gram.symmetric, "its input must be a symmetric matrix")
    rows, move = gram.table[0], gram.spectral
    if move is None or gram.part != "gram" or rows is None or gram.size is None:
        return StatisticFacts((), move, move)
    g = rows.share if gram.steps and rows.entry is None else ZERO
    floor = StatisticFacts((), move, move, part="floor", size=gram.size, table=gram.table)
    charge = g * (2 + g) if at.replaced else ZERO
    return replace(floor, steps=(gram.size * g,) if g else (), charge=charge)


def signed_sum(
    at: Context, shape: tuple[Formula, ...], l1: Formula | None, l2: Formula | None, **known: Any
) -> StatisticFacts:
    """The sum of a feature with these bounds in L1 and L2: replaced, it moves by twice as much."""
    changes = at.number(at.changes)
    return StatisticFacts(shape, times(l1, changes), times(l2, changes), **known)


def spread_of(at: Context, rows: RowFacts) -> Formula | None:
    """The largest difference between two entries of x, replaced of x - z, where rows are bounded:
    |(x - z)_j - (x - z)_k| <= |x_j| + |x_k| + |z_j| + |z_k|, and |x_j| + |x_k| <= sqrt(2) |x|.
    """
    root = at.number(2) ** HALF
    once = times(rows.norm, root) if rows.entry is None else rows.entry * 2
    return times(once, at.number(at.changes))


@kind("moment", zero_neutral=True, sum_over_records=True, record_by_record=True)
def _moment(at: Context, rows: RowFacts, column: LabelFacts) -> StatisticFacts:
    """X'y: |y x| <= Y B; replaced, |y x - w z| <= 2 Y B."""
    l1, l2 = times(rows.norm1, column.bound), times(rows.norm, column.bound)
    own: Any = {"part": "moment", "size": l2, "table": (rows, column)}
    own["spread"] = times(spread_of(at, rows), column.bound)
    return signed_sum(at, (rows.columns,), l1, l2, steps=stepped(rows, column), **own)


@kind("squares", zero_neutral=True, sum_over_records=True, record_by_record=True)
def _squares(_: Context, column: LabelFacts) -> StatisticFacts:
    """y'y: 0 <= y^2 <= Y^2, under both relations."""
    size = None if column.bound is None else column.bound**2
    own: Any = {"part": "squares", "size": size, "table": (None, column)}
    return StatisticFacts((), size, size, steps=stepped(column, column), **own)


@kind("count", sum_over_records=True, record_by_record=True)
def _count(at: Context, _: RowFacts) -> StatisticFacts:
    """n: one row counts once; replacing it changes nothing."""
    move = at.number(0 if at.replaced else 1)
    return StatisticFacts((), move, move, steps=(at.number(1),), counts=True)


@kind("row_sum", zero_neutral=True, sum_over_records=True, record_by_record=True)
def _row_sum(at: Context, rows: RowFacts) -> StatisticFacts:
    """The sum of the rows: |x| <= B; replaced, twice that."""
    own: Any = {"spread": spread_of(at, rows), "steps": stepped(rows)}
    return signed_sum(at, (rows.columns,), rows.norm1, rows.norm, **own)


@kind("label_sum", zero_neutral=True, sum_over_records=True, record_by_record=True)
def _label_sum(at: Context, column: LabelFacts) -> StatisticFacts:
    """The sum of the labels: |y| <= Y; replaced, twice that."""
    return signed_sum(at, (), column.bound, column.bound, steps=stepped(column))


@kind("trace", zero_neutral=True, sum_over_records=True)
def _trace(at: Context, rows: RowFacts) -> StatisticFacts:
    """The sum of the |x|^2, each in [0, B^2]; rows of one norm are counted, which is constant where
    rows are replaced.
    """
    if rows.norm is None:
        return StatisticFacts((), steps=stepped(rows, rows))
    square = rows.norm**2
    move = at.number(0) if rows.unit_norm and at.replaced else square
    steps = (square,) if rows.unit_norm else stepped(rows, rows)
    return StatisticFacts((), move, move, steps=steps)


@kind("column_squares", zero_neutral=True, sum_over_records=True)
def _column_squares(at: Context, rows: RowFacts) -> StatisticFacts:
    """(sum of x_j^2)_j: |x o x|_2 <= |x o x|_1 = |x|^2; in a box every entry in [0, b^2]. Replaced,
    two vectors without negative entries: each has a range of at most its largest entry.
    """
    d, l1, l2, spread = rows.columns, None, None, None
    if rows.entry is not None:
        l1, l2 = d * rows.entry**2, d**HALF * rows.entry**2
        spread = rows.entry**2 * at.changes
    elif rows.norm is not None:
        two = at.number(1 if at.constant(d) == 1 else at.changes)
        l1, l2 = rows.norm**2 * two, rows.norm**2 * two**HALF
    return StatisticFacts((d,), l1, l2, spread=spread, steps=stepped(rows, rows))


def counts_of_bins(at: Context, bins: Formula, columns: Formula, single: int = 0) -> StatisticFacts:
    """Counts of records in bins, `columns` times: a record is in one bin of each at most; replaced,
    one bin of each loses a record and one gains it. Added, no count falls: they move by 0 or 1.
    """
    l1, spread = columns * at.changes, at.number(at.changes)
    own: Any = {"steps": (at.number(1),), "bins": single, "tally": single > 0}
    return StatisticFacts((bins,), l1, l1**HALF, spread=spread, **own)


@kind("bin_counts", sum_over_records=True)
def _bin_counts(
    at: Context, data: RowFacts | LabelFacts, *, cuts: Cuts, absolute: bool
) -> StatisticFacts:
    """Records between cuts, column by column."""
    d = data.columns if isinstance(data, RowFacts) else at.number(1)
    single = len(cuts) + 1 if isinstance(data, LabelFacts) else 0
    return counts_of_bins(at, d * (len(cuts) + 1), d, single)


@kind("norm_counts", zero_neutral=True, sum_over_records=True)
def _norm_counts(at: Context, _: RowFacts, *, cuts: Cuts) -> StatisticFacts:
    """Rows with norms between cuts, none at or below the first."""
    at.require(cuts[0] > 0, "cuts must increase, from above 0")
    return counts_of_bins(at, at.number(len(cuts)), at.number(1))


@kind("histogram", sum_over_records=True)
def _histogram(
    at: Context, rows: RowFacts, column: LabelFacts, *, cells: Annotated[int, between(2, 1000)]
) -> StatisticFacts:
    """Records in cells of a public grid, whose number is the exponential of its logarithm."""
    count = at.exp((rows.columns + 1) * at.log(at.number(cells)))
    if rows.step is None or column.step is None:
        return StatisticFacts((count,))
    return counts_of_bins(at, count, at.number(1))


@kind("log_residual")
def _log_residual(
    at: Context, gram: StatisticFacts, moment: StatisticFacts, *, penalty: Positive, floor: Read
) -> StatisticFacts:
    """log(Y + B |theta|), theta = H^-1 X'y, H = X'X + penalty I >= h: a record more moves theta by
    at most B (Y + B |theta|)/h, and so this by log(1 + B^2/h).
    """
    floor_of(at, gram, moment, floor)
    at.require(at.single() or at.constant(floor) == 0, "with a floor, one row a person")
    if gram.size is None:
        return StatisticFacts(())
    move = at.log(1 + gram.size / (penalty + floor)) * at.changes
    return StatisticFacts((), move, move, table=moment.table, ridge=(penalty, floor))


@kind("linear", zero_neutral=True, record_by_record=True)
def _linear(at: Context, *parts: StatisticFacts, coefficients: list[Read]) -> StatisticFacts:
    """sum c_i S_i: the triangle inequality."""
    at.require(len(coefficients) == len(parts) > 0, "one coefficient for each input")
    for part in parts:
        at.require(len(part.shape) == len(parts[0].shape), "its inputs must have one shape")
        for mine, first in zip(part.shape, parts[0].shape, strict=True):
            at.equal(mine, first, "its inputs must have one shape")
    sizes = [at.maximum(f, -f) for f in coefficients]
    norms = zip(*((part.l1, part.l2, part.spectral, part.range) for part in parts), strict=True)
    *moves, spread = (summed(at, sizes, some) for some in norms)
    steps, mirrored = common_step(at, coefficients, parts), all(part.symmetric for part in parts)
    return StatisticFacts(parts[0].shape, *moves, spread=spread, steps=steps, symmetric=mirrored)


def summed(
    at: Context, sizes: Sequence[Formula], moves: Sequence[Formula | None]
) -> Formula | None:
    """sum size_i move_i; None where a move has no bound."""
    parts = [times(*pair) for pair in zip(sizes, moves, strict=True)]
    known = [part for part in parts if part is not None]
    return at.total(known) if len(known) == len(parts) else None


def common_step(
    at: Context, factors: Sequence[Formula], parts: Sequence[StatisticFacts]
) -> tuple[Formula, ...]:
    """The largest step of which every term is a whole multiple: quotients must be rational."""
    if not all(len(part.steps) == 1 and not part.stacked for part in parts):
        return ()
    first, steps = parts[0].steps[0], [part.steps[0] for part in parts]
    ratios = [at.number(1) if step is first else step / first for step in steps]
    terms = [at.constant(f * ratio) for f, ratio in zip(factors, ratios, strict=True)]
    shares = [term for term in terms if term is not None]
    if len(shares) < len(terms):
        return ()
    if not any(shares):
        return (first,)
    above = math.gcd(*(share.numerator for share in shares))
    return (first * Fraction(above, math.lcm(*(share.denominator for share in shares))),)


@kind("stack", zero_neutral=True, record_by_record=True)
def _stack(at: Context, *parts: StatisticFacts) -> StatisticFacts:
    """All in one vector: of a symmetric matrix its upper triangle, off the diagonal times sqrt(2),
    so that L2 is Frobenius's.
    """
    at.require(parts, "at least one input")
    shape, root = (at.total(map(partial(entries, at), parts)),), at.number(2) ** HALF
    known = [(p.l1, p.symmetric) for p in parts if p.l1 is not None and p.l2 is not None]
    l1 = l2 = None
    if len(known) == len(parts):
        l1 = at.total(size * root if matrix else size for size, matrix in known)
        l2 = together(at, parts)
    exact = all(part.steps for part in parts)
    scales = [(1, root) if p.symmetric else (1,) for p in parts] if exact else []
    steps = tuple(s * f for p, fs in zip(parts, scales, strict=False) for s in p.steps for f in fs)
    return StatisticFacts(shape, l1, l2, steps=steps, stacked=True)


def entries(at: Context, part: StatisticFacts) -> Formula:
    """How many numbers a part of a stack is."""
    n = reduce(lambda a, b: a * b, part.shape, at.number(1))
    return part.shape[0] * (part.shape[0] + 1) * HALF if part.symmetric else n


def together(at: Context, parts: Sequence[StatisticFacts]) -> Formula:
    """How far all parts move together in L2, for one pair of neighbours (proofs/joint)."""
    sums = by_part(at, charged(parts, [(part, size**2) for part, size in sizes_of(at, parts)]))
    most = joint(sums, partial(larger, at), lambda f: at.constant(f) == 0)
    return at.maximum(*most) ** HALF


def units(
    at: Context, rows: RowFacts | None, column: LabelFacts | None
) -> tuple[Formula, Formula] | None:
    """Bounds on |x/B|_1 and |x/B|^2 of rows and labels on a grid of one share: d and d in a box,
    B_1/B and 1 elsewhere. None where nothing bounds them, or there is no such grid.
    """
    if rows is None or column is None or not rows.share or rows.share != column.share:
        return None
    if rows.entry is not None:
        return rows.columns, rows.columns
    if rows.norm is None or rows.norm1 is None:
        return None
    return rows.norm1 / rows.norm, at.number(1)


@kind("sufficient_statistics", zero_neutral=True, sum_over_records=True)
def _sufficient(
    at: Context, rows: RowFacts, column: LabelFacts, *, constant: bool
) -> StatisticFacts:
    """Upper X'X, X'y, perhaps y'y of u = (x/B, y/Y): (|u|_1^2 + |u|^2)/2; |uu'|_F = |u|^2. Replaced
    in a box, uu' - vv' = 2 (pq' + qp') with |p_j| + |q_j| <= 1: the same, and d (d + 2)^2/(2 d + 2)
    without y'y, which is largest at p, q constant.
    """
    shape = (rows.columns * (rows.columns + 3) * HALF + int(constant),)
    size = units(at, rows, column)
    unknown = StatisticFacts(shape, table=(rows, column), constant=constant)
    if size is None:
        return unknown
    n1, squared = size
    l1, l2 = (n1**2 + squared + n1 * 2) * HALF + int(constant), squared + 1
    if at.replaced:
        l2 = l2 * at.number(2) ** HALF
        boxed = l1 if constant else n1 * (n1 + 2) ** 2 / ((n1 + 1) * 2)
        l1 = l1 * 2 if rows.entry is None else boxed
    return replace(unknown, l1=l1, l2=l2, steps=(at.number(rows.share**2),))


@kind("monomials", zero_neutral=True)
def _monomials(at: Context, own: StatisticFacts) -> StatisticFacts:
    """Its statistics times 1, 2, -2: sum_jk |u_j u_k| = |u|_1^2 with y'y, |u|_1^2 - 1 without, and
    sqrt(2) |uu'|_F. Replaced in a box, 4 |p|_1 |q|_1 <= (d + 1)^2; without y'y no more.
    """
    at.require(own.constant is not None, "its input must be sufficient statistics")
    rows, size = own.table[0], units(at, *own.table)
    if rows is None or size is None:
        return StatisticFacts(own.shape)
    n1, squared = size
    whole = (n1 + 1) ** 2
    l1, l2 = whole if own.constant else n1 * (n1 + 2), (squared + 1) * at.number(2) ** HALF
    if at.replaced:
        l1, l2 = l1 * 2 if rows.entry is None else whole, (squared + 1) * 2
    return StatisticFacts(own.shape, l1, l2, steps=own.steps)


@kind("raw")
@kind("identity")
def _unbounded(at: Context, *_: RowFacts | LabelFacts | StatisticFacts) -> NoReturn:
    """Nothing bounds what one row does to it."""
    raise Refused(f"{at.where}: no rule bounds its sensitivity")


GRAIN = 30
MOST_BINS = 4096


def square_root(bins: int) -> list[int]:
    """binom(2k, k)/4^k for k < bins, in steps of 2^-30, rounded down: the first column of a lower
    triangular Toeplitz matrix C with C^2, but for rounding, that of ones. [FichtenbergerHU23]
    """
    column, middle = [], 1
    for k in range(bins):
        column.append((middle << GRAIN) >> (2 * k))
        middle = middle * 2 * (2 * k + 1) // (k + 1)
    return column


def tree_levels(bins: int) -> list[int]:
    """Nodes on each level of the binary tree, its leaves first. [DworkNPR10] [ChanSS11]"""
    return [-(-bins >> level) for level in range((bins - 1).bit_length() + 1)]


class FactorMatrix(NamedTuple):
    """A matrix without negative entries: how many rows it has, how many steps 1 is; the L1 norm and
    the squared L2 norm of its largest column, and of the largest difference of two columns.
    """

    rows: int
    grain: int
    column: tuple[Fraction, Fraction]
    apart: tuple[Fraction, Fraction]


@lru_cache(maxsize=64)
def _square_root(bins: int) -> FactorMatrix:
    """Columns t and t + k differ by c_r - c_(r - k), r < T - t, where c is 0 below 0: most at t =
    0. Since c falls, |c_r - c_(r - k)| is c_(r - k) - c_r from r = k on.
    """
    own, unit = square_root(bins), 2**GRAIN
    sums, squares = ([0, *accumulate(one)] for one in (own, [c * c for c in own]))
    apart = [
        (2 * sums[k] + sums[bins - k] - sums[bins],
         squares[bins] + squares[bins - k] - 2 * sum(map(mul, own, own[k:])))
        for k in range(1, bins)
    ]  # fmt: skip
    far, square = (max(some) for some in zip((sums[bins], squares[bins]), *apart, strict=True))
    column = Fraction(sums[bins], unit), Fraction(squares[bins], unit**2)
    return FactorMatrix(bins, unit, column, (Fraction(far, unit), Fraction(square, unit**2)))


def _tree(bins: int) -> FactorMatrix:
    """Every column has a 1 on each level, two of them the root in common."""
    levels = tree_levels(bins)
    most, apart = Fraction(len(levels)), Fraction(2 * len(levels) - 2)
    return FactorMatrix(sum(levels), 1, (most, most), (apart, apart))


FACTORS: dict[str, Callable[[int], FactorMatrix]] = {"square_root": _square_root, "tree": _tree}


@kind("binned_sums", zero_neutral=True, sum_over_records=True)
def _binned_sums(at: Context, rows: RowFacts, column: LabelFacts, *, cuts: Cuts) -> StatisticFacts:
    """The sums of the rows of each bin of the label: a record is in one; replaced, it leaves one
    and another comes into one.
    """
    bins = len(cuts) + 1
    shape = (rows.columns * bins,)
    return signed_sum(at, shape, rows.norm1, rows.norm, bins=bins, steps=stepped(rows))


@kind("factored")
def _factored(at: Context, sums: StatisticFacts, *, factor: str) -> StatisticFacts:
    """A matrix A >= 0 times the sums of bins: a record x of bin t moves it by A_t x, of norm |A_t|
    |x|. Replaced, |A_t x - A_u z| <= |A_t| |x| + |A_u| |z|; of counts by A_t - A_u, or by one of
    the two. Entries of A in [0, 1] keep the range of the move of counts.
    """
    at.require(factor in FACTORS, f"factor: one of {sorted(FACTORS)}")
    few = 1 < sums.bins <= MOST_BINS
    at.require(few, f"its input must be sums of 2 to {MOST_BINS} bins, of which a record is in one")
    if not few:
        return StatisticFacts(sums.shape)
    matrix = FACTORS[factor](sums.bins)
    (first, square), l1, l2 = matrix.column, sums.l1, sums.l2
    if sums.tally and at.replaced:
        (first, square), l1, l2 = matrix.apart, at.number(1), at.number(1)
    l1, l2 = times(l1, at.number(first)), times(l2, at.number(square) ** HALF)
    shape, steps = sums.shape[0] * Fraction(matrix.rows, sums.bins), sums.steps
    fine = tuple(one / matrix.grain for one in steps)
    return StatisticFacts((shape,), l1, l2, spread=sums.spread, steps=fine)


COUNTED = "its input must be counts of bins, of which a record is in one"
Radius = Annotated[int, between(1, MOST_BINS)]


@kind("median_distance")
def _median_distance(at: Context, counts: StatisticFacts, *, radius: Radius) -> StatisticFacts:
    """How many records must come or go until one more may move the median bin by more than the
    radius: a distance to a set of tables, so that one record moves it by 1, and a replacement by 2
    (proofs/median).
    """
    one = counted(at, counts, radius)
    move = one * at.changes
    return StatisticFacts((), move, move, steps=(one,), stable=(counts, radius))


def counted(at: Context, counts: StatisticFacts, radius: int) -> Formula:
    """1, of counts of more bins than the radius reaches. Raises Refused."""
    at.require(counts.tally, COUNTED)
    at.require(radius < counts.bins - 1, "the radius must be less than the bins less 1")
    return at.number(1)


PASSED = "it must read a lower bound on the distance of these counts, with this radius"


@kind("tested_median")
def _tested_median(
    at: Context, counts: StatisticFacts, *, radius: Radius, passed: Read
) -> StatisticFacts:
    """The median bin where the bound on the distance is above 0, and 0 elsewhere. Where that holds
    both neighbours, and tables between them, have a distance of 1 or more, and so the radius bounds
    the move of each row [DworkL09].
    """
    one, bound = counted(at, counts, radius), at.bound(passed)
    known: Any = None if bound is None or bound.upper else bound.statistic.stable
    at.require(known is not None and known[0] is counts and known[1] == radius, PASSED)
    move = one * radius * at.changes
    return StatisticFacts((), move, move, steps=(one,))
