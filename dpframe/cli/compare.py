"""dpframe compare: calibrations of Gaussian noise side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, option
from .printing import print_json, say, width

app = typer.Typer(add_completion=False)


@app.command()
def compare_(
    epsilon: Annotated[str, typer.Option(help="Numbers, separated by commas.")] = "0.1,0.9,3,10",
    delta: Annotated[str, typer.Option(help="A number.")] = "1e-6",
    sensitivity: Annotated[str, typer.Option(help="In 2-norm.")] = "1",
    plot: Annotated[Path | None, option("--plot", "Draw it into this file.")] = None,
    as_json: Json = False,
) -> None:
    """The std of Gaussian noise by the classical theorems and by the exact profile."""
    from dpframe.audits.comparison import compare, comparison_text

    comparison = compare(epsilon=epsilon.split(","), delta=delta, sensitivity=sensitivity)
    if as_json:
        print_json(comparison.records())
    else:
        say(comparison_text(comparison, width()))
    if plot is not None:
        comparison.plot().figure.savefig(plot)
