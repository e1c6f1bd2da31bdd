"""The document on an audit: one list of sections, of which text and pages are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

from dpframe.prover.text import overspent
from dpframe.wording import Text, capital, joined, say

from ..blocks import WORDS, Block, Document, Section
from ..descriptions.stated import ClaimedSensitivity
from ..figures import clipped
from ..findings import Findings
from ..report import Audit
from ..sentence import false_parts, goal, holding, sentence
from . import claims, costs, releases

__all__ = ["document"]


def document(
    findings: Findings,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    command: str = "",
    printed: Sequence[ClaimedSensitivity] = (),
) -> Document:
    """The document that `html` promises."""
    audit = findings.audit
    remarks = [note for note in notes if note.strip()]
    says, lead = _verdict(audit)
    name, arguments = _named(audit)
    return Document(
        title=clipped(title, 300),
        name=name,
        arguments=arguments,
        verdict=audit.verdict,
        says=says,
        lead=lead,
        untrue=false_parts(audit, printed),
        sentence=sentence(audit),
        headline=[*costs.headline(findings)],
        example=costs.example(findings),
        sections=[
            Section(place, title, kept)
            for place, title, blocks in _sections(findings, remarks, command, printed)
            if (kept := [one for one in blocks if one])
        ],
        running=_running(audit, title),
        cited=frozenset(one.key for one in findings.sources),
    )


def _sections(
    findings: Findings, remarks: Sequence[str], command: str, printed: Sequence[ClaimedSensitivity]
) -> Iterator[tuple[str, str, Iterable[Block]]]:
    """The list: costs, what to change, what is assumed, then the details of the claim and proof."""
    audit, model = findings.audit, findings.audit.report.problem.graph
    count = len(audit.report.open_obligations)
    way = f"What stands in the way: {count} open obligation{'s' * (count > 1)}"
    yield "together", "What everything costs together", costs.together(findings)
    yield "releases", "What each release costs", releases.released(audit)
    yield "printed", "Sensitivities that the paper prints", releases.printed(printed)
    yield "split", "How the budget is split", costs.split(findings)
    yield "paid", "What each record pays", costs.paid(audit)
    yield "change", costs.change_title(findings), costs.change(findings)
    yield "obligations", way, claims.open_obligations(findings)
    yield "assumptions", "Assumed, not proved", claims.assumptions(findings)
    yield "proof", "Why it holds", claims.proof(audit)
    yield "plan", "The plan of shares", releases.plan(audit)
    yield "derivations", "Where the numbers come from", releases.derivations(audit)
    yield "theorems", "Theorems of their own", releases.theorems(audit)
    yield "claim", "What is claimed", claims.claim(audit)
    yield "notes", "Notes of the auditor", claims.notes(remarks)
    yield "graph", "The graph of what is computed", claims.graph(model, remarks)
    yield "profile", "The privacy profile", costs.profile(findings)
    yield "sources", "Sources", claims.sources(findings)
    yield "reproduce", "How to make this page again", claims.reproduce(audit, command, release())


def _verdict(audit: Audit) -> tuple[str, Text]:
    """The verdict, and as a sentence."""
    report, claim = audit.report, goal(audit.claimed)
    says = WORDS[str(audit.verdict)].capitalize()
    over = say("")
    if report.overspent and not report.proved:
        over = say(" {}.", capital(joined("; ", overspent(report))))
        says += ": the shares sum to more than the claim"
    if audit.holds_by:
        exceed = "The declared shares exceed the budget"
        start = exceed if report.overspent else "Not proved by its shares"
        says = f"{start}; the claim holds by another accountant"
        return says, say("All that is released satisfies {}, {}.{}", claim, holding(audit), over)
    if audit.where:
        part = (
            "All that is released satisfies {} where {}. Beyond, it is not proved and may be false."
        )
        return f"{says} for a part of what is claimed", say(part, claim, audit.where)
    leads = {
        "proved": "All that is released satisfies {}.{}",
        "refuted": "What is released does not satisfy {}.{}",
        "unproved": "That what is released satisfies {} is not proved, and not refuted.{}",
    }
    return says, say(leads[str(audit.verdict)], claim, over)


def _named(audit: Audit) -> tuple[str, str]:
    """The name of what is audited, and its arguments in brackets."""
    text = clipped(str(audit.regression), 300)
    name, bracket, arguments = text.partition("(")
    called = name.isidentifier() and text.endswith(")")
    return (name, bracket + arguments) if called else (text, "")


def release() -> str:
    """The version of dpframe that made the document."""
    try:
        return version("dpframe")
    except PackageNotFoundError:
        return "of unknown version"


def _running(audit: Audit, title: str) -> str:
    """What stands under every sheet of paper: the title and what tells this page from others."""
    certificate = audit.certificate
    name = clipped(title or str(audit.regression), 60)
    graph = audit.report.problem.graph.hash[:12]
    own = "" if certificate is None else f" · certificate {certificate.hash[:12]}"
    return f"{name} · graph {graph}{own} · dpframe {release()}"
