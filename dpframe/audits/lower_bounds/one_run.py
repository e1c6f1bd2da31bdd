"""Epsilon from one run: canaries included by fair coins, and guesses of who was.

Of r guesses about m canaries at least v are right with probability at most

    P[W >= v] + m delta min(1, 2 max_i P[v > W >= v - i]/i),   W ~ Binomial(r, e^eps/(1 + e^eps)),

under (eps, delta)-differential privacy. [SteinkeNJ23, Thm 5.2] (docs/attacking.md proves it with 1
in the place of the minimum.)
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtrc
from scipy.stats import binom

from dpframe.errors import InvalidArgument

from .events import ROUNDING, Reals

WIDEST = 60.0  # epsilons beyond this are not told apart
HALVINGS = 60


def chance_of(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """At least the chance of `right` or more right guesses among `guesses`, about `canaries`
    canaries, under (epsilon, delta)-differential privacy. Raises InvalidArgument.
    """
    if not 0 <= right <= guesses <= canaries:
        wanted = f"from 0 to {guesses}, the guesses, of at most {canaries} canaries"
        raise InvalidArgument("right guesses", wanted, right)
    accuracy = 1 / (1 + math.exp(-epsilon))
    tail = 1.0 if right == 0 else float(bdtrc(right - 1, guesses, accuracy))
    if delta == 0 or right == 0:
        return min(1.0, tail * (1 + ROUNDING))
    below: Reals = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, accuracy))
    steepest = float(np.max(below / np.arange(1, right + 1)))
    confessed = canaries * delta * min(1.0, 2 * steepest)
    return min(1.0, (tail + confessed) * (1 + ROUNDING))


def epsilon_of(
    right: int, guesses: int, canaries: int, *, delta: float = 0.0, failing: float = 0.05
) -> float:
    """The largest epsilon that so many right guesses refute with confidence 1 - `failing`; 0 where
    they refute none.
    """
    if chance_of(right, guesses, canaries, 0.0, delta) > failing:
        return 0.0
    low, high = 0.0, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if chance_of(right, guesses, canaries, middle, delta) <= failing:
            low = middle
        else:
            high = middle
    return low
