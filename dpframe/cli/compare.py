"""dpframe compare: the noise that different theorems and accountants require."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Any

import typer

import dpframe as dp
from dpframe.errors import nearest
from dpframe.symbols import rational

from .declaration import accountant_of
from .options import Json, option
from .printing import print_json, say, waiting, width

app = typer.Typer(add_completion=False)

NAMED = "Theorems of noise, such as Gaussian.classical Laplace.pure. Default: the usual ones."
NUMBERS = "Numbers, separated by commas. Default: "
ACCOUNTANTS = "Accountants, separated by commas. Default: all that apply."


@app.command(epilog="Example: dpframe compare --epsilon 1 --delta 1e-6 --times 10")
def compare_(
    names: Annotated[list[str] | None, typer.Argument(help=NAMED, show_default=False)] = None,
    *,
    epsilon: Annotated[str | None, option(f"{NUMBERS}0.1,0.9,3,10.")] = None,
    delta: Annotated[str | None, option(f"{NUMBERS}1e-6.")] = None,
    pair: Annotated[
        list[str], option("An epsilon with its delta, such as 1,1e-6. Repeatable.")
    ] = [],  # noqa: B006 - typer's own
    sensitivity: Annotated[str, typer.Option(help="The L2 sensitivity.")] = "1",
    dimension: Annotated[
        int, typer.Option("-d", "--dimension", help="How many numbers a release has.")
    ] = 1,
    times: Annotated[int, typer.Option(help="How many releases share epsilon and delta.")] = 1,
    accountant: Annotated[str | None, option(ACCOUNTANTS)] = None,
    as_json: Json = False,
) -> None:
    """Compare the std of noise by each theorem; with --times, by each accountant."""
    options: dict[str, Any] = {"sensitivity": sensitivity, "dimension": dimension, "times": times}
    if accountant:
        options["accountant"] = [*map(accountant_of, accountant.split(","))]
    if any(part.strip() in {"0", "0.0"} for part in (delta or "").split(",")):
        way_out = "Without a delta: dpframe audit NAME --epsilon 1 --delta 0, of a regression."
        raise dp.InvalidArgument("--delta", "above 0 and below 1", delta, way_out)
    for name, text in (("epsilon", epsilon), ("delta", delta)):
        if text is not None:
            options[name] = _once(rational(part.strip(), name) for part in text.split(","))
    if pair:
        options["pairs"] = _once(map(_pair, pair))
    theorems = calibrations(names or [])
    with waiting("Comparing the noise at each point"):
        compared = dp.compare(*theorems, **options)
    if as_json:
        print_json(compared.records())
    else:
        say(compared.text(width()))


def calibrations(names: Sequence[str]) -> list[dp.mechanisms.Calibration]:
    """The theorems of noise of these names, such as gaussian.classical. Raises InvalidArgument."""
    from dpframe.mechanisms.base import CALIBRATIONS

    known = {name.lower(): name.split(".") for _, name in CALIBRATIONS}
    kinds = {noise for noise, _ in known.values()}
    for name in names:
        noise = next((one for one in kinds if name.lower().split(".")[0] == one.lower()), None)
        if noise is not None and name.lower() not in known:
            own = ", ".join(f"{noise}.{theorem}" for one, theorem in known.values() if one == noise)
            raise dp.InvalidArgument("NAMES", f"theorems of {noise} noise: {own}", name)
        if name.lower() not in known:
            way_out = "dpframe audit NAME shows the noise of a regression or a description."
            way_out = nearest(name, [one for _, one in CALIBRATIONS]).strip() or way_out
            wanted = "the name of a theorem of noise, such as Gaussian.classical"
            raise dp.InvalidArgument("NAMES", wanted, name, way_out)
    pairs = (known[name.lower()] for name in names)
    return [getattr(getattr(dp.mechanisms, noise), theorem) for noise, theorem in pairs]


def _once(values: Iterable[Any]) -> list[Any]:
    """Equal numbers once."""
    return list(dict.fromkeys(values))


def _pair(text: str) -> tuple[Fraction, Fraction]:
    epsilon, comma, delta = (part.strip() for part in text.partition(","))
    if not (epsilon and comma and delta):
        raise dp.InvalidArgument("--pair", "an epsilon and its delta", text, "Such as 1,1e-6.")
    return rational(epsilon, "epsilon"), rational(delta, "delta")
