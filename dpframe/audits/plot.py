"""Pictures of comparisons. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dpframe.mechanisms import Gaussian
from dpframe.notebooks import pyplot

from .figures import exactly

if TYPE_CHECKING:
    from .comparison import Cell, Comparison
    from .releases_compared import ReleaseNoise, ReleasesCompared

POINTS = 61  # of a curve
MOST_TICKS = 8
COLOURS = ("#0b5fa5", "#d1495b", "#2a9d4a", "#8a4fbf", "#c97b12", "#3f3f46")
SHADE = "#d9d9de"
Line = tuple[str, list[float], list["Cell"]]


def draw(comparison: Comparison, ax: Any, of: str) -> Any:
    """The std or its ratio to the least against epsilon, a line a theorem and delta; solid where it
    holds, dashed where it does not. Against delta where there are several for one epsilon.
    """
    axes = new_axes() if ax is None else ax
    by_delta = len(comparison.epsilons) == 1 and len(comparison.deltas) > 1
    lines = [*_against_delta(comparison)] if by_delta else [*_against_epsilon(comparison)]
    if of == "ratio":
        axes.axhline(1, color="black", linewidth=1, label="analytic: the least")
        lines = [one for one in lines if any(cell.ratio not in {None, 1.0} for cell in one[2])]
    heights: list[float] = []
    for place, (name, at, cells) in enumerate(lines):
        colour = COLOURS[place % len(COLOURS)]
        values = [cell.ratio or 0.0 if of == "ratio" else cell.std for cell in cells]
        valid = [cell.valid for cell in cells]
        axes.plot(at, np.where(valid, values, np.nan), color=colour, linewidth=2, label=name)
        if not all(valid):
            axes.plot(at, np.where(valid, np.nan, values), "--", color=colour, linewidth=2)
        heights += values
    if any(not cell.valid for _, _, cells in lines for cell in cells):
        axes.plot([], [], "--", color="0.3", label="dashed: outside its theorem")
    axes.set(xscale="log", xlabel="delta" if by_delta else "epsilon")
    _scale(axes, of, heights)
    if not by_delta:
        _shade(axes, comparison)
    axes.set_title(_title(comparison, by_delta=by_delta), fontsize="medium")
    axes.legend(loc="best", fontsize="small")
    return axes


def draw_releases(compared: ReleasesCompared, ax: Any) -> Any:
    """The noise of each release over what is enough, against epsilon: as declared, and by each
    calibration of its share alone; points are hollow where its theorem does not hold for that
    share. Releases that are alike are one line.
    """
    axes, heights = new_axes() if ax is None else ax, [1.0]
    axes.axhline(1, color="black", linewidth=1, label="enough")
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
                axes.plot(at, values, style[0] + ":", markerfacecolor="white", **options)
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
    return f"delta = {exactly(deltas[0])}" if len(deltas) == 1 else ""


def _scale(axes: Any, of: str, heights: list[float]) -> None:
    """Logarithmic for stds, and for ratios that differ much."""
    label = "std over the least std" if of == "ratio" else "std of the noise"
    wide = of == "std" or max(heights, default=1.0) > 5
    axes.set(ylabel=label, yscale="log" if wide else "linear")


def _shade(axes: Any, comparison: Comparison) -> None:
    """Where epsilon is at least 1: there the classical theorem says nothing."""
    left, right = axes.get_xlim()
    if Gaussian.classical in comparison.calibrations and right > 1:
        label = "the classical theorem does not hold"
        axes.axvspan(max(left, 1), right, color=SHADE, zorder=0, linewidth=0, label=label)
        axes.set_xlim(left, right)


def _against_epsilon(comparison: Comparison) -> list[Line]:
    """A line a theorem and delta over the whole range of epsilons, its theorem's end included."""
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
