"""A picture of a split: the criterion by what was free. Needs matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument, MissingExtra

from .split import Point

if TYPE_CHECKING:
    from .split import Split

STYLES = ("-", "--", "-.", ":")
HIGH = 100.0  # the picture shows up to so many times the least value


def draw(split: Split, ax: Any) -> Any:
    """The criterion against the parameter, or against the share of each release, the others in
    proportion; dots at the choice, a cross where it is compared with. Raises InvalidArgument where
    the split is a formula.
    """
    if split.value is None or not split.curve:
        way_out = "Give epsilon, delta and the bounds numbers."
        raise InvalidArgument("split", "one in numbers, to be drawn", split.over, way_out)
    axes = _axes() if ax is None else ax
    for place, (name, points) in enumerate(split.curve.items()):
        _line(axes, split, name, points, STYLES[place % len(STYLES)])
    shares = "share of one release, the others in proportion"
    label = split.over if split.over in split.curve else shares
    axes.set(yscale="log", xlabel=label, ylabel="criterion")
    if split.over == "shares":
        axes.set_xlim(0, 1)
    axes.set_ylim(top=HIGH * split.value)
    axes.set_title(_title(split.criterion.sentence), fontsize="small")
    axes.legend(loc="upper center", fontsize="small")
    return axes


def _line(axes: Any, split: Split, name: str, points: Sequence[Point], style: str) -> None:
    seen = [point for point in points if math.isfinite(point.value)]
    at = [float(point.at[name]) for point in seen]
    values = [point.value for point in seen]
    chosen = float(split.chosen[name])
    (line,) = axes.plot(at, values, style, label=name)
    errors = [point.error for point in seen]
    if any(errors):
        low = [value - error for value, error in zip(values, errors, strict=True)]
        high = [value + error for value, error in zip(values, errors, strict=True)]
        axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    place = chosen / _total(split)
    axes.plot([place], [split.value], "o", color=line.get_color(), label=f"chosen: {place:.3g}")
    for other in split.against:
        if set(other.at) == {name} and math.isfinite(other.value):
            where = [float(other.at[name])]
            axes.plot(where, [other.value], "x", color="0.2", markersize=8, label=other.label)


def _total(split: Split) -> float:
    """What the chosen weights sum to; 1 for a parameter."""
    return sum(map(float, split.chosen.values())) if split.over == "shares" else 1.0


def _title(sentence: str) -> str:
    """The sentence in lines."""
    from textwrap import fill

    return fill(sentence, 70)


def _axes() -> Any:
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error
    return plt.subplots(layout="constrained")[1]
