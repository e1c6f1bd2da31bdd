"""Text in TOML as a tree of values that nobody has interpreted yet."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NoReturn

from dpframe.errors import InvalidArgument

from .keys import Leaf, Tree
from .limits import MOST_DIGITS, MOST_DOTS, MOST_NESTED

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
