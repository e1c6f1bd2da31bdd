"""A picture of budgets against what records really pay. Needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .plot import new_axes

if TYPE_CHECKING:
    from .budget_reports import BudgetReport

Array = NDArray[Any]
WIDE = 10  # ends of a range that ask for a logarithm
BARS = 40  # as many as can be told apart
NAMED = 8  # groups whose names fit beside their dots
SMALL, LARGE = 24.0, 360.0  # areas of dots, in square points
WASTE, SPENT = "tab:red", "tab:blue"


def draw(report: BudgetReport, axes: Any = None) -> Any:
    """Costs over budgets with the diagonal; below, the share of noise that is wasted."""
    if axes is None:
        axes = new_axes(2, sharex=True, height_ratios=[3, 1], figsize=(6, 6.5))
    upper, lower = axes
    scale, low, high = extent(report)
    _diagonal(upper, low, high, scale)
    style = {"s": areas(report), "color": SPENT, "alpha": 0.8, "zorder": 3, "linewidth": 0}
    upper.scatter(report.budgets, report.costs, label=_dot(report), **style)
    _names(upper, report)
    _bars(lower, report, scale, low, high)
    _legend(upper)
    for axis in (upper.xaxis, upper.yaxis, lower.xaxis):
        axis.set_major_formatter("{x:g}")
    return upper, lower


def areas(report: BudgetReport) -> Array:
    """Of each dot, in square points: in proportion to its records, and visible."""
    if report.counts is None or equal(report):
        return np.full(len(report.budgets), SMALL)
    shares = report.counts / report.counts.max()
    return np.asarray(np.maximum(SMALL, LARGE * shares))


def equal(report: BudgetReport) -> bool:
    """Whether all dots stand for as many records, or nobody knows."""
    return report.counts is None or bool(np.ptp(report.counts) == 0)


def extent(report: BudgetReport) -> tuple[str, float, float]:
    """The scale of both axes and their ends, with some room around costs and budgets."""
    low, high = float(report.costs.min()), float(report.budgets.max())
    return ("log", low / 1.8, high * 1.8) if high > WIDE * low else ("linear", 0.0, high * 1.1)


def _diagonal(axes: Any, low: float, high: float, scale: str) -> None:
    axes.plot([low, high], [low, high], color="0.5", linewidth=1, label="pays all that it allows")
    axes.fill_between([low, high], [low, high], low, color=WASTE, alpha=0.06, linewidth=0)
    axes.set(xscale=scale, yscale=scale, xlim=(low, high), ylim=(low, high))


def _dot(report: BudgetReport) -> str:
    """What a dot is."""
    what = "a group" if report.groups else "a budget"
    return what if equal(report) else f"{what}, its area by number of records"


def _legend(axes: Any) -> None:
    """Dots of one size, however large they are drawn."""
    legend = axes.legend(loc="upper left", fontsize="small", frameon=False)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([SMALL])


def _names(axes: Any, report: BudgetReport) -> None:
    axes.set_ylabel(f"{report.name} that a record pays")
    axes.set_title("What records allow, and what they pay", fontsize="medium")
    if len(report.groups) > NAMED:
        return
    below = -np.sqrt(areas(report)) / 2 - 4
    style = {"ha": "center", "va": "top", "fontsize": "small", "textcoords": "offset points"}
    for place, name in enumerate(report.groups):
        at = (report.budgets[place], report.costs[place])
        axes.annotate(name, at, (0, below[place]), **style)


def _bars(axes: Any, report: BudgetReport, scale: str, low: float, high: float) -> None:
    """One bar a budget, as wide on paper as the others; averages where budgets are many."""
    many = len(report.budgets) > BARS
    found = averages(report, scale) if many else alone(report, scale, low, high)
    left, right, wasted = found
    axes.bar(left, 100 * wasted, right - left, align="edge", color=WASTE, alpha=0.7)
    label = f"{report.name} that a record allows"
    axes.set(xscale=scale, xlim=(low, high), ylim=(0, 100), xlabel=label)
    axes.set_ylabel("noise wasted, %")


def alone(report: BudgetReport, scale: str, low: float, high: float) -> tuple[Array, Array, Array]:
    """Ends and heights of a bar around each budget."""
    width = min(0.06, 0.8 / len(report.budgets))
    if scale == "linear":
        half = width * (high - low) / 2
        return report.budgets - half, report.budgets + half, report.wasted
    factor = (high / low) ** (width / 2)
    return report.budgets / factor, report.budgets * factor, report.wasted


def averages(report: BudgetReport, scale: str) -> tuple[Array, Array, Array]:
    """Ends and heights of bars of one width, each the average over the records in it."""
    ends = float(report.budgets.min()), float(report.budgets.max())
    cuts = (np.geomspace if scale == "log" else np.linspace)(*ends, BARS + 1)
    where = np.clip(np.searchsorted(cuts, report.budgets, side="right") - 1, 0, BARS - 1)
    weights = np.ones(len(where)) if report.counts is None else report.counts
    each = np.bincount(where, weights, BARS)
    summed = np.bincount(where, weights * report.wasted, BARS)
    held = each > 0
    return cuts[:-1][held], cuts[1:][held], summed[held] / each[held]
