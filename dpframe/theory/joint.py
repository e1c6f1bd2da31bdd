"""The joint move of several Gaussian releases, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpframe.exact.formula import Formula

from .at import At
from .facts import Release, StatisticFacts


def sizes_of(c: At, statistics: Sequence[StatisticFacts]) -> list[tuple[str, Formula]]:
    """The part of each statistic in the joint move of all, and the size that goes with it."""
    moments = [s.table for s in statistics if s.part == "moment" and c.replaced]
    family = (None, *moments[0]) if moments else ()
    found = []
    for s in statistics:
        own = s.part != "rest" and all(fact in family for fact in s.table)
        size = s.size if own else s.l2
        c.require(size is not None, "an L2 sensitivity must be derived")
        found.append((s.part if own else "rest", size or c.ring.lift(0)))
    return found


def squared_moves(c: At, releases: Sequence[Release]) -> list[tuple[str, Formula]]:
    """(part, m_i) of Gaussian releases, m_i = times (rows_per_person size_i/std_i)^2."""
    moves = sizes_of(c, [release.statistic for release in releases])
    sized = zip(releases, moves, strict=True)
    whole = c.ring.factored
    found = [(part, (whole(c.rows * size) / r.size) ** 2 * r.times) for r, (part, size) in sized]
    return charged([release.statistic for release in releases], found)


def charged(
    statistics: Sequence[StatisticFacts], squares: Sequence[tuple[str, Formula]]
) -> list[tuple[str, Formula]]:
    """The m_i, and what rounding may add to those of an eigenvalue that moves with others."""
    added = [
        ("charge", m * s.charge)
        for s, (part, m) in zip(statistics, squares, strict=True)
        if part == "floor" and s.charge
    ]
    return [*squares, *added]


def by_part(c: At, squares: Sequence[tuple[str, Formula]]) -> dict[str, Formula]:
    """The m_i added up by their part."""
    total = c.ring.total
    return {part: total(m for own, m in squares if own == part) for part in PARTS}


def above(c: At, a: Formula, b: Formula) -> Formula:
    """max(a, b) of positive formulas, or a + b where it is not settled which is larger."""
    return a if c.ring.prove(a - b) else b if c.ring.prove(b - a) else a + b


PARTS = ("gram", "floor", "moment", "squares", "rest", "charge")


def joint(m: Mapping[str, Any], larger: Callable[[Any, Any], Any]) -> list[Any]:
    """Amounts whose maximum bounds sum_i (shift_i/std_i)^2 over one pair of neighbours.

    x, z the rows (|x| >= |z|), y, w their labels, c = |x.z|, all bounds 1: gram moves by at most
    2 (1 - c^2), the eigenvalue's square by 1 - c^2, the moment by y^2 + w^2 + 2 c |y w|, y'y's
    square by (y^2 - w^2)^2. Best c, then a convex function of min(y, w)^2/max(y, w)^2. What
    rounding adds to an eigenvalue counts where the best c is not 0.
    """
    amount = m["gram"] * 2 + m["floor"]
    if not m["moment"]:
        return [amount + m["squares"] + m["rest"]]
    top = larger(amount, m["moment"]) if amount else m["moment"]
    rest = m["rest"] + m["charge"]
    first = (top + m["moment"]) ** 2 / top + rest
    return [first, top + m["moment"] + m["squares"] + rest] if m["squares"] else [first]
