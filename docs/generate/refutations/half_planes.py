"""A lower bound on the profile of two Gaussian laws in the plane: the best half-plane.

P(E) - e^epsilon Q(E) is a lower bound on delta(epsilon) for every event E. For E = {a'z > t} it is
two values of the normal cdf. The search is in doubles, the value of the best event is enclosed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from flint import arb
from scipy.special import ndtr

from dpframe.numerics.profile import upper_tail
from dpframe.numerics.rounding import arb_float

from .samplers import Law
from .tables import Real

ANGLES = 180


class Event(NamedTuple):
    """{z : a z_1 + b z_2 > t}, by doubles that stand for their exact values."""

    a: float
    b: float
    t: float


class Found(NamedTuple):
    """The best half-plane and its P(E) - e^epsilon Q(E), in doubles."""

    gain: float
    event: Event


def best(p: Law, q: Law, epsilon: float) -> Found:
    """The best of half-planes in `ANGLES` directions, each with its own best thresholds."""
    a, b = _directions(p, q)
    gains, thresholds = on_lines(p.along(a, b), q.along(a, b), epsilon)
    i = int(np.argmax(gains))
    return Found(float(gains[i]), Event(float(a[i]), float(b[i]), float(thresholds[i])))


def _directions(p: Law, q: Law) -> tuple[np.ndarray, np.ndarray]:
    """Directions that are equally spaced where p is round; one of them is that of the shift."""
    low = p.mixed / p.first**0.5
    first, second = p.first**0.5, (p.second - low * low) ** 0.5
    shift = (p.left - q.left) / first
    start = math.atan2((p.right - q.right - low * shift) / second, shift)
    turn = start + np.linspace(0, 2 * math.pi, ANGLES, endpoint=False)
    b = np.sin(turn) / second
    return (np.cos(turn) - low * b) / first, b


def on_lines(
    p: tuple[Real, Real], q: tuple[Real, Real], epsilon: Real
) -> tuple[np.ndarray, np.ndarray]:
    """The best {z > t} for N(mean, variance) against another, elementwise: its gain and its t.

    t is where the densities p and e^epsilon q cross from below; -inf (gain 1 - e^epsilon) where
    they never do.
    """
    mean, variance = p
    with np.errstate(all="ignore"):
        crossing = _upcrossing(q[0] - mean, variance, q[1], epsilon)
        t = np.where(np.isfinite(crossing), crossing + mean, mean + 40 * np.sqrt(variance))
    gain = ndtr((mean - t) / np.sqrt(variance)) - np.exp(epsilon) * ndtr((q[0] - t) / np.sqrt(q[1]))
    return gain, t


def enclosed(p: Law, q: Law, epsilon: arb, event: Event) -> float:
    """P(E) - e^epsilon Q(E), rounded down: a theorem where the laws are enclosures."""
    return arb_float(_tail(p, event) - epsilon.exp() * _tail(q, event), up=False)


def _tail(law: Law, event: Event) -> arb:
    mean, variance = law.along(arb(event.a), arb(event.b))
    return upper_tail((arb(event.t) - mean) / variance.sqrt())


def _upcrossing(shift: Real, p: Real, q: Real, epsilon: Real) -> Real:
    """Where log p/q - epsilon of N(0, p) against N(shift, q) crosses 0 from below.

    It is A z^2 + B z + C with 2 A = 1/q - 1/p, B = -shift/q, and its root with slope + root of the
    discriminant, in the form that does not cancel.
    """
    a, b = (1 / q - 1 / p) / 2, -shift / q
    c = shift * shift / q / 2 + np.log(q / p) / 2 - epsilon
    root = np.sqrt(b * b - 4 * a * c)
    return np.where(b > 0, -2 * c / (b + root), (root - b) / (2 * a))
