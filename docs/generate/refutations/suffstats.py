"""suffstats_perturb.m of the public code of [Wang18]: its output alone leaks all that it releases.

X'X + I and X'y both get noise of std s = sqrt(log(4/delta))/epsilon: epsilon is not split. With
d = 1 and n rows 1 of label 1, n (theta - 1) is, in the limit of large n, Gaussian with std
s sqrt(2) (the noise of X'y, less that of X'X), and moves by 2 when (1, -1) joins: mu = sqrt(2)/s,
which is also mu of both releases together.
"""

from __future__ import annotations

from flint import arb

from dpframe.numbers import Exact

from .limits import limit, refuted_above
from .refutation import Refutation

HOW = "n rows 1 of label 1, n large; (1, -1) joins: n (theta - 1) moves by 2, its std is s sqrt(2)"


def suffstats_output(epsilon: Exact, delta: Exact) -> Refutation:
    """A lower bound on the epsilon at delta of the output of suffstats_perturb.m alone."""
    return limit("suffstats_perturb.m: output alone", _mu, epsilon, delta, HOW)


def suffstats_refuted_above(delta: Exact) -> float:
    """The epsilon from which on suffstats_perturb.m is not private as claimed; rounded up."""
    return refuted_above(_mu, delta)


def _mu(epsilon: arb, delta: arb) -> arb:
    return arb(2).sqrt() * epsilon / (4 / delta).log().sqrt()
