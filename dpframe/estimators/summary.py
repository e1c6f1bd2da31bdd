"""A table of coefficients as statsmodels prints it, of released values only; and the affine map
from coefficients of scaled rows to those in the units of the codebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.audits.figures import figure, paragraphs, table
from dpframe.errors import InvalidArgument
from dpframe.graph.maps.base import RowMap
from dpframe.graph.maps.bounds import Intercept
from dpframe.inference.evidence import Evidence
from dpframe.inference.residual import Residual
from dpframe.inference.result import Estimates

from .units import Linear, Numbers

Array = NDArray[Any]

INTERCEPT = "intercept"
SAME = 1e-9  # of a standard error: coefficients that differ by less are shown once


@attrs.frozen(eq=False)
class InUnits:
    """matrix @ theta + offset are m coefficients in the units of the codebook, by their names; the
    last is the intercept where there is one.
    """

    matrix: Array
    offset: Array
    names: tuple[str, ...]

    def estimates(self, found: Callable[[Array], Estimates]) -> Estimates:
        """The estimates in these units, from those of rows @ theta."""
        scaled = found(self.matrix)
        return attrs.evolve(scaled, values=scaled.values + self.offset)


def in_units(linear: Callable[[Array], Linear], p: int) -> InUnits:
    """Of a map of p coefficients that is affine: what it does to zero and to unit vectors."""
    zero = linear(np.zeros(p))
    units = [linear(row) for row in np.eye(p)]
    origin = np.append(zero.coefficients, zero.intercept)
    columns = [np.append(unit.coefficients, unit.intercept) - origin for unit in units]
    matrix, names = np.stack(columns, axis=1), (*zero.names, INTERCEPT)
    if not np.any(matrix[-1]):  # a constant, or 0: nothing was fitted
        matrix, origin, names = matrix[:-1], origin[:-1], names[:-1]
    return InUnits(matrix, origin, names)


def constant_of(maps: tuple[RowMap, ...], p: int, number: Numbers) -> Array | None:
    """A vector (p,) with row @ vector = 1 for every mapped row; None where no intercept is the last
    of the maps.
    """
    if not (maps and isinstance(maps[-1], Intercept)):
        return None
    value = number(maps[-1].value)
    return np.append(np.zeros(p - 1), 1 / value)


def evidence_of(output: object) -> Evidence:
    """What a regression's output says it was made of. Raises InvalidArgument."""
    evidence = getattr(output, "evidence", None)
    if not isinstance(evidence, Evidence):
        wanted = "one whose output keeps what was released"
        way_out = "dp.JointSSP() does; the others' coefficients come without intervals."
        raise InvalidArgument("regression", wanted, type(output).__name__, way_out)
    return evidence


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class Summary:
    """Coefficients with what is known of them, m of each: `names`, `estimates`, `fitted` (what
    predictions use) and `intervals` (m, 2) of this `level`; `header`, a text a title; `notes`, what
    intervals cover, assume and refuse.
    """

    names: tuple[str, ...]
    estimates: Estimates
    fitted: Array
    intervals: Array
    level: float
    header: dict[str, str]
    notes: tuple[str, ...]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a coefficient; None stands where nothing is known."""
        found = self.estimates
        columns = {
            "coef": found.values,
            "fitted": self.fitted,
            "std_err": found.errors,
            "privacy_share": found.shares,
            "z": found.z,
            "p_value": found.p_values,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
        }
        return [
            {"name": name, **{title: finite(part[place]) for title, part in columns.items()}}
            for place, name in enumerate(self.names)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything that is printed, as JSON values."""
        return {
            "header": dict(self.header),
            "level": self.level,
            "coefficients": self.records(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """The header, the table, the notes."""
        wide = max(len(title) for title in self.header) + 1
        head = [f"  {title + ':':<{wide}} {text}" for title, text in self.header.items()]
        titles = [*self._titles()]
        rows = [[*self._cells(record)] for record in self.records()]
        lines = table(titles, rows, range(1, len(titles)))
        return "\n".join([*head, "", *lines, "", paragraphs(self.notes)])

    __repr__ = __str__

    @property
    def shrunken(self) -> bool:
        """Whether predictions use other coefficients than the centres of intervals."""
        found = self.estimates
        apart = np.abs(self.fitted - found.values)
        return bool(np.any(apart > SAME * np.sqrt(found.variances)))

    def _titles(self) -> Iterator[str]:
        yield from ("", "coef")
        if self.shrunken:
            yield "fitted"
        tail = (1 - self.level) / 2
        ends = (f"[{tail:.4g}", f"{1 - tail:.4g}]")
        yield from ("std err", "of it privacy", "z", "P>|z|", *ends)

    def _cells(self, record: dict[str, Any]) -> Iterator[str]:
        known = record["std_err"] is not None
        yield record["name"]
        yield figure(record["coef"]) if known else "-"
        if self.shrunken:
            yield figure(record["fitted"])
        yield figure(record["std_err"]) if known else "inf"
        yield "-" if record["privacy_share"] is None else f"{100 * record['privacy_share']:.0f}%"
        yield f"{record['z']:.2f}" if known else "-"
        yield f"{record['p_value']:.3f}"
        yield figure(record["lower"]) if known else "-inf"
        yield figure(record["upper"]) if known else "inf"


def finite(value: float) -> float | None:
    """The number, or None."""
    return float(value) if np.isfinite(value) else None


def counted(value: float, std: float) -> str:
    """`20,053`, with the std of its noise where it has some."""
    return f"{value:,.0f}" if std == 0 else f"{value:,.0f} released, noise {figure(std)}"


def residual_text(residual: Residual | None, half: float) -> str:
    """The residual std in units of the label, of which `half` is one, and its standard error."""
    if residual is None or not residual.known:
        return "lost in noise"
    std = float(np.sqrt(residual.variance))
    return f"{figure(half * std)}, std err {figure(half * residual.std / (2 * std))}"
