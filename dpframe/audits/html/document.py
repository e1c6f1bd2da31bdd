"""The audit as one HTML file: no network, no script, every word of it escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dpframe.graph import Graph

from ..figures import clipped
from ..findings import Findings
from .elements import Element, element, render
from .ending import assumptions, footer, paid, reproduce, running, sources
from .graph_picture import graph_picture
from .opening import change, claim, header, named, remarks, says, verdict
from .parts import Section, paragraph
from .profile_part import profile
from .proofs import obligations, plan, proof
from .release_parts import procedures, releases
from .split_part import split, waste
from .together import together

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html(
    findings: Findings, *, title: str = "", notes: Sequence[str] = (), command: str = ""
) -> str:
    """The page on an audit as a whole document, to be written as UTF-8.

    The same findings give the same characters. `title` stands above everything (left out: the name
    of what is audited), `notes` are paragraphs of the auditor's own, and `command` is how the page
    was made (left out: the command line, where it can spell this audit). Everything that comes from
    outside is escaped, characters that are not seen are shown as their numbers, and long texts lose
    their middle; `Findings.record()` has all of them whole.
    """
    known = {one.key for one in findings.sources}
    sections = list(_sections(findings, known, notes, command))
    main = element(
        "main",
        verdict(findings, known),
        _contents(sections),
        *(section.shown(number) for number, section in enumerate(sections, 1)),
        id="main",
    )
    audit = findings.audit
    body = element(
        "body",
        element("a", "Skip to the verdict", href="#main", class_="skip"),
        header(audit, title),
        main,
        footer(audit, title),
    )
    page = element(
        "html",
        _head(findings, title),
        body,
        lang="en",
        dir="ltr",
        data_footer=running(audit, title),
    )
    return f"<!DOCTYPE html>\n{render(page)}\n"


def _head(findings: Findings, title: str) -> Element:
    name = title or f"Audit of {named(findings.audit)[0]}"
    verdict = says(findings.audit).lower()
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{clipped(name, 120)}: {verdict}"),
        element("style"),
    )


def _contents(sections: Sequence[Section]) -> Element:
    """Links to the sections, by number."""
    items = [
        element("li", element("a", f"{number} {section.title}", href=f"#{section.place}"))
        for number, section in enumerate(sections, 1)
    ]
    inner = element("div", element("p", "Contents", class_="label"), element("ul", *items))
    return element("nav", inner, aria_label="Contents")


def _sections(
    found: Findings, known: Collection[str], texts: Sequence[str], command: str
) -> Iterator[Section]:
    """The sections that have something to say, in the order of the page."""
    audit = found.audit
    yield claim(found, known)
    if found.change is not None:
        yield change(found, found.change, known)
    yield from remarks(texts)
    yield from releases(found, known)
    yield from procedures(found, known)
    yield from _graph(audit.report.problem.graph)
    yield from together(found, known)
    if found.profile is not None:
        yield profile(found, found.profile)
    if found.portions:
        yield split(found)
    yield from plan(audit, known)
    if found.waste is not None:
        yield waste(found, found.waste)
    yield from proof(audit, known)
    yield from obligations(audit, known)
    yield from paid(audit, known)
    if found.assumptions:
        yield assumptions(found, known)
    if found.sources:
        yield sources(found)
    yield reproduce(found, command)


def _graph(graph: Graph) -> Iterator[Section]:
    if graph.nodes:
        text = "From the data, at the top, to what is published; without grids, which nobody wrote."
        yield Section(
            "graph", "The graph of what is computed", (paragraph(text), graph_picture(graph))
        )
