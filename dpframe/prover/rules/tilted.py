"""Objective perturbation of any loss: what its theorem needs. (proofs/objective_perturbation)"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.graph.procedures.tilted import TiltedMinimum
from dpframe.symbols import Number

from ..attempt import certain
from ..branches import at_most
from ..edit import FIELD, Edit
from ..obligation import Obligation
from ..problem import Problem
from ..sign import nonnegative, positive_size
from .base import entered, needed

ONE = Number(Fraction(1))


@entered(TiltedMinimum)
def tilted(problem: Problem, minimum: TiltedMinimum) -> Sequence[Obligation]:
    """The loss has slope and curvature for all coefficients, the penalty outweighs the curvature of
    a record, and the noise hides its gradient.
    """
    field, own = problem.field, minimum.noise_epsilon
    rest = (1 - minimum.noise_share) * minimum.share.epsilon
    curvature, size = minimum.curvature, minimum.size
    parts = [minimum.penalty, own, *(() if size is None else (size,))]
    return [
        needed(
            minimum,
            curvature is not None and size is not None,
            "the slope and curvature of the loss are bounded for all coefficients",
            minimum.objective.label,
            "bound rows and labels; take dp.Huber(knee) or dp.Logistic().",
        ),
        needed(
            minimum,
            problem.rows == ONE,
            "one row a person",
            f"rows_per_person = {problem.rows}",
            "bound the rows of a person to 1 before this table is built.",
        ),
        needed(
            minimum,
            all(positive_size(one, field) for one in parts),
            "penalty, the epsilon of the noise and the scale must be positive",
            f"penalty = {minimum.penalty}, epsilon of the noise = {own}, scale = {size}",
            "declare them on open ranges.",
        ),
        needed(
            minimum,
            curvature is not None
            and (
                nonnegative(rest - curvature, field).proved
                or certain(rest - curvature)
                or at_most(problem, curvature, rest)
            ),
            "log(1 + w c B^2/penalty) <= w c B^2/penalty <= what the noise leaves of epsilon",
            f"w c B^2/penalty = {curvature}, {rest} is left",
            "raise the penalty to w c B^2/((1 - noise_share) epsilon).",
            edit=None
            if curvature is None
            else Edit(FIELD, minimum, curvature * minimum.penalty / rest, "penalty"),
        ),
    ]
