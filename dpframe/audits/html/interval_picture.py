"""Bounds on epsilon as small pictures in the rows of a table, all on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from ..findings import Opinion
from .elements import Element, element

WIDE, HIGH, PAD = 190.0, 20.0, 7.0
FAR = 30.0  # ends of a range that ask for a logarithm


@attrs.frozen
class Scale:
    """From `low` to `high`; in powers of ten where these are far apart. `claimed` has a line."""

    low: float
    high: float
    claimed: float | None
    logarithmic: bool = False

    def x(self, value: float) -> float:
        """Across, inside the picture whatever the value is."""
        span = WIDE - 2 * PAD
        if self.logarithmic:
            place = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return PAD + span * min(max(place, 0.0), 1.0)


def scale_of(opinions: Sequence[Opinion], claimed: float | None) -> Scale | None:
    """A scale that holds all of them; None where there is nothing to show."""
    ends = [x for one in opinions for x in (one.upper, one.lower) if x and math.isfinite(x)]
    known = [*ends, *([claimed] if claimed else [])]
    if not ends:
        return None
    low, high = min(known), max(known)
    if high > FAR * low:
        return Scale(low / 1.5, high * 1.5, claimed, logarithmic=True)
    return Scale(0.0, high * 1.06, claimed)


def interval_picture(one: Opinion, scale: Scale) -> Element:
    """A line from the lower bound to the upper one, which has a dot; a broken line from the left
    where there is no lower bound. The numbers stand in the same row.
    """
    drawn: list[Element | None] = [_limit(scale)]
    if one.upper is not None and math.isfinite(one.upper):
        right = scale.x(one.upper)
        left = PAD if one.lower is None else scale.x(one.lower)
        kind = "reach" if one.lower is None else "between"
        y = HIGH / 2
        drawn.append(element("line", x1=left, x2=right, y1=y, y2=y, class_=kind))
        ends = [] if one.lower is None else [element("path", d=f"M{left:.1f} {y - 4} v8")]
        drawn += [*ends, element("circle", cx=right, cy=y, r="3.6")]
    return element(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDE:g} {HIGH:g}",
        width=f"{WIDE:g}",
        height=f"{HIGH:g}",
        aria_hidden="true",
        class_="interval",
    )


def _limit(scale: Scale) -> Element | None:
    if scale.claimed is None:
        return None
    x = scale.x(scale.claimed)
    return element("line", x1=x, x2=x, y1=0.0, y2=HIGH, class_="limit")
