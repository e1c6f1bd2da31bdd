"""The joint move of several Gaussian releases, and what it costs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpframe.exact.formula import Formula

from .at import At, Context
from .facts import Release, Statistic


def sizes_of(at: Context, statistics: Sequence[Statistic]) -> list[tuple[str, Formula]]:
    """The part of each statistic in the joint move of all, and the size that goes with it."""
    family = (None, *table_of(statistics)) if at.replaced else ()
    found = []
    for s in statistics:
        own = s.part != "rest" and all(fact in family for fact in s.table)
        size = s.size if own else s.l2
        at.require(size is not None, "an L2 sensitivity must be derived")
        found.append((s.part if own else "rest", at.number(0) if size is None else size))
    return found


def table_of(statistics: Sequence[Statistic]) -> tuple[object, object]:
    """The rows and labels of one joint move: of the first moment, or else of the first others."""
    moments = [s.table for s in statistics if s.part == "moment"]
    if moments:
        return moments[0]
    rows = [s.table[0] for s in statistics if s.part in ("gram", "floor")]
    labels = [s.table[1] for s in statistics if s.part == "squares"]
    return next(iter(rows), None), next(iter(labels), None)


def squared_moves(c: At, releases: Sequence[Release]) -> list[tuple[str, Formula]]:
    """(part, m_i) of Gaussian releases, m_i = times (rows_per_person size_i/std_i)^2."""
    moves = sizes_of(c, [release.statistic for release in releases])
    sized = zip(releases, moves, strict=True)
    whole = c.ring.factored
    found = [(part, (whole(c.rows * size) / r.size) ** 2 * r.times) for r, (part, size) in sized]
    return charged([release.statistic for release in releases], found)


def charged(
    statistics: Sequence[Statistic], squares: Sequence[tuple[str, Formula]]
) -> list[tuple[str, Formula]]:
    """The m_i, and what rounding may add to those of an eigenvalue that moves with others."""
    added = [
        ("charge", m * s.charge)
        for s, (part, m) in zip(statistics, squares, strict=True)
        if part == "floor" and s.charge
    ]
    return [*squares, *added]


def by_part(at: Context, squares: Sequence[tuple[str, Formula]]) -> dict[str, Formula]:
    """The m_i added up by their part."""
    total = at.total
    return {part: total(m for own, m in squares if own == part) for part in PARTS}


def above(c: At, a: Formula, b: Formula) -> Formula:
    """max(a, b) of positive formulas, or a + b where it is not settled which is larger."""
    return a if c.ring.prove(a - b) else b if c.ring.prove(b - a) else a + b


PARTS = ("gram", "floor", "moment", "squares", "rest", "charge")


def joint(
    m: Mapping[str, Any],
    larger: Callable[[Any, Any], Any],
    none: Callable[[Any], bool] = operator.not_,
) -> list[Any]:
    """Amounts whose maximum bounds sum_i (shift_i/std_i)^2 over one pair of neighbours.

    x, z the rows (|x| >= |z|), y, w their labels, c = |x.z|, all bounds 1: gram moves by at most
    2 (1 - c^2), the eigenvalue's square by 1 - c^2, the moment by y^2 + w^2 + 2 c |y w|, y'y's
    square by (y^2 - w^2)^2. Best c, then a convex function of min(y, w)^2/max(y, w)^2. What
    rounding adds to an eigenvalue counts where the best c is not 0.
    """
    amount = m["gram"] * 2 + m["floor"]
    if none(m["moment"]):
        return [amount + m["squares"] + m["rest"]]
    top = m["moment"] if none(amount) else larger(amount, m["moment"])
    rest = m["rest"] + m["charge"]
    first = (top + m["moment"]) ** 2 / top + rest
    return [first] if none(m["squares"]) else [first, top + m["moment"] + m["squares"] + rest]


def larger(at: Context, f: Formula, g: Formula) -> Formula:
    """The larger of two positive formulas: at once where their quotient is a number."""
    quotient = at.constant(f / g)
    if quotient is None:
        return at.maximum(f, g)
    return f if quotient >= 1 else g
