"""A split as a page.

A picture of a split: the criterion by what was free. Needs matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from textwrap import fill
from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument
from dpframe.prover.text import argument, sentence
from dpframe.symbols import Expression, Number

from ..figures import tidy
from ..plot import new_axes
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
    axes = new_axes() if ax is None else ax
    for place, (name, points) in enumerate(split.curve.items()):
        _line(axes, split, name, points, STYLES[place % len(STYLES)])
    shares = "share of one release, the others in proportion"
    label = split.over if split.over in split.curve else shares
    axes.set(yscale="log", xlabel=label, ylabel="criterion")
    if split.over == "shares":
        axes.set_xlim(0, 1)
    axes.set_ylim(top=HIGH * split.value)
    axes.set_title(fill(split.criterion.sentence, 70), fontsize="small")
    axes.legend(loc="upper center", fontsize="small")
    return axes


def _line(axes: Any, split: Split, name: str, points: Sequence[Point], style: str) -> None:
    seen = [point for point in points if math.isfinite(point.value)]
    at = [float(point.at[name]) for point in seen]
    values = [point.value for point in seen]
    chosen = float(split.chosen[name])
    (line,) = axes.plot(at, values, style, label=name)
    place = chosen / _total(split)
    axes.plot([place], [split.value], "o", color=line.get_color(), label=f"chosen: {place:.3g}")
    for other in split.against:
        if set(other.at) == {name} and math.isfinite(other.value):
            where = [float(other.at[name])]
            axes.plot(where, [other.value], "x", color="0.2", markersize=8, label=other.label)


def _total(split: Split) -> float:
    """What the chosen weights sum to; 1 for a parameter."""
    return sum(map(float, split.chosen.values())) if split.over == "shares" else 1.0


BARS = "▁▂▃▄▅▆▇█"
STEPS = 7  # rows of the curve's table, or a few more
LITTLE = 0.01  # of the budget
WIDE = 1000.0  # a curve is drawn up to so many times its least value


def page(split: Split) -> str:
    """The criterion, the choice, why it is best, what else costs, the curve, the proof."""
    return "\n".join(
        [
            f"Split of {split.regression}",
            "",
            f"  criterion   {split.criterion.sentence}",
            *_choice(split),
            *_worth(split),
            *_shares(split),
            *_instead(split),
            *_note(split),
            *(line for name, points in _curves(split) for line in _curve(split, name, points)),
            "",
            f"Proved: {argument(split.certificate.derivation)}",
            *(f"  {line}" for line in sentence(split.certificate)),
            "Assumed of the choice",
            *(f"  {one}" for one in split.assumptions),
        ]
    )


def _choice(split: Split) -> Iterator[str]:
    said = ", ".join(f"{name} = {_exactly(one)}" for name, one in split.chosen.items())
    yield f"  chosen      {said}"
    if split.exact:
        yield f"  because     {split.law}: in closed form"


def _worth(split: Split) -> Iterator[str]:
    if split.value is None:
        yield f"  worth       {split.least}"
        return
    yield f"  worth       {above(split.value)}"


def above(value: float, digits: int = 4) -> str:
    """A positive number, rounded up to so many digits.

    >>> above(12474.2), above(1.95044e-06), above(math.inf)
    ('12480', '1.951e-6', 'inf')
    """
    if not math.isfinite(value):
        return str(value)
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value)
    return tidy(f"{float(rounded):.{max(digits, 5)}g}")


def _shares(split: Split) -> Iterator[str]:
    if split.shares:
        said = ", ".join(f"{name} {100 * share:.3g}%" for name, share in split.shares.items())
        yield f"  shares      {said} of {split.currency}"


def _instead(split: Split) -> Iterator[str]:
    for place, point in enumerate(split.against):
        head = "instead of" if place == 0 else ""
        times = "" if not split.value else f", {point.value / split.value:.3g} times as much"
        yield f"  {head:<10}  {above(point.value)} for {point.label}{times}"


def _note(split: Split) -> Iterator[str]:
    for name, share in split.shares.items():
        if share < LITTLE:
            yield f"  note        {name} is hardly worth its price here: is it needed at all?"


def _curves(split: Split) -> list[tuple[str, tuple[Point, ...]]]:
    """Of two shares, the first: the other is what is left."""
    found = list(split.curve.items())
    return found[:1] if len(found) == 2 else found


def _curve(split: Split, name: str, points: Sequence[Point]) -> Iterator[str]:
    """A line of bars, their heights logarithmic, and a few numbers below."""
    seen = [point for point in points if math.isfinite(point.value) and point.value > 0]
    if len(seen) < 2:
        return
    yield ""
    ends = f"{_short(seen[0].at[name])} to {_short(seen[-1].at[name])}"
    yield f"  {name}, {ends}"
    yield f"  {bars([point.value for point in seen])}"
    for point in _some(seen):
        mark = "  <- chosen" if point.value == split.value else ""
        yield f"  {_short(point.at[name]):>10}  {above(point.value)}{mark}"


def bars(values: Sequence[float]) -> str:
    """One bar a value, from the least to at most 1,000 times as much, in equal ratios."""
    low = min(values)
    most = min(max(values), WIDE * low)
    width = math.log(most / low) or 1.0
    places = [min(1.0, math.log(value / low) / width) for value in values]
    return "".join(BARS[round(place * (len(BARS) - 1))] for place in places)


def _some(points: Sequence[Point]) -> list[Point]:
    """A few points: the best, and others evenly among them."""
    best = min(range(len(points)), key=lambda place: points[place].value)
    step = max(1, (len(points) - 1) // (STEPS - 1))
    return [points[place] for place in sorted({*range(0, len(points), step), best})]


def _exactly(formula: Expression) -> str:
    return _short(formula.value) if isinstance(formula, Number) else str(formula)


def _short(value: Fraction) -> str:
    decimal = f"{float(value):.6g}"
    return tidy(decimal if Fraction(decimal) == value else f"{float(value):.4g}")
