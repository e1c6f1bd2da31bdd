"""dpframe recommend: recommend a regression and predict its accuracy, without reading data."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from typing import Annotated

import attrs
import typer

import dpframe as dp

from .options import TableOptions, grouped, names_given, option
from .printing import page, say, spelled

app = typer.Typer(add_completion=False)

CALL = re.compile(r"\bdp\.(?:regressions\.)?(\w+(?:\.\w+)?)\(([^()]*)\)")
LABELS = "LABELS"
PURE = "Pure privacy, since delta is 0. --delta 1e-6 admits Gaussian noise, which is smaller."
SIZE = "About how many records the table has."


@app.command(epilog="Example: dpframe recommend -n 20000 -d 8 --epsilon 1 --delta 1e-6")
@grouped
def recommend(
    *,
    n: Annotated[int, option("-n", SIZE)],
    epsilon: Annotated[str, option("--epsilon", "The budget, a number.")],
    delta: Annotated[str, typer.Option(help="A number; 0 for pure privacy.")] = "0",
    each: Annotated[bool, option("--each", "Records have budgets of their own.")] = False,
    explained: Annotated[float, typer.Option(help="A guess of R^2.")] = 0.5,
    table: TableOptions,
) -> None:
    """Recommend a regression for about n records of d columns, with its alternatives and its
    predicted accuracy and intervals, and the command that fits it.
    """
    from dpframe.estimators.typical import lengths
    from dpframe.regressions.advice import written

    sizes = {"n": n, "d": table.columns, "each": each, "explained": explained}
    described = attrs.evolve(table, columns=None)
    setting = described.setting if names_given(described) else None
    found = dp.recommend(epsilon=epsilon, delta=delta, setting=setting, **sizes)
    if not Fraction(delta):
        page(PURE)
    page(CALL.sub(_named, spelled(str(found))).replace("dp.regressions.", ""))
    several = (
        {"": found.regression}
        if found.instead is None
        else {
            "For intervals: ": found.instead,
            "For predictions: ": found.regression,
        }
    )
    names = {before: CALL.sub(_named, written(one)) for before, one in several.items()}
    if setting is not None and Fraction(delta) and not each:
        regressions = dict(zip(names.values(), several.values(), strict=True))
        budget = {"epsilon": epsilon, "delta": delta, "explained": explained}
        if text := lengths(regressions, setting, n=n, **budget):
            say(text)
    for before, name in names.items():
        say(f"{before}{_fit(name, described, epsilon, delta, each=each)}")


def _fit(name: str, table: TableOptions, epsilon: str, delta: str, *, each: bool) -> str:
    """The line that fits the regression."""
    setting = table.setting if names_given(table) else None
    unnamed = setting is None or setting.y is None or setting.y.name == dp.Column(bound=1).name
    target = LABELS if unnamed else setting.y.name
    options = {"target": target}
    if (table.schema or table.norm or table.box) is None:
        options["schema"] = "CODEBOOK.json"
    for field in attrs.fields(TableOptions):
        value = getattr(table, field.name)
        if value != field.default:
            options[field.name.replace("_", "-")] = getattr(value, "value", str(value))
    options |= {"epsilon-column": "EPSILONS"} if each else {"epsilon": epsilon}
    options["delta"] = delta
    written_options = (f"--{key} {shlex.quote(value)}" for key, value in options.items())
    return " ".join(["dpframe fit", name, "TABLE.csv", *written_options])


def _named(call: re.Match[str]) -> str:
    """`ObjPertPure --set radius=1` for `dp.regressions.ObjPertPure(radius=1)`."""
    given = [f"--set {one.strip()}" for one in call[2].split(",") if one.strip()]
    return " ".join([call[1], *given])
