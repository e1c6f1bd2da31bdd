"""The privacy profile as a picture: delta, in powers of ten, over epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from ..findings import Profile
from .elements import RAISED, Element, element, given, shown

WIDE, HIGH = 680.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 16.0, 46.0
LOWEST = -60  # powers of ten; nobody asks for less


@attrs.frozen
class Axes:
    """Where a point (epsilon, delta) is drawn: `most` at the right, 10^`low` at the bottom."""

    most: float
    low: int

    def x(self, epsilon: float) -> float:
        """Across."""
        return LEFT + (WIDE - LEFT - RIGHT) * epsilon / self.most

    def y(self, delta: float) -> float:
        """Down; far below the frame where delta is 0."""
        power = math.log10(delta) if delta > 0 else -math.inf
        part = power / self.low
        return TOP + (HIGH - TOP - BOTTOM) * min(part, 1.5)


def axes_of(found: Profile) -> Axes:
    """The frame: down to three powers of ten below the claim, and to the curve at the claim."""
    most = found.epsilons[-1] or 1.0
    least = [delta for delta in found.upper if delta > 0]
    claimed = found.claimed
    if claimed is None or claimed[1] == 0:
        deepest = min(least, default=1e-12)
        return Axes(most, max(-12, math.floor(math.log10(deepest))) or -1)
    wanted = math.floor(math.log10(claimed[1])) - 3
    at = [d for e, d in zip(found.epsilons, found.upper, strict=True) if e <= claimed[0] and d > 0]
    curve = math.floor(math.log10(at[-1])) - 1 if at else wanted
    return Axes(most, max(LOWEST, min(wanted, curve)))


def profile_picture(found: Profile) -> Element:
    """The picture, without words around it."""
    axes = axes_of(found)
    sharp = all(b - a <= 1e-6 * b for a, b in zip(found.lower, found.upper, strict=True))
    inside = [_forbidden(axes, found), *_curves(axes, found, sharp=sharp), _point(axes, found)]
    frame = {"x": LEFT, "y": TOP, "width": WIDE - LEFT - RIGHT, "height": HIGH - TOP - BOTTOM}
    box = f"{frame['x']:g} {frame['y']:g} {frame['width']:g} {frame['height']:g}"
    return element(
        "svg",
        element("title", "Privacy profile", id="profile-title"),
        element("desc", _described(found), id="profile-desc"),
        element("defs", _hatch()),
        *_grid(axes),
        element("svg", *inside, **frame, viewBox=box, aria_hidden="true"),
        element("rect", **frame, class_="frame"),
        *_labels(axes, found),
        role="img",
        aria_labelledby="profile-title profile-desc",
        viewBox=f"0 0 {WIDE:.0f} {HIGH:.0f}",
        width=f"{WIDE:.0f}",
        height=f"{HIGH:.0f}",
        class_="plot",
    )


def _hatch() -> Element:
    line = element("path", d="M0 0 V7", class_="hatch-line")
    size = {"width": "7", "height": "7"}
    turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    return element("pattern", line, id="forbidden-hatch", **turned, **size)


def _described(found: Profile) -> str:
    few = range(0, len(found.epsilons), max(1, len(found.epsilons) // 8))
    said = [
        f"at epsilon {shown(found.epsilons[i])} delta is at most {shown(found.upper[i], 'up')}"
        for i in few
    ]
    return "Delta falls as epsilon grows: " + "; ".join(said) + "."


def _grid(axes: Axes) -> list[Element]:
    """Lines at round numbers, and their numbers."""
    drawn = []
    step = max(1, math.ceil(-axes.low / 7))
    for power in range(0, axes.low - 1, -step):
        y = axes.y(10.0**power)
        drawn.append(element("line", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y, class_="grid"))
        text = "1" if power == 0 else "10" + str(power).translate(RAISED)
        drawn.append(_text(text, LEFT - 8, y + 4, "end"))
    for tick in ticks(axes.most):
        x = axes.x(tick)
        drawn.append(
            element("line", x1=x, x2=x, y1=HIGH - BOTTOM, y2=HIGH - BOTTOM + 5, class_="tick")
        )
        drawn.append(_text(f"{tick:g}", x, HIGH - BOTTOM + 19, "middle"))
    return drawn


def ticks(most: float) -> list[float]:
    """Five or so round numbers from 0 to `most`.

    >>> ticks(2.0)
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    size = 10.0 ** math.floor(math.log10(most / 4))
    step = next(size * k for k in (1, 2, 5, 10) if most / (size * k) <= 5)
    return [float(f"{step * k:.12g}") for k in range(int(most / step * (1 + 1e-9)) + 1)]


def _labels(axes: Axes, found: Profile) -> list[Element]:
    across = _text("ε", (LEFT + WIDE - RIGHT) / 2, HIGH - 8, "middle", "axis")
    down = _text("δ", 12.0, (TOP + HIGH - BOTTOM) / 2, "middle", "axis")
    return [across, down, *_forbidden_words(axes, found)]


def _forbidden(axes: Axes, found: Profile) -> Element | None:
    """What the claim keeps the curve out of: a larger delta, at the claimed epsilon and beyond."""
    if found.claimed is None:
        return None
    x, y = axes.x(found.claimed[0]), min(axes.y(found.claimed[1]), HIGH - BOTTOM)
    return element(
        "rect",
        x=x,
        y=TOP,
        width=WIDE - RIGHT - x,
        height=y - TOP,
        fill="url(#forbidden-hatch)",
        class_="forbidden",
    )


def _forbidden_words(axes: Axes, found: Profile) -> list[Element]:
    if found.claimed is None:
        return []
    x = axes.x(found.claimed[0])
    rows = ["The claim keeps the", "curve out of here."]
    if WIDE - RIGHT - x < 150:
        return []
    plate = element("rect", x=x + 12, y=TOP + 10, width=136.0, height=40.0, class_="plate")
    return [plate, *(_text(row, x + 19, TOP + 27 + 16 * i, "start") for i, row in enumerate(rows))]


def _curves(axes: Axes, found: Profile, *, sharp: bool) -> list[Element]:
    """The band between the bounds, and its edges."""
    upper = _points(axes, found.epsilons, found.upper)
    lower = _points(axes, found.epsilons, found.lower)
    line = element("polyline", points=_joined(upper), class_="curve")
    if sharp:
        return [line]
    band = element("polygon", points=_joined([*upper, *reversed(lower)]), class_="band")
    known = any(delta > 0 for delta in found.lower)
    below = [element("polyline", points=_joined(lower), class_="curve below")] if known else []
    return [band, line, *below]


def _points(
    axes: Axes, across: Sequence[float], down: Sequence[float]
) -> list[tuple[float, float]]:
    return [(axes.x(e), axes.y(min(d, 1.0))) for e, d in zip(across, down, strict=True)]


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _point(axes: Axes, found: Profile) -> Element | None:
    """The claim: a cross in a ring."""
    if found.claimed is None:
        return None
    x, y = axes.x(found.claimed[0]), min(axes.y(found.claimed[1]), HIGH - BOTTOM - 1)
    cross = f"M{x - 6:.1f} {y:.1f} h12 M{x:.1f} {y - 6:.1f} v12"
    ring = element("circle", cx=x, cy=y, r="6")
    name = f"claimed: ε = {given(found.claimed[0])}, δ = {given(found.claimed[1])}"
    left = x > (LEFT + WIDE) / 2 + 60
    text = _text(name, x - 11 if left else x + 11, y + 18, "end" if left else "start")
    return element("g", ring, element("path", d=cross), text, class_="claimed")


def _text(text: str, x: float, y: float, anchor: str, class_: str | None = None) -> Element:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)
