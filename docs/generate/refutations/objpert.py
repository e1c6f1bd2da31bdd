"""ObjPert.m of the public code of [Wang18]: its noise is too small from epsilon = 1.21 on.

Its std is 2 sqrt(4 log(2/delta) + 2 epsilon) / epsilon^2, and theta = H^-1 (X'y - b)/2. Rows of 1/2
with label 1, n of them, d = 1: X'X = n/4, X'y = n/2, so that 2 H (theta - theta_0) moves by
1 + 2 theta_0 = 3 - o(1) when (x, y) = (1, -1) joins; theta_0 comes as near to the constraint
|theta| <= 1 as one likes, with the noise inside it, as n grows.
"""

from __future__ import annotations

from flint import arb

from dpframe.numbers import Exact

from .limits import limit, refuted_above
from .refutation import Refutation

HOW = "n rows 1/2 of label 1, n large; (1, -1) joins: the noisy gradient moves by 3"


def objpert_coded(epsilon: Exact, delta: Exact) -> Refutation:
    """A lower bound on the epsilon at delta of ObjPert.m, called with (epsilon, delta)."""
    return limit("ObjPert.m", _mu, epsilon, delta, HOW)


def objpert_refuted_above(delta: Exact) -> float:
    """The epsilon from which on ObjPert.m is not private as claimed; rounded up."""
    return refuted_above(_mu, delta)


def _mu(epsilon: arb, delta: arb) -> arb:
    return 3 * epsilon**2 / (2 * (4 * (2 / delta).log() + 2 * epsilon).sqrt())
