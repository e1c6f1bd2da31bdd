"""dpframe attack: a mechanism, a regression or a program, attacked by drawing from it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp

from .declaration import imported, regression_of, trust_of
from .options import (
    Bound,
    Box,
    Delta,
    Epsilon,
    Given,
    Json,
    Norm,
    Related,
    RelationName,
    Trust,
    option,
    setting_of,
    target_of,
)
from .printing import print_json, say

app = typer.Typer(add_completion=False)

NAME = (
    "A regression of `dpframe list`, a mechanism such as Laplace, module:Class or module:function."
)


@app.command()
def attack_(
    name: Annotated[str, typer.Argument(help=NAME)],
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    norm: Norm = None,
    box: Box = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    sensitivity: Annotated[str, typer.Option(help="Of a mechanism.")] = "1",
    on: Annotated[str | None, option("--on", "module:name of two neighbouring tables.")] = None,
    draws: Annotated[int, typer.Option(help="Of each table.")] = 20_000,
    confidence: Annotated[float, typer.Option(help="Of all bounds together.")] = 0.95,
    seed: Annotated[int | None, option("--seed", "Simulate the noise.")] = None,
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    trust: Trust = [],  # noqa: B006 - typer makes a list of its own
    as_json: Json = False,
) -> None:
    """Draw from it on neighbouring tables, and prove how much it leaks at least. 1 is the exit
    status where its claim is refuted.
    """
    claimed = None if epsilon is None else target_of(epsilon, "0" if delta is None else delta)
    target: Any = _mechanism(name, given)
    if target is None and ":" in name and not inspect.isclass(found := imported(name)):
        target = found
    claim = claimed
    if target is None:
        declared = _numbered(regression_of(name, given))
        aim = target_of(epsilon or "1", delta or "1e-6")
        setting = setting_of(norm or "1", bound or "1", relation.relation, "1", box)
        target, claim = _certified(declared, aim, setting, trust), None
    found_ = dp.attack(
        target,
        on=None if on is None else imported(on),
        claim=claim,
        sensitivity=sensitivity,
        relation=relation.relation,
        draws=draws,
        confidence=confidence,
        seed=seed,
    )
    if as_json:
        print_json(found_.record())
    else:
        say(str(found_))
    if found_.flagged:
        raise typer.Exit(1)


def _certified(
    declared: dp.Regression, aim: dp.Guarantee, setting: dp.Setting, trust: Sequence[str]
) -> dp.Certificate:
    return dp.certify(declared, target=aim, setting=setting, trust=trust_of(trust))


def _mechanism(name: str, given: Sequence[str]) -> dp.Mechanism | None:
    """A mechanism of dpframe by its name, at exact numbers; None for another name."""
    cls = getattr(dp.mechanisms, name) if name in dir(dp.mechanisms) else None
    if not (inspect.isclass(cls) and issubclass(cls, dp.Mechanism)):
        return None
    values = dict(text.split("=", 1) for text in given if "=" in text)
    try:
        return cls(**{key.strip(): _number(one.strip()) for key, one in values.items()})
    except TypeError as error:
        way_out = "Give its numbers by --set, such as --set scale=1."
        raise dp.InvalidArgument(name, "complete", str(error), way_out) from None


def _number(text: str) -> object:
    return int(text) if text.isdigit() else {"true": True, "false": False}.get(text.lower(), text)


def _numbered(declared: dp.Regression) -> dp.Regression:
    """An example in the place of each field that was not given."""
    from dpframe.symbols import Symbol

    fields = {field.name: getattr(declared, field.name) for field in attrs.fields(type(declared))}
    free = {key: one for key, one in fields.items() if isinstance(one, Symbol)}
    return attrs.evolve(declared, **{key: one.domain.example() for key, one in free.items()})
