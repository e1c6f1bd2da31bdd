"""dpframe audit: the page on a budget split, of a regression or of formulas."""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

import dpframe as dp
from dpframe.auditing import Audit, audit, audit_formulas
from dpframe.auditing.attacks import REGRESSIONS as PUBLISHED
from dpframe.auditing.attacks import Refutation, refutations_of, refutations_text
from dpframe.auditing.page import page
from dpframe.symbols import rational

from .declaration import regression_of
from .options import (
    NAME,
    Accountant,
    Bound,
    Box,
    Delta,
    EachEpsilon,
    Epsilon,
    Given,
    Groups,
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
ROWS = (10**4, 10**6)  # of the tables that attacks search
PARAMETER = "A parameter of formulas, gamma:0:1 or gamma=1/3. Repeatable."


def audit_(
    name: Annotated[str | None, typer.Argument(help=NAME, show_default=False)] = None,
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    each_epsilon: EachEpsilon = False,
    groups: Groups = None,
    norm: Norm = None,
    box: Box = None,
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
    target = target_of(epsilon, delta, each=each_epsilon, groups=groups)
    setting = setting_of(norm, bound, relation.relation, rows_per_person, box)
    personal = each_epsilon or groups is not None
    if name is None and personal:
        wanted = "left out with --release: formulas are of one budget for all"
        raise dp.InvalidArgument("--each-epsilon and --groups", wanted, "given")
    if name is None:
        done = audit_formulas(
            release, target=target, setting=setting, parameters=param, accountant=accountant
        )
    else:
        regression = regression_of(name, given, jointly=jointly)
        done = audit(regression, target=target, setting=setting, accountant=accountant)
    _print(done, () if personal else _attacked(name, epsilon, delta), as_json)


def _attacked(name: str | None, epsilon: str | None, delta: str | None) -> tuple[Refutation, ...]:
    """What attacks find against published code of that name, by tables of 1e4 and 1e6 rows."""
    if name not in PUBLISHED:
        return ()
    at = rational(epsilon or 1, "epsilon"), rational(delta or "1e-6", "delta")
    found = [record for n in ROWS for record in refutations_of(name, *at, rows=n)]
    return tuple(dict.fromkeys(found))


def _print(done: Audit, attacked: tuple[Refutation, ...], as_json: bool) -> None:
    if as_json:
        told = [{**attrs.asdict(one), "rigour": one.rigour.value} for one in attacked]
        print_json({**done.records(), "attacks": told} if told else done.records())
    else:
        say(page(done, width()))
        if attacked:
            say(f"\n Attacks, by searches of this audit\n{refutations_text(attacked, width())}")
    if done.certificate is None:
        raise typer.Exit(1)
