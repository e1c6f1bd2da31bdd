"""Statistics of records in public bins: sums bin by bin, linear maps of them for running totals,
and medians that are released if a test passes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any

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
Column = tuple[int, Fraction, Fraction, int]


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


def _square_root(bins: int) -> Column:
    own = [Fraction(one, 2**GRAIN) for one in square_root(bins)]
    return bins, sum(own, Fraction(0)), sum((one**2 for one in own), Fraction(0)), 2**GRAIN


def _tree(bins: int) -> Column:
    levels = tree_levels(bins)
    return sum(levels), Fraction(len(levels)), Fraction(len(levels)), 1


FACTORS: dict[str, Callable[[int], Column]] = {"square_root": _square_root, "tree": _tree}
"""How many rows a matrix has, the L1 norm and the squared L2 norm of its largest column, and how
many steps 1 is. No entry is negative.
"""


@kind("binned_sums", RowFacts, LabelFacts, answers=ZERO_SUM)
def _binned_sums(at: Context, rows: RowFacts, column: LabelFacts, *, cuts: Cuts) -> StatisticFacts:
    """The sums of the rows of each bin of the label: a record is in one; replaced, it leaves one
    and another comes into one.
    """
    del column
    bins = len(cuts) + 1
    shape = (rows.columns * bins,)
    return signed_sum(at, shape, rows.norm1, rows.norm, bins=bins, steps=stepped(rows))


@kind("factored", StatisticFacts, answers=PLAIN)
def _factored(at: Context, sums: StatisticFacts, *, factor: str) -> StatisticFacts:
    """A matrix A >= 0 times the sums of bins: a record x of bin t moves it by A_t x, of norm |A_t|
    |x|. Replaced, |A_t x - A_u z| <= |A_t| |x| + |A_u| |z|; of counts A_t'A_u >= 0, so that
    |A_t - A_u|^2 <= |A_t|^2 + |A_u|^2, and entries of A in [0, 1] keep the range of their move.
    """
    at.require(factor in FACTORS, f"factor: one of {sorted(FACTORS)}")
    few, whole = 1 < sums.bins <= MOST_BINS, max(1, sums.bins)
    at.require(few, f"its input must be sums of 2 to {MOST_BINS} bins, of which a record is in one")
    count, first, square, grain = FACTORS[factor](sums.bins) if few else (1, Fraction(1)) * 2
    l1 = None if sums.l1 is None else sums.l1 * first
    l2 = None if sums.l2 is None else sums.l2 * at.number(square) ** HALF
    shape, steps = sums.shape[0] * Fraction(count, whole), (one / grain for one in sums.steps)
    return StatisticFacts((shape,), l1, l2, spread=sums.spread, steps=tuple(steps))


COUNTED = "its input must be counts of bins, of which a record is in one"
Radius = Annotated[int, between(1, MOST_BINS)]


@kind("median_distance", StatisticFacts, answers=PLAIN)
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
    whole = len(counts.steps) == 1 and at.constant(counts.steps[0]) == 1
    same = counts.bins > 0 and at.constant(counts.shape[0]) == counts.bins
    at.require(whole and same, COUNTED)
    at.require(radius < counts.bins - 1, "the radius must be less than the bins less 1")
    return at.number(1)


PASSED = "it must read a lower bound on the distance of these counts, with this radius"


@kind("tested_median", StatisticFacts, answers=PLAIN)
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
