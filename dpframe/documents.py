"""Read documents from files: regular files of limited size, checked before they are parsed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from dpframe.errors import InvalidArgument, Plain

MOST_BYTES = 16 * 2**20  # of a document, where its reader sets no other limit
LONGEST = 255  # characters of a name of a file
MOST_VALUES = 10**6  # in a JSON document: each takes Python about a hundred bytes
CODEBOOK = (  # an example
    '{"columns": [{"name": "age", "lower": 18, "upper": 90}, '
    '{"name": "smoker", "levels": ["no", "yes"], "baseline": "no"}], '
    '"target": {"lower": 0, "upper": 60000}, "intercept": true}'
)

Where = str | os.PathLike[str]
Kind = type[InvalidArgument]


def content_of(
    path: Where, name: str, most: int = MOST_BYTES, error: Kind = InvalidArgument
) -> bytes:
    """The bytes of a regular file of at most `most` bytes. Other kinds of files are not read, and
    nothing beyond the limit is. `name` is the document's name in errors. Raises `error`.
    """
    check_place(path, name, error)
    handle, cause = _opened(path)
    if handle is None:
        raise error(name, "a readable file", os.fspath(path), f"{cause}.")
    try:
        found = os.fstat(handle)
        regular, size = stat.S_ISREG(found.st_mode), found.st_size
        content = _at_most(handle, most + 1) if regular and size <= most else b""
    finally:
        os.close(handle)
    if not regular:
        raise error(name, "a regular file", os.fspath(path))
    if max(size, len(content)) > most:
        raise error(name, f"a file of at most {_in_words(most)}", os.fspath(path))
    return content


def check_place(path: object, name: str, error: Kind = InvalidArgument) -> None:
    """Refuse a value that is not a path: another object, bytes, a text that is empty, too long or
    with a null character. Raises `error`.
    """
    place = os.fspath(path) if isinstance(path, (str, os.PathLike)) else b""
    if isinstance(place, str) and _longest(place) > LONGEST:
        raise error(name, f"a path whose names have at most {LONGEST} letters", place)
    if isinstance(place, bytes) or not place or "\0" in place:
        raise error(name, "text or a pathlib.Path", path)


def _longest(place: str) -> int:
    return max(map(len, Path(place).parts), default=0)


def _opened(path: Where) -> tuple[int | None, str]:
    """A handle, or None and the cause."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags), ""  # a pipe would block a plain open
    except (OSError, ValueError) as failure:
        known = isinstance(failure, OSError) and failure.strerror
        return None, str(known or type(failure).__name__)


def text_of(path: Where, name: str, most: int = MOST_BYTES, error: Kind = InvalidArgument) -> str:
    """The text, in UTF-8, of such a file. Raises `error`."""
    content = content_of(path, name, most, error)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as failure:
        place = failure.start + 1
    raise error(name, "text in UTF-8", Plain(f"byte {place} that is none"))


def json_of(text: str, name: str, error: Kind = InvalidArgument, **hooks: Any) -> Any:
    """The JSON value of a text without repeated keys, after a check of its number of values.
    `hooks` are passed to json.loads. Raises `error`.
    """
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise error(name, f"a document of at most {MOST_VALUES} values", f"{len(text)} characters")
    try:
        return json.loads(text, object_pairs_hook=_once, **hooks)
    except json.JSONDecodeError as failure:
        cause = Plain(f"an error in line {failure.lineno}, column {failure.colno}")
    except _RepeatedKey as failure:
        cause = Plain(f"the key {failure} twice in one object")
    except (ValueError, RecursionError) as failure:
        cause = Plain(type(failure).__name__)
    raise error(name, "a JSON document", cause)


class _RepeatedKey(ValueError):
    """Of one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKey(f"{key[:LONGEST]!r}")
        found[key] = value
    return found


def _at_most(handle: int, size: int) -> bytes:
    found = bytearray()
    while len(found) < size and (more := os.read(handle, min(size - len(found), 2**20))):
        found += more
    return bytes(found)


def _in_words(size: int) -> str:
    return f"{size // 2**20} MiB" if size >= 2**20 else f"{size // 1024} kB"
