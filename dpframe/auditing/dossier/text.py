"""The dossier on a terminal: a table of true costs, and why each refused claim is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from dpframe.auditing.figures import exactly, paragraphs, table

from .case import Case

KEY = (
    "number         the true epsilon of what claims the one above, at delta = 1e-6 (0 where pure),",
    "               B = Y = 1: exact, rounded up; <= an upper bound; >= a lower one, by attack;",
    "               none: private data is read without noise, nothing bounds it; open: not known",
    "!              the claim is refuted: it costs more, or nothing bounds it",
    "private up to  the largest epsilon up to which the claim is exactly true, rounded down",
    "*              proved in a region of all parameters",
    "+              not for every parameter, though at some of these numbers",
)
MARKS = {
    "proved": "proved",
    "proved in a region": "proved*",
    "proved at numbers": "proved+",
    "refused": "refused",
    "refused, true for some": "refused+",
}


def dossier_text(cases: Sequence[Case], width: int, *, why: bool = True) -> str:
    """One table a relation, then a paragraph for each claim that fails."""
    parts = []
    for relation, same in groupby(cases, lambda one: one.relation):
        listed = list(same)
        parts += [str(relation), *_table(listed), ""]
        parts += [line for one in listed if why and one.refused for line in _paragraph(one)]
    return paragraphs([*parts, *KEY], width)


def by_relation(cases: Iterable[Case]) -> list[Case]:
    """Cases in order of their relation, else as they are."""
    listed = list(cases)
    order = list(dict.fromkeys(str(one.relation) for one in listed))
    return sorted(listed, key=lambda one: order.index(str(one.relation)))


def _table(cases: Sequence[Case]) -> list[str]:
    claimed = [exactly(one.claimed) for one in cases[0].accounts]
    head = ["name", "verdict", "private up to", *claimed]
    rows = [_row(one) for one in cases]
    return [line.rstrip() for line in table(head, rows, range(2, 3 + len(claimed)))]


def _row(one: Case) -> list[str]:
    cells = [f"{account}{'!' if account.exceeds else ' '}" for account in one.accounts]
    return [one.name, MARKS[one.everywhere], one.reach, *cells]


def _paragraph(one: Case) -> list[str]:
    told = [f"{one.name}: {one.reason}.", *(f"    also {line}." for line in one.also)]
    if one.told_limit:
        told.append(f"    The claim is {one.told_limit}.")
    if one.repair:
        told.append(f"    Repair: {one.repair}")
    return [*told, ""]
