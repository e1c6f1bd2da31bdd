"""Gaussian releases as (epsilon, delta)-DP: by definition, by E1, or by the exact profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dpframe.exact.documents import HALF, ZERO, Json, Refused, number
from dpframe.exact.formula import Formula, digest, text_of
from dpframe.exact.interval import Interval, root_ends
from dpframe.exact.profile import profile

from .at import At, Context
from .boxes import on_boxes
from .joint import PARTS, above, by_part, joint

Squares = Sequence[tuple[str, Formula]]
"""The part of each release in the joint move, and its m_i."""


def approximately(c: At, e: Formula, d: Formula, squares: Squares) -> None:
    """The obligation that Gaussian releases with these m_i are (e, d)-DP: E1, or the profile."""
    shown = not any(m for _, m in squares) or by_definition(c, e, d, squares)
    if not shown and c.ring.depends(e, d, *(m for _, m in squares)):
        tail = tail_of(c, e, d, squares)
        shown = tail is not None and bool(c.ring.steps.closes(tail))
    shown = shown or by_profile(c, e, d, squares)
    claim = f"({text_of(e)}, {text_of(d)})-DP by definition, by E1, or by the profile"
    c.require(shown, "" if shown else f"not shown: {claim}")


def by_profile(c: At, e: Formula, d: Formula, squares: Squares) -> bool:
    """Whether the exact profile of the joint mu is at most d at e, on boxes of the domain."""
    sums = by_part(c, squares)

    def decide(ends: Sequence[Interval] | None) -> bool:
        if ends is None or ends[1][0] <= 0:
            return False
        square = max(joint(dict(zip(PARTS, (high for _, high in ends[2:]), strict=True)), max))
        return profile(max(ZERO, ends[0][0]), root_ends(square, 2, 96)[1])[1] <= ends[1][0]

    return on_boxes(c, "profile", [e, d, *sums.values()], decide)


def by_definition(c: At, e: Formula, d: Formula, squares: Squares) -> bool:
    """Whether mu^2 <= analytic_sigma(x, y)^-2, what analytic_sigma is, for x <= e, y <= d < 1:
    what is (x, y)-DP is (e, d)-DP.
    """
    ring = c.ring
    found = sorted({g for _, m in squares for mono in m.terms for g, _ in mono})
    atoms = [ring.atoms[g].args for g in found if ring.atoms[g].kind == "analytic_sigma"]
    if not atoms or not ring.prove(1 - d, strict=True):
        return False
    totals = joint(by_part(c, squares), lambda a, b: above(c, a, b))
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
    totals = joint(by_part(c, shares), lambda a, b: above(c, a, b))
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
        raise Refused(f"no step for E1: {step!r:.80}")

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
