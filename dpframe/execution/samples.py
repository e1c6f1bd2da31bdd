"""Samples of the rows: a fresh Poisson sample, drawn while they are read, one part after the other;
and a secret one in which each record has a coin of its own, drawn while the table is first read,
and the same whenever it is read again.

A source that is held to giving the same records in the same order in every pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from fractions import Fraction
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable, SourceFailed
from dpframe.graph import Graph
from dpframe.graph.maps.weighted import Thinning
from dpframe.randomness import Bits
from dpframe.randomness.laws import rational_coins
from dpframe.sources import Source
from dpframe.sources.source import SourceWrapper
from dpframe.sources.table import Block

from .numbers import PublicNumbers
from .public_budgets import Budgets, places
from .totals import some

S = TypeVar("S")
AT_REST = "Give a table that is at rest: an array, a data frame in memory, or a file."


def digest(block: Block) -> bytes:
    """128 bits of the records of a block, in their order."""
    state = hashlib.blake2b(digest_size=16)
    for column in (block.rows, block.labels, block.budgets):
        if column is None:
            continue
        state.update(str(column.shape).encode())
        if column.dtype == object:
            state.update(repr(column.tolist()).encode("utf-8", "surrogatepass"))
        else:
            state.update(np.ascontiguousarray(column).data)
    return state.digest()


def moved() -> SourceFailed:
    """The refusal of a table that is not at rest."""
    return SourceFailed("X again", "other records, or the same in another order", AT_REST)


@attrs.frozen(eq=False)
class Digested(Generic[S]):
    """What some work gave, and the digests of the blocks that it saw; they add up in order."""

    found: S
    digests: tuple[bytes, ...]

    def __add__(self, other: Digested[S]) -> Digested[S]:
        added: Any = self.found + other.found  # type: ignore[operator]
        return Digested(added, self.digests + other.digests)


@attrs.frozen(eq=False)
class Digesting(Generic[S]):
    """Work that digests each block before it looks at it."""

    work: Callable[[Iterable[Block]], S]

    def __call__(self, blocks: Iterable[Block]) -> Digested[S]:
        seen: list[bytes] = []

        def digested() -> Iterator[Block]:
            for block in blocks:
                seen.append(digest(block))
                yield block

        found = self.work(digested())
        return Digested(found, tuple(seen))


@attrs.define(eq=False, repr=False)
class AtRest(SourceWrapper):
    """A source whose blocks must have the digests of the first pass in every later one."""

    _digests: tuple[bytes, ...] | None = attrs.field(default=None, init=False)

    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """As the source itself. Raises SourceFailed where its records have moved."""
        found = self.inner.total(Digesting(work), executor=executor)
        if self._digests is None:
            self._digests = found.digests
        elif self._digests != found.digests:
            raise moved()
        return found.found


def held_at_rest(source: Source) -> Source:
    """The source itself where it is at rest or read once, else one that compares digests."""
    return source if source.repeatable or source.passes < 2 else AtRest(source)


@attrs.frozen(eq=False)
class Sample:
    """Keeps each row by a coin of its own, true with probability `rate` exactly. Nobody sees which:
    the coins are forgotten with the block.
    """

    rate: Fraction
    bits: Bits

    def __call__(self, block: Block) -> Block:
        """The rows that are kept, in their order, with their labels."""
        kept = rational_coins(self.bits, self.rate, len(block.rows))
        return Block(block.rows[kept], some(block.labels, kept), some(block.budgets, kept))


@attrs.frozen
class InOrder:
    """An executor that does what is submitted at once, here: coins have one order, and never leave
    the process.
    """

    _max_workers = 1  # as executors of the standard library say it

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - the future raises it
            future.set_exception(error)
        return future


def check_sampling(graph: Graph, executor: Any) -> None:
    """Refuse to send coins elsewhere. Raises NotExecutable."""
    if executor is not None and any(one.sampled is not None for one in graph.releases):
        raise NotExecutable(
            "a release reads a secret sample of the rows, whose coins are drawn where the noise "
            "is: leave executor out"
        )


Array = NDArray[Any]
WORD = 2.0**64


@attrs.define(eq=False)
class Kept:
    """Coins, one a record: true with probability at most that of the record's budget. They are
    kept, in memory, until the execution ends; nobody else sees them. Beside the coins of a block
    stands its digest, so that no record ever gets the coin of another.
    """

    keys: Array
    chances: Array
    bits: Bits
    _drawn: list[tuple[bytes, Array]] = attrs.field(factory=list, init=False)
    _next: int = attrs.field(default=0, init=False)
    _whole: bool = attrs.field(default=False, init=False)

    def again(self) -> Kept:
        """The same coins for another reading, from its first block."""
        self._next, self._whole = 0, True
        return self

    def __call__(self, block: Block) -> Block:
        """The records that are kept, in their order."""
        found = digest(block)
        if self._next == len(self._drawn):
            if self._whole:
                raise moved()
            self._drawn.append((found, self._coins(block)))
        seen, kept = self._drawn[self._next]
        self._next += 1
        if found != seen:
            raise moved()
        return Block(block.rows[kept], some(block.labels, kept), some(block.budgets, kept))

    def _coins(self, block: Block) -> Array:
        """A uniform word below 2^64 p is drawn with probability floor(2^64 p)/2^64."""
        chances = self.chances[places(self.keys, block.budgets)]
        words = self.bits.words(len(block.rows))
        certain: Array = chances >= 1
        least = np.where(certain, 0.0, np.floor(chances * WORD)).astype(np.uint64)
        return certain | (words < least)


def kept_of(
    graph: Graph, budgets: Budgets | None, numbers: PublicNumbers, bits: Bits
) -> Kept | None:
    """The coins of a graph's sample; None where it reads the whole table."""
    found = [node for node in graph.nodes if isinstance(node, Thinning)]
    if not found or budgets is None:
        return None
    return Kept(budgets.keys, np.minimum(numbers.each(found[0].keep), 1.0), bits)


def check_thinning(graph: Graph, executor: Any) -> None:
    """Refuse to send coins elsewhere. Raises NotExecutable."""
    if executor is not None and any(isinstance(node, Thinning) for node in graph.nodes):
        raise NotExecutable(
            "everything is read from a secret sample of the rows, whose coins are drawn where the "
            "noise is: leave executor out"
        )
