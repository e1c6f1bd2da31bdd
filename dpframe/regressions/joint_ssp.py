"""JointSSP: noisy X'X, X'y and y'y calibrated jointly, sums of residuals at the resulting estimate,
and the posterior mean under the known noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import (
    ColumnNode,
    Node,
    Regression,
    RowsNode,
    known,
    post,
    release,
)
from dpframe.graph.functions import bin_counts, count
from dpframe.graph.maps.grid import gridded
from dpframe.graph.maps.residuals import GradientAt
from dpframe.inference.evidence import Counts, Evidence, Meat, NoisySum, Shrunk
from dpframe.inference.shrinkage import Posterior, Prior, posterior
from dpframe.inference.spectrum import Spectrum, spectrum
from dpframe.inference.widths import (
    count_of,
    counted_squares,
    label_level,
    lost_to_clips,
    residual_deviation,
    residual_width,
    sampling_rules,
    share_kept,
)
from dpframe.privacy import Share
from dpframe.symbols import ZERO, Expression, Number, constant, exact

from .released_units import by_codebook, in_released_units
from .solve import Budget, Fit, check_bounds, whole
from .whitened import PublicRows, in_public_units

Array = NDArray[Any]
Declared = tuple[RowsNode, ColumnNode, Budget]

MOST_LEVELS = 20  # halvings of the label bound
NARROWEST, WIDEST = Fraction(1, 1000), 4  # clipping widths of residuals, over the label bound
FARTHEST, ROUNDING = 1000, 1e-9  # the largest residual over the level; relative error of rounding
MOST_ROUNDS = 20
UNITS = constant("0.03")  # the part of the squared mu for released units, at most
UNCOUNTED = (0.0, math.inf)  # the estimate of y'y from counts, and its std, without counts


def part_or_none(value: object) -> Expression | None:
    """A part of the budget; None stays None. Raises InvalidArgument."""
    return None if value is None else exact(value, "scaling")


@attrs.frozen(eq=False)
class JointFit(Fit):
    """A fit with the released statistics on which it rests, and their noise."""

    evidence: Evidence | None = None


class JointSSP(Regression):
    """Least squares from noisy sufficient statistics, refined by released sums of clipped
    residuals; the estimate is a posterior mean under the known noise.
    [Wang18, Alg. 2; Bernstein19; Tang23]

    The releases, calibrated jointly to the whole budget by the exact Gaussian profile:

    1. counts of label sizes between `levels` halvings of their bound, which determine the level at
       which labels are clipped;

    2. X'X, X'y and y'y, one Gaussian release of what a record moves jointly;

    3. `rounds` times X'r, with r the clipped residuals at the current estimate, or X'y again where
       clipped residuals are likely to be biased;

    4. X' diag(r^2) X at the final estimate, for standard errors that are robust to
       heteroscedasticity.

    `counting`, `correcting` and `sandwich` are the parts of the squared mu for 1, 3 and 4; `gram`,
    `moment` and `squares` divide the rest among the sums of 2. Eigenvalues, ridge, signal strength
    and clipping widths are post-processing. With `sandwich=0` the table is read once less, and
    standard errors use the norm bound of rows. With `levels=0`, `rounds=0` and `sandwich=0` the
    table is read once: labels are clipped at their bound, and n is released if it is private.

    `scaling`, a part of the squared mu, releases counts of entries per column and of row norms
    first, if a released n shows that they are clear of noise; otherwise the part is spent on the
    other releases. If many columns are far smaller than the others, columns are divided by released
    units; records with a norm above a released cut are shrunk, with their labels. This leaves the
    coefficients of a linear model unchanged; for labels that no linear model generates, long rows
    count less. By default it is 0.03, and 0 with a codebook, public rows or `levels=0`.

    `public`, unlabelled public rows (m, d) without an intercept, in the units of the statistics
    ([-1, 1] under a codebook), whitens rows by their second moment and spends no budget.

    Use: The default: nothing to tune, with intervals, and nearly zero if noise exceeds the signal.
    It stores a d by d matrix: for thousands of columns use NoisyGradientDescent.
    """

    title: ClassVar[str] = "joint SSP"
    intervals: ClassVar[bool] = True  # from the evidence in its output
    counting: Expression = constant("0.11")
    correcting: Expression = constant("0.5")
    sandwich: Expression = constant("0.02")
    gram: Expression = constant(35)
    moment: Expression = constant(13)
    squares: Expression = constant(8)
    rounds: Expression = constant(6)
    levels: Expression = constant(7)
    null: Expression = constant("0.25")
    scaling: Expression | None = attrs.field(default=None, converter=part_or_none)
    public: PublicRows | None = attrs.field(default=None, converter=PublicRows.of)

    @classmethod
    def for_intervals(cls) -> Self:
        """A variant with more and mostly shorter intervals, and worse predictions: X'X gets 57% of
        the squared mu instead of 23%, X'y 26% instead of 9%.
        """
        make: Any = cls
        variant: Self = make(counting="0.08", gram=100, moment=46, squares=12, rounds=0)
        return variant

    @property
    def full_name(self) -> str:
        """JointSSP, or JointSSP.for_intervals."""
        variant = "" if self != type(self).for_intervals() else ".for_intervals"
        return f"{super().full_name}{variant}"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release counts, sums and corrections, in released or public units if requested."""
        part, whole = self._part_of_units(X), Budget(budget)
        _ = self.corrections  # raises InvalidArgument before the budget is divided
        if self.public is not None:
            if part != ZERO:
                way_out = "Public rows determine the units and spend no budget."
                raise InvalidArgument("scaling", "0 with public rows", part, way_out)
            records = in_public_units(X, y, self.public)
        elif part != ZERO:
            records = in_released_units(X, y, whole, part)
        else:
            return self._fitted(X, y, whole)
        fit = self._fitted(records.rows, records.labels, whole.less(records.spent))
        public = self.public is not None
        return post(in_own_units, fit, records.units, records.rows.radius, records.weight, public)

    def _part_of_units(self, X: RowsNode) -> Expression:
        """The part of the squared mu for released units. Raises InvalidArgument."""
        if self.scaling is None:
            known = self.public is not None or by_codebook(X) or not self.halvings
            return ZERO if known else UNITS
        part = self.scaling.value if isinstance(self.scaling, Number) else Fraction(1, 2)
        if not 0 <= part < 1:
            way_out = "It is a part of the squared mu, 0.03 for example."
            raise InvalidArgument("scaling", "at least 0 and below 1", part, way_out)
        return self.scaling

    def _fitted(self, X: RowsNode, y: ColumnNode, budget: Budget) -> Node:
        """The fit to these rows and labels. Raises InvalidArgument."""
        check_bounds(X, y)
        plain = y.scaled(by=y.radius).clip(-1, 1) if self.halvings else y
        left_over = self._part_of_sums(X)
        sums = [X.T @ X, X.T @ plain, plain @ plain]
        each = budget.noises(left_over, sums, (self.gram, self.moment, self.squares))
        counts = self._label_counts(X, y, budget, each[1].std / X.radius)
        gram = release(X.T @ X, each[0], name="gram")
        labels = y.scaled(by=counts.level * y.radius).clip(-1, 1) if self.halvings else plain
        moment = release(X.T @ labels, each[1], name="moment")
        squares = release(labels @ labels, each[2], name="squares")
        noisy = (gram, gram.std, moment, moment.std, squares, squares.std)
        first = (*counts.released, counts.level) if self.halvings else counts.released
        collect = evidence_with_counts if self.halvings else evidence_of_one_pass
        evidence: Node = post(collect, *first, y.radius, *noisy)
        model = (post(principal_directions, gram, gram.std), X.radius, self.null)
        if self.corrections:
            factor = self._variance_factor(left_over)
            evidence = self._corrected((X, y, budget), evidence, model, counts, factor)
        fit = post(posterior_fit, evidence, *model)
        if self.sandwich == constant(0):
            return post(finished, evidence, fit)
        return self._with_sandwich((X, y, budget), evidence, fit, counts.level * y.radius)

    def _part_of_sums(self, X: RowsNode) -> Expression:
        """The part of the squared mu for X'X, X'y and y'y. Raises InvalidArgument."""
        counts = self.halvings or not X.unit.relation.replaced
        used = {"counting": self.counting} if counts else {}
        used |= {"correcting": self.correcting} if self.corrections else {}
        check_parts({"gram": self.gram, "moment": self.moment, "squares": self.squares} | used)
        zero = constant(0)
        return rest(used.get("counting", zero), used.get("correcting", zero), self.sandwich)

    def _corrected(
        self,
        declared: Declared,
        evidence: Node,
        model: tuple[object, ...],
        counts: LabelCounts,
        factor: Expression,
    ) -> Node:
        """The evidence with released sums of clipped residuals at successive estimates."""
        (X, y, budget), last = declared, self.corrections
        enough = post(sampling_dominates, evidence, *model, y.radius, counts.strength, factor)
        narrowest = min(NARROWEST, Fraction(1, 2**self.halvings))
        for turn in range(1, last + 1):
            point = post(residual_point, evidence, *model, enough, last + 1 - turn)
            chosen = post(clipping_width, evidence, point, y.radius, counts.strength)
            width = known(chosen, narrowest, WIDEST, name=f"width{turn}")
            theta = post(coefficients_at, point)
            residuals = y.residuals(X, theta).scaled(by=width * y.radius).clip(-1, 1)
            (noise,) = budget.noises(self.correcting / last, [X.T @ residuals])
            total = release(X.T @ residuals, noise, name=f"correction{turn}")
            evidence = post(with_correction, evidence, point, total, total.std, width * y.radius)
        return evidence

    def _with_sandwich(
        self, declared: Declared, evidence: Node, fit: Node, unit: Expression
    ) -> Node:
        """The fit with a released X' diag(r^2) X of labels clipped to `unit`."""
        X, y, budget = declared
        reach = known(post(largest_residual, fit, unit, X.radius), 1, FARTHEST, name="reach")
        scale = unit * reach * X.radius
        labels = y.scaled(by=unit).clip(-1, 1).scaled(by=reach * X.radius)
        theta = post(scaled_coefficients, fit, scale)
        gradients = GradientAt(gridded(X), labels, theta).clip(norm=1)
        (noise,) = budget.noises(self.sandwich, [gradients.T @ gradients])
        meat = release(gradients.T @ gradients, noise, name="meat")
        return post(finished, evidence, fit, meat, meat.std, scale, reach)

    @property
    def halvings(self) -> int:
        """The number of halvings of the label bound between which labels are counted."""
        return whole(self.levels, "levels", 0, MOST_LEVELS)

    @property
    def corrections(self) -> int:
        """The number of corrections. Raises InvalidArgument if labels are not counted first."""
        rounds = whole(self.rounds, "rounds", 0, MOST_ROUNDS)
        if rounds and not self.halvings:
            way_out = "levels=7 counts labels first; rounds=0 makes no corrections."
            raise InvalidArgument("rounds", "0 where levels is 0", rounds, way_out)
        return rounds

    def _variance_factor(self, left_over: Expression) -> Expression:
        """The factor by which corrections at zero reduce the variance of the noise on X'y."""
        sums = left_over / (self.gram + self.moment + self.squares)
        return 1 + self.correcting / (sums * self.moment)

    def _label_counts(
        self, X: RowsNode, y: ColumnNode, budget: Budget, moment_std: Expression
    ) -> LabelCounts:
        """Counts of label sizes between halvings of their bound, and the level chosen by them;
        without halvings n, if it is private. `moment_std` is the std of the noise on X'y over the
        bound of rows.
        """
        n = X.rows if X.unit.relation.replaced else None
        if not self.halvings and n is not None:
            return LabelCounts((n, None, None))
        cuts = [Fraction(1, 2**k) for k in range(self.halvings, 0, -1)]
        relative = y.scaled(by=y.radius)
        sizes = bin_counts(relative, cuts, absolute=True) if cuts else count(X.origin)
        (noise,) = budget.noises(self.counting, [sizes])
        counts = release(sizes, noise, name="counts" if cuts else "n")
        released = (n, counts, counts.std)
        if not cuts:
            return LabelCounts(released)
        strength = 1 / (counts.std**2 * self.counting * X.columns)  # mu^2/d
        chosen = post(label_level, counts, counts.std, n, moment_std, X.columns)
        level = known(chosen, cuts[0], 1, name="level", likely=1)
        return LabelCounts(released, level, strength)


@attrs.frozen
class LabelCounts:
    """n if it is public, else None, with noisy counts of labels and their std (None if nothing is
    released); the level at which labels are clipped, over their bound; and mu^2/d.
    """

    released: tuple[Any, ...]
    level: Expression = attrs.field(default=constant(1))
    strength: Expression = attrs.field(default=constant(0))


def evidence_with_counts(  # noqa: PLR0917 - dp.post passes by position
    known_count: float | None,
    counts: Array | float | None,
    counts_std: float | None,
    level: float,
    bound: float,
    gram: Array,
    gram_std: float,
    moment: Array,
    moment_std: float,
    squares: float,
    squares_std: float,
) -> Evidence:
    """The evidence in the counts, or in n alone, and in the sums of labels over level times
    bound.
    """
    width, (n, noise), (counted, counted_std) = level * bound, (known_count or 0.0, 0.0), UNCOUNTED
    (lost, unsure, share), sizes = (0.0, 0.0, 0.0), None
    if counts is not None and counts_std is not None:
        n, noise = count_of(np.atleast_1d(counts), counts_std, known_count)
        if np.ndim(counts):
            counted, counted_std = counted_squares(np.asarray(counts), counts_std, level)
            lost, unsure, share = lost_to_clips(np.asarray(counts), counts_std, level)
            sizes = Counts(np.asarray(counts), counts_std, bound)
    first = NoisySum(width * moment, width * moment_std, np.zeros(len(gram)), width)
    return Evidence(
        gram=gram,
        gram_std=gram_std,
        moments=(first,),
        squares=width**2 * float(squares),
        squares_std=width**2 * squares_std,
        count=n,
        count_std=noise,
        counted=bound**2 * counted,
        counted_std=bound**2 * counted_std,
        lost=bound * lost,
        lost_std=bound * unsure,
        lost_share=share,
        counts=sizes,
    )


def evidence_of_one_pass(
    known_count: float | None,
    count: float | None,
    count_std: float | None,
    bound: float,
    *sums: Any,
) -> Evidence:
    """The evidence in n and in the sums of labels that were clipped at their bound only."""
    evidence = evidence_with_counts(known_count, count, count_std, 1.0, 1.0, *sums)
    return attrs.evolve(evidence, moments=(attrs.evolve(evidence.moments[0], width=bound),))


@attrs.frozen(eq=False)
class ResidualPoint:
    """The coefficients `at` (d,) at which residuals are computed, and the fit that they come from;
    without a fit, labels are summed again.
    """

    at: Array
    fit: Posterior | None = None


def sampling_dominates(  # noqa: PLR0917 - dp.post passes by position
    evidence: Evidence,
    principal: Spectrum,
    radius: float,
    null: float,
    bound: float,
    strength: float,
    factor: float,
) -> bool:
    """Whether all corrections are spent on X'y again: the sampling error dominates, and neither
    labels nor residuals should be clipped below the bound of labels.
    """
    fit = posterior_fit(evidence, principal, radius, null)
    wide = evidence.moments[0].width >= bound
    wide = wide and residual_width(evidence, fit, bound, strength) >= 1
    return wide and sampling_rules(evidence, fit, factor)


def residual_point(  # noqa: PLR0917 - dp.post passes by position
    evidence: Evidence,
    principal: Spectrum,
    radius: float,
    null: float,
    enough: bool,  # noqa: FBT001
    left: int,
) -> ResidualPoint:
    """The posterior mean; or 0, without a fit, if `enough` is true or if the `left` sums reduce the
    error more as sums of labels, since clipping is likely to have biased residuals.
    """
    if enough:
        return ResidualPoint(np.zeros(evidence.columns))
    fit = posterior(evidence, radius, Prior(null=null), principal, left)
    again = len(evidence.moments) > 1 and fit.error_with_labels < fit.error_with_residuals
    return ResidualPoint(np.zeros(evidence.columns)) if again else ResidualPoint(fit.mean, fit)


def clipping_width(
    evidence: Evidence, point: ResidualPoint, bound: float, strength: float
) -> float:
    """The width at which residuals, or labels if these are summed again, are clipped, over the
    bound of labels.
    """
    if point.fit is None:
        return evidence.moments[0].width / bound
    return residual_width(evidence, point.fit, bound, strength)


def coefficients_at(point: ResidualPoint) -> Array:
    """The coefficients (d,) at which residuals are computed."""
    return point.at


def with_correction(
    evidence: Evidence, point: ResidualPoint, total: Array, std: float, width: float
) -> Evidence:
    """The evidence with a sum of residuals that were clipped to `width` and divided by it."""
    if point.fit is None:
        return evidence.with_labels_again(width * total, width * std)
    kept = share_kept(width, residual_deviation(evidence, point.fit))
    return evidence.with_moment(NoisySum(width * total, width * std, point.at, width, kept))


def in_own_units(
    fit: JointFit,
    units: Array,
    norm: float,
    weight: float,
    public: bool,  # noqa: FBT001 - dp.post passes by position
) -> JointFit:
    """The fit with coefficients in the units of the original rows."""
    own = np.nan_to_num(units @ fit.coefficients)
    shrunk = Shrunk(units, norm, weight, public)
    evidence = None if fit.evidence is None else attrs.evolve(fit.evidence, shrunk=shrunk)
    return attrs.evolve(fit, coefficients=own, evidence=evidence)


def principal_directions(gram: Array, std: float) -> Spectrum:
    """Eigenvalues and principal directions of X'X."""
    return spectrum(gram, std, Prior().floor)


def posterior_fit(evidence: Evidence, principal: Spectrum, radius: float, null: float) -> Posterior:
    """The posterior given the evidence."""
    return posterior(evidence, radius, Prior(null=null), principal)


def check_parts(parts: Mapping[str, Expression]) -> None:
    """Refuse parts of the budget that are not positive. Raises InvalidArgument."""
    for name, part in parts.items():
        if isinstance(part, Number) and part.value <= 0:
            way_out = "levels=0 and rounds=0 leave out counts of labels and corrections."
            raise InvalidArgument(name, "positive", Plain(part), way_out)


def rest(*parts: Expression) -> Expression:
    """1 less the parts for counts, corrections and the sandwich. Raises InvalidArgument."""
    left = 1 - sum(parts, start=constant(0))
    amounts = [one.value for one in (*parts, left) if isinstance(one, Number)]
    if min(amounts, default=1) < 0 or left == constant(0):
        name, wanted = "counting, correcting, sandwich", "not negative, and below 1 together"
        way_out = "They are parts of the squared mu; X'X, X'y and y'y need the rest."
        raise InvalidArgument(name, wanted, ", ".join(map(str, parts)), way_out)
    return left


def scaled_coefficients(fit: Posterior, scale: float) -> Array:
    """The coefficients (d,) for labels over `scale`."""
    theta: Array = np.nan_to_num(fit.mean / scale)
    return theta


def largest_residual(fit: Posterior, unit: float, radius: float) -> float:
    """A bound on residuals over `unit`, for labels in [-unit, unit] and rows of norm at most
    `radius`.
    """
    return 1 + (1 + ROUNDING) * radius * float(np.linalg.norm(fit.mean)) / unit


def finished(  # noqa: PLR0917 - dp.post passes by position
    evidence: Evidence,
    fit: Posterior,
    meat: Array | None = None,
    std: float = 0.0,
    scale: float = 1.0,
    reach: float = 1.0,
) -> JointFit:
    """The posterior mean as coefficients with the evidence; with X' diag(r^2) X, of labels over
    `scale`, if no gradient can have been clipped.
    """
    theta = fit.mean
    solved = bool(np.all(np.isfinite(theta)))
    if meat is not None and reach < FARTHEST:
        evidence = attrs.evolve(evidence, meat=Meat(scale**2 * meat, scale**2 * std, scale))
    return JointFit(theta if solved else np.zeros(len(theta)), solved=solved, evidence=evidence)
