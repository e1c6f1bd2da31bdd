"""The split of the budget as two bars: what releases claim of it, and what they truly use."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ..figures import clipped
from ..findings import Portion
from .elements import Element, element, percent

WIDE, LEFT, BAR, STEP, TOP = 680.0, 74.0, 38.0, 66.0, 22.0
MOST = 8  # parts that patterns can tell apart
PATTERNS = ("plain", "rising", "falling", "dots", "level", "grid", "upright", "waves")
LINES = {
    "plain": "",
    "rising": "M0 8 L8 0 M-2 2 L2 -2 M6 10 L10 6",
    "falling": "M0 0 L8 8 M-2 6 L2 10 M6 -2 L10 2",
    "dots": "M2 2 h1.6 M6 6 h1.6",
    "level": "M0 4 H8",
    "grid": "M0 4 H8 M4 0 V8",
    "upright": "M4 0 V8",
    "waves": "M0 2 Q2 0 4 2 T8 2 M0 6 Q2 4 4 6 T8 6",
}


@attrs.frozen
class Part:
    """A part of the bars: its names, and both shares."""

    name: str
    claimed: float | None
    true: float | None


def parts(portions: Sequence[Portion]) -> list[Part]:
    """As many as can be told apart; the rest is one part."""
    found = [Part(one.name, one.claimed, one.true) for one in portions]
    if len(found) <= MOST:
        return found
    rest = found[MOST - 1 :]
    claimed, true = _sum([one.claimed for one in rest]), _sum([one.true for one in rest])
    return [*found[: MOST - 1], Part(f"{len(rest)} others", claimed, true)]


def _sum(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) if known else None


def bars(found: Sequence[Part]) -> list[tuple[str, list[float]]]:
    """The bars that have lengths; that of true shares where every part has one."""
    claimed, true = [one.claimed for one in found], [one.true for one in found]
    rows = [("claimed", [s or 0.0 for s in claimed])] if _sum(claimed) is not None else []
    known = [share for share in true if share is not None]
    return [*rows, ("true", known)] if len(known) == len(true) else rows


def split_picture(portions: Sequence[Portion]) -> Element:
    """One or two bars over a scale in per cent, each part with its number and its pattern."""
    found = parts(portions)
    rows = bars(found)
    most = max([1.0, *(sum(shares) for _, shares in rows)])
    scale = (WIDE - LEFT - 14) / most
    high = TOP + STEP * len(rows)
    drawn = [_bar(i, name, shares, scale) for i, (name, shares) in enumerate(rows)]
    return element(
        "svg",
        element("title", "Split of the budget", id="split-title"),
        element("desc", _described(found), id="split-desc"),
        element("defs", *map(_pattern, PATTERNS)),
        *drawn,
        *_scale(scale, high),
        role="img",
        aria_labelledby="split-title split-desc",
        viewBox=f"0 0 {WIDE:.0f} {high:.0f}",
        width=f"{WIDE:.0f}",
        height=f"{high:.0f}",
        class_="plot",
    )


def swatch(place: int) -> Element:
    """The pattern of a part, beside its name in a table."""
    box = {"x": 1.0, "y": 1.0, "width": 26.0, "height": 14.0}
    return element(
        "svg",
        element("rect", **box, fill=f"url(#split-{PATTERNS[place]})", class_="part"),
        viewBox="0 0 28 16",
        width="28",
        height="16",
        aria_hidden="true",
        class_="swatch",
    )


def _described(found: Sequence[Part]) -> str:
    said = [
        f"{clipped(one.name, 60)}: claimed {percent(one.claimed)}, true {percent(one.true)}"
        for one in found
    ]
    return "; ".join(said) + "."


def _pattern(name: str) -> Element:
    size = {"width": "8", "height": "8"}
    lines = LINES[name]
    return element(
        "pattern",
        element("rect", **size, class_="hatch-ground"),
        element("path", d=lines, class_="hatch-line") if lines else None,
        id=f"split-{name}",
        patternUnits="userSpaceOnUse",
        **size,
    )


def _bar(row: int, name: str, shares: Sequence[float], scale: float) -> Element:
    y, x = TOP + row * STEP, LEFT
    drawn = [element("text", name, x=LEFT - 10, y=y + 24, text_anchor="end", class_="axis")]
    for place, share in enumerate(shares):
        width = share * scale
        box = {"x": x, "y": y, "width": width, "height": BAR}
        drawn.append(element("rect", **box, fill=f"url(#split-{PATTERNS[place]})", class_="part"))
        drawn += _words(place, share, x, y, width)
        x += width
    return element("g", *drawn)


def _words(place: int, share: float, x: float, y: float, width: float) -> list[Element]:
    """The number of the part in it, and its share below, as far as there is room."""
    middle, found = x + width / 2, []
    if width >= 20:
        plate = element(
            "rect", x=middle - 8, y=y + 9, width=16.0, height=20.0, rx="8", class_="plate"
        )
        number = element("text", str(place + 1), x=middle, y=y + 24, text_anchor="middle")
        found += [plate, number]
    if width >= 46:
        found.append(
            element(
                "text",
                percent(share),
                x=middle,
                y=y + BAR + 15,
                text_anchor="middle",
                class_="small",
            )
        )
    return found


def _scale(scale: float, high: float) -> list[Element]:
    """A line at the whole budget, and words."""
    x = LEFT + scale
    line = element("line", x1=x, x2=x, y1=TOP - 8, y2=high - 8, class_="limit")
    words = element("text", "the whole", x=x, y=TOP - 11, text_anchor="end", class_="small")
    return [line, words]
