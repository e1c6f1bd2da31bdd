"""What a document on an audit is made of: sections of sentences, tables and pictures, as values.

`text.py` sets them as text, `html/` as a page. A text keeps its parts (dpframe.wording), so that a
page sets formulas, code and citations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

import attrs

from dpframe.prover import Constraint, Verdict
from dpframe.symbols import Expression, Number
from dpframe.wording import Formula, Text, say

from .figures import Side, clipped, figure, formula, short
from .lines import lower_end

DASH = "–"
Lines = tuple[str, ...]
WORDS = {"proved": "proved", "refuted": "refuted", "unproved": "not proved"}


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


def condition(found: Constraint) -> Text:
    """`epsilon/3 <= 4*log(2) (2.772)`, the number rounded down."""
    value = None if isinstance(found.right, Number) else lower_end(found.right)
    number = "" if value is None else say(" ({})", figure(value, "down"))
    sign = Formula("<" if found.strict else "<=")
    return say("{} {} {}{}", Typeset(found.left), sign, Typeset(found.right), number)


def amount(value: Expression, room: int = 24) -> Text:
    """A number in a few digits, a short formula as it is; `see below` where there is no room."""
    known = value.value if isinstance(value, Number) else lower_end(value)
    if known is not None:
        return say("{}", short(known) if isinstance(value, Number) else figure(known))
    return say("{}", Typeset(value)) if len(formula(value)) <= room else say("see below")


def exact(value: Expression) -> Text:
    """A formula with letters as mathematics, one without as it is written."""
    return say("{}", Typeset(value) if value.symbols() else clipped(formula(value), 120))


def number(value: float | Fraction | None, side: Side = "near") -> Text:
    """A number, rounded to `side`; a dash where there is none."""
    return say("{}", DASH if value is None else figure(value, side))


# --------------------------------------------------------------------------------- Cells of a table
@attrs.frozen
class Badge:
    """A verdict, of a `part` of the values; None where nothing is claimed."""

    verdict: Verdict | None
    part: bool = False
    word: str = ""
    kind: ClassVar = "badge"

    def __str__(self) -> str:
        """`not proved`, `proved in part`, `no claim`."""
        if self.verdict is None:
            return "no claim"
        return self.word or f"{WORDS[str(self.verdict)]}{' in part' * self.part}"


@attrs.frozen
class Column:
    """`number`: its cells end in one place. A page sets cells of a column `under` the name of their
    row, text where a line has no room. Of `extra` columns text leaves out those without room.
    A `picture` of that name is for pages only.
    """

    title: str
    number: bool = False
    under: bool = False
    extra: bool = False
    picture: str = ""


# ------------------------------------------------------------------------------ Blocks of a section
@attrs.frozen
class Say:
    """A paragraph: a `lead`, a `finding`, a `note`, or plain."""

    text: str
    style: str = ""
    kind: ClassVar = "say"


def _known(pairs: Sequence[tuple[str, str | Sequence[str]]]) -> tuple[tuple[str, Lines], ...]:
    several = ((term, (said,) if isinstance(said, str) else tuple(said)) for term, said in pairs)
    return tuple((term, said) for term, said in several if any(said))


@attrs.frozen
class Pairs:
    """Terms with what is said of each, in one or several lines; those without anything are left
    out. With a `title` they stand below it, and below a `badge`.
    """

    pairs: tuple[tuple[str, Lines], ...] = attrs.field(converter=_known)
    title: str = ""
    badge: Badge | None = None
    kind: ClassVar = "pairs"


@attrs.frozen
class Items:
    """A list, each item with further lines below it; `steps` of a proof, or `sources` by `keys`."""

    items: Sequence[tuple[str, Sequence[str]]]
    style: str = ""
    keys: Sequence[str] = ()
    kind: ClassVar = "items"


@attrs.frozen
class Table:
    """Rows of cells, texts or values with a `kind`; the first cell names the row."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    kind: ClassVar = "table"

    @property
    def head(self) -> int:
        """The place of the column that names the rows."""
        return next(place for place, one in enumerate(self.columns) if not one.picture)


@attrs.frozen
class Picture:
    """A picture for pages, drawn from `values`, and what stands below it."""

    name: str
    label: str
    values: Any
    caption: str = ""
    kind: ClassVar = "picture"


@attrs.frozen
class Verbatim:
    """Lines as they are."""

    label: str
    text: str
    kind: ClassVar = "verbatim"


Block = Say | Pairs | Items | Table | Picture | Verbatim


@attrs.frozen
class Section:
    """`place` names it in links; `detail`: it is for readers of a page who want to know more."""

    place: str
    title: str
    blocks: Sequence[Block]
    detail: bool = False


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
    lead: Text
    untrue: Text
    sentence: Text
    headline: Sequence[tuple[str, str, str]]
    example: Text
    sections: Sequence[Section]
    running: str
    cited: frozenset[str]


def many(count: int) -> str:
    """` (×3)`, where it is more than one."""
    return f" (×{count})" if count > 1 else ""


def cut(texts: Iterable[str], width: int = 400) -> list[str]:
    """The texts, long ones without their middle."""
    return [clipped(one, width) for one in texts]
