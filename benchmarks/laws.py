"""How often intervals hold for labels of ten laws: JointSSP as it is executed, over drawn tables.

    python benchmarks/laws.py            # a quarter of an hour on one core
    python benchmarks/laws.py --quick    # a tenth of the tables
    python benchmarks/laws.py --errors   # errors of coefficients instead, two minutes

Rows are an intercept and d - 1 columns uniform in [-1, 1]; labels depend on f, a weighted sum of
the columns of variance 1, and lie in [-1, 1]; delta = 1e-6, add/remove. Covered: the percentage of
95% intervals of slopes that contain what least squares finds in two million records; with the
assumption of normal residuals, in the last columns. Length: the median half length over 1.96.
Errors: the median over 16 tables of the squared error of predictions beyond that of least squares
in the population, over zero's; tables and seeds are the same for every regression.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dpframe as dp
from dpframe.inference.inference import infer

Array = NDArray[Any]
Law = Callable[[Array, np.random.Generator], Array]

CELLS = {
    (2_000, 3, "1"): 200,
    (10_000, 5, "0.3"): 100,
    (10_000, 5, "1"): 100,
    (50_000, 10, "0.1"): 40,
    (50_000, 10, "0.3"): 40,
    (50_000, 10, "1"): 40,
}
RIVALS = (dp.JointSSP(), dp.JointSSP(rounds=0), dp.SSP(), dp.AdaSSP())
DRAWN, MANY, LEVEL = 16, 2_000_000, 0.95
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def bernoulli(chance: Array, rng: np.random.Generator) -> Array:
    """1 with these chances, else 0."""
    drawn: Array = (rng.random(len(chance)) < np.clip(chance, 0, 1)).astype(float)
    return drawn


LAWS: dict[str, Law] = {
    "normal": lambda f, rng: 0.15 * f + 0.15 * rng.standard_normal(len(f)),
    "heteroscedastic": lambda f, rng: (
        0.15 * f + 0.12 * np.exp(0.4 * f) * rng.standard_normal(len(f))
    ),
    "Student, 3 degrees": lambda f, rng: 0.1 * f + 0.05 * rng.standard_t(3, len(f)),
    "two clusters": lambda f, rng: 0.1 * f + 0.6 * bernoulli(0.5 + 0.2 * np.tanh(f), rng) - 0.3,
    "score of 1 to 5": lambda f, rng: (
        (np.clip(np.round(3 + 0.7 * f + 0.8 * rng.standard_normal(len(f))), 1, 5) - 3) / 2
    ),
    "binary, even": lambda f, rng: 2 * bernoulli(0.5 + 0.2 * f, rng) - 1,
    "binary, 3%": lambda f, rng: bernoulli(0.03 * (1 + 0.6 * f), rng),
    "counts": lambda f, rng: rng.poisson(np.exp(0.5 * f)) / 20,
    "zero-inflated": lambda f, rng: (
        bernoulli(0.2 * (1 + 0.5 * f), rng) * rng.exponential(0.15, len(f)) * (1 + 0.2 * f)
    ),
    "lognormal": lambda f, rng: 0.05 * np.exp(0.5 * f + 0.8 * rng.standard_normal(len(f))),
}


def table(law: str, n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows (n, d) and labels (n,)."""
    u = rng.uniform(-1, 1, (n, d - 1))
    weights = 1 / np.arange(1, d)
    f = np.sqrt(3) * u @ weights / np.linalg.norm(weights)
    X = np.concatenate([np.ones((n, 1)), u], axis=1) / np.sqrt(d)
    return X, np.clip(LAWS[law](f, rng), -1, 1)


@functools.cache
def truth(law: str, d: int) -> Array:
    """What least squares finds in the population, nearly (d,)."""
    found: Array = np.linalg.lstsq(*table(law, MANY, d, np.random.default_rng(99)), rcond=None)[0]
    return found


@functools.cache
def certified(epsilon: str, regression: dp.Regression = RIVALS[0]) -> dp.Certificate:
    """A regression at a budget."""
    return dp.certify(regression, target=dp.ApproxDP(epsilon, "1e-6"), setting=SETTING)


def covered(law: str, cell: tuple[int, int, str], repeats: int) -> list[str]:
    """Refused tables, covered slopes and lengths, in percent; without and with the assumption."""
    n, d, epsilon = cell
    known, constant = truth(law, d), np.sqrt(d) * np.eye(d)[0]
    found: list[str] = []
    tables = [
        dp.execute(certified(epsilon), *table(law, n, d, rng), rng=int(rng.integers(2**60))).output
        for rng in (np.random.default_rng([n, d, repeat]) for repeat in range(repeats))
    ]
    for normal in (False, True):
        held, lengths = [], []
        for fit in tables:
            inference = infer(
                fit.evidence, bound=1.0, constant=constant, norm=1.0, normal_residuals=normal
            )
            if not inference.open_ended:
                ends = inference.conf_int(1 - LEVEL)[1:]
                held += list((ends[:, 0] <= known[1:]) & (known[1:] <= ends[:, 1]))
                lengths += list(np.diff(ends)[:, 0] / 3.92)
        refused = 1 - len(held) / (repeats * (d - 1))
        if not held:
            found += [f"{100 * refused:.1f}", "-", "-"]
            continue
        found += [f"{100 * refused:.1f}", f"{100 * np.mean(held):.1f}", f"{np.median(lengths):.4f}"]
    return found


def errors(law: str, cell: tuple[int, int, str]) -> list[str]:
    """The median excess of every regression over zero's."""
    n, d, epsilon = cell
    known, squares = truth(law, d), np.array([1.0, *[1 / 3] * (d - 1)]) / d  # mean of x_i^2
    found: list[list[float]] = [[] for _ in RIVALS]
    for repeat in range(DRAWN):
        rng = np.random.default_rng([n, d, repeat])
        X, y = table(law, n, d, rng)
        seed = int(rng.integers(2**60))
        for one, so_far in zip(RIVALS, found, strict=True):
            fit = dp.execute(certified(epsilon, one), X, y, rng=seed).output.coefficients
            so_far.append(float(squares @ (fit - known) ** 2 / (squares @ known**2)))
    return [f"{np.median(one):.5f}" for one in found]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the tables")
    parser.add_argument("--errors", action="store_true", help="of coefficients, beside rivals'")
    given = parser.parse_args()
    shorter = 10 if given.quick else 1
    head = ("n", "d", "epsilon", "labels", "refused %", "covered %", "length")
    shown = Table(*head, "if normal: refused %", "covered %", "length")
    if given.errors:
        shown = Table(*head[:4], "JointSSP", "its rounds=0", "SSP", "AdaSSP")
    asked = [(cell, law) for cell in CELLS for law in LAWS]
    for cell, law in track(asked, description="fits", transient=True):
        n, d, epsilon = cell
        repeats = CELLS[cell] // shorter
        numbers = errors(law, cell) if given.errors else covered(law, cell, repeats)
        shown.add_row(f"{n:,}", str(d), epsilon, law, *numbers)
    Console(width=140).print(shown)


if __name__ == "__main__":
    main()
