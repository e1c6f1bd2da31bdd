"""dpframe audit: the page on a budget split, of a regression or a description."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .declaration import accountant_of, trust_of
from .options import (
    Accountant,
    Bound,
    Box,
    Delta,
    EachEpsilon,
    Epsilon,
    Formula,
    Given,
    Groups,
    Jointly,
    Json,
    Norm,
    Related,
    RelationName,
    RowsEach,
    Schema,
    Trust,
    option,
    setting_of,
)
from .printing import print_json, say, waiting, width, written

if TYPE_CHECKING:
    from dpframe.audits.findings import Findings

    from .audited import Audited

app = typer.Typer(add_completion=False)

SUBJECT = (
    "A name that `dpframe list` prints, module:Class, file.py:Class, or FILE.toml, a description."
)
PAGE = "Write the page to this HTML file, which needs nothing else."


@app.command()
def audit_(
    name: Annotated[str, typer.Argument(help=SUBJECT)],
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    each_epsilon: EachEpsilon = False,
    groups: Groups = None,
    schema: Schema = None,
    formula: Formula = None,
    norm: Norm = None,
    box: Box = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    accountant: Accountant = "auto",
    trust: Trust = [],  # noqa: B006 - typer makes a list of its own
    jointly: Jointly = False,
    html: Annotated[Path | None, option("--html", PAGE)] = None,
    as_json: Json = False,
) -> None:
    """What a budget split really costs: of a regression, or of a description.

    Judges each release and the whole, by every accountant that applies, and says what to change.
    """
    from dpframe.audits.findings import findings
    from dpframe.audits.html import require

    from .audited import AuditOptions, audited

    if html is not None:
        require()  # before the work
    about_table: dict[str, object] = {
        "--norm": norm,
        "--box": box,
        "--bound": bound,
        "--set": given,
    }
    about_table |= {"--schema": schema, "--formula": formula, "--jointly": jointly}
    about_table |= {"--relation": relation is not RelationName.ADD_REMOVE}
    about_table |= {"--rows-per-person": rows_per_person != "1"}
    options = AuditOptions(
        epsilon=epsilon,
        delta=delta,
        each=each_epsilon,
        groups=groups,
        setting=setting_of(
            norm, bound, relation.relation, rows_per_person, box, schema=schema, formula=formula
        ),
        accountant=accountant_of(accountant),
        trust=trust_of(trust),
        given=given,
        jointly=jointly,
        given_names=tuple(name for name, value in about_table.items() if value),
    )
    with waiting("Proving, and adding up by every accountant"):
        done = audited(name, options)
        found = findings(done.audit)
    if html is not None:
        _write(html, found, done)
    _print(found, done, as_json=as_json)
    if done.audit.certificate is None:
        raise typer.Exit(1)


def _write(path: Path, found: Findings, done: Audited) -> None:
    from dpframe.audits.html import html

    command = shlex.join(["dpframe", *sys.argv[1:]])
    page_of = html(found, title=done.title, notes=done.notes, command=command)
    written("--html", path, lambda file: file.write_text(page_of, encoding="utf-8"))


def _print(found: Findings, done: Audited, *, as_json: bool) -> None:
    if as_json:
        described = {"title": done.title, "notes": list(done.notes)} if done.title else {}
        print_json({**described, **done.audit.records(), **found.record()})
        return
    from dpframe.audits.figures import hanging
    from dpframe.audits.findings.findings import findings_text
    from dpframe.audits.page import page

    title, _, rest = page(done.audit, width()).partition("\n")
    notes = [line for note in done.notes for line in hanging(f"  {note}", width=width())]
    say("\n".join([title, *notes, rest]))
    if text := findings_text(found, width()):
        say(f"\n{text}")
