"""What a document on an audit is made of: sections of sentences, tables and pictures, as values.

`text.py` sets them as text, `html/` as a page. A text keeps its parts (dpframe.wording), so that a
page sets formulas, code and citations. Long texts lose their middle; JSON has all of them. `brief`
is a block without its details, as short texts have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import attrs

from dpframe.prover import Constraint, Verdict
from dpframe.symbols import Expression, Number
from dpframe.wording import Formula, Text, say

from .figures import Side, clipped, figure, formula, short
from .lines import lower_end

Lines = tuple[str, ...]
DASH = "–"
WORDS = {"proved": "proved", "refuted": "refuted", "unproved": "not proved"}
CELL, LINE, PARAGRAPH = 160, 600, 4000  # characters


# ----------------------------------------------------------------------------- Formulas and numbers
class Typeset(Formula):
    """A formula that a page sets as mathematics, of a `name` to which it is equal, if any."""

    __slots__ = ("name", "of")
    of: Expression
    name: str

    def __new__(cls, of: Expression, name: str = "") -> Self:
        """The text that dpframe writes for it."""
        made = super().__new__(cls, f"{name} = {formula(of)}" if name else formula(of))
        made.of, made.name = of, name
        return made


def exact(value: Expression) -> Text:
    """A formula with letters as mathematics, one without as it is written."""
    return say("{}", Typeset(value) if value.symbols() else formula(value))


def amount(value: Expression, room: int = 24) -> Text:
    """A number in a few digits, a short formula as it is; `see below` where there is no room."""
    known = value.value if isinstance(value, Number) else lower_end(value)
    if known is None:
        return exact(value) if len(formula(value)) <= room else say("see below")
    return say("{}", short(known) if isinstance(value, Number) else figure(known))


def condition(found: Constraint, shown: Callable[[Expression], object] = Typeset) -> Text:
    """`epsilon/3 <= 4*log(2) (2.772)`, the number rounded down; formulas are `shown` as text where
    they may be copied.
    """
    value = None if isinstance(found.right, Number) else lower_end(found.right)
    number = "" if value is None else say(" ({})", figure(value, "down"))
    sign = Formula("<" if found.strict else "<=")
    return say("{} {} {}{}", shown(found.left), sign, shown(found.right), number)


def number(value: float | Fraction | None, side: Side = "near") -> Text | None:
    """A number, rounded to `side`, if there is one."""
    return None if value is None else say("{}", figure(value, side))


# ------------------------------------------------------------------------------ Blocks of a section
def _paragraph(text: str) -> str:
    return clipped(text, PARAGRAPH)


def _line(text: str) -> str:
    return clipped(text, LINE)


@attrs.frozen
class Say:
    """A paragraph: a `lead`, a `finding`, a `note`, or plain."""

    text: str = attrs.field(converter=_paragraph)
    style: str = ""
    detail: bool = False

    @property
    def brief(self) -> Say:
        """Nothing of a detail."""
        return Say("") if self.detail else self

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.text)


@attrs.frozen
class Badge:
    """A verdict, of a `part` of the values, or another word; None where nothing is claimed."""

    verdict: Verdict | None
    part: bool = False
    word: str = ""

    def __str__(self) -> str:
        """`not proved`, `proved in part`, `no claim`."""
        if self.verdict is None:
            return "no claim"
        return self.word or f"{WORDS[str(self.verdict)]}{' in part' * self.part}"


def _known(pairs: Iterable[tuple[str, str | Sequence[str]]]) -> tuple[tuple[str, Lines], ...]:
    several = ((term, [said] if isinstance(said, str) else said) for term, said in pairs)
    return tuple(
        (clipped(term, CELL), tuple(map(_line, said))) for term, said in several if any(said)
    )


@attrs.frozen
class Pairs:
    """Terms with what is said of each, in one or several lines; those without anything are left
    out. With a `title` they stand below it. `anchor`: links lead to this and the term
    in its brackets. `details` are terms that a short text leaves out; `short` replaces all there.
    """

    pairs: tuple[tuple[str, Lines], ...] = attrs.field(converter=_known)
    title: str = attrs.field(default="", converter=_line)
    badge: Badge | None = None
    anchor: str = ""
    details: frozenset[str] = frozenset()
    short: str = ""

    @property
    def brief(self) -> Say | Pairs:
        """The terms that are no details."""
        kept = [pair for pair in self.pairs if pair[0] not in self.details]
        return Say(self.short) if self.short else attrs.evolve(self, pairs=kept)

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.pairs)


@attrs.frozen
class Column:
    """`number`: its cells end in one place. A page sets cells of a column `under` the name of their
    row, text where a line has no room. Of `extra` columns text leaves out those without room.
    A `picture` of that name is for pages only. Short texts leave out a `detail`.
    """

    title: str
    number: bool = False
    under: bool = False
    extra: bool = False
    picture: str = ""
    detail: bool = False


Cells = Mapping[Column, Callable[[Any], Any]]


@attrs.frozen
class Table:
    """Rows of cells: texts, badges, values of pictures. The first text names the row."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    detail: bool = False

    @classmethod
    def of(
        cls, name: str, caption: str, things: Iterable[Any], columns: Cells, *, detail: bool = False
    ) -> Self:
        """A row a thing: a cell that is None is a dash, a column of them is left out."""
        rows = [[cell(one) for cell in columns.values()] for one in things]
        kept = [i for i in range(len(columns)) if any(row[i] is not None for row in rows)]
        cells = [[_cell(row[i]) for i in kept] for row in rows]
        return cls(name, caption, [[*columns][i] for i in kept], cells, detail)

    @property
    def brief(self) -> Say | Table:
        """The columns that are no details; nothing of a table that is one."""
        if self.detail:
            return Say("")
        kept = [i for i, one in enumerate(self.columns) if not one.detail]
        rows = [[row[i] for i in kept] for row in self.rows]
        return attrs.evolve(self, columns=[self.columns[i] for i in kept], rows=rows)

    @property
    def head(self) -> int:
        """The place of the column that names the rows."""
        return next(place for place, one in enumerate(self.columns) if not one.picture)

    def __bool__(self) -> bool:
        """Whether it has rows."""
        return bool(self.rows)


def _cell(value: Any) -> Any:
    return DASH if value is None else clipped(value, CELL) if isinstance(value, str) else value


@attrs.frozen
class Picture:
    """A picture for pages, drawn from `values`, and what stands below it."""

    name: str
    label: str
    values: Sequence[Any]
    caption: str = ""


@attrs.frozen
class Verbatim:
    """Lines as they are."""

    label: str
    text: str


Block = Say | Pairs | Table | Picture | Verbatim


# ------------------------------------------------------------------------------------- The document
@attrs.frozen
class Section:
    """A title, a `place` that names it in links, and what it says."""

    place: str
    title: str
    blocks: Sequence[Block]


@attrs.frozen(kw_only=True)
class Document:
    """The verdict, in a word and a sentence, the sentence to sign, the numbers that matter most
    (what each is, the number, at what), then sections.
    """

    title: str
    name: str
    arguments: str
    verdict: Verdict
    says: str
    lead: str
    untrue: str
    sentence: str
    headline: Sequence[tuple[str, str, str]]
    example: str
    sections: Sequence[Section]
    running: str
    cited: frozenset[str]
