"""The noises of a mechanism, and of all releases of a certificate, as single runs draw them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DPFrameError
from dpframe.execution.drawing import ExactDraw
from dpframe.execution.running import ONE, Running
from dpframe.graph import Loop, Release
from dpframe.mechanisms import AdditiveNoise, Mechanism
from dpframe.numerics.rounding import to_float
from dpframe.privacy import number
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness

from .fresh import Noise, again_of
from .pairs import FINE
from .running import Both, start
from .tables import Pair, Person, Space
from .ways import Way

Array = NDArray[Any]
MANY = 16  # numbers of one call of a mechanism
FAR = 100  # sizes of noise, beyond which none is


def of_mechanism(mechanism: Mechanism, sensitivity: Fraction) -> list[Noise]:
    """Additive noise, on a grid and in doubles; of other mechanisms nothing is known."""
    if not isinstance(mechanism, AdditiveNoise):
        return []
    kind, size = type(mechanism), number(mechanism.noise, mechanism.formula)
    step = Fraction(1) if kind.integer else sensitivity / FINE
    scale, again = to_float(size, up=True), again_of(to_float(size / step, up=False))

    def on_grid(randomness: Randomness) -> Array:
        return kind.on_grid(size / step, MANY, randomness.bits).astype(float)

    def in_doubles(randomness: Randomness) -> Array:
        return kind.sample(scale, (MANY,), randomness.generator, symmetric=False)

    found = [Noise("noise on a grid", on_grid, again)] if kind.exact else []
    if not kind.integer:
        found.append(Noise("noise in doubles", in_doubles, _spacing(0.0, scale), kind.joint))
    return found


def of_certificate(run: AtNumbers, pair: Pair, randomness: Randomness) -> list[Noise]:
    """Every release of noise on one table, along one history: of rows along two axes, or, where
    that is refused, the first of the pair.
    """
    space = Space.of(run)
    try:
        return list(_noises(run, _calm(space), randomness))
    except DPFrameError:
        return list(_noises(run, Pair((pair.tables[0],) * 2, ""), randomness))


def _calm(space: Space) -> Pair:
    axes = np.eye(space.widths[0])
    zero = Person(space.along(axes[0] * 0), 0.0)
    return space.pair(zero, zero, [Person(space.along(axis), 0.0) for axis in axes] * 2, "")


def _noises(run: AtNumbers, pair: Pair, randomness: Randomness) -> Iterator[Noise]:
    loops = {loop.step: loop for loop in run.graph.loops}
    known = set()
    for step in Both.of(run, pair, randomness).steps(randomness):
        one = step.release
        if isinstance(one, Release) and one not in known:
            known.add(one)
            yield of_way(_way(step.running, one, loops.get(one)))


def _way(running: Running, release: Release, loop: Loop | None) -> Way:
    """One release on what was looked at; of a loop, its first turn on all rows."""
    if loop is None:
        return Way.of(release, running, dict(running.values))
    values = {**running.values, **running.at_point(loop, start(loop, running))}
    return Way.of(attrs.evolve(release, times=ONE, sampled=None), running, values)


def of_way(way: Way) -> Noise:
    """The noise of a release, as one execution draws it."""
    mean, release = way.mean, way.release
    upper = np.triu_indices(mean.shape[0]) if release.symmetric else None

    def once(randomness: Randomness) -> Array:
        noise = way.draw.sample(way.values, randomness) - mean
        return np.ravel(noise if upper is None else noise[(..., *upper)])

    again = _spacing(float(np.max(np.abs(mean), initial=0.0)), way.size)
    if isinstance(way.draw, ExactDraw):
        again += max(again_of(float(size)) for size, _ in way.draw.sizes.values())
    return Noise(release.label, once, again, type(release.mechanism).joint)


def _spacing(mean: float, size: float) -> float:
    """At least the chance that two doubles near a mean, with noise, are the same."""
    return float(np.spacing(mean + FAR * size)) / size
