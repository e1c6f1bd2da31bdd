"""dpframe split: the split of a budget that minimises a public criterion."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

import dpframe as dp

from .declaration import accountant_of, imported, regression_of, trust_of
from .options import (
    Accountant,
    Bound,
    Box,
    Delta,
    Epsilon,
    Given,
    Json,
    Name,
    Norm,
    Out,
    Plot,
    Related,
    RelationName,
    RowsEach,
    Trust,
    option,
    setting_of,
    target_of,
)
from .printing import page, print_json, written

app = typer.Typer(add_completion=False)


class Made(enum.StrEnum):
    """What is minimised."""

    NOISE = "noise"
    ERROR = "error"


@app.command()
def split(
    name: Name,
    *,
    columns: Annotated[int, typer.Option("-d", "--columns", help="Columns, a public number.")],
    rows: Annotated[
        int | None, option("-n", "Rows, a public number or a guess; for error.")
    ] = None,
    criterion: Annotated[
        Made, typer.Option(help="noise: squared noise; error: a bound on that of coefficients.")
    ] = Made.NOISE,
    over: Annotated[
        str | None,
        option("--over", "A symbolic field, several (a,b), or shares. Left out: symbolic fields."),
    ] = None,
    within: Annotated[str | None, option("--within", "Where to look, such as 0.01,0.5.")] = None,
    weight: Annotated[
        list[str], option("--weight", "Of a release's noise, such as floor=0. Repeatable.")
    ] = [],  # noqa: B006 - typer makes a list of its own
    solver: Annotated[
        str | None, option("--solver", "For error: a ridge solver of your own, module:function.")
    ] = None,
    condition: Annotated[
        str, typer.Option(help="How unlike the directions of rows are: 1 or more.")
    ] = "1",
    epsilon: Epsilon = None,
    delta: Delta = None,
    norm: Norm = None,
    box: Box = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    accountant: Accountant = "auto",
    trust: Trust = [],  # noqa: B006 - typer makes a list of its own
    plot: Plot = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Choose symbolic fields, or every share, by public numbers alone; and certify the choice."""
    measures = {
        Made.NOISE: lambda: dp.audits.NoiseCriterion(d=columns, n=rows, weights=_weights(weight)),
        Made.ERROR: lambda: dp.audits.ErrorCriterion(
            n=_rows(rows),
            d=columns,
            condition=condition,
            solver=None if solver is None else imported(solver),
        ),
    }
    names = [name.strip() for name in (over or "").split(",")]
    found = dp.best_split(
        regression_of(name, given),
        target=target_of(epsilon, delta),
        setting=setting_of(norm, bound, relation.relation, rows_per_person, box),
        criterion=measures[criterion](),
        over=tuple(names) if len(names) > 1 else over,
        within=None if within is None else within.split(","),
        accountant=accountant_of(accountant),
        trust=trust_of(trust),
    )
    if as_json:
        print_json(found.record())
    else:
        page(str(found))
    if plot is not None:
        written("--plot", plot, found.plot().figure.savefig)
    if out is not None:
        written("--out", out, found.certificate.save)


def _rows(rows: int | None) -> int:
    if rows is None:
        wanted = "given: a public number of rows, or a guess"
        raise dp.InvalidArgument("-n", wanted, "nothing", "Such as -n 10000.")
    return rows


def _weights(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equal, number = (part.strip() for part in text.partition("="))
        if not (name and equal) or name in found:
            wanted = "written name=number, once for each release"
            raise dp.InvalidArgument("--weight", wanted, text)
        found[name] = number
    return found
