"""A fresh Poisson sample of the rows, drawn while they are read: here, one part after the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import Graph
from dpframe.randomness import Bits
from dpframe.randomness.coins import rational_coins
from dpframe.sources.table import Block

from .totals import some


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
