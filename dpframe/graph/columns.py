"""Labels: one bounded number a record."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.guarantees import Unit
from dpframe.symbols import Expression, Number, Symbol, exact, maximum, to_json

from .node import DataNode, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero


class Column(DataNode):
    """Abstract: the labels, one number a record."""

    __slots__ = ()

    @property
    @abstractmethod
    def bound(self) -> Expression | None:
        """An upper bound on every |y|; None where nothing bounds it."""

    @property
    def radius(self) -> Expression:
        """Y, the bound on every |y|. Raises InvalidArgument where nothing bounds it."""
        if self.bound is None:
            raise InvalidArgument("labels", "bounded", self.label, "y.clip(-Y, Y) bounds them.")
        return self.bound

    @property
    def ball(self) -> bool:
        """Whether every label in [-bound, bound] may occur."""
        return False

    @abstractmethod
    def apply(self, block: Array, number: Numbers) -> Array:
        """Map a block of the input's labels, shape (m,), to this node's. Never changes `block`."""

    @property
    def grid(self) -> int | None:
        """Bits of the grid that its table asks for, None for none."""
        return None

    @property
    def T(self) -> Column:  # noqa: N802 - the name numpy gives it
        """A column is its own transpose, as in numpy."""
        return self

    def __matmul__(self, other: object) -> Any:
        from .rows import Rows
        from .statistics import Moment, Squares

        if isinstance(other, Rows):
            return Moment(other, self)
        if isinstance(other, Column) and other == self:
            return Squares(self)
        return self.refuse(
            f"multiplied by {type(other).__name__}; y @ y and X.T @ y are statistics"
        )

    def clip(self, lower: object, upper: object) -> Column:
        """Every label clipped into the public interval [lower, upper]."""
        return ClipColumn(self, lower, upper)

    def scaled(self, by: object, minus: object = 0) -> Column:
        """Every label minus `minus`, divided by `by`: numbers that are public or released
        (dp.known). Clip what it gives.
        """
        from .scaled_labels import ScaledLabels

        return ScaledLabels(self, by, minus)


@attrs.frozen(cache_hash=True)
class ColumnSource(Column):
    """The labels as they are given: finite numbers, nothing else known."""

    kind: ClassVar[str] = "column"
    name: str
    unit: Unit
    grid: int | None = None
    inputs: tuple[Node, ...] = attrs.field(default=(), init=False)
    bound: None = attrs.field(default=None, init=False)

    @property
    def label(self) -> str:
        """The name."""
        return self.name

    def record(self) -> dict[str, object]:
        """The name."""
        return {"name": self.name}

    def apply(self, block: Array, number: Numbers) -> Array:
        """The block itself."""
        del number
        return block


def check_ends(name: str, lower: Fraction, upper: Fraction) -> None:
    """Refuse bounds between which no double is finite and positive. Raises InvalidArgument."""
    if lower >= upper or not 0 < to_float(upper) - to_float(lower) < math.inf:
        found = (str(lower), str(upper))
        raise InvalidArgument(f"bounds of {name}", "increasing", found, "Give lower < upper.")


def to_float(value: Fraction) -> float:
    """The nearest double, infinite beyond all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_interval(lower: Expression, upper: Expression) -> None:
    """Refuse ends that are not increasing numbers, or not -Y and Y for a positive parameter Y."""
    if isinstance(lower, Number) and isinstance(upper, Number):
        check_ends("y", lower.value, upper.value)
    elif (
        lower != -upper
        or not isinstance(upper, Symbol)
        or not (upper.domain.positive or upper.origin is not None)
    ):
        raise InvalidArgument(
            "bounds of y",
            "two numbers, or bound=Y with a positive public parameter Y",
            (str(lower), str(upper)),
            "",
        )


class ColumnMap(Column):
    """Abstract: a map of each label of another Column."""

    __slots__ = ()
    source: Column

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels that are mapped."""
        return (self.source,)

    @property
    def grid(self) -> int | None:
        """The table's."""
        return self.source.grid

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.source.unit


@attrs.frozen(cache_hash=True)
class ClipColumn(ColumnMap):
    """Each label clipped into [lower, upper]."""

    kind: ClassVar[str] = "clip_column"
    source: Column
    lower: Expression = attrs.field(converter=exact)
    upper: Expression = attrs.field(converter=exact)

    def __attrs_post_init__(self) -> None:
        """The interval must have points."""
        check_interval(self.lower, self.upper)

    @property
    def bound(self) -> Expression:
        """max(|lower|, |upper|), as max(-lower, upper): the interval has points, so one of them is
        not negative.
        """
        return maximum(-self.lower, self.upper)

    @property
    def ball(self) -> bool:
        """Whether the interval is symmetric and the source unrestricted."""
        return self.upper == -self.lower and isinstance(self.source, ColumnSource)

    @property
    def label(self) -> str:
        """`clip to [-1, 1]`."""
        return f"clip to [{self.lower}, {self.upper}]"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The ends."""
        return {"lower": self.lower, "upper": self.upper}

    def record(self) -> dict[str, object]:
        """The ends."""
        return {"lower": to_json(self.lower), "upper": to_json(self.upper)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip."""
        import numpy as np

        return np.clip(block, number(self.lower), number(self.upper))


@attrs.frozen(cache_hash=True)
class ToUnitInterval(ColumnMap):
    """A label in [lower, upper] mapped onto [-1, 1] by public affine scaling, clipped."""

    kind: ClassVar[str] = "unit_interval"
    source: Column
    lower: Expression = attrs.field(converter=exact)
    upper: Expression = attrs.field(converter=exact)
    bound: Expression = attrs.field(default=exact(1), init=False)

    def __attrs_post_init__(self) -> None:
        """The interval must have points."""
        check_interval(self.lower, self.upper)

    @property
    def ball(self) -> bool:
        """Every label of [-1, 1] may occur when the source is unrestricted."""
        return isinstance(self.source, ColumnSource)

    @property
    def label(self) -> str:
        """`[1, 5] onto [-1, 1]`."""
        return f"[{self.lower}, {self.upper}] onto [-1, 1]"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The ends."""
        return {"lower": self.lower, "upper": self.upper}

    def record(self) -> dict[str, object]:
        """The ends."""
        return {"lower": to_json(self.lower), "upper": to_json(self.upper)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip, then map."""
        import numpy as np

        low, high = number(self.lower), number(self.upper)
        share: Array = (np.clip(block, low, high) - low) / (high - low)
        scaled: Array = np.clip(2 * share - 1, -1.0, 1.0)
        return scaled
