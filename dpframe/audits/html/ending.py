"""The end of the page: what is assumed, what is cited, how to make it again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from dpframe.errors import DPFrameError

from ..figures import clipped
from ..findings import Findings
from .elements import Content, Element, element, words
from .parts import Section, cell, command, framed, heading, pairs, paragraph, table

if TYPE_CHECKING:
    from ..report import Audit

LONG = 1000


def paid(audit: Audit, known: Collection[str]) -> Iterator[Section]:
    """What each record really pays, where each has a budget of its own."""
    certificate = audit.certificate
    if audit.report.problem.personal is None or certificate is None:
        return
    from ..budget_reports import cells, notes, shown, titles
    from ..personal import COLUMNS, report_of

    try:
        report, example = report_of(certificate)
    except DPFrameError as refusal:
        said = paragraph(*words(f"Not known here: {' '.join(str(refusal).split())}", known))
        yield Section("paid", "What each record pays", (said,))
        return
    at = f", at {COLUMNS} columns" if "d" in certificate.symbols else ""
    head = titles(report)
    rows = []
    for place in shown(report):
        first, *others = cells(report, place)
        rows.append([heading(clipped(first, 80)), *(cell(one, class_="number") for one in others)])
    caption = f"At noise as it is executed{at}{example}"
    found = table("paid", caption, [*words_of(head)], rows, range(1, len(head)))
    told = [paragraph(*words(note, known), class_="note") for note in notes(report)]
    yield Section("paid", "What each record pays", (found, *told))


def words_of(head: Collection[str]) -> Iterator[Content]:
    """Headings of columns."""
    return (element("span", *words(one)) for one in head)


def assumptions(found: Findings, known: Collection[str]) -> Section:
    """What is assumed, with identifiers."""
    rows = [
        [
            heading(element("span", clipped(one.id, 20), class_="name")),
            cell(
                element("strong", clipped(one.title, 120)),
                element("span", *words(clipped(one.text, LONG), known), class_="under"),
            ),
        ]
        for one in found.assumptions
    ]
    caption = "What the verdict rests on, with the identifiers of docs/assumptions"
    return Section(
        "assumptions",
        "Assumed, not proved",
        (table("assumptions", caption, ("", "assumption"), rows),),
    )


def sources(found: Findings) -> Section:
    """The works that the page cites."""
    items = [
        element(
            "li",
            element("span", f"[{one.key}]", class_="name"),
            " ",
            clipped(one.text, LONG),
            id=f"source-{one.key}",
        )
        for one in found.sources
    ]
    return Section("sources", "Sources", (element("ul", *items, class_="sources"),))


def reproduce(found: Findings, given: str) -> Section:
    """The command, and the hashes that its answer must have."""
    audit = found.audit
    spelled = given or command(audit)
    items: list[tuple[str, tuple[Content, ...]]] = [
        ("Subject", (element("code", clipped(str(audit.regression), LONG)),)),
        ("Derivation", (audit.derivation,) if audit.derivation else ()),
        ("Graph", (element("code", audit.report.problem.graph.hash, class_="hash"),)),
    ]
    certificate = audit.certificate
    if certificate is not None:
        items.append(("Certificate", (element("code", certificate.hash, class_="hash"),)))
    items.append(("Made by", (f"dpframe {release()}",)))
    shown: list[Content] = []
    if spelled:
        shown = [
            paragraph(
                "This page follows from the declaration alone: no data was read. The command:"
            ),
            framed(element("pre", element("code", clipped(spelled, LONG))), "Command"),
        ]
    if certificate is not None:
        text = (
            "A certificate file of this proof, `certificate.save(FILE)`, is checked without "
            "dpframe's prover by `dpframe check FILE --expect HASH`."
        )
        shown.append(paragraph(*words(text)))
    return Section("reproduce", "How to make this page again", (*shown, pairs(items)))


def release() -> str:
    """The version of dpframe that made the page."""
    try:
        return version("dpframe")
    except PackageNotFoundError:
        return "of unknown version"


def footer(audit: Audit, title: str) -> Element:
    """One line under everything."""
    return element("footer", paragraph(running(audit, title)))


def running(audit: Audit, title: str) -> str:
    """What stands under every sheet of paper: the title and what tells this page from others."""
    certificate = audit.certificate
    name = clipped(title or str(audit.regression), 60)
    graph = audit.report.problem.graph.hash[:12]
    own = "" if certificate is None else f" · certificate {certificate.hash[:12]}"
    return f"{name} · graph {graph}{own} · dpframe {release()}"
