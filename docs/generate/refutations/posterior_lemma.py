"""The lemma that AdaOPS takes its gamma from, against the exact profile of a posterior.

Per record of leverage m and residual r, with l = log(2/delta), at most delta is to be lost beyond

    printed   |log(1 + m) - gamma m r^2/(1 + m)|/2 + m l/2 + sqrt(gamma m l) |r|
    mended    (log(1 + m) + gamma m r^2/(1 + m))/2 + m l + sqrt(2 gamma m l) |r|

The printed one is what adaops.m implements; a text of it was not at hand. [Wang18, Thm 2]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from docs.generate.refutations.posterior_profile import posterior_pair
from dpframe.numbers import Exact, open_unit
from dpframe.numerics.pairs import posterior_pair_delta

from .refutation import Refutation, Rigour

Reals: TypeAlias = np.ndarray
Lemma: TypeAlias = Callable[[Reals, Reals, float], Reals]
"""Epsilon from the leverage, b = sqrt(gamma) |r| and l."""

LEVERAGES = np.geomspace(1e-4, 1, 33)
MEANS = np.geomspace(1e-3, 1e4, 57)
"""sqrt(gamma m) |r|, the shift in stds."""


class Worst(NamedTuple):
    """Violations on the grid of leverages and shifts, and the worst of them."""

    violations: int
    points: int
    epsilon: float
    leverage: float
    b: float


def printed(leverage: Reals, b: Reals, log: float) -> Reals:
    """The lemma as adaops.m implements it."""
    middle = np.abs(np.log1p(leverage) - leverage * b**2 / (1 + leverage)) / 2
    return np.asarray(middle + leverage * log / 2 + np.sqrt(leverage * log) * b)


def mended(leverage: Reals, b: Reals, log: float) -> Reals:
    """The lemma with the tail bound |Z| <= sqrt(2 log(2/delta)), and proved."""
    middle = (np.log1p(leverage) + leverage * b**2 / (1 + leverage)) / 2
    return np.asarray(middle + leverage * log + np.sqrt(2 * leverage * log) * b)


def posterior_lemma(delta: Exact) -> Refutation:
    """The largest exact delta on a grid of leverages and residuals, at the epsilon of the lemma."""
    return _record("lemma of step 7, printed", printed, delta, control=False)


def posterior_lemma_mended(delta: Exact) -> Refutation:
    """The control: the lemma with sqrt(2)."""
    return _record("lemma of step 7, mended", mended, delta, control=True)


def worst(lemma: Lemma, delta: float) -> Worst:
    """Where on the grid the lemma's epsilon is the furthest below the exact one."""
    m, means = (part.ravel() for part in np.meshgrid(LEVERAGES, MEANS))
    b = means / np.sqrt(m)
    epsilon = lemma(m, b, float(np.log(2 / delta)))
    exact = np.asarray(posterior_pair(epsilon, b * b, m, 1.0))
    i = int(np.argmax(exact))
    many = int(np.sum(exact > delta * (1 + 1e-9)))
    return Worst(many, exact.size, float(epsilon[i]), float(m[i]), float(b[i]))


def _record(what: str, lemma: Lemma, delta: Exact, *, control: bool) -> Refutation:
    claimed = float(open_unit("delta", delta))
    at = worst(lemma, claimed)
    exact = posterior_pair_delta(at.epsilon, 1, at.leverage, at.b).lower
    times = f"{exact / claimed:.3g}"
    return Refutation(
        what=what,
        parameters=(("m", f"{at.leverage:.3g}"), ("sqrt(gamma) r", f"{at.b:.3g}")),
        quantity="delta",
        claimed=claimed,
        found=exact,
        rigour=Rigour.PROVED,
        how=f"{at.violations} of {at.points} points violate it, up to {times}-fold",
        control=control,
    )
