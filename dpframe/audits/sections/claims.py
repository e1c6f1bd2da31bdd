"""What a document says of the claim: what to change, what stands in the way, why it holds, what is
assumed, how to make the document again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from dpframe.graph import Graph
from dpframe.prover import Obligation, Verdict
from dpframe.prover.text import argument, bounds, proved_aside, unreplayed
from dpframe.wording import Code, Text, best_ways, capital, say

from ..blocks import Badge, Block, Pairs, Picture, Say, Verbatim, condition
from ..drawing import MOST as NODES
from ..drawing import drawing, lines
from ..figures import clipped, listed
from ..findings import Findings
from ..findings.change import solved_by_noise
from ..findings.example import WORLD, Assumption
from ..report import Audit
from ..sentence import free, goal, holding, labels_text, rows_text

MOST = 60  # steps, obligations
FACTS = 12
USUAL = {"A1", "A4", "A5", *(one[0] for one in WORLD)}  # of all declarations: short texts name them
OUTPUT = "output: "  # a remark of a description on its last step


def claim(audit: Audit) -> Iterator[Block]:
    """The claim, the unit of privacy, the bounds of the data, the ranges."""
    rows, labels = audit.setting.X, audit.setting.y
    named = zip(rows.names, bounds(audit.setting), strict=False)
    chosen = audit.report.chosen
    yield Pairs(
        [
            ("Claim", goal(audit.claimed)),
            ("Unit of privacy", f"{audit.setting.unit} ({audit.setting.relation})"),
            ("Rows", rows_text(rows)),
            *((f"Column {name}", ends) for name, (_, ends) in named),
            ("Labels", "" if labels is None else labels_text(labels)),
            ("For all", free(audit)),
            ("It holds where", () if chosen is None else [*map(condition, chosen.constraints)]),
        ]
    )


def notes(remarks: Iterable[str]) -> Iterator[Block]:
    """What the auditor writes."""
    yield from map(Say, remarks)


# ------------------------------------------------------------------------------- What is not proved
def opened(audit: Audit) -> dict[Obligation, list[str]]:
    """Every open obligation and the nodes that have it, equal ones of several releases once."""
    nodes: dict[Obligation, list[str]] = {}
    for obligation in audit.report.open_obligations:
        nodes.setdefault(attrs.evolve(obligation, node=""), []).append(obligation.node)
    return nodes


def open_obligations(findings: Findings) -> Iterator[Block]:
    """Every open obligation; and what the noise alone would prove."""
    audit = findings.audit
    obligations = opened(audit)
    if not obligations:
        return
    if audit.holds_by:
        held = say("The claim itself holds {}.", holding(audit))
        yield Say(say("These obligations are about the declared shares. {}", held))
    yield from (Say(one) for one in _aside(audit))
    for one, nodes in list(obligations.items())[:MOST]:
        yield _entry(findings, one, nodes)
    if len(obligations) > MOST:
        yield Say(f"And {len(obligations) - MOST} more.")


def _entry(findings: Findings, one: Obligation, nodes: Sequence[str]) -> Pairs:
    audit, remedy = findings.audit, findings.change
    way_out = audit.advice(best_ways(one.repair))
    if remedy is not None and solved_by_noise(one, findings.waste):
        way_out = say("{}, as recommended above.", remedy.title)
    shares = audit.holds_by and one.edit is not None and one.edit.what == "shares"
    badge = Badge(one.verdict)
    if shares:
        badge = Badge(Verdict.UNPROVED, word="shares exceed the budget")
    return Pairs(
        [
            ("At", say("{}{}", listed(nodes), _times(one))),
            ("Facts", one.facts[:FACTS]),
            (one.shows.capitalize(), one.example),
            ("Way out", way_out),
        ],
        title=one.rule,
        badge=badge,
        details=frozenset({"Facts"}),
    )


def _times(one: Obligation) -> str:
    return f" (×{one.count})" if one.count > 1 else ""


def _aside(audit: Audit) -> Iterator[str]:
    """What the noise alone would prove, where something else stands in the way."""
    draws = any(o.kind == "draws" for o in audit.report.open_obligations)
    if draws or audit.verdict is Verdict.REFUTED:
        return
    if audit.report.aside:
        aside = audit.advice(proved_aside(audit.report))
        yield say("Only the shares stand in the way. {}", aside)
        return
    for attempt in audit.report.attempts:
        totals = [o.verdict for o in attempt.obligations if o.kind == "total"]
        if totals and set(totals) == {Verdict.PROVED}:
            part = " for a part of the parameter values" * bool(attempt.constraints)
            yield f"The noise alone would prove the total{part}."
            return


# ----------------------------------------------------------------------------------- What is proved
def proof(audit: Audit) -> Iterator[Block]:
    """The derivation of the total, and its steps."""
    chosen, graph = audit.report.chosen, audit.report.problem.graph
    if chosen is None:
        return
    yield Say(say("By {}.", argument(chosen.name)))
    yield Pairs(
        [
            (say("{}{}", clipped(one.node, 120), _times(one)), [one.rule, *one.facts[:FACTS]])
            for one in chosen.obligations[:MOST]
        ]
    )
    if audit.certificate is not None:
        yield Say(say("Certificate {}.", Code(audit.certificate.hash[:12])), "note")
    if audit.trusted:
        yield Say(f"On trust in {', '.join(audit.trusted)}.", "note")
    yield from (
        Say(f"{line.strip().capitalize()}.", "note") for line in unreplayed(chosen.name, graph)
    )


def assumptions(findings: Findings) -> Iterator[Block]:
    """What the verdict rests on, by the identifiers of docs/assumptions."""
    pairs = [(one.id, _assumed(one)) for one in findings.assumptions]
    own = [f"{one.id} {_assumed(one)}" for one in findings.assumptions if one.id not in USUAL]
    usual = [f"{one.id} {one.title}" for one in findings.assumptions if one.id in USUAL]
    yield Pairs(pairs, short="\n".join([*own, f"{'; '.join(usual)}."]))


def _assumed(one: Assumption) -> Text:
    """The text, after the title where that says more."""
    titled = one.title.lower().removeprefix("the ") not in one.text.lower()
    return say("{}: {}", one.title, one.text) if titled else capital(one.text)


# -------------------------------------------------------------------------- For readers of the page
def graph(model: Graph, remarks: Sequence[str]) -> Iterator[Block]:
    """The graph, as a picture where it is small."""
    note = next((one[len(OUTPUT) :] for one in remarks if one.startswith(OUTPUT)), "")
    if not model.nodes:
        return
    yield Say("From the data, at the top, to the output; the grids that dpframe adds are left out.")
    if len(lines(model, note)) > NODES:
        yield Verbatim("Drawing of the graph", drawing(model, note))
        return
    caption = "Unbroken arrows carry private values, broken ones what may be published."
    yield Picture("graph", "Picture of the graph", (model, note), caption)


def sources(findings: Findings) -> Iterator[Block]:
    """The works that are cited."""
    yield Pairs([(f"[{one.key}]", one.text) for one in findings.sources], anchor="source-")


def reproduce(audit: Audit, command: str, version: str) -> Iterator[Block]:
    """How to make the document again, and hashes."""
    certificate, model = audit.certificate, audit.report.problem.graph
    if command:
        yield Say("This page follows from the declaration alone: no data was read. The command:")
        yield Verbatim("Command", clipped(command, 1000))
    if certificate is not None:
        partly = unreplayed(certificate.derivation, certificate.graph)
        but = ", but for the total, which the checker does not add up: `dp.load(FILE)` proves it"
        yield Say(
            say(
                "A certificate file of this proof, `certificate.save(FILE)`, is checked without "
                "dpframe's prover by `dpframe check FILE --expect HASH`{}.",
                say(but) if partly else "",
            )
        )
    yield Pairs(
        [
            ("Subject", str(audit.regression)),
            ("Derivation", audit.derivation),
            ("Graph", model.hash),
            ("Certificate", "" if certificate is None else certificate.hash),
            ("Made by", f"dpframe {version}"),
        ]
    )
