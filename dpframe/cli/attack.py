"""dpframe attack: estimate from draws how much a mechanism, regression or program leaks."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp
from dpframe.errors import Plain

from .declaration import imported
from .options import (
    ClaimOptions,
    Json,
    RegressionOptions,
    TableOptions,
    grouped,
    option,
)
from .printing import print_json, say

app = typer.Typer(add_completion=False)

NAME = (
    "A regression that `dpframe list` prints, a mechanism such as Laplace, or your own, "
    "module:Class or module:function."
)


@attrs.frozen(kw_only=True)
class AttackOptions:
    """The draws of an attack."""

    sensitivity: Annotated[str, typer.Option(help="The sensitivity for a mechanism.")] = "1"
    on: Annotated[
        str | None, option("Two neighbouring tables, module:name. Default: searched.")
    ] = None
    draws: Annotated[int, typer.Option(help="The number of draws from each table.")] = 20_000
    confidence: Annotated[float, typer.Option(help="That of all bounds together.")] = 0.95
    seed: Annotated[int | None, option("A seed for reproducible draws.")] = None


@app.command(epilog="Example: dpframe attack Laplace --set scale=1 --epsilon 0.9")
@grouped
def attack_(
    name: Annotated[str, typer.Argument(help=NAME)],
    *,
    claim: ClaimOptions,
    table: TableOptions,
    attack: AttackOptions,
    regression: RegressionOptions,
    as_json: Json = False,
) -> None:
    """Draw from a mechanism, regression or program on neighbouring tables, and print a statistical
    lower bound on its epsilon. Bounds of rows and labels are 1 by default. Exit status 1 if the
    claim is refuted.
    """
    stated: dp.Guarantee | None = None
    target: Any = _mechanism(name, regression.given)
    if target is None and ":" in name and not inspect.isclass(program := imported(name)):
        target = program
    if target is None:
        declared = _numbered(regression.regression(name))
        goal = ClaimOptions(epsilon=claim.epsilon or "1", delta=claim.delta or "1e-6").target
        if table.schema is None:
            table = attrs.evolve(table, norm=table.norm or "1", bound=table.bound or "1")
        target = dp.certify(declared, target=goal, setting=table.setting, trust=regression.trusted)
    elif claim.epsilon is not None:
        stated = attrs.evolve(claim, delta=claim.delta or "0").target
    result = dp.attack(
        target,
        on=None if attack.on is None else imported(attack.on),
        claim=stated,
        sensitivity=attack.sensitivity,
        relation=table.relation.relation,
        draws=attack.draws,
        confidence=attack.confidence,
        seed=attack.seed,
    )
    if as_json:
        print_json(result.record())
    else:
        say(str(result))
    if result.flagged:
        raise typer.Exit(1)


def _mechanism(name: str, given: Sequence[str]) -> dp.Mechanism | None:
    """The mechanism of dpframe of that name with these numbers; None for other names."""
    cls = getattr(dp.mechanisms, name) if name in dir(dp.mechanisms) else None
    if not (inspect.isclass(cls) and issubclass(cls, dp.Mechanism)):
        return None
    values = dict(text.split("=", 1) for text in given if "=" in text)
    try:
        return cls(**{key.strip(): _number(one.strip()) for key, one in values.items()})
    except TypeError as error:
        way_out = "Give its numbers by --set, such as --set scale=1."
        raise dp.InvalidArgument(name, "complete", Plain(error), way_out) from None


def _number(text: str) -> object:
    return int(text) if text.isdigit() else {"true": True, "false": False}.get(text.lower(), text)


def _numbered(declared: dp.Regression) -> dp.Regression:
    """The regression with an example value for each field without one."""
    from dpframe.symbols import Symbol

    fields = {field.name: getattr(declared, field.name) for field in attrs.fields(type(declared))}
    free = {key: one for key, one in fields.items() if isinstance(one, Symbol)}
    return attrs.evolve(declared, **{key: one.domain.example() for key, one in free.items()})
