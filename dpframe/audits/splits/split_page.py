"""A split as a page.

A picture of a split: the criterion by what was free. Needs matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import cycle
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument
from dpframe.prover.algebra import ends_of
from dpframe.prover.jointly import noise_factor
from dpframe.prover.text import argument, sentence
from dpframe.symbols import Expression, Number
from dpframe.wording import digits as digits_of

from ..figures import figure
from ..plot import COLOURS, ink, log_ticks, new_axes
from .family import symbols_of

if TYPE_CHECKING:
    from .split import Split


HIGH = 30.0  # the picture shows up to so many times the least value
LITTLE = 0.01  # of the budget


def draw(split: Split, ax: Any) -> Any:
    """The criterion against each field, the others as chosen, or against the share of each release,
    the others in proportion: a line each, with a dot at the choice, and one line for releases whose
    lines are the same. A cross is what one field is compared with. Raises InvalidArgument where the
    split is a formula.
    """
    if split.value is None or not split.curve:
        way_out = "Give epsilon, delta and the bounds numbers."
        raise InvalidArgument("split", "one in numbers, to be drawn", split.over, way_out)
    axes = new_axes() if ax is None else ax
    shares = split.over == "shares"
    along = "share of one release, the others in proportion" if shares else split.over
    axes.set(yscale="log", ylabel="criterion", xlabel=along)
    total = sum(map(float, split.chosen.values())) if shares else 1.0
    for names, colour in zip(_alike(split), cycle(COLOURS)):
        place = float(split.chosen[names[0]]) / total
        points = [point for point in split.curve[names[0]] if math.isfinite(point.value)]
        at = [float(point.at[names[0]]) for point in points]
        axes.plot(at, [point.value for point in points], color=colour)
        number = f"{100 * place:.3g}%" if shares else f"= {place:.3g}"
        label = f"{shorten(', '.join(names), 50, placeholder=' ...')} {number}"
        axes.plot([place], [split.value], "o", color=colour, label=label)
    for other in split.against if len(split.curve) == 1 else ():
        if math.isfinite(other.value):
            at = [float(number) for number in other.at.values()]
            axes.plot(at, [other.value], "x", color=ink(), label=other.label)
    axes.set_ylim(top=HIGH * split.value)
    axes.legend(fontsize="small")
    axes.set_title(fill(split.criterion.sentence, 70), fontsize="small")
    log_ticks(axes.yaxis)
    return axes


def _alike(split: Split) -> list[list[str]]:
    """Names by the numbers of their curves."""
    alike: dict[object, list[str]] = {}
    for name, points in split.curve.items():
        key = tuple((point.at[name], f"{point.value:.9g}") for point in points)
        alike.setdefault(key, []).append(name)
    return list(alike.values())


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
    for name in _unread(split):
        yield f"  note        no noise reads {name}; the last step does, and needs its number"


def _unread(split: Split) -> list[str]:
    """Fields that are still symbols and have no part in what is proved."""
    problem = split.certificate.report.problem
    formulas = [*problem.target.amounts, problem.rows]
    formulas += [one.mechanism.formula for one in problem.graph.releases]
    read = frozenset().union(*(formula.symbols() for formula in formulas))
    fields = symbols_of(split.regression)
    return [one.name for one in fields if one in problem.symbols and one not in read]


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
