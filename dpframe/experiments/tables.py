"""Results as a table, in text and as CSV, beside published numbers. NOT PRIVATE everywhere."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import attrs

from . import NOT_PRIVATE
from .declared import Figure, Item, Metric
from .estimates import Estimate, PublishedNumber, published
from .running import Memory, Work

APART = "!"
NAME, CELL = 12, 21


@attrs.frozen(eq=False)
class TableEntry:
    """One method at one point: our estimate, and the published number, if any."""

    point: dict[str, Any]
    method: Any
    metric: Metric
    ours: Estimate
    published: PublishedNumber | None
    theirs: int

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Where a published run would lie, with probability 95%."""
        return self.ours.prediction(self.theirs)

    @property
    def inside(self) -> bool | None:
        """Whether the published number lies there; None where there is none, or one repeat."""
        if self.published is None or len(self.ours.runs) < 2:
            return None
        return self.published.inside(*self.interval)

    def record(self, item: Item) -> dict[str, Any]:
        """As a line of CSV."""
        low, high = self.interval
        half, own = self.ours.half_width, self.ours.own
        return {
            "label": NOT_PRIVATE,
            **{axis: self.point[axis] for axis in item.run.axes},
            "metric": self.metric.name,
            "method": self.method.name,
            "value": f"{self.ours.value:.6g}",
            "half_width": "" if math.isnan(half) else f"{half:.3g}",
            "std": f"{self.ours.std:.3g}",
            "repeats": len(self.ours.runs),
            "published": "" if self.published is None else self.published.text,
            "middle": "" if self.published is None else f"{self.ours.middle(self.theirs):.6g}",
            "low": "" if self.published is None or math.isinf(low) else f"{low:.4g}",
            "high": "" if self.published is None or math.isinf(high) else f"{high:.4g}",
            "inside": "" if self.inside is None else int(self.inside),
            "own": "" if self.inside is None or math.isnan(own) else f"{own:.3g}",
            "stand_in": item.stand_in,
        }


def entries(work: Work, memory: Memory) -> list[TableEntry]:
    """Everything that the item shows, in the order of points, metrics, methods."""
    item = work.item
    numbers = published(item.published or item.run.published)
    methods = {one.name: one for one in item.needed_methods()}
    found = []
    for point in work.points:
        for metric in item.shown_metrics():
            over = None
            if metric.over is not None:
                over = work.values(memory, point, methods[metric.over], metric.name)
            for method in item.shown_methods():
                values = work.values(memory, point, method, metric.name)
                ours = Estimate.of(values, metric, over)
                cell = numbers.cell(point, method.name, metric.name)
                found.append(TableEntry(point, method, metric, ours, cell, item.run.theirs))
    return found


def as_csv(found: Sequence[TableEntry], item: Item) -> str:
    """One line an entry."""
    boxes = item.figure is not None and item.figure.kind == "box"
    lines = [
        entry.record(item)
        | ({"ratio": ours, "published_ratio": theirs} if item.over else {})
        | ({"outliers": entry.ours.outliers} if boxes else {})
        for entry, (ours, theirs) in zip(found, ratios(found, item.over), strict=True)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def ratios(found: Sequence[TableEntry], over: str) -> Iterator[tuple[str, str]]:
    """Of each entry its value over that of the method `over` at the same point, ours and published;
    nothing for that method itself, and where it is not there.
    """
    base = {
        (tuple(one.point.items()), one.metric.name): one for one in found if one.method.name == over
    }
    for one in found:
        other = base.get((tuple(one.point.items()), one.metric.name))
        if other is None or other is one:
            yield "", ""
            continue
        theirs = ""
        if one.published is not None and other.published is not None:
            theirs = f"{one.published.value / other.published.value:.3g}"
        yield f"{one.ours.value / other.ours.value:.3g}", theirs


def text(work: Work, found: Sequence[TableEntry]) -> Iterator[str]:
    """The table: what it is, a line or two for each point and metric, how much is inside."""
    yield from labelled(_heading(work))
    methods = [one.name for one in work.item.shown_methods()]
    axes = [axis for axis, values in work.item.values(quick=work.quick).items() if len(values) > 1]
    head = "".join(f"{axis:{NAME}}" for axis in axes) + f"{'':{NAME + 14}}"
    yield from labelled(["", head + "".join(f"{name[: CELL - 1]:{CELL}}" for name in methods)])
    width = len(methods)
    for start in range(0, len(found), width):
        line = found[start : start + width]
        yield from labelled(_rows(line, axes))
        if work.item.over:
            quotients = list(ratios(line, work.item.over))
            for said, column in zip((f"over {work.item.over}", "published"), (0, 1), strict=True):
                cells = "".join(f"{one[column]:{CELL}}" for one in quotients)
                yield from labelled([f"{'':{NAME * len(axes) + 3}}{said:>{NAME + 10}} {cells}"])
    yield from labelled(summary(found))
    if work.absent:
        yield from labelled([f"not here: {', '.join(work.absent)}"])


def _heading(work: Work) -> Iterator[str]:
    item = work.item
    yield f"[{item.paper}] {item.title}"
    if item.stand_in:
        yield f"STAND-IN DATA: {item.stand_in}"
    if item.note:
        yield item.note
    draws = f", {work.draws} draws of noise each" if work.draws > 1 else ""
    yield f"{work.repeats} repeats{draws}, seed {work.seed}; +-: half of a 95% interval of the mean"
    if published(item.published or item.run.published).cells:
        yield f"{APART} the published number lies outside the 95% interval of one more run"


def _rows(line: Sequence[TableEntry], axes: Sequence[str]) -> Iterator[str]:
    first = line[0]
    place = "".join(f"{_short(first.point[axis]):{NAME}}" for axis in axes)
    ours = "".join(f"{_cell(one):{CELL}}" for one in line)
    yield f"{place}{first.metric.name[: NAME + 8]:{NAME + 9}}ours {ours}"
    if any(one.published for one in line):
        theirs = "".join(f"{_theirs(one):{CELL}}" for one in line)
        yield f"{'':{NAME * len(axes) + NAME + 3}}published {theirs}".rstrip()


def _cell(entry: TableEntry) -> str:
    half = entry.ours.half_width
    margin = "" if math.isnan(half) or entry.metric.outer != "mean" else f" +-{half:.2g}"
    return f"{entry.ours.value:.4g}{margin}{APART if entry.inside is False else ''}"


def _theirs(entry: TableEntry) -> str:
    if entry.published is None:
        return ""
    spread = f" ({entry.published.spread})" if entry.published.spread else ""
    return f"{entry.published.text}{spread}"


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)[: NAME - 1]


def summary(found: Sequence[TableEntry]) -> list[str]:
    """A line a method: how many published numbers lie inside."""
    lines = []
    for name in dict.fromkeys(one.method.name for one in found):
        inside, judged = counts(one for one in found if one.method.name == name)
        if judged:
            lines.append(f"{name:24}{inside} of {judged} published numbers inside")
    return ["", *lines] if lines else []


def counts(found: Iterable[TableEntry]) -> tuple[int, int]:
    """Published numbers inside our intervals, and all that could be judged."""
    judged = [one.inside for one in found if one.inside is not None]
    return sum(judged), len(judged)


def labelled(lines: Iterable[str]) -> list[str]:
    """The lines behind the label."""
    return [f"{NOT_PRIVATE}  {line}".rstrip() for line in lines]


def choices(found: Sequence[TableEntry], item: Item) -> dict[str, list[Any]]:
    """By axis the values that occur, and the names of metrics and of methods with a claim."""
    values = {
        axis: [value for value in whole if any(one.point[axis] == value for one in found)]
        for axis, whole in item.run.axes.items()
    }
    metrics = [one.name for one in item.shown_metrics()]
    methods = [one.name for one in item.shown_methods() if not one.baseline]
    return {**values, "metric": metrics, "method": methods}


def panels(found: Sequence[TableEntry], figure: Figure, item: Item) -> dict[str, list[TableEntry]]:
    """Entries by the titles of panels, in the order of the axes of panels; baselines are in the
    panel of every method.
    """
    values = choices(found, item)
    result: dict[str, list[TableEntry]] = {}
    for place in itertools.product(*(values[axis] for axis in figure.panels)):
        pairs = list(zip(figure.panels, place, strict=True))
        here = [one for one in found if all(_belongs(one, axis, value) for axis, value in pairs)]
        if here:
            result[", ".join(_title(axis, value) for axis, value in pairs)] = here
    return result


def _belongs(entry: TableEntry, axis: str, value: object) -> bool:
    if axis == "method":
        return bool(entry.method.baseline or entry.method.name == value)
    return bool((entry.metric.name if axis == "metric" else entry.point[axis]) == value)


def _title(axis: str, value: object) -> str:
    if axis in {"metric", "method"}:
        return str(value)
    return f"{axis} = {value if isinstance(value, str) else _short(value)}"
