"""dpframe diff: what changed between two certificate files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp

from .options import Json
from .printing import complain, print_json, say

app = typer.Typer(add_completion=False)

FIRST = "A certificate file."
SECOND = "Another."


@app.command()
def diff(
    first: Annotated[Path, typer.Argument(help=FIRST)],
    second: Annotated[Path, typer.Argument(help=SECOND)],
    as_json: Json = False,
) -> None:
    """What changed between two certificate files; each is checked again first."""
    documents = [_checked(path) for path in (first, second)]
    found = dp.audits.difference(*documents)
    if as_json:
        print_json(found.records())
    else:
        say(str(found))
    raise typer.Exit(0 if found.same else 1)


def _checked(path: Path) -> Any:
    """The file's document; a complaint where the independent checker refuses it."""
    from dpframe.exact.documents import Unusable, content_of, read
    from dpframe.kernel import check

    try:
        document = read(content_of(path))
        verdict = check(document)
    except (OSError, ValueError, Unusable) as error:
        raise dp.errors.BadCertificate(
            "FILE", "a readable certificate", str(path), str(error)
        ) from None
    if not verdict.accepted:
        complain(f"{path}: not accepted by the checker: {verdict.reason}")
    return document
