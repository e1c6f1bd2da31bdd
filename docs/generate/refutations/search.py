"""The search over neighbouring tables: a grid of one family, then random steps from its best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import attrs
import numpy as np

from .half_planes import Found, best
from .samplers import Law
from .tables import Pair, at

Laws: TypeAlias = Callable[[Pair], tuple[Law, Law]]
"""The laws of the output under both tables, in doubles."""

TURNS = 16
HEIGHTS = (0.0, 0.3, 0.6, 1.0, 1.5)
STEPS = 60
STRIDE = 0.15


class Searched(NamedTuple):
    """The best pair, whether its larger table comes first, and the best half-plane for it."""

    found: Found
    pair: Pair
    swapped: bool


def search(
    laws: Laws, rows: int, height: float, epsilon: float, seed: int, *, replaced: bool = False
) -> Searched:
    """The pair of tables with the largest gain, in both directions of one relation.

    `height` is about the ridge: it says how far rows must lean towards v for the longest theta.
    """
    pairs = _grid(rows, height, replaced=replaced)
    tried = (_tried(laws, pair, epsilon, swapped=swap) for pair in pairs for swap in (False, True))
    ahead = max(tried, key=_gain)
    rng = np.random.default_rng(seed)
    for _ in range(STEPS):
        moved = _moved(ahead.pair, rng)
        ahead = max(ahead, _tried(laws, moved, epsilon, swapped=ahead.swapped), key=_gain)
    return ahead


def _grid(rows: int, height: float, *, replaced: bool) -> Iterator[Pair]:
    for turn in range(1 - TURNS // 2, TURNS // 2):
        for part in HEIGHTS:
            lean = math.asin(min(part * math.sqrt(height / rows), 0.7))
            yield Pair(rows, at(turn * math.pi / TURNS), at(lean), at(math.pi / 2), replaced)


def _tried(laws: Laws, pair: Pair, epsilon: float, *, swapped: bool) -> Searched:
    first, second = laws(pair)
    found = best(second, first, epsilon) if swapped else best(first, second, epsilon)
    return Searched(found, pair, swapped)


def _moved(pair: Pair, rng: np.random.Generator) -> Pair:
    """The pair with its three angles moved a little."""
    turn, lean, angle = (2 * math.atan(t) for t in (pair.turn, pair.lean, pair.angle))
    steps = rng.normal(0, STRIDE, 3)
    turn, lean, angle = turn + steps[0], lean * math.exp(steps[1]), angle + steps[2]
    return attrs.evolve(pair, turn=at(turn), lean=at(lean), angle=at(angle))


def _gain(searched: Searched) -> float:
    return searched.found.gain
