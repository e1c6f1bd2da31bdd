"""dpframe certify: the certificate of a regression, or what stays open."""

from __future__ import annotations

from typing import Any

import typer

import dpframe as dp

from .declaration import accountant_of, regression_of, trust_of
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
    Name,
    Norm,
    Out,
    Related,
    RelationName,
    RowsEach,
    Schema,
    Trust,
    setting_of,
    target_of,
)
from .printing import page, print_json, written

app = typer.Typer(add_completion=False)


@app.command()
def certify(
    name: Name,
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
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Prove the total of a regression, or list every obligation that is open."""
    regression = regression_of(name, given, jointly=jointly)
    target = target_of(epsilon, delta, each=each_epsilon, groups=groups)
    setting = setting_of(
        norm, bound, relation.relation, rows_per_person, box, schema=schema, formula=formula
    )
    asked: dict[str, Any] = {"target": target, "setting": setting}
    asked |= {"accountant": accountant_of(accountant), "trust": trust_of(trust)}
    if as_json:
        done = dp.audit(regression, **asked)
        records = done.records()
        if done.certificate is None:
            print_json({"verdict": records["verdict"], "open": records["open"]})
            raise typer.Exit(1)
        certificate = done.certificate
        print_json(certificate.document)
    else:
        certificate = dp.certify(regression, **asked)
        page(str(certificate))
    if out is not None:
        written("--out", out, certificate.save)
