"""A description file, regular, of limited size and in UTF-8, as a tree of values that nobody has
interpreted yet.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from dpframe import documents
from dpframe.errors import InvalidArgument

from .keys import Leaf, Tree, unseen
from .limits import MOST_BYTES, MOST_DIGITS, MOST_DOTS, MOST_IN_LINE, MOST_NESTED


def read_text(path: Path) -> str:
    """The text of a .toml file. Raises InvalidArgument; opens nothing but regular files, and never
    reads more than the limit.
    """
    if path.suffix.lower() != ".toml":
        wanted = "a file in TOML, whose name ends in .toml"
        raise InvalidArgument("description", wanted, path.name, "docs/describing has its keys.")
    return decoded(documents.content_of(path, "description", MOST_BYTES), path.name)


def decoded(content: bytes, name: str) -> str:
    """Text in UTF-8, a byte order mark at its start dropped. Raises InvalidArgument."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wanted, found = "text in UTF-8", f"byte {error.start + 1} that is none"
        raise InvalidArgument(f"{name}, line {line}", wanted, found, "Save it as UTF-8.") from None


def checked(text: str, name: str) -> str:
    """The text with lines that end in a newline only, all of it visible. Raises InvalidArgument."""
    if len(text) > MOST_BYTES:
        raise InvalidArgument(name, f"at most {MOST_BYTES // 1024} kB", f"{len(text)} characters")
    found = text.replace("\r\n", "\n")
    for number, line in enumerate(found.split("\n"), 1):
        if len(line) > MOST_IN_LINE:
            wanted = f"lines of at most {MOST_IN_LINE} characters"
            raise InvalidArgument(f"{name}, line {number}", wanted, f"{len(line)} characters")
        hidden = unseen(line, lines=True)
        if hidden:
            wanted = "free of characters that cannot be seen"
            raise InvalidArgument(f"{name}, line {number}", wanted, hidden, "Remove it.")
    return found


SIGN = re.compile(r'"""|\'\'\'|["\'#.,=\[\]{}\n]')
ENDS = {  # a string of three quotes may end in two more
    '"""': re.compile(r'\\.|"{3,5}', re.DOTALL),
    "'''": re.compile(r"'{3,5}"),
    '"': re.compile(r'\\.|"|\n'),
    "'": re.compile(r"'|\n"),
}
NESTED, DOTTED = "tables and lists nested at most {} deep", "keys of at most {} parts"
PLAIN_TOML = "Descriptions need one table in another, and one list in that."


def toml_tree(text: str, name: str) -> dict[str, Tree]:
    """The tree. Raises InvalidArgument for what is no TOML, and, before reading it, for nesting."""
    _refuse_nesting(text, name)
    try:
        found = tomllib.loads(text, parse_float=_Written)
    except (ValueError, RecursionError) as error:
        said = str(error)[:160] if isinstance(error, tomllib.TOMLDecodeError) else "a huge number"
        way_out = "Text stands in quotes; every key at most once in its table."
        raise InvalidArgument(name, "valid TOML", said, way_out) from None
    return {key: _tree(value) for key, value in found.items()}


class _Written(str):
    """A number as it is written."""

    __slots__ = ()


def _tree(value: object) -> Tree:
    match value:
        case dict():
            return {key: _tree(part) for key, part in value.items()}
        case list():
            return [_tree(part) for part in value]
        case _Written():
            return Leaf(str(value), "number")
        case str():
            return Leaf(value)
        case bool():
            return Leaf(str(value).lower(), "truth")
        case int():
            most = 10**MOST_DIGITS
            return Leaf(str(value) if abs(value) < most else "a huge number", "number")
    return Leaf(str(value), "date")


def _refuse_nesting(text: str, name: str) -> None:
    """Refuse what would keep a reader of TOML busy: brackets in brackets, keys of many parts."""
    depth, dots = 0, 0
    for line, sign in _signs(text):
        depth += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else 0 if sign in "\n=,[]{}" else dots
        if depth > MOST_NESTED:
            _refuse(name, line, NESTED.format(MOST_NESTED), "deeper ones")
        if dots > MOST_DOTS:
            _refuse(name, line, DOTTED.format(MOST_DOTS), "longer ones")


def _refuse(name: str, line: int, wanted: str, found: str) -> NoReturn:
    raise InvalidArgument(f"{name}, line {line}", wanted, found, PLAIN_TOML)


def _signs(text: str) -> Iterator[tuple[int, str]]:
    """Brackets, dots, commas, equal signs and ends of lines, outside of strings and comments."""
    at, line = 0, 1
    while found := SIGN.search(text, at):
        sign, end = found[0], found.end()
        if sign in ENDS:
            end = _end_of_string(text, end, sign)
        elif sign == "#":
            newline = text.find("\n", end)
            end = len(text) if newline < 0 else newline
        else:
            yield line, sign
        line += text.count("\n", found.start(), end)
        at = end


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Where a string ends: after its quote; at the end of the line, where TOML allows none."""
    for found in ENDS[quote].finditer(text, at):
        if not found[0].startswith("\\"):
            return found.end() - (found[0] == "\n")
    return len(text)
