"""How often intervals hold for labels of eleven laws: JointSSP as it is executed, on drawn tables.

    python benchmarks/laws.py --out laws.csv             # 400 tables a cell: 70 minutes on one core
    python benchmarks/laws.py --out laws.csv --tables 40
    python benchmarks/laws.py --out laws.csv --tables 0  # the table of what the file holds
    python benchmarks/laws.py --errors                   # errors of coefficients, two minutes

The file has one line a table, and what it holds is not run again: a run that was stopped goes on,
table by table over all cells. Rows are d - 1 columns uniform in [-1, 1], which a codebook declares,
and an intercept; labels depend on f, a weighted sum of the columns of variance 1, and lie in
[-1, 1]; delta = 1e-6, add/remove. Tables and noise are drawn by (n, d, table). Covered: the
percentage of 95% intervals that contain what least squares finds in four million records, of all
slopes and of intercepts, by default, with equal_variance=True, and with normal_residuals=True.
Refused: tables without intervals. Length: the median half length over 1.96. A coefficient's
percentage in m tables has the standard error sqrt(p (1 - p)/m); slopes of one table go together, so
that the error of a cell is taken over tables.
Errors: the median over 16 tables of the squared error of predictions beyond that of least squares
in the population, over zero's; tables and seeds are the same for every regression.
"""

from __future__ import annotations

import argparse
import csv
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dpframe as dp

Array = NDArray[Any]
Law = Callable[[Array, np.random.Generator], Array]
Cell = tuple[int, int, str]

CELLS: tuple[Cell, ...] = (
    (2_000, 3, "1"),
    (10_000, 5, "0.3"),
    (10_000, 5, "1"),
    (20_000, 3, "8"),
    (50_000, 10, "0.3"),
    (50_000, 10, "1"),
    (200_000, 30, "0.1"),
)
OF_ERRORS = (*CELLS[:3], (50_000, 10, "0.1"), *CELLS[4:6])
JOINT: Any = dp.JointSSP
RIVALS = (JOINT(), JOINT(rounds=0), dp.SSP(), dp.AdaSSP())
DRAWN, LEVEL = 16, 0.95
MANY, AT_ONCE = 4_000_000, 250_000
ASSUMED: dict[str, dict[str, Any]] = {
    "default": {},
    "equal": {"equal_variance": True},
    "normal": {"normal_residuals": True},
}
KEY = ("law", "n", "d", "epsilon", "table")
SCORES = ("slopes", "intercept", "length")  # shares covered and the median half length


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
    "constant": lambda f, _: np.full(len(f), 0.3),
}


def rows(n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """d - 1 columns (n, d - 1) and what labels depend on, (n,)."""
    u = rng.uniform(-1, 1, (n, d - 1))
    weights = 1 / np.arange(1, d)
    return u, np.sqrt(3) * u @ weights / np.linalg.norm(weights)


def table(law: str, n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Columns (n, d - 1) and labels (n,)."""
    X, f = rows(n, d, rng)
    return X, np.clip(LAWS[law](f, rng), -1, 1)


@functools.cache
def setting(d: int) -> dp.Setting:
    """What is declared."""
    columns = [dp.Numeric(f"x{j}", -1, 1) for j in range(1, d)]
    labels = dp.Column(bound=1)
    return dp.Setting(X=dp.Rows(columns=columns, intercept=True), y=labels, relation=dp.ADD_REMOVE)


@functools.cache
def truths(d: int) -> dict[str, Array]:
    """What least squares finds in the population, nearly, (d,) for every law, intercept last."""
    rng, gram = np.random.default_rng(99), np.zeros((d, d))
    moments = {law: np.zeros(d) for law in LAWS}
    for _ in range(MANY // AT_ONCE):
        u, f = rows(AT_ONCE, d, rng)
        X = np.column_stack([u, np.ones(AT_ONCE)])
        gram += X.T @ X
        for law, draw in LAWS.items():
            moments[law] += np.clip(draw(f, rng), -1, 1) @ X
    return {law: np.linalg.solve(gram, moment) for law, moment in moments.items()}


def fitted(one: Any, cell: Cell, X: Array, y: Array, seed: int) -> dp.PrivateRegressor:
    """A regression at the budget of the cell."""
    _, d, epsilon = cell
    model = dp.PrivateRegressor(one, epsilon=epsilon, delta="1e-6", setting=setting(d), rng=seed)
    return model.fit(X, y)


def scored(law: str, cell: Cell, repeat: int) -> list[float]:
    """The SCORES of one table under each assumption; not numbers where nothing is claimed."""
    n, d, _ = cell
    rng = np.random.default_rng([n, d, repeat])
    X, y = table(law, n, d, rng)
    model, known = fitted(RIVALS[0], cell, X, y, int(rng.integers(2**60))), truths(d)[law]
    found: list[float] = []
    for given in ASSUMED.values():
        inference = model.inference(**given)
        if inference.open_ended:
            found += [np.nan] * len(SCORES)
            continue
        ends = inference.conf_int(1 - LEVEL)
        held = (ends[:, 0] <= known) & (known <= ends[:, 1])
        half = float(np.median(np.diff(ends[:-1])) / 3.92)
        found += [float(np.mean(held[:-1])), float(held[-1]), half]
    return found


def run(out: Path, tables: int) -> None:
    """Write the lines that are missing, the first table of every cell first."""
    head = [*KEY, *(f"{one} {score}" for one in ASSUMED for score in SCORES)]
    done = {tuple(line[name] for name in KEY) for line in lines(out)}
    asked = [
        (law, cell, repeat) for repeat in range(tables) for cell in CELLS[::-1] for law in LAWS
    ]
    missing = [one for one in asked if (one[0], *map(str, one[1]), str(one[2])) not in done]
    with out.open("a", newline="") as file:
        writer = csv.writer(file)
        if not file.tell():
            writer.writerow(head)
        for law, cell, repeat in track(missing, description="fits", transient=True):
            numbers = (f"{number:.5g}" for number in scored(law, cell, repeat))
            writer.writerow([law, *cell, repeat, *numbers])
            file.flush()


def lines(out: Path) -> list[dict[str, str]]:
    """What the file holds."""
    if not out.exists():
        return []
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def reported(out: Path) -> Iterator[str]:
    """A table of the file, as Markdown: coverage in percent and the standard error over tables."""
    shown = [f"{one}: {what}" for one in ASSUMED for what in ("slopes", "intercept", "refused")]
    yield f"| labels | n | d | epsilon | tables | {' | '.join(shown)} | default / equal length |"
    yield "|---" + "|---:" * (len(shown) + 5) + "|"
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for line in lines(out):
        found.setdefault(tuple(line[name] for name in KEY[:-1]), []).append(line)
    for key in sorted(found, key=lambda key: (list(LAWS).index(key[0]), int(key[1]), key[3])):
        cells, lengths = [], []
        for one in ASSUMED:
            slopes, intercept, length = (
                np.array([float(line[f"{one} {score}"]) for line in found[key]]) for score in SCORES
            )
            held = ~np.isnan(slopes)
            cells += [percent(slopes[held]), percent(intercept[held])]
            cells.append(f"{100 * (1 - np.mean(held)):.0f}")
            lengths.append(float(np.median(length[held])) if held.any() else np.nan)
        ratio = lengths[0] / lengths[1]
        yield f"| {' | '.join([*key, str(len(found[key])), *cells, f'{ratio:.2f}'])} |"


def percent(shares: Array) -> str:
    """Their mean and its standard error."""
    if len(shares) < 2:
        return "-"
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    return f"{100 * np.mean(shares):.1f} ± {100 * error:.1f}"


def errors(law: str, cell: Cell) -> list[str]:
    """The median excess of every regression over zero's."""
    n, d, _ = cell
    known, squares = truths(d)[law], np.array([*[1 / 3] * (d - 1), 1.0])  # mean of x_i^2
    found: list[list[float]] = [[] for _ in RIVALS]
    for repeat in range(DRAWN):
        rng = np.random.default_rng([n, d, repeat])
        X, y = table(law, n, d, rng)
        seed = int(rng.integers(2**60))
        for one, so_far in zip(RIVALS, found, strict=True):
            model = fitted(one, cell, X, y, seed)
            off = np.append(model.coef_, model.intercept_) - known
            so_far.append(float(squares @ off**2 / (squares @ known**2)))
    return [f"{np.median(one):.5f}" for one in found]


def main() -> None:
    """Write the file and print its table, or print errors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="a CSV file, which is continued")
    parser.add_argument("--tables", type=int, default=400, help="of each cell")
    parser.add_argument("--errors", action="store_true", help="of coefficients, beside rivals'")
    given = parser.parse_args()
    if given.errors:
        shown = Table("n", "d", "epsilon", "labels", "JointSSP", "its rounds=0", "SSP", "AdaSSP")
        asked = [(cell, law) for cell in OF_ERRORS for law in LAWS]
        for cell, law in track(asked, description="fits", transient=True):
            n, d, epsilon = cell
            shown.add_row(f"{n:,}", str(d), epsilon, law, *errors(law, cell))
        Console(width=140).print(shown)
        return
    if given.out is None:
        parser.error("--out names the file of results; --errors needs none")
    run(given.out, given.tables)
    print("\n".join(reported(given.out)))


if __name__ == "__main__":
    main()
