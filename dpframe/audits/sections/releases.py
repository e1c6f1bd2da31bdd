"""What a document says of single releases: their table, why claims fail, and derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import attrs

from dpframe.graph.bound import Bound
from dpframe.prover import Verdict
from dpframe.prover.problem import sampling
from dpframe.symbols import Expression
from dpframe.wording import Cited, Formula, Text, joined, say

from ..blocks import Badge, Block, Cells, Column, Pairs, Say, Table, Typeset, amount, exact
from ..descriptions.stated import ClaimedSensitivity
from ..figures import TINY, against, clipped, figure, formula, listed
from ..lines import ReleaseLine, lower_end, meanings
from ..report import Audit
from ..sentence import conditions

MOST, NAME = 24, 80  # different releases of a table, characters of a name
QUESTIONED = (
    "These numbers take for granted what does not hold here: see what stands in the way. Until "
    "that is mended they bound nothing."
)
UNUSED = (
    "The total is proved in another way: it does not use the claims of single releases that fail."
)
UPPER = say("$<=$ is an upper bound: no pair of tables is known to attain the sensitivity.")
ATTAINED = "The sensitivity of {} is attained if, {}."
ONE_DRAW = say(
    "Of a release on samples, one draw, sampling not counted; all draws together count it."
)
UNSIZED = "none, as a theorem sizes noise to a positive sensitivity"
ANALYTIC = say(
    "the least standard deviation of Gaussian noise, at sensitivity 1, that satisfies "
    "$(epsilon, delta)$-differential privacy {}",
    Cited("[BalleW18, Thm 8]"),
)


class CostColumn(NamedTuple):
    """A column of costs: the field of a line, the amount of the share that limits it, its title,
    and what it means.
    """

    field: str
    amount: str
    title: Text
    meaning: Text


MU = CostColumn("mu", "", say("$mu$"), say("$mu$ is the sensitivity over the standard deviation."))
EXACT_DELTA = CostColumn(
    "exact_delta",
    "delta",
    say("exact $delta$"),
    say("$delta$ is exact at the claimed $epsilon$, $epsilon$ at the claimed $delta$."),
)
COSTS = (MU, EXACT_DELTA, CostColumn("exact_epsilon", "epsilon", say("exact $epsilon$"), say("")))


def released(audit: Audit) -> Iterator[Block]:
    """The table of releases, those that differ in their names alone once, what it means, and why
    claims fail or where they hold.
    """
    if not audit.report.problem.graph.charged:
        yield Say("Nothing is released.")
    counts = Counter(audit.lines)
    costs = [one for one in COSTS if any(getattr(line, one.field) is not None for line in counts)]
    laws = {line.noise for line in counts}
    word = "noise" if len(laws) > 1 else "".join(laws)
    extra = len(costs) > 1
    alike: dict[tuple[ReleaseLine, int], list[str]] = {}
    for line, many in counts.items():
        unnamed = attrs.evolve(line, name="")
        alike.setdefault((unnamed, many), []).append(clipped(line.name, NAME))
    columns: Cells = {
        Column("release"): lambda row: _drawn(*row),
        Column("statistic", under=True): lambda row: row[0].statistic,
        Column("sensitivity", number=True): lambda row: _sensitivity(row[0]),
        Column(word, number=True): lambda row: _size(row[0], named=len(laws) > 1),
        Column("share claimed", number=True): lambda row: (
            row[0].share and _pair(row[0].share.amounts)
        ),
        **{
            Column(one.title, number=True, extra=extra and one is MU): partial(_costs, column=one)
            for one in costs
        },
        Column("claim"): lambda row: Badge(row[0].verdict, bool(row[0].where)),
    }
    rows = [(line, many, names) for (line, many), names in alike.items()]
    yield Table.of("releases", "Releases, each judged alone", rows[:MOST], columns)
    left = Counter(row[0].claim for row in rows[MOST:] for _ in range(row[1] * len(row[2])))
    more = ", ".join(f"{count} {claim}" for claim, count in left.items())
    shown = [text for line in counts for one in costs if (text := cost(line, one))]
    above = any(text.startswith("<=") for text in shown)
    conditions_of: dict[str, list[str]] = {}
    for line in counts if above else ():
        if line.attained_if:
            conditions_of.setdefault(line.attained_if, []).append(clipped(line.name, NAME))
    notes = [
        f"And {left.total()} more: {more}." if left else "",
        *(one.meaning for one in costs),
        UPPER if above else "",
        *(say(ATTAINED, listed(names), met) for met, names in conditions_of.items()),
        ONE_DRAW if costs and any(line.sampled is not None for line in counts) else "",
    ]
    yield Say(joined(" ", filter(None, notes)), "note", detail=True)
    failing = any(line.verdict not in {None, Verdict.PROVED} for line in counts)
    yield Say(UNUSED * (failing and audit.verdict is Verdict.PROVED), "note")
    yield Say(QUESTIONED * (bool(counts) and not audit.bounded), "note")
    reasons: dict[str, list[str]] = {}
    for line in audit.lines:
        for reason in _reasons(line):
            reasons.setdefault(reason, []).append(clipped(line.name, NAME))
    yield Pairs([(listed(names), reason) for reason, names in [*reasons.items()][:MOST]])


Row = tuple[ReleaseLine, int, list[str]]


def _costs(row: Row, column: CostColumn) -> Text | None:
    return cost(row[0], column)


def _drawn(line: ReleaseLine, many: int, names: list[str]) -> Text:
    """The first name, how often it is drawn, where more than once, and the rate of its samples."""
    times = formula(line.times * many)
    sample = [] if line.sampled is None else [say("sample {}", formula(line.sampled))]
    marks = [say("×{}", times)] * (times != "1") + sample
    name = names[0] if len(names) == 1 else say("{} and {} alike", names[0], len(names) - 1)
    return say("{} ({})", name, joined(", ", marks)) if marks else say("{}", name)


def _sensitivity(line: ReleaseLine) -> str:
    return "no bound" if line.sensitivity is None else amount(line.sensitivity)


def _size(line: ReleaseLine, *, named: bool) -> Text | None:
    law = f"{line.noise} " * named
    return None if line.size is None else say("{}{}", law, figure(line.size))


def _pair(amounts: Iterable[Expression]) -> Text:
    return say("({})", joined(", ", map(amount, amounts)))


def cost(line: ReleaseLine, column: CostColumn) -> Text | None:
    """A cost, in enough digits to distinguish it from the claim."""
    value, name, share = getattr(line, column.field), column.amount, line.share
    if value is None:
        return None
    if 0 < value < TINY:
        return say("$<$ {}", figure(TINY))
    beside = line.mu is None and share is not None and "delta" in share.currency
    if not line.attained or (share and beside and lower_end(share.delta) != 0):
        return say("$<=$ {}", figure(value, "up"))
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return say("{}", figure(value) if claimed is None else against(value, claimed))


def _reasons(line: ReleaseLine) -> Iterator[str]:
    """Why the claim of this release fails, and where it holds."""
    if line.verdict is Verdict.REFUTED:
        known = None if line.share is None else cost(line, EXACT_DELTA)
        numbers = known and line.share and (known, amount(line.share.delta))
        yield say(
            "refuted: {}", say("exact $delta$ {} > {}", *numbers) if numbers else line.witness
        )
    if line.unbounded:
        yield line.unbounded
    elif line.open:
        yield say("neither proved nor refuted: {}", line.open)
    if line.where:
        yield say("proved where {}", conditions(line.where))
    if line.note:
        yield line.note


# ---------------------------------------------------------------------- Where the numbers come from
def derivations(audit: Audit) -> Iterator[Block]:
    """Of releases whose numbers are derived alike: what is released, its noise, its sensitivity."""
    alike: dict[object, list[ReleaseLine]] = {}
    for line in audit.lines:
        key = (line.statistic, line.written, line.rule, line.sensitivity)
        alike.setdefault(key, []).append(line)
    for some in [*alike.values()][:MOST]:
        yield Pairs(
            [
                ("Released", say("{} + {} noise", some[0].statistic, some[0].law)),
                ("Noise", _noise(some[0])),
                ("Sensitivity", _derived(some[0])),
            ],
            title=listed([clipped(one.name, NAME) for one in some]),
        )
    letters = [(Formula(name), say("the {}", of)) for name, of in meanings(audit.lines).items()]
    if any("analytic_sigma" in str(line.written) for line in audit.lines):
        letters.append((Formula("analytic_sigma"), ANALYTIC))
    yield Pairs(letters, title="Letters")


def _noise(line: ReleaseLine) -> Text:
    if not line.sized:
        return say("{}: {}", line.noise, UNSIZED)
    others = [Typeset(one, name) for name, one in line.parameters]
    rule = "as stated" if line.rule == "stated" else say("by {}", line.rule)
    drawn = "" if line.sampled is None else say("; {}", sampling(line.times, line.sampled))
    return say("{}, {}{}", joined(", ", [Typeset(line.written, line.noise), *others]), rule, drawn)


def _derived(line: ReleaseLine) -> Text:
    if line.sensitivity is None:
        return say("no bound: {}", line.unbounded)
    since = say(", since {}", Formula(line.derived)) if line.derived else ""
    upper = "" if line.attained else " (an upper bound)"
    known = lower_end(line.sensitivity) is not None
    size = amount(line.sensitivity) if known else exact(line.sensitivity)
    return say("{} in the {} norm{}{}", size, line.norm, since, upper)


# ------------------------------------------------------- Sensitivities of papers, theorems, shares
def printed(claims: Iterable[ClaimedSensitivity]) -> Iterator[Block]:
    """The sensitivities that a paper prints beside those that are derived."""
    columns: Cells = {
        Column("release"): lambda one: one.release,
        Column("finding", under=True): _finding,
        Column("as printed", number=True): _as_printed,
        Column("as derived", number=True): _as_derived,
        Column("verdict"): lambda one: Badge(Verdict.REFUTED) if one.false else None,
    }
    yield Table.of("printed", "One row moves a statistic by at most", claims, columns)


def _finding(one: ClaimedSensitivity) -> Text:
    rule = say("; in the {} norm: {}", one.norm, Formula(one.rule)) if one.rule else ""
    return say("{}{}", one.finding, rule)


def _as_derived(one: ClaimedSensitivity) -> Text | None:
    return None if one.derived is None else amount(one.derived)


def _as_printed(one: ClaimedSensitivity) -> Text:
    """As it is written, and its number, where that is another text."""
    known = amount(one.claimed)
    number = not one.claimed.symbols() and str(known) != one.written
    return say("{}{}", Formula(one.written), say(" = {}", known) if number else "")


def theorems(audit: Audit) -> Iterator[Block]:
    """Releases by theorems of their own, and bounds that may fail."""
    graph = audit.report.problem.graph
    own = {
        Column("release"): lambda one: one.label,
        Column("what it is"): lambda one: one.summary,
        Column("share", number=True): lambda one: _pair(one.share.amounts),
    }
    yield Table.of("procedures", "Released by theorems of their own", graph.procedures, own)
    failing = {
        Column("bound"): lambda one: one.label,
        Column("size", number=True): _reach,
        Column("failure", number=True): lambda one: exact(one.failure),
    }
    caption = "Bounds that may fail, on both neighbours at once"
    yield Table.of("bounds", caption, graph.bounds, failing)


def _reach(bound: Bound) -> Text:
    return say("{} {}", exact(bound.stds), "stds" if bound.normal else "scales")


def plan(audit: Audit) -> Iterator[Block]:
    """The sums of the shares, against the claim."""
    sums, report = audit.shares_sum, audit.report
    if audit.plan_verdict is None:
        return
    aside = "; the claim itself holds by another accountant" * bool(audit.holds_by)
    proved = audit.plan_verdict is Verdict.PROVED
    added = "The shares add up." if proved else "It fails: see what stands in the way."
    over = f"The declared shares exceed the budget{aside}."
    yield Say(over if report.overspent else added)
    if sums is not None:
        whole = audit.target.amounts
        equal = report.problem.field.constant
        sides = [
            (name, claimed if equal(total - claimed) == 0 else total, claimed)
            for name, total, claimed in zip(sums.currency, sums.amounts, whole, strict=True)
        ]
        columns: Cells = {
            Column("of"): lambda side: Formula(side[0]),
            Column("shares sum to", number=True): lambda side: exact(side[1]),
            Column("claimed", number=True): lambda side: exact(side[2]),
        }
        yield Table.of("plan", "Shares in sum", sides, columns)
    if without := [one.label for one in report.problem.graph.charged if one.share is None]:
        alone = "Without a share, so judged with all releases together: {}."
        yield Say(say(alone, listed(without)), "note")
