"""The first thing to change in what was audited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from dpframe.prover import Obligation, Verdict

from ..figures import clipped, figure, tidy
from .waste import Waste

if TYPE_CHECKING:
    from ..report import Audit

WORTH = 0.01  # relative: less noise wasted is not worth a change


@attrs.frozen
class Change:
    """`title`: what to do, `why`, `how` in terms of the declaration, and the `effect`."""

    title: str
    why: str
    how: str
    effect: str


def change(audit: Audit, waste: Waste | None) -> Change | None:
    """What stands in the way of a proof; else the noise that is wasted; else a claim about a share
    that fails. None where there is nothing to change.
    """
    if audit.verdict is not Verdict.PROVED:
        return _mend(audit, waste)
    if waste is not None and waste.factor < 1 - WORTH:
        return _save(waste)
    failing = [line.name for line in audit.lines if line.verdict is Verdict.REFUTED]
    return _restate(failing) if failing else None


def _mend(audit: Audit, waste: Waste | None) -> Change | None:
    obligation = _first(audit)
    if obligation is None:
        return None
    noise = obligation.kind == "total" and waste is not None
    if noise and waste is not None and waste.factor > 1:
        return Change(
            _times(waste),
            tidy(f"{clipped(obligation.node, 80)}: {clipped(obligation.rule, 200)}"),
            "dp.regressions.Jointly(of=...) finds the factor for each claim: a formula where "
            "there is one.",
            "All releases together then meet the claim exactly, with nothing to spare.",
        )
    how = obligation.repair or "See the open obligations below."
    witness = "" if obligation.witness is None else str(obligation.witness)
    return Change(
        tidy(f"Mend {clipped(obligation.node, 80)}"),
        tidy(clipped(obligation.rule, 240)),
        tidy(how[:1].upper() + how[1:] if how.split()[0].isalpha() else how),
        tidy(f"It removes this counterexample: {clipped(witness, 240)}" if witness else ""),
    )


def _first(audit: Audit) -> Obligation | None:
    """Private data in public first, then a refuted total, then anything refuted, then open."""
    opened = audit.report.open_obligations
    leaks = (one for one in audit.report.common if one.verdict is Verdict.REFUTED)
    refuted = (one for one in opened if one.verdict is Verdict.REFUTED)
    return next(leaks, None) or audit.broken or next(refuted, None) or next(iter(opened), None)


def _save(waste: Waste) -> Change:
    saved = 1 - waste.variance
    return Change(
        _times(waste),
        "The claim would still be met: all of the noise together costs less than is claimed.",
        "dp.regressions.Jointly(of=...) finds the factor for each claim: a formula where there is "
        "one.",
        f"The variance of all noise falls by {figure(100 * saved, 'down', 3)} per cent.",
    )


def _times(waste: Waste) -> str:
    """The factor, and where it is the right one."""
    if not waste.at:
        return f"Multiply all noise by {figure(waste.factor, 'up')}"
    factor = figure(waste.factor, "up")
    return tidy(
        f"Declare the noise jointly: at {waste.at} all of it would be {factor} times as large"
    )


def _restate(names: list[str]) -> Change:
    return Change(
        f"Drop the claims about single releases: {', '.join(dict.fromkeys(names))}",
        "They are false, though the claim about the whole is true.",
        "State no share for them, and cite the joint proof.",
        "Nothing that is released changes.",
    )
