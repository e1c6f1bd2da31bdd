"""What an attack is asked to do, and how long it may."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.randomness import Randomness

from .claims import Claim
from .events import Scores

DRAWS, LEAST, MOST = 20_000, 100, 10_000_000
VISIBLE = 0.3  # the delta at epsilon 0 that a claim should have, to be put to the test by few draws
RUNS = 64
Told = Callable[[str], None]
"""is told what is being done"""


@attrs.frozen(eq=False)
class Job:
    """A claim, the number of draws, how likely the bounds may fail together, and the noise."""

    claim: Claim
    draws: int
    failing: float
    randomness: Randomness
    told: Told

    def repeats(self, claim: Claim) -> int:
        """How many runs make one draw, so that what they cost together can be seen."""
        count = 1
        while count < RUNS and claim.times(count).delta(0) < VISIBLE:
            count *= 2
        return count


def summed(scores: Scores, repeats: int) -> Scores:
    """Runs, one after the other, as draws of so many."""
    return Scores(
        *(np.asarray(one.reshape(-1, repeats).sum(axis=1)) for one in (scores.first, scores.second))
    )


def failing_of(confidence: object) -> float:
    """1 - confidence. Raises InvalidArgument."""
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
        raise InvalidArgument("confidence", "a number in (0, 1)", confidence)
    failing = 1 - float(confidence)
    if not 1e-15 < failing < 1:
        raise InvalidArgument("confidence", "in (0, 1), at most 1 - 1e-15", confidence)
    return failing


def draws_of_job(value: object) -> int:
    """A number of draws. Raises InvalidArgument."""
    if isinstance(value, bool) or not isinstance(value, int) or not LEAST <= value <= MOST:
        raise InvalidArgument("draws", f"a whole number from {LEAST} to {MOST}", value)
    return value
