"""Each release alone: a table of costs, then where every number comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from dpframe.prover import Verdict
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import Expression

from ..figures import TINY, against, clipped
from ..figures import formula as written
from ..findings import Findings
from ..lines import Line, lower_end
from ..releases import joined
from .elements import DASH, Content, Element, element, plain_words, shown, value_of, words
from .mathematics import constraint, equation, formula
from .parts import Section, badge, cell, heading, listed, pairs, paragraph, table

if TYPE_CHECKING:
    from ..report import Audit

MOST = 24  # different releases of a table
NAME = 80
QUESTIONED = (
    "These numbers take for granted what does not hold here: see what stands in the way. Until "
    "that is mended they bound nothing."
)
UNUSED = (
    "The total is proved in another way: it does not use the claims of single releases that fail."
)
WIDEST = 24  # characters of a formula in a table
LETTERS = {"B": "the bound on the norm of a row", "Y": "the bound on a label"}
ANALYTIC = (
    "the least standard deviation of Gaussian noise, at sensitivity 1, that satisfies "
    "(epsilon, delta)-differential privacy [BalleW18, Thm 8]"
)


@attrs.frozen
class Entry:
    """A line of the audit, how often it occurs, and how its sensitivity was derived."""

    line: Line
    many: int
    derived: Sensitivity | None
    noise: str


def releases(found: Findings, known: Collection[str]) -> Iterator[Section]:
    """The section, where anything is released with noise."""
    entries = _entries(found.audit)
    if not entries:
        return
    contents: list[Content] = [_table(entries), *_below(entries, found.audit)]
    contents += [element("h3", "Where the numbers come from")]
    contents += [_derivation(names, entry, known) for names, entry in _groups(entries)]
    contents += _letters(found.audit, known)
    yield Section("releases", "Each release alone", tuple(contents))


def _entries(audit: Audit) -> list[Entry]:
    """Equal lines once, in order."""
    counts, found = Counter(audit.lines), {}
    for line, release in zip(audit.lines, audit.report.problem.graph.releases, strict=True):
        if line not in found:
            derived = release.statistic.sensitivity(release.mechanism.norm)
            found[line] = Entry(line, counts[line], derived, release.noise.__name__)
    return list(found.values())


def _table(entries: Sequence[Entry]) -> Element:
    found = {column: makes for column, makes in COLUMNS.items() if _needed(column, entries)}
    rows = [[makes(entry) for makes in found.values()] for entry in entries[:MOST]]
    return table(
        "releases",
        "Releases, each judged alone",
        [_head(c) for c in found],
        rows,
        numeric=[i for i, c in enumerate(found) if c in RIGHT],
    )


def _head(column: str) -> Content:
    return plain_words(column)


def _needed(column: str, entries: Sequence[Entry]) -> bool:
    lines = [entry.line for entry in entries]
    match column:
        case "share claimed":
            return any(line.share for line in lines)
        case "noise":
            return any(line.size is not None for line in lines)
        case "mu":
            return any(line.mu is not None for line in lines)
        case "delta at that epsilon":
            return any(line.exact_delta is not None for line in lines)
        case "true epsilon":
            return any(line.exact_epsilon is not None for line in lines)
    return True


def _name(entry: Entry) -> Element:
    times = written(entry.line.times * entry.many)
    many = "" if times == "1" else f" (×{times})"
    statistic = element("span", *words(clipped(entry.line.statistic, NAME)), class_="under")
    name = element("span", clipped(entry.line.name, NAME) + many, class_="name")
    return heading(name, statistic)


def _sensitivity(entry: Entry) -> Element:
    value = entry.line.sensitivity
    if value is None:
        return cell("unbounded", class_="number")
    norm = element("span", f"{clipped(entry.line.norm, NAME)} norm", class_="under")
    return cell(_small(value), norm, class_="number")


def _small(value: Expression) -> Content:
    """A formula as it is, or its first digits where it has no letter and is long."""
    known = lower_end(value)
    if known is None:
        return formula(value) if len(written(value)) <= WIDEST else "see below"
    return plain_words(written(value)) if len(written(value)) <= 8 else shown(known)


def _noise(entry: Entry) -> Element:
    return cell(
        shown(entry.line.size),
        element("span", clipped(entry.line.noise, NAME), class_="under"),
        class_="number",
    )


def _share(entry: Entry) -> Element:
    share = entry.line.share
    if share is None:
        return cell("none", class_="number")
    rows = [
        element("span", *words(f"{name} = "), _small(amount), class_="under")
        for name, amount in zip(share.currency, share.amounts, strict=True)
    ]
    return cell(*rows, class_="number")


def _mu(entry: Entry) -> Element:
    return cell(_exact(entry.line, entry.line.mu, ""), class_="number")


def _delta(entry: Entry) -> Element:
    return cell(_exact(entry.line, entry.line.exact_delta, "delta"), class_="number")


def _epsilon(entry: Entry) -> Element:
    return cell(_exact(entry.line, entry.line.exact_epsilon, "epsilon"), class_="number")


def _verdict(entry: Entry) -> Element:
    return cell(badge(entry.line.verdict))


def _exact(line: Line, value: float | None, name: str) -> str:
    """A cost, in enough digits to tell it from what is claimed; an upper bound says so."""
    if value is None:
        return DASH
    if 0 < value < TINY:
        return f"< {shown(TINY)}"
    if not line.attained:
        return f"≤ {shown(value, 'up')}"
    share = line.share
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return shown(value) if claimed is None else plain_words(against(value, claimed))


COLUMNS: dict[str, Callable[[Entry], Element]] = {
    "release": _name,
    "sensitivity": _sensitivity,
    "noise": _noise,
    "share claimed": _share,
    "mu": _mu,
    "delta at that epsilon": _delta,
    "true epsilon": _epsilon,
    "claim": _verdict,
}
RIGHT = {"sensitivity", "noise", "share claimed", "mu", "delta at that epsilon", "true epsilon"}


def _below(entries: Sequence[Entry], audit: Audit) -> Iterator[Element]:
    """What the columns mean, and what is left out."""
    said = []
    if len(entries) > MOST:
        rest = Counter(entry.line.claim for entry in entries[MOST:] for _ in range(entry.many))
        counted = ", ".join(f"{count} {what}" for what, count in rest.items())
        said.append(f"And {rest.total()} more: {counted}.")
    if any(line.exact_delta is not None for line in audit.lines):
        said.append("Delta is exact at the claimed epsilon, and epsilon at the claimed delta.")
    if any(line.mu is not None for line in audit.lines):
        said.append("mu is the sensitivity over the standard deviation.")
    if not all(line.attained for line in audit.lines):
        said.append("≤ is an upper bound: no pair of tables is known to attain the sensitivity.")
    if said:
        yield paragraph(*words(" ".join(said)), class_="note")
    failing = {line.verdict for line in audit.lines} & {Verdict.REFUTED, Verdict.UNPROVED}
    if audit.verdict is Verdict.PROVED and failing:
        yield paragraph(UNUSED, class_="note")
    if any(one.verdict is Verdict.REFUTED for one in audit.report.common):
        yield paragraph(*words(QUESTIONED), class_="note")


def _groups(entries: Sequence[Entry]) -> list[tuple[str, Entry]]:
    """Releases of which the same is said, together; the first of many."""
    found: dict[object, tuple[list[str], Entry]] = {}
    for entry in entries:
        key = (
            entry.line.statistic,
            entry.line.written,
            entry.line.rule,
            entry.line.witness,
            entry.line.note,
        )
        found.setdefault(key, ([], entry))[0].extend([clipped(entry.line.name, NAME)] * entry.many)
    return [(joined(names), entry) for names, entry in found.values()][:MOST]


def _derivation(names: str, entry: Entry, known: Collection[str]) -> Element:
    line = entry.line
    items: list[tuple[str, Sequence[Content]]] = [
        (
            "Released",
            (*words(clipped(line.statistic, 200)), " + ", f"{clipped(entry.noise, NAME)} noise"),
        ),
        ("Noise", (equation(clipped(line.noise, NAME), line.written), *_by(line.rule))),
        ("Sensitivity", _derived(entry, known)),
        ("Attained by", words(clipped(line.attained_by, 400), known)),
        ("Proved where", listed(map(constraint, line.where))),
        ("Refuted", words(clipped(_refuted(line), 400), known)),
        ("Remark", words(clipped(line.note, 400), known)),
    ]
    return element("div", element("h4", clipped(names, 200)), pairs(items), class_="derivation")


def _by(rule: str) -> Iterator[Content]:
    """The theorem that the declaration names."""
    if rule == "stated":
        yield element("span", " as stated", class_="quiet")
    else:
        yield from (" by ", element("code", clipped(rule, NAME)))


def _derived(entry: Entry, known: Collection[str]) -> Sequence[Content]:
    line, derived = entry.line, entry.derived
    if line.sensitivity is None:
        return ("unbounded: nothing bounds how far one unit moves it",)
    rule = [] if derived is None else [", since ", *words(derived.rule, known)]
    how = "" if line.attained else " (an upper bound)"
    value = line.sensitivity
    shown_value = formula(value) if lower_end(value) is None else _small(value)
    return (shown_value, f" in the {clipped(line.norm, NAME)} norm", *rule, how)


def _refuted(line: Line) -> str:
    """Why the claim of this release fails, in its own numbers."""
    if line.verdict is not Verdict.REFUTED:
        return ""
    if line.exact_delta is None or line.share is None:
        return line.witness
    claimed, known = line.share.delta, lower_end(line.share.delta)
    exact = _exact(line, line.exact_delta, "delta")
    return f"exact delta {exact} > {value_of(claimed) if known is None else shown(known)}"


def _letters(audit: Audit, known: Collection[str]) -> Iterator[Element]:
    """What the letters of the formulas mean."""
    used = {symbol.name for line in audit.lines for symbol in line.written.symbols()}
    items: list[tuple[str, Sequence[Content]]] = [
        (name, words(meaning)) for name, meaning in LETTERS.items() if name in used
    ]
    if any("analytic_sigma" in str(line.written) for line in audit.lines):
        items.append(("σ analytic", words(ANALYTIC, known)))
    if items:
        yield element("div", element("h4", "Letters"), pairs(items), class_="derivation")


def procedures(found: Findings, known: Collection[str]) -> Iterator[Section]:
    """What is released by a theorem of its own, and bounds that may fail."""
    graph = found.audit.report.problem.graph
    contents: list[Content] = []
    if graph.procedures:
        rows = [
            [
                heading(clipped(one.label, NAME)),
                cell(*words(clipped(one.summary, 200), known)),
                cell(", ".join(map(value_of, one.share.amounts)), class_="number"),
            ]
            for one in graph.procedures
        ]
        head = ("release", "what it is", "share")
        contents.append(table("procedures", "Released by theorems of their own", head, rows, [2]))
    if graph.bounds:
        rows = [
            [
                heading(*words(clipped(one.label, NAME))),
                cell(formula(one.stds), class_="number"),
                cell(value_of(one.failure), class_="number"),
            ]
            for one in graph.bounds
        ]
        head = ("bound", "standard deviations", "failure")
        caption = "Bounds that may fail, on both neighbours at once"
        contents.append(table("bounds", caption, head, rows, [1, 2], narrow=True))
    if contents:
        yield Section("theorems", "Theorems of their own", tuple(contents))
