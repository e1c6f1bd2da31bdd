"""dpframe audit: the true cost of a budget split, and how to reduce it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

import dpframe as dp
from dpframe.symbols import Number

from .declaration import is_description
from .options import (
    ClaimOptions,
    Force,
    Json,
    PersonalClaimOptions,
    ProofOptions,
    TableOptions,
    grouped,
    names_given,
    option,
)
from .printing import check_written, print_json, say, waiting, width, written

if TYPE_CHECKING:
    from dpframe.audits.descriptions.stated import ClaimedSensitivity
    from dpframe.audits.findings import Findings

app = typer.Typer(add_completion=False)

SUBJECT = (
    "A regression that `dpframe list` prints, or your own, module:Class or file.py:Class; or "
    "FILE.toml, a description."
)
ELSEWHERE = "The description states this: edit the file."
ALL = "Print all sections: also each size of noise, the proof, and where numbers come from."
SOURCES = "Print the references of the works that the audit cites."
PAGE = "Write the audit as a self-contained HTML page to this new file."


@app.command(epilog="Example: dpframe audit AdaSSPWang --epsilon 1 --delta 1e-6 --html audit.html")
@grouped
def audit_(
    name: Annotated[str, typer.Argument(help=SUBJECT)],
    *,
    claim: PersonalClaimOptions,
    table: TableOptions,
    proof: ProofOptions,
    html: Annotated[Path | None, option(PAGE)] = None,
    details: Annotated[bool, option("--details", ALL)] = False,
    sources: Annotated[bool, option(SOURCES)] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Audit the budget split of a regression or of a description: the true cost of each release and
    of the whole, by every accountant that applies, and what to change. Exit status 0 if the claim
    is proved for all parameter values that it names, 1 if it is refuted, not proved or proved for a
    part of them, 2 for arguments that cannot be used.
    """
    from dpframe.audits.findings import findings
    from dpframe.audits.html import require

    check_written({"--html": html}, force=force)
    if html is not None:
        require()  # before the work
    with waiting("Proving, and adding up by every accountant"):
        done = _audited(name, claim, table, proof)
        found = findings(done.audit, whole=html is not None or as_json)
    if html is not None:
        _write(html, found, done)
    _print(found, done, details=details, sources=sources, as_json=as_json)
    if done.audit.certificate is None or done.audit.where:
        raise typer.Exit(1)


@attrs.frozen
class Audited:
    """An audit; the title, the notes and the printed sensitivities of a description."""

    audit: dp.audits.Audit
    title: str = ""
    notes: tuple[str, ...] = ()
    printed: tuple[ClaimedSensitivity, ...] = ()


def _audited(
    name: str, claim: PersonalClaimOptions, table: TableOptions, proof: ProofOptions
) -> Audited:
    """The audit of a regression by its name; or of a description for the same table, with its claim
    or that by --epsilon and --delta. Raises InvalidArgument.
    """
    trusted = proof.trusted
    if not is_description(name):
        return Audited(
            dp.audit(
                proof.regression(name),
                target=claim.target,
                setting=table.setting,
                accountant=proof.accounting,
                trust=trusted,
            )
        )
    described = dp.audits.read_description(Path(name), trust=trusted)
    if given := names_given(table, attrs.evolve(proof, accountant="auto", trust=[])):
        wanted, got = "left out with a description", dp.errors.Plain("both")
        raise dp.InvalidArgument(", ".join(given), wanted, got, ELSEWHERE)
    done = dp.audit(
        described.regression,
        target=_target(described.target, claim),
        setting=described.setting,
        accountant=described.accountant if proof.accountant == "auto" else proof.accounting,
        trust=trusted,
    )
    remarks = [f"{key}: {text}" for key, text in described.remarks.items() if text]
    notes = tuple(filter(None, (described.citation, described.notes, *remarks)))
    return Audited(done, described.title, notes, described.claimed_sensitivities)


def _target(stated: dp.Guarantee, claim: PersonalClaimOptions) -> dp.Guarantee:
    """The target of the description, with the numbers that --epsilon and --delta replace."""
    if claim.personal:
        return claim.target
    if claim.epsilon is None and claim.delta is None:
        return stated
    numbers: dict[str, str | None] = {"epsilon": claim.epsilon, "delta": claim.delta}
    currency = stated.budget.currency
    if numbers.keys() >= set(currency):
        amounts = {"delta": "0", **dict(zip(currency, stated.amounts, strict=True))}
        for name, amount in amounts.items():
            if numbers[name] is None and isinstance(amount, (str, Number)):
                numbers[name] = str(amount)
    return ClaimOptions(**numbers).target


def _write(path: Path, found: Findings, done: Audited) -> None:
    from dpframe.audits.html import html

    command = shlex.join(["dpframe", *sys.argv[1:]])
    page_of = html(found, title=done.title, notes=done.notes, command=command, printed=done.printed)
    written("--html", path, lambda file: file.write_text(page_of, encoding="utf-8"))


def _print(found: Findings, done: Audited, *, details: bool, sources: bool, as_json: bool) -> None:
    if as_json:
        printed = [one.record() for one in done.printed]
        notes = {"notes": list(done.notes), "printed_sensitivities": printed}
        described = {"title": done.title, **notes} if done.title else {}
        print_json({**described, **done.audit.records(), **found.record()})
        return
    from dpframe.audits.sections import document
    from dpframe.audits.text import text

    made = document(found, title=done.title, notes=done.notes, printed=done.printed)
    say(text(made, width(), details="" if details else "--details", sources=sources))
