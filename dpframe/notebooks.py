"""What notebooks show of a value: tables and sentences as HTML that stands alone, without scripts,
style sheets or colours of its own but for verdicts, so that it reads on light and dark pages; and
the library that draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from dpframe.errors import MissingExtra

LINE = "1px solid rgba(128, 128, 128, 0.4)"
COLOURS = {"proved": "#2e8b57", "refuted": "#d9534f", "unproved": "#c08a1e"}
MARKS = {"proved": "\N{CHECK MARK}", "refuted": "\N{BALLOT X}", "unproved": "?"}
CELL = "padding: 0.2em 0.8em; vertical-align: top; background: transparent; text-align: "
LONGEST = 2000  # characters of a cell or a sentence


def shown(text: object) -> str:
    """A text with what is not seen as numbers, long ones without their end, escaped."""
    cut = str(text)
    cut = cut if len(cut) <= LONGEST else f"{cut[:LONGEST]} ..."
    visible = (one if one.isprintable() or one == "\n" else f"\\u{ord(one):04x}" for one in cut)
    return escape("".join(visible))


def table(rows: Iterable[Sequence[object]], head: Sequence[object] = (), *, texts: int = 1) -> str:
    """Rows below a head; the first `texts` columns to the left, numbers to the right."""
    lines = [_row(head, "th", texts, f"border-bottom: {LINE}; ")] if head else []
    lines += [_row(row, "td", texts, "") for row in rows]
    style = "border-collapse: collapse; border: none; font-variant-numeric: tabular-nums"
    return f'<table style="{style}">{"".join(lines)}</table>'


def _row(cells: Sequence[object], tag: str, texts: int, style: str) -> str:
    found = [
        f'<{tag} style="{style}{CELL}{_align(place, texts)}">{shown(cell)}</{tag}>'
        for place, cell in enumerate(cells)
    ]
    return f'<tr style="background: transparent">{"".join(found)}</tr>'


def _align(place: int, texts: int) -> str:
    """Titles and numbers are never broken."""
    side = "left" if place < texts else "right"
    return side if 0 < place < texts else f"{side}; white-space: nowrap"


def sentences(texts: Iterable[object]) -> str:
    """A paragraph each."""
    return "".join(f'<p style="margin: 0.4em 0">{shown(text)}</p>' for text in texts)


def folded(title: str, text: str) -> str:
    """A text as it is printed, behind its title."""
    style = "white-space: pre; overflow-x: auto; background: transparent; color: inherit"
    body = escape(text)
    return f'<details><summary>{shown(title)}</summary><pre style="{style}">{body}</pre></details>'


def bar(share: float) -> str:
    """A share in [0, 1] as a filled length."""
    most = min(max(share, 0.0), 1.0)
    return (
        f'<div style="width: 20em; border: {LINE}; border-radius: 3px">'
        f'<div style="width: {100 * most:.2f}%; height: 0.7em; '
        'background: rgba(90, 140, 200, 0.8)"></div></div>'
    )


def card(title: object, *parts: str, verdict: str = "") -> str:
    """Parts under a title, with a verdict by mark, word and colour."""
    colour = COLOURS.get(verdict, "rgba(128, 128, 128, 0.6)")
    mark = f'<span style="color: {colour}">{MARKS.get(verdict, "")} {shown(verdict)}</span> '
    style = f"border-left: 4px solid {colour}; padding: 0.1em 0 0.1em 0.9em; max-width: 60em; "
    style += "margin-bottom: 0.8em"
    head = f"<div><strong>{mark if verdict else ''}{shown(title)}</strong></div>"
    return f'<div style="{style}">{head}{"".join(parts)}</div>'


def pyplot() -> Any:
    """matplotlib's. Raises MissingExtra."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error
    return plt


def data_frame(records: Any) -> Any:
    """Of pandas. Raises MissingExtra without it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("pandas", "sklearn") from error
    return pd.DataFrame(records)
