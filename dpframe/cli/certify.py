"""dpframe certify: prove the privacy of a regression, or list what is not proved."""

from __future__ import annotations

from typing import Any

import typer

import dpframe as dp

from .options import (
    Force,
    Json,
    Name,
    Out,
    PersonalClaimOptions,
    ProofOptions,
    TableOptions,
    grouped,
)
from .printing import check_written, page, print_json, written

app = typer.Typer(add_completion=False)

HASH = "SHA-256 of the statement, the graph and the assumptions"


@app.command(epilog="Example: dpframe certify AdaSSP --epsilon 1 --delta 1e-6 --out proof.json")
@grouped
def certify(
    name: Name,
    *,
    claim: PersonalClaimOptions,
    table: TableOptions,
    proof: ProofOptions,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove the privacy of a regression as a whole and print its certificate, or list every
    obligation that is not proved (exit status 1). Omitted numbers are proved for all values.
    """
    check_written({"--out": out}, force=force)
    regression = proof.regression(name)
    options: dict[str, Any] = {"target": claim.target, "setting": table.setting}
    options |= {"accountant": proof.accounting, "trust": proof.trusted}
    if as_json:
        done = dp.audit(regression, **options)
        records = done.records()
        if done.certificate is None:
            print_json({"verdict": records["verdict"], "open": records["open"]})
            raise typer.Exit(1)
        certificate = done.certificate
        print_json(certificate.document)
    else:
        certificate = dp.certify(regression, **options)
        page(f"{certificate}\n\n{HASH}\n  {certificate.hash}")
    if out is not None:
        written("--out", out, certificate.save)
