"""Rows and labels. Their maps are in `maps`: each maps one row to one row and reads public numbers
only, so neighbours remain neighbours.

Facts travel with the rows: bounds on the 2-norm and the 1-norm of every row; the number of columns;
whether every row of the ball may occur (`ball`); whether every row attains the bound (`unit_norm`);
and for rows in a box the bound on every entry (`entry`) and whether the whole box may occur
(`box`). Values are finite. A label is one bounded number per record, or one of two public classes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

import attrs

from dpframe.errors import InvalidArgument, Plain, TouchesData, nearest
from dpframe.operators import Operation, Symbolic
from dpframe.privacy import Unit
from dpframe.symbols import ONE, PUBLIC, RECORD, Expression, Symbol, exact, maximum, parameter, sqrt
from dpframe.symbols.expression import Domain

from . import maps
from . import statistics as st
from .facts import answered, derived, stated
from .known import OfBudgets
from .node import DataNode, Node, one_number, reads, titled

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


@attrs.frozen
class Occurring:
    """Which rows, or labels, may occur whatever the other records are: all finite ones, the whole
    ball, the whole box, one whose norm attains the bound, all labels of [-within, within].
    Refutations use it; proofs do not.
    """

    any_finite: bool = False
    ball: bool = False
    box: bool = False
    extreme: bool = False
    within: Fraction | None = None


UNKNOWN = Occurring()


@lru_cache(maxsize=4096)
def occurring(node: RowsOrLabels) -> Occurring:
    """Which rows or labels occur; nothing is known of a class from outside, or of a map whose rule
    derives nothing.
    """
    return node.occurs() if answered(node) else UNKNOWN


class RowsOrLabels(DataNode):
    """Abstract: the rows, or the labels, of the records."""

    __slots__ = ()
    written: ClassVar[str]
    """How a declaration writes them."""
    grid: int | None = None
    """Bits of the grid of its table; None for no grid."""

    def occurs(self) -> Occurring:
        """Which of its rows or labels may occur, as far as that is known; see `occurring`."""
        return UNKNOWN

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

    def occurs(self) -> Occurring:
        """Every finite label."""
        return Occurring(any_finite=True)


SIZE = Domain(Fraction(0), None, lower_closed=True, integer=True)
COLUMNS = parameter("d", 1, closed="left", integer=True)


class RowsNode(RowsOrLabels):
    """Abstract: the features, one row per record."""

    __slots__ = ()
    spoken: ClassVar[str] = "rows"
    written: ClassVar[str] = "X"

    columns: Expression = derived("columns")
    """The public number of columns."""
    norm: Expression | None = derived("norm")
    """An upper bound on every row's 2-norm; None if there is none."""
    entry: Expression | None = derived("entry")
    """A bound on every |entry|, if sqrt(d) and d times it are the norm bounds; else None."""
    unit_norm: bool = derived("unit_norm", otherwise=False)
    """Whether every row has 2-norm exactly `norm`."""

    @property
    def radius(self) -> Expression:
        """B, the bound on every row's 2-norm. Raises InvalidArgument if there is none."""
        if self.norm is None:
            raise InvalidArgument("rows", "bounded", self.label, "X.clip(norm=...) bounds them.")
        return self.norm

    @property
    def norm1(self) -> Expression | None:
        """An upper bound on every row's 1-norm; for a map from outside by Cauchy-Schwarz."""
        own, norm = stated(self), self.norm
        if own is not None:
            bound: Expression | None = own.norm1
            return bound
        return None if norm is None else sqrt(self.columns) * norm

    @property
    def box(self) -> bool:
        """Whether every row with entries in [-entry, entry] may occur, in every dimension."""
        return occurring(self).box

    @property
    def extreme(self) -> bool:
        """Whether some possible row attains the bound `norm`, whatever the other rows and its label
        are.
        """
        return self.ball if stated(self) is None else occurring(self).extreme

    @property
    def all_levels(self) -> tuple[str, ...]:
        """Categories of its codebook with an indicator for each level: these columns sum to 1."""
        return ()

    @property
    def grid(self) -> int | None:  # type: ignore[override]
        """That of its table."""
        given = self.origin
        return None if given is self else given.grid

    @property
    def T(self) -> Transposed:  # noqa: N802 - the name numpy gives it
        """The transpose, for X.T @ X and X.T @ y."""
        return Transposed(self)

    @property
    def rows(self) -> Expression:
        """The number of rows: private under add/remove, public under replace-one."""
        return Symbol("n", SIZE, st.Count(self.origin))

    @property
    def origin(self) -> RowsNode:
        """The rows as given, before any map."""
        return self

    def sum(self, axis: int = 0) -> st.RowSum:
        """dp.total(X): the sum of every column, shape (d,). Raises InvalidArgument."""
        if axis != 0:
            raise InvalidArgument("axis", "0, for the sum of every column", axis, "")
        return st.RowSum(self)

    def mean(self, axis: int = 0) -> st.Statistic:
        """X.sum() / X.rows, shape (d,), where the number of rows is public. Raises
        InvalidArgument.
        """
        mean: st.Statistic = self.sum(axis) / public_size(self)
        return mean

    def total(self, formula: object) -> Expression:
        """The sum over records of a formula of each record's budget: private under add/remove,
        public under replace-one. If all records have the same budget, max(n, 1) times the formula.
        """
        one = exact(formula, "formula")
        if RECORD in one.scope:
            return self._of_budgets("total", one)
        return maximum(self.rows, 1) * one

    def average(self, formula: object) -> Expression:
        """The average of a formula of each record's budget, over the public list of budgets."""
        return self._of_budgets("average", exact(formula, "formula"))

    def largest(self, formula: object) -> Expression:
        """The largest of a formula of each record's budget, over the public list of budgets."""
        return self._of_budgets("largest", exact(formula, "formula"))

    def smallest(self, formula: object) -> Expression:
        """The smallest of a formula of each record's budget, over the public list of budgets."""
        return self._of_budgets("smallest", exact(formula, "formula"))

    def cap(self, formula: object, *, noise: object) -> Expression:
        """The threshold t for which weights min(formula, t) have the least estimation error, over
        the public list of budgets, if noise at weight = formula has `noise` times the variance of
        one record.
        """
        return self._of_budgets("cap", exact(formula, "formula"), exact(noise, "noise"))

    def _of_budgets(
        self, what: str, formula: Expression, noise: Expression | None = None
    ) -> Expression:
        """The formula itself if all records have the same budget."""
        if RECORD not in formula.scope:
            return formula
        return OfBudgets(what, formula, self.unit, noise).symbol

    def on_grid(self, bits: int) -> RowsNode:
        """The bounded rows in whole steps of a grid with `bits` bits from 0 to the bound."""
        return maps.Grid(self, bits)

    def weighted(self, weight: object) -> RowsNode:
        """Rows multiplied by the square root of `weight`, a public formula of the record's budget,
        so that X.T @ X is sum_i weight_i x_i x_i'. Apply it after all other maps, and to the labels
        alike.
        """
        factor = sqrt(weight)
        return self if factor == ONE else maps.WeightedRows(self, maps.Weight(factor))

    def normalized(self) -> RowsNode:
        """Rows divided by their 2-norm (a zero row becomes the first unit vector), so all norms are
        exactly 1.
        """
        return maps.Normalized(self)

    def clip(self, *ends: object, norm: object = None) -> RowsNode:
        """Rows projected onto the ball of radius `norm`, a public positive formula. Raises
        InvalidArgument for anything but a norm.
        """
        if ends or norm is None:
            way_out = "X.clip(norm=1) shortens rows; X.boxed(1) clips entries to [-1, 1]."
            raise InvalidArgument("norm", "given to X.clip by its name", ends or None, way_out)
        return maps.ClipNorm(self, norm)

    def boxed(self, bound: object) -> RowsNode:
        """Entries clipped to [-bound, bound], for a public positive formula."""
        return maps.Box(self, bound)

    def with_intercept(self, value: object = 1) -> RowsNode:
        """A constant column appended; the bound grows to sqrt(norm^2 + value^2)."""
        return maps.Intercept(self, value)

    def scaled(self, by: object) -> RowsNode:
        """Rows divided by `by`, a public number. An aggregate of the data is accepted here and
        refused by the verifier, which shows the path.
        """
        return maps.Scaled(self, by)

    def scaled_columns(self, *, by: object, minus: object | None = None) -> RowsNode:
        """Column j becomes (x_j - minus_j)/by_j, by lists of public numbers. Raises
        InvalidArgument.
        """
        return maps.ScaledColumns(self, by, *(() if minus is None else (minus,)))

    def between(self, lower: object, upper: object) -> RowsNode:
        """The intervals [lower_j, upper_j] of the columns mapped to [-1, 1], by lists of public
        numbers; values outside are clipped. Raises InvalidArgument.
        """
        return maps.between(self, lower, upper)

    def times(self, matrix: Node) -> RowsNode:
        """Rows multiplied by a matrix (d, d), released or public (`dp.graph.public_array(...)`).
        The result needs a clip. Raises InvalidArgument.
        """
        return maps.LinearMap(self, matrix)

    def divided(
        self, *, by: Node, lower: object, upper: object, minus: Node | None = None
    ) -> RowsNode:
        """Column j becomes (x_j - minus_j)/by_j, for released vectors `by` and `minus`; `by` is
        first clipped to the public range [lower, upper]. The result needs a clip.
        """
        return maps.DividedColumns(self, by, minus, lower, upper)


def public_size(rows: RowsNode) -> Expression:
    """The number of rows, if it is public. Raises InvalidArgument."""
    if rows.unit.relation.replaced:
        return rows.rows
    way_out = (
        "Release X.sum() and dp.count(X), and divide in dp.post; X.scaled_columns(by=[...], "
        "minus=[...]) standardises by public numbers."
    )
    private = Plain("private under add/remove")
    raise InvalidArgument("the number of rows", "public for a mean", private, way_out)


@attrs.frozen
class Transposed(Symbolic):
    """X.T, the left factor of a product."""

    rows: RowsNode

    def __matmul__(self, other: object) -> Any:
        if other is self.rows or (isinstance(other, RowsNode) and other == self.rows):
            return st.Gram(self.rows)
        if isinstance(other, ColumnNode):
            return st.Moment(self.rows, other)
        return self.refuse(Operation("multiplied", "X.T @ {}", (other,)))

    def refuse(self, operation: Operation) -> NoReturn:
        """Raises TouchesData."""
        from .ways_out import GENERAL, RESIDUALS

        way_out = f"{GENERAL['transpose']} {RESIDUALS}"
        title = f"the transpose of {self.rows.label}"
        raise TouchesData(f"{title} is declared data and cannot be {operation.done}. {way_out}")

    def unknown(self, name: str) -> str:
        """The error message for an unknown name."""
        from .ways_out import GENERAL

        title = f"the transpose of {self.rows.label}"
        return f"{title} has no {name!r}.{nearest(name, dir(self))} {GENERAL['transpose']}"


@attrs.frozen(cache_hash=True)
class RowSource(RowsNode):
    """The features as given: finite, otherwise unrestricted."""

    kind: ClassVar[str] = "rows"
    label = titled("{0.name}")
    name: str
    columns: Expression = attrs.field(metadata=reads(may=PUBLIC))
    unit: Unit
    grid: int | None = None
    draft: bool = False
    """Whether the std of a release stays a symbol, because its noise is not settled."""

    def occurs(self) -> Occurring:
        """Every finite row."""
        return Occurring(any_finite=True)
