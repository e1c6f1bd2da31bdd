"""How the budget is split, and how much noise is wasted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import clipped
from ..findings import Findings, Portion, Waste
from .elements import Content, Element, element, percent, plain_words, shown, words
from .parts import Section, cell, framed, heading, paragraph, table
from .split_picture import Part, parts, split_picture, swatch
from .together import example

NAME, MOST = 80, 24
CLAIMED = "Claimed: the share of the budget that the declaration states for a release."
SILENT = "The declaration claims nothing for single releases."
TRUE = "True: what it costs alone, as a part of what all of them cost alone, in {}."


def split(found: Findings) -> Section:
    """The split of the budget as bars, and as a table that names their parts."""
    drawn = parts(found.portions)
    figure = element(
        "figure",
        framed(split_picture(found.portions), "Split of the budget"),
        element("figcaption", paragraph(*words(_said(found.portions)))),
    )
    contents = (*example(found), figure, _table(drawn, _unit(found.portions)))
    return Section("split", "How the budget is split", contents)


def _unit(portions: Sequence[Portion]) -> str:
    return next((clipped(one.unit, NAME) for one in portions if one.unit), "")


def _said(portions: Sequence[Portion]) -> str:
    claims = any(one.claimed is not None for one in portions)
    true = any(one.true is not None for one in portions)
    said = [CLAIMED if claims else SILENT]
    said += [TRUE.format(_unit(portions))] if true else []
    without = [clipped(one.name, NAME) for one in portions if one.true is None]
    said += [f"No such number: {', '.join(without[:8])}."] if true and without else []
    return " ".join(said)


def _table(drawn: Sequence[Part], unit: str) -> Element:
    columns = {"claimed": [one.claimed for one in drawn], "true": [one.true for one in drawn]}
    held = {name: shares for name, shares in columns.items() if any(s is not None for s in shares)}
    rows = [
        [*_name(i, one), *(cell(percent(shares[i]), class_="number") for shares in held.values())]
        for i, one in enumerate(drawn)
    ]
    head = ["pattern", "release", *held]
    titles = [plain_words(f"true, of {unit}" if one == "true" else one) for one in head]
    return table("split", "Parts of the bars", titles, rows, range(2, len(head)), narrow=True)


def _name(place: int, one: Part) -> Iterator[Element]:
    yield element("td", swatch(place), class_="pattern")
    yield heading(f"{place + 1} ", element("span", clipped(one.name, NAME), class_="name"))


def waste(found: Findings, wasted: Waste) -> Section:
    """Noise that is wasted, or missing."""
    factors = (
        f"All noise × {shown(wasted.factor, 'up')}, all variance × {shown(wasted.variance, 'up')}."
    )
    said = paragraph(
        element("strong", factors), " ", *words(clipped(wasted.says, 600)), class_="finding"
    )
    rows = [
        [
            heading(element("span", clipped(name, NAME), class_="name")),
            cell(shown(declared), class_="number"),
            cell(shown(enough, "up"), class_="number"),
        ]
        for name, declared, enough in dict.fromkeys(wasted.releases)
        if declared is not None
    ]
    contents: list[Content] = [*example(found), said]
    if rows:
        head = ("release", "as declared", "enough")
        caption = "Noise as declared, and as it would be enough"
        contents.append(table("waste", caption, head, rows[:MOST], [1, 2], narrow=True))
    return Section("waste", _title(wasted), tuple(contents))


def _title(wasted: Waste) -> str:
    if wasted.tight:
        return "No noise is wasted"
    return "Noise that is wasted" if wasted.factor < 1 else "Noise that is missing"
