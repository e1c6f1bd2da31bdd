"""How a table is read: its columns, their order and their meaning, fixed before a row is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from dpframe.errors import BadData, InvalidArgument, nearest
from dpframe.graph import Categorical, Numeric, Setting
from dpframe.graph.columns import Class

from .budgets import column_name
from .headers import Schema, columns_said, headless, is_name
from .reading import Plain

NAMED = "dp.Rows(columns=[...]) names the columns of its codebook."
NO_NAMES = (
    "If the first line of the file is a record, write a line of names before it, or give "
    "pandas.read_csv(path, header=None). dp.Rows(columns=[...]) declares columns whose names are "
    "numbers."
)
DROP = (
    'missing="drop" of dp.PrivateRegressor, dp.PrivateClassifier or dp.execute leaves those rows '
    "out of a fit, at no cost in privacy, but may bias it; a prediction needs every value."
)
FILL = (
    "The number of rows is public, so no row can be left out: before the fit, replace missing "
    "values by a public rule, or declare relation=dp.ADD_REMOVE."
)


@attrs.frozen
class Layout:
    """How every piece of a table is read; it holds no data.

    `names` are the columns of features, `header` all columns where names pick them and None where
    positions do, `label` the column of labels where it stands among them, `declared` whether there
    are labels, `drop` whether rows without numbers are left out and `public_count` whether the
    number of rows is public, so that none can be. `budget` is the column of budgets where it stands
    among them, `budget_kind` the kind of the budgets, None without any. `classes` are those of the
    labels, None where these are numbers.
    """

    schema: Schema
    names: tuple[str, ...]
    header: tuple[str, ...] | None
    label: str | None
    declared: bool
    drop: bool
    public_count: bool
    budget: str | None = None
    budget_kind: str | None = None
    classes: tuple[Class, ...] | None = None

    @classmethod
    def of(
        cls,
        setting: Setting,
        header: Sequence[str] | None,
        width: int,
        y: Any,
        budgets: Any = None,
        *,
        drop: bool,
    ) -> Layout:
        """The layout of a table with these columns, without the kind of its budgets; y is
        None, labels, or a name, and so are budgets. Raises BadData.

        Features are the codebook's columns by name, else all columns but those of the labels and
        the budgets.
        """
        public_count = setting.relation.replaced
        if drop and public_count:
            raise InvalidArgument("missing", f"'refuse' under {setting.relation}", "drop", FILL)
        schema = setting.X.columns
        label = label_column(setting, header, y)
        budget = column_name(setting, header, budgets, label)
        others = [name for name in (label, budget) if name is not None]
        names = _chosen(schema, header, width, others)
        if header is not None:
            _check_unique([*(names if schema else ()), *others], header, schema)
        elif width != len(names):
            wanted = f"a table of its codebook's {len(names)} columns"
            way_out = "A data frame is read by its columns' names."
            raise BadData("X", wanted, Plain(f"{width} columns"), way_out)
        if setting.X.d not in (None, len(names)):
            wanted = f"a table of {setting.X.d} columns of features, as dp.Rows(d={setting.X.d})"
            raise BadData("X", wanted, Plain(f"{len(names)} columns"))
        if not names:
            raise BadData("X", "a table with at least one column", Plain("none"))
        whole = None if header is None else tuple(header)
        classes = None if setting.y is None else setting.y.levels
        declared = setting.y is not None
        return cls(
            schema, names, whole, label, declared, drop, public_count, budget, classes=classes
        )

    def check_names(self, texts: Sequence[str], *, file: bool = False) -> None:
        """Refuse names that may be the first record of a CSV file: it would be printed as names,
        and missing among the rows. Raises BadData.

        `texts` are the names that are texts. Without a codebook each has a letter and is no number.
        The numbers 0, 1, ... of columns without names are accepted in a data frame, and in a `file`
        beside the named column of the labels or the budgets.
        """
        numbers = [text for text in texts if not is_name(text)]
        if self.schema is not None or not numbers:
            return
        others = [name for name in (self.label, self.budget) if name is not None]
        counted = numbers == [str(j) for j in range(len(numbers))]
        if not counted or (file and not any(map(is_name, others))):
            got = Plain("numbers or blanks in place of names")
            raise BadData("X", "a table whose columns have names", got, NO_NAMES)

    @property
    def parts(self) -> tuple[Numeric | Categorical | None, ...]:
        """The codebook's entry for every column, or None."""
        return self.schema or (None,) * len(self.names)

    @property
    def way_out(self) -> str:
        """What mends rows that are not finite."""
        return FILL if self.public_count else DROP

    @property
    def real(self) -> tuple[int, ...]:
        """The positions of the columns of numbers."""
        parts = enumerate(self.parts)
        return tuple(j for j, part in parts if not isinstance(part, Categorical))

    @property
    def mixed(self) -> bool:
        """Whether any column has levels."""
        return len(self.real) < len(self.names)

    @property
    def titles(self) -> tuple[str, ...]:
        """The columns as errors call them."""
        return tuple(f"column {name} of X" for name in self.names)

    @property
    def label_title(self) -> str:
        """The labels as errors call them."""
        return "y" if self.label is None else f"column {self.label} of X"

    @property
    def budget_title(self) -> str:
        """The budgets as errors call them."""
        return "budgets" if self.budget is None else f"column {self.budget} of X"

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read, features before labels before budgets."""
        own = () if self.label is None or self.label in self.names else (self.label,)
        return (*self.names, *own, *(() if self.budget is None else (self.budget,)))

    def places(self, header: Sequence[str]) -> list[int]:
        """Where the columns of features stand in this header. Raises BadData."""
        if self.schema is not None:
            return [self.place(name, header) for name in self.names]
        if tuple(header) != self.header:
            own = self.header or ()
            named = "those of the first" if headless(None, own) else ", ".join(own)
            wanted = f"a table with the columns {named}, in this order"
            got = Plain(_difference(self.header or (), header))
            raise BadData("X", wanted, got, NAMED)
        return [j for j, name in enumerate(header) if name not in (self.label, self.budget)]

    def place(self, name: str, header: Sequence[str]) -> int:
        """Where the one column of that name stands. Raises BadData."""
        _check_unique([name], header, self.schema)
        return list(header).index(name)


def label_column(setting: Setting, header: Sequence[str] | None, y: Any) -> str | None:
    """The column of X that holds the labels; None where y does or none are declared.

    Raises BadData.
    """
    if isinstance(y, str):
        return _named(setting, header, y)
    if y is not None or setting.y is None or header is None:
        return None
    name = setting.y.name
    if name not in header:
        way_out = f'Or a column {name!r} in X, or y="the name of the column".'
        raise BadData("y", "given", None, f"The certificate declares labels. {way_out}")
    return name


def _named(setting: Setting, header: Sequence[str] | None, y: str) -> str:
    if setting.y is None:
        raise BadData("y", "left out", Plain("labels"), "The certificate declares none.")
    if header is None:
        got = Plain("a name")
        raise BadData("y", "one number a record", got, "An array has no names of columns.")
    if y not in header:
        raise BadData("y", "the name of a column", y, columns_said(setting.X.columns, header))
    return y


def _chosen(
    schema: Schema, header: Sequence[str] | None, width: int, others: Sequence[str]
) -> tuple[str, ...]:
    if schema is not None:
        return tuple(part.name for part in schema)
    if header is None:
        return tuple(str(j) for j in range(width))
    return tuple(name for name in header if name not in others)


def _check_unique(
    names: Sequence[str], header: Sequence[str], schema: Schema | None = None
) -> None:
    """Each name must stand in the header once. Raises BadData."""
    counts = {name: list(header).count(name) for name in names}
    wrong = next((name for name, count in counts.items() if count != 1), None)
    if wrong is not None:
        got = Plain(f"{counts[wrong]} of that name")
        way_out = NAMED
        if not counts[wrong]:
            meant = "" if headless(schema, header) else nearest(wrong, header)
            way_out = f"{meant} {columns_said(schema, header)}".lstrip()
        raise BadData("X", f"a table with one column {wrong!r}", got, way_out)


def _difference(wanted: Sequence[str], given: Sequence[str]) -> str:
    """How a later header differs, in a few words."""
    absent = [name for name in wanted if name not in given]
    left_sum = [name for name in given if name not in wanted]
    if absent:
        return f"no column {absent[0]!r}"
    if left_sum and headless(None, given):
        return "numbers among them"
    return f"a column {left_sum[0]!r}" if left_sum else "another order or number of them"
