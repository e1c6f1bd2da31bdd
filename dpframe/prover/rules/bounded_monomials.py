"""Monomials with noise by bounds that are told: rows must be inside them, and noise cover them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpframe.graph import path
from dpframe.graph.procedures.bounded_monomials import BoundedMonomials
from dpframe.symbols import RELEASED, Expression, power

from ..obligation import REFUTED, UNPROVED, Obligation, Witness, named
from ..problem import Problem
from ..sign import nonnegative
from .base import entered, needed

COVERS = "the noise of the square of a column covers max(lower^2, upper^2)"
REACHED = (
    "where all rows are at the lower bound, their mean is released as that bound with probability "
    "at least 1/2, and then squares get no noise: another row shows, delta >= 1/2 at every epsilon"
)


@entered(BoundedMonomials)
def bounded_monomials(problem: Problem, noisy: BoundedMonomials) -> Sequence[Obligation]:
    """Nothing is proved: what is known to be wrong is refuted, and the rest stays open."""
    return [
        *_inside(noisy),
        *_covered(problem, noisy),
        needed(
            noisy,
            holds=False,
            rule="the noise of every other monomial covers what one row moves it by",
            fact="no rule here derives it for bounds that differ",
            way_out="take dp.FunctionalLinear, whose sensitivity is derived.",
        ),
    ]


def _inside(noisy: BoundedMonomials) -> Iterator[Obligation]:
    """Rows and labels must have bounds at all."""
    rows, column = noisy.rows.norm is not None, noisy.column.bound is not None
    if rows and column:
        return
    which = noisy.column if rows else noisy.rows
    says = "one row of entries M moves X'X by M^2, which grows with M without bound"
    yield Obligation(
        "sensitivity",
        noisy.label,
        f"rows and labels are clipped to the bounds: none for {path(which)}",
        (f"{which.label} is unbounded",),
        REFUTED,
        Witness(says=says),
        "clip rows and labels to the public bounds before anything is summed.",
    )


def _covered(problem: Problem, noisy: BoundedMonomials) -> Iterator[Obligation]:
    """square_of^2 >= upper^2 and >= lower^2."""
    for end in (noisy.lower, noisy.upper):
        gap = power(noisy.square_of, 2) - power(end, 2)
        decision = nonnegative(gap, problem.field)
        if decision.proved:
            continue
        point = decision.witness
        witness = None if point is None else _witness(point, gap, noisy.square_of, end)
        yield Obligation(
            "sensitivity" if RELEASED in gap.scope else "theorem",
            noisy.label,
            COVERS,
            (f"noise for ({noisy.square_of})^2, entries up to {end}",),
            UNPROVED if witness is None else REFUTED,
            witness,
            "take the larger of the two bounds, not the lower one twice.",
        )


def _witness(point: Any, gap: Expression, told: Expression, end: Expression) -> Witness:
    """Numbers; where bounds read a release, the table that makes them fail, for all numbers."""
    if RELEASED in gap.scope:
        return Witness(says=REACHED)
    says = f"noise is for squares up to ({told})^2, and ({end})^2 is larger"
    return Witness(named(point, gap), says)
