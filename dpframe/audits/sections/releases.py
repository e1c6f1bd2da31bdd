"""What a document says of single releases: their table, why claims fail, and derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeVar

import attrs

from dpframe.prover import Verdict
from dpframe.prover.problem import sampling
from dpframe.symbols import Expression
from dpframe.wording import Cited, Formula, Text, joined, say

from ..blocks import DASH, Badge, Block, Column, Pairs, Say, Table, Typeset, amount, exact
from ..descriptions.stated import ClaimedSensitivity
from ..figures import TINY, against, clipped, figure, formula, listed
from ..lines import ReleaseLine, lower_end, meanings
from ..report import Audit
from ..sentence import conditions

Key = TypeVar("Key")
MOST = 24  # different releases of a table
NAME = 80  # characters of a name
QUESTIONED = (
    "These numbers take for granted what does not hold here: see what stands in the way. Until "
    "that is mended they bound nothing."
)
UNUSED = (
    "The total is proved in another way: it does not use the claims of single releases that fail."
)
UPPER = say("$<=$ is an upper bound: no pair of tables is known to attain the sensitivity.")
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


COSTS = (
    CostColumn("mu", "", say("$mu$"), say("$mu$ is the sensitivity over the standard deviation.")),
    CostColumn(
        "exact_delta",
        "delta",
        say("exact $delta$"),
        say("$delta$ is exact at the claimed $epsilon$, $epsilon$ at the claimed $delta$."),
    ),
    CostColumn("exact_epsilon", "epsilon", say("exact $epsilon$"), say("")),
)


@attrs.frozen(slots=False)
class Releases:
    """The releases of an audit, equal ones once."""

    audit: Audit

    @cached_property
    def counts(self) -> Mapping[ReleaseLine, int]:
        """Different lines, and how often each occurs."""
        return Counter(self.audit.lines)

    def any(self, field: str) -> bool:
        """Whether a release has this number."""
        return any(getattr(line, field) is not None for line in self.counts)

    @property
    def failing(self) -> bool:
        """Whether a claim on a single release is not proved."""
        return any(line.verdict not in {None, Verdict.PROVED} for line in self.counts)

    @property
    def table(self) -> Table:
        """What each release adds, claims and costs alone."""
        names = {line.noise for line in self.counts}
        noise = names.pop() if len(names) == 1 else ""
        shown = list(self.counts.items())[:MOST]
        columns = {
            Column("release"): [drawn(line, many) for line, many in shown],
            Column("statistic", under=True): [clipped(line.statistic, NAME) for line, _ in shown],
            Column("sensitivity", number=True): [_sensitivity(line) for line, _ in shown],
        }
        if self.any("size"):
            columns[Column(noise or "noise", number=True)] = [
                say(
                    "{}{}",
                    "" if noise else f"{line.noise} ",
                    figure(line.size) if line.size else DASH,
                )
                for line, _ in shown
            ]
        if self.any("share"):
            columns[Column("share claimed", number=True)] = [_share(line) for line, _ in shown]
        for one in self.costs:
            column = Column(one.title, number=True, extra=one is COSTS[0] and len(self.costs) > 1)
            columns[column] = [cost(line, one) for line, _ in shown]
        columns[Column("claim")] = [Badge(line.verdict, bool(line.where)) for line, _ in shown]
        rows = list(zip(*columns.values(), strict=True))
        return Table("releases", "Releases, each judged alone", list(columns), rows)

    @property
    def costs(self) -> list[CostColumn]:
        """The columns of costs that any release has."""
        return [one for one in COSTS if self.any(one.field)]

    @property
    def rest(self) -> str:
        """`And 3 more: 2 proved, 1 refuted.`: the claims of releases that the table leaves out."""
        left = list(self.counts.items())[MOST:]
        claims = Counter(line.claim for line, many in left for _ in range(many))
        counts = ", ".join(f"{count} {claim}" for claim, count in claims.items())
        return f"And {claims.total()} more: {counts}." if left else ""

    @property
    def notes(self) -> Iterator[str]:
        """What the table leaves out, and what its columns of costs mean."""
        yield self.rest
        yield from (one.meaning for one in self.costs)
        if any(cost(line, one).startswith("<=") for line in self.counts for one in self.costs):
            yield UPPER
        if self.costs and any(line.sampled is not None for line in self.counts):
            yield ONE_DRAW

    @property
    def warnings(self) -> list[str]:
        """Limits of the numbers: claims that the proof does not use, open obligations."""
        unused = self.audit.verdict is Verdict.PROVED and self.failing
        return [UNUSED] * unused + [QUESTIONED] * (not self.audit.bounded)


def released(audit: Audit) -> Iterator[Block]:
    """The table of releases, what it means, and why claims fail or where they hold."""
    if not audit.lines:
        if not audit.report.problem.graph.charged:
            yield Say("Nothing is released.")
        return
    listing = Releases(audit)
    yield listing.table
    if notes := list(filter(None, listing.notes)):
        yield Say(joined(" ", notes), "note")
    yield from (Say(one, "note") for one in listing.warnings)
    reasons = _grouped((reason, line.name) for line in audit.lines for reason in _reasons(line))
    yield Pairs([(some, clipped(reason, 400)) for reason, some in list(reasons.items())[:MOST]])


def drawn(line: ReleaseLine, many: int) -> Text:
    """Its name, how often it is drawn, where more than once, and the rate of its samples."""
    times = formula(line.times * many)
    sample = [] if line.sampled is None else [say("sample {}", formula(line.sampled))]
    marks = [say("×{}", times)] * (times != "1") + sample
    name = clipped(line.name, NAME)
    return say("{} ({})", name, joined(", ", marks)) if marks else say("{}", name)


def _sensitivity(line: ReleaseLine) -> str:
    return "no bound" if line.sensitivity is None else amount(line.sensitivity)


def _share(line: ReleaseLine) -> str:
    if line.share is None:
        return "none"
    return say("({})", joined(", ", map(amount, line.share.amounts)))


def cost(line: ReleaseLine, column: CostColumn) -> Text:
    """A cost, in enough digits to distinguish it from the claim."""
    value, name, share = getattr(line, column.field), column.amount, line.share
    if value is None:
        return say(DASH)
    if 0 < value < TINY:
        return say("$<$ {}", figure(TINY))
    beside = line.mu is None and share is not None and "delta" in share.currency
    if not line.attained or (share and beside and lower_end(share.delta) != 0):
        return say("$<=$ {}", figure(value, "up"))
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return say("{}", figure(value) if claimed is None else against(value, claimed))


def _grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, Text]:
    """Keys with the names of the releases that share them."""
    names: dict[Key, list[str]] = {}
    for key, name in pairs:
        names.setdefault(key, []).append(clipped(name, NAME))
    return {key: listed(some) for key, some in names.items()}


def _reasons(line: ReleaseLine) -> Iterator[str]:
    if line.verdict is Verdict.REFUTED:
        yield say("refuted: {}", _refuted(line))
    if line.unbounded:
        yield line.unbounded
    elif line.open:
        yield say("neither proved nor refuted: {}", line.open)
    if line.where:
        yield say("proved where {}", conditions(line.where))
    if line.note:
        yield line.note


def _refuted(line: ReleaseLine) -> str:
    """Why the claim of this release fails, in its own numbers."""
    if line.exact_delta is None or line.share is None:
        return line.witness
    return say("exact $delta$ {} > {}", cost(line, COSTS[1]), amount(line.share.delta))


# ---------------------------------------------------------------------- Where the numbers come from
def derivations(audit: Audit) -> Iterator[Block]:
    """Of releases whose numbers are derived alike: what is released, its noise, its sensitivity."""
    alike: dict[object, list[ReleaseLine]] = {}
    for line in audit.lines:
        key = (line.statistic, line.written, line.rule, line.sensitivity)
        alike.setdefault(key, []).append(line)
    for some in list(alike.values())[:MOST]:
        line = some[0]
        yield Pairs(
            [
                ("Released", say("{} + {} noise", clipped(line.statistic, 200), line.law)),
                ("Noise", clipped(_noise(line), 500)),
                ("Sensitivity", clipped(_derived(line), 600)),
            ],
            title=clipped(listed([clipped(one.name, NAME) for one in some]), 200),
        )
    letters = [(Formula(name), say("the {}", of)) for name, of in meanings(audit.lines).items()]
    if any("analytic_sigma" in str(line.written) for line in audit.lines):
        letters.append((Formula("analytic_sigma"), ANALYTIC))
    if letters:
        yield Pairs(letters, title="Letters")


def _noise(line: ReleaseLine) -> Text:
    if not line.sized:
        return say("{}: {}", line.noise, UNSIZED)
    others = [Typeset(one, name) for name, one in line.parameters]
    law = joined(", ", [Typeset(line.written, line.noise), *others])
    rule = "as stated" if line.rule == "stated" else say("by {}", clipped(line.rule, NAME))
    drawn = "" if line.sampled is None else say("; {}", sampling(line.times, line.sampled))
    return say("{}, {}{}", law, rule, drawn)


def _derived(line: ReleaseLine) -> Text:
    if line.sensitivity is None:
        return say("no bound: {}", line.unbounded)
    since = say(", since {}", Formula(line.derived)) if line.derived else ""
    upper = "" if line.attained else " (an upper bound)"
    return say("{} in the {} norm{}{}", exact(line.sensitivity), line.norm, since, upper)


# -------------------------------------------------------- Sensitivities of papers, theorems, shares
def printed(claims: Iterable[ClaimedSensitivity]) -> Iterator[Block]:
    """The sensitivities that a paper prints beside those that are derived."""
    columns = [
        Column("release"),
        Column("finding", under=True),
        Column("as printed", number=True),
        Column("as derived", number=True),
        Column("verdict"),
    ]
    rows = [
        (
            clipped(one.release, NAME),
            say("{}{}", one.finding, say("; in the {} norm: {}", one.norm, Formula(one.rule)))
            if one.rule
            else one.finding,
            say("{}", _printed(one)),
            "none" if one.derived is None else amount(one.derived),
            Badge(Verdict.REFUTED) if one.false else DASH,
        )
        for one in claims
    ]
    if rows:
        yield Table("printed", "One row moves a statistic by at most", columns, rows)


def _printed(one: ClaimedSensitivity) -> Text:
    """As it is written, and its number, where that is another text."""
    text, known = Formula(clipped(one.written, NAME)), amount(one.claimed)
    other = not one.claimed.symbols() and str(known) != one.written
    return say("{} = {}", text, known) if other else say("{}", text)


def theorems(audit: Audit) -> Iterator[Block]:
    """Releases by theorems of their own, and bounds that may fail."""
    graph = audit.report.problem.graph
    rows: list[tuple[object, ...]] = [
        (
            clipped(one.label, NAME),
            one.summary,
            say("({})", joined(", ", map(amount, one.share.amounts))),
        )
        for one in graph.procedures
    ]
    if rows:
        columns = [Column("release"), Column("what it is"), Column("share", number=True)]
        yield Table("procedures", "Released by theorems of their own", columns, rows)
    rows = [
        (
            clipped(bound.label, NAME),
            say("{} {}", exact(bound.stds), "stds" if bound.normal else "scales"),
            exact(bound.failure),
        )
        for bound in graph.bounds
    ]
    if rows:
        columns = [Column("bound"), Column("size", number=True), Column("failure", number=True)]
        yield Table("bounds", "Bounds that may fail, on both neighbours at once", columns, rows)


def plan(audit: Audit) -> Iterator[Block]:
    """The sums of the shares, against the claim."""
    sums, report = audit.shares_sum, audit.report
    if audit.plan_verdict is None:
        return
    if report.overspent:
        aside = "; the claim itself holds by another accountant" * bool(audit.holds_by)
        yield Say(f"The declared shares exceed the budget{aside}.")
    elif audit.plan_verdict is Verdict.PROVED:
        yield Say("The shares add up.")
    else:
        yield Say("The plan of shares fails: see what stands in the way.")
    if sums is not None:
        columns = [
            Column("of"),
            Column("shares sum to", number=True),
            Column("claimed", number=True),
        ]
        rows = [
            (Formula(name), _sum(audit, total, whole), exact(whole))
            for name, total, whole in zip(
                sums.currency, sums.amounts, audit.target.amounts, strict=True
            )
        ]
        yield Table("plan", "Shares in sum", columns, rows)
    without = [one.label for one in report.problem.graph.charged if one.share is None]
    if without:
        names = listed(without)
        yield Say(say("Without a share, so judged with all releases together: {}.", names), "note")


def _sum(audit: Audit, total: Expression, whole: Expression) -> Text:
    equal = audit.report.problem.field.constant(total - whole) == 0
    return exact(whole if equal else total)
