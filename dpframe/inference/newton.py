"""How far one Newton step may be from the minimiser of a loss, from what was released of the step.

By self-concordance, |phi'''| <= bend phi'', the slope of a loss at margin t + s is its tangent at t
but for phi''(t) s^2 bend psi(bend |s|) at most, psi(z) = (e^z - 1 - z)/z^2 [Bach10]. Summed over
records these are at most psi times the step in the norm of the Hessian. Derived on
docs/uncertainty.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import Array
from .evidence import CLEAR, Evidence
from .row_set import Clipped, RowSet
from .spectrum import Directions

FARTHEST = 0.75  # steps of log-odds; from 1 on a minimiser need not exist
SURE = 3.0  # stds of the noise on them
EVENTS = 25.0  # the least number of events along each direction
NEARLY = 1e-3  # below it psi is 1/2


def remainder(
    evidence: Evidence, axes: Directions, theta: Array, private: Array, rows: RowSet
) -> tuple[Clipped, bool]:
    """How far the Newton step that ended at theta (d,), with noise of the covariance `private` (d,
    d), may be from the minimiser: as labels whose clips took that much off them; and whether it is
    short enough for a bound.

    The slope of a loss changes by at least (1 - e^(-bend s))/bend times its curvature over s, so a
    step of z < 1, times bend, is that of a minimiser no farther than -log(1 - z); at 1 none need
    exist, as where one group has one label only. The Hessian norm of the step without its noise is
    at most that of the step, as it was released, with its variance, on average over noise.
    """
    moved, hessian = theta - evidence.moments[0].at, evidence.gram
    noise = rows.norm * math.sqrt(float(np.linalg.eigvalsh(private)[-1]))
    step = evidence.bend * (float(rows.farthest(moved[None])[0]) + SURE * noise)
    if not step < FARTHEST or events(evidence, rows) < EVENTS:
        return Clipped(axes.inverse, rows, math.inf, 0.0, turned=0.0), False
    reach = -math.log1p(-step)
    factor = evidence.bend * excess(reach) * (reach / step) ** 2
    square = float(moved @ hessian @ moved + np.trace(hessian @ private))
    pulled = hessian @ moved
    unsure = 2 * math.sqrt(max(float(pulled @ private @ pulled), 0.0))
    off = Clipped(axes.inverse, rows, factor * max(square, 0.0), factor * unsure, turned=0.0)
    return off, True


def events(evidence: Evidence, rows: RowSet) -> float:
    """The least, over directions, of the curvature that the longest row meets, less two stds of its
    noise: for a rare outcome about the number of records that have it. Few events determine a
    log-odds badly, and its estimate is not normal.
    """
    values, directions = np.linalg.eigh(evidence.gram)
    lengths = evidence.bend * rows.farthest(directions.T)
    return float(np.min((values - CLEAR * evidence.gram_std) / lengths**2))


def excess(reach: float) -> float:
    """psi(z) = (e^z - 1 - z)/z^2 for z >= 0; e^700 and beyond as there."""
    z = min(reach, 700.0)
    return 0.5 if z < NEARLY else (math.expm1(z) - z) / z**2
