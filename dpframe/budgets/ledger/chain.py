"""A chain of entries: each one's hash covers its content and the hash before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from dpframe.errors import BadLedger, DPFrameError, Plain

NAME = "dpframe-budgets/1"  # of the chain: files of every format have this one
START = "0" * 64
TRUSTED = "Restore the newest copy that you trust; never begin anew on the same data."
Value = TypeVar("Value")


class Head(NamedTuple):
    """Number and hash of an entry."""

    number: int
    hash: str


BEGINNING = Head(0, START)


class ChainEntry(NamedTuple):
    """A row of the file. `content` is JSON; `time` is UTC in ISO 8601."""

    number: int
    time: str
    action: str
    dataset: str
    content: str
    previous: str
    hash: str

    @property
    def head(self) -> Head:
        """The head of the chain after this entry."""
        return Head(self.number, self.hash)

    @property
    def before(self) -> Head:
        """The head before it."""
        return Head(self.number - 1, self.previous)


def entry_after(
    head: tuple[int, str], time: str, action: str, dataset: str, content: Any
) -> ChainEntry:
    """The entry that follows `head`, the number and the hash of the last one."""
    number, previous = head
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    fields = (number + 1, time, action, dataset, text, previous)
    return ChainEntry(*fields, hash_of(fields))


def hash_of(fields: tuple[object, ...]) -> str:
    """SHA-256 over canonical JSON of the chain's name and of all fields but the hash."""
    return hashlib.sha256(json.dumps([NAME, *fields]).encode("ascii")).hexdigest()


def check_link(head: tuple[int, str], entry: ChainEntry) -> None:
    """Refuse an entry that does not follow `head`, or whose hash is not its own."""
    number, previous = head
    texts = all(type(field) is str for field in entry[1:])
    if type(entry.number) is not int or not texts:
        raise broken(number + 1, "numbers and text")
    if (entry.number, entry.previous) != (number + 1, previous):
        raise broken(number + 1, "next in the chain")
    if entry.hash != hash_of(tuple(entry[:-1])):
        raise broken(number + 1, "what its hash says")


def linked(entries: Iterable[ChainEntry]) -> Iterator[ChainEntry]:
    """The entries of a chain from its first on. Raises BadLedger at the first that is not linked to
    the one before it.
    """
    head = BEGINNING
    for entry in entries:
        check_link(head, entry)
        head = entry.head
        yield entry


def validated(entry: ChainEntry, read: Callable[[ChainEntry, Any], Value]) -> Value:
    """The result of `read` for an entry and its content. Raises BadLedger for an entry that no
    version of dpframe could have written.
    """
    try:
        return read(entry, json.loads(entry.content))
    except (DPFrameError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise broken(entry.number, "a step that this version could have made") from None


def broken(number: int, requirement: str) -> BadLedger:
    """The error on an entry that was changed."""
    return BadLedger(f"entry {number} of the ledger", requirement, Plain("something else"), TRUSTED)
