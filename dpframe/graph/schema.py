"""The public description of a table: what its codebook says, before anyone looks at a row."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, of_kind
from dpframe.guarantees import Relation, Unit
from dpframe.symbols import Expression, Number, exact, rational, sqrt

from .classes import Class, classes_of, compared
from .columns import Column as ColumnNode
from .columns import ColumnSource
from .interval import check_ends
from .maps.base import RowMap
from .maps.boxes import Box
from .maps.clip import ClipNorm
from .maps.grid import BITS, bits_of_grid
from .maps.intercept import Intercept
from .maps.labels import ClipColumn, ToUnitInterval
from .positive import positive
from .rows import COLUMNS, ONE, RowSource
from .rows import Rows as RowsNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rows import Numbers

    Array = NDArray[Any]


def _increasing(instance: Numeric, attribute: object, value: Fraction) -> None:
    del attribute
    check_ends(instance.name, instance.lower, value)


@attrs.frozen(cache_hash=True)
class Numeric:
    """A numeric column with the public bounds of its codebook; values outside are clipped onto
    them.
    """

    name: str = attrs.field(validator=of_kind(str))
    lower: Fraction = attrs.field(converter=rational)
    upper: Fraction = attrs.field(converter=rational, validator=_increasing)
    unit: str = ""

    @property
    def width(self) -> int:
        """One column."""
        return 1

    def encode(self, values: Array) -> Array:
        """[lower, upper] onto [-1, 1], shape (m, 1)."""
        import numpy as np

        low, high = float(self.lower), float(self.upper)
        share = (np.clip(values.astype(float), low, high) - low) / (high - low)
        encoded: Array = np.clip(2 * share - 1, -1.0, 1.0)[:, None]
        return encoded

    def record(self) -> list[object]:
        """Name and bounds."""
        return [self.name, str(self.lower), str(self.upper)]


def _levels(values: Iterable[Any]) -> tuple[Any, ...]:
    levels = tuple(value.item() if hasattr(value, "item") else value for value in values)
    if not all(isinstance(level, (str, int, float, bool)) for level in levels):
        raise InvalidArgument("levels", "text, numbers or truth values", levels, "")
    return levels


@attrs.frozen(cache_hash=True)
class Categorical:
    """A column with a public list of levels, one indicator column each; any other value becomes all
    zeros.
    """

    name: str = attrs.field(validator=of_kind(str))
    levels: tuple[Any, ...] = attrs.field(converter=_levels)

    def __attrs_post_init__(self) -> None:
        """At least one level, each once: cells are compared with texts as texts, with numbers and
        truth values as doubles.
        """
        keys = {compared(level) for level in self.levels}
        if not self.levels or len(keys) != len(self.levels) or None in keys:
            wanted = "at least one, each once, numbers finite and different as doubles"
            raise InvalidArgument(f"levels of {self.name}", wanted, self.levels, "")

    @property
    def width(self) -> int:
        """One column a level."""
        return len(self.levels)

    def encode(self, codes: Array) -> Array:
        """Indicators, shape (m, levels), of positions of levels; of no level, zeros."""
        import numpy as np

        indicators, known = np.zeros((len(codes), len(self.levels))), codes >= 0
        indicators[np.flatnonzero(known), codes[known].astype(np.intp)] = 1.0
        return indicators

    def record(self) -> list[object]:
        """Name and levels."""
        return [self.name, [repr(level) for level in self.levels]]


@attrs.frozen(cache_hash=True)
class Encoded(RowMap):
    """Numeric columns onto [-1, 1], categories as indicators: |x|^2 is at most the number of source
    columns.
    """

    kind: ClassVar[str] = "encode"
    source: RowsNode
    schema: tuple[Numeric | Categorical, ...]

    @property
    def columns(self) -> Expression:
        """One a numeric column, one a level."""
        return exact(sum(part.width for part in self.schema))

    @property
    def norm(self) -> Expression:
        """sqrt(number of source columns): each contributes at most 1 to |x|^2."""
        return sqrt(len(self.schema))

    @property
    def norm1(self) -> Expression:
        """The number of source columns."""
        return exact(len(self.schema))

    @property
    def extreme(self) -> bool:
        """A row with every numeric column at its bound and a level in every category."""
        return True

    @property
    def label(self) -> str:
        """`scale by the codebook`."""
        return "scale by the codebook"

    def record(self) -> dict[str, object]:
        """Every column's name with its bounds or levels."""
        return {"schema": [part.record() for part in self.schema]}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Encode column by column."""
        import numpy as np

        del number
        return np.column_stack([part.encode(block[:, j]) for j, part in enumerate(self.schema)])


def _schema(value: object) -> tuple[Numeric | Categorical, ...] | None:
    if value is None:
        return None
    if (
        isinstance(value, (list, tuple))
        and value
        and all(isinstance(part, (Numeric, Categorical)) for part in value)
    ):
        return tuple(value)
    raise InvalidArgument(
        "columns",
        "a list of dp.Numeric and dp.Categorical",
        value,
        "Take the bounds from the codebook, never from the data.",
    )


def _side(value: object) -> Expression:
    return positive(value, "box")


@attrs.frozen(cache_hash=True, kw_only=True)
class Rows:
    """Features: rows projected onto the ball of radius `norm`; or into the box of entries in [-box,
    box]; or `columns` by a codebook; perhaps several; perhaps an intercept.

    `norm` and `box` are public positive numbers or parameters. Raises InvalidArgument.
    """

    norm: Expression | None = attrs.field(
        default=None, converter=attrs.converters.optional(positive)
    )
    box: Expression | None = attrs.field(default=None, converter=attrs.converters.optional(_side))
    columns: tuple[Numeric | Categorical, ...] | None = attrs.field(default=None, converter=_schema)
    intercept: bool = attrs.field(default=False, validator=of_kind(bool))

    def __attrs_post_init__(self) -> None:
        """Something must bound the rows."""
        if self.norm is None and self.box is None and self.columns is None:
            raise InvalidArgument(
                "X",
                "bounded: Rows(norm=...), Rows(box=...) or Rows(columns=[...])",
                "Rows()",
                "Take the bounds from the codebook, never from the data.",
            )

    def node(self, unit: Unit, grid: int | None = None) -> RowsNode:
        """The rows as a graph: source, encoding, clipping, projection, intercept."""
        width = COLUMNS if self.columns is None else Number(Fraction(len(self.columns)))
        rows: RowsNode = RowSource("X", width, unit, grid)
        if self.columns is not None:
            rows = Encoded(rows, self.columns)
        if self.box is not None:
            rows = Box(rows, self.box)
        if self.norm is not None:
            rows = ClipNorm(rows, self.norm)
        return Intercept(rows, 1) if self.intercept else rows


def _bound(value: object) -> Expression:
    return positive(value, "bound")


def _lower(value: object) -> Fraction:
    return rational(value, "lower")


def _upper(value: object) -> Fraction:
    return rational(value, "upper")


@attrs.frozen(cache_hash=True)
class Column:
    """Labels: clipped to [-bound, bound]; or, given lower and upper, clipped and mapped onto [-1,
    1]; or two `levels`, a public list of classes, as -1 and 1, of which any other label is missing.
    Raises InvalidArgument.
    """

    name: str = attrs.field(default="y", validator=of_kind(str))
    bound: Expression | None = attrs.field(
        default=None, kw_only=True, converter=attrs.converters.optional(_bound)
    )
    lower: Fraction | None = attrs.field(
        default=None, kw_only=True, converter=attrs.converters.optional(_lower)
    )
    upper: Fraction | None = attrs.field(
        default=None, kw_only=True, converter=attrs.converters.optional(_upper)
    )

    levels: tuple[Class, ...] | None = attrs.field(
        default=None, kw_only=True, converter=classes_of
    )

    def __attrs_post_init__(self) -> None:
        """One way to bound them, not two."""
        if self.levels is not None:
            self._code()
        ends = (self.lower is not None, self.upper is not None)
        if (self.bound is not None) == all(ends) or any(ends) != all(ends):
            raise InvalidArgument(
                "y", "bounded once: Column(bound=...) or Column(lower=..., upper=...)", self, ""
            )
        if self.lower is not None and self.upper is not None:
            check_ends("y", self.lower, self.upper)

    def _code(self) -> None:
        """The first class is read as 0, the second as 1."""
        for name, code in (("lower", Fraction(0)), ("upper", Fraction(1))):
            if getattr(self, name) not in (None, code) or self.bound is not None:
                way_out = "Leave bound, lower and upper out."
                raise InvalidArgument("y", "bounded by its levels alone", self.levels, way_out)
            object.__setattr__(self, name, code)

    def node(self, unit: Unit, grid: int | None = None) -> ColumnNode:
        """The labels as a graph."""
        source = ColumnSource("y", unit, grid)
        if self.bound is not None:
            return ClipColumn(source, -self.bound, self.bound)
        return ToUnitInterval(source, exact(self.lower), exact(self.upper))


def _rows_per_person(value: object) -> Expression:
    return exact(value, "rows_per_person")


@attrs.frozen(cache_hash=True, kw_only=True)
class Setting:
    """What is public about the table, who is a neighbour, and what one unit of privacy is.

    `relation` is always written by the caller: dp.ADD_REMOVE or dp.REPLACE_ONE. At most
    `rows_per_person` rows belong to one person. Statistics are computed exactly, on a public grid
    of `grid` bits, 4 to 24; `grid=None` leaves them to floating point, which the certificate then
    lists as assumed.
    """

    X: Rows = attrs.field(validator=of_kind(Rows))
    y: Column | None = attrs.field(
        default=None, validator=attrs.validators.optional(of_kind(Column))
    )
    relation: Relation
    rows_per_person: Expression = attrs.field(default=ONE, converter=_rows_per_person)
    grid: int | None = attrs.field(default=BITS, converter=bits_of_grid)

    @property
    def unit(self) -> Unit:
        """The unit of privacy."""
        return Unit(self.relation, self.rows_per_person)

    def nodes(self) -> tuple[RowsNode, ColumnNode | None]:
        """X and y as declared data."""
        y = None if self.y is None else self.y.node(self.unit, self.grid)
        return self.X.node(self.unit, self.grid), y
