"""Gaussian releases as (epsilon, delta)-DP: by definition, by E1, or by the exact profile.

The joint move of several Gaussian releases, and what it costs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dpframe.exact.documents import HALF, ZERO, Json, number
from dpframe.exact.formula import Formula, digest, text_of
from dpframe.exact.interval import Interval, root_ends
from dpframe.exact.profile import profile

from .at import At, Context
from .facts import Release, StatisticFacts


def sizes_of(at: Context, statistics: Sequence[StatisticFacts]) -> list[tuple[str, Formula]]:
    """The part of each statistic in the joint move of all, and the size that goes with it."""
    family = (None, *table_of(statistics)) if at.replaced else ()
    sizes = []
    for s in statistics:
        own = s.part != "rest" and all(fact in family for fact in s.table)
        size = s.size if own else s.l2
        at.require(size is not None, "an L2 sensitivity must be derived")
        sizes.append((s.part if own else "rest", at.number(0) if size is None else size))
    return sizes


def table_of(statistics: Sequence[StatisticFacts]) -> tuple[object, object]:
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
    squares = [(part, (whole(c.rows * size) / r.size) ** 2 * r.times) for r, (part, size) in sized]
    return charged([release.statistic for release in releases], squares)


def charged(
    statistics: Sequence[StatisticFacts], squares: Sequence[tuple[str, Formula]]
) -> list[tuple[str, Formula]]:
    """The m_i, and what rounding may add to those of an eigenvalue that moves with others."""
    pairs = zip(statistics, squares, strict=True)
    floors = [(s.charge, m) for s, (part, m) in pairs if part == "floor" and s.charge]
    return [*squares, *(("charge", m * charge) for charge, m in floors)]


def by_part(at: Context, squares: Sequence[tuple[str, Formula]]) -> dict[str, Formula]:
    """The m_i added up by their part."""
    sums: dict[str, list[Formula]] = {part: [] for part in PARTS}
    for part, m in squares:
        sums[part].append(m)
    return {part: at.total(some) for part, some in sums.items()}


PARTS = ("gram", "floor", "moment", "squares", "rest", "charge")


def joint(
    m: Mapping[str, Any],
    larger: Callable[[Any, Any], Any],
    none: Callable[[Any], bool] = operator.not_,
) -> list[Any]:
    """Amounts whose maximum bounds sum_i (shift_i/std_i)^2 over one pair of neighbours.

    x, z the rows (|x| >= |z|), y, w their labels, c = |x.z|, all bounds 1. The squared moves are at
    most: of gram 2 (1 - c^2), of the eigenvalue 1 - c^2, of the moment y^2 + w^2 + 2 c |y w|, of
    y'y (y^2 - w^2)^2. Best c, then a convex function of min(y, w)^2/max(y, w)^2. What
    rounding adds to an eigenvalue counts where the best c is not 0.
    """
    amount = m["gram"] * 2 + m["floor"]
    if none(m["moment"]):
        return [amount + m["squares"] + m["rest"]]
    top = m["moment"] if none(amount) else larger(amount, m["moment"])
    rest = m["rest"] + m["charge"]
    first = (top + m["moment"]) ** 2 / top + rest
    return [first] if none(m["squares"]) else [first, top + m["moment"] + m["squares"] + rest]


def joint_bounds(c: At, squares: Squares) -> list[Formula]:
    """Bounds on the joint mu^2 of all: their maximum is one. Where it is not settled which of two
    amounts is larger, their sum is.
    """

    def above(a: Formula, b: Formula) -> Formula:
        return a if c.ring.prove(a - b) else b if c.ring.prove(b - a) else a + b

    return joint(by_part(c, squares), above)


def larger(at: Context, f: Formula, g: Formula, otherwise: Any = None) -> Formula:
    """The larger of two positive formulas: at once where their quotient is a number, else what
    `otherwise` says, or their maximum.
    """
    quotient = at.constant(f / g)
    if quotient is None:
        return (otherwise or at.maximum)(f, g)
    return f if quotient >= 1 else g


# The part of each release in the joint move, and its m_i.
Squares = Sequence[tuple[str, Formula]]


def approximately(c: At, e: Formula, d: Formula, squares: Squares) -> None:
    """The obligation that Gaussian releases with these m_i are (e, d)-DP: E1, or the profile."""
    shown = not any(m for _, m in squares) or by_definition(c, e, d, squares)
    if not shown and c.ring.depends(e, d, *(m for _, m in squares)):
        tail = tail_of(c, e, d, squares)
        shown = tail is not None and bool(c.ring.steps.closes(tail))
    shown = shown or by_profile(c, e, d, squares)
    c.require(shown, "the noise is not shown to be enough (definition, E1, profile) for", e, d)


def by_profile(c: At, e: Formula, d: Formula, squares: Squares) -> bool:
    """Whether the exact profile of the joint mu is at most d at e, on boxes of the domain."""
    sums = by_part(c, squares)

    def decide(ends: Sequence[Interval]) -> bool:
        if ends[1][0] <= 0:
            return False
        square = max(joint(dict(zip(PARTS, (high for _, high in ends[2:]), strict=True)), max))
        return profile(max(ZERO, ends[0][0]), root_ends(square, 2, 96)[1])[1] <= ends[1][0]

    return c.on_boxes("profile", [e, d, *sums.values()], decide)


def by_definition(c: At, e: Formula, d: Formula, squares: Squares) -> bool:
    """Whether mu^2 <= analytic_sigma(x, y)^-2, what analytic_sigma is, for x <= e, y <= d < 1:
    what is (x, y)-DP is (e, d)-DP.
    """
    ring = c.ring
    occurring = sorted({g for _, m in squares for mono in m.terms for g, _ in mono})
    atoms = [ring.atoms[g].args for g in occurring if ring.atoms[g].kind == "analytic_sigma"]
    if not atoms or not ring.prove(1 - d, strict=True):
        return False
    totals = joint_bounds(c, squares)
    claims = [(e, d), *((x, y) for x, y in atoms[:8] if ring.prove(e - x) and ring.prove(d - y))]
    leasts = (ring.implicit("analytic_sigma", [*claim]) for claim in claims)
    return any(all(ring.prove(1 - most * least**2) for most in totals) for least in leasts)


def tail_of(c: At, e: Formula, d: Formula, squares: Squares) -> Tail | None:
    """E1: m_i = R_i e^2/log(q_i/d), q_i >= a, joint total of R_i <= S <= 1/2, a^(1/S) >= 4 or d <=
    1/2.

    Then C^2 = e^2/mu^2 >= (log a + L)/S with L = log(1/d) >= 0, and Pr[Z > C - e/(2C)] <=
    exp(e/2 - C^2/2)/2 <= d wherever e <= 2 log 2 + log(a)/S + (1/S - 2) L, since C^2 >= e/2 there:
    log(a)/S + (1/S + 2) L >= 2 log 2.
    """
    ring, shares, insides = c.ring, [], {}
    for part, m in squares:
        logs = {g for mono in m.terms for g, _ in mono if ring.atoms[g].kind == "log"}
        g = min(logs, default=-1)
        if len(logs) > 1 or any((g, -1) not in mono for mono in m.terms):
            return None
        if m:
            top, bottom = ring.atoms[g].args
            if not ring.prove(bottom, strict=True):
                return None
            insides[g] = top / bottom * d
            shares.append((part, m * ring.product([(g, 1)]) / e**2))
    totals = joint_bounds(c, shares)
    return Tail(c, e, d, list(insides.values()), totals) if ring.prove(1 - d) else None


class Tail(NamedTuple):
    """The claim of E1 about some a and S: q >= a for all `insides` q, R <= S for all `totals` R."""

    c: At
    e: Formula
    d: Formula
    insides: Sequence[Formula]
    totals: Sequence[Formula]

    @property
    def key(self) -> str:
        """`E1 for epsilon, delta with q = 2; R = 1/2`."""
        qs, totals = ("; ".join(map(text_of, fs)) for fs in (self.insides, self.totals))
        return digest(f"E1 for {text_of(self.e)}, {text_of(self.d)} with q = {qs}; R = {totals}")

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether every pair (a, S) of the step serves: one line of the region may serve for
        another's.
        """
        match step:
            case {"by": "E1", "pairs": [_, *_] as pairs} if len(pairs) <= 8:
                return all(self.serves(*(number(n, "E1") for n in pair)) for pair in pairs)
        return False

    def serves(self, a: Fraction, S: Fraction) -> bool:
        """Whether a and S meet the hypotheses of E1, and what they need of epsilon is assumed."""
        ring = self.c.ring
        if not 0 < S <= HALF or a < 1 or S.denominator > 2000 or a.denominator > 10**9:
            return False
        if not outweighs(a, S) and not ring.prove(HALF - self.d):
            return False
        known = all(ring.prove(q - a) for q in self.insides)
        known = known and all(ring.prove(S - R) for R in self.totals)
        return known and self.c.assume(self.e, tail_bound(self.c, a, S, self.d))


def outweighs(a: Fraction, S: Fraction) -> bool:
    """Whether a^(1/S) >= 4, for S <= 1/2: then E1 holds for every delta, else up to 1/2."""
    return a >= 2 or a**S.denominator >= 4**S.numerator


def tail_bound(at: Context, a: Fraction, S: Fraction, d: Formula) -> Formula:
    """2 log 2 + log(a)/S + (1/S - 2) log(1/d)."""
    two, least = at.log(at.number(2)), at.log(at.number(a))
    return two * 2 + least / S + at.log(1 / d) * (1 / S - 2)
