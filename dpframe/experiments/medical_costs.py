"""The medical costs of 1338 people as a file, and the encodings of it that are compared.

NOT PRIVATE: bounds of numbers are those of the table, as in the paper. [Acharya24, Sec 4]
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import dpframe as dp
from dpframe.errors import BadData
from dpframe.numbers import shortest

Array = NDArray[Any]

LABEL = "charges"
LEVELS: dict[str, tuple[str, ...] | None] = {  # None: a number
    "age": None,
    "sex": ("female", "male"),
    "bmi": None,
    "children": None,
    "smoker": ("no", "yes"),
    "region": ("northeast", "northwest", "southeast", "southwest"),
}
FORM = f"Comma separated, with a header: {', '.join(LEVELS)}, {LABEL}."
FEWEST = 20


@attrs.frozen(eq=False)
class View:
    """A table in one encoding: X and y as dp.execute takes them, what is declared of them, and the
    `rows` (n, d) and `labels` (n,) that coefficients are for.

    `factor` turns a squared error of `labels` into one of labels in [0, 1].
    """

    name: str
    declared: dp.Rows
    column: dp.Column
    X: Array
    y: Array
    rows: Array
    labels: Array
    factor: float = 1.0

    def setting(self, relation: dp.Relation) -> dp.Setting:
        """What is declared, with who is a neighbour."""
        return dp.Setting(X=self.declared, y=self.column, relation=relation)


@attrs.frozen(eq=False)
class MedicalCosts:
    """People (n): `raw` (n, 6) numbers and levels as objects, `charges` (n,) in dollars."""

    raw: Array
    charges: Array

    def ends(self, name: str) -> tuple[Fraction, Fraction]:
        """The least and the largest number of a column, which the paper takes as public."""
        values = self.charges if name == LABEL else self.raw[:, list(LEVELS).index(name)]
        return shortest(float(values.min())), shortest(float(values.max()))

    @property
    def columns(self) -> list[Any]:
        """The codebook."""
        return [
            dp.Numeric(name, *self.ends(name)) if levels is None else dp.Categorical(name, levels)
            for name, levels in LEVELS.items()
        ]


def load(path: Path) -> MedicalCosts:
    """The table as it lies in its file. Raises BadData, naming the file."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        raw = np.array([[_cell(line, name) for name in LEVELS] for line in lines], dtype=object)
        charges = np.array([float(line[LABEL]) for line in lines])
    except (OSError, KeyError, TypeError, ValueError):
        raise BadData("data", "a readable table of medical costs", str(path), FORM) from None
    if len(raw) < FEWEST:
        raise BadData("data", f"at least {FEWEST} people", len(raw), FORM)
    numbers = np.column_stack([raw[:, [0, 2, 3]].astype(float), charges])
    if not np.isfinite(numbers).all() or not np.ptp(numbers, axis=0).all():
        raise BadData("data", "finite numbers that differ", str(path), FORM)
    return MedicalCosts(raw, charges)


def _cell(line: dict[str, Any], name: str) -> float | str:
    """A number, or one of the levels. Raises KeyError or ValueError."""
    levels = LEVELS[name]
    if levels is None:
        return float(line[name])
    return levels[levels.index(line[name])]


def views(costs: MedicalCosts) -> tuple[View, ...]:
    """The paper's encoding; the same with a sharper bound; the codebook's own."""
    rows, labels = one_hot(costs)
    seven = dp.sqrt(7)
    book = dp.Rows(columns=costs.columns, intercept=True)
    lower, upper = costs.ends(LABEL)
    ours, theirs = dp.Column(LABEL, lower=lower, upper=upper), dp.Column(LABEL, bound=1)
    parts = [part.encode(costs.raw[:, j]) for j, part in enumerate(costs.columns)]
    encoded, moved = np.column_stack([*parts, np.ones(len(labels))]), 2 * labels - 1
    return (
        paper_view(rows, labels, theirs),
        View("|x|^2 <= 7", dp.Rows(norm=seven), theirs, rows, labels, rows, labels),
        View("codebook", book, ours, costs.raw, costs.charges, encoded, moved, 0.25),
    )


def paper_view(rows: Array, labels: Array, column: dp.Column) -> View:
    """Entries in [0, 1], and |x|^2 <= d, which is all that the paper says of a row."""
    declared = dp.Rows(norm=dp.sqrt(rows.shape[1]))
    return View("|x|^2 <= d", declared, column, rows, labels, rows, labels)


def one_hot(costs: MedicalCosts) -> tuple[Array, Array]:
    """Rows (n, 12): numbers on [0, 1], indicators, a last column of ones; and labels on [0, 1].
    [Acharya24, Sec 4]
    """
    numbers = [_share(costs, name) for name, levels in LEVELS.items() if levels is None]
    places = list(LEVELS)
    indicators = [
        (costs.raw[:, places.index(name)] == level).astype(float)
        for name, levels in LEVELS.items()
        for level in levels or ()
    ]
    rows = np.column_stack([*numbers, *indicators, np.ones(len(costs.charges))])
    return rows, _share(costs, LABEL)


def _share(costs: MedicalCosts, name: str) -> Array:
    """A column onto [0, 1]."""
    lower, upper = map(float, costs.ends(name))
    values = costs.charges if name == LABEL else costs.raw[:, list(LEVELS).index(name)]
    return (values.astype(float) - lower) / (upper - lower)


def synthetic(n: int, d: int, rng: np.random.Generator) -> View:
    """n rows uniform in [0, 1]^d, labels x'theta/sqrt(d) with |theta| = 1. [Acharya24, Sec 4.1]"""
    direction = rng.normal(size=d)
    rows = rng.random((n, d))
    labels = rows @ direction / (np.linalg.norm(direction) * np.sqrt(d))
    return paper_view(rows, labels, dp.Column(bound=1))
