"""Pictures of comparisons. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from dpframe.mechanisms import Gaussian
from dpframe.notebooks import pyplot

from .figures import exactly, pair

if TYPE_CHECKING:
    from .comparison import Cell, Comparison
    from .compositions_compared import CompositionsCompared
    from .releases_compared import ReleaseNoise, ReleasesCompared

POINTS = 61  # of a curve
MOST_TICKS = 8
FEW_DECADES = 1e3
COLOURS = ("#3b82c4", "#d1495b", "#2a9d4a", "#9a62cf", "#c97b12", "#808089")
SHADE = "0.5"
LEAST = "analytic: the least"
HOLLOW = " (hollow: the theorem does not hold)"
LINE_HEIGHT, WIDE_LETTER = 0.055, 0.0135  # of small text, in axes
Line = tuple[str, list[float], list["Cell"]]


def draw(comparison: Comparison, ax: Any, of: str) -> Any:
    """The std or its ratio to the least against epsilon, a line a theorem and delta; solid where it
    holds, dashed where it does not. Against delta where there are several for one epsilon; dots
    for pairs that are not all combinations of their epsilons and deltas.
    """
    axes, colour_of = new_axes() if ax is None else ax, dict[str, str]()
    by_delta = len(comparison.epsilons) == 1 and len(comparison.deltas) > 1
    pairs = _are_pairs(comparison)
    lines = [*_against_delta(comparison)] if by_delta else [*_against_epsilon(comparison)]
    if all(cell.ratio is None for row in comparison.cells for cell in row):
        of = "std"  # noise that is not Gaussian has no ratio
    if of == "ratio":
        axes.axhline(1, color=ink(), linewidth=1, label=LEAST)
        lines = [one for one in lines if any(cell.ratio not in {None, 1.0} for cell in one[2])]
    heights: list[float] = []
    ends: list[Label] = []
    for name, at, cells in lines:
        theorem = name.partition(",")[0]
        colour = colour_of.setdefault(theorem, COLOURS[len(colour_of) % len(COLOURS)])
        values = [cell.ratio or 0.0 if of == "ratio" else cell.std for cell in cells]
        valid = [cell.valid for cell in cells]
        style = {"color": colour, "linewidth": 2, "marker": "o" if pairs or len(at) == 1 else ""}
        solid, dashed = (" ", " ") if pairs else ("-", "--")
        axes.plot(at, np.where(valid, values, np.nan), linestyle=solid, label=name, **style)
        if not all(valid):
            style["markerfacecolor"] = "none"
            axes.plot(at, np.where(valid, np.nan, values), linestyle=dashed, **style)
        heights += values
        ends.append((at[0], values[0], name, colour))
    if any(not cell.valid for _, _, cells in lines for cell in cells):
        shown = {"marker": "o", "mfc": "none", "linestyle": " "} if pairs else {"linestyle": "--"}
        label = f"{'hollow' if pairs else 'dashed'}: outside its theorem"
        axes.plot([], [], color=ink(), label=label, **shown)
    axes.set(xscale="log", xlabel="delta" if by_delta else "epsilon")
    _scale(axes, of, heights)
    if not by_delta:
        log_ticks(axes.xaxis)
        _shade(axes, comparison)
    axes.set_title(_title(comparison, by_delta=by_delta), fontsize="medium")
    label_before(axes, ends)
    if of == "ratio":
        beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axes.annotate(LEAST, (0.01, 1), (0, 3), fontsize="small", color=ink(), **beside)
    _key(axes, {LEAST, *(name for _, _, name, _ in ends)})
    return axes


Label = tuple[float, float, str, str]  # where a line begins, what it is called, its colour


def label_before(axes: Any, labels: Sequence[Label]) -> None:
    """Name lines where they begin, to the left; names that would overlap are moved apart, and a
    thin line leads from each to its own.
    """
    if not labels:
        return
    most = max(len(text) for _, _, text, _ in labels)
    left, right = axes.get_xlim()
    room = min(0.5, WIDE_LETTER * most)  # of the width of the axes
    if axes.get_xscale() == "log":
        axes.set_xlim(right * (left / right) ** (1 / (1 - room)), right)
    else:
        axes.set_xlim(right - (right - left) / (1 - room), right)
    ordered = sorted(labels, key=lambda label: label[1])
    to_axes = axes.transData + axes.transAxes.inverted()
    natural = [float(to_axes.transform((x, y))[1]) for x, y, _, _ in ordered]
    for (x, y, text, colour), height in zip(ordered, apart(natural, LINE_HEIGHT), strict=True):
        axes.annotate(
            text,
            (x, y),
            (float(to_axes.transform((x, y))[0]) - 0.03, height),
            textcoords="axes fraction",
            ha="right",
            va="center",
            fontsize="small",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6},
        )


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Ascending heights, moved as little as keeps them `gap` apart and, if there is room, within
    the axes: blocks of neighbours that are too near share their middle.
    """
    blocks: list[tuple[float, int]] = []  # the middle of each and how many it has
    for height in heights:
        middle, count = height, 1
        while blocks and middle - count * gap / 2 < blocks[-1][0] + blocks[-1][1] * gap / 2:
            before, more = blocks.pop()
            middle = (before * more + middle * count) / (more + count)
            count += more
            half = count * gap / 2
            middle = min(max(middle, half), max(1 - half, half))
        blocks.append((middle, count))
    return [
        middle + (place - (count - 1) / 2) * gap
        for middle, count in blocks
        for place in range(count)
    ]


def _key(axes: Any, named: Container[str]) -> None:
    """A legend below the axes of what no label names."""
    handles, labels = axes.get_legend_handles_labels()
    left = [(one, text) for one, text in zip(handles, labels, strict=True) if text not in named]
    if left:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncols": 2}
        axes.legend(*zip(*left, strict=True), fontsize="small", frameon=False, **place)


def log_ticks(axis: Any) -> None:
    """At powers of ten, and at 2 and 5 times those on short axes, written as decimals."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.axes.get_xlim() if axis.axis_name == "x" else axis.axes.get_ylim()
    subs = (1, 2, 5) if high < FEW_DECADES * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=MOST_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())


def blended(axes: Any) -> Any:
    """Across as data, upwards as parts of the axes."""
    from matplotlib.transforms import blended_transform_factory

    return blended_transform_factory(axes.transData, axes.transAxes)


def ink() -> str:
    """The colour of text, which suits the ground of the style in use."""
    return str(pyplot().rcParams["text.color"])


def draw_methods(compared: CompositionsCompared, ax: Any) -> Any:
    """A row for each method, the least std on top; a dot for each epsilon and delta, named above
    its first dot. The std stands beside the dots of one epsilon and delta.
    """
    rows = len(compared.methods)
    axes = new_axes(figsize=(6.4, 1.2 + 0.26 * rows)) if ax is None else ax
    names = [f"{method.noise}, {method.accountant}" for method in compared.methods]
    alone = len(compared.points) == 1
    for place, point in enumerate(compared.points):
        colour = COLOURS[place % len(COLOURS)]
        found = [(k, needs[place]) for k, needs in enumerate(compared.needs)]
        shown = [(k, need.std, need) for k, need in found if need.std is not None]
        for valid in (True, False):
            dots = [(std, k) for k, std, need in shown if need.valid is valid]
            if dots:
                face = colour if valid else "none"
                axes.plot(*zip(*dots, strict=True), "o", color=colour, mfc=face)
        top = shown[:1]
        notes = [(std, k, str(need), (7, 0)) for k, std, need in shown] if alone else []
        notes += [] if alone else [(std, k, pair(*point), (0, 7)) for k, std, _ in top]
        for std, k, text, (right, up) in notes:
            options = {"textcoords": "offset points", "color": colour, "fontsize": "small"}
            side = "left" if alone else "center"
            aligned = "center" if alone else "bottom"
            axes.annotate(text, (std, k), (right, up), ha=side, va=aligned, **options)
    axes.set_yticks(range(rows), names)
    axes.set_ylim(rows - 0.5, -0.6 if alone else -1.3)
    hollow = any(not need.valid for needs in compared.needs for need in needs)
    axes.set(xscale="log", xlabel=f"std of the noise{HOLLOW if hollow else ''}")
    axes.margins(x=0.15)
    log_ticks(axes.xaxis)
    axes.grid(axis="y", linewidth=0.4, alpha=0.5)
    axes.set_axisbelow(True)
    axes.set_title(compared.title.replace("; ", "\n"), fontsize="small")
    return axes


def draw_releases(compared: ReleasesCompared, ax: Any) -> Any:
    """The noise of each release over what is enough, against epsilon: as declared, and by each
    calibration of its share alone; points are hollow where its theorem does not hold for that
    share. Releases that are alike are one line.
    """
    axes, heights = new_axes() if ax is None else ax, [1.0]
    axes.axhline(1, color=ink(), linewidth=1, label="enough")
    several = len({line.delta for line in compared.lines}) > 1
    of: dict[tuple[str, str], list[ReleaseNoise]] = {}
    for line in compared.lines:
        delta = f", delta = {exactly(line.delta)}" if several else ""
        of.setdefault((line.name, delta), []).append(line)
    at = sorted({float(line.epsilon) for line in compared.lines})
    for place, (names, lines) in enumerate(_alike(of, lambda line: [line.ratio])):
        label = f"{names}: declared"
        wide = {"color": COLOURS[-1 - place], "linewidth": 6, "alpha": 0.4}  # others may lie on it
        axes.plot(at, [one.ratio for one in lines], "-", label=label, **wide)
        heights += [one.ratio for one in lines]
    for turn, (style, which) in enumerate((("^-", "analytic"), ("s--", "classical"))):
        for place, (names, lines) in enumerate(_alike(of, partial(_calibrated, which))):
            cells = [getattr(one, which) for one in lines]
            if all(cells):
                values, valid = [c.ratio for c in cells], [c.valid for c in cells]
                colour = COLOURS[(2 * place + turn) % len(COLOURS)]
                options = {"color": colour, "linewidth": 1, "markersize": 4}
                axes.plot(at, values, style[0] + ":", markerfacecolor="none", **options)
                solid = np.where(valid, values, np.nan)
                axes.plot(at, solid, style, label=f"{names}: {which}", **options)
                heights += values
    axes.set(xscale="log", xlabel="epsilon")
    if len(at) <= MOST_TICKS:
        axes.set_xticks(at, [f"{epsilon:g}" for epsilon in at])
        axes.set_xticks([], minor=True)
    _scale(axes, "ratio", heights)
    axes.set_ylabel("std over the std that is enough")
    hollow = "hollow points: outside their theorem"
    axes.set_title(f"{compared.subject}\n{hollow}", fontsize="medium", wrap=True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), fontsize="small")
    return axes


def _alike(
    of: Mapping[tuple[str, str], list[ReleaseNoise]],
    heights: Callable[[ReleaseNoise], list[float]],
) -> list[tuple[str, list[ReleaseNoise]]]:
    """Lines by the names, and deltas, of all that have these heights."""
    found: dict[object, list[tuple[str, str]]] = {}
    for key, lines in of.items():
        at = tuple(f"{height:.9g}" for line in lines for height in heights(line))
        found.setdefault(at, []).append(key)
    labels: list[tuple[str, list[ReleaseNoise]]] = []
    for keys in found.values():
        names, deltas = (dict.fromkeys(part) for part in zip(*keys, strict=True))
        labels.append((", ".join(names) + "".join(deltas), of[keys[0]]))
    return labels


def _calibrated(which: str, line: ReleaseNoise) -> list[float]:
    """Where a calibration of a release is drawn, and whether it is a theorem there."""
    cell = getattr(line, which)
    return [] if cell is None else [cell.ratio or 0.0, float(cell.valid)]


def _title(comparison: Comparison, *, by_delta: bool) -> str:
    if by_delta:
        return f"epsilon = {exactly(comparison.epsilons[0])}"
    deltas = comparison.deltas
    if _are_pairs(comparison):
        return f"(epsilon, delta): {', '.join(starmap(pair, comparison.points))}"
    return f"delta = {exactly(deltas[0])}" if len(deltas) == 1 else ""


def _are_pairs(comparison: Comparison) -> bool:
    """True where the points are not all combinations of their epsilons and deltas."""
    return len(comparison.points) < len(comparison.epsilons) * len(comparison.deltas)


def _scale(axes: Any, of: str, heights: list[float]) -> None:
    """Logarithmic for stds, and for ratios that differ much."""
    label = "std over the least std" if of == "ratio" else "std of the noise"
    wide = of == "std" or max(heights, default=1.0) > 5
    axes.set(ylabel=label, yscale="log" if wide else "linear")
    if wide:
        log_ticks(axes.yaxis)


def _shade(axes: Any, comparison: Comparison) -> None:
    """Where epsilon is at least 1: there the classical theorem says nothing."""
    left, right = axes.get_xlim()
    if Gaussian.classical in comparison.calibrations and right > 1:
        label = "the classical theorem does not hold"
        shade = {"color": SHADE, "alpha": 0.2, "zorder": 0, "linewidth": 0}
        axes.axvspan(max(left, 1), right, label=label, **shade)
        axes.set_xlim(left, right)


def _against_epsilon(comparison: Comparison) -> list[Line]:
    """A line a theorem and delta over the whole range of epsilons, its theorem's end included."""
    if _are_pairs(comparison):
        points = sorted(zip(comparison.points, comparison.cells, strict=True), key=itemgetter(0))
        at_pairs = [float(point[0]) for point, _ in points]
        return [
            (theorem.short, at_pairs, [row[column] for _, row in points])
            for column, theorem in enumerate(comparison.theorems)
        ]
    low, high = min(comparison.epsilons), max(comparison.epsilons)
    grid = {*comparison.epsilons, *_between(low, high)}
    grid |= {end for end in (Fraction(1), Fraction(999, 1000)) if low < end < high}
    at, several = sorted(grid), len(comparison.deltas) > 1
    lines: list[Line] = []
    for delta in comparison.deltas:
        dense = comparison.at(at, delta)
        for column, theorem in enumerate(comparison.theorems):
            name = f"{theorem.short}, delta = {exactly(delta)}" if several else theorem.short
            lines.append((name, [float(one) for one in at], [row[column] for row in dense.cells]))
    return lines


def _against_delta(comparison: Comparison) -> list[Line]:
    """A line a theorem over the whole range of deltas."""
    at = sorted({*comparison.deltas, *_between(min(comparison.deltas), max(comparison.deltas))})
    dense = comparison.at(comparison.epsilons, at)
    return [
        (theorem.short, [float(one) for one in at], [row[column] for row in dense.cells])
        for column, theorem in enumerate(comparison.theorems)
    ]


def _between(low: Fraction, high: Fraction) -> list[Fraction]:
    """Numbers at equal ratios inside (low, high), in few digits."""
    if low == high:
        return []
    numbers = np.geomspace(float(low), float(high), POINTS)[1:-1]
    return [Fraction(f"{number:.4g}") for number in numbers]


def new_axes(rows: int = 1, **options: Any) -> Any:
    """Axes of a new figure, one below the other. Raises MissingExtra without matplotlib."""
    return pyplot().subplots(rows, layout="constrained", **options)[1]
