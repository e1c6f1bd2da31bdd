"""The noise of procedures, recovered from their releases, against the law that is proved."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import attrs
import numpy as np
from scipy.stats import chi as gaussian_length  # of a Gaussian vector
from scipy.stats import gamma as laplace_length  # of a vector of density exp(-|z|/scale)

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

from ..figures import figure
from .bounds import Array, Finding, Reals, at_least
from .neighbours import Neighbours, Space, TableRow
from .two_tables import TableRelease

INSIDE = 0.9  # of the ball: a point on its sphere does not show its noise
RADII = 40
ROWS = 200  # along each of two axes
MANY = 6  # records of a cell along each of two axes


@attrs.frozen(eq=False)
class NoiseLaw:
    """The length of the noise of draws, (n,), infinite where a draw does not show it; and at least
    the probability that it is at most r.
    """

    length: Callable[[Array], Reals]
    below: Callable[[Reals], Reals]


def length_finding(
    law: NoiseLaw, draws: Array, failing: float, label: str, pair: str
) -> Finding | None:
    """The noise is shorter than proved: at a radius chosen on half of the draws, counted on the
    other half. None where the draws do not show the noise.
    """
    length = law.length(draws)
    choosing, counting = np.split(length, [len(length) // 2])
    n, shown = len(counting), choosing[np.isfinite(choosing)]
    if len(shown) < len(length) // 8:
        return None
    radii = np.quantile(shown, np.linspace(0.02, 0.98, RADII))
    hits = np.searchsorted(np.sort(shown), radii, side="right") * n / len(choosing)
    radius = float(radii[int(np.argmax(at_least(hits, n, failing) - law.below(radii)))])
    return Finding(
        what=f"the noise of {label}",
        pair=pair,
        method="the law of the noise: Clopper-Pearson bounds",
        quantity=f"the chance that it is at most {figure(radius, 'up')} long",
        bound=float(at_least(int((counting <= radius).sum()), n, failing)),
        allowed=float(law.below(np.array(radius))) * (1 + 1e-9) + 1e-12,
        whole=False,
    )


def vector_length(drawn: TableRelease) -> NoiseLaw | None:
    """Of L2-Laplace noise, all numbers of one draw together; None for other noise."""
    if not isinstance(drawn.release.mechanism, L2Laplace):
        return None
    d = round(drawn.numbers.up(drawn.release.entries))
    return NoiseLaw(
        lambda draws: np.linalg.norm(draws, axis=1), laplace_length(d, scale=drawn.size).cdf
    )


@singledispatch
def law_of(node: object, running: Execution) -> NoiseLaw | None:
    """The law of a procedure's noise on a table; None where it is not known here."""
    del node, running
    return None


@law_of.register
def _(node: Posterior, running: Execution) -> NoiseLaw | None:
    """(gamma H)^(1/2) (theta - mean) is standard normal."""
    gram, moment = _sums(node, running)
    gamma = node.gamma(running.numbers)
    if not 0 < gamma < math.inf:
        return None
    system = gram + running.numbers.down(node.penalty) * np.eye(len(gram))
    root, mean = np.linalg.cholesky(system), np.linalg.solve(system, moment)
    scale = math.sqrt(gamma)
    return NoiseLaw(
        lambda thetas: np.linalg.norm((thetas - mean) @ root, axis=1) * scale,
        gaussian_length(len(gram)).cdf,
    )


@law_of.register
def _(node: PerturbedMinimum, running: Execution) -> NoiseLaw | None:
    """z = X'y - (X'X + penalty I) theta, inside the ball."""
    gram, moment = _sums(node, running)
    system = gram + running.numbers.up(node.penalty) * np.eye(len(gram))
    radius = INSIDE * running.numbers.down(node.radius)

    def length(thetas: Array) -> Reals:
        lengths = np.linalg.norm(moment - thetas @ system, axis=1)
        return np.asarray(np.where(np.linalg.norm(thetas, axis=1) < radius, lengths, np.inf))

    law = gaussian_length if node.noise == "gaussian" else laplace_length
    return NoiseLaw(length, law(len(gram), scale=running.numbers.up(node.size)).cdf)


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
    up = running.numbers.up
    penalty, d = up(node.penalty), round(up(node.rows.columns))
    below = laplace_length(d, scale=up(node.size)).cdf
    return NoiseLaw(lambda thetas: np.linalg.norm(thetas, axis=1) * penalty, below)


@law_of.register
def _(node: GaussianMixing, running: Execution) -> NoiseLaw | None:
    """k tr((X'X + s^2 I)^-1 W) over all sketches W is chi squared with k d for each."""
    gram = real(node.gram, running.values, running.numbers.towards_zero)
    inverse = np.linalg.inv(gram + node.added(running.numbers) * np.eye(len(gram)))
    sketches, k = node.sizes(running.numbers)

    def length(draws: Array) -> Reals:
        sketched = draws.reshape(len(draws), sketches, *gram.shape)
        return np.asarray(np.sqrt(k * np.einsum("ntij,ij->n", sketched, inverse)))

    return NoiseLaw(length, gaussian_length(sketches * k * len(gram)).cdf)


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
    rate, last = numbers.up(node.rate), len(counts) - 1
    weights = np.array([float(c) * math.exp(-rate * i) for i, c in enumerate(counts)])
    sums = np.cumsum(weights) / weights.sum()

    def length(draws: Array) -> Reals:
        gaps = depths.deepest - depth_of(np.rint(draws / unit), depths.models)
        return np.asarray(np.where(draws.any(axis=1), gaps, np.inf))  # zeros: the test failed

    return NoiseLaw(length, lambda r: sums[np.clip(np.floor(r).astype(int), 0, last)])


def depth_of(points: Array, models: Array) -> Reals:
    """The axis-aligned depth of points (n, d), shape (n,)."""
    depth = np.full(len(points), float(len(models)))
    for x, z in zip(points.T, np.sort(models, axis=0).T, strict=True):
        sides = np.searchsorted(z, x, side="right"), len(z) - np.searchsorted(z, x, side="left")
        depth = np.minimum(depth, np.minimum(*sides))
    return depth


def calm_table(space: Space, node: Node) -> Neighbours:
    """A table on which the noise of a procedure shows, twice."""
    zero, rows = space.row(np.zeros(2)), [space.row(axis) for axis in np.eye(2)] * ROWS
    if isinstance(node, TiltedMinimum):
        rows = [zero] * 2
    elif isinstance(node, DeepPoint):
        rows = _varied(space, node)
    table = space.pair(zero, zero, rows, "").tables[0]
    return Neighbours((table, table), "a table on which the noise shows")


def _varied(space: Space, node: DeepPoint) -> list[TableRow]:
    """Records whose labels make the models of all cells differ."""
    ends = min(space.labels), max(space.labels)
    labels = np.random.default_rng(0).uniform(*ends, (MANY * node.sums[0].partition.cells, 2))
    axes = np.eye(2)
    return [space.row(axis, float(y)) for row in labels for axis, y in zip(axes, row, strict=True)]


def _sums(node: Any, running: Execution) -> tuple[Array, Array]:
    number = running.numbers.towards_zero
    return real(node.gram, running.values, number), real(node.moment, running.values, number)
