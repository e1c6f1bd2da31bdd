"""The graph of a declaration as a picture: cards in layers, private data above what is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap

import attrs

from dpframe.graph import Graph

from ..drawing import LEAK, NOISY, PRIVATE, PUBLIC, Line, drawing, lines
from ..figures import clipped
from .elements import GLUE, Element, element, plain_words
from .layers import Layout, layout
from .parts import framed

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


def graph_picture(graph: Graph) -> Element:
    """The picture and what its marks say; the drawing as text where nodes are many."""
    found = lines(graph)
    if len(found) > MOST:
        text = framed(element("pre", drawing(graph)), "Drawing of the graph")
        return element("figure", text)
    picture = framed(_picture(found), "Picture of the graph")
    return element("figure", picture, _legend(found))


def _legend(found: Sequence[Line]) -> Element:
    marks = [mark for mark in MEANINGS if mark in {line.mark for line in found}]
    items = [
        element("li", _swatch(mark), element("span", MEANINGS[mark]), class_=KINDS[mark])
        for mark in marks
    ]
    return element(
        "figcaption",
        element("ul", *items, class_="legend"),
        element("p", "Unbroken arrows carry private values, broken ones what may be published."),
    )


def _swatch(mark: str) -> Element:
    drawn = _sign(KINDS[mark], 7.0, 7.0)
    return element("svg", drawn, viewBox="0 0 14 14", width="14", height="14", aria_hidden="true")


@attrs.frozen
class Card:
    """A node as it is drawn: its words in lines, its place."""

    line: Line
    rows: tuple[str, ...]
    x: float
    y: float
    height: float
    output: bool

    @property
    def kind(self) -> str:
        """private, released, public or leak."""
        return KINDS[self.line.mark]

    @property
    def label(self) -> str:
        """The kind, and whether it is the output."""
        return f"{self.kind} · output" if self.output else self.kind


def _picture(found: Sequence[Line]) -> Element:
    places = {line.node: i for i, line in enumerate(found)}
    layed = layout([[places[one] for one in line.reads] for line in found], GAP)
    cards, tops, bottoms = _cards(found, layed)
    width = layed.width * WIDE + WIDE + 2 * MARGIN
    height = bottoms[-1] + MARGIN
    hatch = element("path", d="M0 0 V6", class_="hatch-line")
    pattern = element(
        "pattern",
        element("rect", width="6", height="6", class_="hatch-ground"),
        hatch,
        id="leak-hatch",
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
        width="6",
        height="6",
    )
    return element(
        "svg",
        element("title", "The graph of the declaration", id="graph-title"),
        element("desc", _described(found), id="graph-desc"),
        element("defs", pattern),
        element("g", *_edges(cards, layed, tops, bottoms), class_="edges"),
        *map(_card, cards),
        role="img",
        aria_labelledby="graph-title graph-desc",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        class_="layers",
    )


def _cards(
    found: Sequence[Line], layed: Layout
) -> tuple[list[Card], Mapping[int, float], list[float]]:
    """Cards from the top down, and the upper and lower edge of every layer."""
    shown = [_rows(line) for line in found]
    heights = [HEAD + LINE * len(rows) + FOOT for rows in shown]
    tops: dict[int, float] = {}
    bottoms: list[float] = []
    for row in range(max(layed.layer) + 1):
        tops[row] = bottoms[-1] + BETWEEN if bottoms else MARGIN
        tallest = max((h for h, at in zip(heights, layed.layer, strict=True) if at == row))
        bottoms.append(tops[row] + tallest)
    cards = []
    for i, line in enumerate(found):
        row = layed.layer[i]
        y = tops[row] + (bottoms[row] - tops[row] - heights[i]) / 2
        x = MARGIN + layed.across[i] * WIDE
        output = line.words.endswith(END)
        cards.append(Card(line, tuple(shown[i]), x, y, heights[i], output))
    return cards, tops, bottoms


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


def _card(card: Card) -> Element:
    box = {"x": card.x, "y": card.y, "width": WIDE, "height": card.height, "rx": "4"}
    hatched = card.kind == "leak"
    cover = element("rect", **box, fill="url(#leak-hatch)" if hatched else None, class_="box")
    plate = {
        "x": card.x + 5,
        "y": card.y + HEAD - 3,
        "width": WIDE - 10,
        "height": card.height - HEAD - 1,
    }
    text = [
        element("text", row, x=card.x + 12, y=card.y + HEAD + LINE * (i + 0.72), class_="words")
        for i, row in enumerate(card.rows)
    ]
    head = element("text", card.label, x=card.x + 24, y=card.y + 14.5, class_="kind")
    return element(
        "g",
        cover,
        element("rect", x=card.x + 5, y=card.y + 4, width=WIDE - 10, height=15.0, class_="plate")
        if hatched
        else None,
        element("rect", **plate, class_="plate") if hatched else None,
        _sign(card.kind, card.x + 14, card.y + 11),
        head,
        *text,
        class_=f"node {card.kind}" + (" output" if card.output else ""),
    )


def _sign(kind: str, x: float, y: float) -> Element:
    """Circle, diamond, full circle or cross."""
    if kind == "released":
        path = f"M{x:.1f} {y - 5.5:.1f} l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 Z"
        return element("path", d=path, class_="sign full")
    if kind == "leak":
        path = f"M{x - 4:.1f} {y - 4:.1f} l8 8 m0 -8 l-8 8"
        return element("path", d=path, class_="sign cross")
    full = "sign full" if kind == "public" else "sign open"
    return element("circle", cx=x, cy=y, r="4.2", class_=full)


def _edges(
    cards: Sequence[Card], layed: Layout, tops: Mapping[int, float], bottoms: Sequence[float]
) -> list[Element]:
    """One curve an edge, from the lower edge of a card to the upper edge of its reader."""
    leaving = _ports(layed, cards, 0)
    entering = _ports(layed, cards, -1)
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
        drawn.append(element("path", d=_curve(points), class_=f"edge {kind}"))
        x, y = points[-1]
        arrow = f"M{x:.1f} {y + 5:.1f} l-3.6 -7 h7.2 Z"
        drawn.append(element("path", d=arrow, class_=f"arrow {kind}"))
    return drawn


def _ports(layed: Layout, cards: Sequence[Card], end: int) -> dict[tuple[int, int], float]:
    """How far from the middle of its card each edge leaves (end 0) or enters (end -1)."""
    found = {}
    for i in range(len(cards)):
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
