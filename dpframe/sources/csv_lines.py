"""Lines of a CSV file, each judged by itself: a line is a record, or it is none.

A cell is quoted as a whole, with quotes inside it doubled, or it has no quote. A line of such
cells, as many as there are names, means the same wherever it stands, so a quote that nobody closes
spoils its own line and no other. [RFC 4180, without line breaks in cells]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import attrs

CHUNK = 2**22  # bytes that are parsed at once
CELL = rb'(?:[^",\r\n]*|"(?:[^"\r\n]|"")*")'
END = rb"\r?\n"
BOM = b"\xef\xbb\xbf"
BLANK = re.compile(rb"^\r?\n", re.MULTILINE)


@attrs.frozen
class Lines:
    """Lines that may be records, as a parser is given them, and how many lines were taken out since
    they are none.
    """

    text: bytes
    others: int


def lines(path: str, columns: int) -> Iterator[Lines]:
    """The lines of a file but its first, some megabytes at a time."""
    with Path(path).open("rb") as file:
        file.readline()
        rest = b""
        while chunk := file.read(CHUNK):
            whole, newline, rest = (rest + chunk).rpartition(b"\n")
            if newline:
                yield judged(whole + newline, columns)
        if rest:
            yield judged(rest + b"\n", columns)


def judged(text: bytes, columns: int) -> Lines:
    """Whole lines. Where none has a quote or a carriage return inside it, a parser cannot join or
    split them, and counts their cells; but it fails at a line of another number of cells that is
    not UTF-8.
    """
    plain = b'"' not in text and text.count(b"\r") == text.count(b"\r\n")
    if plain and _is_utf8(text):
        return Lines(_marked(text), 0)
    kept = _records(columns).findall(text)
    blank = len(BLANK.findall(text)) if columns > 1 else 0
    return Lines(_marked(b"".join(kept)), text.count(b"\n") - blank - len(kept))


def _marked(text: bytes) -> bytes:
    """A parser takes a byte order mark at the start for none of the first cell: one more for it."""
    return BOM + text if text.startswith(BOM) else text


def _is_utf8(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


@lru_cache(maxsize=16)
def _records(columns: int) -> re.Pattern[bytes]:
    """A line of so many cells."""
    cells = rb"(?:%s,){%d}%s" % (CELL, columns - 1, CELL)
    return re.compile(rb"^%s%s" % (cells, END), re.MULTILINE)


def first_line(path: str) -> bytes | None:
    """The row of names, without its line end; None where its quotes are not closed."""
    with Path(path).open("rb") as file:
        line = file.readline().removeprefix(BOM).rstrip(b"\r\n")
    return line if re.fullmatch(rb"%s(?:,%s)*" % (CELL, CELL), line) else None
