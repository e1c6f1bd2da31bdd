"""The privacy profile of a Gaussian sketch with and without one record, enclosed rigorously.

k rows of N(0, M + x x') against k rows of N(0, M) leak what this pair on the line does, k times:

    Q = N(0, 1 + m)  against  P = N(0, 1),  m = x' M^-1 x.

Their likelihood ratio is monotone in the sum of squares, so each direction is two values of the
distribution of chi squared with k degrees of freedom. Forward is from Q to P, the record leaves.
The proofs, M1 to M4, are on the page proofs/gaussian_mixing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, nonnegative, open_unit, whole

from .calibrate import boundary
from .profile import Quantity, ball
from .rounding import Interval, arb_float, at_rising_precision

_ENOUGH = 84
_Profile: TypeAlias = Callable[[arb, arb, int], arb]


def mixing_pair_forward_ball(epsilon: Quantity, leverage: Quantity, rows: int) -> arb:
    """An enclosure of the profile from Q to P: the record leaves.

    epsilon, leverage >= 0; rows >= 1. At exact numbers or recipes its relative radius is below
    2^-80, unless the profile is below 2^-1100; fixed wide balls give a wide ball.
    """
    return _sharp(_forward, epsilon, leverage, rows)


def mixing_pair_backward_ball(epsilon: Quantity, leverage: Quantity, rows: int) -> arb:
    """An enclosure of the profile from P to Q: the record joins. 0 for 2 epsilon >= k log(1 + m),
    m the leverage.
    """
    return _sharp(_backward, epsilon, leverage, rows)


def mixing_pair_delta(epsilon: Exact, leverage: Exact, rows: int) -> Interval:
    """The least delta with both directions (epsilon, delta)-private, over every leverage up to
    `leverage`: both grow with it. (M3)
    """
    exact = (
        nonnegative("epsilon", epsilon),
        nonnegative("leverage", leverage),
        whole("rows", rows, 1),
    )
    forward, backward = (
        _interval(one(*exact)) for one in (mixing_pair_forward_ball, mixing_pair_backward_ball)
    )
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


def _sharp(profile: _Profile, epsilon: Quantity, leverage: Quantity, rows: int) -> arb:
    """The profile at rising precision, until its relative radius is below 2^-80, or it is known to
    be below 2^-1100.
    """
    for at in at_rising_precision(lambda: _at(profile, ball(epsilon), ball(leverage), rows)):
        if at.is_zero() or at.rel_accuracy_bits() >= _ENOUGH or at < arb(2) ** -1100:
            break
    return at


def _at(profile: _Profile, epsilon: arb, leverage: arb, rows: int) -> arb:
    """The profile, always finite."""
    if epsilon < 0 or leverage < 0:
        raise InvalidArgument("epsilon, leverage", "at least 0", (epsilon, leverage), "")
    if leverage.is_zero():
        return arb(0)
    at = profile(epsilon, leverage, rows)
    return at if at.is_finite() else arb(0).union(1)


def _forward(epsilon: arb, m: arb, rows: int) -> arb:
    """Pr[(1 + m) chi2 > w] - e^epsilon Pr[chi2 > w], w = (1 + m) (k log(1 + m) + 2 epsilon)/m."""
    small = (rows * m.log1p() + 2 * epsilon) / m
    return _above(small, rows) - epsilon.exp() * _above((1 + m) * small, rows)


def _backward(epsilon: arb, m: arb, rows: int) -> arb:
    """Pr[chi2 < w] - e^epsilon Pr[(1 + m) chi2 < w], w = (1 + m) (k log(1 + m) - 2 epsilon)/m."""
    small = (rows * m.log1p() - 2 * epsilon) / m
    if small <= 0:
        return arb(0)
    return (1 - _above((1 + m) * small, rows)) - epsilon.exp() * (1 - _above(small, rows))


def _above(w: arb, rows: int) -> arb:
    """Pr[chi2 > w] with `rows` degrees of freedom."""
    return (w / 2).gamma_upper(arb(rows) / 2, 1)
