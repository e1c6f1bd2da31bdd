"""A table whose sums are remembered: a simulation that is run again and again reads it once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from operator import attrgetter
from typing import Any, TypeVar

import attrs
import numpy as np

from dpframe.execution.totals import Pass, PassSums
from dpframe.sources import Source
from dpframe.sources.table import Block, TablePart

S = TypeVar("S")


@attrs.define(eq=False, repr=False)
class Remembered(Source):
    """A source that answers the same question twice without reading. For simulations only: exact
    sums of private rows stay in memory.

    What is remembered is the sums of a pass that reads no released value and no sample: whole
    numbers and doubles that are functions of the rows alone. Noise is never remembered.
    """

    inner: Source
    _sums: dict[Hashable, PassSums] = attrs.field(factory=dict, init=False)

    layout = property(attrgetter("inner.layout"))
    passes = property(attrgetter("inner.passes"))
    rows = property(attrgetter("inner.rows"))
    identity = property(attrgetter("inner.identity"))
    assumptions = property(attrgetter("inner.assumptions"))
    record_may_refuse = property(attrgetter("inner.record_may_refuse"))

    def parts(self) -> Iterator[TablePart]:
        """The table's."""
        return self.inner.parts()

    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """The table's total, from memory where it is there."""
        question = asked(work)
        if question is None:
            return self.inner.total(work, executor=executor)
        if question not in self._sums:
            self._sums[question] = fixed(self.inner.total(work, executor=executor))
        return self._sums[question]  # type: ignore[return-value]


def asked(work: object) -> Hashable | None:
    """What a pass asks of the table; None for work that may answer otherwise the next time."""
    if type(work) is not Pass or work.given or work.sample is not None:
        return None
    return work.maps, work.sums, tuple(sorted(work.numbers.items(), key=str)), work.most


def fixed(sums: Any) -> PassSums:
    """The sums, which nobody can write into."""
    for part in sums.parts:
        part.flags.writeable = False
    kept: PassSums = attrs.evolve(sums, parts=tuple(map(np.asarray, sums.parts)))
    return kept
