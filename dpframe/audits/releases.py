"""What a page says of single releases: their table, their noise, why their claims fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import attrs

from dpframe.notebooks import card, folded, sentences
from dpframe.notebooks import table as html_table
from dpframe.prover import Verdict
from dpframe.prover.problem import sampling
from dpframe.symbols import Expression, Number
from dpframe.wording import Cited, Formula, Text, say

from .figures import TINY, against, clipped, figure, formula, hanging, listed, short, table
from .lines import ReleaseLine, lower_end, meanings
from .sentence import conditions, goal, sentence

if TYPE_CHECKING:
    from .report import Audit

Key = TypeVar("Key")
ROOM = 16  # characters of a formula in a column
MOST = 12  # releases that fit on a screen
OPEN = 4  # obligations of a card in a notebook
RIGHT = {"sensitivity", "std", "scale", "noise", "exact delta", "exact eps", "mu"}
UNSIZED = "none, as a theorem sizes noise to a positive sensitivity"
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
ANALYTIC = say(
    "the least standard deviation of Gaussian noise, at sensitivity 1, that satisfies "
    "$(epsilon, delta)$-differential privacy {}",
    Cited("[BalleW18, Thm 8]"),
)


class CostColumn(NamedTuple):
    """A column of costs: the field of a line, the amount of the share that limits it, its title on
    a page, and what it means.
    """

    field: str
    amount: str
    title: Text | Formula
    meaning: Text


COSTS = {
    "mu": CostColumn(
        "mu", "", Formula("mu"), say("$mu$ is the sensitivity over the standard deviation.")
    ),
    "exact delta": CostColumn(
        "exact_delta",
        "delta",
        say("$delta$ at that $epsilon$"),
        say("$delta$ is exact at the claimed $epsilon$, $epsilon$ at the claimed $delta$."),
    ),
    "exact eps": CostColumn("exact_epsilon", "epsilon", say("true $epsilon$"), say("")),
}


@attrs.frozen(slots=False)
class Releases:
    """The releases of an audit, equal ones once."""

    audit: Audit

    @cached_property
    def counts(self) -> Mapping[ReleaseLine, int]:
        """Different lines, and how often each occurs."""
        return Counter(self.audit.lines)

    @cached_property
    def costs(self) -> list[str]:
        """The columns of costs that any release has."""
        return [name for name, one in COSTS.items() if self._any(one.field)]

    def _any(self, field: str) -> bool:
        return any(getattr(line, field) is not None for line in self.counts)

    @property
    def given(self) -> list[str]:
        """The columns `noise` and `share claimed`, where any release has an entry."""
        return ["noise"] * self._any("size") + ["share claimed"] * self._any("share")

    @property
    def failing(self) -> bool:
        """Whether a claim on a single release is not proved."""
        return any(line.verdict not in {None, Verdict.PROVED} for line in self.counts)

    def rest(self, most: int) -> str:
        """`3 proved, 1 refuted`: the claims of releases that are left out of a table of `most`."""
        left = list(self.counts.items())[most:]
        claims = Counter(line.claim for line, many in left for _ in range(many))
        counts = ", ".join(f"{count} {claim}" for claim, count in claims.items())
        return f"{claims.total()} more: {counts}" if left else ""

    def notes(self, columns: Sequence[str]) -> Iterator[Text]:
        """What the columns of costs among these mean."""
        shown = [name for name in self.costs if name in columns]
        yield from (COSTS[name].meaning for name in shown if COSTS[name].meaning)
        costs = (cost(line, name) for line in self.counts for name in shown)
        if any(text.startswith("<=") for text in costs):
            yield UPPER
            waiting = ((line.attained_if, line.name) for line in self.counts if line.attained_if)
            for condition, names in _grouped(waiting).items():
                yield say("The sensitivity of {} is attained if, {}.", names, condition)
        if shown and any(line.sampled is not None for line in self.counts):
            yield ONE_DRAW

    @property
    def warnings(self) -> list[str]:
        """Limits of the numbers: claims that the proof does not use, open obligations."""
        unused = self.audit.verdict is Verdict.PROVED and self.failing
        return [UNUSED] * unused + [QUESTIONED] * (not self.audit.bounded)

    @property
    def derivations(self) -> list[tuple[Text, ReleaseLine]]:
        """The releases whose numbers are derived alike, and a line of one of them."""
        names: dict[object, list[str]] = {}
        lines: dict[object, ReleaseLine] = {}
        for line in self.audit.lines:
            key = (line.statistic, line.written, line.rule, line.witness, line.note, line.open)
            names.setdefault(key, []).append(clipped(line.name, 80))
            lines.setdefault(key, line)
        return [(listed(names[key]), line) for key, line in lines.items()]

    @property
    def letters(self) -> dict[str, Text]:
        """The letters of the formulas and their meanings."""
        return meanings(self.audit.lines)

    @property
    def uses_analytic(self) -> bool:
        """Whether a formula has the least std of Gaussian noise."""
        return any("analytic_sigma" in str(line.written) for line in self.counts)


def drawn(line: ReleaseLine, many: int) -> str:
    """Its name, how often it is drawn, where more than once, and the rate of its samples."""
    times = formula(line.times * many)
    sample = [] if line.sampled is None else [f"sample {formula(line.sampled)}"]
    marks = [f"x{times}"] * (times != "1") + sample
    return f"{line.name} ({', '.join(marks)})" if marks else line.name


def release_table(
    listing: Releases, without: Sequence[str] = ()
) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table, without some columns."""
    names = {line.noise for line in listing.counts}
    sized = [names.pop() if len(names) == 1 else "noise"] if "noise" in listing.given else []
    costs = [one for one in listing.costs if one != "mu" or "exact delta" not in listing.costs]
    head = ["release", "statistic", "sensitivity", *sized, *listing.given[len(sized) :]]
    head = [one for one in (*head, *costs, "claim") if one not in without]
    shown = list(listing.counts.items())[:MOST]
    return head, [[_cell(line, column, many) for column in head] for line, many in shown]


def _cell(line: ReleaseLine, column: str, many: int) -> str:
    match column:
        case "release":
            return drawn(line, many)
        case "statistic":
            return clipped(line.statistic, 24)
        case "sensitivity":
            if line.sensitivity is None:
                return "no bound"
            return "see below" if _long(line.sensitivity) else _amount(line.sensitivity)
        case "share claimed":
            amounts = ", ".join(map(_amount, line.share.amounts)) if line.share else ""
            return f"({amounts})" if amounts else "none"
        case "claim":
            return line.claim
        case "noise":
            return f"{line.noise} {figure(line.size)}"
    return cost(line, column) if column in COSTS else figure(line.size)


def cost(line: ReleaseLine, column: str) -> Formula:
    """A cost, in enough digits to distinguish it from the claim."""
    value, name, share = getattr(line, COSTS[column].field), COSTS[column].amount, line.share
    if value is None:
        return Formula("-")
    if 0 < value < TINY:
        return Formula(f"< {figure(TINY)}")
    beside = line.mu is None and share is not None and "delta" in share.currency
    if not line.attained or (share and beside and lower_end(share.delta) != 0):
        return Formula(f"<= {figure(value, 'up')}")
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return figure(value) if claimed is None else against(value, claimed)


def _amount(amount: Expression) -> str:
    """A number in a few digits, a formula as it is."""
    if isinstance(amount, Number):
        return short(amount.value)
    value = lower_end(amount)
    return clipped(formula(amount), ROOM) if value is None else figure(value)


def _long(sensitivity: Expression) -> bool:
    """Whether it is a formula that a column has no room for."""
    return lower_end(sensitivity) is None and len(formula(sensitivity)) > ROOM


def _grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """Keys with the names of the releases that share them."""
    names: dict[Key, list[str]] = {}
    for key, name in pairs:
        names.setdefault(key, []).append(name)
    return {key: listed(some) for key, some in names.items()}


# -------------------------------------------------------------------------------- The page as text
def releases(audit: Audit, width: int) -> Iterator[str]:
    """The table of releases, each alone; statistics below it where it is wider than the page."""
    if not audit.lines:
        yield from () if audit.report.problem.graph.charged else ("Nothing is released",)
        return
    yield "Releases, each alone"
    listing = Releases(audit)
    tables = []
    for dropped in ((), ("statistic",), ("statistic", "exact eps")):
        head, rows = release_table(listing, dropped)
        tables.append(table(head, rows, [i for i, one in enumerate(head) if one in RIGHT]))
    fits = [max(map(len, one)) <= width for one in tables]
    yield from next((one for one, fit in zip(tables, fits, strict=True) if fit), tables[-1])
    below = [f"... and {listing.rest(MOST)}"] if listing.rest(MOST) else []
    if not fits[0]:
        names = _grouped((clipped(line.statistic, 24), line.name) for line in listing.counts)
        pairs = list(names.items())[:MOST]
        below.append("; ".join(f"{some}: {statistic}" for statistic, some in pairs))
    below += listing.notes(release_table(listing)[0])
    long = ((one.sensitivity, one.name) for one in audit.lines if one.sensitivity is not None)
    sizes = _grouped((formula(size), name) for size, name in long if _long(size))
    below += [f"sensitivity of {some}: {size}" for size, some in sizes.items()]
    for line in below:
        yield from hanging(f"  {line}", width=width)


def procedures(audit: Audit) -> Iterator[str]:
    """Releases by theorems of their own, and bounds that may fail."""
    graph = audit.report.problem.graph
    if graph.procedures:
        yield "Released by theorems of their own"
    for one in graph.procedures:
        share = ", ".join(map(_amount, one.share.amounts))
        yield f"  {one.label}: {one.summary}, share ({share})"
    if graph.bounds:
        yield "Bounds that may fail, on both neighbours at once"
    for bound in graph.bounds:
        size = f"{clipped(formula(bound.stds), 40)} {'stds' if bound.normal else 'scales'}"
        yield f"  {bound.label}: {size} of its noise, failure {bound.failure}"


def noise(audit: Audit) -> Iterator[str]:
    """The noise of every release as it is declared, equal formulas once."""
    names = _grouped((_noise(line), line.name) for line in audit.lines)
    if names:
        yield "Noise"
    width = max(map(len, names.values()), default=0)
    yield from (f"  {some:{width}}  {text}" for text, some in list(names.items())[:MOST])
    if len(names) > MOST:
        yield f"  ... and {len(names) - MOST} more formulas"
    letters = Releases(audit).letters
    if letters:
        yield f"  {'; '.join(f'{name}: {meaning}' for name, meaning in letters.items())}"


def _noise(line: ReleaseLine) -> str:
    if not line.sized:
        return f"{line.noise}: {UNSIZED}"
    sizes = {line.noise: line.written, **dict(line.parameters)}
    law = ", ".join(f"{name} = {clipped(formula(one), 240)}" for name, one in sizes.items())
    drawn = "" if line.sampled is None else f"; {sampling(line.times, line.sampled)}"
    return f"{law} ({line.rule}){drawn}"


def claims(audit: Audit) -> Iterator[str]:
    """Why claims on single releases fail, and where they hold; equal reasons once."""
    names = _grouped((reason, line.name) for line in audit.lines for reason in _reasons(line))
    if names:
        yield "Claims on single releases"
        yield from (f"  {some}: {reason}" for reason, some in names.items())


def refuted(line: ReleaseLine) -> str:
    """Why the claim of this release fails, in its own numbers; "" where it does not."""
    if line.verdict is not Verdict.REFUTED:
        return ""
    if line.exact_delta is None or line.share is None:
        return line.witness
    return say("exact $delta$ {} > {}", cost(line, "exact delta"), _amount(line.share.delta))


def _reasons(line: ReleaseLine) -> Iterator[str]:
    if line.verdict is Verdict.REFUTED:
        yield f"refuted: {refuted(line)}"
    if line.unbounded:
        yield line.unbounded
    elif line.open:
        yield f"neither proved nor refuted: {line.open}"
    if line.where:
        yield f"proved where {conditions(line.where)}"
    if line.note:
        yield line.note


# --------------------------------------------------------------------------- The card of a notebook
def audit_html(audit: Audit) -> str:
    """The claim, the releases, the joint cost, what is open, the sentence to sign, the page."""
    listing, opened = Releases(audit), audit.report.open_obligations
    head, rows = release_table(listing)
    lines = [f"Claimed: {goal(audit.claimed)}, for {audit.setting.unit}."]
    if audit.joint_epsilon is not None:
        cost = figure(audit.joint_epsilon, "up")
        lines.append(f"All releases together cost an epsilon of at most {cost}.")
    below = [f"... and {listing.rest(MOST)}"] if listing.rest(MOST) else []
    below += [f"Open: {one.node}: {one.rule}: {one.verdict}" for one in opened[:OPEN]]
    below += [f"... and {len(opened) - OPEN} more"] if len(opened) > OPEN else []
    return card(
        f"audit of {audit.regression}",
        sentences(lines),
        html_table(rows, head, texts=2),
        sentences([*below, " ".join(sentence(audit).split())]),
        folded("The page of the audit", str(audit)),
        verdict=str(audit.verdict),
    )
