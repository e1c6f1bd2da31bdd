"""The top of the page: what is audited, the verdict, the sentence to sign, the numbers first.

What is claimed, of whom, for which values; and the first thing to change.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from dpframe.audits.figures import clipped, exactly, figure, short
from dpframe.audits.figures import formula as written
from dpframe.audits.findings import Change, Findings, Opinion, Waste
from dpframe.audits.lines import lower_end
from dpframe.audits.sentence import free, goal, sentence
from dpframe.privacy import ApproxDP
from dpframe.prover import Verdict

from .elements import Content, Element, element, plain_words, range_of, shown, words
from .mathematics import constraint
from .parts import CLASSES, Section, listed, pairs, paragraph
from .together import example

if TYPE_CHECKING:
    from dpframe.audits.report import Audit
if TYPE_CHECKING:
    from dpframe.audits.report import Audit


LONG = 600  # characters of a sentence


def claim(found: Findings, known: Collection[str]) -> Section:
    """The claim, the unit of privacy, the bounds of the data, the ranges."""
    audit = found.audit
    items: list[tuple[str, tuple[Content, ...]]] = [
        ("Claim", words(goal(audit.claimed), known)),
        ("Unit of privacy", words(f"{audit.setting.unit} ({audit.setting.relation})")),
        ("Rows", words(_rows(audit))),
        ("Labels", words(_labels(audit))),
        ("For all", tuple(words(free(audit)))),
    ]
    chosen = audit.report.chosen
    if chosen is not None and chosen.constraints:
        items.append(("It holds where", listed(map(constraint, chosen.constraints))))
    return Section("claim", "What is claimed", (pairs(items),))


def _rows(audit: Audit) -> str:
    rows = audit.setting.X
    parts = [] if rows.columns is None else [f"{len(rows.columns)} columns by a codebook"]
    parts += [] if rows.box is None else [f"entries clipped to [-{_of(rows.box)}, {_of(rows.box)}]"]
    parts += [] if rows.norm is None else [f"projected onto the ball of radius {_of(rows.norm)}"]
    parts += ["with an intercept"] if rows.intercept else []
    return "; ".join(parts)


def _labels(audit: Audit) -> str:
    labels = audit.setting.y
    if labels is None:
        return ""
    if labels.levels is not None:
        first, second = (clipped(str(level), 60) for level in labels.levels)
        return f"{clipped(labels.name, 60)}, the classes {first} and {second} as -1 and 1"
    if labels.bound is not None:
        return f"{clipped(labels.name, 60)}, clipped to [-{_of(labels.bound)}, {_of(labels.bound)}]"
    ends = [exactly(end) for end in (labels.lower, labels.upper) if end is not None]
    return f"{clipped(labels.name, 60)}, clipped to [{', '.join(ends)}] and mapped onto [-1, 1]"


def _of(bound: object) -> str:
    return clipped(written(bound), 60)  # type: ignore[arg-type]


def change(found: Findings, first: Change, known: Collection[str]) -> Section:
    """What to do first, and why; where costs are those of an example, so is this."""
    items = [("Why", first.why), ("How", first.how), ("Effect", first.effect)]
    told = [(term, words(clipped(text, LONG), known)) for term, text in items if text]
    title = paragraph(*words(clipped(first.title, LONG), known), class_="lead")
    box = element("div", title, pairs(told), class_="change")
    return Section("change", "The first thing to change", (*example(found), box))


def remarks(texts: Collection[str]) -> Iterator[Section]:
    """What the auditor adds, one paragraph a note; as it was written."""
    said = [paragraph(clipped(text, 4000)) for text in texts if text.strip()]
    if said:
        yield Section("notes", "Notes of the auditor", tuple(said))


LONGEST, WIDE = 300, 60  # characters of a name, and of one that is set large
SAYS = {Verdict.PROVED: "Proved", Verdict.REFUTED: "Refuted", Verdict.UNPROVED: "Not proved"}
IN_PART = "for a part of what is claimed"
LEADS = {
    Verdict.PROVED: ("All that is released satisfies ", "."),
    Verdict.REFUTED: ("What is released does not satisfy ", "."),
    Verdict.UNPROVED: ("That what is released satisfies ", " is not proved, and not refuted."),
}
SIGNS = {
    Verdict.PROVED: "M5 17 L13 25 L28 7",
    Verdict.REFUTED: "M7 7 L26 26 M26 7 L7 26",
    Verdict.UNPROVED: "M10 12 C10 3 24 3 24 11 C24 17 17 16 17 22 M17 27 V28",
}
CALLED = re.compile(r"([A-Za-z_]\w*)(\(.*\))\Z", re.DOTALL)


def says(audit: Audit) -> str:
    """The verdict as a heading."""
    return f"{SAYS[audit.verdict]} {IN_PART}" if audit.where else SAYS[audit.verdict]


def header(audit: Audit, title: str) -> Element:
    """The title, or the name of what is audited, and what it was given."""
    name, arguments = named(audit)
    shown_title: list[Content] = [clipped(title, LONGEST)] if title else [element("span", name)]
    subject = [f"{name}{arguments}"] if title else [arguments] if arguments != "()" else []
    return element(
        "header",
        element("p", "Privacy audit", class_="label"),
        element("h1", *shown_title, class_="long" if len(title or name) > WIDE else None),
        element("p", *subject, class_="subject") if subject else None,
    )


def named(audit: Audit) -> tuple[str, str]:
    """The name of what is audited, and its arguments in brackets."""
    text = clipped(str(audit.regression), LONGEST)
    found = CALLED.match(text)
    return (found[1], found[2]) if found else (text, "")


def verdict(found: Findings, known: Collection[str]) -> Element:
    """The verdict in words, its sentence, and the numbers that matter most."""
    audit = found.audit
    text = sentence(audit, place="below")
    before, after = LEADS[audit.verdict]
    if audit.where:
        after = f" where {plain_words(audit.where)}. Beyond, it is not proved and may be false."
    return element(
        "section",
        element("h2", _sign(audit.verdict), says(audit), id="verdict"),
        element("p", before, element("strong", *words(goal(audit.claimed))), after, class_="lead"),
        element("p", "The sentence to sign", class_="label"),
        element("p", *words(text, known, str(audit.regression)), class_="statement"),
        _signature(),
        _figures(found),
        class_=f"verdict {CLASSES[audit.verdict]}",
        aria_labelledby="verdict",
    )


def _sign(verdict: Verdict) -> Element:
    path = element("path", d=SIGNS[verdict])
    return element(
        "svg", path, viewBox="0 0 34 34", width="34", height="34", aria_hidden="true", class_="seal"
    )


def _signature() -> Element:
    """Lines to sign on, on paper only."""
    blanks = [element("li", element("span", text)) for text in ("Name", "Date", "Signature")]
    return element("ul", *blanks, class_="signature", aria_hidden="true")


def _figures(found: Findings) -> Element:
    items = [
        element(
            "div",
            element("dt", term),
            element("dd", element("span", value, class_="figure"), element("span", note)),
        )
        for term, value, note in _numbers(found)
    ]
    return element("dl", *items, class_="figures")


def _numbers(found: Findings) -> Iterator[tuple[str, str, str]]:
    audit = found.audit
    if audit.claimed is audit.target:
        yield from _claimed(audit)
    yield from _cost(found)
    if found.waste is not None:
        where = ", in the example" if found.at else ""
        yield "Noise needed", f"× {shown(found.waste.factor, 'up')}", _needed(found.waste) + where
    count = len(audit.report.open_obligations)
    if count:
        yield "In the way", str(count), "open obligation" + "s" * (count > 1)


def _claimed(audit: Audit) -> Iterator[tuple[str, str, str]]:
    """The claim: its numbers, or that it has letters."""
    target = audit.target
    known = [lower_end(amount) for amount in target.amounts]
    if "epsilon" not in target.currency:
        return
    if known[0] is None:
        letters = plain_words(", ".join(map(str, target.amounts)))
        reach = (
            "for all values; proved for some" if audit.where else "for all values in their ranges"
        )
        yield "Claimed", clipped(letters, 40), reach
        return
    failing = "delta" if len(known) == 2 and known[1] is None else "0"
    delta = short(known[1]) if len(known) == 2 and known[1] is not None else failing
    yield "Claimed", f"ε = {plain_words(short(known[0]))}", plain_words(f"at delta = {delta}")


def _cost(found: Findings) -> Iterator[tuple[str, str, str]]:
    """The tightest answer, and at which numbers."""
    best: Sequence[Opinion] = [
        one for one in found.opinions if one.applies and one.upper is not None
    ]
    if not best:
        if found.audit.verdict is Verdict.REFUTED and found.audit.broken is None:
            yield "True cost", "no bound", "see what stands in the way"
        return
    one = best[0]
    at = ", ".join(
        f"{name} = {exactly(found.at[name])}" for name in ("epsilon", "delta") if name in found.at
    )
    note = f"for {at}" if at else f"at delta = {figure(one.delta)}"
    yield "True cost", cost_of(one, found), plain_words(note)


def cost_of(one: Opinion, found: Findings) -> str:
    """`ε = 0.596`, `ε between 45.5 and 1113`."""
    upper = one.upper if one.upper is not None else float("inf")
    limit = lower_end(found.audit.target.amounts[0])
    text = range_of(
        (one.lower or 0.0, upper), limit if isinstance(found.audit.target, ApproxDP) else None
    )
    return f"ε = {text}" if text[:1].isdigit() else f"ε {text}"


def _needed(wasted: Waste) -> str:
    """What the factor means."""
    if wasted.tight:
        return "of what is added: none is wasted"
    return "of what is added would do" if wasted.factor < 1 else "of what is added is needed"
