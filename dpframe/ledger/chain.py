"""A chain of entries: each one's hash covers its content and the hash before it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from dpframe.errors import BadLedger

NAME = "dpframe-budgets/1"
START = "0" * 64
TRUSTED = "Restore the newest copy that you trust; never begin anew on the same data."


class Entry(NamedTuple):
    """A row of the file. `content` is JSON; `time` is UTC in ISO 8601."""

    number: int
    time: str
    action: str
    dataset: str
    content: str
    previous: str
    hash: str


def entry_after(head: tuple[int, str], time: str, action: str, dataset: str, content: Any) -> Entry:
    """The entry that follows `head`, the number and the hash of the last one."""
    number, previous = head
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    fields = (number + 1, time, action, dataset, text, previous)
    return Entry(*fields, hash_of(fields))


def hash_of(fields: tuple[object, ...]) -> str:
    """SHA-256 over canonical JSON of the format's name and of all fields but the hash."""
    return hashlib.sha256(json.dumps([NAME, *fields]).encode("ascii")).hexdigest()


def check_link(head: tuple[int, str], entry: Entry) -> None:
    """Refuse an entry that does not follow `head`, or whose hash is not its own."""
    number, previous = head
    texts = all(type(field) is str for field in entry[1:])
    if type(entry.number) is not int or not texts:
        raise broken(number + 1, "numbers and text")
    if (entry.number, entry.previous) != (number + 1, previous):
        raise broken(number + 1, "next in the chain")
    if entry.hash != hash_of(tuple(entry[:-1])):
        raise broken(number + 1, "what its hash says")


def broken(number: int, requirement: str) -> BadLedger:
    """The error on an entry that is not what was written."""
    return BadLedger(f"entry {number} of the ledger", requirement, "something else", TRUSTED)
