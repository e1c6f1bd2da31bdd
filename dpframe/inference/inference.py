"""Intervals for linear regression from released values, for the noise for privacy and for sampling;
none along directions that the noise hides.

Post-processing: it reads no data and costs nothing. Derived on docs/uncertainty.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument

from .arrays import Array
from .evidence import CLEAR, Evidence, Shrunk
from .moments import MOST_LOST, Model, MomentSystem, Step, modelled, stacked, step
from .newton import remainder
from .residual import KNOWN, Labels, Residual, labels, taken, unexplained
from .result import COVERED, Inference, Units
from .row_set import Clipped, RowSet
from .sandwich import Sandwich
from .spectrum import Directions, Unidentified, directions
from .variation import Variation
from .widths import loss_std

STEPS = 60
HUGE = 1e6  # times the first estimate: the iteration diverges
LEAST_WEIGHT = 0.1  # of shrunk records; with less nothing is claimed
NORMAL = (
    "with normal_residuals=True",
    "Normal residuals are taken to have one variance: leave one of the two out.",
)
NO_COUNT = ("where n is not known", "dp.JointSSP() releases n where it is private.")
NO_NORM = (
    "for rows of unbounded norm",
    "Declare dp.Rows(norm=...), or columns with bounds.",
)
REFUTED = 4.0  # stds by which X'y contradicts the length along hidden directions
LEAST_VALUE = 0.5  # stds of noise: the least eigenvalue by which X'y is divided
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


def positive(_: Any, field: Any, value: float) -> None:
    """Raises InvalidArgument."""
    if not value > 0:
        raise InvalidArgument(field.name, "positive, or infinite for none", value)


@attrs.frozen(eq=False, kw_only=True)
class Specification:
    """The target of an inference, its public bounds and its assumptions.

    `target` is "population", or "sample": the least squares coefficients of this table. `bound` is
    the declared bound of labels. `largest` is a public bound on the length of the coefficients,
    under which directions that noise hides have intervals too. Without one, the coefficient along
    each of them is assumed to be at most `believed`, or as large as released sums support, if that
    is more; only functions that hardly overlap them are claimed then. With neither, nothing is
    claimed where there are such directions.

    `constant` (d,) is a vector with row @ constant = 1 for every row, where there is an intercept:
    asymmetric clips of residuals move the mean, which its error then counts. `rows` says where rows
    can lie: clips of labels moved v'X'y by at most the farthest v'x times the counted loss, and
    nothing is claimed where no norm bounds rows and labels were clipped.

    Sums of clipped residuals count with `normal_residuals`, which assumes the normal law. Unless
    `equal_variance`, residuals may have another law in every row, by X' diag(r^2) X where it was
    released, or by the norm of rows. None does so wherever y'y, n and that norm or that matrix are
    known; False raises where they are not.

    Groups of up to `dependent` records, those of one person, may depend on each other in any way,
    except with `equal_variance=True`. Results are in `units`, those of the moments by default.
    """

    target: str = attrs.field(default="population")
    bound: float = attrs.field(default=math.inf, validator=positive)
    largest: float = attrs.field(default=math.inf, validator=positive)
    believed: float = attrs.field(default=math.inf, validator=positive)
    constant: Array | None = None
    rows: RowSet = RowSet()
    normal_residuals: bool = False
    equal_variance: bool | None = None
    dependent: float = 1.0
    units: Units | None = None

    @target.validator
    def _known(self, _: Any, value: str) -> None:
        if value not in COVERED:
            raise InvalidArgument("target", " or ".join(map(repr, COVERED)), value)

    @property
    def population(self) -> bool:
        """Whether sampling counts."""
        return self.target == "population"

    @property
    def together(self) -> float:
        """How many times sampling counts."""
        return self.dependent if self.population and not self.equal_variance else 1.0

    def check(self, evidence: Evidence) -> None:
        """Whether intervals without equal variance are possible. Raises InvalidArgument."""
        if self.equal_variance is not False:
            return
        reasons = (
            (self.normal_residuals, NORMAL),
            (evidence.meat is None and not evidence.count > KNOWN * evidence.count_std, NO_COUNT),
            (evidence.meat is None and not math.isfinite(self.rows.norm), NO_NORM),
        )
        for applies, (where, way_out) in reasons:
            if applies:
                wanted = f"True {where}"
                raise InvalidArgument("equal_variance", wanted, self.equal_variance, way_out)


def infer(evidence: Evidence, wanted: Specification) -> Inference:
    """Estimates and covariance of the coefficients, from released values only.

    Where records were shrunk, the specification is of the rows before, and the target is least
    squares weighted by the squares of their factors: the same coefficients in a linear model.
    Raises InvalidArgument.
    """
    positive(None, attrs.fields(RowSet).norm, wanted.rows.norm)
    if evidence.shrunk is not None:
        return of_shrunk(evidence, evidence.shrunk, wanted)
    wanted.check(evidence)
    return estimated(evidence if wanted.normal_residuals else evidence.of_labels, wanted)


def estimated(evidence: Evidence, wanted: Specification) -> Inference:
    """As `infer`, of rows that were not shrunk."""
    axes = directions(evidence.gram, evidence.gram_std)
    sizes = supported(evidence, axes, wanted) if axes.lost.size and evidence.gram_std else None
    unit = np.zeros(evidence.columns) if wanted.constant is None else wanted.constant
    hidden = Unidentified.of(axes, wanted.largest, wanted.believed, unit, sizes)
    counted = bool(evidence.most_lost) and not wanted.normal_residuals
    options: dict[str, Any] = {"counted": counted, "dependent": wanted.together}
    stack = stacked(evidence, axes, wanted.bound, hidden.counted, unit, **options)
    given = labels(evidence, float(stack.widths[0]))
    widest = wanted.bound if math.isfinite(wanted.bound) else evidence.moments[0].width
    fixed = iterated(stack, given, widest**2)
    residual, bounded = fixed.residual, math.isfinite(wanted.rows.norm)
    variance = taken(residual, widest**2)
    if not wanted.population and not axes.lost.size:
        fixed = settle(stack, fixed.theta, variance, fixed.settled)
    centre = axes.vectors @ fixed.theta
    noise = along_hidden(evidence, hidden, centre, variance, wanted.rows)
    hidden = hidden.refuted_by(evidence.moments[0].moment, evidence.gram, noise)
    settled = fixed.settled and evidence.lost_share <= MOST_LOST and (bounded or not counted)
    errors = robust(evidence, wanted, axes, fixed.step, stack.count * variance, given=given)
    clipped = clipped_labels(evidence, axes, centre, wanted) if counted else None
    if evidence.bend:
        clipped, near = remainder(evidence, axes, centre, errors.private, wanted.rows)
        settled = settled and near
    variation, sized = None, bounded or wanted.normal_residuals
    if settled and sized and residual is not None and given is not None and not axes.lost.size:
        least = float(np.min(axes.values))
        options = {"theta": centre, "constant": unit, "least": least, "bound": widest}
        options |= {"normal": wanted.normal_residuals, "dependent": wanted.together}
        variation = Variation.of(evidence, residual, given, rows=wanted.rows, **options)
    return Inference(
        target=wanted.target,
        centre=centre,
        covariance=errors.covariance,
        private=errors.private,
        unseen=hidden,
        clipped=clipped,
        residual=residual,
        variation=variation,
        bound=math.inf if evidence.bend else widest,
        kept=float(np.min(fixed.model.kept)),
        settled=settled,
        lost_share=evidence.lost_share,
        normal_residuals=wanted.normal_residuals,
        equal_variance=errors.equal,
        units=wanted.units or Units.plain(evidence.columns),
        sandwich=errors.sandwich,
        dependent=wanted.together,
        new_labels=wanted.equal_variance is not False,
        not_released=evidence.not_released,
    )


def along_hidden(
    evidence: Evidence, hidden: Unidentified, theta: Array, variance: float, rows: RowSet
) -> Array:
    """How far X'y may be along hidden directions, (d - k,), from X'X times coefficients, which are
    theta (d,) beside them: REFUTED stds of noise and sampling, and what clips took off.
    """
    first, std = evidence.moments[0], evidence.gram_std
    lengths = float(theta @ theta) + 2 * hidden.counted**2
    values = np.einsum("ai,ab,bi->i", hidden.lost, evidence.gram, hidden.lost)
    sampled = variance * np.maximum(values + REFUTED * std, 0.0)
    noise = REFUTED * np.sqrt(first.std**2 + std**2 / 2 * lengths + sampled)
    lost = evidence.most_lost
    return np.asarray(noise + (lost * rows.farthest(hidden.lost.T) if lost else 0.0))


def supported(evidence: Evidence, axes: Directions, wanted: Specification) -> Array:
    """The largest coefficients along directions that are not identified (d - k,) that released sums
    support: upper ends of intervals by Fieller's method.

    X'y along a direction is its eigenvalue times its coefficient, with noise of each. Where the
    eigenvalue is not clear of its noise, that interval has no end: the coefficient is taken to be
    at most what X'y and its noise make of an eigenvalue of LEAST_VALUE stds.
    """
    first, unsure = evidence.moments[0], CLEAR * evidence.gram_std
    values, below = axes.below, np.maximum(axes.below, 0.0)
    length = float(np.linalg.norm(axes.vectors.T @ first.moment / axes.values))
    sampled = wanted.together * min(wanted.bound, first.width) ** 2 * below
    noise = CLEAR * np.sqrt(first.std**2 + sampled + (evidence.gram_std * length) ** 2 / 2)
    lost = evidence.lost * wanted.rows.farthest(axes.lost.T) if evidence.lost > 0 else 0.0
    size = np.abs(axes.lost.T @ first.moment) + lost
    most = (size + noise) / (LEAST_VALUE * evidence.gram_std)
    clear = np.where(values > unsure, values**2 - unsure**2, np.nan)
    ends = values * size + np.sqrt(noise**2 * clear + (unsure * size) ** 2)
    return np.asarray(np.fmin(most, ends / clear))


@attrs.frozen(eq=False)
class Errors:
    """The covariance (d, d) of estimates and its `private` part; whether it takes residuals to have
    one variance, and if not, the sandwich, None where only the norm of rows bounds that.
    """

    covariance: Array
    private: Array
    equal: bool = True
    sandwich: Sandwich | None = None


def robust(
    evidence: Evidence,
    wanted: Specification,
    axes: Directions,
    last: Step,
    squares: float,
    *,
    given: Labels | None,
) -> Errors:
    """Errors that are robust to heteroscedasticity where the specification and the evidence allow;
    `squares` is the expected sum of squared residuals.
    """
    turn = axes.vectors
    covariance, private = (turn @ one @ turn.T for one in (last.covariance, last.private))
    assumed = wanted.normal_residuals or wanted.equal_variance
    bounded = math.isfinite(wanted.rows.norm) and evidence.count > KNOWN * evidence.count_std
    known = bounded and (given is not None or wanted.equal_variance is False)
    if not wanted.population or assumed or (evidence.meat is None and not known):
        return Errors(covariance, private)
    limit = wanted.together * squares if bounded else None
    most = math.inf if limit is None else limit * wanted.rows.norm**2
    if evidence.meat is None:
        return Errors(private + most * axes.inverse @ axes.inverse, private, equal=False)
    sandwich = Sandwich(axes.inverse, evidence.meat.times(wanted.together), wanted.rows, limit)
    return Errors(private + sandwich.covariance(most), private, equal=False, sandwich=sandwich)


def clipped_labels(
    evidence: Evidence, axes: Directions, theta: Array, wanted: Specification
) -> Clipped:
    """How far clips of labels moved estimates: noise is that of the counts, of what they count in a
    sample, and of X'X, which is multiplied by all of theta (d,) that there is without clips.
    """
    norm = wanted.rows.norm
    moved = norm * evidence.most_lost / float(np.min(axes.values, initial=math.inf))
    unclipped = moved * (moved + 2 * float(np.linalg.norm(theta)))
    most = wanted.bound if evidence.counts is None else evidence.counts.bound
    each = max(most - evidence.moments[0].width, 0.0) if wanted.population else 0.0
    return Clipped(
        bread=axes.inverse,
        rows=wanted.rows,
        lost=evidence.lost,
        unsure=float(loss_std(evidence.lost, evidence.lost_std, wanted.together * each)),
        turned=evidence.gram_std * math.sqrt(unclipped),
    )


def of_shrunk(evidence: Evidence, shrunk: Shrunk, wanted: Specification) -> Inference:
    """As `infer`, in the coordinates of the sums: of n records n times the weight count at least,
    so that the residual variance is not understated. Raises InvalidArgument.
    """
    if wanted.normal_residuals:
        way_out = "Leave it out, or fit dp.JointSSP(scaling=0), which shrinks none."
        needed = "False where records were shrunk"
        raise InvalidArgument("normal_residuals", needed, wanted.normal_residuals, way_out)
    turn, d = shrunk.units, evidence.columns
    back, units = np.linalg.inv(turn), wanted.units or Units.plain(d)
    inner = attrs.evolve(
        wanted,
        largest=wanted.largest * float(np.linalg.norm(back, 2)),
        believed=wanted.bound / (shrunk.norm / math.sqrt(d)),
        constant=None if wanted.constant is None else back @ wanted.constant,
        rows=attrs.evolve(wanted.rows, norm=shrunk.norm, units=turn),
        units=attrs.evolve(units, matrix=units.matrix @ turn, rows=lambda X: units.rows(X) @ turn),
    )
    count = evidence.count * max(shrunk.weight, LEAST_WEIGHT)
    evidence = attrs.evolve(evidence, shrunk=None, count=count)
    inner.check(evidence)
    result = estimated(evidence.of_labels, inner)
    settled = result.settled and shrunk.weight > LEAST_WEIGHT
    variation = result.variation and result.variation.of_all(1 - shrunk.weight)
    return attrs.evolve(result, shrunk=shrunk, settled=settled, variation=variation)


def iterated(stack: MomentSystem, given: Labels | None, most: float) -> Fixed:
    """The fixed point for the population: coefficients and residual variance in turn."""
    theta = stack.observed[0] / stack.values
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


def settle(stack: MomentSystem, theta: Array, variance: float, settled: bool) -> Fixed:  # noqa: FBT001
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
