"""JointSSP: noisy X'X, X'y and y'y calibrated together, the residuals at what they say, and the
posterior mean under the known noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.graph import (
    ColumnNode,
    Node,
    Regression,
    RowsNode,
    jointly,
    known,
    post,
    release,
)
from dpframe.graph.functions import bin_counts, count
from dpframe.graph.maps.grid import gridded
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.statistics import Statistic
from dpframe.inference.evidence import Counts, Evidence, Meat, Seen, Shrunk
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
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, constant, sqrt

from .released_units import in_released_units
from .solve import Fit, whole
from .whitened import PublicRows, in_public_units

Array = NDArray[Any]

MOST_LEVELS = 20  # halvings of the label bound
NARROWEST, WIDEST = Fraction(1, 1000), 4  # of residuals, in label bounds
FARTHEST, ROUNDING = 1000, 1e-9  # of residuals, in levels of labels; of sums of d products
MOST_ROUNDS = 20
UNCOUNTED = (0.0, math.inf)  # y'y as counts say it, where there are none


@attrs.frozen(eq=False)
class JointFit(Fit):
    """A fit with the released statistics behind it, and their noise."""

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

    `scaling`, a part of the squared mu such as 0.03, releases counts of entries per column and of
    row norms first. Columns are then divided by released units, and records with a norm above a
    released cut are shrunk, with their labels. Use it if columns have different scales or rows are
    far shorter than their bound. It leaves the coefficients of a linear model unchanged; for labels
    that no linear model generates, long rows count less.

    `public`, unlabelled public rows (m, d) without an intercept, in the units of the statistics
    ([-1, 1] under a codebook), whitens rows by their second moment and spends no budget.
    """

    paper: ClassVar[str] = "Wang18; Bernstein19; Tang23"
    title: ClassVar[str] = "joint SSP"
    use: ClassVar[str] = (
        "The default: nothing to tune, with intervals, and nearly zero if noise exceeds the "
        "signal. It stores a d by d matrix: for thousands of columns use NoisyGradientDescent."
    )
    intervals: ClassVar[bool] = True  # from what its output keeps
    counting: Expression = constant("0.11")
    correcting: Expression = constant("0.5")
    sandwich: Expression = constant("0.02")
    gram: Expression = constant(35)
    moment: Expression = constant(13)
    squares: Expression = constant(8)
    rounds: Expression = constant(6)
    levels: Expression = constant(7)
    null: Expression = constant("0.25")
    scaling: Expression = constant(0)
    public: PublicRows | None = attrs.field(default=None, converter=PublicRows.of)

    @classmethod
    def for_intervals(cls) -> Self:
        """A variant with more and mostly shorter intervals, and worse predictions: X'X gets 58% of
        the squared mu instead of 23%, X'y 27% instead of 5%.
        """
        make: Any = cls
        found: Self = make(counting="0.08", gram=100, moment=46, squares=12, rounds=0)
        return found

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Counts, sums and corrections; each may depend on earlier releases."""
        part = self.scaling.value if isinstance(self.scaling, Number) else Fraction(1, 2)
        if not 0 <= part < 1:
            way_out = "It is a part of the squared mu, 0.03 for example."
            raise InvalidArgument("scaling", "at least 0 and below 1", part, way_out)
        scaled = self.scaling != constant(0)
        if self.public is None and not scaled:
            return self.fitted(X, y, budget)
        if self.public is not None and scaled:
            way_out = "Public rows say the units without a part of the budget."
            raise InvalidArgument("scaling", "0 with public rows", self.scaling, way_out)

        def noise(part: Expression, statistic: Statistic) -> Gaussian:
            return noises(budget, part, [statistic])[0]

        found = (
            in_released_units(X, y, noise, self.scaling)
            if self.public is None
            else in_public_units(X, y, self.public)
        )
        fit = self.fitted(found.rows, found.labels, budget)
        public = self.public is not None
        return post(in_own_units, fit, found.units, found.rows.radius, found.weight, public)

    def fitted(self, X: RowsNode, y: ColumnNode, budget: Share) -> Node:
        """The fit to these rows and labels with the rest of the budget."""
        relative = y.scaled(by=y.radius)
        turns, correcting = self.turns, self.correcting if self.turns else constant(0)
        counts = self.steps or not X.unit.relation.replaced
        left_over = rest(self.counting if counts else constant(0), correcting, self.sandwich)
        needed = {"gram": self.gram, "moment": self.moment, "squares": self.squares}
        needed |= {"counting": self.counting} if counts else {}
        check_parts(needed | ({"correcting": self.correcting} if turns else {}))
        plain = relative.clip(-1, 1) if self.steps else y
        sums = [X.T @ X, X.T @ plain, plain @ plain]
        weights = (self.gram, self.moment, self.squares)
        each = self.noises(budget, left_over, sums, weights)
        first = self.looked(X, relative, budget, each[1].std / X.radius)
        gram = release(X.T @ X, each[0], name="gram")
        labels = y.scaled(by=first.level * y.radius).clip(-1, 1) if self.steps else plain
        moment = release(X.T @ labels, each[1], name="moment")
        squares = release(labels @ labels, each[2], name="squares")
        found = (gram, gram.std, moment, moment.std, squares, squares.std)
        of_labels = (*first.said, first.level) if self.steps else first.said
        evidence: Node = post(gathered if self.steps else at_once, *of_labels, y.radius, *found)
        principal = post(principal_of, gram, gram.std)
        seen = (principal, X.radius, self.null)
        bounds = (y.radius, first.strength, self.gained(left_over) if turns else 1)
        enough = post(no_more_looks, evidence, *seen, *bounds)
        narrowest = min(NARROWEST, Fraction(1, 2**self.steps))
        for turn in range(1, turns + 1):
            aim = post(aimed, evidence, *seen, enough, turns + 1 - turn)
            asked_width = post(width_of, evidence, aim, y.radius, first.strength)
            width = known(asked_width, narrowest, WIDEST, name=f"width{turn}")
            theta = post(coefficients_of, aim)
            left = y.residuals(X, theta).scaled(by=width * y.radius).clip(-1, 1)
            (noise,) = self.noises(budget, correcting / turns, [X.T @ left])
            correction = release(X.T @ left, noise, name=f"correction{turn}")
            evidence = post(corrected, evidence, aim, correction, correction.std, width * y.radius)
        fit = post(fitted, evidence, *seen)
        if self.sandwich == constant(0):
            return post(finished, evidence, fit)
        unit = first.level * y.radius
        reach = known(post(reach_of, fit, unit, X.radius), 1, FARTHEST, name="reach")
        scale = unit * reach * X.radius
        labels = y.scaled(by=unit).clip(-1, 1).scaled(by=reach * X.radius)
        gradients = GradientAt(gridded(X), labels, post(over, fit, scale)).clip(norm=1)
        (noise,) = self.noises(budget, self.sandwich, [gradients.T @ gradients])
        meat = release(gradients.T @ gradients, noise, name="meat")
        return post(finished, evidence, fit, meat, meat.std, scale, reach)

    def noises(
        self,
        budget: Share,
        part: Expression,
        statistics: Sequence[Statistic],
        weights: Sequence[Expression] | None = None,
    ) -> list[Gaussian]:
        """As `noises`, for the budget that `scaling` leaves."""
        return noises(budget, (1 - self.scaling) * part, statistics, weights)

    @property
    def steps(self) -> int:
        """The number of halvings of the label bound that are counted."""
        return whole(self.levels, "levels", 0, MOST_LEVELS)

    @property
    def turns(self) -> int:
        """The number of corrections. Raises InvalidArgument if labels are not counted first."""
        turns = whole(self.rounds, "rounds", 0, MOST_ROUNDS)
        if turns and not self.steps:
            way_out = "levels=7 counts labels first; rounds=0 is one look at the table."
            raise InvalidArgument("rounds", "0 where levels is 0", turns, way_out)
        return turns

    def gained(self, left_over: Expression) -> Expression:
        """The factor by which corrections at zero reduce the variance of the noise on X'y."""
        sums = left_over / (self.gram + self.moment + self.squares)
        return 1 + self.correcting / (sums * self.moment)

    def looked(
        self, X: RowsNode, relative: ColumnNode, budget: Share, moment_std: Expression
    ) -> Look:
        """Counts of label sizes between halvings of their bound, and the level that they say, where
        the noise on X'y is of `moment_std` for each of the row bound; with none n itself, where it
        is private.
        """
        n = X.rows if X.unit.relation.replaced else None
        if not self.steps and n is not None:
            return Look((n, None, None))
        cuts = [Fraction(1, 2**k) for k in range(self.steps, 0, -1)]
        sizes = bin_counts(relative, cuts, absolute=True) if cuts else count(X.origin)
        (noise,) = self.noises(budget, self.counting, [sizes])
        seen = release(sizes, noise, name="counts" if cuts else "n")
        said = (n, seen, seen.std)
        if not cuts:
            return Look(said)
        strength = 1 / (seen.std**2 * self.counting * X.columns)  # mu^2/d
        asked_level = post(label_level, seen, seen.std, n, moment_std, X.columns)
        level = known(asked_level, cuts[0], 1, name="level", likely=1)
        return Look(said, level, strength)


@attrs.frozen
class Look:
    """The first look at the labels: n where it is public, counts and their std (None where nothing
    is released); the level at which labels are clipped; and mu^2/d.
    """

    said: tuple[Any, ...]
    level: Expression = attrs.field(default=constant(1))
    strength: Expression = attrs.field(default=constant(0))


def noises(
    budget: Share,
    part: Expression,
    statistics: Sequence[Statistic],
    weights: Sequence[Expression] | None = None,
) -> list[Gaussian]:
    """One for each statistic: for one pair of neighbours they cost together `part` of the budget's
    squared mu, divided like `weights`.
    """
    wider = 1 / sqrt(part)
    return [Gaussian(std=wider * one.std) for one in jointly(budget, statistics, weights)]


def gathered(  # noqa: PLR0917 - dp.post passes by position
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
    """What the counts, or n alone, and the sums say; the latter are of labels over level times
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
    first = Seen(width * moment, width * moment_std, np.zeros(len(gram)), width)
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


def at_once(
    known_count: float | None,
    count: float | None,
    count_std: float | None,
    bound: float,
    *sums: Any,
) -> Evidence:
    """What n and the sums say of labels that were clipped to nothing but their bound."""
    found = gathered(known_count, count, count_std, 1.0, 1.0, *sums)
    return attrs.evolve(found, moments=(attrs.evolve(found.moments[0], width=bound),))


@attrs.frozen(eq=False)
class Aim:
    """Where residuals are taken, `at` (d,), and the fit that says so; without one labels are summed
    again.
    """

    at: Array
    fit: Posterior | None = None


def no_more_looks(  # noqa: PLR0917 - dp.post passes by position
    evidence: Evidence,
    principal: Spectrum,
    radius: float,
    null: float,
    bound: float,
    strength: float,
    gained: float,
) -> bool:
    """Whether all corrections are spent on X'y itself, whose sum is known: where sampling rules,
    and neither labels nor residuals ask for a clip below the bound of labels.
    """
    fit = fitted(evidence, principal, radius, null)
    wide = evidence.moments[0].width >= bound
    wide = wide and residual_width(evidence, fit, bound, strength) >= 1
    return wide and sampling_rules(evidence, fit, gained)


def aimed(  # noqa: PLR0917 - dp.post passes by position
    evidence: Evidence,
    principal: Spectrum,
    radius: float,
    null: float,
    enough: bool,  # noqa: FBT001
    left: int,
) -> Aim:
    """At the fit; or at 0 where there is `enough`, or where the sums that are `left` say more of
    labels, since clips of residuals are likely to have moved theirs.
    """
    if enough:
        return Aim(np.zeros(evidence.columns))
    fit = posterior(evidence, radius, Prior(null=null), principal, left)
    again = len(evidence.moments) > 1 and fit.error_with_labels < fit.error_with_residuals
    return Aim(np.zeros(evidence.columns)) if again else Aim(fit.mean, fit)


def width_of(evidence: Evidence, aim: Aim, bound: float, strength: float) -> float:
    """Of residuals, over the bound of labels; that of labels where they are summed again."""
    if aim.fit is None:
        return evidence.moments[0].width / bound
    return residual_width(evidence, aim.fit, bound, strength)


def coefficients_of(aim: Aim) -> Array:
    """Where residuals are taken (d,)."""
    return aim.at


def corrected(
    evidence: Evidence, aim: Aim, correction: Array, std: float, width: float
) -> Evidence:
    """The evidence and a sum of residuals, clipped to and over `width`."""
    if aim.fit is None:
        return evidence.with_labels_again(width * correction, width * std)
    kept = share_kept(width, residual_deviation(evidence, aim.fit))
    return evidence.with_moment(Seen(width * correction, width * std, aim.at, width, kept))


def in_own_units(
    fit: JointFit,
    units: Array,
    norm: float,
    weight: float,
    public: bool,  # noqa: FBT001 - dp.post passes by position
) -> JointFit:
    """The coefficients of the rows before they were divided and shrunk."""
    own = np.nan_to_num(units @ fit.coefficients)
    shrunk = Shrunk(units, norm, weight, public)
    evidence = None if fit.evidence is None else attrs.evolve(fit.evidence, shrunk=shrunk)
    return attrs.evolve(fit, coefficients=own, evidence=evidence)


def principal_of(gram: Array, std: float) -> Spectrum:
    """Eigenvalues and principal directions of X'X."""
    return spectrum(gram, std, Prior().floor)


def fitted(evidence: Evidence, principal: Spectrum, radius: float, null: float) -> Posterior:
    """What follows from the evidence."""
    return posterior(evidence, radius, Prior(null=null), principal)


def check_parts(needed: Mapping[str, Expression]) -> None:
    """Refuse a part of nothing for what is released. Raises InvalidArgument."""
    for name, part in needed.items():
        if isinstance(part, Number) and part.value <= 0:
            way_out = "levels=0 and rounds=0 leave out counts of labels and corrections."
            raise InvalidArgument(name, "positive", str(part), way_out)


def rest(*parts: Expression) -> Expression:
    """What counts, corrections and the sandwich leave of the squared mu. Raises InvalidArgument."""
    left = 1 - sum(parts, start=constant(0))
    amounts = [one.value for one in (*parts, left) if isinstance(one, Number)]
    if min(amounts, default=1) < 0 or left == constant(0):
        name, wanted = "counting, correcting, sandwich", "not negative, and below 1 together"
        way_out = "They are parts of the squared mu; X'X, X'y and y'y need the rest."
        raise InvalidArgument(name, wanted, ", ".join(map(str, parts)), way_out)
    return left


def over(fit: Posterior, scale: float) -> Array:
    """The coefficients (d,) of labels over `scale`."""
    theta: Array = np.nan_to_num(fit.mean / scale)
    return theta


def reach_of(fit: Posterior, unit: float, radius: float) -> float:
    """No residual of labels in [-unit, unit] is larger, over unit, for rows of length at most
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
    """The mean as coefficients, and what they rest on: X' diag(r^2) X too, of labels over `scale`,
    where no gradient was clipped.
    """
    theta = fit.mean
    solved = bool(np.all(np.isfinite(theta)))
    if meat is not None and reach < FARTHEST:
        evidence = attrs.evolve(evidence, meat=Meat(scale**2 * meat, scale**2 * std, scale))
    return JointFit(theta if solved else np.zeros(len(theta)), solved=solved, evidence=evidence)
