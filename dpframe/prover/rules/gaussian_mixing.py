"""Gaussian sketches: what their one-dimensional pair needs. (proofs/gaussian_mixing)"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.graph.procedures.gaussian_mixing import GaussianMixing
from dpframe.symbols import Number

from ..obligation import PROVED, Obligation
from ..problem import Problem
from ..sign import positive_size
from .base import entered, needed

ONE = Number(Fraction(1))


@entered(GaussianMixing)
def gaussian_mixing(problem: Problem, mixing: GaussianMixing) -> Sequence[Obligation]:
    """Rows are bounded, the floor is of their own X'X, and s^2 is what the share needs."""
    sizes = mixing.rows, mixing.sketches
    found = [
        needed(
            mixing,
            mixing.fits,
            "rows are bounded, and the floor is of their own X'X",
            f"floor = {mixing.floor}",
            "clip rows, X.clip(norm=...), and take the floor from dp.lower_bound of a released "
            "dp.lambda_min(X.T @ X).",
        ),
        needed(
            mixing,
            problem.rows == ONE,
            "one row a person",
            f"rows_per_person = {problem.rows}",
            "bound the rows of a person to 1 before this table is built.",
        ),
        needed(
            mixing,
            all(positive_size(one, problem.field) for one in sizes),
            "sketches have rows, for every parameter value",
            f"rows = {mixing.rows}, sketches = {mixing.sketches}",
            "declare them on open ranges.",
        ),
    ]
    if any(one.verdict is not PROVED for one in found):
        return found
    return [*found, _guarded(mixing)]


def _guarded(mixing: GaussianMixing) -> Obligation:
    """s^2 is chosen at execution, so that the claim is what the choice ends with."""
    epsilon, delta = mixing.claim
    rule = "the pair N(0, 1), N(0, 1 + m), drawn once a row, is inside the share"
    facts = (
        f"m <= B^2/(s^2 + {mixing.floor}), (epsilon, delta) = ({epsilon}, {delta})",
        f"rows = {mixing.rows} of {mixing.sketches} sketches",
        "s^2 is the least number for which that is so, rounded up at execution",
    )
    return Obligation("theorem", mixing.label, rule, facts, PROVED)
