"""A description file, regular, of limited size and in UTF-8, as a tree of values that are not yet
interpreted.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NoReturn

from dpframe import documents
from dpframe.errors import InvalidArgument, Plain

from . import limits
from .keys import Leaf, Tree, unseen


def read_text(path: Path) -> str:
    """The text of a .toml file, a byte order mark at its start dropped. Raises InvalidArgument;
    opens regular files only, and never reads more than the limit.
    """
    if path.suffix.lower() != ".toml":
        wanted = "a file in TOML, whose name ends in .toml"
        raise InvalidArgument("description", wanted, path.name, "docs/describing has its keys.")
    content = documents.content_of(path, "description", limits.BYTES)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        value, way_out = Plain(f"byte {error.start + 1} that is none"), "Save it as UTF-8."
        raise InvalidArgument(
            f"{path.name}, line {line}", "text in UTF-8", value, way_out
        ) from None


def checked(text: str, name: str) -> str:
    """The text with newlines as line ends only, all of it visible. Raises InvalidArgument."""
    if len(text) > limits.BYTES:
        raise InvalidArgument(
            name, f"at most {limits.BYTES // 1024} kB", Plain(f"{len(text)} characters")
        )
    plain = text.replace("\r\n", "\n")
    for number, line in enumerate(plain.split("\n"), 1):
        if len(line) > limits.IN_LINE:
            wanted = f"lines of at most {limits.IN_LINE} characters"
            raise InvalidArgument(
                f"{name}, line {number}", wanted, Plain(f"{len(line)} characters")
            )
        hidden = unseen(line, lines=True)
        if hidden:
            wanted = "free of characters that cannot be seen"
            raise InvalidArgument(f"{name}, line {number}", wanted, hidden, "Remove it.")
    return plain


STRINGS = re.compile(  # and comments; a string of three quotes may end in two more
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|'
    r"'''.*?(?:'{3,5}|\Z)|"
    r'"(?:\\.|[^"\\\n])*"?|'
    r"'[^'\n]*'?|#[^\n]*",
    re.DOTALL,
)
SIGN = re.compile(r"[.,=\[\]{}\n]")


def toml_tree(text: str, name: str) -> dict[str, Tree]:
    """The tree. Raises InvalidArgument for text that is no TOML, and, before reading it, for
    nesting.
    """
    _refuse_nesting(text, name)
    try:
        tree = tomllib.loads(text, parse_float=_Written)
    except (ValueError, RecursionError) as error:
        value = (
            str(error)[:160]
            if isinstance(error, tomllib.TOMLDecodeError)
            else Plain("a huge number")
        )
        way_out = "Text stands in quotes; every key at most once in its table."
        raise InvalidArgument(name, "valid TOML", value, way_out) from None
    return {key: _tree(value) for key, value in tree.items()}


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
            most = 10**limits.DIGITS
            return Leaf(str(value) if abs(value) < most else "a huge number", "number")
    return Leaf(str(value), "date")


def _refuse_nesting(text: str, name: str) -> None:
    """Refuse input that would keep a reader of TOML busy: nested brackets, keys of many parts."""
    depth, dots, line = 0, 0, 1
    for sign in SIGN.findall(STRINGS.sub(lambda match: "\n" * match[0].count("\n"), text)):
        line += sign == "\n"
        depth += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else 0
        if depth > limits.NESTED:
            wanted = f"tables and lists nested at most {limits.NESTED} deep"
            _refuse(name, line, wanted, "deeper ones")
        if dots > limits.DOTS:
            _refuse(name, line, f"keys of at most {limits.DOTS} parts", "longer ones")


def _refuse(name: str, line: int, wanted: str, value: str) -> NoReturn:
    way_out = "Descriptions need one table in another, and one list in that."
    raise InvalidArgument(f"{name}, line {line}", wanted, value, way_out)
