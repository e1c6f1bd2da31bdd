"""Writes dpframe/audits/findings/bibliography.json from docs/bibliography.md."""

import json
import re
from pathlib import Path

import dpframe

PACKAGE = Path(dpframe.__file__).parent
PAGE = PACKAGE.parent / "docs" / "bibliography.md"
FILE = PACKAGE / "audits" / "findings" / "bibliography.json"
ENTRY = re.compile(r"^\[(\w+)\]\n((?:[: ] .*\n?)+)", re.MULTILINE)
WHOLE = re.compile(r".*?\b(19|20)\d{2}\.")
MARKUP = re.compile(r"\[([^\]]+)\]\([^)]*\)|[*`$]")


def text() -> str:
    """What the file should hold."""
    return json.dumps(read(PAGE.read_text("utf-8")), indent=1, ensure_ascii=False) + "\n"


def read(page: str) -> dict[str, str]:
    """The references of docs/bibliography.md in plain text, by key."""
    return {key: _unmarked(body) for key, body in ENTRY.findall(page)}


def _unmarked(body: str) -> str:
    """The reference, up to the year at its end; what is said of its theorems stays in the docs."""
    words = " ".join(line.lstrip(": ").strip() for line in body.splitlines())
    plain = MARKUP.sub(lambda match: match[1] or "", words)
    whole = WHOLE.match(plain)
    return whole[0] if whole else plain


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
