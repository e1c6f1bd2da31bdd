"""Features as rows, and the row maps: each maps one row to one row, reading public numbers only, so
neighbours stay neighbours.

Facts travel with the rows: a bound on the 2-norm and on the 1-norm of every row, the number of
columns, whether every row of the
ball may occur (`ball`) and whether every row has exactly the norm of the bound (`unit_norm`).
Non-finite values never get here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import attrs

from dpframe.errors import InvalidArgument
from dpframe.guarantees import Unit
from dpframe.symbols import (
    Expression,
    Number,
    Symbol,
    exact,
    minimum,
    parameter,
    power,
    sqrt,
    to_json,
)
from dpframe.symbols.domain import Domain

from .node import DataNode, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero

SIZE = Domain(Fraction(0), None, lower_closed=True, integer=True)
ONE = Number(Fraction(1))
COLUMNS = parameter("d", 1, closed="left", integer=True)


class Rows(DataNode):
    """Abstract: the features, one row a record."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> Expression:
        """The public number of columns."""

    @property
    @abstractmethod
    def norm(self) -> Expression | None:
        """An upper bound on every row's 2-norm; None where nothing bounds it."""

    @property
    def radius(self) -> Expression:
        """B, the bound on every row's 2-norm. Raises InvalidArgument where nothing bounds it."""
        if self.norm is None:
            raise InvalidArgument("rows", "bounded", self.label, "X.clip(norm=...) bounds them.")
        return self.norm

    @property
    def norm1(self) -> Expression | None:
        """An upper bound on every row's 1-norm, by Cauchy-Schwarz."""
        return None if self.norm is None else sqrt(self.columns) * self.norm

    @property
    def ball(self) -> bool:
        """Whether every row of the ball of radius `norm` may occur, in every dimension."""
        return False

    @property
    def extreme(self) -> bool:
        """Whether some possible row has 2-norm `norm`, whatever the other rows and its label."""
        return self.ball

    @property
    def unit_norm(self) -> bool:
        """Whether every row has 2-norm exactly `norm`."""
        return False

    @abstractmethod
    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """Map a block of the input's rows, shape (m, d), to this node's rows. Never changes
        `block`.

        `squares` are the rows' squared 2-norms, shape (m,), where the caller knows them already.
        """

    @property
    def T(self) -> Transposed:  # noqa: N802 - the name numpy gives it
        """The transpose, for X.T @ X and X.T @ y."""
        return Transposed(self)

    @property
    def rows(self) -> Expression:
        """The number of rows: private under add/remove, public under replace-one."""
        from .statistics import Count

        return Symbol("n", SIZE, Count(self.origin))

    @property
    def origin(self) -> Rows:
        """The rows as they are given, before any map."""
        return self

    def normalized(self) -> Rows:
        """Every row divided by its own 2-norm (a zero row becomes the first unit vector): norm
        exactly 1.
        """
        return Normalized(self)

    def clip(self, *, norm: object) -> Rows:
        """Every row projected onto the ball of radius `norm`, a public positive formula."""
        return ClipNorm(self, norm)

    def with_intercept(self, value: object = 1) -> Rows:
        """A constant column appended; the bound grows to sqrt(norm^2 + value^2)."""
        return Intercept(self, value)

    def scaled(self, by: object) -> Rows:
        """Every row divided by `by`: a public number - or an aggregate of the data, which the
        verifier refuses by its path.
        """
        return Scaled(self, by)


@attrs.frozen
class Transposed:
    """X.T, waiting for its right factor."""

    rows: Rows
    __array_ufunc__ = None

    def __matmul__(self, other: object) -> Any:
        from .columns import Column
        from .statistics import Gram, Moment

        if other == self.rows and isinstance(other, Rows):
            return Gram(self.rows)
        if isinstance(other, Column):
            return Moment(self.rows, other)
        return self.rows.refuse(
            f"multiplied by {type(other).__name__}; X.T @ X and X.T @ y are statistics"
        )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self.rows.refuse("turned into an array")


@attrs.frozen(cache_hash=True)
class RowSource(Rows):
    """The features as they are given: finite numbers, nothing else known."""

    kind: ClassVar[str] = "rows"
    name: str
    columns: Expression
    unit: Unit
    inputs: tuple[Node, ...] = attrs.field(default=(), init=False)
    norm: None = attrs.field(default=None, init=False)

    @property
    def label(self) -> str:
        """The name."""
        return self.name

    @property
    def formulas(self) -> dict[str, Expression]:
        """The number of columns."""
        return {"columns": self.columns}

    def record(self) -> dict[str, object]:
        """Name and number of columns."""
        return {"name": self.name, "columns": to_json(self.columns)}

    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """The block itself."""
        del number
        return block


class RowMap(Rows):
    """Abstract: a map of each row of another Rows."""

    __slots__ = ()
    source: Rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows that are mapped."""
        return (self.source,)

    @property
    def origin(self) -> Rows:
        """The source's."""
        return self.source.origin

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.source.unit

    @property
    def columns(self) -> Expression:
        """As many as before."""
        return self.source.columns


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula; a number must be positive, and a public parameter's range. The verifier
    judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        raise InvalidArgument(
            name,
            "positive",
            str(bound),
            "A bound is a public number, or dp.parameter(name) with a positive range.",
        )
    return bound


def _positive_by(value: object) -> Expression:
    return positive(value, "by")


def _positive_value(value: object) -> Expression:
    return positive(value, "value")


@attrs.frozen(cache_hash=True)
class ClipNorm(RowMap):
    """Each row projected onto the ball: x min(1, norm/|x|)."""

    kind: ClassVar[str] = "clip_norm"
    source: Rows
    norm: Expression = attrs.field(converter=positive)

    @property
    def ball(self) -> bool:
        """Every row of the ball may occur when the source is unrestricted."""
        return isinstance(self.source, RowSource)

    @property
    def norm1(self) -> Expression | None:
        """The smaller of sqrt(d) norm and what was known before (clipping shrinks every entry)."""
        before = self.source.norm1
        here = sqrt(self.columns) * self.norm
        return here if before is None else minimum(here, before)

    @property
    def extreme(self) -> bool:
        """Whether some row reaches the sphere: any, or one of a source that reaches beyond it."""
        before = self.source.norm
        room = None if before is None else power(before, 2) - power(self.norm, 2)
        beyond = isinstance(room, Number) and room.value >= 0
        return self.ball or (self.source.extreme and beyond)

    @property
    def label(self) -> str:
        """`clip to norm 1`."""
        return f"clip to norm {self.norm}"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The radius."""
        return {"norm": self.norm}

    @property
    def positive(self) -> tuple[str, ...]:
        """The radius."""
        return ("norm",)

    def record(self) -> dict[str, object]:
        """The radius."""
        return {"norm": to_json(self.norm)}

    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """Rows outside the ball are scaled onto it; the block itself when there are none."""
        from .clipping import project

        return project(block, number(self.norm), squares)


@attrs.frozen(cache_hash=True)
class Normalized(RowMap):
    """x/|x|, and the first unit vector for a zero row."""

    kind: ClassVar[str] = "normalize"
    source: Rows
    norm: Expression = attrs.field(default=Number(Fraction(1)), init=False)
    unit_norm: bool = attrs.field(default=True, init=False)

    @property
    def extreme(self) -> bool:
        """Every row has norm 1."""
        return True

    @property
    def label(self) -> str:
        """`x/|x|`."""
        return "x/|x|"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """Divide, after scaling by the largest entry so that nothing overflows."""
        del number
        from .clipping import normalize

        return normalize(block, squares)


@attrs.frozen(cache_hash=True)
class Intercept(RowMap):
    """A column of `value` after the others."""

    kind: ClassVar[str] = "intercept"
    source: Rows
    value: Expression = attrs.field(converter=_positive_value, default=ONE)

    @property
    def columns(self) -> Expression:
        """One more."""
        return self.source.columns + 1

    @property
    def norm(self) -> Expression | None:
        """sqrt(norm^2 + value^2)."""
        before = self.source.norm
        return None if before is None else sqrt(power(before, 2) + power(self.value, 2))

    @property
    def norm1(self) -> Expression | None:
        """One entry more."""
        before = self.source.norm1
        return None if before is None else before + self.value

    @property
    def extreme(self) -> bool:
        """As before: the constant is always there."""
        return self.source.extreme

    @property
    def label(self) -> str:
        """`append intercept`."""
        return "append intercept"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The constant."""
        return {"value": self.value}

    @property
    def positive(self) -> tuple[str, ...]:
        """The constant."""
        return ("value",)

    def record(self) -> dict[str, object]:
        """The constant."""
        return {"value": to_json(self.value)}

    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """Append the column."""
        import numpy as np

        return np.column_stack([block, np.full(len(block), number(self.value))])


@attrs.frozen(cache_hash=True)
class Scaled(RowMap):
    """Each row divided by one number."""

    kind: ClassVar[str] = "scale"
    source: Rows
    by: Expression = attrs.field(converter=_positive_by)

    @property
    def public(self) -> bool:
        """Whether the divisor is free of data."""
        return not any(symbol.origin is not None for symbol in self.by.symbols())

    @property
    def norm(self) -> Expression | None:
        """norm/by where the divisor is public; unknown otherwise, since one record then moves every
        row.
        """
        before = self.source.norm
        return before / self.by if before is not None and self.public else None

    @property
    def ball(self) -> bool:
        """As before."""
        return self.public and self.source.ball

    @property
    def extreme(self) -> bool:
        """As before."""
        return self.public and self.source.extreme

    @property
    def label(self) -> str:
        """`divide by 2`."""
        return f"divide by {self.by}"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The divisor."""
        return {"divisor": self.by}

    @property
    def positive(self) -> tuple[str, ...]:
        """The divisor."""
        return ("divisor",)

    def record(self) -> dict[str, object]:
        """The divisor."""
        return {"by": to_json(self.by)}

    def apply(self, block: Array, number: Numbers, squares: Array | None = None) -> Array:
        """Divide."""
        scaled: Array = block / number(self.by)
        return scaled
