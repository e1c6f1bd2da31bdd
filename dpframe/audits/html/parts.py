"""Parts that sections of a page are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from dpframe.prover import Verdict

from .elements import Content, Element, element

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
