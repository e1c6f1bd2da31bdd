"""The values of a file as text, each with the place where it stands: no number, date or name is
interpreted before the field that it fills is known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols.arithmetic import NAME

from .limits import MOST_IN_FORMULA

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that a reader cannot see, or that move what stands around them."""

PLAIN = {"text", "number"}
IN_PYTHON = (
    "A description imports nothing. Write the declaration in Python, and audit it by "
    "dpframe audit module:Class --trust module:Class, for each class of your own."
)


@attrs.frozen
class Leaf:
    """One value as it is written, and what it is: text, a number, a truth value or a date."""

    text: str
    kind: str = "text"


Tree = Leaf | list["Tree"] | dict[str, "Tree"]


def unseen(text: str, *, lines: bool = False) -> str:
    """The first character that no reader would see, by its name; "" where all can be seen."""
    for character in () if text.isprintable() else text:
        if not (lines and character in "\n\t") and unicodedata.category(character) in UNSEEN:
            return unicodedata.name(character, f"U+{ord(character):04X}")
    return ""


def shown(key: str) -> str:
    """A key as messages name it: plain names as they are, others quoted and cut."""
    return key if NAME.match(key) else repr(key[:40])


@attrs.frozen
class Part:
    """A value of a file and its place, such as `adassp.toml: release 2 (gram), std`."""

    tree: Tree
    file: str
    path: str = ""

    @property
    def where(self) -> str:
        """The place, for messages."""
        return f"{self.file}: {self.path}" if self.path else self.file

    def refuse(self, requirement: str, value: object = ..., way_out: str = "") -> NoReturn:
        """Raise InvalidArgument for this place; the value is what stands there if none is given."""
        raise InvalidArgument(
            self.where, requirement, self.seen if value is ... else value, way_out
        )

    def word(self, words: Iterable[str]) -> str:
        """One of these words. Raises InvalidArgument, for a class of one's own with a way out."""
        found = self.text(MOST_IN_FORMULA)
        if found not in words:
            self.refuse(f"one of {', '.join(words)}", way_out=IN_PYTHON if ":" in found else "")
        return found

    @property
    def seen(self) -> object:
        """What stands there, short enough to be printed."""
        if isinstance(self.tree, Leaf):
            return self.tree.text[:200]
        return f"{'a list' if isinstance(self.tree, list) else 'a table'} of {len(self.tree)}"

    def inside(self, key: str) -> Part:
        """The part of a table."""
        path = f"{self.path}, {shown(key)}" if self.path else shown(key)
        return attrs.evolve(self, tree=self.table()[key], path=path)

    def table(self) -> Mapping[str, Tree]:
        """The keys. Raises InvalidArgument for what is no table."""
        if not isinstance(self.tree, dict):
            self.refuse("a table of keys")
        return self.tree

    def items(self, each: str, most: int) -> Iterator[Part]:
        """The members of a list, numbered from 1. Raises InvalidArgument."""
        if not isinstance(self.tree, list) or not 0 < len(self.tree) <= most:
            self.refuse(f"a list of 1 to {most}")
        for index, tree in enumerate(self.tree):
            yield attrs.evolve(self, tree=tree, path=f"{each} {index + 1}")

    def text(self, most: int, *, lines: bool = False, numbers: bool = True) -> str:
        """The text. Raises InvalidArgument for other kinds, more characters, unseen ones."""
        leaf = self.tree
        if not isinstance(leaf, Leaf) or leaf.kind not in (PLAIN if numbers else {"text"}):
            self.refuse("text" if not numbers else "text or a number")
        found = leaf.text.replace("\r\n", "\n").strip() if lines else leaf.text.strip()
        if len(found) > most:
            self.refuse(f"at most {most} characters", f"{len(found)} characters")
        hidden = unseen(found, lines=lines)
        if hidden:
            self.refuse("free of characters that cannot be seen", hidden, "Type it anew.")
        if not found:
            self.refuse("not empty", "", "Leave the key out, or give it a value.")
        return found
