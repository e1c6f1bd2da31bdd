"""Where the nodes of an acyclic graph stand: in layers, with few crossings, under what they read.

Longest paths give layers, barycentres the order within a layer (Sugiyama, Tagawa, Toda 1981), and
least squares with least distances the places. All of it is arithmetic on small lists, the same on
every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs

SWEEPS = 12
NEAR = 0.1  # in widths of a node
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
        return max((x for path in self.paths.values() for x, _ in path), default=max(self.across))


def layout(reads: Sequence[Sequence[int]], gap: float = 0.16) -> Layout:
    """Places for nodes in topological order, where node i reads `reads[i]`; `gap` in widths."""
    layer = layers(reads)
    chains, slots = _chains(reads, layer)
    rows = _ordered(chains, slots)
    places = _places(rows, chains, len(reads), gap)
    _straighten(rows, chains, slots, places, gap)
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
    """Across: each slot near the mean of those it is linked with, none nearer to the next than it
    is wide.
    """
    slots = sum(map(len, rows))
    above, below = _links(chains, slots)
    wide = [1.0 if slot < nodes else THROUGH for slot in range(slots)]
    found = [0.0] * slots
    for row in rows:
        for i, slot in enumerate(row):
            found[slot] = float(i)
    both = [[*up, *down] for up, down in zip(above, below, strict=True)]
    for sweep in range(8 * SWEEPS):
        linked = [above, below, both][sweep % 3] if sweep < 2 * SWEEPS else both
        for row in rows if sweep % 2 else reversed(rows):
            steps = [(wide[a] + wide[b]) / 2 + gap for a, b in pairwise(row)]
            _settle(row, linked, found, steps)
    first = min(found)
    return [x - first for x in found]


def _settle(
    row: Sequence[int],
    linked: Sequence[Sequence[int]],
    found: list[float],
    steps: Sequence[float],
) -> None:
    """Move the slots of a row, in place."""
    means = [sum(found[one] for one in linked[slot]) / max(len(linked[slot]), 1) for slot in row]
    wanted = [mean if linked[slot] else found[slot] for slot, mean in zip(row, means, strict=True)]
    weights = [len(linked[slot]) + 0.5 for slot in row]
    for slot, x in zip(row, spaced(wanted, weights, steps), strict=True):
        found[slot] = x


def _straighten(
    rows: Sequence[Sequence[int]],
    chains: Mapping[Edge, Sequence[int]],
    slots: Sequence[int],
    places: list[float],
    gap: float,
) -> None:
    """Long edges run upright as far as there is room, in place: their bends say nothing."""
    through = {slot for chain in chains.values() for slot in chain[1:-1]}
    wide = [THROUGH if slot in through else 1.0 for slot in range(len(slots))]
    for chain in chains.values():
        run: list[int] = []
        free = (-math.inf, math.inf)
        for slot in chain[1:-1]:
            own = _room(slot, rows[slots[slot]], places, wide, gap)
            both = max(free[0], own[0]), min(free[1], own[1])
            if both[0] > both[1]:
                _upright(run, free, places)
                run, both = [], own
            run, free = [*run, slot], both
        _upright(run, free, places)
    for chain in chains.values():  # cards that stand almost under each other
        high, low = chain[0], chain[1]
        if low not in through and abs(places[high] - places[low]) < NEAR:
            left, right = _room(low, rows[slots[low]], places, wide, gap)
            places[low] = min(max(places[high], left), right)


def _room(
    slot: int, row: Sequence[int], places: Sequence[float], wide: Sequence[float], gap: float
) -> tuple[float, float]:
    """How far left and right a slot may move."""
    i = row.index(slot)
    left, right = -math.inf, math.inf
    if i:
        left = places[row[i - 1]] + (wide[row[i - 1]] + wide[slot]) / 2 + gap
    if i + 1 < len(row):
        right = places[row[i + 1]] - (wide[row[i + 1]] + wide[slot]) / 2 - gap
    return (min(left, places[slot]), max(right, places[slot]))


def _upright(run: Sequence[int], free: tuple[float, float], places: list[float]) -> None:
    if run:
        mean = sum(places[slot] for slot in run) / len(run)
        for slot in run:
            places[slot] = min(max(mean, free[0]), free[1])


def spaced(
    wanted: Sequence[float], weights: Sequence[float], steps: Sequence[float]
) -> list[float]:
    """The places nearest to those wanted, in weighted squares, of which each is at least a step
    behind the one before: isotonic regression, by pooling neighbours.

    >>> spaced([0.0, 0.0], [1.0, 1.0], [1.0])
    [-0.5, 0.5]
    """
    offsets = [0.0]
    for step in steps:
        offsets.append(offsets[-1] + step)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for want, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, heavy, many = want - offset, weight, 1
        while pools and pools[-1][0] > mean:
            before, other, count = pools.pop()
            mean = (mean * heavy + before * other) / (heavy + other)
            heavy, many = heavy + other, many + count
        pools.append((mean, heavy, many))
    flat = [mean for mean, _, many in pools for _ in range(many)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=False)]
