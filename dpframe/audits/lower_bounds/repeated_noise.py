"""Tests that noise is fresh: in every run, in every number, and in every release.

Elsewhere one call makes all draws. Here whole runs follow each other, each release drawn once in
each, in the order of an execution, so that noise that repeats, or that two numbers share, shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np

from dpframe.randomness import Randomness

from .bounds import RUNS, Finding, at_least
from .scores import Array

ENTRIES = 4  # of a release that are compared
FAR = 100  # sizes of noise, beyond which no noise is drawn
TABLE = "runs that follow each other on one table, in each of which all noise is drawn anew"
METHOD = f"{RUNS} runs, one draw of each release in each: Clopper-Pearson bounds"


@attrs.frozen(eq=False)
class RepeatedNoise:
    """The noise of one release: independent numbers from one call, (m,), symmetric about 0. Two
    calls agree in one of them, or in all where `joint`, with probability at most `collision`.
    """

    label: str
    draw: Callable[[Randomness], Array]
    collision: float
    joint: bool = False

    def all_equal(self, count: int) -> float:
        """At least the probability that two calls agree in so many numbers."""
        return min(1.0, self.collision) ** (1 if self.joint else count)


def grid_collision(steps: float) -> float:
    """At least the probability of any one value of noise of a size of so many steps: that of 0 in
    the discrete laws, where 1 + 2 exp(-1/steps) or more is the sum of their weights.
    """
    rate = max(1 / steps, 1 / (2 * steps * steps))
    return min(1 / steps, 1 / (1 + 2 * math.exp(-rate)))


def double_collision(mean: float, size: float) -> float:
    """At least the probability that two doubles near a mean, with noise, are equal."""
    return float(np.spacing(mean + FAR * size)) / size


def freshness_findings(
    noises: list[RepeatedNoise], randomness: Randomness, failing: float
) -> list[Finding]:
    """The bounds that runs prove on noise that is not fresh; wrong with probability at most
    `failing`.
    """
    runs = [[one.draw(randomness) for one in noises] for _ in range(RUNS)]
    drawn = [np.array(values) for values in zip(*runs, strict=True)]
    columns = [_some(one) for one in drawn]
    findings = [_repetition(noises, drawn, failing / 2)]
    if sum(one.shape[1] for one in columns) > 1:
        findings.append(_dependence(noises, columns, failing / 2))
    return findings


def _some(drawn: Array) -> Array:
    """A few columns, evenly spread."""
    many = drawn.shape[1]
    return drawn[:, np.unique(np.linspace(0, many - 1, min(many, ENTRIES)).astype(int))]


def _repetition(noises: list[RepeatedNoise], drawn: list[Array], failing: float) -> Finding:
    """The release whose noise is most often equal in two runs; each run is in one pair."""
    equal = [np.sum(np.all(one[::2] == one[1::2], axis=1)) for one in drawn]
    least = at_least(equal, RUNS // 2, failing / len(noises))
    most = [one.all_equal(part.shape[1]) for one, part in zip(noises, drawn, strict=True)]
    worst = int(np.argmax(least - np.array(most)))
    quantity = f"the chance that two runs have the same noise in {noises[worst].label}"
    return _finding("noise in several runs", quantity, float(least[worst]), most[worst])


def _dependence(noises: list[RepeatedNoise], columns: list[Array], failing: float) -> Finding:
    """The two numbers whose noise most often has the same sign, or opposite signs."""
    signs = np.sign(np.hstack(columns))
    parts = zip(noises, columns, strict=True)
    names = [f"{one.label}[{i}]" for one, part in parts for i in range(part.shape[1])]
    rows, others = np.triu_indices(len(names), 1)
    products = signs[:, rows] * signs[:, others]
    hits = np.stack([(products > 0).sum(axis=0), (products < 0).sum(axis=0)])
    least = np.stack([at_least(part, hits.sum(axis=0), failing / hits.size) for part in hits])
    way, pair = np.unravel_index(int(np.argmax(least)), least.shape)
    sign = ("the same sign", "opposite signs")[int(way)]
    quantity = f"the chance of {sign} in {names[rows[pair]]} and {names[others[pair]]}"
    return _finding("noise of several numbers", quantity, float(least[way, pair]), 0.5)


def _finding(what: str, quantity: str, bound: float, allowed: float) -> Finding:
    fields = {"what": what, "quantity": quantity, "bound": bound, "allowed": allowed}
    return Finding(pair=TABLE, method=METHOD, whole=False, **fields)  # type: ignore[arg-type]
