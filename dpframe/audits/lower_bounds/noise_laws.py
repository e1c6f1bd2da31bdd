"""Procedures: their noise, recovered from what they release, against the law that is proved."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, gammainc

from dpframe.execution.running import Execution
from dpframe.execution.totals import real
from dpframe.graph import Node
from dpframe.graph.procedures import (
    ApproximateMinimum,
    DeepPoint,
    GaussianMixing,
    PerturbedMinimum,
    Posterior,
    TiltedMinimum,
)
from dpframe.mechanisms import L2Laplace
from dpframe.randomness import Randomness

from .neighbours import Neighbours, Person, Space
from .table_releases import TableRelease
from .threshold_events import Reals, at_least
from .two_tables import procedure_draws

Array = NDArray[Any]
INSIDE = 0.9  # of the ball: what lies on its sphere does not tell its noise
RADII = 40
ROWS = 200  # along each of two axes
MANY = 6  # records of a cell along each of two axes


@attrs.frozen(eq=False)
class NoiseLaw:
    """How long the noise of a draw was, (n,), infinite where it cannot be told, and at most how
    likely it is to be no longer than r.
    """

    length: Callable[[Array], Reals]
    below: Callable[[Reals], Reals]


@attrs.frozen
class Short:
    """The noise is at most `radius` long with probability at least `found`, where at most
    `allowed` is proved.
    """

    radius: float
    found: float
    allowed: float

    @property
    def flagged(self) -> bool:
        """Whether there is less noise than was proved."""
        return self.found > self.allowed


@singledispatch
def law_of(node: object, running: Execution) -> NoiseLaw | None:
    """The law of a procedure's noise on a table; None for one that is not known here."""
    del node, running
    return None


def shortness(
    node: Node, running: Execution, n: int, randomness: Randomness, failing: float
) -> Short | None:
    """Whether the noise of a procedure is shorter than proved. None where the law is not known, or
    the table does not show the noise.
    """
    law = law_of(node, running)
    if law is None:
        return None
    return shorter(law.length(procedure_draws(running, node, n, randomness)), law, failing)


def shortness_of(way: TableRelease, n: int, randomness: Randomness, failing: float) -> Short | None:
    """The same of L2-Laplace noise, all numbers of one draw together; None for other noise."""
    if not isinstance(way.release.mechanism, L2Laplace):
        return None
    noise = (way.many(n, randomness) - way.mean).reshape(n, -1)
    d = round(way.numbers.up(way.release.entries))
    law = NoiseLaw(
        lambda draws: np.linalg.norm(draws, axis=1), _below(gaussian=False, size=way.size, d=d)
    )
    return shorter(law.length(noise), law, failing)


def shorter(length: Reals, law: NoiseLaw, failing: float) -> Short | None:
    """A radius from half of the draws, counted on the other half."""
    n = len(length)
    chosen, counted = length[: n // 2], length[n // 2 :]
    told = chosen[np.isfinite(chosen)]
    if len(told) < n // 8:
        return None
    radii = np.quantile(told, np.linspace(0.02, 0.98, RADII))
    hits = np.searchsorted(np.sort(told), radii, side="right") * len(counted) / len(chosen)
    gains = at_least(hits, len(counted), failing) - law.below(radii)
    radius = float(radii[int(np.argmax(gains))])
    found = float(at_least(int((counted <= radius).sum()), len(counted), failing))
    return Short(radius, found, float(law.below(np.array(radius))) * (1 + 1e-9) + 1e-12)


@law_of.register
def _(node: Posterior, running: Execution) -> NoiseLaw | None:
    """(gamma H)^(1/2) (theta - mean) is standard normal."""
    gram, moment = _sums(node, running)
    gamma = node.gamma(running.numbers)
    if not 0 < gamma < math.inf:
        return None
    system = gram + running.numbers.down(node.penalty) * np.eye(len(gram))
    root, mean, d = np.linalg.cholesky(system), np.linalg.solve(system, moment), len(gram)
    scale = math.sqrt(gamma)
    return NoiseLaw(
        lambda thetas: np.linalg.norm((thetas - mean) @ root, axis=1) * scale,
        lambda r: np.asarray(chdtr(d, r * r)),
    )


@law_of.register
def _(node: PerturbedMinimum, running: Execution) -> NoiseLaw | None:
    """z = X'y - (X'X + penalty I) theta, inside the ball."""
    gram, moment = _sums(node, running)
    system = gram + running.numbers.up(node.penalty) * np.eye(len(gram))
    radius = INSIDE * running.numbers.down(node.radius)

    def length(thetas: Array) -> Reals:
        found = np.linalg.norm(moment - thetas @ system, axis=1)
        return np.asarray(np.where(np.linalg.norm(thetas, axis=1) < radius, found, np.inf))

    size, d = running.numbers.up(node.size), len(gram)
    return NoiseLaw(length, _below(gaussian=node.noise == "gaussian", size=size, d=d))


@law_of.register
def _(node: ApproximateMinimum, running: Execution) -> NoiseLaw | None:
    """That of its minimum: more independent noise makes no z likelier to be short. (Anderson's
    inequality, for densities that fall away from 0 in every direction.)
    """
    return law_of(node.minimum, running)


@law_of.register
def _(node: TiltedMinimum, running: Execution) -> NoiseLaw | None:
    """z = -penalty theta on rows of zeros, which have no gradient."""
    if node.size is None:
        return None
    numbers = running.numbers
    penalty, size = numbers.up(node.penalty), numbers.up(node.size)
    d = round(numbers.up(node.rows.columns))
    length = _below(gaussian=False, size=size, d=d)
    return NoiseLaw(lambda thetas: np.linalg.norm(thetas, axis=1) * penalty, length)


@law_of.register
def _(node: GaussianMixing, running: Execution) -> NoiseLaw | None:
    """k tr((X'X + s^2 I)^-1 W) over all sketches W is chi squared with k d for each."""
    gram = real(node.gram, running.values, running.numbers.towards_zero)
    inverse = np.linalg.inv(gram + node.added(running.numbers) * np.eye(len(gram)))
    sketches, k = node.sizes(running.numbers)
    freedom = sketches * k * len(gram)

    def length(drawn: Array) -> Reals:
        found = drawn.reshape(len(drawn), sketches, *gram.shape)
        return np.asarray(np.sqrt(k * np.einsum("ntij,ij->n", found, inverse)))

    return NoiseLaw(length, lambda r: np.asarray(chdtr(freedom, r * r)))


@law_of.register
def _(node: DeepPoint, running: Execution) -> NoiseLaw | None:
    """How much shallower a point is than the deepest: depth k has weight e^(rate k) a point."""
    numbers, number = running.numbers, running.numbers.towards_zero
    depths = node.depths({one: real(one, running.values, number) for one in node.sums}, numbers)
    unit = float(node.coefficients(np.ones(1), numbers)[0])
    shells = range(depths.deepest, getattr(node, "least", 0) - 1, -1)
    counts = [depths.points(k) - depths.points(k + 1) for k in shells]
    if not counts:
        return None
    rate = numbers.up(node.rate)
    weights = np.array([float(c) * math.exp(-rate * i) for i, c in enumerate(counts)])
    sums = np.cumsum(weights) / weights.sum()

    def length(drawn: Array) -> Reals:
        found = depths.deepest - depth_of(np.rint(drawn / unit), depths.models)
        return np.asarray(np.where(drawn.any(axis=1), found, np.inf))  # zeros: the test failed

    last = len(sums) - 1
    return NoiseLaw(length, lambda r: sums[np.clip(np.floor(r).astype(int), 0, last)])


def depth_of(points: Array, models: Array) -> Reals:
    """The axis-aligned depth of points (n, d), shape (n,)."""
    found = np.full(len(points), float(len(models)))
    for x, z in zip(points.T, np.sort(models, axis=0).T, strict=True):
        sides = np.searchsorted(z, x, side="right"), len(z) - np.searchsorted(z, x, side="left")
        found = np.minimum(found, np.minimum(*sides))
    return found


def spread(space: Space, node: DeepPoint) -> list[Person]:
    """Records whose labels make the models of all cells differ."""
    ends = min(space.labels), max(space.labels)
    labels = np.random.default_rng(0).uniform(*ends, (MANY * node.sums[0].partition.cells, 2))
    axes = [space.along(axis) for axis in np.eye(2)]
    return [Person(axis, float(y)) for row in labels for axis, y in zip(axes, row, strict=True)]


def calm(space: Space, node: Node) -> Neighbours:
    """A table that leaves the noise of a procedure in sight, twice."""
    zero = Person(space.along(np.zeros(2)), 0.0)
    many = [Person(space.along(axis), 0.0) for axis in np.eye(2)] * ROWS
    if isinstance(node, DeepPoint):
        many = spread(space, node)
    people = [zero] * 2 if isinstance(node, TiltedMinimum) else many
    found = space.pair(zero, zero, people, "a table on which the noise can be told")
    return Neighbours((found.tables[0], found.tables[0]), found.told.rpartition("; ")[2])


def _sums(node: Any, running: Execution) -> tuple[Array, Array]:
    number = running.numbers.towards_zero
    return real(node.gram, running.values, number), real(node.moment, running.values, number)


def _below(*, gaussian: bool, size: float, d: int) -> Callable[[Reals], Reals]:
    """The distribution of the length of a Gaussian vector, or of density exp(-|z|/size)."""
    if gaussian:
        return lambda r: np.asarray(chdtr(d, (r / size) ** 2))
    return lambda r: np.asarray(gammainc(d, r / size))
