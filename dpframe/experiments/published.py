"""Published numbers: as they are printed, or as the authors' code has kept its results."""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from importlib import resources

import attrs

from .declared import Point

OWN = ("method", "metric", "value", "spread")


@attrs.frozen
class Cell:
    """A number with the digits that it has, and what stands behind it, if anything."""

    text: str
    spread: str = ""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> float:
        """Half a unit of its last digit."""
        digits, _, power = self.text.lower().partition("e")
        decimals = len(digits.partition(".")[2])
        return 0.5 * 10.0 ** (int(power or 0) - decimals)

    def inside(self, low: float, high: float) -> bool:
        """Whether the number, before it was rounded, may lie in [low, high]."""
        return low - self.rounding <= self.value <= high + self.rounding


@attrs.frozen(eq=False)
class Published:
    """Cells by the values of `names`, of the parameters that a file has, the method and metric."""

    names: tuple[str, ...] = ()
    cells: Mapping[tuple[str, ...], Cell] = attrs.Factory(dict)

    def cell(self, point: Point, method: str, metric: str) -> Cell | None:
        """What is published of a method at a point, if anything."""
        if not set(self.names) <= set(point):
            return None
        return self.cells.get((*(plain(point[name]) for name in self.names), method, metric))


@functools.cache
def published(name: str | None) -> Published:
    """The numbers of a file in published/; nothing where no name is given."""
    if name is None:
        return Published()
    text = (resources.files(__package__) / "published" / f"{name}.csv").read_text("utf-8")
    lines = list(csv.DictReader(text.splitlines()))
    names = tuple(key for key in lines[0] if key not in OWN)
    return Published(
        names,
        {
            (*(plain(line[key]) for key in names), line["method"], line["metric"]): Cell(
                line["value"], line.get("spread", "")
            )
            for line in lines
        },
    )


def plain(value: object) -> str:
    """Numbers that are equal have one text."""
    try:
        return f"{float(str(value)):.9g}"
    except (TypeError, ValueError):
        return str(value)
