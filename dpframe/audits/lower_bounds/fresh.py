"""Whether noise is fresh: in every run, in every number, and in every release.

Draws elsewhere are many of one call. Here whole runs follow each other, each release drawn once in
each, in the order of an execution: noise that comes back, or that two numbers share, is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DPFrameError
from dpframe.execution.draws import ExactDraw
from dpframe.execution.running import ONE, Execution
from dpframe.graph import Loop, Release
from dpframe.mechanisms import AdditiveNoise, Mechanism
from dpframe.numerics.rounding import to_float
from dpframe.privacy import number
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness

from .attack_page import Finding
from .neighbours import Neighbours, Person, Space
from .pairs import FINE, law_of
from .table_releases import TableRelease
from .threshold_events import at_least
from .two_tables import TwoTables, start

Array = NDArray[Any]
RUNS = 64
ENTRIES = 4  # of a release that are compared
TOLD = "runs that follow each other on one table, in each of which all noise is drawn anew"


@attrs.frozen(eq=False)
class RepeatedNoise:
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


def fresh(noises: list[RepeatedNoise], randomness: Randomness, failing: float) -> list[Finding]:
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


def _coming_back(noises: list[RepeatedNoise], drawn: list[Array], failing: float) -> Finding:
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


def _shared(noises: list[RepeatedNoise], columns: list[Array], failing: float) -> Finding:
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


MANY = 16  # numbers of one call of a mechanism
FAR = 100  # sizes of noise, beyond which none is


def of_mechanism(mechanism: Mechanism, sensitivity: Fraction) -> list[RepeatedNoise]:
    """Additive noise, on a grid and in doubles; of other mechanisms nothing is known."""
    if not isinstance(mechanism, AdditiveNoise) or mechanism.selects:
        return []
    kind, size = law_of(mechanism), number(mechanism.noise, mechanism.formula)
    step = Fraction(1) if kind.integer else sensitivity / FINE
    scale, again = to_float(size, up=True), again_of(to_float(size / step, up=False))

    def on_grid(randomness: Randomness) -> Array:
        return kind.on_grid(size / step, MANY, randomness.bits).astype(float)

    def in_doubles(randomness: Randomness) -> Array:
        return kind.sample(scale, (MANY,), randomness.generator, symmetric=False)

    found = [RepeatedNoise("noise on a grid", on_grid, again)] if kind.exact else []
    if not kind.integer:
        found.append(
            RepeatedNoise("noise in doubles", in_doubles, _spacing(0.0, scale), kind.joint)
        )
    return found


def of_certificate(run: AtNumbers, pair: Neighbours, randomness: Randomness) -> list[RepeatedNoise]:
    """Every release of noise on one table, along one history: of rows along two axes, or, where
    that is refused, the first of the pair.
    """
    space = Space.of(run)
    try:
        return list(_noises(run, _calm(space), randomness))
    except DPFrameError:
        return list(_noises(run, Neighbours((pair.tables[0],) * 2, ""), randomness))


def _calm(space: Space) -> Neighbours:
    axes = np.eye(space.widths[0])
    zero = Person(space.along(axes[0] * 0), 0.0)
    return space.pair(zero, zero, [Person(space.along(axis), 0.0) for axis in axes] * 2, "")


def _noises(run: AtNumbers, pair: Neighbours, randomness: Randomness) -> Iterator[RepeatedNoise]:
    loops = {loop.step: loop for loop in run.graph.loops}
    known = set()
    for step in TwoTables.of(run, pair, randomness).steps(randomness):
        one = step.release
        if isinstance(one, Release) and one not in known and not one.noise.selects:
            known.add(one)
            yield of_way(_way(step.running, one, loops.get(one)))


def _way(running: Execution, release: Release, loop: Loop | None) -> TableRelease:
    """One release on what was looked at; of a loop, its first turn on all rows."""
    if loop is None:
        return TableRelease.of(release, running, dict(running.values))
    values = {**running.values, **running.at_point(loop, start(loop, running))}
    return TableRelease.of(attrs.evolve(release, times=ONE, sampled=None), running, values)


def of_way(way: TableRelease) -> RepeatedNoise:
    """The noise of a release, as one execution draws it."""
    mean, release = way.mean, way.release
    upper = np.triu_indices(mean.shape[0]) if release.symmetric else None

    def once(randomness: Randomness) -> Array:
        noise = way.draw.sample(way.values, randomness) - mean
        return np.ravel(noise if upper is None else noise[(..., *upper)])

    again = _spacing(float(np.max(np.abs(mean), initial=0.0)), way.size)
    if isinstance(way.draw, ExactDraw):
        again += max(again_of(float(size)) for size, _ in way.draw.sizes.values())
    return RepeatedNoise(release.label, once, again, type(release.mechanism).joint)


def _spacing(mean: float, size: float) -> float:
    """At least the chance that two doubles near a mean, with noise, are the same."""
    return float(np.spacing(mean + FAR * size)) / size
