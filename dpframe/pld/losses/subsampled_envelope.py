"""The decay of |E e^((c + it)L)| for a subsampled Gaussian: pairs of cells, then variation.

Proved in docs/proofs/subsampling.md: between cells of known mass the cosines cost at least their
nearest ends; and beyond some t, |E| t is at most the variation of the density in L.
"""

from __future__ import annotations

import math
from functools import lru_cache

import attrs
import numpy as np

from . import subsampled_nodes as nodes
from .base import Reals
from .subsampled_nodes import BOTH, MixturePair
from .subsampled_sums import cumulants_of

_CELLS = 96
_SPAN = 24
_SAFE = 1e-9


@attrs.frozen(eq=False)
class Ladder:
    """Cells of the tilted law, and the bound from every power of two of t on."""

    pairs: Reals
    near: Reals
    far: Reals
    masses: Reals
    variations: Reals
    least: int = 0
    bounds: tuple[float, ...] = ()

    def cosines(self, t: float, top: float) -> float:
        """log of a bound on the ratio for t <= s <= top."""
        usable = self.far * top <= math.pi
        lost = self.pairs[usable] @ (1 - np.cos(t * self.near[usable]))
        return 0.5 * math.log1p(-min(float(lost) * (1 - _SAFE), 1 - _SAFE)) + _SAFE

    def beyond(self, t: float) -> float:
        """log of a bound on the ratio for s >= t: the least over cuts of mass + variation/t."""
        return math.log(float((self.masses + self.variations / t).min())) + _SAFE

    def bound(self, t: float) -> float:
        """The envelope at t."""
        if t < math.ldexp(1.0, self.least):
            return 0.0
        rung = math.frexp(t)[1] - 1 - self.least
        if rung >= len(self.bounds) - 1:
            return min(0.0, self.beyond(t))
        top = math.ldexp(1.0, rung + 1 + self.least)
        here = min(self.cosines(t, top), self.beyond(t))
        return min(0.0, max(here, self.bounds[rung + 1]))


def envelope_of(pair: MixturePair, c: float, t: float) -> float:
    """log of a bound on |E e^((c + is)L)|/E e^(cL) for all s >= t."""
    return ladder_of(pair, float(c)).bound(t)


@lru_cache(maxsize=256)
def ladder_of(pair: MixturePair, c: float) -> Ladder:
    """The bounds for one loss on one line; 0 where the cumulant has no error bound."""
    value, error = cumulants_of(pair, np.array([c + 0j]))
    if not error[0] < 1e-6:
        empty = np.zeros(0)
        return Ladder(empty, empty, empty, np.ones(1), np.zeros(1))
    log_whole = float(value[0].real)
    ladder = Ladder(*_pairs(*_cells(pair, c, log_whole)), *_cuts(pair, c, log_whole))
    return _climb(ladder)


def _climb(ladder: Ladder) -> Ladder:
    """From the top down: the bound beyond 2^k holds up to 2^(k+1) and beyond 2^(k+1)."""
    scale = float(np.log2(ladder.variations[0] + 2.0**-60))
    least, top = min(0, math.floor(scale)) - _SPAN, max(0, math.ceil(scale)) + _SPAN
    bounds = [min(0.0, ladder.beyond(math.ldexp(1.0, top)))]
    for k in range(top - 1, least - 1, -1):
        low, high = math.ldexp(1.0, k), math.ldexp(1.0, k + 1)
        here = min(ladder.cosines(low, high), ladder.beyond(low))
        bounds.append(min(0.0, max(here, bounds[-1])))
    return attrs.evolve(ladder, least=least, bounds=tuple(reversed(bounds)))


def _cells(pair: MixturePair, c: float, log_whole: float) -> tuple[Reals, Reals, Reals]:
    """Ends in L and masses from below of cells of the law that e^(cL) tilts."""
    parts = [_part(pair, power, log_whole) for power in pair.powers(c)]
    if pair.direction == BOTH:
        parts[1] = (-parts[1][1], -parts[1][0], parts[1][2])
        zero = np.zeros(1)
        parts.append((zero, zero, np.array([pair.atom * math.exp(-log_whole) * (1 - 1e-6)])))
    return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))  # type: ignore[return-value]


def _part(pair: MixturePair, power: float, log_whole: float) -> tuple[Reals, Reals, Reals]:
    """Cells of x, as log r at their ends, and the least mass of each under phi r^power."""
    moved, width = power * pair.mu, 7.0
    low, high = min(0.0, moved) - width, max(0.0, moved) + width
    if pair.direction == BOTH:
        low, high = pair.mu / 2, max(high, pair.mu / 2 + width)
    x = np.linspace(low, high, int(min(4096, max(64, 4 * (high - low)))) + 1)
    log_r = nodes.log_mixture(pair, pair.mu * (x - pair.mu / 2))
    log_density = power * log_r - x * x / 2 - math.log(nodes.ROOT) - log_whole
    step = (high - low) / (len(x) - 1)
    bulge = max(power, 0.0) * (pair.mu * step) ** 2 / 32
    least = np.minimum(log_density[1:], log_density[:-1]) - bulge - 1e-6
    mass = step * np.exp(np.minimum(least, 0.0 - math.log(step)))
    heavy = np.sort(np.argsort(-mass)[:_CELLS])
    return log_r[:-1][heavy], log_r[1:][heavy], mass[heavy]


def _pairs(lows: Reals, highs: Reals, masses: Reals) -> tuple[Reals, Reals, Reals]:
    """For every two cells: twice the product of masses, least and greatest distance."""
    i, j = np.triu_indices(len(lows), 1)
    near = np.maximum(np.maximum(lows[i] - highs[j], lows[j] - highs[i]), 0.0)
    far = np.maximum(highs[i] - lows[j], highs[j] - lows[i])
    both = 2 * masses[i] * masses[j]
    apart = (near > 0) & (both > 1e-12)
    return both[apart], near[apart] * (1 - _SAFE), far[apart] * (1 + _SAFE)


def _cuts(pair: MixturePair, c: float, log_whole: float) -> tuple[Reals, Reals]:
    """(mass, variation) for cuts of the line, over E e^(cL) and from above.

    |E e^((c + it)L)| is at most the mass below a cut (and in the atom) and, by parts, the variation
    of the density above it over t.
    """
    parts = [_cut(pair, power, c, log_whole) for power in pair.powers(c)]
    atom = pair.atom * math.exp(-log_whole)
    masses: Reals = np.stack([mass for mass, _ in parts]).sum(axis=0) + atom
    variations: Reals = np.stack([variation for _, variation in parts]).sum(axis=0)
    return masses * (1 + 1e-6), np.minimum(variations * (1 + 1e-6), 1e300)


def _cut(pair: MixturePair, power: float, c: float, log_whole: float) -> tuple[Reals, Reals]:
    """At each cut x: mass of phi r^power below, 4 times the largest phi r^power/(log r)' above."""
    low, high = -(c + 2) * pair.mu - 7, (c + 2) * pair.mu + 7
    if pair.direction == BOTH:
        low = pair.mu / 2
    x = np.linspace(low, high, int(min(16384, max(512, 16 * (high - low)))))
    xi, step = pair.mu * (x - pair.mu / 2), (high - low) / (len(x) - 1)
    log_r = nodes.log_mixture(pair, xi)
    density = power * log_r - x * x / 2 - math.log(nodes.ROOT) - log_whole
    slope = nodes.log_share(pair, xi, log_r) + math.log(pair.mu)
    bulge = (1 + max(0.0, -power) * pair.mu**2 / 4) * step**2 / 8 + 1e-6
    cells = step * np.exp(np.minimum(np.maximum(density[1:], density[:-1]) + bulge, 600.0))
    masses = np.concatenate([[0.0], np.cumsum(cells)])
    if pair.direction != BOTH:
        masses[1:] += nodes.TAIL * math.exp(float(density[0]))
    peaks = np.maximum.accumulate((density - slope)[::-1])[::-1] + bulge
    return masses, 4 * np.exp(np.minimum(peaks, 600.0))
