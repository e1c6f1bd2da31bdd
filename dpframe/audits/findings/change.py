"""What to change in a declaration: one recommended remedy, and another that meets the same target,
with what it is better for.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.identity import own
from dpframe.mechanisms.base import Calibration
from dpframe.privacy import ApproxDP, PureDP
from dpframe.prover import Obligation, Verdict
from dpframe.prover.text import overspent, proved_aside
from dpframe.symbols import ONE
from dpframe.wording import (
    ANALYTIC,
    Formula,
    Spelled,
    Text,
    best_ways,
    calibration,
    capital,
    joined,
    say,
)

from ..figures import clipped, figure, listed
from ..sentence import plain_rule
from .saving import WORTH, Saving, size_name, sizes_text, unsplit
from .waste import LESS, Waste

if TYPE_CHECKING:
    from ..report import Audit

CLEAR = 0.25  # relative: so much less squared noise is worth another split
JOINTLY = say(
    "`dp.regressions.Jointly(of=...)` finds the factor for each claim: a formula where there is "
    "one."
)
BY_FACTOR = "Multiply each std and scale{} by {}, each variance by its square{}{}."
SIZED = "; give a release with a calibration its size in place of the calibration"
TOGETHER = "; leave out ``share``, so that all releases are judged together"
MET = "All releases together then meet the claim."
PROPORTIONS = "Better where the proportions of the noise are chosen for the error of the result."
SMALLEST = "Better where as little as possible is to be changed."
FEWEST = "Better where all noise is to keep its proportions."


@attrs.frozen
class Change:
    """`title`: what to do, `why`, `how` in terms of the declaration, the `effect`, and `otherwise`:
    another remedy that meets the same target, and when it is better; "" where there is none.
    `resplit`: it is another split of the budget.
    """

    title: str
    why: str
    how: str
    effect: str
    otherwise: str = ""
    resplit: bool = False


def change(audit: Audit, waste: Waste | None, best: Saving | None) -> Change | None:
    """What stands in the way of a proof; else the noise that is wasted; else a claim about a share
    that fails. None where there is nothing to change.
    """
    if audit.verdict is not Verdict.PROVED:
        return _mend(audit, waste, best)
    if waste is not None and waste.factor < 1 - WORTH:
        return _chosen(_save(audit, waste), _resplit(best, _spare(waste)), best, waste)
    failing = [line.name for line in audit.lines if line.verdict is Verdict.REFUTED]
    return _restate(failing) if failing else None


# -------------------------------------------------------- One factor of the noise, or another split
def _chosen(by_factor: Change, resplit: Change | None, best: Saving | None, waste: Waste) -> Change:
    """The factor, unless another split needs clearly less noise; the other as an alternative."""
    if best is None or resplit is None:
        return by_factor
    less = best.against_scaled
    if less >= CLEAR:
        better = SMALLEST if waste.kept else PROPORTIONS
        return attrs.evolve(resplit, otherwise=say("{}. {}", by_factor.title, better))
    if less <= WORTH or waste.kept:
        return by_factor
    saved = say("{} % less squared noise", figure(100 * less, "down", 3))
    split = say("{}: {}. Better where all releases count alike.", resplit.title, saved)
    return attrs.evolve(by_factor, otherwise=split)


def _resplit(best: Saving | None, why: Text) -> Change | None:
    """Another split of the budget, by its sizes."""
    if best is None:
        return None
    at = say(" at {}", best.at) if best.at else ""
    return Change(
        say("Split the budget anew{}{}", at, say(": {}", best.sizes) if best.sizes else ""),
        why,
        capital(say("{}.", best.way)),
        say("{} per cent less squared noise: {}.", best.percent, best.says),
        resplit=True,
    )


def _spare(waste: Waste) -> Text:
    one = len(waste.releases) == 1
    return say(
        "The claim would still be met{}: {} costs less than is claimed.",
        "" if waste.exact else f" ({LESS})",
        "it" if one else "all of the noise together",
    )


def _save(audit: Audit, waste: Waste) -> Change:
    how = _scaling(audit, waste)
    rule = _tightest(audit) if len(waste.releases) == 1 else None
    if rule is not None:
        how = say("Name {}, which sizes the noise so.", audit.advice(rule))
    return Change(
        _times(waste),
        _spare(waste),
        how,
        say(
            "The variance of {} falls by {} per cent{}.",
            waste.noise,
            figure(100 * (1 - waste.variance), "down", 3),
            _sizes(audit, waste),
        ),
    )


def _tightest(audit: Audit) -> Spelled | None:
    """The calibration that spends the claim exactly by this one release, where it has a name."""
    release = audit.report.problem.graph.releases[0]
    noise = release.noise
    if release.times != ONE or release.sampled is not None:
        return None  # a share is that of one draw, on all rows
    if noise.kind == "gaussian" and isinstance(audit.target, ApproxDP):
        return ANALYTIC
    pure = getattr(noise, "pure", None)
    if isinstance(audit.target, PureDP) and own(noise) and isinstance(pure, Calibration):
        return calibration(f"dp.{pure.name}", "pure")
    return None


def _scaling(audit: Audit, waste: Waste) -> Text:
    """How to multiply all noise by the factor: by a declaration in Python, or in the file."""
    if not audit.described:
        return JOINTLY
    of = f" of {listed(waste.changed)}" if waste.kept else ""
    releases = audit.report.problem.graph.releases
    sized = SIZED * any(one.rule is not None for one in releases)
    together = say(TOGETHER) if any(one.share is not None for one in releases) else ""
    return say(BY_FACTOR, of, waste.amount, sized, together)


def _times(waste: Waste) -> Text:
    """The factor, and where it is the right one."""
    one = len(waste.releases) == 1
    if not waste.at:
        return say("Multiply {} by {}", waste.noise, waste.amount)
    return say(
        "Calibrate {}: at {} {} would be {} times as large",
        "the noise" if one else "all noise together",
        waste.at,
        "it" if one else "all of it",
        waste.amount,
    )


def _sizes(audit: Audit, waste: Waste) -> Text:
    """`: std gram 8.253 -> 9.766`, where these are numbers."""
    sizes = sizes_text(size_name(line.noise for line in audit.lines), waste.releases)
    return say("{}{}", say(": {}", sizes) if sizes else sizes, waste.stays)


# --------------------------------------------------------------------- What stands in the way first
def _mend(audit: Audit, waste: Waste | None, best: Saving | None) -> Change | None:
    obligation = _first(audit, waste)
    if obligation is None:
        return None
    if waste is not None and solved_by_noise(obligation, waste):
        return _raise(audit, obligation, waste, best)
    if obligation in audit.report.overspent:
        return _shares(audit, obligation)
    node = clipped(obligation.node, 80)
    edit = obligation.edit
    read = None if edit is None else getattr(edit.value, "origin", None)
    title, why = say("Mend {}", node), obligation.rule
    if read is not None:
        label = Formula(clipped(read.label, 60))
        title = say("Put a public number in place of {}, which reads the data", label)
        why = capital(plain_rule(obligation))
    elif edit is not None and edit.what == "release":
        title = say("Release {} with noise, or leave it out", node)
    witness = clipped(obligation.example, 240)
    return Change(
        title,
        clipped(why, 240),
        capital(audit.advice(best_ways(obligation.repair))) or "See what stands in the way.",
        say("It removes this: {}", witness) if witness else "",
    )


def solved_by_noise(obligation: Obligation, waste: Waste | None) -> bool:
    """Whether more noise closes the obligation: the remedy is then that of `change`."""
    return obligation.kind == "total" and waste is not None and waste.factor > 1


def _raise(audit: Audit, obligation: Obligation, waste: Waste, best: Saving | None) -> Change:
    """More noise: by one factor, or by another split."""
    node, rule = clipped(obligation.node, 80), clipped(obligation.rule, 200)
    rest = " exactly, with nothing to spare" if waste.exact else f" ({LESS})"
    why = joined(". ", filter(None, (say("{}: {}", node, rule), unsplit(audit))))
    by_factor = Change(
        _times(waste),
        why,
        _scaling(audit, waste),
        say("All releases together then meet the claim{}{}.", rest, _sizes(audit, waste)),
    )
    if waste.kept:
        every = say("Multiply all noise by {}. {}", figure(waste.whole, "up"), FEWEST)
        by_factor = attrs.evolve(by_factor, otherwise=every)
    split = _resplit(best, why)
    if split is not None:
        split = attrs.evolve(split, effect=say("{} {}", split.effect, MET))
    return _chosen(by_factor, split, best, waste)


def _shares(audit: Audit, obligation: Obligation) -> Change:
    """Of shares that sum to more than the claim."""
    of = Formula("" if obligation.edit is None else obligation.edit.name)
    aside = audit.advice(proved_aside(audit.report)) if audit.report.aside else ""
    repair = audit.advice(best_ways(obligation.repair))
    return Change(
        say("Lower the shares of {}{}", of, ", or name another accountant" * bool(aside)),
        say("{}.", capital(joined("; ", overspent(audit.report)))),
        say("{} Or {}", aside, repair) if aside else capital(repair),
        "The total then holds as declared." if aside else "",
    )


def _first(audit: Audit, waste: Waste | None) -> Obligation | None:
    """Private data in public first, then a refuted total, then anything refuted, then open. Where
    no factor of all noise mends the total, a refuted release, that at the least epsilon first.
    """
    opened = audit.report.open_obligations
    leaks = (one for one in audit.report.common if one.verdict is not Verdict.PROVED)
    refuted = [one for one in opened if one.verdict is Verdict.REFUTED]
    single = [one for one in refuted if waste is None and one.kind != "total" and one.witness]
    worst = min(single, key=_epsilon, default=None)
    return next(leaks, None) or worst or audit.broken or next(iter([*refuted, *opened]), None)


def _epsilon(obligation: Obligation) -> Fraction:
    values = {} if obligation.witness is None else obligation.witness.values
    return values.get("epsilon", Fraction(0))


def _restate(names: list[str]) -> Change:
    return Change(
        say("Drop the claims about single releases: {}", ", ".join(dict.fromkeys(names))),
        "They are false, though the claim about the whole is true.",
        "State no share for them, and cite the joint proof.",
        "Nothing that is released changes.",
    )
