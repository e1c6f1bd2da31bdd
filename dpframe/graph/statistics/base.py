"""Statistics: values of the whole table, with a derived sensitivity for each norm and relation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

import attrs

from dpframe.errors import check_kind
from dpframe.identity import own
from dpframe.privacy import Relation
from dpframe.sensitivity import L1, L2, OPERATOR, RANGE, Norm, Sensitivity
from dpframe.symbols import DATA, PUBLIC, Expression, Origin, Scope, Symbol, exact, maximum, power
from dpframe.symbols.expression import Domain

from .. import statistics as st
from ..facts import derived, in_package, stated, unchanging
from ..node import Array, DataNode, Node, Numbers, Values
from ..reached import AT_MOST_L1, Metrics, Reached, reached
from ..rows import SIZE, ColumnNode, RowsNode, RowsOrLabels

Work = Callable[..., Array]  # of a block's rows (m, d), labels (m,), and what else it reads
Summed = Callable[[Work], Array]  # its sum over all blocks of the table


@attrs.frozen
class OneRow:
    """A bound on the change of a statistic when one row changes, and its rule. `attained`: some
    pair of neighbours attains it; under add/remove by a row of norm B with |y| = Y, so that one
    pair attains all attained bounds simultaneously.
    """

    value: Expression
    rule: str
    attained: bool = False


def variable(node: RowsOrLabels) -> str:
    """What a declaration calls rows or labels: `X`, `y`, `gradients`, `residuals`."""
    base: type[RowsOrLabels] = RowsNode if isinstance(node, RowsNode) else ColumnNode
    one: Any = node
    while one.written == base.written and isinstance(getattr(one, "source", None), base):
        one = one.source
    return str(one.written)


class Statistic(Origin, DataNode):
    """Abstract: a statistic. Linear combinations with public numbers are statistics; other
    arithmetic reads the value, which makes a formula private.
    """

    __slots__ = ()
    spoken: ClassVar[str] = "statistic"
    template: ClassVar[str] = "statistic"
    """how a declaration writes it, with {X} and {y} for its rows and labels"""
    unbounded: ClassVar[bool] = False
    """Whether one row, or label, of any size moves it by any amount: refutations ask, no proof."""
    even: ClassVar[bool] = False
    """Whether one added record attains all attained bounds and moves all entries alike."""
    many_rows: ClassVar[bool] = False
    """Whether it moves furthest beside many other rows."""
    angled: ClassVar[bool] = False
    """Whether it moves furthest, under replace-one, by two rows that are not parallel."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A class from outside inherits neither a step nor that it is exact, symmetric or
        unbounded.
        """
        super().__init_subclass__(**kwargs)
        if not in_package(cls):
            for name in NOT_INHERITED.keys() - vars(cls).keys():
                setattr(cls, name, NOT_INHERITED[name])

    @property
    def code(self) -> str:
        """How a declaration writes it: `X.T @ X`, `residuals @ residuals`; `statistic` where that
        is long.
        """
        tables = [one for one in self.inputs if isinstance(one, RowsOrLabels)]
        names = {"X" if isinstance(one, RowsNode) else "y": variable(one) for one in tables}
        return self.template.format(**names)

    @property
    def title(self) -> str:
        """Its label; its code, where it is of residuals, which no label says."""
        columns = (one for one in self.inputs if isinstance(one, ColumnNode))
        named = any(variable(one) != ColumnNode.written for one in columns)
        return self.code if named and self.template != Statistic.template else self.label

    shape: tuple[Expression, ...] = derived("shape", otherwise=())
    """The shape of its value in public sizes; () for a number, and for statistics that the rule
    book refuses.
    """
    symmetric: bool = derived("symmetric", otherwise=False)
    """Whether its value is a symmetric matrix, whose noise is mirrored; False for a class from
    outside that does not state it.
    """

    @property
    def scope(self) -> Scope:  # type: ignore[override]  # as its sensitivity says
        """DATA; PUBLIC if it is constant between neighbours, as n is under replace-one."""
        moved = self.sensitivity(L2)
        return PUBLIC if moved is not None and moved.value == exact(0) else DATA

    @property
    def step(self) -> Expression | None:
        """The step of the public grid that contains every entry of its value, which is then
        computed in whole steps. None if it has no grid or several, and for a class from outside
        that does not state it.
        """
        own = stated(self)
        return None if own is None or own.stacked or not own.steps else own.steps[0]

    @property
    def exact(self) -> bool:
        """Whether its value is computed exactly: on a grid, or from parts that are."""
        own = stated(self)
        return self.step is not None or (own is not None and own.stacked and bool(own.steps))

    @property
    def untested(self) -> str:
        """A condition of its sensitivity, in words, that nothing tests; "" where there is none."""
        return ""

    def attains(self, at: Metrics) -> Reached:
        """The rule of its one-row bound in a norm, in words, and whether some pair of neighbours is
        known to attain it; under add/remove by a row of norm B with |y| = Y.
        """
        return "", False

    def attains_range(self, at: Metrics) -> Reached:
        """The same for the range of a move, attained in the limit where other scores are
        arbitrarily far below.
        """
        return AT_MOST_L1

    @property
    def exchanged(self) -> ColumnNode | None:
        """The labels for which replacing Y by -Y attains its bounds, or None."""
        return None

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """A bound on its change when one row changes; None if no rule gives one."""
        check_kind("norm", norm, Norm)
        own = stated(self, relation)
        value = None if own is None else _moves(own)[norm]
        return None if value is None else OneRow(value, *reached(self, norm, relation))

    @abstractmethod
    def compute(self, values: Values, number: Numbers) -> Array:
        """Its value from the values of its inputs."""

    def sensitivity(self, norm: Norm) -> Sensitivity | None:
        """Its sensitivity for the table's unit of privacy: rows_per_person times the one-row bound;
        None if no rule bounds it.
        """
        derive = _sensitivity if unchanging(self) else _sensitivity.__wrapped__
        return derive(self, norm)

    def __expression__(self) -> Expression:
        return Symbol(f"value of {self.label}", Domain(), self)

    def __add__(self, other: object) -> Any:
        if isinstance(other, Statistic):
            return st.combine((1, self), (1, other))
        return self.__expression__() + exact(other)

    def __radd__(self, other: object) -> Any:
        return exact(other) + self.__expression__()

    def __sub__(self, other: object) -> Any:
        if isinstance(other, Statistic):
            return st.combine((1, self), (-1, other))
        return self.__expression__() - exact(other)

    def __rsub__(self, other: object) -> Any:
        return exact(other) - self.__expression__()

    def __mul__(self, other: object) -> Any:
        factor = exact(other)
        public = factor.scope == PUBLIC
        return st.combine((factor, self)) if public else self.__expression__() * factor

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        """Divide by a public number of rows, where 0 rows count as 1."""
        divisor = exact(other)
        if _may_be_zero(divisor) and divisor.scope == PUBLIC:
            divisor = maximum(divisor, 1)
        return self * power(divisor, -1)

    def __rtruediv__(self, other: object) -> Any:
        return exact(other) / self.__expression__()

    def __pow__(self, exponent: object) -> Any:
        return power(self.__expression__(), exponent)

    def __neg__(self) -> Any:
        return self * -1


def _may_be_zero(divisor: Expression) -> bool:
    """Whether it is a number of rows."""
    return isinstance(divisor, Symbol) and divisor.origin is not None and divisor.domain == SIZE


@lru_cache(maxsize=4096)
def _sensitivity(statistic: Statistic, norm: Norm) -> Sensitivity | None:
    foreign = norm is RANGE and not own(type(statistic))
    if foreign and len(statistic.shape) != 1:
        return None
    bounded_in = L1 if foreign else norm  # L1 bounds the range: classes of your own answer for it
    bound, unit = statistic.one_row(bounded_in, statistic.unit.relation), statistic.unit
    if bound is None:
        return None
    attained = bound.attained and not foreign  # of L1, it says nothing of the range
    value = bound.value * unit.rows_per_person
    return Sensitivity(value, norm, unit, bound.rule, attained)


def _moves(own: Any) -> dict[Norm, Expression | None]:
    """The one-row bounds, for every norm."""
    vector = len(own.shape) == 1 and not own.stacked
    known: Any = (own.l1, own.l2, own.spectral, own.range if vector else None)
    return dict(zip((L1, L2, OPERATOR, RANGE), known, strict=True))


def _on_a_grid(statistic: Statistic) -> bool:
    return statistic.step is not None


NOT_INHERITED: dict[str, Any] = {
    "symmetric": False,
    "step": None,
    "exact": property(_on_a_grid),
    "unbounded": False,
}
"""What a class from outside is, where it does not say it itself."""


class RecordSum(Statistic):
    """Abstract: a sum over records of a feature of each record. Any source of blocks can compute
    it; samples, weights and cells of a partition are maps of the rows and labels that it reads.
    Inputs on a grid come in whole steps, and so does the sum.
    """

    __slots__ = ()

    @abstractmethod
    def block(self, values: Values) -> Array:
        """The sum of the feature over a block, from the mapped rows and labels of that block."""

    def compute(self, values: Values, number: Numbers) -> Array:
        """Its value if the whole table is one block."""
        return self.block(values)


class Searched(Statistic):
    """Abstract: a statistic that reads the table repeatedly, each time as a sum over blocks. Rows
    and labels come in their own units, in doubles.
    """

    __slots__ = ()
    rows: RowsNode
    column: ColumnNode

    @property
    def reads(self) -> tuple[Node, ...]:
        """The inputs of `work` for each block: rows, labels, and further numbers per record."""
        return (self.rows, self.column)

    @abstractmethod
    def search(self, summed: Summed, number: Numbers) -> Array:
        """Its value. `summed(work)` is the sum over all blocks (at least one) of `work(*reads)`;
        `work` can be pickled and returns arrays of one shape, also for zero rows.
        """

    def compute(self, values: Values, number: Numbers) -> Array:
        """Its value if the whole table is one block."""
        read = [values[one] for one in self.reads]
        return self.search(lambda work: work(*read), number)
