"""Where the nodes of an acyclic graph stand: in layers, with few crossings, under what they read.

Longest paths give layers, barycentres the order within a layer (Sugiyama, Tagawa, Toda 1981), and a
linear program the places (Gansner, Koutsofios, North, Vo 1993).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs
import numpy as np
from scipy.optimize import linprog

SWEEPS = 12
PULLS = (1.0, 2.0, 8.0)  # of an edge with so many ends that pass a layer: long edges run upright
CENTRED, NARROW = 0.5, 4.0  # pulls of a node to the mean of what it is linked with; of the width
THROUGH = 0.25  # width of an edge that passes a layer, in widths of a node


@attrs.frozen
class Layout:
    """Places of nodes 0, 1, ...: `layer` from 0 at the top, `across` in widths of a node from 0.

    `paths` has the places (across, layer) that the edge (read, reader) goes through, ends included.
    """

    layer: tuple[int, ...]
    across: tuple[float, ...]
    paths: Mapping[tuple[int, int], tuple[tuple[float, int], ...]]

    @property
    def width(self) -> float:
        """Of the picture, in widths of a node, from the first centre to the last."""
        passing = (x for path in self.paths.values() for x, _ in path)
        return max([*self.across, *passing])


def layout(reads: Sequence[Sequence[int]], gap: float = 0.16) -> Layout:
    """Places for nodes in topological order, where node i reads `reads[i]`; `gap` in widths."""
    layer = layers(reads)
    chains, slots = _chains(reads, layer)
    rows = _ordered(chains, slots)
    places = _places(rows, chains, len(reads), gap)
    paths = {
        edge: tuple((places[slot], slots[slot]) for slot in chain) for edge, chain in chains.items()
    }
    return Layout(tuple(layer), tuple(places[i] for i in range(len(reads))), paths)


def layers(reads: Sequence[Sequence[int]]) -> list[int]:
    """The longest path from the top; then what is read late moves down to its first reader."""
    found: list[int] = []
    for inputs in reads:
        found.append(max((found[i] for i in inputs), default=-1) + 1)
    readers: list[list[int]] = [[] for _ in reads]
    for node, inputs in enumerate(reads):
        for i in inputs:
            readers[i].append(node)
    for node in reversed(range(len(reads))):
        if readers[node] and len(readers[node]) >= len(reads[node]):
            found[node] = min(found[one] for one in readers[node]) - 1
    return found


Edge = tuple[int, int]


def _chains(
    reads: Sequence[Sequence[int]], layer: Sequence[int]
) -> tuple[dict[Edge, list[int]], list[int]]:
    """Each edge as slots, one a layer: its ends, and places of its own in between. And the layer of
    every slot.
    """
    slots = list(layer)
    chains: dict[Edge, list[int]] = {}
    for node, inputs in enumerate(reads):
        for i in inputs:
            between = range(layer[i] + 1, layer[node])
            chains[i, node] = [i, *range(len(slots), len(slots) + len(between)), node]
            slots += between
    return chains, slots


def _links(chains: Mapping[Edge, Sequence[int]], count: int) -> tuple[list[list[int]], ...]:
    """The slots above and below each slot."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for chain in chains.values():
        for high, low in pairwise(chain):
            above[low].append(high)
            below[high].append(low)
    return above, below


def _ordered(chains: Mapping[Edge, Sequence[int]], slots: Sequence[int]) -> list[list[int]]:
    """The slots of each layer from left to right, in the best of some sweeps up and down."""
    rows: list[list[int]] = [[] for _ in range(max(slots) + 1)]
    for slot, place in enumerate(slots):
        rows[place].append(slot)
    above, below = _links(chains, len(slots))
    best, fewest = [list(row) for row in rows], crossings(rows, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            _sort(row, above if down else below, rows)
        count = crossings(rows, below)
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def _sort(row: list[int], linked: Sequence[Sequence[int]], rows: Sequence[Sequence[int]]) -> None:
    """By the mean place of what each is linked with; the others keep their places."""
    place = {slot: i for one in rows for i, slot in enumerate(one)}
    mean = {
        slot: sum(place[one] for one in linked[slot]) / len(linked[slot])
        if linked[slot]
        else float(place[slot])
        for slot in row
    }
    row.sort(key=lambda slot: (mean[slot], place[slot]))


def crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges cross between neighbouring layers."""
    count = 0
    for upper, lower in pairwise(rows):
        place = {slot: i for i, slot in enumerate(lower)}
        ends = [place[one] for slot in upper for one in sorted(below[slot], key=place.__getitem__)]
        count += sum(a > b for i, a in enumerate(ends) for b in ends[i + 1 :])
    return count


def _places(
    rows: Sequence[Sequence[int]], chains: Mapping[Edge, Sequence[int]], nodes: int, gap: float
) -> list[float]:
    """Across: the least sum of pulls, each slot no nearer to the next than it is wide."""
    count = sum(map(len, rows))
    unit = np.eye(count + 1)  # the last one is the width of the picture
    terms = [
        (PULLS[(high >= nodes) + (low >= nodes)], unit[high] - unit[low])
        for chain in chains.values()
        for high, low in pairwise(chain)
    ]
    terms += [
        (CENTRED, unit[slot] - unit[some].mean(axis=0))
        for linked in _links(chains, count)
        for slot, some in enumerate(linked)
        if len(some) > 1
    ]
    wide = [1.0 if slot < nodes else THROUGH for slot in range(count)]
    apart = [(unit[count] - unit[slot], 0.0) for slot in range(count)]
    for row in rows:
        apart += [(unit[b] - unit[a], (wide[a] + wide[b]) / 2 + gap) for a, b in pairwise(row)]
    moved = np.array([term for _, term in terms]).reshape(len(terms), count + 1)
    steps, none = np.array([step for step, _ in apart]), np.zeros((len(apart), len(terms)))
    size = np.eye(len(terms))
    found = linprog(
        [*np.zeros(count), NARROW, *(pull for pull, _ in terms)],
        A_ub=np.block([[moved, -size], [-moved, -size], [-steps, none]]),
        b_ub=[*np.zeros(2 * len(terms)), *(-least for _, least in apart)],
        method="highs",
    )
    places: list[float] = (found.x[:count] - found.x[:count].min()).tolist()
    return places
