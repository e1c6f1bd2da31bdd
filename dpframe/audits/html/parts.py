"""Parts that sections of a page are made of.

The command that makes an audit again, where the command line can spell it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.audits.figures import exactly
from dpframe.graph import Setting
from dpframe.privacy import ApproxDP, PureDP
from dpframe.prover import Verdict
from dpframe.symbols import DELTA, EPSILON, Expression, Number, parameter

from .elements import Content, Element, element

if TYPE_CHECKING:
    from dpframe.audits.report import Audit


LEFT_OUT = {
    "--epsilon": EPSILON,
    "--delta": DELTA,
    "--norm": parameter("B"),
    "--bound": parameter("Y"),
}
ONE = Number(Fraction(1))
SHELVES = ("dpframe.regressions.", "dpframe.literature.")  # whose classes the command line knows


def command(audit: Audit) -> str:
    """`dpframe audit AdaSSP --epsilon 1 ...`; "" for what has no such spelling: a declaration of
    one's own, a codebook, a personalised claim.
    """
    words = list(_words(audit))
    return "" if None in words else shlex.join(word for word in words if word is not None)


def _words(audit: Audit) -> Iterator[str | None]:
    """The words of the command; None among them where there is no word for something."""
    yield from ("dpframe", "audit", _name(audit))
    yield from _claim(audit)
    yield from _setting(audit.setting)
    if audit.report.accountant != "auto":
        yield from ("--accountant", audit.report.accountant)
    for name in audit.trusted:
        yield from ("--trust", name)


def _name(audit: Audit) -> str | None:
    """The class, where it is dpframe's own with its own defaults."""
    cls = type(audit.regression)
    shipped = cls.__module__.startswith(SHELVES)
    if not shipped or getattr(sys.modules[cls.__module__], cls.__name__, None) is not cls:
        return None
    try:
        return cls.__name__ if cls() == audit.regression else None
    except TypeError:
        return None


def _claim(audit: Audit) -> Iterator[str | None]:
    target = audit.claimed
    match target:
        case ApproxDP():
            yield from _amount("--epsilon", target.amounts[0])
            yield from _amount("--delta", target.amounts[1])
        case PureDP():
            yield from _amount("--epsilon", target.amounts[0])
            yield from ("--delta", "0")
        case _:
            yield None


def _setting(setting: Setting) -> Iterator[str | None]:
    rows, labels = setting.X, setting.y
    plain = rows.columns is None and not rows.intercept and labels is not None
    if not plain or labels is None or labels.bound is None or labels.name != "y":
        yield None
        return
    yield from _rows(rows.norm, rows.box)
    yield from _amount("--bound", labels.bound)
    yield from ("--relation", setting.relation.option)
    if setting.unit.rows_per_person != ONE:
        yield from _amount("--rows-per-person", setting.unit.rows_per_person)
    if setting.grid != attrs.fields(Setting).grid.default:
        yield None


def _rows(norm: Expression | None, box: Expression | None) -> Iterator[str | None]:
    if box is not None and norm is not None and not isinstance(norm, Number):
        yield None
    if norm is not None:
        yield from _amount("--norm", norm)
    if box is not None:
        yield from _amount("--box", box)


def _amount(option: str, value: Expression) -> Iterator[str | None]:
    """The option and its number; nothing where leaving it out means this very symbol."""
    if isinstance(value, Number):
        yield from (option, exactly(value.value))
    elif value != LEFT_OUT.get(option):
        yield None


WORDS = {Verdict.PROVED: "proved", Verdict.REFUTED: "refuted", Verdict.UNPROVED: "not proved"}
CLASSES = {Verdict.PROVED: "proved", Verdict.REFUTED: "refuted", Verdict.UNPROVED: "unproved"}
MARKS = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNPROVED: "?"}


@attrs.frozen
class Section:
    """A place of the page: its heading and what stands under it."""

    place: str
    title: str
    contents: tuple[Content, ...]

    def shown(self, number: int) -> Element:
        """With its number before its heading."""
        heading = element(
            "h2",
            element("span", f"{number}", class_="ordinal"),
            " ",
            self.title,
            id=self.place,
        )
        return element("section", heading, *self.contents, aria_labelledby=self.place)


def paragraph(*contents: Content, class_: str | None = None) -> Element:
    """A paragraph."""
    return element("p", *contents, class_=class_)


def table(
    name: str,
    caption: str,
    head: Sequence[Content],
    rows: Iterable[Sequence[Element]],
    numeric: Iterable[int] = (),
    *,
    narrow: bool = False,
) -> Element:
    """A table that scrolls on its own where it is wider than the page.

    `head` has a text a column, each row one cell a column, the first of them a heading; columns in
    `numeric` end on the right. A `narrow` table is no wider than it must be.
    """
    right = set(numeric)
    titles = [
        element("th", text, scope="col", class_="number" if i in right else None)
        for i, text in enumerate(head)
    ]
    body = element("tbody", *(element("tr", *row) for row in rows))
    label = f"table-{name}"
    return element(
        "div",
        element(
            "table",
            element("caption", caption, id=label),
            element("thead", element("tr", *titles)),
            body,
            class_="narrow" if narrow else None,
        ),
        class_="scroll",
        role="group",
        tabindex="0",
        aria_labelledby=label,
    )


def heading(*contents: Content) -> Element:
    """The first cell of a row."""
    return element("th", *contents, scope="row")


def cell(*contents: Content, class_: str | None = None) -> Element:
    """A cell of words."""
    return element("td", *contents, class_=class_)


def badge(verdict: Verdict | None) -> Element:
    """A verdict as a mark and a word."""
    if verdict is None:
        return element("span", "no claim", class_="badge")
    mark = element("span", MARKS[verdict], class_="mark", aria_hidden="true")
    return element("span", mark, " ", WORDS[verdict], class_=f"badge {CLASSES[verdict]}")


def listed(items: Iterable[Sequence[Content]]) -> tuple[Content, ...]:
    """Contents in a list, one below the other; nothing where there are none."""
    found = [element("li", *contents) for contents in items]
    return (element("ul", *found),) if found else ()


def framed(picture: Element, name: str) -> Element:
    """A picture that scrolls on its own where it is wider than the page."""
    label = f"{name}, may scroll sideways"
    return element("div", picture, class_="scroll", tabindex="0", role="group", aria_label=label)


def pairs(items: Iterable[tuple[str, Sequence[Content]]]) -> Element:
    """Terms and what they are."""
    rows = [
        element("div", element("dt", term), element("dd", *contents))
        for term, contents in items
        if contents
    ]
    return element("dl", *rows)
