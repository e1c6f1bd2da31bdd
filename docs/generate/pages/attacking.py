"""The table of docs/attacking.md: `python -m docs.generate.pages.attacking` writes it anew."""

from __future__ import annotations

import math
from pathlib import Path

import dpframe as dp
from dpframe.audits.lower_bounds.attack import Attack
from tests.lower_bounds import attacked_cases as cases

PAGE = Path(__file__).parents[2] / "attacking.md"
START, END = "<!-- generated from here -->", "<!-- to here -->"
HEAD = """\
| attacked | relation | claimed epsilon | at delta | epsilon at least | mu at least | true | x0.7 |
|---|---|---|---|---|---|---|---|"""


def rows() -> list[list[str]]:
    """A row for each mechanism, and for each regression and relation that is certified."""
    found = []
    for cls in cases.MECHANISMS:
        relation = cases.RELATIONS.get(cls, dp.ADD_REMOVE)
        found.append(
            row(cls, relation, cases.mechanism_attack(cls), cases.mechanism_attack(cls, "0.7"))
        )
    for cls, relation in cases.certified():
        attacks = (cases.regression_attack(cls, relation, factor) for factor in ("1", "0.7"))
        found.append(row(cls, relation, *attacks))
    return found


def row(cls: type, relation: dp.Relation, true: Attack, faulty: Attack) -> list[str]:
    """What became of one of them."""
    return [
        f"`{cls.__name__}`",
        str(relation),
        f"{true.claimed:.3g}",
        f"{float(true.delta):.0e}" if true.delta else "0",
        f"{surely(true.epsilon):.1f}",
        f"{surely(true.mu):.1f}",
        "flagged" if true.flagged else "held",
        "flagged" if faulty.flagged else "held",
    ]


def surely(found: float) -> float:
    """A tenth less and rounded down: a search on another machine finds no less."""
    return max(0, math.floor(10 * found - 1)) / 10


def table() -> str:
    """The table as Markdown."""
    return "\n".join([HEAD, *(f"| {' | '.join(one)} |" for one in rows())])


def shown() -> list[list[str]]:
    """The rows that the page has."""
    inside = PAGE.read_text().partition(START)[2].partition(END)[0].strip().splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in inside]


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{table()}\n{END}{after}")
