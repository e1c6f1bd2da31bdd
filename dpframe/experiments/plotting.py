"""An item as a picture, in the style of the paper."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.sources.safe_errors import library

from . import NOT_PRIVATE
from .declared import Figure, Item
from .tables import TableEntry, choices, panels

COLUMNS = 3
WIDTHS, HEIGHT = {1: 5.5, 2: 3.0, 3: 2.1}, 2.5  # inches of a panel, by columns
FILLS = ("full", "none", "left", "bottom", "top")  # of markers, by what is not the method
FONT = 10.5  # points: numbers stay readable where a picture is 390 pixels wide


def picture(
    found: Sequence[TableEntry], item: Item, files: Sequence[Path], *, note: str = ""
) -> None:
    """Draw it into the files, by their endings. Raises MissingExtra.

    The legend stands below the panels, where it hides no curve.
    """
    figure = item.figure
    if figure is None:
        raise InvalidArgument("item", "a figure", item.name)
    found = _distinct(found, figure, item)
    parts = panels(found, figure, item)
    columns = min(len(parts), _columns(found, figure, item))
    rows = math.ceil(len(parts) / columns)
    above = {
        one.method.name
        for part in parts.values()
        for one in part
        if one.ours.value > _top(part, figure)
    }
    if above:
        note = f"{note} Above the picture in part: {', '.join(sorted(above))}."
    wide = max(columns * WIDTHS[columns], 5.5)
    canvas = library("matplotlib.figure", "plots").Figure(
        figsize=(wide, rows * HEIGHT), layout="constrained"
    )
    grid = canvas.subplots(rows, columns, squeeze=False)
    titles = [textwrap.fill(name, int(12.5 * WIDTHS[columns])) for name in parts]
    for place, axes in enumerate(grid.flat):
        if place >= len(parts):
            axes.set_axis_off()
            continue
        _panel(axes, list(parts.values())[place], figure, item)
        axes.set_title(titles[place], fontsize=FONT - 0.5)
        if columns == COLUMNS and "x" not in figure.log:
            axes.locator_params(axis="x", nbins=4)
        if place + columns < len(parts):
            axes.set_xlabel("")
        if place % columns:
            axes.set_ylabel("")
    title = textwrap.fill(f"[{item.paper}] {item.title}", int(wide * 11))
    heading = canvas.suptitle(title, fontsize=FONT + 0.5)
    stand_in = f"STAND-IN DATA: {item.stand_in.removesuffix('.')}. " if item.stand_in else ""
    notes = textwrap.fill(f"{NOT_PRIVATE}. {stand_in}{note}", int(wide * 13))
    legend = _legend(canvas, grid.flat[0], notes)
    canvas.draw_without_rendering()
    more = sum(one.get_window_extent().height for one in (heading, legend)) / canvas.dpi
    lines = rows * max(title.count("\n") for title in titles) * FONT / 60
    canvas.set_figheight(rows * HEIGHT + lines + more)
    for file in files:
        undated = {"Date": None} if file.suffix == ".svg" else {}  # the same results, the same file
        canvas.savefig(file, dpi=150, metadata=undated)


def _legend(canvas: Any, axes: Any, notes: str) -> Any:
    """Names of curves, in as many columns as fit, under the notes."""
    handles, names = axes.get_legend_handles_labels()
    size = FONT - 1.5
    letters = canvas.get_figwidth() * 72 / (0.56 * size)
    return canvas.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=max(1, int(letters / (max(map(len, names), default=0) + 6))),
        fontsize=size,
        title=notes,
        title_fontsize=FONT - 3,
        frameon=False,
        columnspacing=1.2,
        handlelength=2.2,
    )


def _distinct(found: Sequence[TableEntry], figure: Figure, item: Item) -> list[TableEntry]:
    """Without the curves of a method that are the same at every value of an axis without panels."""
    curves = _by_curve(found, figure, item)
    lines: dict[str, set[tuple[str, ...]]] = {}
    for (method, _), line in curves.items():
        lines.setdefault(method, set()).add(tuple(f"{one.ours.value:.4g}" for one in line))
    first = dict(reversed(list(curves)))
    return [
        one
        for one in found
        if len(lines[one.method.name]) > 1 or _curve(one, figure, item)[1] == first[one.method.name]
    ]


def _columns(found: Sequence[TableEntry], figure: Figure, item: Item) -> int:
    """As many columns as the last panel axis has values, if there are two axes; else 2 or 3."""
    if len(figure.panels) < 2:
        return 2 if len(panels(found, figure, item)) in {2, 4} else COLUMNS
    return len(choices(found, item)[figure.panels[-1]])


def _by_curve(
    found: Sequence[TableEntry], figure: Figure, item: Item
) -> dict[tuple[str, str], list[TableEntry]]:
    curves: dict[tuple[str, str], list[TableEntry]] = {}
    for one in found:
        curves.setdefault(_curve(one, figure, item), []).append(one)
    return curves


def _curve(entry: TableEntry, figure: Figure, item: Item) -> tuple[str, str]:
    """The method of a curve, and the values of axes that are neither x nor panels."""
    shown = {figure.x, *figure.panels}
    rest = [
        str(entry.point[axis])
        for axis in item.run.axes
        if axis not in shown and len(item.where.get(axis, item.run.axes[axis])) > 1
    ]
    if figure.panels != ("metric",) and "metric" not in shown and len(item.shown_metrics()) > 1:
        rest.append(entry.metric.name)
    return entry.method.name, ", ".join(rest)


def _panel(axes: Any, found: Sequence[TableEntry], figure: Figure, item: Item) -> None:
    if figure.kind == "box":
        _boxes(axes, found, figure)
    else:
        _curves(axes, found, figure, item)
    if "y" in figure.log and any(one.ours.value > 0 for one in found):
        axes.set_yscale("log")
        if (top := _top(found, figure)) < math.inf:  # no curve that diverges hides the others
            least = min(one.ours.value for one in found if one.ours.value > 0)
            axes.set_ylim(least / 1.3, max(top, least * 2))
    elif figure.kind == "lines" and "y" not in figure.log:
        axes.set_ylim(-0.05, 1.05)  # a share
    if figure.mark is not None:
        axes.axvline(figure.mark, color="red", linewidth=0.8, zorder=0)
    axes.set_xlabel(figure.label, fontsize=FONT - 1)
    axes.set_ylabel(figure.y, fontsize=FONT - 1)
    axes.tick_params(which="both", labelsize=FONT - 2)
    axes.grid(visible=True, which="major", linewidth=0.3, alpha=0.6)


def _curves(axes: Any, found: Sequence[TableEntry], figure: Figure, item: Item) -> None:
    curves = _by_curve(found, figure, item)
    others = list(dict.fromkeys(besides for _, besides in curves))
    count = Counter(method for method, _ in curves)
    for (method, besides), line in curves.items():
        place = others.index(besides)
        name, look = method, ("", FILLS[0])
        if count[method] > 1:
            name = besides if "method" in figure.panels else ""
            look = f"C{place}", FILLS[place % len(FILLS)]
        elif len(others) > 1:
            look = "black", FILLS[0]
        _draw(axes, name, line, figure, look)
    if len(others) > 1 and "method" not in figure.panels:
        _key(axes, [one for one in item.shown_methods() if count[one.name] > 1], others)
    if any(one.published for one in found):
        _published(axes, curves, figure)
    if "x" in figure.log:
        axes.set_xscale("log")


def _key(axes: Any, methods: Sequence[Any], others: Sequence[str]) -> None:
    """For the legend: each method once by its line, what is besides it once by its color."""
    for one in methods:
        axes.plot([], [], one.line, color="0.4", marker=one.marker or None, label=one.name)
    for place, name in enumerate(others):
        fill = FILLS[place % len(FILLS)]
        axes.plot([], [], "s", color=f"C{place}", markersize=8, fillstyle=fill, label=name)


def _draw(
    axes: Any, name: str, line: Sequence[TableEntry], figure: Figure, look: tuple[str, str]
) -> None:
    """One curve, in a color, or in that of its method, with markers filled so; without a name it is
    not in the legend.
    """
    method = line[0].method
    color, fill = look
    x = [float(one.point[figure.x]) for one in line]
    y = np.array([one.ours.value for one in line])
    (drawn,) = axes.plot(
        x,
        y,
        label=name or None,
        color=color or method.color or None,
        linestyle=method.line,
        marker=method.marker or None,
        linewidth=1.3,
        markersize=3.2 if fill == "full" else 4.5,
        fillstyle=fill,
    )
    low, high = _band(line, y, figure)
    if low is None:
        return
    if figure.band == "20-80":
        axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.07, linewidth=0)
    else:
        axes.vlines(x, low, high, color=drawn.get_color(), linewidth=0.7, alpha=0.8)


def _band(line: Sequence[TableEntry], y: Any, figure: Figure) -> tuple[Any, Any]:
    """Ends of the band of a curve: a std upwards only, as the papers draw it on a log axis; an
    interval that reaches 0 is cut at a tenth of the value there.
    """
    if figure.band == "20-80":
        ends = np.array([one.ours.quantiles(0.2, 0.8) for one in line])
        return ends[:, 0], ends[:, 1]
    if figure.band == "std":
        return y, y + np.array([one.ours.std for one in line])
    if figure.band == "interval" and len(line[0].ours.runs) > 2:
        half = np.array([one.ours.half_width for one in line])
        low = np.maximum(y - half, y / 10) if "y" in figure.log else y - half
        return low, y + half
    return None, None


def _published(axes: Any, curves: dict[tuple[str, str], list[TableEntry]], figure: Figure) -> None:
    """Hollow circles in the colour of the curve; their meaning once in the legend."""
    label: str | None = "published"
    for line in curves.values():
        cells = [one for one in line if one.published is not None]
        if cells:
            x = [float(one.point[figure.x]) for one in cells]
            y = [one.published.value for one in cells if one.published is not None]
            color = cells[0].method.color or "black"
            hollow = {"markersize": 6, "markerfacecolor": "none", "markeredgewidth": 0.7}
            axes.plot(x, y, "o", **hollow, color=color, label=label)
            label = None


def _boxes(axes: Any, found: Sequence[TableEntry], figure: Figure) -> None:
    """A box of the runs of each method at each x, methods side by side."""
    methods = list(dict.fromkeys(one.method for one in found))
    places = list(dict.fromkeys(float(one.point[figure.x]) for one in found))
    width = 0.7 / len(methods)
    for i, method in enumerate(methods):
        mine = [one for one in found if one.method is method]
        drawn = axes.boxplot(
            [one.ours.runs for one in mine],
            positions=[j + (i - (len(methods) - 1) / 2) * width for j in range(len(mine))],
            widths=0.85 * width,
            patch_artist=True,
            flierprops={"markersize": 3, "marker": method.marker or "o"},
            medianprops={"color": "black"},
        )
        for box in drawn["boxes"]:
            box.set(facecolor=method.color, alpha=(0.9, 0.3)[i % 2])
        drawn["boxes"][0].set_label(method.name)
    axes.set_xticks(range(len(places)), [f"{place:g}" for place in places])


def _top(found: Sequence[TableEntry], figure: Figure) -> float:
    """The upper end of a panel; infinite where it has no ceiling."""
    name, factor = figure.ceiling or ("", 1.0)
    of = [one.ours.value for one in found if one.method.name == name]
    positive = [one.ours.value for one in found if one.ours.value > 0]
    return min(max(of) * factor, max(positive) * 1.3) if of and positive else math.inf
