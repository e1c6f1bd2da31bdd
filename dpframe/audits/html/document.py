"""The audit as one HTML file: no network, no script, every word of it escaped.

The markup stands in `templates/`, which escape whatever they are given; here is what they ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markupsafe import Markup

from dpframe.prover.problem import sampling
from dpframe.prover.text import argument, bounds, overspent, unreplayed
from dpframe.symbols import Expression
from dpframe.wording import Formula, Text, capital, joined, say

from ..descriptions.stated import ClaimedSensitivity
from ..drawing import drawing
from ..figures import chosen, clipped, equals, figure, listed
from ..figures import formula as written
from ..findings import Findings
from ..findings.saving import ALIKE
from ..lines import lower_end
from ..page import opened, payments, uncounted
from ..releases import ANALYTIC, COSTS, UNSIZED, Releases, cost, drawn, refuted
from ..report import Audit
from ..sentence import (
    false_parts,
    free,
    goal,
    holding,
    labels_text,
    rows_text,
    sentence,
    values_text,
)
from .costs import Axes, Costs, bars, parts, sharp
from .graph_picture import graph_picture
from .mathematics import constraint, formula
from .words import LONGEST, percent, shown, signs, visible, words

HERE = Path(__file__).parent
STYLE = (HERE / "style.css").read_text(encoding="utf-8")
SAYS = {"proved": "Proved", "refuted": "Refuted", "unproved": "Not proved"}
LEADS = {
    "proved": ("All that is released satisfies ", "."),
    "refuted": ("What is released does not satisfy ", "."),
    "unproved": ("That what is released satisfies ", " is not proved, and not refuted."),
}
OUTPUT = "output: "  # a remark of a description on its last step


def document(
    found: Findings,
    title: str,
    notes: Sequence[str],
    command: str,
    printed: Sequence[ClaimedSensitivity],
) -> str:
    """The page as `html` promises it."""
    audit = found.audit
    remarks = [note for note in notes if note.strip()]
    contents = dict(_contents(found, remarks, printed))
    name, arguments = named(audit)
    says, lead = SAYS[str(audit.verdict)], LEADS[str(audit.verdict)]
    if audit.report.overspent and not audit.report.proved:
        says += ": the shares sum to more than the claim"
        lead = (lead[0], _overspent_lead(audit, lead[1]))
    if audit.holds_by:
        shares = audit.report.overspent
        says = "The declared shares exceed the budget" if shares else "Not proved by its shares"
        says += "; the claim holds by another accountant"
        end = say(", {}.", holding(audit))
        lead = (LEADS["proved"][0], _overspent_lead(audit, end) if shares else end)
    if audit.where:
        says += " for a part of what is claimed"
        part = say(" where {}. Beyond, it is not proved and may be false.", audit.where)
        lead = (lead[0], part)
    chosen, costs = audit.report.chosen, Costs(found)
    template = _environment().get_template("page.html")
    page = template.render(
        found=found,
        audit=audit,
        report=audit.report,
        model=audit.report.problem.graph,
        certificate=audit.certificate,
        known={one.key for one in found.sources},
        contents=contents,
        title=title,
        name=name,
        arguments=arguments,
        says=says,
        lead=lead,
        goal=goal(audit.claimed),
        sentence=sentence(audit, place="below"),
        holding=holding(audit) if audit.holds_by else "",
        headline=costs.headline,
        at=values_text(found.at),
        claimed=[*_claimed(audit)],
        region=() if chosen is None else chosen.constraints,
        remarks=remarks,
        printed_sensitivities=printed,
        untrue=false_parts(audit, printed),
        output_note=next((one[len(OUTPUT) :] for one in remarks if one.startswith(OUTPUT)), ""),
        released=Releases(audit),
        costs=costs,
        opened=[*opened(audit).items()],
        payments=payments(audit) if "paid" in contents else None,
        command=command,
        running=running(audit, title),
        version=release(),
    )
    return f"{visible(page)}\n"


def _overspent_lead(audit: Audit, end: str) -> Text:
    """The end of the first sentence, and what the shares sum to."""
    return say("{} {}.", end, capital(joined("; ", overspent(audit.report))))


@cache
def _environment() -> Environment:
    """Templates that escape everything, and know no name that is not given."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "clip": clipped,
        "signs": signs,
        "p": lambda place: f"{place:.2f}".rstrip("0").rstrip("."),
        "near": lambda value, digits=0: shown(value, digits=digits),
        "up": lambda value: shown(value, "up"),
        "down": lambda value: shown(value, "down"),
        "few": _few,
        "value": lambda value: signs(clipped(written(value), 120)),
        "written": written,
        "formula": formula,
        "constraint": constraint,
        "chosen": chosen,
        "figure": figure,
        "percent": percent,
        "listed": listed,
        "capital": capital,
        "formula_text": Formula,
        "equals": equals,
    }
    made.globals |= {
        "STYLE": Markup(STYLE),  # noqa: S704 - dpframe's own rules
        "WORDS": SAYS,
        "UNSIZED": UNSIZED,
        "ANALYTIC": ANALYTIC,
        "COSTS": COSTS,
        "cost": cost,
        "drawn": drawn,
        "refuted": refuted,
        "ALIKE": ALIKE,
        "words": _words,
        "say": say,
        "joined": joined,
        "argument": argument,
        "uncounted": uncounted,
        "unreplayed": unreplayed,
        "sampling": sampling,
        "drawing": drawing,
        "graph_picture": graph_picture,
        "axes": Axes.of,
        "parts": parts,
        "bars": bars,
        "sharp": sharp,
        "times": lambda count: f" (×{count})" if count > 1 else "",
    }
    return made


@pass_context
def _words(context: Any, text: str, width: int = LONGEST) -> Markup:
    """A sentence, its citations as links to the sources of this page. Raises TypeError for HTML,
    which would be escaped twice.
    """
    if isinstance(text, Markup):
        raise TypeError(text)
    return words(text, context["known"], width)


def _few(value: Expression) -> str:
    """The first digits of a formula without letters, all of them where these are few; else ""."""
    known, text = lower_end(value), written(value)
    if known is None:
        return ""
    return signs(text) if len(text) <= 8 else shown(known)


def _contents(
    found: Findings, remarks: Sequence[str], printed: Sequence[ClaimedSensitivity]
) -> Iterator[tuple[str, str]]:
    """The sections that have something to say: the places and titles, in the order of the page."""
    audit, graph = found.audit, found.audit.report.problem.graph
    count = len(audit.report.open_obligations)
    sections = (
        ("claim", "What is claimed", True),
        ("change", "The first thing to change", found.change),
        ("notes", "Notes of the auditor", remarks),
        ("printed", "Sensitivities that the paper prints", printed),
        ("releases", "Each release alone", audit.lines),
        ("theorems", "Theorems of their own", graph.procedures or graph.bounds),
        ("graph", "The graph of what is computed", graph.nodes),
        ("together", "What everything costs together", found.accountants),
        ("profile", "The privacy profile", found.profile),
        ("split", "How the budget is split", found.portions),
        ("plan", "The plan of shares", audit.plan_verdict),
        ("waste", _waste(found), found.waste),
        ("saving", "The best split of the budget", found.saving),
        ("proof", "Why it holds", audit.report.chosen),
        (
            "obligations",
            f"What stands in the way: {count} open obligation{'s' * (count > 1)}",
            count,
        ),
        ("paid", "What each record pays", audit.report.problem.personal and audit.certificate),
        ("assumptions", "Assumed, not proved", found.assumptions),
        ("sources", "Sources", found.sources),
        ("reproduce", "How to make this page again", True),
    )
    return ((place, title) for place, title, present in sections if present)


def _waste(found: Findings) -> str:
    if found.waste is None or found.waste.tight:
        exact = found.waste is not None and found.waste.exact
        return "No noise is wasted" if exact else "Noise against the tightest calibration"
    return "Noise that is wasted" if found.waste.factor < 1 else "Noise that is missing"


def _claimed(audit: Audit) -> Iterator[tuple[str, str]]:
    """The claim, the unit of privacy, the bounds of the data, the ranges."""
    rows, labels = audit.setting.X, audit.setting.y
    yield "Claim", goal(audit.claimed)
    yield "Unit of privacy", f"{audit.setting.unit} ({audit.setting.relation})"
    yield "Rows", rows_text(rows)
    named = zip(rows.names, bounds(audit.setting), strict=False)
    yield from ((f"Column {clipped(name, 60)}", ends) for name, (_, ends) in named)
    if labels is not None:
        yield "Labels", labels_text(labels)
    yield "For all", free(audit)


def named(audit: Audit) -> tuple[str, str]:
    """The name of what is audited, and its arguments in brackets."""
    text = clipped(str(audit.regression), 300)
    name, bracket, arguments = text.partition("(")
    called = name.isidentifier() and text.endswith(")")
    return (name, bracket + arguments) if called else (text, "")


def release() -> str:
    """The version of dpframe that made the page."""
    try:
        return version("dpframe")
    except PackageNotFoundError:
        return "of unknown version"


def running(audit: Audit, title: str) -> str:
    """What stands under every sheet of paper: the title and what tells this page from others."""
    certificate = audit.certificate
    name = clipped(title or str(audit.regression), 60)
    graph = audit.report.problem.graph.hash[:12]
    own = "" if certificate is None else f" · certificate {certificate.hash[:12]}"
    return f"{name} · graph {graph}{own} · dpframe {release()}"
