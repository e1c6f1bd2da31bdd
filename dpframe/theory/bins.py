"""Statistics of records in public bins: sums bin by bin, linear maps of them for running totals,
and medians that are released if a test passes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import Annotated, Any, NamedTuple

from dpframe.exact.documents import HALF
from dpframe.exact.formula import Formula

from .at import Context
from .book import PLAIN, ZERO_SUM, kind
from .facts import LabelFacts, RowFacts, StatisticFacts
from .keys import Cuts, Read, between
from .rows import stepped
from .statistics import signed_sum

GRAIN = 30
MOST_BINS = 4096


def square_root(bins: int) -> list[int]:
    """binom(2k, k)/4^k for k < bins, in steps of 2^-30, rounded down: the first column of a lower
    triangular Toeplitz matrix C with C^2, but for rounding, that of ones. [FichtenbergerHU23]
    """
    found, middle = [], 1
    for k in range(bins):
        found.append((middle << GRAIN) >> (2 * k))
        middle = middle * 2 * (2 * k + 1) // (k + 1)
    return found


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


@kind("binned_sums", answers=ZERO_SUM)
def _binned_sums(at: Context, rows: RowFacts, column: LabelFacts, *, cuts: Cuts) -> StatisticFacts:
    """The sums of the rows of each bin of the label: a record is in one; replaced, it leaves one
    and another comes into one.
    """
    bins = len(cuts) + 1
    shape = (rows.columns * bins,)
    return signed_sum(at, shape, rows.norm1, rows.norm, bins=bins, steps=stepped(rows))


@kind("factored", answers=PLAIN)
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
    l1 = None if l1 is None else l1 * first
    l2 = None if l2 is None else l2 * at.number(square) ** HALF
    shape, steps = sums.shape[0] * Fraction(matrix.rows, sums.bins), sums.steps
    fine = tuple(one / matrix.grain for one in steps)
    return StatisticFacts((shape,), l1, l2, spread=sums.spread, steps=fine)


COUNTED = "its input must be counts of bins, of which a record is in one"
Radius = Annotated[int, between(1, MOST_BINS)]


@kind("median_distance", answers=PLAIN)
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


@kind("tested_median", answers=PLAIN)
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
