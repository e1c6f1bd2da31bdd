"""Maps of a whole record, row and label, to a row or a label: each by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .columns import ColumnMap
from .node import Node
from .row_maps import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rows import Numbers

    Array = NDArray[Any]


class RecordMap(RowMap):
    """Abstract: a row made of a record, and perhaps of released arrays."""

    __slots__ = ()

    @abstractmethod
    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """A row for each record of a block, shape (m, width), finite, from the block of each input:
        each record by itself. Changes none of them.
        """

    def apply(self, block: Array, number: Numbers) -> NoReturn:
        """It reads more than rows."""
        raise NotImplementedError


class RecordColumn(ColumnMap):
    """Abstract: a label made of a record."""

    __slots__ = ()

    @abstractmethod
    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """A label for each record of a block, shape (m,), finite, from the block of each input:
        each record by itself. Changes none of them.
        """

    def apply(self, block: Array, number: Numbers) -> NoReturn:
        """It reads more than labels."""
        raise NotImplementedError
