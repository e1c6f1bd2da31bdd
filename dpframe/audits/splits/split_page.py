"""A split as a page.

A picture of a split: the criterion by what was free. Needs matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from textwrap import fill
from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument
from dpframe.prover.algebra import ends_of
from dpframe.prover.jointly import noise_factor
from dpframe.prover.text import argument, sentence
from dpframe.symbols import Expression, Number
from dpframe.wording import digits as digits_of

from ..figures import figure
from ..plot import COLOURS, blended, ink, log_ticks, new_axes

if TYPE_CHECKING:
    from .split import Split


HIGH = 30.0  # the picture shows up to so many times the least value
ROW = 0.06  # of the height of the axes, for a line of text


def draw(split: Split, ax: Any) -> Any:
    """The criterion against each field, the others as chosen, or against the share of each release,
    the others in proportion: a line each, named below the dot of the choice, and one line for
    releases whose lines are the same. A cross is what the choice is compared with. Raises
    InvalidArgument where the split is a formula.
    """
    if split.value is None or not split.curve:
        way_out = "Give epsilon, delta and the bounds numbers."
        raise InvalidArgument("split", "one in numbers, to be drawn", split.over, way_out)
    axes = new_axes() if ax is None else ax
    shares = split.over == "shares"
    lines = sorted(_alike(split), key=lambda names: _place(split, names[0]))
    room = ROW * len(lines) + 0.03
    axes.set(yscale="log", ylabel="criterion", xlabel=_across(split))
    axes.set_ylim(split.value * HIGH ** (-room / (1 - room)), HIGH * split.value)
    if shares:
        axes.set_xlim(0, 1)
    for row, names in enumerate(lines):
        _line(axes, split, names, row)
    if not shares:
        _compared(axes, split)
    axes.set_title(fill(split.criterion.sentence, 70), fontsize="small")
    log_ticks(axes.yaxis)
    return axes


def _across(split: Split) -> str:
    if split.over == "shares":
        return "share of one release, the others in proportion"
    return split.over if len(split.curve) == 1 else "one field, the others as chosen"


def _alike(split: Split) -> list[list[str]]:
    """Names by the numbers of their curves."""
    found: dict[object, list[str]] = {}
    for name, points in split.curve.items():
        key = tuple((point.at[name], f"{point.value:.9g}") for point in points)
        found.setdefault(key, []).append(name)
    return list(found.values())


def _place(split: Split, name: str) -> float:
    """Where on the axis the choice is: shares sum to 1."""
    whole = sum(map(float, split.chosen.values())) if split.over == "shares" else 1.0
    return float(split.chosen[name]) / whole


def _line(axes: Any, split: Split, names: Sequence[str], row: int) -> None:
    name, colour = names[0], COLOURS[row % len(COLOURS)]
    shown = [point for point in split.curve[name] if math.isfinite(point.value)]
    at = [float(point.at[name]) for point in shown]
    axes.plot(at, [point.value for point in shown], color=colour, label=", ".join(names))
    place = _place(split, name)
    axes.plot([place], [split.value], "o", color=colour)
    right = place > 0.5 * sum(axes.get_xlim())
    axes.annotate(
        _named(split, names, place),
        (place, split.value),
        (place, ROW * (row + 0.5)),
        textcoords=blended(axes),
        ha="right" if right else "left",
        va="center",
        fontsize="small",
        color=colour,
        arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "relpos": (right, 0.5)},
    )


def _named(split: Split, names: Sequence[str], place: float) -> str:
    """`gram 54.4%`, `moment and 6 others 8.21% each`, `gamma = 0.119`."""
    if split.over != "shares":
        return ", ".join(f"{name} = {place:.3g}" for name in names)
    others = f" and {len(names) - 1} others" if len(names) > 2 else ""
    said = f"{names[0]}{others}" if others else " and ".join(names)
    return f" {said} {100 * place:.3g}%{' each' if len(names) > 1 else ''} "


def _compared(axes: Any, split: Split) -> None:
    """Crosses at other splits."""
    for other in split.against:
        if len(other.at) == 1 and math.isfinite(other.value):
            (at,) = map(float, other.at.values())
            axes.plot([at], [other.value], "x", color=ink(), markersize=8)
            beside = {"textcoords": "offset points", "fontsize": "small", "color": ink()}
            axes.annotate(other.label, (at, other.value), (8, -4), **beside)


LITTLE = 0.01  # of the budget


def page(split: Split) -> str:
    """The criterion, the choice, why it is best, what else costs, the proof."""
    return "\n".join(
        [
            f"Split of {split.regression}",
            "",
            *_choice(split),
            *_jointly(split),
            "",
            f"Proved: {argument(split.certificate.derivation)}",
            *(f"  {line}" for line in sentence(split.certificate)),
            "Assumed of the choice",
            *(f"  {one}" for one in split.assumptions),
        ]
    )


def _choice(split: Split) -> Iterator[str]:
    yield f"  criterion   {split.criterion.sentence}"
    chosen = ", ".join(f"{name} = {_number(one)}" for name, one in split.chosen.items())
    yield f"  chosen      {chosen}"
    if split.exact:
        yield f"  because     {split.law}: in closed form"
    worth = split.least if split.value is None else figure(split.value, "up", 4)
    yield f"  worth       {worth}"
    if split.shares:
        parts = ", ".join(f"{name} {100 * share:.3g}%" for name, share in split.shares.items())
        yield f"  shares      {parts} of {split.currency}"
    for place, point in enumerate(split.against):
        head = "instead of" if place == 0 else ""
        times = f", {point.value / split.value:.3g} times as much" if split.value else ""
        yield f"  {head:<10}  {figure(point.value, 'up', 4)} for {point.label}{times}"
    for name, share in split.shares.items():
        if share < LITTLE:
            yield f"  note        {name} is hardly worth its price here: is it needed at all?"


def _number(formula: Expression) -> str:
    """A number in six digits where those are exact, else in four."""
    if not isinstance(formula, Number):
        return str(formula)
    decimal = digits_of(float(formula.value), 6)
    return decimal if Fraction(decimal) == formula.value else digits_of(float(formula.value), 4)


def _jointly(split: Split) -> Iterator[str]:
    """How much less noise the releases need together than by their shares."""
    problem = split.certificate.report.problem
    if split.certificate.derivation != "basic" or not problem.graph.additive:
        return
    with suppress(InvalidArgument):
        factor = ends_of(noise_factor(problem.graph.releases, problem.target.budget))
        if factor is not None and factor[1] < 1 - LITTLE:
            times = figure(factor[1], "up")
            yield f"  note        calibrated jointly, this noise could be multiplied by {times}:"
            yield "              dp.regressions.Jointly(of=...), or over='shares'"
