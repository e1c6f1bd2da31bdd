"""Privacy profiles of two data sets that differ in one record, enclosed rigorously.

A Gaussian sketch: k rows of N(0, M + x x') against k rows of N(0, M) leak what this pair on the
line does, k times:

    Q = N(0, 1 + m)  against  P = N(0, 1),  m = x' M^-1 x.

Their likelihood ratio is monotone in the sum of squares, so each direction is two values of the
distribution of chi squared with k degrees of freedom. Forward is from Q to P, the record leaves.
The proofs, M1 to M4, are on the page proofs/gaussian_mixing.

A posterior: a sample of N(theta, (gamma H)^-1), for one more record (x, y) of
N(theta', (gamma H')^-1) with H' = H + x x', leaks what this pair on the line does:

    P = N(0, 1)  against  Q = N(sqrt(gamma m) r / (1 + m), 1 / (1 + m)),

m = x' H^-1 x, the leverage, and r = y - x' theta, the residual, both at the smaller data set. Its
log p/q is (u - b)^2 / 2 - K with u = sqrt(m) z, b = sqrt(gamma) |r| and
K = b^2 / (2 (1 + m)) + log(1 + m) / 2, so each profile is four values of the normal cdf. Forward is
from P to Q, the record joins. The proofs, P1 to P4, are on the page proofs/posterior_pair.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import arb
from scipy.special import ndtr

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, as_fraction, nonnegative, open_unit, whole

from .calibrate import boundary
from .profile import Quantity, ball, mills, upper_tail
from .rounding import Interval, arb_float, at_rising_precision

# -------------------------------------------------------------------------------- Gaussian sketches
_ENOUGH = 84
_Profile: TypeAlias = Callable[[arb, arb, Any], arb]


def mixing_pair_forward_ball(epsilon: Quantity, leverage: Quantity, rows: int) -> arb:
    """An enclosure of the profile from Q to P: the record leaves.

    epsilon, leverage >= 0; rows >= 1. At exact numbers or recipes its relative radius is below
    2^-80, unless the profile is below 2^-1100; fixed wide balls give a wide ball.
    """
    return _sharp(_leaving, epsilon, leverage, lambda: rows, -1100)


def mixing_pair_backward_ball(epsilon: Quantity, leverage: Quantity, rows: int) -> arb:
    """An enclosure of the profile from P to Q: the record joins. 0 for 2 epsilon >= k log(1 + m),
    m the leverage.
    """
    return _sharp(_joining, epsilon, leverage, lambda: rows, -1100)


def mixing_pair_delta(epsilon: Exact, leverage: Exact, rows: int) -> Interval:
    """The least delta with both directions (epsilon, delta)-private, over every leverage up to
    `leverage`: both grow with it. (M3)
    """
    at, most = nonnegative("epsilon", epsilon), nonnegative("leverage", leverage)
    count = whole("rows", rows, 1)
    forward = _interval(mixing_pair_forward_ball(at, most, count))
    backward = _interval(mixing_pair_backward_ball(at, most, count))
    return Interval(max(forward.lower, backward.lower), max(forward.upper, backward.upper))


def mixing_pair_leverage(epsilon: Exact, delta: Exact, rows: int) -> float:
    """The largest leverage with mixing_pair_delta(...) <= delta, rounded down: proved to suffice.

    epsilon >= 0, 0 < delta < 1. (M3: there is one, as the profile tends to 0 with the leverage)
    """
    target = open_unit("delta", delta)
    guess = (0.1 + float(nonnegative("epsilon", epsilon))) / (4 * whole("rows", rows, 1) ** 0.5)
    return boundary(lambda m: mixing_pair_delta(epsilon, m, rows).upper > target, guess)[0]


def _interval(value: arb) -> Interval:
    lower, upper = arb_float(value, up=False), arb_float(value, up=True)
    return Interval(max(lower, 0.0), min(max(upper, 0.0), 1.0))


def _sharp(
    profile: _Profile,
    epsilon: Quantity,
    leverage: Quantity,
    other: Callable[[], Any],
    negligible: int | None = None,
) -> arb:
    """profile(epsilon, leverage, other()) at rising precision, until its relative radius is below
    2^-80, or it is proved to be below 2^negligible; always finite.
    """

    def value() -> arb:
        budget, m, last = ball(epsilon), ball(leverage), other()
        if budget < 0 or m < 0:
            raise InvalidArgument("epsilon, leverage", "at least 0", (budget, m))
        at = arb(0) if m.is_zero() else profile(budget, m, last)
        return at if at.is_finite() else arb(0).union(1)

    for at in at_rising_precision(value):
        if at.is_zero() or at.rel_accuracy_bits() >= _ENOUGH:
            break
        if negligible is not None and at < arb(2) ** negligible:
            break
    return at


def _leaving(epsilon: arb, m: arb, rows: int) -> arb:
    """Pr[(1 + m) chi2 > w] - e^epsilon Pr[chi2 > w], w = (1 + m) (k log(1 + m) + 2 epsilon)/m."""
    small = (rows * m.log1p() + 2 * epsilon) / m
    return _above(small, rows) - epsilon.exp() * _above((1 + m) * small, rows)


def _joining(epsilon: arb, m: arb, rows: int) -> arb:
    """Pr[chi2 < w] - e^epsilon Pr[(1 + m) chi2 < w], w = (1 + m) (k log(1 + m) - 2 epsilon)/m."""
    small = (rows * m.log1p() - 2 * epsilon) / m
    if small <= 0:
        return arb(0)
    return (1 - _above((1 + m) * small, rows)) - epsilon.exp() * (1 - _above(small, rows))


def _above(w: arb, rows: int) -> arb:
    """Pr[chi2 > w] with `rows` degrees of freedom."""
    return (w / 2).gamma_upper(arb(rows) / 2, 1)


# --------------------------------------------------------------------------------------- Posteriors
LEVERAGE_LIMIT = Fraction(8, 5)
"""Below (1 + sqrt 5) / 2: up to here the forward profile increases in the leverage. (P3)"""


def posterior_pair_ball(
    epsilon: Quantity, gamma: Quantity, leverage: Quantity, residual: Quantity
) -> arb:
    """An enclosure of the larger direction, which is the forward one (P1), at every argument.

    epsilon, gamma, leverage >= 0; the sign of the residual does not matter. At exact numbers or
    recipes its relative radius is below 2^-80; fixed wide balls give a wide ball.
    """
    return _sharp_posteriors(_joining_posterior, epsilon, gamma, leverage, residual)


def posterior_pair_delta(
    epsilon: Exact, gamma: Exact, leverage: Exact, residual: Exact
) -> Interval:
    """The least delta with both directions (epsilon, delta)-private, for this one pair."""
    scales = nonnegative("gamma", gamma), nonnegative("leverage", leverage)
    exact = nonnegative("epsilon", epsilon), *scales, as_fraction("residual", residual)
    return _interval(posterior_pair_ball(*exact))


def posterior_pair_bound(
    epsilon: Exact, gamma: Exact, leverage: Exact, residual: Exact
) -> Interval:
    """The least delta over every leverage up to `leverage` and |residual| up to `residual`.

    Attained at the corner, which is proved for leverages up to 8/5 and refused beyond. (P2, P3)
    """
    if nonnegative("leverage", leverage) > LEVERAGE_LIMIT:
        wanted = "at most 8/5, up to which the largest leverage is the worst"
        way_out = "Add a ridge of at least the squared norm of a row: then leverages are at most 1."
        raise InvalidArgument("leverage", wanted, leverage, way_out)
    return posterior_pair_delta(epsilon, gamma, leverage, residual)


def posterior_pair_gamma(epsilon: Exact, delta: Exact, leverage: Exact, residual: Exact) -> float:
    """The largest gamma with posterior_pair_bound(...) <= delta. (P2: it increases in gamma)

    Rounded down: proved to suffice. 0 < delta < 1; the residual is not 0.
    """
    target = open_unit("delta", delta)
    if nonnegative("residual", residual) == 0:
        raise InvalidArgument("residual", "above 0", residual, "At 0 gamma does not matter.")
    if not _private(0.0, epsilon, target, leverage, residual):
        way_out = "Lower the leverage by a larger ridge, or raise epsilon or delta."
        raise InvalidArgument("leverage", "so small that some gamma is private", leverage, way_out)
    return boundary(lambda gamma: not _private(gamma, epsilon, target, leverage, residual), 1.0)[0]


def _private(
    gamma: float, epsilon: Exact, delta: Fraction, leverage: Exact, residual: Exact
) -> bool:
    return posterior_pair_bound(epsilon, gamma, leverage, residual).upper <= delta


def _sharp_posteriors(
    profile: _Profile, epsilon: Quantity, gamma: Quantity, leverage: Quantity, residual: Quantity
) -> arb:
    """The profile of a direction in the coordinates of u, from (epsilon, m, b)."""

    def shift() -> arb:
        temperature = ball(gamma)
        if temperature < 0:
            raise InvalidArgument("gamma", "at least 0", temperature)
        return temperature.sqrt() * abs(ball(residual))

    return _sharp(profile, epsilon, leverage, shift)


def _joining_posterior(epsilon: arb, m: arb, b: arb) -> arb:
    """P(|u - b| > w) - e^epsilon Q(|u - b| > w), w^2 = 2 (K + epsilon).

    At the ends of the event e^epsilon q = p, so that a tail of Q is one Mills ratio of p.
    """
    k, root = (1 + m).sqrt(), m.sqrt()
    w = (b * b / (1 + m) + m.log1p() + 2 * epsilon).sqrt()
    sides = (((w + s * b) / root, (k * w + s * b / k) / root) for s in (1, -1))
    return sum((upper_tail(x) - _density(x) * mills(y) / k for x, y in sides), start=arb(0))


def _density(x: arb) -> arb:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def transposed_delta(n: int, epsilon: float, gamma: float, penalty: float) -> float:
    """A lower bound on delta(epsilon) between n rows (1, 1)/sqrt 2 with label 0 and the same with
    one row (1, -1)/sqrt 2 with label 1: of events along one line, in double precision.
    """
    row, other = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    gram = n * np.outer(row, row) + penalty * np.eye(2)
    one, mean = gram + np.outer(other, other), other / (penalty + 1)
    covariances = [_covariance(gram, gamma), _covariance(one, gamma)]
    found = [_along(turn, mean, covariances, epsilon) for turn in np.linspace(0, np.pi, 721)]
    return float(max(found))


def _covariance(system: np.ndarray, gamma: float) -> np.ndarray:
    factor = np.linalg.inv(np.linalg.cholesky(system))
    return np.asarray(factor @ factor.T / gamma)


def _along(turn: float, mean: np.ndarray, covariances: list[np.ndarray], epsilon: float) -> float:
    """The best half-line or its complement along one direction, in both orders."""
    line = np.array([np.cos(turn), np.sin(turn)])
    at, spread = line @ mean, [float(np.sqrt(line @ c @ line)) for c in covariances]
    ends = np.linspace(-12, 12, 241) * max(spread) + np.array([[0.0], [at]])
    p, q = ndtr(ends / spread[0]), ndtr((ends - at) / spread[1])
    sides = [p, 1 - p], [q, 1 - q]
    gaps = [a - np.exp(epsilon) * b for a, b in zip(*sides, strict=True)]
    gaps += [b - np.exp(epsilon) * a for a, b in zip(*sides, strict=True)]
    return float(np.max(gaps))
