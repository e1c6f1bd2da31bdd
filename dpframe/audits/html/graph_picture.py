"""The graph of a declaration as a picture: cards in layers, private data above what is released."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap

import attrs

from dpframe.graph import Graph

from ..drawing import LEAK, NOISY, PRIVATE, PUBLIC, Line, lines
from ..figures import clipped
from .layers import Edge, Layout, layout
from .words import GLUE, plain_words

MOST = 30  # nodes of a picture; larger graphs are drawn as text
WIDE, GAP, BETWEEN, MARGIN = 156.0, 0.14, 40.0, 6.0
LETTERS, ROWS = 23, 5  # of a card
HEAD, LINE, FOOT = 21.0, 14.5, 8.0
KINDS = {PRIVATE: "private", NOISY: "released", PUBLIC: "public", LEAK: "leak"}
MEANINGS = {
    PRIVATE: "private: computed from the data",
    NOISY: "released with noise",
    PUBLIC: "public, or made of what is released",
    LEAK: "leak: reads private data, and is not private",
}
END = "  -> the output"


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


def graph_picture(graph: Graph) -> Picture | None:
    """The picture; None where nodes are many."""
    found = lines(graph)
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
            line.words.endswith(END),
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


def _rows(line: Line) -> list[str]:
    """The words in a few lines, the last one cut where there are more."""
    text = plain_words(line.words.removesuffix(END)).replace("`", "").replace(GLUE, " ")
    rows = wrap(text, LETTERS, break_long_words=True, break_on_hyphens=False)
    if len(rows) > ROWS:
        rows = [*rows[: ROWS - 1], clipped(" ".join(rows[ROWS - 1 :]), LETTERS)]
    return rows or ["(no name)"]


def _described(found: Sequence[Line]) -> str:
    """Every node, its kind, and what it reads, in words."""
    numbers = {line.node: i for i, line in enumerate(found, 1)}
    said = []
    for line in found:
        read = " and ".join(str(numbers[one]) for one in line.reads)
        end = ", the output" if line.words.endswith(END) else ""
        what = clipped(line.words.removesuffix(END), 90)
        reads = f", reads {read}" if read else ""
        said.append(f"{numbers[line.node]}: {what} ({KINDS[line.mark]}{end}{reads})")
    return "; ".join(said) + "."


def _arrows(
    cards: Sequence[Card], layed: Layout, tops: Sequence[float], bottoms: Sequence[float]
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


def _ports(layed: Layout, nodes: int, end: int) -> dict[Edge, float]:
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
