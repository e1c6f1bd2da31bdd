"""The test of the public code of [Amin23] (dp_regression/tukey.py): its noise has the scale
epsilon/2 where 2/epsilon is needed.

d = 1, as many models as rows: whatever the shuffle, the models are those of the rows. The distance
to unsafety is -1 for some tables and large for others, so that on a path that replaces one record
after the other some step goes from at most k to at least k + 1, for every k between. Where the
test fails zeros are released, so that failing is seen; it fails where the distance plus noise stays
at or below the threshold log(1/(2 delta))/(epsilon/2).

Below epsilon = 2 some k betrays more than epsilon. Somewhat beyond, unsafe tables pass too often;
what they then betray is not counted here.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dpframe.numbers import Exact, open_unit, positive
from dpframe.numerics.profile import ball
from dpframe.numerics.rounding import arb_float, working

from .refutation import Refutation, Rigour

_BITS = 512
WHAT = "dp_regression/tukey.py: the test"


def unsafe_distance(epsilon: Exact, delta: Exact, *, mended: bool = False) -> Refutation:
    """A lower bound on the epsilon at delta of the test alone, under replace-one. `mended` is the
    control: noise of scale 2/epsilon, against the half of epsilon that the test is given.
    """
    spent, failing = positive("epsilon", epsilon), open_unit("delta", delta)
    with working(_BITS):
        half = ball(spent / 2)
        scale = 1 / half if mended else half
        threshold = (1 / (2 * ball(failing))).log() / half
        nearest = math.floor(float(threshold.mid()))
        tried = range(max(nearest - 1, 0), nearest + 4)
        found, at = max((_lost(k, threshold, scale, failing), k) for k in tried)
    share = "epsilon/2" if mended else "all of epsilon"
    return Refutation(
        what=f"{WHAT}, noise mended" if mended else WHAT,
        parameters=(("epsilon", f"{float(spent):g}"), ("relation", "replace-one")),
        quantity="epsilon",
        claimed=float(spent / 2) if mended else float(spent),
        found=max(found, 0.0),
        rigour=Rigour.PROVED,
        how=(
            f"d = 1, one row a model; some neighbours have distances of at most {at} and of at "
            f"least {at + 1}, and the test of the first fails more often; against {share}"
        ),
        control=mended,
    )


def _lost(k: int, threshold: arb, scale: arb, delta: Fraction) -> float:
    """log((P - delta)/Q), rounded down: P and Q of failing at distances k and k + 1."""
    first, second = (_fails(distance, threshold, scale) for distance in (k, k + 1))
    gap = first - ball(delta)
    return arb_float((gap / second).log(), up=False) if gap > 0 else 0.0


def _fails(distance: int, threshold: arb, scale: arb) -> arb:
    """The probability that Laplace noise is at most threshold - distance."""
    room = (threshold - distance) / scale
    tail = (-abs(room)).exp() / 2
    return 1 - tail if room > 0 else tail
