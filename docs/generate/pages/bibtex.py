"""docs/references.bib, from the bibliography: `python -m docs.generate.pages.bibtex` writes it."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2]
FILE = DOCS / "references.bib"
ENTRY = re.compile(r"^\[(\w+)\]\n: (.*?)(?=^\[\w+\]$|\Z)", re.MULTILINE | re.DOTALL)
WORKS = (  # with the title in italics, perhaps without authors; or plain
    re.compile(r"(?:([^*]*?)\. )?\*(.*?)\.?\*[.,]? ?"),
    re.compile(r"(.*?\w\w)\. (.*?)\. "),
)
YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
SPECIAL = re.compile(r"([&%$#_])")


def entry(key: str, text: str) -> str:
    """A work as BibTeX; empty for what has neither a title in italics nor a year."""
    whole = " ".join(text.split())
    italic, plain = (work.match(whole) for work in WORKS)
    work = italic or plain
    if work is None:
        return ""
    authors, title = work.groups(default="")
    rest = whole[work.end() :].partition(". ")[0]
    year = YEAR.search(rest)
    if year is None and italic is None:
        return ""
    fields = {
        "author": authors.replace(" (editors)", "").replace(", ", " and "),
        "title": f"{{{title}}}",
        "howpublished": rest[: year.start()].rstrip(", ") if year else "",
        "year": year[0] if year else "",
    }
    lines = [f"  {name} = {{{escaped(value)}}},\n" for name, value in fields.items() if value]
    return f"@misc{{{key},\n{''.join(lines)}}}\n"


def escaped(value: str) -> str:
    """With a backslash before what TeX reads as a command."""
    return SPECIAL.sub(r"\\\1", value)


def page() -> str:
    """All works, by key."""
    text = (DOCS / "bibliography.md").read_text("utf-8")
    return "\n".join(filter(None, (entry(key, body) for key, body in ENTRY.findall(text))))


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
