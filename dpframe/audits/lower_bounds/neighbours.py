"""Neighbouring tables: on the boundary of what may occur, and found by a random search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.graph import Categorical, Numeric, Setting
from dpframe.privacy import Relation
from dpframe.prover.at_numbers import AtNumbers
from dpframe.symbols import Expression

Array = NDArray[Any]
TURNS = (0.3, 0.6, 0.8, 1.0)  # angles between a row and the one that replaces it, in rectangles
COLUMNS = (2, 1)
FULL, FEWER = 2, 3  # tables of others beyond these are tried with every third pair
LENGTHS = (0.0, 0.5, 1.0, 1.0, 10.0)  # of random rows and labels, as shares of their bounds
STEPS = 16  # of the random search


@attrs.frozen(eq=False)
class AttackedTable:
    """Rows, shape (n, d), and labels, shape (n,), or None where there are none."""

    X: Array
    y: Array | None

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {"X": self.X.tolist(), "y": None if self.y is None else self.y.tolist()}


@attrs.frozen(eq=False)
class Neighbours:
    """Two neighbouring tables, and in words how they differ."""

    tables: tuple[AttackedTable, AttackedTable]
    told: str

    def __str__(self) -> str:
        return self.told

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {"told": self.told, "tables": [one.record() for one in self.tables]}


@attrs.frozen(eq=False)
class Person:
    """A row and its label; no row at all where `x` is None."""

    x: Array | None
    y: float

    def __str__(self) -> str:
        if self.x is None:
            return "nobody"
        row = ", ".join(_short(one) for one in self.x)
        return f"x = ({row}), y = {_short(self.y)}"


@attrs.frozen(eq=False)
class Space:
    """What rows and labels may be, in numbers, and who is a neighbour."""

    norm: float | None
    box: float | None
    columns: tuple[Numeric | Categorical, ...] | None
    low: float | None
    high: float | None
    relation: Relation
    each: int

    @classmethod
    def of(cls, run: AtNumbers) -> Space:
        """That of a certificate's setting."""
        return cls.under(run.setting, lambda formula: run.number(formula, up=False))

    @classmethod
    def under(cls, setting: Setting, number: Callable[[Expression], float]) -> Space:
        """That of a setting, whose formulas are worth so much."""
        X, label, low, high = setting.X, setting.y, None, None
        if label is not None and label.bound is not None:
            high = number(label.bound)
            low = -high
        elif label is not None and label.lower is not None and label.upper is not None:
            low, high = float(label.lower), float(label.upper)
        norm, box = (None if one is None else number(one) for one in (X.norm, X.box))
        each = int(number(setting.unit.rows_per_person))
        return cls(norm, box, X.columns, low, high, setting.relation, each)

    @property
    def widths(self) -> tuple[int, ...]:
        """Numbers of columns to try."""
        return COLUMNS if self.columns is None else (len(self.columns),)

    @property
    def labels(self) -> tuple[float, ...]:
        """The ends, and the middle."""
        if self.low is None or self.high is None:
            return (0.0,)
        return (self.high, self.low, (self.low + self.high) / 2)

    def along(self, direction: Array) -> Array:
        """The longest row in this direction; of columns by a codebook, from its codes."""
        if self.columns is not None:
            return _coded(self.columns, direction)
        length = float(np.linalg.norm(direction))
        if length == 0:
            return np.zeros(len(direction))
        limits = [math.inf if self.norm is None else self.norm / length]
        if self.box is not None:
            limits.append(self.box / float(np.max(np.abs(direction))))
        return np.asarray(direction * min(limits))

    def bases(self, d: int) -> dict[str, list[Person]]:
        """The rows that both tables have."""
        axes = np.eye(d)
        high = self.labels[0]
        others = [Person(self.along(axis), 0.0) for axis in axes[1:]] * 2
        found = {
            "no other row": [],
            "two rows along each other axis": others,
            "rows of zeros": [Person(self.along(axes[0] * 0), 0.0)] * 2,
            "three equal rows": [Person(self.along(axes[0]), high)] * 3,
        }
        return found if d > 1 else {k: v for k, v in found.items() if v is not others}

    def pairs(self, d: int) -> Iterator[Neighbours]:
        """Neighbours on the boundary."""
        for i, (told, base) in enumerate(self.bases(d).items()):
            for k, (first, second) in enumerate(self._boundary(d)):
                if i < FULL or k % FEWER == 0:
                    yield self.pair(first, second, base, told)

    def anyone(self, d: int, rng: np.random.Generator) -> Person:
        """Somebody: inside the bounds, on the boundary or, where no codebook says, far outside."""
        row, middle = self.along(rng.normal(size=d)), self.labels[-1]
        if self.columns is None:
            row = row * rng.choice(LENGTHS)
        return Person(
            row, middle + (self.labels[0] - middle) * rng.choice((-1, 1)) * rng.choice(LENGTHS)
        )

    def anything(self, d: int, rng: np.random.Generator) -> Neighbours:
        """Random neighbours, with up to four others."""
        others = [self.anyone(d, rng) for _ in range(int(rng.integers(5)))]
        nobody = Person(None, 0.0)
        second = self.anyone(d, rng) if self.relation.replaced else nobody
        return self.pair(self.anyone(d, rng), second, others, f"{len(others)} random others")

    def crowd(self, n: int, d: int, rng: np.random.Generator) -> AttackedTable:
        """n random records."""
        return _table([self.anyone(d, rng) for _ in range(n)], d, self)

    def _boundary(self, d: int) -> Iterator[tuple[Person, Person]]:
        axes, ones = np.eye(d), np.ones(d)
        nobody, directions = Person(None, 0.0), [axes[0], ones] if d > 1 else [ones]
        if not self.relation.replaced:
            for direction, label in itertools.product(directions, self.labels):
                yield Person(self.along(direction), label), nobody
            return
        high, low, middle = (*self.labels, *self.labels, *self.labels)[:3]
        zero = Person(self.along(ones * 0), middle)
        for direction in directions:
            own = Person(self.along(direction), high)
            yield own, zero
            yield own, Person(own.x, low)
            yield own, Person(self.along(-direction), high)
            if d > 1:
                side = np.roll(direction * [1.0, *(-1.0,) * (d - 1)], 1)
                for turn in TURNS:
                    angle = turn * math.pi / 2
                    turned = math.cos(angle) * direction + math.sin(angle) * side
                    yield own, Person(self.along(turned), low)
                    yield own, Person(self.along(turned), high)

    def pair(self, first: Person, second: Person, base: list[Person], told: str) -> Neighbours:
        """The tables, the differing person at their end."""
        width = len(next(one.x for one in (first, second) if one.x is not None))
        tables = tuple(_table([*base, *[one] * self.each], width, self) for one in (first, second))
        many = f"{self.each} rows of " if self.each > 1 else ""
        said = f"{many}{first} against {second}; {told}"
        return Neighbours((tables[0], tables[1]), said)


def _table(people: list[Person], width: int, space: Space) -> AttackedTable:
    rows = [one for one in people if one.x is not None]
    kind = float if space.columns is None else object
    X = np.array([one.x for one in rows]) if rows else np.zeros((0, width), kind)
    labels = None if space.low is None else np.array([one.y for one in rows], dtype=float)
    return AttackedTable(X.reshape(len(rows), width), labels)


def _coded(columns: tuple[Numeric | Categorical, ...], direction: Array) -> Array:
    """Ends of numeric columns by sign, levels by turns."""
    row: list[Any] = []
    for part, sign in zip(columns, direction, strict=True):
        if isinstance(part, Categorical):
            row.append(part.levels[0 if sign >= 0 else -1])
        else:
            row.append(float(part.upper if sign >= 0 else part.lower))
    mixed = any(isinstance(part, Categorical) for part in columns)
    return np.array(row, dtype=object if mixed else float)


def searched(
    space: Space,
    strength: Callable[[Neighbours], float],
    rng: np.random.Generator,
    steps: int = STEPS,
    widths: tuple[int, ...] | None = None,
) -> tuple[Neighbours, float]:
    """The pair that moves what is released furthest: on the boundary, then at random nearby.
    Pairs that an execution refuses are passed over. Raises InvalidArgument where all are.
    """
    best: tuple[float, Neighbours] | None = None

    def tried(pair: Neighbours) -> None:
        nonlocal best
        try:
            found = strength(pair)
        except DPFrameError:
            return
        if math.isfinite(found) and (best is None or found > best[0] * (1 + 1e-9)):
            best = found, pair

    for d in widths or space.widths:
        for pair in space.pairs(d):
            tried(pair)
    if best is None:
        way_out = "Give a pair: on=((X, y), (X2, y2))."
        raise InvalidArgument("setting", "one for which neighbouring tables run", space, way_out)
    for step in range(steps if space.columns is None else 0):
        tried(_nearby(space, best[1], rng, 2.0 ** -(step % 8)))
    return best[1], best[0]


def _nearby(space: Space, pair: Neighbours, rng: np.random.Generator, size: float) -> Neighbours:
    """The differing rows turned a little, their labels moved."""
    first, second = pair.tables
    shared = min(len(first.X), len(second.X))
    shared -= space.each if space.relation.replaced else 0
    base = [
        Person(x, 0.0 if first.y is None else first.y[i]) for i, x in enumerate(first.X[:shared])
    ]

    def moved(table: AttackedTable) -> Person:
        if len(table.X) <= shared:
            return Person(None, 0.0)
        x = np.asarray(table.X[shared], dtype=float)
        scale = float(np.linalg.norm(x)) or 1.0
        label = 0.0 if table.y is None else float(table.y[shared])
        if space.low is not None and space.high is not None:
            label = float(np.clip(label + size * rng.normal(), space.low, space.high))
        return Person(space.along(x / scale + size * rng.normal(size=len(x))), label)

    told = pair.told.rpartition("; ")[2]
    return space.pair(moved(first), moved(second), base, told)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float, np.floating)) else str(value)


def given(on: object) -> Neighbours:
    """A pair of tables as a person gives it: ((X, y), (X2, y2)), or (X, X2) without labels. Raises
    InvalidArgument.
    """
    if isinstance(on, Neighbours):
        return on
    if not isinstance(on, (tuple, list)) or len(on) != 2:
        wanted = "two neighbouring tables, ((X, y), (X2, y2))"
        raise InvalidArgument("on", wanted, type(on).__name__)
    return Neighbours((table(on[0]), table(on[1])), "two tables as given")


def table(one: object, name: str = "on") -> AttackedTable:
    """(X, y), or X alone. Raises InvalidArgument."""
    X, y = one if isinstance(one, tuple) and len(one) == 2 else (one, None)
    wanted = "tables of rows, with a label for each"
    try:
        rows, labels = np.asarray(X), None if y is None else np.asarray(y)
    except ValueError:
        raise InvalidArgument(name, wanted, "rows of several lengths") from None
    if rows.ndim < 1 or (labels is not None and labels.shape[:1] != rows.shape[:1]):
        shape = () if labels is None else labels.shape
        said = f"rows of shape {rows.shape}, labels of shape {shape}"
        raise InvalidArgument(name, wanted, said)
    return AttackedTable(rows, labels)
