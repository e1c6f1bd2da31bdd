"""Intervals for linear regression from released values: what the noise for privacy and the sample
leave open, and no claim where noise hides a direction.

Post-processing: it reads no data and costs nothing. Derived on docs/uncertainty.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument

from .evidence import Evidence, Shrunk
from .moments import MOST_LOST, Model, Stack, Step, modelled, stacked, step
from .residual import KNOWN, Labels, Residual, labels, unexplained
from .result import COVERED, Inference, Units
from .row_set import Clipped, RowSet
from .sandwich import Sandwich
from .spectrum import Directions, Unseen, directions
from .variation import Variation

Array = NDArray[Any]

STEPS = 60
HUGE = 1e6  # times the first estimate: the iteration has run off
LEAST_WEIGHT = 0.1  # of shrunk records; with less nothing is claimed
COUNTED = 2.0  # times the std of the noise on counts, since they chose where labels are clipped
ANYWHERE = RowSet()
LEVEL = 1.96  # stds, of the score interval of what clips take off labels
SETTLED = 1e-4  # standard errors that the last step may move, and share of the variance


@attrs.frozen(eq=False)
class Fixed:
    """Where the iteration ended: theta (k,) in identified directions, its last step and model, the
    residual variance, and whether it had stopped moving.
    """

    theta: Array
    step: Step
    model: Model
    residual: Residual | None
    settled: bool


def infer(
    evidence: Evidence,
    *,
    target: str = "population",
    bound: float = math.inf,
    largest: float = math.inf,
    believed: float = math.inf,
    constant: Array | None = None,
    rows: RowSet = ANYWHERE,
    normal_residuals: bool = False,
    equal_variance: bool | None = None,
    dependent: float = 1.0,
    units: Units | None = None,
) -> Inference:
    """Estimates and covariance of the coefficients, from released values only.

    `target` is "population", or "sample": the least squares coefficients of this table. `bound` is
    the declared bound of labels. Sums of clipped residuals say what coefficients are only where the
    law of residuals is known: they count with `normal_residuals`, which assumes it. `largest` is a
    public bound on the length of the coefficients, under which directions that noise hides have
    intervals too. Without one `believed` is assumed to bound the coefficient along each of them, so
    that what hardly overlaps them is claimed, and nothing else; with neither, nothing is claimed
    where there are such directions. `constant` (d,) is a vector with row @
    constant = 1 for every row, where there is an intercept: clips of residuals that are not
    symmetric move the mean, which its error then counts. `rows` says where rows can lie: clips of
    labels moved v'X'y by no more than the farthest v'x times what they took off, which was counted
    with noise, and intervals allow for all of that and for the noise; where no norm bounds rows and
    they took anything, nothing is claimed. Without `equal_variance` the law of a residual may be
    another in every row: X' diag(r^2) X says what that does where it was released, or the norm of
    rows bounds it. None, the default, does without wherever y'y, n and that norm or that matrix are
    known; False raises where they are not. Results are in `units`, those of the moments by default.

    Groups of up to `dependent` records, those of one person, may depend on each other in any way:
    then sampling makes at most that many times the variance that it makes of independent ones, and
    this counts but for `equal_variance=True`, which takes them for independent too.

    Where records were shrunk, all of this is said of the rows before, and `target` is least squares
    in which records count by the squares of their factors: the same coefficients in a linear model.
    Raises InvalidArgument.
    """
    check(target, bound=bound, largest=largest, believed=believed, norm=rows.norm)
    norm = rows.norm
    plain = Units.plain(evidence.columns) if units is None else units
    if evidence.shrunk is not None:
        return of_shrunk(
            evidence,
            evidence.shrunk,
            target=target,
            bound=bound,
            largest=largest,
            constant=constant,
            rows=rows,
            normal_residuals=normal_residuals,
            equal_variance=equal_variance,
            dependent=dependent,
            units=plain,
        )
    together = dependent if target == "population" and not equal_variance else 1.0
    if equal_variance is False:
        check_unequal(evidence, norm, normal_residuals=normal_residuals)
    evidence = evidence if normal_residuals else evidence.of_labels
    found = directions(evidence.gram, evidence.gram_std)
    unseen = Unseen.of(found, largest, believed)
    unit = np.zeros(evidence.columns) if constant is None else constant
    counted = bool(evidence.most_lost) and not normal_residuals
    sampled = 0.0
    if counted and target == "population":
        most = bound if evidence.counts is None else evidence.counts.bound
        largest = max(most - evidence.moments[0].width, 0.0)
        lost = max(evidence.lost, 0.0)
        sampled = float(sampled_loss(lost, evidence.lost_std, together * largest))
    length = unseen.counted
    stack = stacked(evidence, found, bound, length, unit, counted=counted, dependent=together)
    given = labels(evidence, float(stack.widths[0]))
    robust = target == "population" and not (normal_residuals or equal_variance)
    bounded = math.isfinite(norm) and evidence.count > KNOWN * evidence.count_std
    known = bounded and (given is not None or equal_variance is False)
    equal = not robust or (evidence.meat is None and not known)
    widest = bound if math.isfinite(bound) else evidence.moments[0].width
    fixed = iterated(stack, given, widest**2)
    residual = fixed.residual
    if target == "sample" and not found.lost.size:
        fixed = settle(stack, fixed.theta, taken(residual, widest**2), fixed.settled)
    turn, last = found.vectors, fixed.step
    centre, settled = turn @ fixed.theta, fixed.settled and evidence.lost_share <= MOST_LOST
    settled = settled and (math.isfinite(norm) or not counted)
    covariance, private = (turn @ one @ turn.T for one in (last.covariance, last.private))
    bread, sandwich = (turn / found.values) @ turn.T, None
    if not equal:
        limit = together * stack.count * taken(residual, widest**2) if bounded else None
        most = math.inf if limit is None else limit * norm**2
        if evidence.meat is not None:
            sandwich = Sandwich(bread, evidence.meat.times(together), rows, limit)
            covariance = private + sandwich.covariance(most)
        elif limit is not None:
            covariance = private + most * bread @ bread
    variation, sized = None, math.isfinite(norm) or normal_residuals
    if settled and sized and residual is not None and given is not None and not found.lost.size:
        variation = Variation.of(
            evidence,
            residual,
            given,
            theta=centre,
            constant=unit,
            least=float(np.min(found.values)),
            bound=widest,
            rows=rows,
            normal=normal_residuals,
            dependent=together,
        )
    return Inference(
        target=target,
        centre=centre,
        covariance=covariance,
        private=private,
        unseen=unseen,
        clipped=clipped_labels(evidence, found, centre, rows, sampled) if counted else None,
        residual=residual,
        variation=variation,
        bound=widest,
        kept=float(np.min(fixed.model.kept)),
        settled=settled,
        lost_share=evidence.lost_share,
        normal_residuals=normal_residuals,
        equal_variance=equal,
        units=plain,
        sandwich=sandwich,
        dependent=together,
        new_labels=equal_variance is not False,
        not_released=evidence.not_released,
    )


def clipped_labels(
    evidence: Evidence, found: Directions, theta: Array, rows: RowSet, sampled: float
) -> Clipped:
    """How far clips of labels moved estimates: noise is that of the counts, of what they count in a
    sample, `sampled`, and of X'X, which is multiplied by all of theta (d,) that there is without
    clips.
    """
    moved = rows.norm * evidence.most_lost / float(np.min(found.values, initial=math.inf))
    unclipped = moved * (moved + 2 * float(np.linalg.norm(theta)))
    return Clipped(
        bread=(found.vectors / found.values) @ found.vectors.T,
        rows=rows,
        lost=evidence.lost,
        unsure=COUNTED * math.hypot(evidence.lost_std, sampled),
        turned=evidence.gram_std * math.sqrt(unclipped),
    )


def sampled_loss(lost: Array | float, std: float, largest: float) -> Array:
    """The std of what clips take off the labels of a sample, seen as `lost` with noise of `std`,
    where they take at most `largest` off each: its variance is at most largest times its mean,
    which is taken at the upper end of its score interval.
    """
    half = LEVEL**2 * largest / 2
    most = lost + half + np.sqrt(half**2 + LEVEL**2 * (std**2 + largest * lost))
    return np.asarray(np.sqrt(largest * most))


def of_shrunk(
    evidence: Evidence,
    shrunk: Shrunk,
    *,
    bound: float,
    largest: float,
    constant: Array | None,
    rows: RowSet,
    normal_residuals: bool,
    units: Units,
    **assumptions: Any,
) -> Inference:
    """As `infer`, in the coordinates of the sums: of n records n times the weight count at least,
    so that the residual variance is not understated. Raises InvalidArgument.
    """
    if normal_residuals:
        way_out = "Residuals of shrunk records are not normal: leave it out."
        wanted = "False where records were shrunk"
        raise InvalidArgument("normal_residuals", wanted, normal_residuals, way_out)
    turn, d = shrunk.units, evidence.columns
    back = np.linalg.inv(turn)
    found = infer(
        attrs.evolve(
            evidence, shrunk=None, count=evidence.count * max(shrunk.weight, LEAST_WEIGHT)
        ),
        bound=bound,
        largest=largest * float(np.linalg.norm(back, 2)),
        believed=bound / (shrunk.norm / math.sqrt(d)),
        constant=None if constant is None else back @ constant,
        rows=attrs.evolve(rows, norm=shrunk.norm, units=turn),
        units=attrs.evolve(units, matrix=units.matrix @ turn, rows=lambda X: units.rows(X) @ turn),
        **assumptions,
    )
    return attrs.evolve(
        found, shrunk=shrunk, settled=found.settled and shrunk.weight > LEAST_WEIGHT
    )


def check(target: str, **bounds: float) -> None:
    """Raises InvalidArgument."""
    if target not in COVERED:
        raise InvalidArgument("target", " or ".join(map(repr, COVERED)), target)
    for name, value in bounds.items():
        if not value > 0:
            raise InvalidArgument(name, "positive, or infinite for none", value)


def check_unequal(evidence: Evidence, norm: float, *, normal_residuals: bool) -> None:
    """What intervals without equal variance need. Raises InvalidArgument."""
    given = False
    if normal_residuals:
        way_out = "Normal residuals are taken to have one variance: leave one of the two out."
        raise InvalidArgument("equal_variance", "True with normal_residuals=True", given, way_out)
    if evidence.meat is not None:
        return
    if not evidence.count > KNOWN * evidence.count_std:
        way_out = "dp.JointSSP() releases n where it is private."
        raise InvalidArgument("equal_variance", "True where n is not known", given, way_out)
    if not math.isfinite(norm):
        way_out = "Declare dp.Rows(norm=...), or columns with bounds."
        raise InvalidArgument("equal_variance", "True for rows of unbounded norm", given, way_out)


def taken(residual: Residual | None, most: float) -> float:
    """The residual variance that errors count, at most `most`."""
    return most if residual is None else min(residual.taken, most)


def iterated(stack: Stack, given: Labels | None, most: float) -> Fixed:
    """The fixed point for the population: coefficients and residual variance in turn."""
    theta = stack.seen[0] / stack.values
    far = HUGE * (np.linalg.norm(theta) + 1e-100)
    residual, variance = None, most if given is None else min(given.taken, most)
    for turn in range(STEPS):
        model = modelled(stack, theta, variance, target="population")
        last, before = step(stack, model), variance
        if not np.linalg.norm(theta + last.move) < far:
            return Fixed(theta, last, model, None, settled=False)
        if given is not None:
            residual = unexplained(stack, model, theta, last.covariance, given)
        pace = 1.0 if turn < STEPS // 2 else 0.5  # what swings to and fro meets in the middle
        theta = theta + pace * last.move
        variance += pace * (taken(residual, most) - variance)
        settled = small(last) and abs(variance - before) <= SETTLED * before
        if settled:
            break
    return Fixed(theta, last, model, residual, settled)


def settle(stack: Stack, theta: Array, variance: float, settled: bool) -> Fixed:  # noqa: FBT001
    """The fixed point for the sample, where the residual variance is what it is."""
    for _ in range(STEPS):
        model = modelled(stack, theta, variance, target="sample")
        last = step(stack, model)
        theta = theta + last.move
        if small(last):
            return Fixed(theta, last, model, None, settled)
    return Fixed(theta, last, model, None, settled=False)


def small(last: Step) -> bool:
    """Whether no coefficient moved by more than a small part of its error."""
    errors = np.sqrt(np.diag(last.covariance))
    return bool(np.all(np.abs(last.move) <= SETTLED * errors))
