"""The card of an audit in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpframe.notebooks import card, folded, sentences, table

from .figures import figure
from .releases import MOST, Releases, release_table
from .sentence import goal, sentence

if TYPE_CHECKING:
    from .report import Audit

OPEN = 4  # obligations of a card


def audit_html(audit: Audit) -> str:
    """The claim, the releases, the joint cost, what is open, the sentence to sign, the page."""
    found, opened = Releases(audit), audit.report.open_obligations
    head, rows = release_table(found)
    lines = [f"Claimed: {goal(audit.claimed)}, for {audit.setting.unit}."]
    if audit.joint_epsilon is not None:
        cost = figure(audit.joint_epsilon, "up")
        lines.append(f"All releases together cost an epsilon of at most {cost}.")
    below = [f"... and {found.rest(MOST)}"] if found.rest(MOST) else []
    below += [f"Open: {one.node}: {one.rule}: {one.verdict}" for one in opened[:OPEN]]
    below += [f"... and {len(opened) - OPEN} more"] if len(opened) > OPEN else []
    return card(
        f"audit of {audit.regression}",
        sentences(lines),
        table(rows, head, texts=2),
        sentences([*below, " ".join(sentence(audit).split())]),
        folded("The page of the audit", str(audit)),
        verdict=str(audit.verdict),
    )
