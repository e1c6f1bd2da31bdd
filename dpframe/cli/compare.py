"""dpframe compare: the noise that different calibrations and accountants require."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp
from dpframe.symbols import rational

from .declaration import accountant_of, is_description
from .options import (
    CodebookOptions,
    Json,
    Plot,
    RegressionOptions,
    grouped,
    names_given,
    option,
)
from .printing import print_json, say, waiting, width, written

app = typer.Typer(add_completion=False)

NAMED = (
    "A regression or description, as in `dpframe audit`; or theorems of noise, such as "
    "Gaussian.classical Laplace.pure. Default: usual theorems of noise."
)


@attrs.frozen(kw_only=True)
class Points:
    """The budgets that are compared."""

    epsilon: Annotated[
        str | None, option("Numbers, separated by commas. Default: 0.1,0.9,3,10.")
    ] = None
    delta: Annotated[str | None, option("Numbers, separated by commas. Default: 1e-6.")] = None
    pair: Annotated[list[str], option("An epsilon with its delta, such as 1,1e-6. Repeatable.")] = (
        attrs.field(factory=list)
    )

    @property
    def pure(self) -> bool:
        """Whether a delta is 0."""
        return any(part.strip() in {"0", "0.0"} for part in (self.delta or "").split(","))

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of dp.compare. Raises InvalidArgument."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta}
        given: dict[str, Any] = {
            name: _once(rational(part.strip(), name) for part in text.split(","))
            for name, text in numbers.items()
            if text is not None
        }
        return given | ({"pairs": _once(map(_pair, self.pair))} if self.pair else {})


@attrs.frozen(kw_only=True)
class NoiseOptions:
    """Noise that is compared without a regression."""

    sensitivity: Annotated[str, typer.Option(help="The L2 sensitivity, without a NAME.")] = "1"
    dimension: Annotated[
        int, typer.Option("-d", "--dimension", help="How many numbers a release has.")
    ] = 1
    times: Annotated[int, typer.Option(help="How many releases share epsilon and delta.")] = 1
    accountant: Annotated[
        str | None,
        option("Accountants, separated by commas. Default: all that apply."),
    ] = None


@app.command(epilog="Example: dpframe compare --epsilon 1 --delta 1e-6 --times 10")
@grouped
def compare_(
    names: Annotated[list[str] | None, typer.Argument(help=NAMED, show_default=False)] = None,
    *,
    at: Points,
    noise: NoiseOptions,
    table: CodebookOptions,
    regression: RegressionOptions,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Compare the std of noise by each theorem; with --times, by each accountant; with the name of
    a regression, the noise of each of its releases, for bounds of 1 by default.
    """
    about_table = names_given(table, attrs.evolve(regression, trust=[]))
    theorems = calibrations(names or [])
    if len(theorems) == len(names or []):
        _refuse(about_table, "Name a regression: dpframe compare NAME --norm 1.")
        accountants = noise.accountant and map(accountant_of, noise.accountant.split(","))
        options: dict[str, Any] = {"dimension": noise.dimension, "times": noise.times}
        options |= {"accountant": [*accountants] if accountants else None}
        if at.pure:
            way_out = "Without a delta: dpframe audit NAME --epsilon 1 --delta 0, of a regression."
            raise dp.InvalidArgument("--delta", "above 0 and below 1", at.delta, way_out)
        with waiting("Comparing the noise at each point"):
            compared: Any = dp.compare(
                *theorems, sensitivity=noise.sensitivity, **options, **at.options
            )
    else:
        name, *others = names or []
        if others:
            wanted = "one regression, or theorems of noise such as Gaussian.classical Laplace.pure"
            raise dp.InvalidArgument("NAMES", wanted, " ".join([name, *others]))
        _refuse(names_given(noise), "It applies to noise by itself: leave NAME out.")
        declared, setting = _declared(name, table, regression, about_table)
        trusted = regression.trusted
        with waiting("Comparing the noise of each release"):
            compared = dp.compare(declared, setting=setting, trust=trusted, **at.options)
    if plot is not None:
        written("--plot", plot, compared.plot().figure.savefig)
    if as_json:
        print_json(compared.records())
    else:
        say(compared.text(width()))


def calibrations(names: Sequence[str]) -> list[dp.mechanisms.Calibration]:
    """The theorems of noise among names, such as gaussian.classical."""
    from dpframe.theory.calibrations import CALIBRATIONS

    known = {name.lower(): name.split(".") for _, name in CALIBRATIONS}
    kinds = {noise for noise, _ in known.values()}
    for name in names:
        noise = next((one for one in kinds if name.lower().startswith(f"{one.lower()}.")), None)
        if noise is not None and name.lower() not in known and not is_description(name):
            own = ", ".join(f"{noise}.{theorem}" for one, theorem in known.values() if one == noise)
            raise dp.InvalidArgument("NAMES", f"theorems of {noise} noise: {own}", name)
    return [
        getattr(getattr(dp.mechanisms, known[name.lower()][0]), known[name.lower()][1])
        for name in names
        if name.lower() in known
    ]


def _declared(
    name: str, table: CodebookOptions, regression: RegressionOptions, about_table: Sequence[str]
) -> tuple[dp.Regression, dp.Setting]:
    """The regression and setting of a name or of a description in a file."""
    if is_description(name):
        _refuse(about_table, "The description states it: edit the file.")
        described = dp.audits.read_description(Path(name), trust=regression.trusted)
        return described.regression, described.setting
    if table.schema is not None or table.formula is not None:
        return regression.regression(name), table.setting
    norm = "1" if table.norm is None and table.box is None else table.norm
    bounds = attrs.evolve(table, norm=norm, bound=table.bound or "1")
    return regression.regression(name), bounds.setting


def _once(values: Iterable[Any]) -> list[Any]:
    """Equal numbers once."""
    return list(dict.fromkeys(values))


def _pair(text: str) -> tuple[Fraction, Fraction]:
    epsilon, comma, delta = (part.strip() for part in text.partition(","))
    if not (epsilon and comma and delta):
        raise dp.InvalidArgument("--pair", "an epsilon and its delta", text, "Such as 1,1e-6.")
    return rational(epsilon, "epsilon"), rational(delta, "delta")


def _refuse(names: Sequence[str], way_out: str) -> None:
    """Refuse options that do not apply. Raises InvalidArgument."""
    if names:
        got = dp.errors.Plain("a value")
        raise dp.InvalidArgument(", ".join(names), "left out here", got, way_out)
