"""The variance of labels about their regression, from released sums, and its error."""

from __future__ import annotations

import attrs
import numpy as np

from .arrays import Array
from .clipping import square_before
from .evidence import Evidence
from .moments import Model, MomentSystem

KNOWN = 3.0  # stds of its noise that an n or a variance must reach to count as known


@attrs.frozen
class Labels:
    """The mean square of labels before they were clipped, the std of what is released of it, and
    of the released n.
    """

    square: float
    std: float
    count_std: float

    @property
    def taken(self) -> float:
        """The mean square, or where noise hides it what it may well be."""
        return max(self.square, self.std)


@attrs.frozen
class Residual:
    """`variance` about the regression, and the `std` of its error; the mean square that the
    regression has `explained`, and the std of its noise. `taken` is what standard errors count:
    never below `std`.
    """

    variance: float
    std: float
    explained: float = 0.0
    explained_std: float = 0.0

    @property
    def taken(self) -> float:
        """The variance, or where noise hides it what it may well be."""
        return max(self.variance, self.std)

    @property
    def known(self) -> bool:
        """Whether it is clear of its noise."""
        return bool(np.isfinite(self.std)) and self.variance >= KNOWN * self.std


def taken(residual: Residual | None, most: float) -> float:
    """The residual variance that errors count, at most `most`."""
    return most if residual is None else min(residual.taken, most)


def labels(evidence: Evidence, width: float) -> Labels | None:
    """Of y'y and n; None where y'y was not released, or n is lost in noise. `width` is infinite
    where labels were not clipped below their bound, or what clips took was counted: then they took
    about twice the width times it off squares.
    """
    noise, n = evidence.squares_std, evidence.count
    if not (np.isfinite(evidence.squares + noise) and n > KNOWN * evidence.count_std):
        return None
    mean = max(evidence.squares, noise, 0.0) / n
    if not np.isfinite(width):
        lost = 2 * evidence.moments[0].width * evidence.most_lost if evidence.most_lost else 0.0
        return Labels((evidence.squares + lost) / n, noise / n, evidence.count_std)
    middle, high = square_before(mean, width), square_before(mean + noise / n, width)
    return Labels(middle, high - middle, evidence.count_std)


def unexplained(
    stack: MomentSystem, model: Model, theta: Array, covariance: Array, given: Labels
) -> Residual:
    """The residual variance at theta, with errors of `covariance`, times n: y'y - theta'X'y -
    theta'(X'y - X'X theta), where the second sum is the best mean of the moments that estimate it.
    """
    n = stack.count
    weights, noise = best_weights(model, theta)
    explained = theta @ (model.left[0] + stack.values * theta) + weights @ model.left @ theta
    lost = float(np.trace(stack.values[:, None] * covariance))
    explained = float(explained - lost) / n
    variance = given.square - explained
    of_count = variance * given.count_std / n
    explained_std = float(np.sqrt(noise)) / n
    of_sample = 2 * stack.dependent * variance**2 / n
    squared = given.std**2 + explained_std**2 + of_sample + of_count**2
    return Residual(float(variance), float(np.sqrt(squared)), explained, explained_std)


def best_weights(model: Model, theta: Array) -> tuple[Array, float]:
    """Weights (m,) of sum 1 of the moments that give theta'(X'y + their mean) the least privacy
    noise, and its variance.
    """
    m, k = model.apart.shape
    noise = np.einsum("a,iajb,b->ij", theta, model.privacy.reshape(m, k, m, k), theta)
    own = float(model.own[0] * (theta @ theta))
    beside = own * (np.arange(m) == 0)
    system = np.block([[noise, np.ones((m, 1))], [np.ones((1, m)), np.zeros((1, 1))]])
    weights = np.linalg.lstsq(system, np.append(-beside, 1.0), rcond=None)[0][:m]
    return weights, float(weights @ noise @ weights + 2 * weights @ beside + own)
