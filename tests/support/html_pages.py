"""A page of HTML as a tree, read by the standard library alone, and what tests ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import attrs

EMPTY = {"meta", "br", "img", "link", "input", "hr"}


@attrs.define
class Tag:
    """An element: its name, its attributes, what it holds."""

    name: str
    attributes: dict[str, str | None]
    children: list[Tag | str] = attrs.field(factory=list)

    def walk(self) -> Iterator[Tag]:
        """Itself and all below, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Tag):
                yield from child.walk()

    def all(self, *names: str) -> list[Tag]:
        """Those with one of these names."""
        return [one for one in self.walk() if one.name in names]

    def one(self, name: str) -> Tag:
        """The only one of that name."""
        (found,) = self.all(name)
        return found

    def by_id(self, place: str) -> Tag:
        """The only one with that id."""
        (found,) = [one for one in self.walk() if one.attributes.get("id") == place]
        return found

    @property
    def text(self) -> str:
        """All text, without that of stylesheets."""
        if self.name == "style":
            return ""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def rows(self) -> list[list[str]]:
        """The cells of a table, its heading first."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Tag)] for row in self.all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Tag("", {})
        self.open = [self.root]
        self.declared: list[str] = []

    def handle_decl(self, decl: str) -> None:
        self.declared.append(decl)

    def handle_starttag(self, tag: str, attrs_: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs_]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        found = Tag(tag, dict(attrs_))
        self.open[-1].children.append(found)
        if tag not in EMPTY:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def read(page: str) -> Tag:
    """The root of the page, whose tags are all closed in order. Raises AssertionError."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.declared == ["DOCTYPE html"]
    assert len(reader.open) == 1, f"open at the end: {[one.name for one in reader.open]}"
    return next(one for one in reader.root.children if isinstance(one, Tag))
