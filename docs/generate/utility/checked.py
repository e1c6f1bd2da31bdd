"""A statement beside what is measured, and a table of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import flint
import numpy as np
from numpy.typing import NDArray

from dpframe.prover.algebra import enclose
from dpframe.symbols import DELTA, EPSILON, Expression, parameter, parse

Array = NDArray[Any]

NAMES = "d n B Y R theta truth sigma alpha trace trace2 failure rho total penalty lowest weights"
SYMBOLS: dict[str, Expression] = {name: parameter(name, 0) for name in NAMES.split()}
SYMBOLS |= {"epsilon": EPSILON, "delta": DELTA}

HOLDS, FALSE = "holds", "false"
FAILURE, DELTA_6 = 0.1, 1e-6


def value(formula: str, at: Mapping[str, float]) -> float:
    """A formula over the symbols of the papers at numbers, to the nearest double."""
    balls = {name: flint.arb(float(one)) for name, one in at.items()}
    return float(enclose(parse(formula, SYMBOLS), balls).mid())


@attrs.frozen(eq=False)
class Curve:
    """What is measured, and the statement's side, at each x: of a world of the paper, of another
    `family`, or of a family that is a `counterexample`.
    """

    label: str
    x: Sequence[float]
    measured: Array = attrs.field(converter=np.asarray)
    stated: Array = attrs.field(converter=np.asarray)
    counterexample: bool = False
    family: bool = False

    @property
    def ratios(self) -> Array:
        """Measured over stated."""
        return self.measured / self.stated

    @property
    def growth(self) -> float:
        """The last ratio over the first."""
        return float(self.ratios[-1] / self.ratios[0])


@attrs.frozen(eq=False, kw_only=True)
class Checked:
    """A statement, its formula, the curves, and its verdict. `axis` and `measure` are what the axes
    of the picture show, "; " before those of the counterexample where they differ.
    """

    name: str
    cite: str
    says: str
    formula: str
    axis: str
    measure: str
    curves: Sequence[Curve]
    verdict: str
    finding: str

    @property
    def constants(self) -> tuple[float, float]:
        """The least and the largest ratio on the worlds of the paper."""
        ratios = np.concatenate([one.ratios for one in self.curves if not one.counterexample])
        return float(ratios.min()), float(ratios.max())

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Of the table."""
        low, high = self.constants
        return self.cite, self.verdict, f"{low:.3g} to {high:.3g}", self.finding


@attrs.frozen
class Effort:
    """How many draws, and which sizes."""

    draws: int
    rows: Sequence[int]
    few: int

    def quantile(self, values: Array) -> float:
        """What all but a share FAILURE of the draws stay below."""
        return float(np.quantile(values, 1 - FAILURE))


FULL = Effort(2000, (300, 1000, 3000, 10_000, 30_000, 100_000), 60)
QUICK = Effort(300, (300, 3000, 30_000), 12)


def generator(name: str) -> np.random.Generator:
    """Of its own for each statement."""
    return np.random.default_rng([len(name), *name.encode()])


def table(found: Sequence[Checked]) -> Iterator[str]:
    """Markdown: the statement, its verdict, measured over stated on the worlds, what was found."""
    yield "| statement | verdict | measured over stated | what was found |"
    yield "|---|---|---|---|"
    for one in found:
        cells = (cell.replace("|", r"\|") for cell in one.row)
        yield "| " + " | ".join(cells) + " |"
