"""The values of a graph's statistics: one pass over blocks, then what is derived from the sums.
Whole numbers never round: they are added in 64-bit words while they fit, as Python integers beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.maps.grid import OnGrid, exact_rows
from dpframe.graph.statistics import RecordSum, Searched, Statistic
from dpframe.sources.table import Block
from dpframe.symbols import Expression

from .views import Numbers, Values, Views, as_numbers, beyond, made_of, needed, numbers_read, views

Array = NDArray[Any]

LARGEST = 2.0**53
BLOCKS = 512  # of at most 2^53 each: 2^62, well inside a word
HELD, ROOM = 32, 2**18  # parts that are checked together, and their entries at most
WORD = 2**62  # sums and differences of two words below it are words
WORDS, INTEGERS, DOUBLES = np.dtype(np.int64), np.dtype(object), np.dtype(float)


@attrs.define(eq=False)
class IntegerSum:
    """A running sum of arrays of one shape whose entries are whole and at most 2^53 in size.

    Raises NotExecutable for others, at the latest in `total`: then the step of a statistic is
    wrong. Small parts are checked together.
    """

    _parts: Array | None = None
    _held: int = 0
    _recent: Array | None = None
    _blocks: int = 0
    _carried: Array | None = None

    def add(self, part: Array) -> None:
        """Add one block's."""
        part = np.asarray(part)
        if part.dtype != DOUBLES or HELD * part.size > ROOM:
            self._take(part[None])
            return
        if self._parts is None:
            self._parts = np.empty((HELD, *part.shape))
        self._parts[self._held] = part
        self._held += 1
        if self._held == HELD:
            self._settle()

    def total(self) -> Array:
        """The sum so far: words below 2^62, or Python integers."""
        self._settle()
        if self._recent is None:
            return np.asarray(self._carried, dtype=object)
        return self._total(self._recent.copy())

    def _settle(self) -> None:
        """Add the parts that wait."""
        if self._parts is not None and self._held:
            self._take(self._parts[: self._held])
            self._held = 0

    def _take(self, parts: Array) -> None:
        """Add parts (k, ...), at most HELD of them."""
        words = _words(parts)
        words = words[0] if len(words) == 1 else np.add.reduce(words, axis=0)
        if self._recent is None:
            self._recent = np.asarray(words)
        else:
            np.add(self._recent, words, out=self._recent)
        self._blocks += len(parts)
        if self._blocks > BLOCKS - HELD:
            self._carried = self._total(in_integers(self._recent))
            self._recent, self._blocks = None, 0

    def _total(self, recent: Array) -> Array:
        return recent if self._carried is None else added(self._carried, recent)


def _words(parts: Array) -> Array:
    if not (parts.max(initial=0) <= LARGEST and parts.min(initial=0) >= -LARGEST):
        raise NotWhole
    words = np.array(parts, dtype=np.int64)
    if not (words == parts).all():
        raise NotWhole
    return words


class NotWhole(NotExecutable):
    """The block of a statistic with a step is not whole numbers."""

    def __init__(self) -> None:
        """Show no value, which is of private data."""
        super().__init__("a statistic with a step must be whole numbers, below 2^53 a block")


def in_integers(value: Array) -> Array:
    """Words as Python integers, which have no largest; anything else as it is."""
    return value.astype(object) if value.dtype == WORDS else value


def added(one: Array, other: Array) -> Array:
    """one + other: doubles as they are; whole numbers, in words or Python integers, exactly."""
    if not {one.dtype, other.dtype} <= {WORDS, INTEGERS}:
        return np.asarray(one + other, dtype=one.dtype)
    in_words = one.dtype == other.dtype == WORDS
    if in_words and largest(one) + largest(other) < WORD:
        return np.asarray(one + other)
    return np.asarray(in_integers(one) + in_integers(other), dtype=object)


def largest(words: Array) -> int:
    """The largest size of an entry."""
    return max(int(np.max(words, initial=0)), -int(np.min(words, initial=0)))


@attrs.frozen(eq=False)
class PassSums:
    """A pass's results, in the order of its statistics: whole numbers of steps, in words or Python
    integers, where a statistic is exact, doubles elsewhere; and the number of rows, which is
    private under add/remove. They add up; whole numbers in any order alike.
    """

    parts: tuple[Array, ...]
    rows: int

    def __add__(self, other: PassSums) -> PassSums:
        pairs = zip(self.parts, other.parts, strict=True)
        parts = tuple(added(mine, its) for mine, its in pairs)
        return PassSums(parts, self.rows + other.rows)


NO_SUMS = PassSums((), 0)


@attrs.frozen(eq=False, kw_only=True)
class Reading:
    """One reading of a table, as a value that can be sent to where the rows are: the maps of rows
    and labels, and the numbers and released arrays that they read. All of it reads a `sample` of
    each block, if there is one.
    """

    maps: tuple[Node, ...]
    numbers: Mapping[Expression, float]
    given: Values
    sample: Callable[[Block], Block] | None = None

    def sampled(self, block: Block) -> Block:
        """The block, or the sample of it."""
        return block if self.sample is None else self.sample(block)

    def views(self, block: Block, passed: Values | None = None) -> Views:
        """The views of a block by the maps, beside those that it has `passed`."""
        return views(self.maps, block, self.numbers.__getitem__, {**self.given, **(passed or {})})


def reading_of(maps: tuple[Node, ...], number: Numbers, empty: Block, given: Values) -> Any:
    """The fields of a reading by these maps. Everything that may refuse a number does so here, on a
    block without rows.
    """
    given = as_numbers(given, maps)
    return {"maps": maps, "numbers": numbers_read(maps, empty, number, given), "given": given}


@attrs.frozen(eq=False, kw_only=True)
class Pass(Reading):
    """The sums of a reading; `most` rows at a time have exact ones. `rows` and `labels` are the
    maps that those of a block have passed; None for the table's own.
    """

    sums: tuple[RecordSum, ...]
    most: int | None
    rows: Node | None = None
    labels: Node | None = None

    @classmethod
    def of(
        cls,
        graph: Graph,
        number: Numbers,
        empty: Block,
        statistics: Sequence[Statistic] | None = None,
        *,
        given: Values | None = None,
        sample: Callable[[Block], Block] | None = None,
        rows: Node | None = None,
        labels: Node | None = None,
    ) -> Pass:
        """The pass of a graph, or of some of its statistics."""
        read_by = graph.statistics if statistics is None else statistics
        sums = tuple(node for node in read_by if isinstance(node, RecordSum))
        maps = needed(graph, sums)
        bits = [node.bits for node in maps if isinstance(node, OnGrid)]
        most = exact_rows(max(bits)) if bits else None
        fields = reading_of(maps, number, empty, given or {})
        passed = {RowsNode: rows, ColumnNode: labels}
        fields["maps"] = beyond([one for one in passed.values() if one in maps], maps)
        for kind, one in passed.items():
            own = [node for node in fields["maps"] if isinstance(node, kind) and not made_of(node)]
            if one is not None and own:
                now = f"{kind.spoken} are {one.label} already"
                raise NotExecutable(f"{own[0].label} is read, and {now}")
        rows, labels = (one if one in maps else None for one in (rows, labels))
        return cls(**fields, sums=sums, most=most, sample=sample, rows=rows, labels=labels)

    def __call__(self, blocks: Iterable[Block]) -> PassSums:
        """The sums over blocks, at least one."""
        running = [(one, IntegerSum() if one.step is not None else FloatSum()) for one in self.sums]
        rows = 0
        for block in blocks:
            rows += len(block.rows)
            for piece in _pieces(self.sampled(block), self.most):
                self._add(piece, running)
        return PassSums(tuple(total.total() for _, total in running), rows)

    def _add(self, piece: Block, running: Sequence[RunningSum]) -> None:
        """Add a piece to every sum. Its views are freed before the next piece, which reuses their
        memory.
        """
        passed: dict[Any, Any] = {self.rows: piece.rows, self.labels: piece.labels}
        passed.pop(None, None)
        seen = self.views(piece, passed)
        reals = seen if all(one.step is not None for one, _ in running) else seen.reals()
        for summed, total in running:
            total.add(summed.block(seen if summed.step is not None else reals))


RunningSum = tuple[RecordSum, "IntegerSum | FloatSum"]


@attrs.define(eq=False)
class FloatSum:
    """A running sum of doubles."""

    _total: Any = None

    def add(self, part: Array) -> None:
        """Add one block's."""
        self._total = part if self._total is None else self._total + part

    def total(self) -> Array:
        """The sum so far."""
        return np.asarray(self._total)


@np.errstate(all="ignore")
def derived(
    graph: Graph,
    sums: Iterable[RecordSum],
    totals: PassSums,
    number: Numbers,
    statistics: Sequence[Statistic] | None = None,
    *,
    before: Values | None = None,
) -> Values:
    """The value of every statistic, or of some: whole steps where it has a step, doubles elsewhere.
    `before` are values that are computed already.
    """
    values: Values = {**(before or {}), **dict(zip(sums, totals.parts, strict=True))}
    for statistic in graph.statistics if statistics is None else statistics:
        if statistic not in values and not isinstance(statistic, Searched):
            if statistic.step is not None:
                seen = {one: _unbounded(values[one]) for one in statistic.inputs if one in values}
                values[statistic] = np.asarray(statistic.compute(seen, number), dtype=object)
            else:
                seen = {node: real(node, values, number) for node in values}
                values[statistic] = statistic.compute(seen, number)
    return values


def _unbounded(value: Any) -> Any:
    """A value for exact arithmetic: Python integers in place of words."""
    return in_integers(value) if isinstance(value, np.ndarray) else value


def real(node: Node, values: Mapping[Node, Array], number: Numbers) -> Array:
    """A statistic's value in doubles."""
    value = values[node]
    if not isinstance(node, Statistic) or node.step is None:
        return value
    return in_doubles(value, number(node.step))


def in_doubles(steps: Array, step: float) -> Array:
    """Whole numbers of steps as doubles."""
    return np.asarray(np.asarray(steps).astype(float) * step)


def _pieces(block: Block, most: int | None) -> Iterator[Block]:
    """The block, cut so that sums over a piece are exact."""
    if most is None or len(block.rows) <= most:
        yield block
        return
    for start in range(0, len(block.rows), most):
        yield block.only(slice(start, start + most))


@attrs.frozen(eq=False, kw_only=True)
class Search(Reading):
    """The sum over blocks of work(rows, labels, ...) on the inputs of the statistic."""

    reads: tuple[Node, ...]
    work: Callable[..., Array]

    def __call__(self, blocks: Iterable[Block]) -> Array:
        """The sum over blocks, at least one."""
        total: Any = None
        for block in blocks:
            seen = self.views(self.sampled(block))
            part = self.work(*(seen.real(one) for one in self.reads))
            total = part if total is None else total + part
        return np.asarray(total)
