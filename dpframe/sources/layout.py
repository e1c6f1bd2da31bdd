"""How a table is read: its columns, their order and their meaning, fixed before a row is read; and
names of columns that may be a record: the first one of a CSV file without a row of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from dpframe.errors import BadData, InvalidArgument, nearest
from dpframe.graph import Categorical, Numeric, Setting
from dpframe.graph.rows import Class

from .reading import Plain

MOST_NAMES = 30  # that an error lists
Schema = tuple[Numeric | Categorical, ...] | None
DERIVED = "is derived from what it protects; give budgets that are public."
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
        budget = budget_column(setting, header, budgets, label)
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
        return "y" if self.label is None else f"label column {self.label}"

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
    return _found("y", "one number a record", y, setting, header)


def budget_column(
    setting: Setting, header: Sequence[str] | None, budgets: Any, label: str | None
) -> str | None:
    """The column of X that holds the budgets; None where none does. Raises BadData.

    It is neither a feature of the codebook nor the column of the labels.
    """
    if not isinstance(budgets, str):
        return None
    name = _found("budgets", "an entry a record", budgets, setting, header)
    if any(part.name == name for part in setting.X.columns or ()):
        way_out = f"A budget that is also a feature {DERIVED}"
        raise BadData("budgets", "no column of the codebook", name, way_out)
    if name in (label, None if setting.y is None else setting.y.name):
        raise _label(name)
    return name


def check_no_labels(y: Any, budgets: Any) -> None:
    """Refuse labels that are given as budgets too. Raises BadData."""
    if budgets is not None and budgets is y:
        raise _label(Plain("the same"))


def _label(got: str) -> BadData:
    way_out = f"A budget that is also a label {DERIVED}"
    return BadData("budgets", "something else than the labels", got, way_out)


def _found(of: str, wanted: str, name: str, setting: Setting, header: Sequence[str] | None) -> str:
    """The name of a column, if it stands in the header. Raises BadData."""
    if header is None:
        raise BadData(of, wanted, Plain("a name"), "An array has no names of columns.")
    if name not in header:
        way_out = columns_said(setting.X.columns, header)
        raise BadData(of, "the name of a column", name, way_out)
    return name


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


# ------------------------------- Names that may be a record, of a file without a row of names
def is_name(text: str) -> bool:
    """Whether a text has a letter and is no number, as 1e5 and nan are."""
    try:
        float(text)
    except ValueError:
        return any(map(str.isalpha, text))
    return False


def columns_said(schema: Schema, header: Sequence[str]) -> str:
    """`X has age, town.`, without the names where they may be a record; a single one may be of a
    file that is not separated by commas.
    """
    if len(header) == 1:
        name = "" if headless(schema, header) else f", {header[0]!r}"
        return f"X has one column{name}. Is it separated by commas, with a row of names?"
    if not headless(schema, header):
        more = len(header) - MOST_NAMES
        return f"X has {', '.join(header[:MOST_NAMES])}{f' and {more} more' if more > 0 else ''}."
    undeclared = schema is not None and not any(part.name in header for part in schema)
    which = "none of the declared names" if undeclared else "numbers among their names"
    return f"X has {len(header)} columns, {which}. Does it have a header?"


def headless(schema: Schema, header: Sequence[str]) -> bool:
    """Whether the names may be a record: one is a number, or none is declared."""
    numbers = any(text.strip() and not is_name(text) for text in header)
    return numbers or not (schema is None or any(part.name in header for part in schema))
