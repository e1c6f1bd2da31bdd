"""The works that a page cites, resolved: bibliography.json is made from docs/bibliography.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import attrs

CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)\b")
ENTRY = re.compile(r"^\[(\w+)\]\n((?:[: ] .*\n?)+)", re.MULTILINE)
WHOLE = re.compile(r".*?\b(19|20)\d{2}\.")
MARKUP = re.compile(r"\[([^\]]+)\]\([^)]*\)|[*`$]")


@attrs.frozen
class Source:
    """A key such as BalleW18, and the reference in plain text."""

    key: str
    text: str


def sources(texts: Iterable[str]) -> tuple[Source, ...]:
    """The works that these texts cite as [Key, place], each once, by key.

    >>> [one.key for one in sources(["proved by [BalleW18, Thm 8]", "nothing"])]
    ['BalleW18']
    """
    keys = sorted({key for text in texts for key in CITATION.findall(text)})
    known = bibliography()
    return tuple(Source(key, known[key]) for key in keys if key in known)


@cache
def bibliography() -> dict[str, str]:
    """Every reference in plain text, by key."""
    text = files("dpframe.audits.findings").joinpath("bibliography.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def read(page: str) -> dict[str, str]:
    """The references of docs/bibliography.md in plain text, by key."""
    return {key: _plain(body) for key, body in ENTRY.findall(page)}


def _plain(body: str) -> str:
    """The reference, up to the year at its end; what is said of its theorems stays in the docs."""
    words = " ".join(line.lstrip(": ").strip() for line in body.splitlines())
    plain = MARKUP.sub(lambda match: match[1] or "", words)
    whole = WHOLE.match(plain)
    return whole[0] if whole else plain
