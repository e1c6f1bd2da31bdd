"""dpframe recommend: recommend a regression and predict its accuracy, without reading data."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated

import attrs
import typer

import dpframe as dp

from .options import TableOptions, grouped, names_given, option
from .printing import page, spelled

app = typer.Typer(add_completion=False)

CALL = re.compile(r"\bdp\.(?:regressions\.)?(\w+(?:\.\w+)?)\(([^()]*)\)")
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
    predicted accuracy and intervals.
    """
    sizes = {"n": n, "d": table.columns, "each": each, "explained": explained}
    described = attrs.evolve(table, columns=None)
    setting = described.setting if names_given(described) else None
    found = dp.recommend(epsilon=epsilon, delta=delta, setting=setting, **sizes)
    if not Fraction(delta):
        page("Pure privacy, as delta is 0; --delta 1e-6 admits Gaussian noise, which is less.")
    page(CALL.sub(_named, spelled(str(found))).replace("dp.regressions.", ""))


def _named(call: re.Match[str]) -> str:
    """`ObjPertPure --set radius=1` for `dp.regressions.ObjPertPure(radius=1)`."""
    given = [f"--set {one.strip()}" for one in call[2].split(",") if one.strip()]
    return " ".join([call[1], *given])
