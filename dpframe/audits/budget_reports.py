"""Budgets of records against what they really pay, as a table and as a picture."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .figures import figure, table
from .plot import new_axes

Array = NDArray[Any]
MOST = 20  # lines of a table


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class BudgetReport:
    """What each group, or each different budget, requires and what it really pays, shape (k,).

    `budgets` and `costs` are of the parameter `name`, at `deltas` where there are any; costs are
    rounded up, and are at most the budget. `wasted` is the share of the noise that this budget did
    not ask for, rounded down. `counts` are records, or shares where groups have those, as `counted`
    says; None where they are not public. `rule` says how costs were found.
    """

    name: str
    groups: tuple[str, ...]
    budgets: Array
    costs: Array
    wasted: Array
    deltas: Array | None
    counts: Array | None
    counted: str
    rule: str

    @property
    def ratios(self) -> Array:
        """Cost over budget, in (0, 1], shape (k,)."""
        return np.asarray(self.costs / self.budgets)

    @property
    def average_wasted(self) -> float | None:
        """The share of noise that is wasted on an average record; None where no one counts them."""
        if self.counts is None:
            return None
        return float(np.average(self.wasted, weights=self.counts))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a group or budget, in the order of groups, else from the least."""
        return [self._record(place) for place in range(len(self.budgets))]

    def _record(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = {"group": self.groups[place]} if self.groups else {}
        found[self.name] = float(self.budgets[place])
        if self.deltas is not None:
            found["delta"] = float(self.deltas[place])
        found["cost"] = float(self.costs[place])
        found["ratio"] = float(self.ratios[place])
        found["wasted"] = float(self.wasted[place])
        if self.counts is not None:
            count = float(self.counts[place])
            found[self.counted] = int(count) if self.counted == "records" else count
        return found

    def __str__(self) -> str:
        """A table of at most 20 lines, then how costs were found."""
        return "\n".join([*_lines(self), "", *notes(self)])

    __repr__ = __str__

    def plot(self, axes: Any = None) -> Any:
        """Costs against budgets, a dot a group or budget, as large as its records are many, with
        the diagonal; below it the share of noise that is wasted.

        Draws into `axes`, a pair, or a new figure; returns the pair. Raises MissingExtra without
        matplotlib.
        """
        return draw(self, axes)


def shown(report: BudgetReport) -> list[int]:
    """The places of at most 20 budgets, the least and the largest among them."""
    k = len(report.budgets)
    if k <= MOST:
        return list(range(k))
    order = np.argsort(report.budgets, kind="stable")
    ranks = np.unique(np.linspace(0, k - 1, MOST).round().astype(int))
    return [int(order[rank]) for rank in ranks]


def _lines(report: BudgetReport) -> list[str]:
    head = titles(report)
    rows = [cells(report, place) for place in shown(report)]
    return table(head, rows, range(bool(report.groups), len(head)))


def titles(report: BudgetReport) -> list[str]:
    """The columns of its table."""
    head = ["group"] if report.groups else []
    head += [report.name, *(["delta"] if report.deltas is not None else []), "pays", "of it"]
    return [*head, "noise wasted", *([] if report.counts is None else [report.counted])]


def cells(report: BudgetReport, place: int) -> list[str]:
    """A row of its table."""
    found = [report.groups[place]] if report.groups else []
    found.append(figure(float(report.budgets[place]), "up"))
    if report.deltas is not None:
        found.append(figure(float(report.deltas[place])))
    found += [figure(float(report.costs[place]), "up"), percent(report.ratios[place])]
    found.append(percent(report.wasted[place]))
    if report.counts is not None:
        found.append(_count(report, float(report.counts[place])))
    return found


def _count(report: BudgetReport, count: float) -> str:
    return f"{count:,.0f}" if report.counted == "records" else percent(count)


def percent(share: float) -> str:
    """`38%`, `0.4%`."""
    return f"{100 * share:.0f}%" if share >= 0.01 or share < 5e-4 else f"{100 * share:.1f}%"


def notes(report: BudgetReport) -> list[str]:
    """What stands below its table."""
    different, lines = len(report.budgets), len(shown(report))
    said = [f"{lines} of {different:,} different budgets."] if lines < different else []
    if report.average_wasted is not None:
        said.append(f"Of an average record's noise {percent(report.average_wasted)} is wasted.")
    return [*said, f"Costs are upper bounds: {report.rule}."]


WIDE = 10  # ends of a range that ask for a logarithm
BARS = 40  # as many as can be distinguished
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
    """Whether all dots stand for equally many records, or that is unknown."""
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
