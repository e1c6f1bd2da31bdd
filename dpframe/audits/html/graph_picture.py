"""The graph of a declaration as a picture: cards in layers, private data above what is released.

Where the nodes of an acyclic graph stand: in layers, with few crossings, under what they read.

Longest paths give layers, barycentres the order within a layer (Sugiyama, Tagawa, Toda 1981), and a
linear program the places (Gansner, Koutsofios, North, Vo 1993).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs
import numpy as np
from scipy.optimize import linprog

from dpframe.graph import Graph

from ..drawing import LEAK, MOST, NOISY, PRIVATE, PUBLIC, DrawnLine, lines
from ..figures import clipped
from .words import GLUE, signs

SWEEPS = 12
PULLS = (1.0, 2.0, 8.0)  # of an edge with so many ends that pass a layer: long edges run upright
CENTRED, NARROW = 0.5, 4.0  # pulls of a node to the mean of what it is linked with; of the width
THROUGH = 0.25  # width of an edge that passes a layer, in widths of a node


@attrs.frozen
class GraphLayout:
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


def layout(reads: Sequence[Sequence[int]], gap: float = 0.16) -> GraphLayout:
    """Places for nodes in topological order, where node i reads `reads[i]`; `gap` in widths."""
    layer = layers(reads)
    chains, slots = _chains(reads, layer)
    rows = _ordered(chains, slots)
    places = _places(rows, chains, len(reads), gap)
    paths = {
        edge: tuple((places[slot], slots[slot]) for slot in chain) for edge, chain in chains.items()
    }
    return GraphLayout(tuple(layer), tuple(places[i] for i in range(len(reads))), paths)


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


WIDE, GAP, BETWEEN, MARGIN = 156.0, 0.14, 40.0, 6.0
ROOM, ROWS = 134.0, 5  # of the words on a card: width of a line, lines
WIDTHS = {"mwMWᵀ@%": 11.5, "ijlrtfI.,:;'()[]|! ": 4.7}  # of letters, at most, in pixels
LETTER, CAPITAL = 7.7, 9.4
HEAD, LINE, FOOT = 21.0, 14.5, 8.0
KINDS = {PRIVATE: "private", NOISY: "released", PUBLIC: "public", LEAK: "leak"}
MEANINGS = {
    PRIVATE: "private: computed from the data",
    NOISY: "released with noise",
    PUBLIC: "public, or made of what is released",
    LEAK: "leak: reads private data, and is not private",
}


@attrs.frozen
class Card:
    """A node as it is drawn: its kind (private, released, public or leak), its words in lines, its
    place.
    """

    kind: str
    rows: tuple[str, ...]
    x: float
    y: float
    height: float
    output: bool


@attrs.frozen
class Arrow:
    """The line of an edge, the point where it ends, and whether it is raw, open or leaking."""

    path: str
    x: float
    y: float
    kind: str


@attrs.frozen
class Picture:
    """The graph as it is drawn; `described` in words, `legend` the kinds and what they mean."""

    width: float
    height: float
    cards: tuple[Card, ...]
    arrows: tuple[Arrow, ...]
    described: str
    legend: tuple[tuple[str, str], ...]


def graph_picture(graph: Graph, note: str = "") -> Picture | None:
    """The picture; None where nodes are many. `note` is that of a description on its output."""
    found = lines(graph, note)
    if len(found) > MOST:
        return None
    places = {line.node: i for i, line in enumerate(found)}
    layed = layout([[places[one] for one in line.reads] for line in found], GAP)
    shown = [_rows(line) for line in found]
    heights = [HEAD + LINE * len(rows) + FOOT for rows in shown]
    tops, bottoms = _layers(heights, layed.layer)
    cards = tuple(
        Card(
            KINDS[line.mark],
            tuple(rows),
            MARGIN + across * WIDE,
            (tops[row] + bottoms[row] - height) / 2,
            height,
            line.output,
        )
        for line, rows, across, row, height in zip(
            found, shown, layed.across, layed.layer, heights, strict=True
        )
    )
    present = {line.mark for line in found}
    return Picture(
        width=layed.width * WIDE + WIDE + 2 * MARGIN,
        height=bottoms[-1] + MARGIN,
        cards=cards,
        arrows=tuple(_arrows(cards, layed, tops, bottoms)),
        described=_described(found),
        legend=tuple((KINDS[mark], said) for mark, said in MEANINGS.items() if mark in present),
    )


def _layers(heights: Sequence[float], layer: Sequence[int]) -> tuple[list[float], list[float]]:
    """The upper and the lower edge of every layer."""
    tops: list[float] = []
    bottoms: list[float] = []
    for row in range(max(layer) + 1):
        tops.append(bottoms[-1] + BETWEEN if bottoms else MARGIN)
        tallest = max(h for h, at in zip(heights, layer, strict=True) if at == row)
        bottoms.append(tops[row] + tallest)
    return tops, bottoms


def _rows(line: DrawnLine) -> list[str]:
    """The words in a few lines, the last one cut where there are more."""
    text = signs(line.words).replace("`", "").replace(GLUE, " ")
    rows = _wrapped(text)
    if len(rows) > ROWS:
        rows = [*rows[: ROWS - 1], _cut(" ".join(rows[ROWS - 1 :]))]
    return rows or ["(no name)"]


def _wrapped(text: str) -> list[str]:
    """Lines that are no wider than the card; words that are too long for one are broken."""
    rows: list[str] = []
    for word in text.split():
        joined = f"{rows[-1]} {word}" if rows else word
        if rows and width_of(joined) <= ROOM:
            rows[-1] = joined
            continue
        rows += _broken(word)
    return rows


def _broken(word: str) -> list[str]:
    """A word in pieces that fit on a line."""
    if width_of(word) <= ROOM:
        return [word]
    end = next(i for i in range(len(word), 0, -1) if width_of(word[:i]) <= ROOM)
    return [word[:end], *_broken(word[end:])]


def _cut(text: str) -> str:
    """The text with as much of its middle left out as does not fit on a line."""
    return next(cut for n in range(len(text), 3, -1) if width_of(cut := clipped(text, n)) <= ROOM)


def width_of(text: str) -> float:
    """The width of a text on a card, in pixels: an upper bound in usual fonts."""
    return sum(map(_width_of, text))


def _width_of(letter: str) -> float:
    known = (width for letters, width in WIDTHS.items() if letter in letters)
    return next(known, CAPITAL if letter.isupper() else LETTER)


def _described(found: Sequence[DrawnLine]) -> str:
    """Every node, its kind, and what it reads, in words."""
    numbers = {line.node: str(i) for i, line in enumerate(found, 1)}
    said = []
    for line in found:
        read = " and ".join(numbers[one] for one in line.reads)
        rest = [
            KINDS[line.mark],
            *["the output"] * line.output,
            *([f"reads {read}"] if read else []),
        ]
        said.append(f"{numbers[line.node]}: {clipped(line.words, 90)} ({', '.join(rest)})")
    return "; ".join(said) + "."


def _arrows(
    cards: Sequence[Card], layed: GraphLayout, tops: Sequence[float], bottoms: Sequence[float]
) -> list[Arrow]:
    """One an edge, from the lower edge of a card to the upper edge of its reader."""
    leaving, entering = _ports(layed, len(cards), 0), _ports(layed, len(cards), -1)
    drawn = []
    for edge, path in layed.paths.items():
        start, end = cards[edge[0]], cards[edge[1]]
        points = [(start.x + WIDE / 2 + leaving[edge], start.y + start.height)]
        for across, row in path[1:-1]:
            x = MARGIN + across * WIDE + WIDE / 2
            points += [(x, tops[row]), (x, bottoms[row])]
        points.append((end.x + WIDE / 2 + entering[edge], end.y - 5))
        private = start.kind in ("private", "leak")
        kind = "leaking" if private and end.kind == "leak" else "raw" if private else "open"
        drawn.append(Arrow(_curve(points), *points[-1], kind))
    return drawn


def _ports(layed: GraphLayout, nodes: int, end: int) -> dict[Edge, float]:
    """How far from the middle of its card each edge leaves (end 0) or enters (end -1)."""
    found = {}
    for i in range(nodes):
        own = [edge for edge in layed.paths if edge[end] == i]
        beside = 1 if end == 0 else -2
        own.sort(key=lambda edge: (layed.paths[edge][beside][0], edge))
        step = min(22.0, 0.7 * WIDE / max(len(own), 1))
        for place, edge in enumerate(own):
            found[edge] = (place - (len(own) - 1) / 2) * step
    return found


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """Upright at every point."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        if abs(x - to_x) < 0.05:
            path += f" L{to_x:.1f} {to_y:.1f}"
        else:
            bend = (to_y - y) * 0.55
            path += f" C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"
    return path
