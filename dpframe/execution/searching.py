"""One question of a search, as work for a source: it can be sent to where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Node
from dpframe.sources.table import Block
from dpframe.symbols import Expression

from .views import Numbers, Values, views

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Search:
    """The sum over blocks of work(rows, labels, ...), all as the statistic's inputs see them."""

    reads: tuple[Node, ...]
    maps: tuple[Node, ...]
    work: Callable[..., Array]
    numbers: Mapping[Expression, float]
    given: Values = attrs.field(factory=dict)
    sample: Callable[[Block], Block] | None = None

    @classmethod
    def of(  # noqa: PLR0917 - the parts of a question
        cls,
        reads: tuple[Node, ...],
        maps: tuple[Node, ...],
        work: Callable[..., Array],
        number: Numbers,
        empty: Block,
        given: Values | None = None,
        sample: Callable[[Block], Block] | None = None,
    ) -> Search:
        """The question, with the numbers and the released arrays that the maps read."""
        known: dict[Expression, float] = {}

        def noted(formula: Expression) -> float:
            return known.setdefault(formula, number(formula))

        given = given or {}
        views(maps, empty, noted, given).reals()
        return cls(reads, maps, work, known, given, sample)

    @np.errstate(over="ignore", invalid="ignore")  # a warning would tell of the data
    def __call__(self, blocks: Iterable[Block]) -> Array:
        """The sum over blocks, at least one."""
        total: Any = None
        for block in blocks:
            read = block if self.sample is None else self.sample(block)
            seen = views(self.maps, read, self.numbers.__getitem__, self.given)
            part = self.work(*(seen.real(one) for one in self.reads))
            total = part if total is None else total + part
        return np.asarray(total)
