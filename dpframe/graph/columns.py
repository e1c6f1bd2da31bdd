"""Labels: one bounded number per record, or one of two public classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.operators import Operation
from dpframe.privacy import Unit
from dpframe.symbols import Expression, exact, sqrt

from . import maps
from . import statistics as st
from .facts import derived
from .node import DataNode, Node, one_number, titled
from .occurring import occurring

if TYPE_CHECKING:
    from .rows import RowsNode


Class = str | int | float | bool
BEYOND = 2**53  # from here on, different whole numbers are one double
WAY_OUT = 'dp.Column("smoker", levels=["no", "yes"]): the list is public, never read from the data.'


def classes_of(values: object, name: str = "levels") -> tuple[Class, ...] | None:
    """Two distinct texts, or two distinct finite numbers or truth values, as Python objects; None
    for None. Raises InvalidArgument.
    """
    if values is None:
        return None
    classes = listed(values, name, "a list of two classes", WAY_OUT)
    kinds = {isinstance(value, str) for value in classes}
    right = all(map(is_level, classes)) and len(kinds) == 1
    keys = set(map(compared, classes)) if right else set()
    if len(classes) != 2 or len(keys) != 2 or None in keys:
        wanted = "two different texts, or two different finite numbers"
        raise InvalidArgument(name, wanted, classes, WAY_OUT)
    return classes


def listed(values: object, name: str, wanted: str, way_out: str) -> tuple[Any, ...]:
    """The entries of an ordered list, as Python objects. Raises InvalidArgument."""
    unordered = isinstance(values, (str, bytes, Mapping, AbstractSet))
    if unordered or not isinstance(values, Iterable):
        raise InvalidArgument(name, wanted, values, way_out)
    return tuple(map(plain, values))


def plain(value: Any) -> Any:
    """A scalar of numpy, or a decimal, as a Python object: a decimal as the nearest double, as it
    is in a table.
    """
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def is_level(value: object) -> bool:
    """Whether it is of a kind that levels may have."""
    return isinstance(value, (str, bool, int, float))


def compared(level: Any) -> str | float | None:
    """The form in which a level is compared with cells: texts unchanged, numbers and truth values
    as doubles; None for numbers that are too large to differ from others.
    """
    if isinstance(level, str):
        return level
    return float(level) if abs(level) < BEYOND else None


class RowsOrLabels(DataNode):
    """Abstract: the rows, or the labels, of the records."""

    __slots__ = ()
    written: ClassVar[str]
    """How a declaration writes them."""
    grid: int | None = None
    """Bits of the grid of its table; None for no grid."""

    @property
    def ball(self) -> bool:
        """Whether every row, or label, within the bound may occur, in every dimension."""
        return occurring(self).ball

    @abstractmethod
    def scaled(self, by: object) -> Any:
        """Divided by one number, the same for all records."""

    def __truediv__(self, by: object) -> Any:
        """Divided by one number; see `scaled`."""
        return self.scaled(one_number(self, by, "divided", "/"))

    def __mul__(self, factor: object) -> Any:
        """Multiplied by one number; see `scaled`."""
        return self.scaled(1 / one_number(self, factor, "multiplied", "*"))

    __rmul__ = __mul__


class ColumnNode(RowsOrLabels):
    """Abstract: the labels, one number per record."""

    __slots__ = ()
    spoken: ClassVar[str] = "labels"
    written: ClassVar[str] = "y"

    bound: Expression | None = derived("bound")
    """An upper bound on every |y|; None if there is none."""

    @property
    def radius(self) -> Expression:
        """Y, the bound on every |y|. Raises InvalidArgument if there is none."""
        if self.bound is None:
            raise InvalidArgument("labels", "bounded", self.label, "y.clip(-Y, Y) bounds them.")
        return self.bound

    @property
    def T(self) -> ColumnNode:  # noqa: N802 - the name numpy gives it
        """A column is its own transpose, as in numpy."""
        return self

    def __matmul__(self, other: object) -> Any:
        from .rows import RowsNode

        if isinstance(other, RowsNode):
            return st.Moment(other, self)
        if isinstance(other, ColumnNode) and other == self:
            return st.Squares(self)
        return self.refuse(Operation("multiplied", "{} @ {}", (self, other)))

    def sum(self) -> st.LabelSum:
        """dp.total(y): the sum of the labels, a number."""
        return st.LabelSum(self)

    def __sub__(self, minus: object) -> ColumnNode:
        """One number subtracted from every label. The result needs a clip."""
        return self.scaled(1, minus=one_number(self, minus, "subtracted", "-"))

    def __add__(self, plus: object) -> ColumnNode:
        """One number added to every label. The result needs a clip."""
        return self.scaled(1, minus=-one_number(self, plus, "added", "+"))

    __radd__ = __add__

    def on_grid(self, bits: int) -> ColumnNode:
        """The bounded labels in whole steps of a grid with `bits` bits from 0 to the bound."""
        return maps.GridColumn(self, bits)

    def weighted(self, weight: object) -> ColumnNode:
        """Labels multiplied by the square root of `weight`, a public formula of the record's
        budget.
        """
        factor = sqrt(weight)
        return self if factor == exact(1) else maps.WeightedColumn(self, maps.Weight(factor))

    def clip(self, lower: object, upper: object) -> ColumnNode:
        """Labels clipped to the public interval [lower, upper]."""
        return maps.ClipColumn(self, lower, upper)

    def scaled(self, by: object, minus: object = 0) -> ColumnNode:
        """(y - minus)/by, for public or released (dp.known) numbers. The result needs a clip."""
        return maps.ScaledLabels(self, by, minus)

    def shrunk_with(self, rows: RowsNode, *, norm: object) -> ColumnNode:
        """Labels multiplied by min(1, norm/|x|), the factor by which `rows.clip(norm=norm)` shrinks
        the row. Used together, the two reduce the weight of a record and leave the coefficients of
        a linear model unchanged.
        """
        return maps.ShrunkLabels(self, rows, norm)

    def residuals(self, rows: RowsNode, theta: Node) -> ColumnNode:
        """y - x'theta for released coefficients theta, shape (d,). The result needs a clip."""
        return maps.ResidualLabels(self, rows, theta)


@attrs.frozen(cache_hash=True)
class ColumnSource(ColumnNode):
    """The labels as given: finite, otherwise unrestricted."""

    kind: ClassVar[str] = "column"
    label = titled("{0.name}")
    name: str
    unit: Unit
    grid: int | None = None
    draft: bool = False
    """Whether the std of a release stays a symbol, because its noise is not settled."""
