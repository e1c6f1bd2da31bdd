"""The dossier on a terminal: a table of true costs, and why each refused claim is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from dpframe.audits.figures import paragraphs, short, table

from .case import Case

KEY = (
    "claimed for    the relation of the paper's definition, or of the code's sensitivities",
    "number         the true epsilon of what claims the one above, {delta}, B = Y = 1:",
    "               exact, rounded up; <= an upper bound; >= a lower one, by attack or proof,",
    "               > more than it; a to b: between; none: private data is read without noise or",
    "               nothing bounds a release, then what an attack shows; open: no bound is known",
    "!              the claim is refuted for its own relation: it costs more, or nothing bounds it",
    "private up to  the largest epsilon up to which the claim is true, rounded down; >= not known",
    "               to fail at once beyond; every: for each; -: no number decides it",
    "refuted        by numbers or a table, for this relation; not proved: nothing refutes it",
    "*              proved in a region of all parameters",
    "+              not for every parameter, though at some of these numbers",
)
MARKS = {
    "proved": "proved",
    "proved in a region": "proved*",
    "proved at numbers": "proved+",
    "refuted": "refuted",
    "refuted, true for some": "refuted+",
    "not proved": "not proved",
    "not proved, true for some": "not proved+",
}


def dossier_text(cases: Sequence[Case], width: int, *, why: bool = True) -> str:
    """One table a relation, then a paragraph for each claim that fails."""
    parts = []
    for relation, same in groupby(cases, lambda one: one.relation):
        listed = list(same)
        parts += [str(relation), *_table(listed), ""]
        parts += [line for one in listed if why and one.refused for line in _paragraph(one)]
    return paragraphs([*parts, *(line.format(delta=_delta(cases)) for line in KEY)], width)


def _delta(cases: Sequence[Case]) -> str:
    """`at delta = 1e-6 (0 where pure)`."""
    found = dict.fromkeys(one.delta for case in cases for one in case.accounts if one.delta)
    shown = " or ".join(map(short, found))
    pure = any(not one.delta for case in cases for one in case.accounts)
    if not shown:
        return "at delta = 0"
    return f"at delta = {shown}{' (0 where pure)' if pure else ''}"


def by_relation(cases: Iterable[Case]) -> list[Case]:
    """Cases in order of their relation, else as they are."""
    listed = list(cases)
    order = list(dict.fromkeys(str(one.relation) for one in listed))
    return sorted(listed, key=lambda one: order.index(str(one.relation)))


def _table(cases: Sequence[Case]) -> list[str]:
    claimed = [short(one.claimed) for one in cases[0].accounts]
    head = ["name", "claimed for", "verdict", "private up to", *claimed]
    rows = [_row(one) for one in cases]
    return [line.rstrip() for line in table(head, rows, range(3, 4 + len(claimed)))]


def _row(one: Case) -> list[str]:
    cells = [f"{account}{'!' if one.breaks(account) else ' '}" for account in one.accounts]
    return [one.name, one.claimed_for or "open", MARKS[one.everywhere], one.reach, *cells]


def _paragraph(one: Case) -> list[str]:
    told = [f"{one.name}: {one.reason}.", *(f"    also {line}." for line in one.also)]
    if one.told_limit:
        told.append(f"    The claim is {one.told_limit}.")
    if one.repair:
        told.append(f"    Repair: {one.repair}")
    if one.remark:
        told.append(f"    Remark: {one.remark}")
    return [*told, ""]
