"""Pairs of neighbouring tables that are worth trying against what a statistic states."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Graph, RowsNode
from dpframe.graph.maps.bounds import Encoded
from dpframe.graph.schema import Categorical, Numeric
from dpframe.symbols import Expression

Array = NDArray[Any]
Records = tuple[Array, Array]  # rows (m, d) and labels (m,)
SIZES = (0, 0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 31, 32, 255, 1023)  # of what both tables have
FAR = 10.0  # times a bound: beyond what is clipped


@attrs.frozen
class Shows:
    """What of a record matters."""

    rows: bool
    labels: bool


@attrs.frozen(eq=False)
class TablePair:
    """Two neighbours as they are given: `base` is in both, `gone` in the first only, `come` in the
    second only, at the same place.
    """

    base: Records
    gone: Records
    come: Records
    place: int

    @property
    def tables(self) -> tuple[Records, Records]:
        """The first and the second."""
        return self._with(self.gone), self._with(self.come)

    @property
    def size(self) -> int:
        """The number of records of the larger one."""
        return len(self.base[1]) + max(len(self.gone[1]), len(self.come[1]))

    def _with(self, part: Records) -> Records:
        split = (
            np.insert(whole, self.place, more, axis=0)
            for whole, more in zip(self.base, part, strict=True)
        )
        rows, labels = split
        return rows, labels


@attrs.frozen(eq=False)
class Palette:
    """Records to choose from: rows made of entries that are worth trying, and such labels."""

    entries: tuple[Array, ...]
    radii: Array
    labels: Array

    @classmethod
    def of(cls, graph: Graph, columns: int, number: Callable[[Expression], float]) -> Palette:
        """The ends of every declared interval, what lies between, next to and far beyond them."""
        rows = [node for node in graph.nodes if isinstance(node, RowsNode)]
        bounds = [bound for node in rows for bound in (node.norm, node.entry) if bound is not None]
        radii = sorted({number(bound) for bound in bounds} or {1.0})
        schemas = [node.schema for node in rows if isinstance(node, Encoded)]
        entries = [_entries(part) for part in schemas[0]] if schemas else [_around(radii)] * columns
        ends = [number(end) for node in graph.nodes for end in _ends(node)]
        return cls(tuple(entries), np.array([] if schemas else radii), _around(ends or [1.0]))

    def some(self, count: int, rng: np.random.Generator) -> Records:
        """So many records."""
        labels = rng.choice(self.labels, size=count)
        rows = np.column_stack([rng.choice(column, size=count) for column in self.entries])
        if len(self.radii) and rng.random() < 0.75:  # a direction, at one of the bounds
            rows = _directed(rows, rng.choice(self.radii, size=(count, 1)), rng)
        return rows, labels


def _directed(rows: Array, radii: Array, rng: np.random.Generator) -> Array:
    if rng.random() < 0.5:
        rows = rng.normal(size=rows.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        sized = rows / np.linalg.norm(rows, axis=1, keepdims=True) * radii
    return np.where(np.isfinite(sized), sized, rows)


def _entries(part: Numeric | Categorical) -> Array:
    if isinstance(part, Categorical):
        return np.array([*part.levels, None], dtype=object)  # None is no level
    return _around([float(part.lower), float(part.upper)])


def _ends(node: object) -> Iterator[Expression]:
    if isinstance(node, ColumnNode):
        ends = (getattr(node, name, None) for name in ("lower", "upper", "bound"))
        yield from (end for end in ends if isinstance(end, Expression))


def _around(ends: Sequence[float]) -> Array:
    """Ends, their negatives, quarters between neighbours of them, the doubles next to all these,
    and numbers far beyond.
    """
    signed = sorted({0.0, *ends, *(-end for end in ends)})
    finite = [end for end in signed if np.isfinite(end)]
    between = [
        low + share * (high - low)
        for low, high in itertools.pairwise(finite)
        for share in (0.25, 1 / 3, 0.5, 0.75)
    ]
    inside = np.array([*finite, *between])
    nearby = np.concatenate([np.nextafter(inside, -np.inf), np.nextafter(inside, np.inf)])
    exact = np.repeat(inside, 3)  # more often than what lies next to them
    return np.concatenate([exact, nearby, FAR * np.array(finite)])


def invented(palette: Palette, k: int, *, removes: bool, rng: np.random.Generator) -> TablePair:
    """A pair that differs in `k` records: added where the relation `removes`, else replaced."""
    base = _base(palette, rng)
    come, gone = palette.some(k, rng), palette.some(0 if removes else k, rng)
    place = int(rng.choice([0, len(base[1]) // 2, len(base[1])]))
    pair = TablePair(base, gone, come, place)
    return _from_base(pair) if rng.random() < 0.5 else pair


def _base(palette: Palette, rng: np.random.Generator) -> Records:
    """Records of so many kinds, each many times; or all different."""
    size, kinds = int(rng.choice(SIZES)), int(rng.choice([1, 1, 2, 1000]))
    rows, labels = palette.some(min(size, kinds), rng)
    repeats = np.arange(size) % max(1, len(labels))
    return rows[repeats], labels[repeats]


def _from_base(pair: TablePair) -> TablePair:
    """The records that go are like one that stays."""
    if not len(pair.base[1]):
        return pair
    which = np.zeros(len(pair.gone[1]), dtype=int)
    return attrs.evolve(pair, gone=(pair.base[0][which], pair.base[1][which]))


def varied(pair: TablePair, palette: Palette, *, rng: np.random.Generator) -> TablePair:
    """The pair with one thing changed."""
    match int(rng.integers(7)):
        case 0:
            return attrs.evolve(pair, come=_changed(pair.come, palette, rng))
        case 1:
            return attrs.evolve(pair, gone=_changed(pair.gone, palette, rng))
        case 2:
            return attrs.evolve(pair, base=_changed(pair.base, palette, rng))
        case 3:
            return attrs.evolve(pair, place=int(rng.integers(len(pair.base[1]) + 1)))
        case 4:
            return _from_base(pair)
        case 5:
            base = _base(palette, rng)
            return attrs.evolve(pair, base=base, place=min(pair.place, len(base[1])))
        case _:
            return attrs.evolve(pair, base=_nudged(pair.base, rng), come=_nudged(pair.come, rng))


def _changed(records: Records, palette: Palette, rng: np.random.Generator) -> Records:
    """One kind of record becomes another, in rows or in labels."""
    rows, labels = (whole.copy() for whole in records)
    if not len(labels):
        return records
    same = labels == labels[int(rng.integers(len(labels)))]
    new_rows, new_labels = palette.some(1, rng)
    if rng.random() < 0.5:
        rows[same] = new_rows[0]
    else:
        labels[same] = new_labels[0]
    return rows, labels


def _nudged(records: Records, rng: np.random.Generator) -> Records:
    """Rows a little to the side."""
    rows, labels = records
    if rows.dtype == object:
        return records
    return rows * (1 + 0.1 * rng.normal(size=rows.shape)), labels


def simpler(pair: TablePair) -> Iterator[TablePair]:
    """Pairs that are easier to read, the boldest first; each simpler than this one."""
    size = len(pair.base[1])
    for fewer in sorted({0, 1, 2, 3, size // 8, size // 2, 3 * size // 4, size - 1}):
        if 0 <= fewer < size:
            kept = (pair.base[0][:fewer], pair.base[1][:fewer])
            yield attrs.evolve(pair, base=kept, place=min(pair.place, fewer))
    yield from (attrs.evolve(pair, base=one) for one in _plainer(pair.base))
    yield from (attrs.evolve(pair, gone=one) for one in _plainer(pair.gone))
    yield from (attrs.evolve(pair, come=one) for one in _plainer(pair.come))


def _plainer(records: Records) -> Iterator[Records]:
    """Plainer rows, then plainer labels."""
    rows, labels = records
    yield from ((plain, labels) for plain in _plain_values(rows))
    yield from ((rows, plain) for plain in _plain_values(labels))


def _plain_values(values: Array) -> Iterator[Array]:
    """Zeros, equal entries, or fewer decimals: what is not so already."""
    if values.dtype == object or not values.size:
        return
    rounded = (np.round(values, digits) for digits in (0, 1, 2))
    for candidate in (np.zeros_like(values), np.broadcast_to(values[0], values.shape), *rounded):
        if _decimals(candidate) < _decimals(values):
            yield candidate.copy()


def _decimals(values: Array) -> tuple[int, int]:
    """How many different entries, and how many characters they take."""
    kinds = np.unique(values)
    return len(kinds), sum(len(repr(float(one))) for one in kinds if one)


def described(pair: TablePair, shows: Shows) -> str:
    """Both tables in lines: equal neighbours once, with their number. Rows or labels that are all
    zero are left out.
    """
    names = ("first ", "second")
    rows, labels = (any(np.any(table[i] != 0) for table in pair.tables) for i in (0, 1))
    shows = Shows(shows.rows and rows, shows.labels and labels)
    return "\n".join(
        f"    {name} {', '.join(_runs(table, shows)) or 'no record'}"
        for name, table in zip(names, pair.tables, strict=True)
    )


def _runs(table: Records, shows: Shows, most: int = 6) -> list[str]:
    texts = [_record(x, y, shows) for x, y in zip(*table, strict=True)]
    runs = [(len(list(group)), text) for text, group in itertools.groupby(texts)]
    parts = [f"{count} times {text}" if count > 1 else text for count, text in runs]
    return parts if len(parts) <= most else [*parts[:most], f"... {len(parts) - most} more"]


def _record(row: Array, label: Any, shows: Shows) -> str:
    x = f"x = ({', '.join(map(_plain, row))})" if shows.rows else ""
    y = f"y = {_plain(label)}" if shows.labels else ""
    return " ".join(part for part in (x, y) if part) or "a record"


def _plain(value: Any) -> str:
    return repr(float(value)) if isinstance(value, (float, np.floating)) else repr(value)
