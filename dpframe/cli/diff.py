"""dpframe diff: show what changed between two certificate files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp

from .declaration import document_of
from .options import Json, option
from .printing import complain, print_json, say

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: dpframe diff old.json new.json")
def diff(
    first: Annotated[Path, typer.Argument(help="The first certificate file.")],
    second: Annotated[Path, typer.Argument(help="The second certificate file.")],
    whole: Annotated[bool, option("--all", "Every step of the algorithm and every hash.")] = False,
    as_json: Json = False,
) -> None:
    """Show what changed between two certificate files, each of which is checked first: the
    regression, the claim, bounds and assumptions, and noise by release. Exit status 1 if they
    differ.
    """
    documents = [_checked(path) for path in (first, second)]
    difference = dp.audits.difference(*documents)
    if as_json:
        print_json(difference.records())
    else:
        say(difference.text(whole=whole))
    raise typer.Exit(0 if difference.same else 1)


def _checked(path: Path) -> Any:
    """The document in a file; a warning if the independent checker rejects it."""
    from dpframe.kernel import check

    document = document_of(path)
    if not (isinstance(document, dict) and "statement" in document):
        way_out = "It is none: dpframe fit --certificate and dpframe certify --out write them."
        raise dp.InvalidArgument("FILE", "a certificate", str(path), way_out)
    verdict = check(document)
    if not verdict.accepted:
        complain(f"{path}: not accepted by the checker: {verdict.reason}")
    return document
