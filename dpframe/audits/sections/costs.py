"""What a document says of costs: the numbers that matter most, bounds by every accountant, the
split of the budget, noise against what is enough, the profile, what each record pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpframe.errors import DPFrameError
from dpframe.numbers import shortest
from dpframe.privacy import ADD_REMOVE, ApproxDP, PureDP
from dpframe.privacy.guarantees import order_of
from dpframe.prover import Verdict
from dpframe.prover.mixture import ADDED, amplified
from dpframe.symbols import ONE
from dpframe.wording import Code, Formula, Text, capital, joined, say

from .. import figures
from ..blocks import Block, Cells, Column, Pairs, Picture, Say, Table, number
from ..figures import chosen, clipped, equals, figure, formula, listed, percent, short
from ..findings import Findings
from ..findings.accountants import AccountantBounds, Profile
from ..findings.saving import ALIKE
from ..findings.waste import Waste
from ..lines import lower_end
from ..pictures import PARTS, AxisScale, parts
from ..record_costs import budget_report
from ..report import Audit
from ..sentence import own_cost, values_text

TIGHT = Fraction(1, 10**9)  # more than rounding adds to an exact calibration
ROWS = 24  # of a table
CLAIMED = "Claimed: the share of the budget that the declaration states for a release."
MEANING = (
    "At least: some pair of neighbours costs so much. At most: so much is enough, for all tables."
)
POINTS = 6  # steps of the table of the profile


# --------------------------------------------------------------------- The numbers that matter most
def headline(findings: Findings) -> Iterator[tuple[str, str, str]]:
    """What each number is, the number, at what."""
    audit = findings.audit
    if audit.claimed is audit.target and "epsilon" in audit.target.currency:
        yield "Claimed", *_target(audit)
    yield from _true(findings)
    if findings.waste is not None:
        of = "at the counterexample" if audit.refuted_at else "in the example"
        where = f", {of}" if findings.at else ""
        yield "Noise needed", say("× {}", findings.waste.amount), _needed(findings.waste) + where
    if findings.saving is not None:
        by = Code("dp.best_split") if findings.saving.call else "these sizes"
        at = say(" at {}", findings.saving.at) if findings.saving.at else ""
        saved = say("of the squared noise{} saved by {}", at, by)
        note = joined(": ", filter(None, (saved, findings.saving.sizes)))
        yield "Best split", f"{findings.saving.percent} %", note
    count = len(audit.report.open_obligations)
    if count:
        yield "In the way", str(count), "open obligation" + "s" * (count > 1)


def _target(audit: Audit) -> tuple[str, str]:
    """The claim: its numbers, or that it has letters."""
    epsilon, *rest = map(lower_end, audit.target.amounts)
    if epsilon is None:
        reach = (
            "for all values; proved for some" if audit.where else "for all values in their ranges"
        )
        return clipped(joined(", ", audit.target.amounts), 40), reach
    delta = "0" if not rest else Formula("delta") if rest[0] is None else short(rest[0])
    return say("$epsilon$ = {}", short(epsilon)), say("at $delta$ = {}", delta)


def _true(findings: Findings) -> Iterator[tuple[str, str, str]]:
    """The tightest answer, and at which numbers."""
    audit = findings.audit
    best = [one for one in findings.accountants if one.upper is not None]
    if best:
        at = values_text(findings.at)
        usual = best[0].delta and not isinstance(audit.target, ApproxDP)
        note = say("for {}", at) if at else say("at $delta$ = {}", figure(best[0].delta))
        note = say("at the counterexample, {}", at) if at and audit.refuted_at else note
        note += ", which the claim has not" if usual else ""
        if audit.verdict is Verdict.PROVED and not usual:
            note += "; sign the claim, not this"
        limit = claimed(findings) if isinstance(audit.target, ApproxDP) else None
        ends = best[0].lower or 0.0, best[0].upper or 0.0
        yield "True cost", say("$epsilon$ {}", equals(ends, limit)), note
    elif not audit.bounded:
        yield "True cost", "no bound", "until what stands in the way is mended"


def _needed(wasted: Waste) -> str:
    """What the factor means."""
    of = f"of {wasted.noise}" if wasted.kept else "of what is added"
    if wasted.tight:
        exactly = "none is wasted" if wasted.exact else "joint calibration would save none"
        return f"{of}: {exactly}"
    if not wasted.exact:
        return f"{of} is enough; less may be enough"
    return f"{of} would do" if wasted.factor < 1 else f"{of} is needed"


def example(findings: Findings) -> Text:
    """At which numbers costs are stated, where the claim has letters."""
    at = values_text(findings.at)
    if not at or not (findings.accountants or findings.waste or findings.saving):
        return say("")
    if findings.audit.refuted_at:
        return say("At the counterexample, {}; elsewhere costs may differ.", at)
    return say("By way of example, costs are stated at {}; elsewhere they may differ.", at)


def claimed(findings: Findings) -> Fraction | None:
    """epsilon of the claim; that of the example where it is symbolic."""
    target = findings.audit.target
    if "epsilon" not in target.currency:
        return None
    value = lower_end(target.amounts[0])
    return findings.at.get("epsilon") if value is None else value


# ---------------------------------------------------------------------------- All releases together
def together(findings: Findings) -> Iterator[Block]:
    """Bounds by every accountant, tightest first."""
    audit, limit = findings.audit, claimed(findings)
    yield from (Say(one, "note") for one in uncounted(audit))
    yield Say(_joint(audit))
    if not findings.accountants:
        return
    delta = findings.accountants[0].delta
    if delta and not isinstance(audit.target, ApproxDP):
        call = Code("certificate.as_composition().epsilon(delta)")
        usual = "This $delta$ is for orientation: the claim has none; {} is the cost at another."
        yield Say(say(usual, call), "note")
    scale = AxisScale.of(findings.accountants, None if limit is None else float(limit))
    title = "drawn, powers of ten" if scale and scale.logarithmic else "drawn from 0"
    title += "" if limit is None else ", the claim dashed"
    columns: Cells = {
        Column("accountant"): lambda one: one.name,
        Column("how", under=True, detail=True): lambda one: say("{} {}", one.says, one.source),
        Column("against the claim"): lambda one: _against(findings, one),
        Column("at least", number=True): lambda one: number(one.lower, "down"),
        Column("at most", number=True): lambda one: number(one.upper, "up") or "no answer",
        Column(title, picture="interval"): lambda one: scale and (one, scale),
    }
    at = values_text({**findings.at, "delta": shortest(delta)})
    caption = say("Bounds on $epsilon$ at {}, tightest first", at)
    yield Table.of("accountants", caption, findings.accountants, columns)
    yield Say(MEANING, "note", detail=True)


def _against(findings: Findings, one: AccountantBounds) -> str | None:
    """What it says of the claim. Only where that is proved, a hair above it is inside."""
    limit = claimed(findings)
    if one.upper is None:
        return "does not apply"
    if limit is None:
        return None
    if one.lower is not None and one.lower > limit:
        return "above it: the claim is false"
    room = TIGHT if findings.audit.verdict is Verdict.PROVED else 0
    return "inside it" if one.upper <= limit * (1 + room) else "does not prove it"


def _joint(audit: Audit) -> Text:
    """The exact cost of everything together, as one Gaussian release, at the claim."""
    cost = audit.joint
    if cost is None or (cost.sampled and cost.epsilon is None and _counting(audit)):
        return say("")
    known = "exactly" if cost.sharp else "within bounds" if cost.mu[0] > 0 else "an upper bound"
    start = say("All releases together, {} ({}): ", known, cost.rule)
    if cost.epsilon is None or cost.delta is None:
        return say("{}{}.", start, own_cost(audit, cost))
    epsilon, delta = map(formula, audit.target.amounts)
    low, small = map(lower_end, audit.target.amounts)
    mu = "" if cost.sampled else say(", as one Gaussian release of $mu$ {}", equals(cost.mu))
    return say(
        "{}$epsilon$ {} at $delta$ = {} (claimed {}), $delta$ {} at $epsilon$ = {} (claimed {}){}.",
        start,
        equals(cost.epsilon, low),
        delta,
        epsilon,
        equals(cost.delta, small),
        epsilon,
        delta,
        mu,
    )


def _counting(audit: Audit) -> bool:
    """Whether samples of Gaussian noise are counted for a target of this currency, at numbers."""
    currency = audit.target.currency
    return "epsilon" in currency or order_of(currency) is not None


def uncounted(audit: Audit) -> Iterator[Text]:
    """Whose samples are charged as if every draw read all rows, and what would count them."""
    unit, problem = audit.setting.unit, audit.report.problem
    sampled = [one for one in problem.graph.releases if one.sampled is not None]
    left = [one for one in sampled if one.hides is None or one.gives is not PureDP]
    left = [one for one in left if not (_counting(audit) and amplified(one))]
    if left:
        why: str = say(
            ": the claim is one of {}; claim $epsilon$ and $delta$",
            Formula(audit.target.currency[0]),
        )
        if unit.rows_per_person != ONE:
            why = ": a person has several rows, each with a coin of its own"
        elif audit.setting.relation is not ADD_REMOVE and left[0].gives is PureDP:
            why = " under replace-one; take add/remove"
        elif left[0].gives not in ADDED:
            why = f": no theorem amplifies {left[0].noise.kind.replace('_', ' ')} noise here"
        names = listed([one.label for one in left])
        yield say("Samples of {} are not counted{}.", names, why)


# ----------------------------------------------------------------------------- The split, and noise
def split(findings: Findings) -> Iterator[Block]:
    """The share of each release, claimed and true; whether the budget is split at all."""
    yield Say(findings.unsplit, "finding")
    drawn = parts(findings.portions)
    if len(drawn) < 2:
        return
    unit, texts = Formula(drawn[0].unit), []
    if any(one.claimed is not None for one in drawn):
        texts = [CLAIMED]
    if any(one.true is not None for one in drawn):
        texts.append(say("True: its part of what all of them cost, in {}.", unit))
        without = [clipped(one.name, 80) for one in findings.portions if one.true is None]
        texts += [say("No such number: {}.", joined(", ", without[:PARTS]))] if without else []
    yield Picture("split", "Split of the budget", drawn, joined(" ", texts))
    columns: Cells = {
        Column("pattern", picture="swatch"): drawn.index,
        Column("release"): lambda one: say("{} {}", drawn.index(one) + 1, one.name),
        Column("claimed", number=True): lambda one: percent(one.claimed),
        Column(say("true, of {}", unit), number=True): lambda one: percent(one.true),
        Column(say("$epsilon$ without it"), number=True): lambda one: number(one.without, "up"),
    }
    yield Table.of("split", "Parts of the budget", drawn, columns)


def change_title(findings: Findings) -> str:
    """Whether something is to be changed."""
    changed = findings.change is not None
    return "The first thing to change" if changed else "The best split of the budget"


def change(findings: Findings) -> Iterator[Block]:
    """What to change first, or the best split where nothing must change; and the noise as declared,
    as it is enough in the same proportions, and at the best split.
    """
    one, best = findings.change, findings.saving
    if one is not None:
        yield Say(one.title, "lead")
        reasons = [("Why", capital(one.why)), ("How", one.how), ("Effect", one.effect)]
        yield Pairs([*reasons, ("Or", one.otherwise)])
    if best is not None and (one is None or not one.resplit):
        at = say(" at {}", best.at) if best.at else ""
        saves = "The best split of the budget saves {} % of the squared noise{}: {}. {}."
        message = say(saves, best.percent, at, best.says, capital(best.way))
        yield Say(message, "finding", detail=one is not None)
    columns: Cells = {
        Column("release"): lambda row: row[0],
        Column("as declared", number=True): lambda row: number(row[1]),
        Column("enough", number=True): lambda row: number(row[2], "up"),
        Column("best split", number=True): lambda row: number(row[3], "up"),
    }
    if best is not None or (findings.waste is not None and not findings.waste.tight):
        word = "Size" if best is None else capital(best.noise)
        rows = _sizes(findings)[:ROWS]
        yield Table.of("noise", f"{word} of the noise", rows, columns, detail=True)
    if best is not None:
        yield Say(ALIKE, "note", detail=True)


def _sizes(findings: Findings) -> list[tuple[str, float | None, float | None, float | None]]:
    """Of each release its noise as declared, enough, and at the best split; equal rows once."""
    waste, best = findings.waste, findings.saving
    known = {} if best is None else {name: (now, then) for name, now, then in best.releases}
    scaled = waste is not None and not waste.tight
    enough = waste.releases if waste else [(name, None, None) for name in known]
    rows = []
    for name, now, then in enough:
        own, split = known.get(name, (None, None))
        rows.append((name, own if now is None else now, then if scaled else None, split))
    return [row for row in dict.fromkeys(rows) if row[1] is not None]


# ------------------------------------------------------------------ The profile, and single records
def sharp(findings: Profile) -> bool:
    """Whether the bounds of a profile are one curve, as far as it is drawn."""
    return all(map(figures.sharp, findings.lower, findings.upper))


def profile(findings: Findings) -> Iterator[Block]:
    """delta as a function of epsilon, and where the claim is."""
    drawn = findings.profile
    if drawn is None:
        return
    yield Say(_judged(findings, drawn), "finding")
    below = any(drawn.lower)
    exact = "The line is exact to more digits than are drawn."
    between = (
        "The unbroken line is enough for every pair of tables, the broken line is reached by some "
        "pair; the truth lies between."
    )
    above = "The line is an upper bound; the truth lies on it or below."
    caption = say(
        "$delta$ of all releases over $epsilon$, $delta$ in powers of ten ({}). {}{}",
        drawn.rule,
        exact if sharp(drawn) else between if below else above,
        " The cross in the ring is the claim." * bool(drawn.claimed),
    )
    yield Picture("profile", "Privacy profile", (drawn, _point(drawn)), caption)
    points = [*zip(drawn.epsilons, drawn.lower, drawn.upper, strict=True)]
    columns: Cells = {
        Column(say("$epsilon$"), number=True): lambda row: number(row[0]),
        Column(say("$delta$ at least"), number=True): lambda row: (
            number(row[1], "down") if below else None
        ),
        Column(say("$delta$ at most"), number=True): lambda row: number(row[2], "up"),
    }
    some = points[:: max(1, (len(points) - 1) // POINTS)]
    yield Table.of("profile", "Some points of the profile", some, columns)


def _judged(findings: Findings, drawn: Profile) -> Text:
    """Where the curve passes the claim, in words."""
    if drawn.claimed is None:
        return say(
            "The claim is not one of $epsilon$ and $delta$, so it is no point of this picture."
        )
    epsilon, delta = drawn.claimed
    text = say(
        "The claim is $epsilon$ = {} with $delta$ = {}: it holds where the curve stays out of "
        "the hatched part.",
        *map(chosen, drawn.claimed),
    )
    rows = list(zip(drawn.epsilons, drawn.lower, drawn.upper, strict=True))
    before = [upper for e, _, upper in rows if e <= epsilon]
    if any(e >= epsilon and low > delta for e, low, _ in rows):
        return say("{} It does not: the claim fails.", text)
    proved = findings.audit.verdict is Verdict.PROVED
    if proved or (before and before[-1] <= delta):
        return say("{} It does.", text)
    return say("{} The bounds lie on both sides of the claim.", text)


def _point(drawn: Profile) -> str:
    """The name of the claim in the picture."""
    if drawn.claimed is None:
        return ""
    epsilon, delta = map(chosen, drawn.claimed)
    return say("claimed: $epsilon$ = {}, $delta$ = {}", epsilon, delta)


def paid(audit: Audit) -> Iterator[Block]:
    """What each record pays, where each has a budget of its own."""
    if audit.report.problem.personal is None or audit.certificate is None:
        return
    try:
        report = budget_report(audit.certificate)
    except DPFrameError as refusal:
        yield Say(" ".join(str(refusal).split()))
        return
    columns = [Column(title, number=place > 0) for place, title in enumerate(report.titles)]
    yield Table("paid", "At noise as it is executed", columns, report.rows)
    yield from (Say(note, "note") for note in report.notes)
