"""The public description of a table: bounds, levels and neighbouring relation, fixed before any row
is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod
from pathlib import Path
from typing import Any, cast

import attrs
from attrs.converters import optional

from dpframe.documents import check_place
from dpframe.errors import InvalidArgument, Plain, nearest, of_kind
from dpframe.numbers import whole
from dpframe.privacy import Relation, Unit
from dpframe.symbols import ONE, Expression, Number, exact, rational

from .maps.bounds import (
    Box,
    ClipColumn,
    ClipNorm,
    Encoded,
    Intercept,
    ToUnitInterval,
    identified,
    onto_unit_interval,
)
from .maps.grid import BITS, bits_of_grid
from .node import Array, check_ends, np, positive
from .rows import (
    COLUMNS,
    Class,
    ColumnNode,
    ColumnSource,
    RowsNode,
    RowSource,
    classes_of,
    compared,
    is_level,
    listed,
    plain,
)

UNKNOWN = ("missing", "zeros")
LONG = "Write long numbers, such as those of accounts, as texts, in the table too."


def _lower(value: object) -> Fraction:
    return rational(value, "lower")


def _upper(value: object) -> Fraction:
    return rational(value, "upper")


def _as_written(value: Any) -> str:
    """The call that constructs it, without default arguments: `Numeric('age', 18, 64)`."""
    parts = []
    for field in attrs.fields(type(value)):
        held, default = getattr(value, field.name), field.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = default.factory(value)
        if default is attrs.NOTHING and not field.kw_only:
            parts.append(_plainly(held))
        elif held != default:
            parts.append(f"{field.name}={_plainly(held)}")
    return f"{type(value).__name__}({', '.join(parts)})"


def _plainly(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plainly, value))}]"
    if isinstance(value, Relation):
        return value.name
    return str(value) if isinstance(value, (Fraction, Expression)) else repr(value)


@attrs.frozen(cache_hash=True, repr=False)
class Numeric:
    """A numeric column with public bounds from its codebook, to which values are clipped."""

    name: str = attrs.field(validator=of_kind(str))
    lower: Fraction = attrs.field(converter=_lower)
    upper: Fraction = attrs.field(converter=_upper)
    unit: str = attrs.field(default="", validator=of_kind(str))

    __repr__ = _as_written

    def __attrs_post_init__(self) -> None:
        """Check that the bounds increase."""
        check_ends(self.name, self.lower, self.upper)

    @property
    def width(self) -> int:
        """One column."""
        return 1

    def encode(self, values: Array) -> Array:
        """[lower, upper] mapped to [-1, 1] for numbers (m,), shape (m, 1)."""
        ends = float(self.lower), float(self.upper)
        return onto_unit_interval(values.astype(float), *ends)[:, None]

    columns = encode

    def record(self) -> list[object]:
        """Name and bounds."""
        return [self.name, str(self.lower), str(self.upper)]


def _levels(values: Iterable[Any]) -> tuple[Any, ...]:
    levels = listed(values, "levels", "a list", 'levels=["no", "yes"] has the baseline first.')
    return tuple(map(_level, levels))


def _level(value: Any) -> Any:
    level = plain(value)
    if not is_level(level):
        way_out = "Write dates and other values as texts, in the table too."
        raise InvalidArgument("levels", "texts, numbers or truth values", level, way_out)
    return level


def _first(part: Categorical) -> Any:
    return part.levels[0] if part.levels else None


@attrs.frozen(cache_hash=True, repr=False)
class Categorical:
    """A column with a public list of levels.

    Any other value is missing: it is refused, or its row is dropped with `missing="drop"`; with
    `unknown="zeros"` it is coded as the mean of all levels. Coefficients are differences from
    `baseline`, by default the first level. The coding does not depend on the baseline: k levels are
    the corners of a regular simplex in k - 1 columns, each of norm 1 (scaled Helmert coding), so
    that two levels are -1 and 1 and zeros are the mean.

    With `baseline=None` each level has an indicator column and a coefficient of its own. These
    columns sum to 1, so the model must have neither an intercept nor a second such column. Raises
    InvalidArgument.
    """

    name: str = attrs.field(validator=of_kind(str))
    levels: tuple[Any, ...] = attrs.field(converter=_levels)
    baseline: Any = attrs.field(
        default=attrs.Factory(_first, takes_self=True), converter=optional(_level)
    )
    unknown: str = attrs.field(default="missing", kw_only=True)

    __repr__ = _as_written

    def __attrs_post_init__(self) -> None:
        """Check that there is at least one level, and that levels are distinct: texts compare as
        texts, numbers and truth values as doubles.
        """
        if self.unknown not in UNKNOWN:
            wanted = " or ".join(map(repr, UNKNOWN))
            raise InvalidArgument(f"unknown of {self.name}", wanted, self.unknown)
        keys = {compared(level) for level in self.levels}
        if not self.levels or len(keys) != len(self.levels) or None in keys:
            wanted = "at least one, each once, numbers below 2^53 and different as doubles"
            twice = [level for level in self.levels if self.levels.count(level) > 1]
            way_out = f"{twice[0]!r} stands twice." if twice else LONG
            raise InvalidArgument(f"levels of {self.name}", wanted, self.levels, way_out)
        if self.baseline is None:
            return
        if len(self.levels) == 1:
            way_out = "A column of one level says nothing: leave it out, or give baseline=None."
            wanted = "two or more where one is the baseline"
            raise InvalidArgument(f"levels of {self.name}", wanted, self.levels, way_out)
        if self.baseline not in self.levels:
            wanted = "one of the levels, or None for an indicator of each"
            raise InvalidArgument(f"baseline of {self.name}", wanted, self.baseline, "")

    @property
    def width(self) -> int:
        """One column fewer than levels; one per level without a baseline."""
        return len(self.levels) - (self.baseline is not None)

    @property
    def coding(self) -> Array:
        """The code of each level, shape (levels, width). No row has a norm above 1."""
        return self.columns(range(len(self.levels)))

    def encode(self, values: Sequence[object] | Array) -> Array:
        """The codes of cells of any type, shape (m, width); zeros where a cell is no level."""
        from .cells import Levels

        return self.columns(Levels.of(self.levels).of_cells(list(values)))

    def columns(self, codes: Array | Sequence[int]) -> Array:
        """The codes for positions of levels (m,), -1 where a value is no level: (m, width)."""
        places = np.asarray(codes).astype(np.intp)
        rows = np.zeros((len(places), self.width))
        known = (places >= 0) & (places < len(self.levels))
        if self.baseline is None:
            rows[known, places[known]] = 1.0
        else:
            rows[known] = simplex(len(self.levels))[places[known]]
        return rows

    def record(self) -> list[object]:
        """Name, levels, and the coding if it is not by indicators."""
        coding = [] if self.baseline is None else ["simplex"]
        return [self.name, [repr(level) for level in self.levels], *coding]


@lru_cache(maxsize=32)
def simplex(levels: int) -> Array:
    """Corners of a regular simplex of radius 1 around 0, shape (levels, levels - 1). Column i is
    -a_i for the levels before i and i a_i for level i, a_i^2 = k/((k - 1) i (i + 1)), so that the
    rows have norm 1, sum to 0, and are equally far apart. Entries are rounded towards zero, so that
    no stored row has a norm above 1.
    """
    k, corners = levels, np.zeros((levels, levels - 1))
    for i in range(1, k):
        square = Fraction(k, (k - 1) * i * (i + 1))
        corners[:i, i - 1], corners[i, i - 1] = -_root(square), _root(square * i**2)
    corners.flags.writeable = False
    return corners


def _root(square: Fraction) -> float:
    """The square root of a number in [0, 1], rounded down to 2^-50."""
    return isqrt(square.numerator * 4**50 // square.denominator) / 2**50


def all_levels(schema: Iterable[Numeric | Categorical]) -> tuple[str, ...]:
    """Names of categories without a baseline."""
    return tuple(
        part.name for part in schema if isinstance(part, Categorical) and part.baseline is None
    )


def _check_once(schema: Sequence[Numeric | Categorical]) -> None:
    """Raises InvalidArgument if a column of the table occurs twice, which makes it collinear."""
    earlier = set()
    for part in schema:
        ends = (part.lower, part.upper) if isinstance(part, Numeric) else ()
        if (part.name, ends) in earlier:
            way_out = "Twice the same column is collinear; leave one out."
            raise InvalidArgument("columns", "each named once", part.name, way_out)
        earlier.add((part.name, ends))


def schema_of(value: object) -> tuple[Numeric | Categorical, ...] | None:
    """The columns of a codebook, or None. Raises InvalidArgument."""
    if value is None:
        return None
    book = value if isinstance(value, (list, tuple)) else ()
    if book and all(isinstance(part, (Numeric, Categorical)) for part in book):
        _check_once(book)
        return tuple(book)
    way_out = "Take the bounds from the codebook, never from the data."
    others = [one for one in book if not isinstance(one, (Numeric, Categorical))]
    got = Plain(f"one with a {type(others[0]).__name__}") if others else value
    raise InvalidArgument("columns", "a list of dp.Numeric and dp.Categorical", got, way_out)


def _terms(value: object) -> tuple[tuple[str, ...], ...] | None:
    if value is None:
        return None
    from .formulas import terms_of

    return terms_of(value)


def _side(value: object) -> Expression:
    return positive(value, "box")


def _number_of_columns(value: object) -> int | None:
    return None if value is None else whole("d", value, 1)


@attrs.frozen(cache_hash=True, kw_only=True, repr=False)
class Rows:
    """The features: rows projected onto the ball of radius `norm`; or clipped to the box [-box,
    box]^d; or `columns` of a codebook. These may be combined, and an intercept added.

    `norm` and `box` are public positive numbers or parameters. `terms` lists the columns of the
    codebook that enter, alone or multiplied: `["age", ("bmi", "smoker")]`; by default each alone.
    `d` is the public number of columns where there is no codebook; left out, the statement is for
    every d. Raises InvalidArgument.
    """

    norm: Expression | None = attrs.field(default=None, converter=optional(positive))
    box: Expression | None = attrs.field(default=None, converter=optional(_side))
    columns: tuple[Numeric | Categorical, ...] | None = attrs.field(
        default=None, converter=schema_of
    )
    terms: tuple[tuple[str, ...], ...] | None = attrs.field(default=None, converter=_terms)
    intercept: bool = attrs.field(default=False, validator=of_kind(bool))
    d: int | None = attrs.field(default=None, converter=_number_of_columns)

    __repr__ = _as_written

    def __attrs_post_init__(self) -> None:
        """Check that the rows are bounded."""
        if self.d is not None and self.columns is not None:
            way_out = "The codebook has the number of columns."
            raise InvalidArgument("d", "left out with columns", self.d, way_out)
        if self.norm is None and self.box is None and self.columns is None:
            wanted = "bounded: dp.Rows(norm=...), dp.Rows(box=...) or dp.Rows(columns=[...])"
            way_out = "Take the bounds from the codebook, never from the data."
            raise InvalidArgument("X", wanted, Plain("Rows()"), way_out)
        identified(all_levels(self.columns or ()), intercept=self.intercept)
        if self.terms is not None:
            from .formulas import check_repeated, check_terms

            check_terms(self.terms, self.names)
            check_repeated(self.terms, all_levels(self.columns or ()))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the codebook."""
        return tuple(part.name for part in self.columns or ())

    @property
    def parts(self) -> tuple[tuple[Numeric | Categorical, ...], ...]:
        """The columns of each term, a tuple per term."""
        named = dict(zip(self.names, self.columns or (), strict=True))
        if self.terms is None:
            return tuple((part,) for part in self.columns or ())
        return tuple(tuple(named[name] for name in term) for term in self.terms)

    @property
    def _places(self) -> tuple[tuple[int, ...], ...] | None:
        if self.terms is None:
            return None
        return tuple(tuple(self.names.index(name) for name in term) for term in self.terms)

    @property
    def width(self) -> int:
        """The number of coefficients of a codebook, with that of the intercept."""
        return sum(prod(part.width for part in term) for term in self.parts) + self.intercept

    def node(self, unit: Unit, grid: int | None = None) -> RowsNode:
        """The rows as a graph: source, encoding, clipping, projection, intercept."""
        many = self.d if self.columns is None else len(self.columns)
        width = COLUMNS if many is None else Number(Fraction(many))
        rows: RowsNode = RowSource("X", width, unit, grid)
        if self.columns is not None:
            rows = Encoded(rows, self.columns, self._places)
        if self.box is not None:
            rows = Box(rows, self.box)
        if self.norm is not None:
            rows = ClipNorm(rows, self.norm)
        return Intercept(rows, 1) if self.intercept else rows


def _bound(value: object) -> Expression:
    return positive(value, "bound")


@attrs.frozen(cache_hash=True, repr=False)
class Column:
    """The labels: clipped to [-bound, bound]; or, with lower and upper, clipped and mapped to [-1,
    1]; or, with two `levels`, a public list of classes, coded as -1 and 1 (any other label is
    missing). Raises InvalidArgument.
    """

    name: str = attrs.field(default="y", validator=of_kind(str))
    bound: Expression | None = attrs.field(default=None, kw_only=True, converter=optional(_bound))
    lower: Fraction | None = attrs.field(default=None, kw_only=True, converter=optional(_lower))
    upper: Fraction | None = attrs.field(default=None, kw_only=True, converter=optional(_upper))

    levels: tuple[Class, ...] | None = attrs.field(default=None, kw_only=True, converter=classes_of)

    __repr__ = _as_written

    def __attrs_post_init__(self) -> None:
        """Check that labels are bounded in at most one way."""
        if self.levels is not None:
            self._code()
        ends = (self.lower is not None, self.upper is not None)
        if (self.bound is not None) == all(ends) or any(ends) != all(ends):
            wanted = "bounded once: dp.Column(bound=...) or dp.Column(lower=..., upper=...)"
            way_out = "Take the bounds from the codebook, never from the data."
            raise InvalidArgument("y", wanted, self, way_out)
        if self.lower is not None and self.upper is not None:
            check_ends("y", self.lower, self.upper)

    def _code(self) -> None:
        """The first class is coded as 0, the second as 1."""
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


FEATURES = "Such as X=dp.Rows(norm=1): the public bounds of the features, and no data."


def _labels(_: Any, __: Any, value: Any) -> None:
    if value is not None and not isinstance(value, Column):
        way_out = "Such as y=dp.Column(bound=1): the public bounds of the labels, and no data."
        raise InvalidArgument("y", "a dp.Column, or None for no labels", value, way_out)


def _relation(_: Any, __: Any, value: Any) -> None:
    if not isinstance(value, Relation):
        names = [f"dp.{one.name}" for one in Relation]
        given = value.replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
        likely = nearest(f"dp.{given}", names) if given else ""
        way_out = f"It says who is a neighbour, and what n is.{likely}"
        raise InvalidArgument("relation", " or ".join(names), value, way_out)


@attrs.frozen(cache_hash=True, kw_only=True, repr=False)
class Setting:
    """The public description of a table: features, labels, neighbouring relation, and unit of
    privacy.

    `relation` is required: dp.ADD_REMOVE or dp.REPLACE_ONE. At most `rows_per_person` rows belong
    to one person. Statistics are computed exactly on a public grid of `grid` bits, 4 to 24;
    `grid=None` computes them in floating point, which the certificate lists as an assumption.
    """

    X: Rows = attrs.field(validator=of_kind(Rows, way_out=FEATURES))
    y: Column | None = attrs.field(default=None, validator=_labels)
    relation: Relation = attrs.field(default=cast("Any", None), validator=_relation)
    rows_per_person: Expression = attrs.field(default=ONE, converter=_rows_per_person)
    grid: int | None = attrs.field(default=BITS, converter=bits_of_grid)

    __repr__ = _as_written

    def __attrs_post_init__(self) -> None:
        """Check the unit of privacy: at least one row per person. Raises InvalidArgument."""
        _ = self.unit

    @classmethod
    def from_formula(
        cls, formula: str, columns: Iterable[Numeric | Categorical], **others: Any
    ) -> Setting:
        """The setting of a formula, as of R, patsy and formulaic, over a codebook that has its
        label too; `others` are `relation`, `rows_per_person` and `grid`. docs/formulas.

        Raises InvalidArgument, MissingExtra without formulaic.

        >>> from dpframe import ADD_REMOVE, Categorical, Numeric, Setting
        >>> book = [Numeric("charges", 0, 60000), Numeric("age", 18, 64), Numeric("bmi", 15, 55)]
        >>> book = [*book, Categorical("smoker", ["no", "yes"])]
        >>> formula = "charges ~ age + C(smoker) + bmi:C(smoker)"
        >>> setting = Setting.from_formula(formula, book, relation=ADD_REMOVE)
        >>> setting.X.terms, setting.X.intercept, setting.X.width
        ((('age',), ('smoker',), ('bmi',), ('bmi', 'smoker')), True, 5)
        """
        from .formulas import described

        X, y = described(formula, columns)
        return cls(X=X, y=y, **others)

    def save(self, path: str | Path) -> None:
        """Write the codebook as a JSON file, which `load` and `--schema` of the command line read.
        The relation and the rows per person are not in it. Raises InvalidArgument.
        """
        from .codebook import codebook_of

        check_place(path, "path")
        text = json.dumps(codebook_of(self), indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path, relation: Relation, **others: Any) -> Setting:
        """Read a codebook that `save` wrote; `relation` and `others`, such as `rows_per_person`,
        are not in the file. Raises InvalidArgument.
        """
        from .codebook import codebook_in

        rows, label = codebook_in(path)
        return cls(X=rows, y=label, relation=relation, **others)

    @property
    def unit(self) -> Unit:
        """The unit of privacy."""
        return Unit(self.relation, self.rows_per_person)

    def nodes(self) -> tuple[RowsNode, ColumnNode | None]:
        """X and y as declared data."""
        y = None if self.y is None else self.y.node(self.unit, self.grid)
        return self.X.node(self.unit, self.grid), y
