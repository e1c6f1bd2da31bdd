"""Why the total holds, or what stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from dpframe.prover import Obligation, Verdict
from dpframe.prover.text import argument

from ..figures import clipped, tidy
from ..releases import joined
from .elements import Content, Element, element, value_of, words
from .parts import Section, badge, cell, heading, pairs, paragraph, table

if TYPE_CHECKING:
    from ..report import Audit

LONG, MOST, FACTS = 400, 60, 12


def plan(audit: Audit, known: Collection[str]) -> Iterator[Section]:
    """The verdict on the plan of shares."""
    if audit.plan_verdict is None:
        return
    contents: list[Content] = [paragraph("The plan of shares is ", badge(audit.plan_verdict), ".")]
    sums = audit.shares_sum
    if sums is not None:
        pairs_ = zip(sums.currency, sums.amounts, audit.target.amounts, strict=True)
        rows = [
            [
                heading(*words(name)),
                cell(value_of(total), class_="number"),
                cell(value_of(whole), class_="number"),
            ]
            for name, total, whole in pairs_
        ]
        head = ("of", "shares sum to", "claimed")
        contents.append(table("plan", "Shares in sum", head, rows, [1, 2], narrow=True))
    open_ones = [one for one in audit.report.plan if one.verdict is not Verdict.PROVED]
    contents += [_obligation((one.node,), one, known) for one in open_ones]
    yield Section("plan", "The plan of shares", tuple(contents))


def proof(audit: Audit, known: Collection[str]) -> Iterator[Section]:
    """The derivation that proves the total."""
    chosen = audit.report.chosen
    if chosen is None:
        return
    said = [paragraph("By ", *words(argument(chosen.name), known), ".")]
    if audit.trusted:
        named = clipped(", ".join(audit.trusted), LONG)
        said.append(paragraph(f"On trust in {named}.", class_="note"))
    steps = [element("li", *_step(one, known)) for one in chosen.obligations[:MOST]]
    failing = {line.verdict for line in audit.lines} & {Verdict.REFUTED, Verdict.UNPROVED}
    if chosen.name != "basic" and failing:
        text = "The claims on single releases that fail are not used by this proof."
        said.append(paragraph(text, class_="note"))
    yield Section(
        "proof", "Why it holds", (said[0], element("ul", *steps, class_="steps"), *said[1:])
    )


def _step(one: Obligation, known: Collection[str]) -> Iterator[Content]:
    many = f" (×{one.count})" if one.count > 1 else ""
    yield from words(tidy(f"{clipped(one.node, LONG)}{many}: {clipped(one.rule, LONG)}"), known)
    if one.facts:
        yield _facts(one.facts, known)


def _facts(facts: Sequence[str], known: Collection[str]) -> Element:
    shown = [element("li", *words(tidy(clipped(fact, LONG)), known)) for fact in facts[:FACTS]]
    return element("ul", *shown, class_="facts")


def obligations(audit: Audit, known: Collection[str]) -> Iterator[Section]:
    """Every open obligation, equal ones of several releases once."""
    found: dict[Obligation, list[str]] = {}
    for one in audit.report.open_obligations:
        found.setdefault(attrs.evolve(one, node=""), []).append(one.node)
    if not found:
        return
    shown = [_obligation(nodes, one, known) for one, nodes in list(found.items())[:MOST]]
    count = sum(map(len, found.values()))
    title = f"What stands in the way: {count} open obligation{'s' * (count > 1)}"
    more = [paragraph(f"And {len(found) - MOST} more.")] if len(found) > MOST else []
    yield Section("obligations", title, (*shown, *more))


def _obligation(nodes: Sequence[str], one: Obligation, known: Collection[str]) -> Element:
    """Node, rule, facts, counterexample, way out."""
    many = f" (×{one.count})" if one.count > 1 else ""
    name = clipped(joined(list(nodes)), LONG)
    witness = "" if one.witness is None else str(one.witness)
    items: list[tuple[str, Sequence[Content]]] = [
        ("At", (*words(tidy(name)), many)),
        ("Facts", (_facts(one.facts, known),) if one.facts else ()),
        ("Counterexample", words(tidy(clipped(witness, LONG)), known)),
        ("Way out", words(tidy(clipped(one.repair, LONG)), known)),
    ]
    rule = words(tidy(clipped(one.rule, LONG)), known)
    head = element("h3", badge(one.verdict), " ", *rule)
    kind = {Verdict.PROVED: "proved", Verdict.REFUTED: "refuted", Verdict.UNPROVED: "unproved"}
    return element("div", head, pairs(items), class_=f"obligation {kind[one.verdict]}")
