"""Pictures of comparisons, and what other pictures share with them. Needs matplotlib."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.notebooks import pyplot

from .figures import exactly

if TYPE_CHECKING:
    from .comparison import Cell, Comparison

POINTS = 61  # of a curve
MOST_TICKS = 8
FEW_DECADES = 1e3
FAR = 5  # ratios that ask for a logarithm
COLOURS = ("#3b82c4", "#d1495b", "#2a9d4a", "#9a62cf", "#c97b12", "#808089")
LABELS = {"ratio": "std over the std that is enough", "std": "std of the noise"}


def draw(comparison: Comparison, ax: Any, measure: str) -> Any:
    """The ratio or the std of each method: a line for each method and delta over the whole range of
    epsilons, the ends of theorems included; solid where the theorem holds, dashed where it does
    not. Stds where no method has a ratio. Raises InvalidArgument where there is no such line.
    """
    epsilons, deltas = comparison.epsilons, comparison.deltas
    combined = len(epsilons) > 1 and len(comparison.points) == len(epsilons) * len(deltas)
    if comparison.curve is None or not combined:
        wanted = "of calibrations at several epsilons, each with every delta"
        way_out = "Others are tables: print it, or take summary_frame()."
        raise InvalidArgument("comparison", wanted, comparison.subject, way_out)
    if all(cell.ratio is None for one in comparison.methods for cell in one.cells):
        measure = "std"
    axes, heights = new_axes() if ax is None else ax, [1.0]
    low, high = min(epsilons), max(epsilons)
    grid = {Fraction(f"{one:.4g}") for one in np.geomspace(float(low), float(high), POINTS)[1:-1]}
    ends = {end for end in (Fraction(1), Fraction(999, 1000)) if low < end < high}
    at = sorted({*epsilons, *grid, *ends})
    colours, unrated = cycle(COLOURS), dict[str, None]()
    for delta in deltas:
        rows = comparison.curve([(epsilon, delta) for epsilon in at])
        for method, cells in zip(comparison.methods, rows, strict=True):
            values = np.array([_value(cell, measure) for cell in cells])
            if measure == "ratio" and np.isnan(values).all():
                unrated[method.name] = None
            if measure == "ratio" and (np.isnan(values) | (values == 1)).all():
                continue
            valid, colour = np.array([cell.valid for cell in cells]), next(colours)
            name = method.name + (f", delta = {exactly(delta)}" if len(deltas) > 1 else "")
            x = [float(epsilon) for epsilon in at]
            axes.plot(x, np.where(valid, values, np.nan), "-", color=colour, label=name)
            axes.plot(x, np.where(valid, np.nan, values), "--", color=colour)
            heights += [*values]
    axes.plot([], [], "--", color=ink(), label="dashed: outside its theorem")
    if unrated:
        left_out = "\n".join(f"  {name}" for name in unrated)
        axes.plot([], [], " ", label=f"without a ratio, drawn by of='std':\n{left_out}")
    if measure == "ratio":
        axes.axhline(1, color=ink(), linewidth=1, label="enough")
    axes.set(xscale="log", xlabel="epsilon", ylabel=LABELS[measure])
    log_ticks(axes.xaxis)
    if measure == "std" or np.nanmax(heights) > FAR:
        axes.set_yscale("log")
        log_ticks(axes.yaxis)
    axes.set_title(f"delta = {exactly(deltas[0])}" if len(deltas) == 1 else "", fontsize="medium")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncols": 2}
    axes.legend(fontsize="small", frameon=False, **below)
    return axes


def _value(cell: Cell, measure: str) -> float:
    found = cell.ratio if measure == "ratio" else cell.std
    return np.nan if found is None else found


def log_ticks(axis: Any) -> None:
    """At powers of ten, and at 2 and 5 times those on short axes, written as decimals."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.axes.get_xlim() if axis.axis_name == "x" else axis.axes.get_ylim()
    subs = (1, 2, 5) if high < FEW_DECADES * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=MOST_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())


def ink() -> str:
    """The colour of text, which suits the ground of the style in use."""
    return str(pyplot().rcParams["text.color"])


def new_axes(rows: int = 1, **options: Any) -> Any:
    """Axes of a new figure, one below the other. Raises MissingExtra without matplotlib."""
    return pyplot().subplots(rows, layout="constrained", **options)[1]
