"""dpframe audit: the page on a budget split, of a regression or of formulas."""

from __future__ import annotations

from typing import Annotated

import typer

import dpframe as dp
from dpframe.auditing import Audit, audit, audit_formulas
from dpframe.auditing.page import page

from .declaration import regression_of
from .options import (
    NAME,
    Accountant,
    Bound,
    Delta,
    Epsilon,
    Given,
    Jointly,
    Json,
    Norm,
    Related,
    RelationName,
    RowsEach,
    option,
    setting_of,
    target_of,
)
from .printing import print_json, say, width

FORMULA = "gram: sqrt(2*log(4/delta)) / (epsilon/2) * B^2 @ epsilon/2, delta/2"
PARAMETER = "A parameter of formulas, gamma:0:1 or gamma=1/3. Repeatable."


def audit_(
    name: Annotated[str | None, typer.Argument(help=NAME, show_default=False)] = None,
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    norm: Norm = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    release: Annotated[list[str], option("--release", f"A formula, '{FORMULA}'. Repeatable.")] = [],  # noqa: B006
    param: Annotated[list[str], option("--param", PARAMETER)] = [],  # noqa: B006
    accountant: Accountant = "auto",
    jointly: Jointly = False,
    as_json: Json = False,
) -> None:
    """Judge a budget split release by release and in total: of a regression, or of formulas."""
    if (name is None) == (not release):
        given_both = "neither" if name is None else "both"
        raise dp.InvalidArgument("audit", "of a NAME or of --release formulas", given_both)
    target = target_of(epsilon, delta)
    setting = setting_of(norm, bound, relation.relation, rows_per_person)
    if name is None:
        done = audit_formulas(
            release, target=target, setting=setting, parameters=param, accountant=accountant
        )
    else:
        regression = regression_of(name, given, jointly=jointly)
        done = audit(regression, target=target, setting=setting, accountant=accountant)
    _print(done, as_json)


def _print(done: Audit, as_json: bool) -> None:
    if as_json:
        print_json(done.records())
    else:
        say(page(done, width()))
    if done.certificate is None:
        raise typer.Exit(1)
