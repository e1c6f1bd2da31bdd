"""Whether noise is fresh: in every run, in every number, and in every release.

Draws elsewhere are many of one call. Here whole runs follow each other, each release drawn once in
each, in the order of an execution: noise that comes back, or that two numbers share, is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.randomness import Randomness

from .counts import at_least
from .finding import Finding

Array = NDArray[Any]
RUNS = 64
ENTRIES = 4  # of a release that are compared
TOLD = "runs that follow each other on one table, in each of which all noise is drawn anew"


@attrs.frozen(eq=False)
class Noise:
    """The noise of one release: independent numbers from one call, (m,), symmetric about 0.
    `again` is at least the chance that two calls give one of them the same value.
    """

    label: str
    once: Callable[[Randomness], Array]
    again: float
    joint: bool = False

    def repeated(self, many: int) -> float:
        """At least the chance that two calls give all of so many numbers the same values."""
        return min(1.0, self.again) ** (1 if self.joint else many)


def again_of(steps: float) -> float:
    """At least the chance of any one value of noise of a size of so many steps: that of 0 in the
    discrete laws, where 1 + 2 exp(-1/steps) or more is the sum of their weights.
    """
    rate = max(1 / steps, 1 / (2 * steps * steps))
    return min(1 / steps, 1 / (1 + 2 * math.exp(-rate)))


def fresh(noises: list[Noise], randomness: Randomness, failing: float) -> list[Finding]:
    """What runs prove of noise that is not fresh; wrong with probability at most `failing`."""
    runs = [[one.once(randomness) for one in noises] for _ in range(RUNS)]
    drawn = [np.array([run[i] for run in runs]) for i in range(len(noises))]
    columns = [_some(one) for one in drawn]
    found = [_coming_back(noises, drawn, failing / 2)]
    if sum(one.shape[1] for one in columns) > 1:
        found.append(_shared(noises, columns, failing / 2))
    return found


def _some(drawn: Array) -> Array:
    """A few columns, evenly spread."""
    many = drawn.shape[1]
    return drawn[:, np.unique(np.linspace(0, many - 1, min(many, ENTRIES)).astype(int))]


def _coming_back(noises: list[Noise], drawn: list[Array], failing: float) -> Finding:
    """The release whose noise two runs share most often; each run is in one couple."""
    each = failing / len(noises)
    least = [
        float(at_least(np.sum(np.all(one[::2] == one[1::2], axis=1)), RUNS // 2, each))
        for one in drawn
    ]
    most = [one.repeated(part.shape[1]) for one, part in zip(noises, drawn, strict=True)]
    worst = int(np.argmax(np.array(least) - np.array(most)))
    return _finding(
        "noise in several runs",
        f"the chance that two runs have the same noise in {noises[worst].label}",
        least[worst],
        most[worst],
    )


def _shared(noises: list[Noise], columns: list[Array], failing: float) -> Finding:
    """The two numbers whose noise has the same sign most often, or opposite signs."""
    signs = np.sign(np.hstack(columns))
    names = [
        f"{one.label}[{i}]"
        for one, part in zip(noises, columns, strict=True)
        for i in range(part.shape[1])
    ]
    rows, others = np.triu_indices(len(names), 1)
    products = signs[:, rows] * signs[:, others]
    hits = np.stack([(products > 0).sum(axis=0), (products < 0).sum(axis=0)])
    least = np.stack([at_least(part, hits.sum(axis=0), failing / hits.size) for part in hits])
    way, pair = np.unravel_index(int(np.argmax(least)), least.shape)
    sign = ("the same sign", "opposite signs")[int(way)]
    return _finding(
        "noise of several numbers",
        f"the chance of {sign} in {names[rows[pair]]} and {names[others[pair]]}",
        float(least[way, pair]),
        0.5,
    )


def _finding(what: str, quantity: str, found: float, allowed: float) -> Finding:
    method = f"{RUNS} runs, one draw of each release in each: Clopper-Pearson bounds"
    return Finding(
        what=what,
        pair=TOLD,
        method=method,
        quantity=quantity,
        found=found,
        allowed=allowed,
        whole=False,
    )
