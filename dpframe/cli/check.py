"""dpframe check: a certificate file, checked independently of the prover."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

import dpframe as dp

from .options import Json, option
from .printing import print_json


def check(
    file: Annotated[Path, typer.Argument(help="A certificate file.")],
    expect: Annotated[str | None, option("--expect", "The hash that it must have.")] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate file again, independently of the prover."""
    from dpframe import check as checker

    if not as_json:
        raise typer.Exit(checker.main([*(["--expect", expect] if expect else []), "--", str(file)]))
    try:
        verdict = checker.check(checker.read(checker.content_of(file)), expect)
    except (OSError, ValueError, checker.Unusable) as error:
        raise dp.BadCertificate("FILE", "a readable certificate", str(file), str(error)) from None
    print_json(dataclasses.asdict(verdict))
    unusable = verdict.reason.startswith("unusable")
    raise typer.Exit(0 if verdict.accepted else 2 if unusable else 1)
