"""Colours, light and dark, and how far two of them stand apart.

Colour says nothing on a page that a mark or a word does not say as well.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#fdfcf9",
    "sheet": "#f4f2ec",
    "ink": "#1d1c1a",
    "quiet": "#57534c",
    "rule": "#cfc9bd",
    "strong": "#6f695f",
    "link": "#1f4e79",
    "proved": "#17603a",
    "proved-sheet": "#eaf3ec",
    "refuted": "#9b1c1c",
    "refuted-sheet": "#fbecea",
    "unproved": "#7a4b00",
    "unproved-sheet": "#fbf2df",
    "band": "#b9cde0",
}
DARK = {
    "paper": "#171716",
    "sheet": "#222220",
    "ink": "#eceae4",
    "quiet": "#b3aea3",
    "rule": "#45423c",
    "strong": "#8e887c",
    "link": "#9cc4ec",
    "proved": "#84d0a0",
    "proved-sheet": "#182720",
    "refuted": "#ff9f94",
    "refuted-sheet": "#301c1a",
    "unproved": "#f0c06a",
    "unproved-sheet": "#2c2415",
    "band": "#33506b",
}
WRITTEN = (  # text, on what it stands
    ("ink", "paper"),
    ("ink", "sheet"),
    ("quiet", "paper"),
    ("quiet", "sheet"),
    ("link", "paper"),
    ("link", "sheet"),
    *(
        (name, on)
        for name in ("proved", "refuted", "unproved")
        for on in ("paper", f"{name}-sheet")
    ),
    *(("ink", f"{name}-sheet") for name in ("proved", "refuted", "unproved")),
    *(("quiet", f"{name}-sheet") for name in ("proved", "refuted", "unproved")),
)
DRAWN = (("strong", "paper"), ("strong", "sheet"))  # lines of pictures, on what they stand


def contrast(first: str, second: str) -> float:
    """The ratio of luminances, from 1 to 21, of two colours `#rrggbb`. (WCAG 2.2, 1.4.3)"""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance, 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def variables(colours: dict[str, str]) -> str:
    """As custom properties of a stylesheet."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
