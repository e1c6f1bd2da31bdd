"""The text of a description file: a regular file of limited size, in UTF-8, that can be read."""

from __future__ import annotations

from pathlib import Path

from dpframe import documents
from dpframe.errors import InvalidArgument

from .keys import unseen
from .limits import MOST_BYTES, MOST_IN_LINE


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
