"""The privacy profile of two posteriors that differ by one record, enclosed rigorously.

A sample of N(theta, (gamma H)^-1), for one more record (x, y) of N(theta', (gamma H')^-1) with
H' = H + x x', leaks what this pair on the line does:

    P = N(0, 1)  against  Q = N(sqrt(gamma m) r / (1 + m), 1 / (1 + m)),

m = x' H^-1 x, the leverage, and r = y - x' theta, the residual, both at the smaller data set. Its
log p/q is (u - b)^2 / 2 - K with u = sqrt(m) z, b = sqrt(gamma) |r| and
K = b^2 / (2 (1 + m)) + log(1 + m) / 2, so each profile is four values of the normal cdf. Forward is
from P to Q, the record joins. The proofs, P1 to P4, are on the page proofs/posterior_pair.

How far apart two neighbours are when a posterior is sampled with the factor transposed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import arb
from scipy.special import ndtr

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, as_fraction, nonnegative, open_unit

from .calibrate import boundary
from .profile import Quantity, ball, mills, upper_tail
from .rounding import Interval, arb_float, at_rising_precision

LEVERAGE_LIMIT = Fraction(8, 5)
"""Below (1 + sqrt 5) / 2: up to here the forward profile increases in the leverage. (P3)"""

_ENOUGH = 84
_Profile: TypeAlias = Callable[[arb, arb, arb], arb]


def posterior_pair_ball(
    epsilon: Quantity, gamma: Quantity, leverage: Quantity, residual: Quantity
) -> arb:
    """An enclosure of the larger direction, which is the forward one (P1), at every argument.

    epsilon, gamma, leverage >= 0; the sign of the residual does not matter. At exact numbers or
    recipes its relative radius is below 2^-80; fixed wide balls give a wide ball.
    """
    return _sharp(_forward, epsilon, gamma, leverage, residual)


def posterior_pair_delta(
    epsilon: Exact, gamma: Exact, leverage: Exact, residual: Exact
) -> Interval:
    """The least delta with both directions (epsilon, delta)-private, for this one pair."""
    return _interval(posterior_pair_ball(*_exact(epsilon, gamma, leverage, residual)))


def posterior_pair_bound(
    epsilon: Exact, gamma: Exact, leverage: Exact, residual: Exact
) -> Interval:
    """The least delta over every leverage up to `leverage` and |residual| up to `residual`.

    Attained at the corner, which is proved for leverages up to 8/5 and refused beyond. (P2, P3)
    """
    if nonnegative("leverage", leverage) > LEVERAGE_LIMIT:
        raise InvalidArgument(
            "leverage",
            "at most 8/5, up to which the largest leverage is the worst",
            leverage,
            "Add a ridge of at least the squared norm of a row: then leverages are at most 1.",
        )
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


def _exact(
    epsilon: Exact, gamma: Exact, leverage: Exact, residual: Exact
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    return (
        nonnegative("epsilon", epsilon),
        nonnegative("gamma", gamma),
        nonnegative("leverage", leverage),
        as_fraction("residual", residual),
    )


def _interval(value: arb) -> Interval:
    lower, upper = arb_float(value, up=False), arb_float(value, up=True)
    return Interval(max(lower, 0.0), min(max(upper, 0.0), 1.0))


def _sharp(profile: _Profile, epsilon: Quantity, *others: Quantity) -> arb:
    """The profile at rising precision, until its relative radius is below 2^-80."""
    for at in at_rising_precision(lambda: _at(profile, ball(epsilon), *map(ball, others))):
        if at.is_zero() or at.rel_accuracy_bits() >= _ENOUGH:
            break
    return at


def _at(profile: _Profile, epsilon: arb, gamma: arb, leverage: arb, residual: arb) -> arb:
    """The profile in the coordinates of u, always finite."""
    if epsilon < 0 or gamma < 0 or leverage < 0:
        raise InvalidArgument("epsilon, gamma, leverage", "at least 0", (epsilon, gamma, leverage))
    if leverage.is_zero():
        return arb(0)
    at = profile(epsilon, gamma.sqrt() * abs(residual), leverage)
    return at if at.is_finite() else arb(0).union(1)


def _forward(epsilon: arb, b: arb, m: arb) -> arb:
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
