"""An audit in a notebook: the card that it shows, and the picture of how its budget is split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument, Plain
from dpframe.notebooks import card, folded, sentences, table

from .figures import clipped, figure
from .plot import new_axes
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
        cost = figure(audit.joint_epsilon)
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


def draw_split(audit: Audit, ax: Any = None) -> Any:
    """A bar a release: its part of what all cost, with a mark at the share that it claims; of noise
    whose costs have no common unit, the share alone.
    """
    from .findings.waste import portions

    parts = portions(audit, {}) if audit.certificate is not None else ()
    true, claimed = [one.true for one in parts], [one.claimed for one in parts]
    costed, share = None not in true, f"share of {audit.target.currency[0]} that is claimed"
    bars = [100 * one for one in (true if costed else claimed) if one is not None]
    if not bars or len(bars) < len(parts):
        wanted = "one that is proved at numbers, of Gaussian noise or of shares that add up"
        way_out = "Give target and setting numbers; lines and str(audit) have what is known."
        raise InvalidArgument("audit", wanted, Plain(str(audit.verdict)), way_out)
    axes, places = new_axes() if ax is None else ax, range(0, -len(parts), -1)
    axes.barh(places, bars, height=0.6, color="C0", alpha=0.8)
    marks = [(100 * one, place) for one, place in zip(claimed, places, strict=True) if one]
    if costed and marks:
        style = {"color": "C1", "markersize": 18, "markeredgewidth": 2.5, "label": share}
        axes.plot(*zip(*marks, strict=True), "|", **style)
        axes.legend(fontsize="small", loc="lower right", markerscale=0.5)
    axes.set_yticks(places, [clipped(one.name, 30) for one in parts])
    label = f"part of what all cost alone, in {parts[0].unit}, %" if costed else f"{share}, %"
    axes.set(xlim=(0, 100), xlabel=label)
    axes.set_title(f"{type(audit.regression).__name__}: budget by release", fontsize="medium")
    return axes
