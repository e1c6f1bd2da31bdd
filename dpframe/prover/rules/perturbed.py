"""Objective perturbation: what its theorem needs. (proofs/objective_perturbation)"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.graph.procedures.perturbed import PerturbedMinimum
from dpframe.numerics import arb_lower, arb_upper, profile_delta_lower
from dpframe.symbols import Expression, Number, log, sqrt

from ..attempt import certain
from ..edit import FIELD, Edit
from ..enclose import enclose, rational_ball
from ..obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness, named
from ..problem import Problem
from ..sign import nonnegative, points, positive_size
from .base import entered, needed


@entered(PerturbedMinimum)
def perturbed(problem: Problem, minimum: PerturbedMinimum) -> Sequence[Obligation]:
    """The penalty outweighs the curvature of a record, and the noise hides its gradient."""
    bounds = minimum.gram.rows.norm, minimum.moment.column.bound
    bounded = None not in bounds
    if not bounded:  # no formula of the theorem can be written down
        told = f"the rows' norm is {bounds[0]}, the labels' bound is {bounds[1]}"
        way_out = "clip them: X.clip(norm=...), y.clip(-Y, Y)."
        return [needed(minimum, bounded, "rows and labels must be bounded", told, way_out)]
    field, own = problem.field, minimum.noise_epsilon
    left = minimum.share.epsilon - own - minimum.curvature
    hypotheses = [
        needed(
            minimum,
            minimum.fits,
            "X'X and X'y are of one table",
            "X'X, X'y",
            "take both from the same rows.",
        ),
        needed(
            minimum,
            problem.rows == Number(Fraction(1)),
            "one row a person",
            f"rows_per_person = {problem.rows}",
            "bound the rows of a person to 1 before this table is built.",
        ),
        needed(
            minimum,
            all(positive_size(one, field) for one in (minimum.penalty, minimum.radius, own)),
            "penalty, radius and the epsilon of the noise must be positive",
            f"penalty = {minimum.penalty}, radius = {minimum.radius}, epsilon of the noise = {own}",
            "declare them on open ranges.",
        ),
        needed(
            minimum,
            nonnegative(left, field).proved or certain(left),
            "log(1 + B^2/penalty) <= B^2/penalty <= what the noise leaves of epsilon",
            f"B^2/penalty = {minimum.curvature}, epsilon - {own} is left",
            "raise the penalty to B^2/((1 - noise_share) epsilon).",
            edit=Edit(FIELD, minimum, _penalty(minimum), "penalty"),
        ),
    ]
    return [*hypotheses, _noise(problem, minimum)]


def _penalty(minimum: PerturbedMinimum) -> Expression:
    """What leaves the curvature of a record inside the rest of epsilon."""
    return minimum.curvature * minimum.penalty / (minimum.share.epsilon - minimum.noise_epsilon)


def _noise(problem: Problem, minimum: PerturbedMinimum) -> Obligation:
    rule = f"the {'std' if minimum.noise == 'gaussian' else 'scale'} is at least the theorem's"
    facts = (f"size = {minimum.size}", f"least {minimum.least}", f"A = {minimum.slope}")
    gap = minimum.size - minimum.least
    if nonnegative(gap, problem.field).proved or certain(gap) or _kifer(problem, minimum):
        return Obligation("theorem", minimum.label, rule, facts, PROVED)
    witness = _broken(minimum)
    verdict = UNPROVED if witness is None else REFUTED
    fix, edit = "leave `size` out: the theorem's is taken.", Edit(FIELD, minimum, None, "stated")
    return Obligation("theorem", minimum.label, rule, facts, verdict, witness, fix, edit=edit)


def _kifer(problem: Problem, minimum: PerturbedMinimum) -> bool:
    """A sqrt(8 log(2/delta) + 4 epsilon)/epsilon, half of epsilon, one row added or removed: rule
    E1 gives delta/4, for every epsilon and delta.
    """
    if minimum.replaced or minimum.noise != "gaussian":
        return False
    epsilon, delta = minimum.share.epsilon, minimum.share.delta
    published = minimum.slope * sqrt(8 * log(2 / delta) + 4 * epsilon) / epsilon
    gap = minimum.size - published
    half = nonnegative(minimum.noise_share - Fraction(1, 2), problem.field).proved
    return bool(half and (nonnegative(gap, problem.field).proved or certain(gap)))


def _broken(minimum: PerturbedMinimum) -> Witness | None:
    """Numbers at which long tables, where the curvature of one record is nothing, break it: the
    tilt moves by A/size stds.
    """
    if minimum.noise != "gaussian":
        return None
    epsilon, delta = minimum.share.epsilon, minimum.share.delta
    formulas: tuple[Expression, ...] = (epsilon, delta, minimum.slope / minimum.size)
    symbols = sorted(set().union(*(f.symbols() for f in formulas)), key=lambda one: one.name)
    if any(symbol.origin is not None for symbol in symbols):
        return None
    for point in points(symbols):
        balls = {symbol.name: rational_ball(value) for symbol, value in point.items()}
        e, d, mu = (enclose(formula, balls) for formula in formulas)
        if not all(ball.is_finite() and ball > 0 for ball in (e, d, mu)):
            continue
        true = profile_delta_lower(arb_upper(e), arb_lower(mu))
        if true > arb_upper(d):
            says = (
                f"in long tables one record moves the tilt by {float(mu.mid()):.6g} stds: "
                f"delta >= {float(true):.4g} > {float(arb_upper(d)):.4g}"
            )
            return Witness(named(point, *formulas), says)
    return None
