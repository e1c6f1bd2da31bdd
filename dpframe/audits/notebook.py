"""An audit in a notebook: the card that it shows, and the picture of how its budget is split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpframe.errors import InvalidArgument, Plain
from dpframe.notebooks import card, folded, sentences, table
from dpframe.privacy import Share
from dpframe.symbols import Number

from .figures import figure
from .plot import new_axes
from .sentence import goal, sentence

if TYPE_CHECKING:
    from .lines import ReleaseLine
    from .report import Audit

SHOWN = 12  # releases of a card
HEAD = ("release", "of", "sensitivity", "share claimed", "exact epsilon", "exact delta", "claim")


def audit_html(audit: Audit) -> str:
    """The claim, the releases, the joint cost, what is open, the sentence to sign, the page."""
    rows = [_cells(line) for line in audit.lines[:SHOWN]]
    beyond = len(audit.lines) - SHOWN
    joint = "" if audit.joint_epsilon is None else figure(audit.joint_epsilon)
    lines = [
        f"Claimed: {goal(audit.claimed)}, for {audit.setting.unit}.",
        *([f"All releases together cost an epsilon of at most {joint}."] if joint else []),
        *([f"... and {beyond} more releases."] if beyond > 0 else []),
    ]
    return card(
        f"audit of {audit.regression}",
        sentences(lines),
        table(rows, HEAD, texts=4),
        sentences([*_open(audit), " ".join(sentence(audit).split())]),
        folded("The page of the audit", str(audit)),
        verdict=str(audit.verdict),
    )


def _cells(line: ReleaseLine) -> list[str]:
    found: dict[str, Any] = line.record()
    numbers = (found["exact_epsilon"], found["exact_delta"])
    exact = ["-" if one is None else figure(one) for one in numbers]
    share = "-" if line.share is None else f"({line.share})"
    return [
        found["name"],
        found["statistic"],
        found["sensitivity"] or "-",
        share,
        *exact,
        found["claim"] or "-",
    ]


def _open(audit: Audit) -> list[str]:
    """What is not proved, the first four."""
    found = audit.report.open_obligations
    lines = [f"Open: {one.node}: {one.rule}: {one.verdict}" for one in found[:4]]
    return [*lines, *([f"... and {len(found) - 4} more"] if len(found) > 4 else [])]


def draw_split(audit: Audit, ax: Any = None) -> Any:
    """A bar a release: its part of what all take together; a mark at the share that it claims."""
    from .splits.split import parts_of

    parts, what = parts_of(audit.certificate) if audit.certificate is not None else ({}, "")
    if not parts:
        wanted = "one that is proved at numbers, of Gaussian noise or of shares that add up"
        way_out = "Give target and setting numbers; lines and str(audit) have what is known."
        raise InvalidArgument("audit", wanted, Plain(str(audit.verdict)), way_out)
    axes = new_axes() if ax is None else ax
    places = range(0, -len(parts), -1)
    axes.barh(places, [100 * part for part in parts.values()], height=0.6, color="C0", alpha=0.8)
    claimed = {line.name: _claimed(audit, line) for line in audit.lines}
    marks = [(claimed.get(name), place) for name, place in zip(parts, places, strict=True)]
    claims = [(100 * share, place) for share, place in marks if share is not None]
    if claims:
        axes.plot(*zip(*claims, strict=True), "|", color="C1", markersize=18, markeredgewidth=2.5)
        axes.plot([], [], "|", color="C1", label=f"share of {currency_of(audit)} that is claimed")
        axes.legend(fontsize="small", loc="lower right")
    axes.set_yticks(places, [name if len(name) < 30 else f"{name[:29]}..." for name in parts])
    axes.set(xlim=(0, 100), xlabel=f"part of what is spent, in {what}, %")
    axes.set_title(f"{type(audit.regression).__name__}: budget by release", fontsize="medium")
    return axes


def currency_of(audit: Audit) -> str:
    """The name of the first amount of the target."""
    return audit.target.currency[0]


def _claimed(audit: Audit, line: ReleaseLine) -> float | None:
    """The share of the first amount of the target that a release claims, where it is a number."""
    if not isinstance(line.share, Share) or currency_of(audit) not in line.share.currency:
        return None
    part, whole = line.share.amount(currency_of(audit)), audit.target.amounts[0]
    ratio = part / whole
    return float(ratio.value) if isinstance(ratio, Number) else None
