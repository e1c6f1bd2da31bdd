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
    Work = Callable[..., Array]  # of a block's rows (m, d), labels (m,), and what else it reads
    Summed = Callable[[Work], Array]  # its sum over all blocks of the table


class Searched(Statistic):
    """Abstract: a statistic that reads the table several times, each time as a sum over blocks, so
    that any source of blocks feeds it. Rows and labels come in their own units, in doubles.
    """

    __slots__ = ()
    rows: Rows
    column: Column

    @property
    def reads(self) -> tuple[Node, ...]:
        """What work is given of each block: rows, labels, and further numbers a record."""
        return (self.rows, self.column)

    @abstractmethod
    def search(self, summed: Summed, number: Numbers) -> Array:
        """Its value. `summed(work)` is the sum over blocks, at least one, of `work(*reads)`;
        `work` is a value that can be pickled and returns arrays of one shape, also for no rows.
        """

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Its value when the whole table is one block."""
        read = [values[one] for one in self.reads]
        return self.search(lambda work: work(*read), number)
