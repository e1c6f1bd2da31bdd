"""Neighbouring tables: as a user gives them, on the boundary of the setting, and by a random
search.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DPFrameError, InvalidArgument, Plain
from dpframe.graph import Categorical, Numeric, Setting
from dpframe.privacy import Relation
from dpframe.prover.at_numbers import AtNumbers
from dpframe.symbols import Expression

Array = NDArray[Any]
TURNS = (0.25, 0.5, 0.65, 0.75, 0.85, 1.0)  # right angles between a row and its replacement
COLUMNS = (2, 1)
FULL, FEWER = 2, 3  # tables of others beyond these are tried with every third pair
LENGTHS = (0.0, 0.5, 1.0, 1.0, 10.0)  # of random rows and labels, as shares of their bounds
RANDOM = 40  # pairs beside those on the boundary


@attrs.frozen(eq=False)
class AttackedTable:
    """Rows, shape (n, d), and labels, shape (n,), or None where there are none."""

    X: Array
    y: Array | None

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {"X": self.X.tolist(), "y": None if self.y is None else self.y.tolist()}

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How often each record occurs."""
        labels = [None] * len(self.X) if self.y is None else self.y.tolist()
        rows = zip(self.X, labels, strict=True)
        return Counter((repr(row.tolist()), repr(label)) for row, label in rows)


@attrs.frozen(eq=False)
class Neighbours:
    """Two neighbouring tables, and in words how they differ."""

    tables: tuple[AttackedTable, AttackedTable]
    description: str

    def __str__(self) -> str:
        return self.description

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {"description": self.description, "tables": [one.record() for one in self.tables]}


@attrs.frozen(eq=False)
class TableRow:
    """A row and its label."""

    x: Array
    y: float

    def __str__(self) -> str:
        return f"x = ({', '.join(map(_short, self.x))}), y = {_short(self.y)}"


MaybeRow = TableRow | None


@attrs.frozen(eq=False)
class Space:
    """The rows and labels that a setting admits, in numbers, and its neighbouring relation."""

    norm: float | None
    box: float | None
    columns: tuple[Numeric | Categorical, ...] | None
    low: float | None
    high: float | None
    relation: Relation
    rows_per_person: int

    @classmethod
    def of(cls, run: AtNumbers) -> Space:
        """That of a certificate's setting."""
        return cls.under(run.setting, lambda formula: run.number(formula, up=False))

    @classmethod
    def under(cls, setting: Setting, number: Callable[[Expression], float]) -> Space:
        """That of a setting, whose formulas `number` evaluates."""
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
        """The longest row in this direction; with a codebook, ends of numeric columns by sign, and
        levels likewise.
        """
        if self.columns is not None:
            codes = [_code(*one) for one in zip(self.columns, direction, strict=True)]
            mixed = any(isinstance(part, Categorical) for part in self.columns)
            return np.array(codes, dtype=object if mixed else float)
        length = float(np.linalg.norm(direction))
        if length == 0:
            return np.zeros(len(direction))
        limit = math.inf if self.norm is None else self.norm / length
        if self.box is not None:
            limit = min(limit, self.box / float(np.max(np.abs(direction))))
        return np.asarray(direction * limit)

    def row(self, direction: Array, label: float = 0.0) -> TableRow:
        """The longest row in this direction, with a label."""
        return TableRow(self.along(direction), label)

    def bases(self, d: int) -> dict[str, list[TableRow]]:
        """The rows that both tables have."""
        axes = np.eye(d)
        others = {"two rows along each other axis": [self.row(axis) for axis in axes[1:]] * 2}
        return {
            "no other row": [],
            **(others if d > 1 else {}),
            "rows of zeros": [self.row(axes[0] * 0)] * 2,
            "three equal rows": [self.row(axes[0], self.labels[0])] * 3,
        }

    def pairs(self, d: int) -> Iterator[Neighbours]:
        """Neighbours on the boundary."""
        for i, (description, base) in enumerate(self.bases(d).items()):
            for k, (first, second) in enumerate(self._boundary(d)):
                if i < FULL or k % FEWER == 0:
                    yield self.pair(first, second, base, description)

    def random_row(self, d: int, rng: np.random.Generator) -> TableRow:
        """Inside the bounds, on the boundary or, without a codebook, far outside."""
        row, middle = self.along(rng.normal(size=d)), self.labels[-1]
        if self.columns is None:
            row = row * rng.choice(LENGTHS)
        half = self.labels[0] - middle
        return TableRow(row, middle + half * rng.choice((-1, 1)) * rng.choice(LENGTHS))

    def random_pair(self, d: int, rng: np.random.Generator) -> Neighbours:
        """Random neighbours, with up to four other rows."""
        others = [self.random_row(d, rng) for _ in range(int(rng.integers(5)))]
        second = self.random_row(d, rng) if self.relation.replaced else None
        return self.pair(self.random_row(d, rng), second, others, f"{len(others)} random others")

    def random_table(self, n: int, d: int, rng: np.random.Generator) -> AttackedTable:
        """n random rows."""
        return self._table([self.random_row(d, rng) for _ in range(n)], d)

    def _boundary(self, d: int) -> Iterator[tuple[TableRow, TableRow | None]]:
        ones = np.ones(d)
        directions = [np.eye(d)[0], ones] if d > 1 else [ones]
        if not self.relation.replaced:
            for direction, label in itertools.product(directions, self.labels):
                yield self.row(direction, label), None
            return
        high, low, middle = (self.labels * 3)[:3]
        for direction in directions:
            own = self.row(direction, high)
            yield own, self.row(ones * 0, middle)
            yield own, TableRow(own.x, low)
            yield own, self.row(-direction, high)
            if d > 1:
                side = np.roll(direction * [1.0, *(-1.0,) * (d - 1)], 1)
                for angle in (turn * math.pi / 2 for turn in TURNS):
                    turned = math.cos(angle) * direction + math.sin(angle) * side
                    yield from ((own, self.row(turned, label)) for label in (low, high))

    def pair(
        self, first: MaybeRow, second: MaybeRow, base: list[TableRow], description: str
    ) -> Neighbours:
        """The tables, the differing rows at their end; None for no row."""
        width = len(next(one.x for one in (first, second) if one is not None))
        one, other = (
            self._table([*base, *([] if row is None else [row] * self.rows_per_person)], width)
            for row in (first, second)
        )
        many = f"{self.rows_per_person} rows of " if self.rows_per_person > 1 else ""
        names = ("no row" if row is None else str(row) for row in (first, second))
        return Neighbours((one, other), f"{many}{' against '.join(names)}; {description}")

    def _table(self, rows: list[TableRow], width: int) -> AttackedTable:
        kind = float if self.columns is None else object
        X = np.array([one.x for one in rows]) if rows else np.zeros((0, width), kind)
        labels = None if self.low is None else np.array([one.y for one in rows], dtype=float)
        return AttackedTable(X.reshape(len(rows), width), labels)


def _code(column: Numeric | Categorical, sign: float) -> Any:
    if isinstance(column, Categorical):
        return column.levels[0 if sign >= 0 else -1]
    return float(column.upper if sign >= 0 else column.lower)


def searched(
    space: Space,
    strength: Callable[[Neighbours], float],
    rng: np.random.Generator,
    widths: tuple[int, ...] | None = None,
) -> tuple[Neighbours, float]:
    """The pair that moves the releases furthest, of those on the boundary and a few random ones.
    Pairs that an execution refuses are passed over. Raises InvalidArgument where all are.
    """
    best: tuple[float, Neighbours] | None = None

    def compare(pair: Neighbours) -> None:
        nonlocal best
        try:
            reached = strength(pair)
        except DPFrameError:
            return
        if math.isfinite(reached) and (best is None or reached > best[0] * (1 + 1e-9)):
            best = reached, pair

    for d in widths or space.widths:
        for pair in (*space.pairs(d), *(space.random_pair(d, rng) for _ in range(RANDOM))):
            compare(pair)
    if best is None:
        way_out = "Give a pair: on=((X, y), (X2, y2))."
        raise InvalidArgument("setting", "one for which neighbouring tables run", space, way_out)
    return best[1], best[0]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float, np.floating)) else str(value)


def given_pair(on: object, relation: Relation, rows_per_person: int = 1) -> Neighbours:
    """Neighbours as a user gives them: ((X, y), (X2, y2)), or (X, X2) without labels; or the pair
    of an earlier attack. They differ in the rows of one person; their order does not count. Raises
    InvalidArgument.
    """
    if isinstance(on, Neighbours):
        description, (first, second) = on.description, on.tables
    elif isinstance(on, (tuple, list)) and len(on) == 2:
        description, first, second = "two tables as given", *map(table, on)
    else:
        wanted = "two neighbouring tables, ((X, y), (X2, y2))"
        raise InvalidArgument("on", wanted, type(on).__name__)
    _check_columns(first, second)
    counts = first.counts, second.counts
    removed, added = (sum((a - b).values()) for a, b in itertools.permutations(counts))
    if not removed and not added:
        way_out = "Two equal tables show nothing: let the second lack a row, or have another."
        raise InvalidArgument(
            "on", f"two different tables ({relation})", Plain("the same rows"), way_out
        )
    most, one_sided, balanced = max(removed, added), not (removed and added), removed == added
    if most > rows_per_person or not (balanced if relation.replaced else one_sided):
        wanted = f"neighbours under {relation}, which differ in {_rows(rows_per_person)}"
        value = Plain(f"{_rows(removed)} only in the first, {_rows(added)} only in the second")
        way_out = "Give two tables that differ in the rows of one person."
        if most <= rows_per_person and (balanced or one_sided):
            (other,) = set(Relation) - {relation}
            way_out = f"Under the other relation they are neighbours: dp.{other.name}."
        raise InvalidArgument("on", wanted, value, way_out)
    return Neighbours((first, second), f"{description}: {_rows(most)} {relation.words}")


def _check_columns(first: AttackedTable, second: AttackedTable) -> None:
    """Raises InvalidArgument for tables of different columns."""
    if first.X.shape[1:] != second.X.shape[1:]:
        shapes = Plain(f"rows of shape {first.X.shape[1:]} and {second.X.shape[1:]}")
        raise InvalidArgument("on", "two tables with the same columns", shapes)
    if (first.y is None) is not (second.y is None):
        raise InvalidArgument(
            "on", "two tables with labels, or two without", Plain("labels in one only")
        )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def table(one: object, name: str = "on") -> AttackedTable:
    """(X, y), or X alone. Raises InvalidArgument."""
    X, y = one if isinstance(one, tuple) and len(one) == 2 else (one, None)
    wanted = "tables of rows, with a label for each"
    try:
        rows, labels = np.asarray(X), None if y is None else np.asarray(y)
    except ValueError:
        raise InvalidArgument(name, wanted, Plain("rows of several lengths")) from None
    if rows.ndim < 1 or (labels is not None and labels.shape[:1] != rows.shape[:1]):
        shape = () if labels is None else labels.shape
        shapes = Plain(f"rows of shape {rows.shape}, labels of shape {shape}")
        raise InvalidArgument(name, wanted, shapes)
    return AttackedTable(rows, labels)
