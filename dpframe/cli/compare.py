"""dpframe compare: calibrations of noise side by side, alone, composed or in a declaration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp

from .declaration import accountant_of, regression_of, trust_of
from .options import (
    Bound,
    Box,
    Given,
    Json,
    Norm,
    Plot,
    Related,
    RelationName,
    RowsEach,
    Trust,
    option,
    setting_of,
)
from .printing import print_json, say, width, written

app = typer.Typer(add_completion=False)

NAMED = "A declaration, as `dpframe audit` takes it: the noise of each of its releases."
ABOUT_NOISE = ("--sensitivity", "--dimension", "--times", "--accountant")
ABOUT_TABLES = ("--norm", "--box", "--bound", "--set", "--relation", "--rows-per-person")


@app.command()
def compare_(
    name: Annotated[str | None, typer.Argument(help=NAMED, show_default=False)] = None,
    *,
    epsilon: Annotated[
        str | None, option("--epsilon", "Numbers, by commas. Left out: 0.1,0.9,3,10.")
    ] = None,
    delta: Annotated[str | None, option("--delta", "Numbers, by commas. Left out: 1e-6.")] = None,
    pair: Annotated[
        list[str], option("--pair", "An epsilon and its delta, such as 1,1e-6. Repeatable.")
    ] = [],  # noqa: B006 - typer makes a list of its own
    sensitivity: Annotated[str, typer.Option(help="In 2-norm, without a NAME.")] = "1",
    dimension: Annotated[
        int, typer.Option("-d", "--dimension", help="Numbers released together.")
    ] = 1,
    times: Annotated[int, typer.Option(help="Releases that share epsilon and delta.")] = 1,
    accountant: Annotated[
        str | None, option("--accountant", "Names, by commas. Left out: all that apply.")
    ] = None,
    norm: Norm = None,
    box: Box = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    trust: Trust = [],  # noqa: B006 - typer makes a list of its own
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """The std of Gaussian noise by the classical theorems and by the exact profile, and how many
    times as much as is enough that is. With --times, of Gaussian and Laplace noise by each
    accountant. A declaration's bounds that are left out are 1.
    """
    points: dict[str, Any] = {"pairs": [_pair(text) for text in pair]} if pair else {}
    points |= {"epsilon": epsilon.split(",")} if epsilon is not None else {}
    points |= {"delta": delta.split(",")} if delta is not None else {}
    alone = (sensitivity != "1", dimension != 1, times != 1, accountant is not None)
    told: list[object] = [norm, box, bound, given, relation is not RelationName.ADD_REMOVE]
    told.append(rows_per_person != "1")
    if name is None:
        _refuse(told, ABOUT_TABLES, "Name a declaration: dpframe compare NAME --norm 1.")
        found: Any = dp.compare(
            sensitivity=sensitivity,
            dimension=dimension,
            times=times,
            accountant=_accountants(accountant),
            **points,
        )
    else:
        _refuse(alone, ABOUT_NOISE, "It is of calibrations alone: leave NAME out.")
        described = _described(name, trust_of(trust))
        if described is None:
            norms = "1" if norm is None and box is None else norm
            setting = setting_of(norms, bound or "1", relation.relation, rows_per_person, box)
            regression = regression_of(name, given)
        else:
            _refuse(told, ABOUT_TABLES, "The description says it.")
            regression, setting = described.regression, described.setting
        found = dp.compare(regression, setting=setting, trust=trust_of(trust), **points)
    if plot is not None:
        written("--plot", plot, found.plot().figure.savefig)
    if as_json:
        print_json(found.records())
    else:
        say(found.text(width()))


def _described(name: str, trust: list[type]) -> dp.audits.Description | None:
    """The description in the file of that name; None where it names a declaration."""
    from .audited import is_description

    return dp.audits.read_description(Path(name), trust=trust) if is_description(name) else None


def _pair(text: str) -> tuple[str, str]:
    epsilon, comma, delta = (part.strip() for part in text.partition(","))
    if not (epsilon and comma and delta):
        raise dp.InvalidArgument("--pair", "an epsilon and its delta", text, "Such as 1,1e-6.")
    return epsilon, delta


def _accountants(text: str | None) -> list[object] | None:
    return None if text is None else [accountant_of(one.strip()) for one in text.split(",")]


def _refuse(given: Sequence[object], names: tuple[str, ...], way_out: str) -> None:
    """Options that say nothing of what is compared. Raises InvalidArgument."""
    for name, value in zip(names, given, strict=True):
        if value:
            raise dp.InvalidArgument(name, "left out here", dp.errors.Plain("a value"), way_out)
