"""Gaussian releases as (epsilon, delta)-DP: by definition, by E1, or by the exact profile."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.exact.formula import Formula
from dpframe.exact.interval import Interval, root_ends
from dpframe.exact.limits import ZERO
from dpframe.exact.profile import profile
from dpframe.exact.text import text_of

from .at import At
from .boxes import on_boxes
from .elementary import elementary
from .joint import PARTS, above, by_part, joint


def approximately(c: At, e: Formula, d: Formula, squares: Sequence[tuple[str, Formula]]) -> None:
    """The obligation that Gaussian releases with these m_i are (e, d)-DP: E1, or the profile."""
    sums = by_part(c, squares)
    parts = [e, d, *sums.values()]

    def decide(ends: Sequence[Interval] | None) -> bool:
        if ends is None or ends[1][0] <= 0:
            return False
        square = max(joint(dict(zip(PARTS, (high for _, high in ends[2:]), strict=True)), max))
        return profile(max(ZERO, ends[0][0]), root_ends(square, 2, 96)[1])[1] <= ends[1][0]

    shown = not any(m for _, m in squares) or by_definition(c, e, d, squares)
    shown = shown or bool(c.ring.depends(*parts) and elementary(c, e, d, squares))
    shown = shown or on_boxes(c, "profile", parts, decide)
    claim = f"({text_of(e)}, {text_of(d)})-DP by definition, by E1, or by the profile"
    c.require(shown, "" if shown else f"not shown: {claim}")


def by_definition(c: At, e: Formula, d: Formula, squares: Sequence[tuple[str, Formula]]) -> bool:
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
