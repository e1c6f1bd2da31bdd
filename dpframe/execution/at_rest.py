"""A source that is held to giving the same records in the same order in every pass."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from dpframe.errors import SourceFailed
from dpframe.sources import Source
from dpframe.sources.source import Around
from dpframe.sources.table import Block

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
class AtRest(Around):
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
    return source if source.at_rest or source.passes < 2 else AtRest(source)
