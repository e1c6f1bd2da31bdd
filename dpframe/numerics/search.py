"""The place where a monotone test turns true, between two neighbouring doubles."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

_INFINITY = 0x7FF0000000000000


def boundary(test: Callable[[float], bool], guess: float) -> tuple[float, float]:
    """Neighbouring doubles (below, above): `test` is false at `below` and true at `above`.

    `test` is monotone on the positive doubles, from false to true; it is never called at 0, which
    counts as false, nor at infinity, which counts as true. `guess` costs or saves time only. A
    test that is not quite monotone (it may answer "not proved" near the boundary) still ends
    between a false and a true answer.
    """
    start = _ordinal(guess) if 0 < guess < math.inf else _ordinal(1.0)
    false, true = _bracket(test, min(max(start, 1), _INFINITY - 1))
    while true - false > 1:
        middle = (false + true) // 2
        if test(_double(middle)):
            true = middle
        else:
            false = middle
    return _double(false), _double(true)


def newton(gap_and_slope: Callable[[float], tuple[float, float]], start: float) -> float:
    """A double near the positive root of `gap`, by at most 40 Newton steps from `start`.

    Only a guess: nothing is promised about it.
    """
    point = start
    for _ in range(40):
        gap, slope = gap_and_slope(point)
        if not (math.isfinite(gap) and math.isfinite(slope) and slope != 0):
            break
        following = point - gap / slope
        if not 0 < following < math.inf:
            following = point / 8
        if abs(following - point) <= 1e-9 * point:
            return following
        point = following
    return point


def _bracket(test: Callable[[float], bool], start: int) -> tuple[int, int]:
    """Ordinals of a false and a true double around `start`, at distances that double."""
    stride, rising = 1, not test(_double(start))
    near = start
    while True:
        far = min(start + stride, _INFINITY) if rising else max(start - stride, 0)
        turned = far in (0, _INFINITY) or test(_double(far)) == rising
        if turned:
            return (near, far) if rising else (far, near)
        near, stride = far, 2 * stride


def _ordinal(value: float) -> int:
    """The rank of a double >= 0 among the doubles >= 0."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _double(ordinal: int) -> float:
    """The double >= 0 of this rank."""
    return float(struct.unpack("<d", struct.pack("<q", ordinal))[0])
