"""analytic_sigma on boxes: it decreases in epsilon and in delta, so two corners decide.

`point` has log delta to 2^-44: its roundings are fewer than 400 units of 2^-53 (two a step of a
recursion that damps them, 3.4-fold where Mills ratios are subtracted), the start of the recursion
adds one; the largest error measured is six units. So one evaluation of the profile proves an end;
an end that it does not prove comes from ball arithmetic.
"""

from __future__ import annotations

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ..boxes import Bounds, Reals, only
from ..calibrate import analytic_sigma_ball
from ..rounding import arb_float
from .roots import point, root_mu

_TRUST = 2.0**-44  # of log delta, by `point`
_STEP = 2.0**-42  # of mu; log delta moves by more than 0.8 times as much
_NEAR = 1.0
_PLAIN = 1e-290  # above it no intermediate of `point` is subnormal


def sigma_boxes(epsilon: Bounds, delta: Bounds) -> Bounds:
    """The least std at sensitivity 1 for every point of each box, enclosed; undefined where the box
    misses the domain.
    """
    ends = np.broadcast_arrays(*epsilon, *delta)
    columns = np.stack([np.ravel(end) for end in ends])
    inside = (columns[0] <= columns[1]) & (columns[2] <= columns[3])  # no nan
    inside &= (columns[1] >= 0) & (columns[3] > 0) & (columns[2] < 1)
    distinct, place = _distinct(np.where(inside, columns, 0.5))
    low, high = _sigma_of(*distinct)
    low, high = only((low[place], high[place]), inside)
    return low.reshape(ends[0].shape), high.reshape(ends[0].shape)


def _distinct(columns: Reals) -> tuple[Reals, NDArray[np.intp] | slice]:
    """The columns that differ, and where each went; all of them where many may differ."""
    many = np.unique(columns[0]).size * np.unique(columns[2]).size
    if 4 * many > columns.shape[1]:
        return columns, slice(None)
    code = np.zeros(columns.shape[1], dtype=np.int64)  # below 2^52, as a block is short
    for row in columns:
        levels, level = np.unique(row, return_inverse=True)
        code = code * levels.size + level
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return columns[:, first], place


def _sigma_of(
    least_epsilon: Reals, most_epsilon: Reals, least_delta: Reals, most_delta: Reals
) -> Bounds:
    """Of boxes that meet the domain, which they may leave: then an end is 0 or infinite."""
    bounded, noisy = least_delta > 0, (most_delta < 1) & (most_epsilon < np.inf)
    strict = np.maximum(least_epsilon, 0), np.where(bounded, least_delta, 0.5)
    loose = np.where(noisy, most_epsilon, 0.5), np.where(noisy, most_delta, 0.5)
    mu = root_mu(*strict)
    high = np.where(bounded, _sigma_end(*strict, mu, up=True), np.inf)
    low = np.where(noisy, _sigma_end(*loose, mu, up=False), 0.0)
    return low, high


def _sigma_end(epsilon: Reals, delta: Reals, guess: Reals, *, up: bool) -> Reals:
    """The least std at points, rounded to a side: near the guess, near a root, or from a ball."""
    step = 1 - _STEP if up else 1 + _STEP
    mu = guess * step
    proved = _is_proved(epsilon, delta, mu, up=up)
    again = np.flatnonzero(~proved)
    if again.size:
        mu[again] = root_mu(epsilon[again], delta[again]) * step
        proved[again] = _is_proved(epsilon[again], delta[again], mu[again], up=up)
    sigma = np.nextafter(1 / mu, np.inf if up else 0)
    for i in np.flatnonzero(~proved):
        ball = analytic_sigma_ball(arb(epsilon[i]), arb(delta[i]))
        sigma[i] = max(arb_float(ball, up=up), 0.0)  # both ends of an unbounded ball are infinite
    return sigma


def _is_proved(epsilon: Reals, delta: Reals, mu: Reals, *, up: bool) -> NDArray[np.bool_]:
    """Is delta(epsilon; mu) < delta (then 1/mu is enough noise: an upper end), or > delta?

    For delta > 1/2 it evaluates 1 - delta. `point` cuts its argument where sign t < -3/4.
    """
    large = delta > 0.5
    sign, target = np.where(large, -1.0, 1.0), np.where(large, 1 - delta, delta)
    at = point(epsilon, mu, sign)
    beyond = at.log_over(target) * (-sign if up else sign)
    plain = (mu > _PLAIN) & (target > _PLAIN * 1e-10) & (sign * at.t > -0.75)
    return np.asarray(plain & (beyond > _TRUST) & (beyond < _NEAR))
