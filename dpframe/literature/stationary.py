"""Where the gradient of a noisy quadratic with a penalty vanishes, at a minimum or not:
post-processing, ordinary numpy on noisy values and public numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpframe.regressions.functional import form_of_monomials
from dpframe.regressions.penalised import Quadratic
from dpframe.regressions.solve import Fit

Array = NDArray[Any]
TURNS = 50  # of the path, at most, for each coefficient


def stationary_fit(coefficients: Array, unit: float, bound: float, lam: float, alpha: float) -> Fit:
    """The stationary point of the noisy polynomial plus lam (alpha |theta|_2^2 + (1 - alpha)
    |theta|_1). [Dandekar18, Eq. 3, 5, 9]
    """
    form = form_of_monomials(coefficients, unit, bound)
    theta = stationary(form, lam * alpha, lam * (1 - alpha))
    solved = theta is not None and bool(np.isfinite(theta).all())
    found = theta if theta is not None and solved else np.zeros(len(form.b))
    return Fit(found, lam * alpha, lam * alpha == 0, solved)


class PathSegment(NamedTuple):
    """theta = p - t q on a segment of the path; the gradient without |theta|_1 is 2 (g + t m)."""

    p: Array
    q: Array
    g: Array
    m: Array


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def stationary(form: Quadratic, square: float, absolute: float) -> Array | None:
    """A zero of b - H theta - absolute/2 sign(theta), H = A + square I, where a sign of 0 is any
    number in [-1, 1]; None where the search does not end, as for a singular H.

    At absolute = 0 it is H^-1 b. As the penalty t absolute grows from t = 0 to 1 the zeros form a
    path of straight segments, which is followed, back in t where it turns. It cannot end before 1:
    zeros stay bounded and there is one at 0. Of a convex form it ends at the minimiser.
    """
    H = form.A + square * np.eye(len(form.b))
    try:
        signs = np.sign(np.linalg.solve(H, form.b))
        return _follow_path(H, form.b, absolute / 2, signs)
    except np.linalg.LinAlgError:
        return None


def _follow_path(H: Array, b: Array, half: float, signs: Array) -> Array | None:
    t, forward, last = 0.0, 1.0, (-1, 0.0)  # `last`: what changed, and at which sign it stands
    for _ in range(TURNS * len(b)):
        segment = _segment(H, b, half, signs)
        ends = [
            (end, j, sign)
            for j, sign, end in _ends(segment, half, signs)
            if (j, sign) != last and forward * (end - t) > 0
        ]
        end, j, sign = min(ends, key=lambda one: abs(one[0] - t), default=(np.inf, -1, 0.0))
        if forward > 0 and end >= 1:
            return segment.p - segment.q
        if not 0 <= end < 1:
            return None
        t, entered = end, signs[j] == 0
        signs = signs.copy()
        signs[j] = sign if entered else 0.0
        new = _segment(H, b, half, signs)
        forward = np.sign(-sign * new.q[j] if entered else half - sign * new.m[j])
        last = (j, sign)
    return None


def _segment(H: Array, b: Array, half: float, signs: Array) -> PathSegment:
    """The path where theta has these signs."""
    active, d = signs != 0, len(b)
    p, q = np.zeros(d), np.zeros(d)
    if active.any():
        sides = np.column_stack([b[active], half * signs[active]])
        p[active], q[active] = np.linalg.solve(H[np.ix_(active, active)], sides).T
    return PathSegment(p, q, b - H @ p, H @ q)


def _ends(segment: PathSegment, half: float, signs: Array) -> list[tuple[int, float, float]]:
    """(coefficient, sign, t): where one becomes 0, or one that is 0 leaves it with this sign."""
    found = []
    for j, sign in enumerate(signs):
        if sign != 0:
            found.append((j, sign, segment.p[j] / segment.q[j]))
        else:
            found += [(j, s, segment.g[j] / (s * half - segment.m[j])) for s in (1.0, -1.0)]
    return found
