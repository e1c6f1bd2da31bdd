"""Colours, light and dark, and the stylesheet: constants, which nothing that an audit says enters.

Colour says nothing on a page that a mark or a word does not say as well.
"""

from __future__ import annotations

from pathlib import Path

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


def _variables(colours: dict[str, str]) -> str:
    """As custom properties of a stylesheet."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


RULES = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
STYLE = (
    f":root {{ color-scheme: light dark; {_variables(LIGHT)} }}\n"
    f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}\n{RULES}"
)
