"""JointSSP: noisy X'X, X'y and y'y calibrated together, the residuals at what they say, and the
posterior mean under the known noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.estimation.evidence import Evidence, Seen
from dpframe.estimation.prior import Prior
from dpframe.estimation.shrinkage import Posterior, posterior
from dpframe.estimation.spectrum import Spectrum, spectrum
from dpframe.estimation.widths import (
    count_of,
    counted_squares,
    label_level,
    residual_deviation,
    residual_width,
    share_kept,
)
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
from dpframe.graph.functions import bin_counts
from dpframe.graph.statistics import Statistic
from dpframe.guarantees import REPLACE_ONE, Share
from dpframe.mechanisms import Gaussian
from dpframe.symbols import Expression, constant, sqrt

from .solve import Fit
from .whole import whole

Array = NDArray[Any]

CUTS = tuple(Fraction(1, 2**k) for k in range(7, 0, -1))  # of the label bound
NARROWEST, WIDEST = Fraction(1, 1000), 4  # of residuals, in label bounds
MOST_ROUNDS = 20


@attrs.frozen(eq=False)
class JointFit(Fit):
    """A fit that says what it was made of: all that was released, with its noise."""

    evidence: Evidence | None = None


class JointSSP(Regression):
    """The posterior mean of the coefficients given noisy sums whose noise is known, each residual
    clipped where what was released before says so. [Wang18, Alg. 2; Bernstein19; Tang23]

    Released, all calibrated together to the whole budget by the exact Gaussian profile: counts of
    label sizes, which say where labels are clipped; X'X, X'y and y'y, one Gaussian release of what
    one record moves together; then `rounds` times X'r, r the clipped residuals at the coefficients
    so far. `counting` and `correcting` are the parts of the squared mu of the first and the last;
    the sums share the rest like `gram`, `moment` and `squares`. Eigenvalues, ridge, the strength of
    the signal and all widths are post-processing.
    """

    paper: ClassVar[str] = "Wang18; Bernstein19; Tang23"
    title: ClassVar[str] = "joint SSP"
    use: ClassVar[str] = (
        "The first to try: nothing to tune, near zero where noise hides the signal, and intervals "
        "with it. It holds a d by d matrix: for d in the thousands take NoisyGradientDescent."
    )
    counting: Expression = constant("0.12")
    correcting: Expression = constant("0.55")
    gram: Expression = constant(35)
    moment: Expression = constant(7)
    squares: Expression = constant(8)
    rounds: Expression = constant(6)
    null: Expression = constant("0.25")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Counts, sums, corrections; each reads what was released before."""
        turns = whole(self.rounds, "rounds", 0, MOST_ROUNDS)
        correcting = self.correcting if turns else constant(0)
        relative = y.scaled(by=y.radius)
        plain = relative.clip(-1, 1)
        sizes = bin_counts(relative, CUTS, absolute=True)
        (for_counts,) = noises(budget, self.counting, [sizes])
        sums = [X.T @ X, X.T @ plain, plain @ plain]
        weights = (self.gram, self.moment, self.squares)
        each = noises(budget, 1 - self.counting - correcting, sums, weights)
        counts = release(sizes, for_counts, name="counts")
        gram = release(X.T @ X, each[0], name="gram")
        strength = 1 / (counts.std**2 * self.counting * X.columns)  # mu^2/d
        n = X.rows if X.unit.relation is REPLACE_ONE else None
        asked_level = post(label_level, counts, counts.std, n, strength)
        level = known(asked_level, CUTS[0], 1, name="level")
        labels = relative.scaled(by=level).clip(-1, 1)
        moment = release(X.T @ labels, each[1], name="moment")
        squares = release(labels @ labels, each[2], name="squares")
        found = (counts, counts.std, gram, gram.std, moment, moment.std, squares, squares.std)
        evidence: Node = post(gathered, n, level, y.radius, *found)
        principal = post(principal_of, gram, gram.std)
        for turn in range(1, turns + 1):
            fit = post(fitted, evidence, principal, X.radius, self.null)
            asked_width = post(residual_width, evidence, fit, y.radius, strength)
            width = known(asked_width, NARROWEST, WIDEST, name=f"width{turn}")
            theta = post(coefficients_of, fit)
            left = y.residuals(X, theta).scaled(by=width * y.radius).clip(-1, 1)
            (noise,) = noises(budget, correcting / turns, [X.T @ left])
            correction = release(X.T @ left, noise, name=f"correction{turn}")
            evidence = post(corrected, evidence, fit, correction, correction.std, width * y.radius)
        return post(finished, evidence, post(fitted, evidence, principal, X.radius, self.null))


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
    level: float,
    bound: float,
    counts: Array,
    counts_std: float,
    gram: Array,
    gram_std: float,
    moment: Array,
    moment_std: float,
    squares: float,
    squares_std: float,
) -> Evidence:
    """What the counts and the sums say; the latter are of labels over level times bound."""
    width, (n, noise) = level * bound, count_of(counts, counts_std, known_count)
    counted, counted_std = counted_squares(counts, counts_std, level)
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
    )


def corrected(
    evidence: Evidence, fit: Posterior, correction: Array, std: float, width: float
) -> Evidence:
    """The evidence and a sum of residuals of a fit, clipped to and over `width`."""
    kept = share_kept(width, residual_deviation(evidence, fit))
    return evidence.with_moment(Seen(width * correction, width * std, fit.mean, width, kept))


def principal_of(gram: Array, std: float) -> Spectrum:
    """Eigenvalues and principal directions of X'X."""
    return spectrum(gram, std, Prior().floor)


def fitted(evidence: Evidence, principal: Spectrum, radius: float, null: float) -> Posterior:
    """What follows from the evidence."""
    return posterior(evidence, radius, Prior(null=null), principal)


def coefficients_of(fit: Posterior) -> Array:
    """Its mean (d,)."""
    return fit.mean


def finished(evidence: Evidence, fit: Posterior) -> JointFit:
    """The mean as coefficients, and what they rest on."""
    theta = fit.mean
    solved = bool(np.all(np.isfinite(theta)))
    return JointFit(theta if solved else np.zeros(len(theta)), solved=solved, evidence=evidence)
