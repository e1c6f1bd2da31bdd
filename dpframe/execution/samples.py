"""Samples of the rows: a fresh Poisson sample, drawn while they are read, one part after the other;
and a secret one with an inclusion probability for each record, drawn while the table is first read
and the same in every later pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Future
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable, SourceFailed
from dpframe.graph import Graph
from dpframe.graph.maps.weighted import Thinning
from dpframe.randomness import Bits
from dpframe.randomness.laws import bernoulli
from dpframe.sources.table import Block

from .numbers import PublicNumbers
from .public_budgets import RecordBudgets, places

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


def records_changed() -> SourceFailed:
    """The error on a table that differs between passes."""
    return SourceFailed("X again", "other records, or the same in another order", AT_REST)


@attrs.frozen(eq=False)
class Sample:
    """Includes each row independently with probability `rate`, exactly. The inclusions are secret
    and forgotten with the block.
    """

    rate: Fraction
    bits: Bits

    def __call__(self, block: Block) -> Block:
        """The rows of the sample, in their order, with their labels."""
        return block.only(bernoulli(self.bits, self.rate, len(block.rows)))


@attrs.frozen
class InOrder:
    """An executor that does submitted work at once, here: samples are drawn in one order, in this
    process.
    """

    _max_workers = 1  # as in executors of the standard library

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - the future raises it
            future.set_exception(error)
        return future


def check_sampling(graph: Graph, executor: Any) -> None:
    """Refuse an executor, which would draw samples elsewhere. Raises NotExecutable."""
    sampled = any(one.sampled is not None for one in graph.releases)
    if executor is not None and (sampled or any(isinstance(one, Thinning) for one in graph.nodes)):
        raise NotExecutable(
            "a secret sample of the rows is read, which is drawn where the noise is: leave "
            "executor out"
        )


Array = NDArray[Any]
WORD = 2.0**64


@attrs.define(eq=False)
class FixedSample:
    """Inclusion indicators, one a record: true with at most the probability of the record's budget.
    They stay secret, in memory, until the execution ends. Beside the indicators of a block stands
    its digest, so that no record ever gets those of another.
    """

    keys: Array
    chances: Array
    bits: Bits
    _drawn: list[tuple[bytes, Array]] = attrs.field(factory=list, init=False)
    _next: int = attrs.field(default=0, init=False)
    _whole: bool = attrs.field(default=False, init=False)

    def again(self) -> FixedSample:
        """The same sample for another pass, from its first block."""
        self._next, self._whole = 0, True
        return self

    def __call__(self, block: Block) -> Block:
        """The records of the sample, in their order."""
        result = digest(block)
        if self._next == len(self._drawn):
            if self._whole:
                raise records_changed()
            self._drawn.append((result, self._inclusions(block)))
        expected, included = self._drawn[self._next]
        self._next += 1
        if result != expected:
            raise records_changed()
        return block.only(included)

    def _inclusions(self, block: Block) -> Array:
        """A uniform word below 2^64 p is drawn with probability floor(2^64 p)/2^64."""
        chances = self.chances[places(self.keys, block.budgets)]
        words = self.bits.words(len(block.rows))
        certain: Array = chances >= 1
        least = np.where(certain, 0.0, np.floor(chances * WORD)).astype(np.uint64)
        return certain | (words < least)


def fixed_sample_of(
    graph: Graph, budgets: RecordBudgets | None, numbers: PublicNumbers, bits: Bits
) -> FixedSample | None:
    """The sample that a graph reads; None where it reads the whole table."""
    result = [node for node in graph.nodes if isinstance(node, Thinning)]
    if not result or budgets is None:
        return None
    return FixedSample(budgets.keys, np.minimum(numbers.each(result[0].keep), 1.0), bits)
