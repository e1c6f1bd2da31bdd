"""Statistics that are found by reading the table several times."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]
    Work = Callable[[Array, Array], Array]  # of a block's rows (m, d) and labels (m,)
    Summed = Callable[[Work], Array]  # its sum over all blocks of the table


class Searched(Statistic):
    """Abstract: a statistic that reads the table several times, each time as a sum over blocks, so
    that any source of blocks feeds it. Rows and labels come in their own units, in doubles.
    """

    __slots__ = ()
    rows: Rows
    column: Column

    @abstractmethod
    def search(self, summed: Summed, number: Numbers) -> Array:
        """Its value. `summed(work)` is the sum over blocks, at least one, of `work(rows, labels)`;
        `work` is a value that can be pickled and returns arrays of one shape, also for no rows.
        """

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Its value when the whole table is one block."""
        rows, labels = values[self.rows], values[self.column]
        return self.search(lambda work: work(rows, labels), number)
