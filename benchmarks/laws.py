"""Coverage of 95% intervals of JointSSP for eleven laws of labels, on drawn tables.

    python benchmarks/laws.py --out laws.csv               # 400 tables a cell
    python benchmarks/laws.py --out laws.csv --tables 40
    python benchmarks/laws.py --out laws.csv --executed    # every fit by dp.PrivateRegressor
    python benchmarks/laws.py                              # errors of coefficients, two minutes

The file has one line for each law, cell and table. Lines in the file are not computed again, so an
interrupted run continues. Columns are d - 1 uniform ones in [-1, 1], declared by a codebook, and an
intercept; labels depend on f, a weighted sum of the columns of variance 1, and lie in [-1, 1];
delta = 1e-6, add/remove. Tables and noise are drawn by (n, d, table, law).

By default a cell is certified and fitted once; then each table is drawn, summed with numpy, and its
noise drawn with the standard deviations of the certificate. Everything else is computed by the
post-processing functions of the regression, so only how the table is read and the grid of the
released sums are left out (tests/inference/test_laws.py compares the two). A line says for slopes
and the intercept which part of the 95% intervals contains the least squares coefficients of four
million records; the median half length of slopes over that of least squares with White's errors
without noise; and the same of the intercept; nan where some slope has no interval.

Errors: the median over 16 tables of the squared error of predictions beyond that of least squares
in the population, over zero's; tables and seeds are the same for every regression.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dpframe as dp
from dpframe.inference import shrinkage
from dpframe.inference.widths import label_level
from dpframe.regressions import joint_ssp

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
    (5_000, 3, "1"),
    (20_000, 10, "1"),
    (15_000, 10, "0.1"),
    (25_000, 10, "0.1"),
    (100_000, 10, "0.1"),
)
FEWER = {  # tables: of a slow cell, and of two in which noise hides slopes
    (200_000, 30, "0.1"): 120,
    (15_000, 10, "0.1"): 40,
    (25_000, 10, "0.1"): 40,
}
OF_ERRORS = (*CELLS[:3], (50_000, 10, "0.1"), *CELLS[4:6])
CHUNK = 20  # tables of one cell in a row
COMPARED = 40  # tables of a cell whose lengths are compared with least squares without noise
JOINT: Any = dp.JointSSP
RIVALS = (JOINT(), JOINT(rounds=0), dp.SSP(), dp.AdaSSP())
DRAWN, LEVEL = 16, 0.95
MANY, AT_ONCE = 4_000_000, 250_000
KEY = ("law", "n", "d", "epsilon", "table")
SCORES = ("slopes", "intercept", "length", "intercept length", "clipped")


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


@functools.cache
def first_fit(cell: Cell) -> tuple[dp.PrivateRegressor, dict[str, float]]:
    """A fit of one table of the cell, and the noise of every release."""
    n, d, _ = cell
    model = fitted(RIVALS[0], cell, *table("normal", n, d, np.random.default_rng(0)), 0)
    proved = model.certificate_
    return model, {
        one.name: float(proved.number(one.std, up=True)) for one in proved.graph.releases
    }


@functools.lru_cache(maxsize=1)
def design(n: int, d: int, repeat: int) -> tuple[Array, Array, Array]:
    """Rows with an intercept (n, d), what labels depend on (n,), and X'X: of all laws."""
    columns, f = rows(n, d, np.random.default_rng([n, d, repeat]))
    X = np.column_stack([columns, np.ones(n)])
    return X, f, X.T @ X


def replayed(
    cell: Cell, X: Array, y: Array, rng: np.random.Generator, product: Array | None = None
) -> dp.PrivateRegressor:
    """The first fit with the output of another table, rows (n, d), the intercept last, in [-1, 1]:
    by the post-processing functions of JointSSP and noise from numpy.
    """
    (model, stds), d = first_fit(cell), X.shape[1]
    radius = float(np.sqrt(d))
    joint: Any = model.regression
    counting, correcting, sandwich, gram, moment, squares, null = (
        float(getattr(joint, name).value)
        for name in ("counting", "correcting", "sandwich", "gram", "moment", "squares", "null")
    )

    def noisy(name: str, total: Array) -> Array:
        drawn = stds[name] * rng.standard_normal(np.shape(total))
        return np.asarray(total + ((drawn + drawn.T) / 2 if np.ndim(total) == 2 else drawn))

    cuts = 2.0 ** np.arange(-joint.halvings, 0)
    sizes = np.bincount(np.searchsorted(cuts, np.abs(y)), minlength=len(cuts) + 1)
    counts = noisy("counts", sizes)
    strength = 1 / (stds["counts"] ** 2 * counting * d)
    level = label_level(counts, stds["counts"], None, stds["moment"] / radius, d)
    labels = np.clip(y / level, -1, 1)
    sums: list[Any] = []
    product = X.T @ X if product is None else product
    for name, total in (("gram", product), ("moment", X.T @ labels), ("squares", labels @ labels)):
        sums += [noisy(name, total), stds[name]]
    evidence = joint_ssp.evidence_with_counts(None, counts, stds["counts"], level, 1.0, *sums)
    seen = (joint_ssp.principal_directions(evidence.gram, evidence.gram_std), radius, null)
    share = (1 - counting - correcting - sandwich) / (gram + moment + squares)
    gained = 1 + correcting / (share * moment)
    enough = joint_ssp.sampling_dominates(evidence, *seen, 1.0, strength, gained)
    least = min(float(joint_ssp.NARROWEST), 2.0**-joint.halvings)
    for turn in range(1, joint.corrections + 1):
        aim = joint_ssp.residual_point(evidence, *seen, enough, joint.corrections + 1 - turn)
        width = np.clip(
            joint_ssp.clipping_width(evidence, aim, 1.0, strength), least, joint_ssp.WIDEST
        )
        left = np.clip((y - X @ aim.at) / width, -1, 1)
        name = f"correction{turn}"
        found = noisy(name, X.T @ left)
        evidence = joint_ssp.with_correction(evidence, aim, found, stds[name], float(width))
    fit = joint_ssp.posterior_fit(evidence, *seen)
    reach = min(joint_ssp.largest_residual(fit, level, radius), joint_ssp.FARTHEST)
    scale = level * reach * radius
    gradients = (np.clip(y, -level, level) - X @ fit.mean)[:, None] * X / scale
    meat = noisy("meat", gradients.T @ gradients)
    output = joint_ssp.finished(evidence, fit, meat, stds["meat"], scale, reach)
    model.result_ = attrs.evolve(model.result_, output=output)
    return model


@contextlib.contextmanager
def remembering() -> Iterator[None]:
    """Posteriors of the first moments are not computed again for each moment that follows."""
    known: dict[Any, Any] = {}
    computed: Any = shrinkage.weighed

    def weighed(evidence: Any, shares: list[float], before: Any, prior: Any, left: int = 0) -> Any:
        moments = evidence.moments[: len(shares)]
        key = (tuple(map(id, moments)), tuple(shares))
        if left or key not in known:
            known[key] = (computed(evidence, shares, before, prior, left), moments)
        return known[key][0]

    shrinkage.weighed = weighed
    try:
        yield
    finally:
        shrinkage.weighed = computed


def white(X: Array, y: Array) -> Array:
    """White's standard errors (d,) of least squares, HC0, without noise."""
    bread = np.linalg.inv(X.T @ X)
    rows = (y - X @ (bread @ (X.T @ y)))[:, None] * (X @ bread)
    return np.asarray(np.sqrt(np.sum(rows**2, axis=0)))


def scored(law: str, cell: Cell, repeat: int, *, executed: bool = False) -> list[float]:
    """The SCORES of one table."""
    n, d, _ = cell
    X, f, product = design(n, d, repeat)
    rng = np.random.default_rng([n, d, repeat, list(LAWS).index(law)])
    y = np.clip(LAWS[law](f, rng), -1, 1)
    if executed:
        model = fitted(RIVALS[0], cell, X[:, :-1], y, int(rng.integers(2**60)))
    else:
        with remembering():
            model = replayed(cell, X, y, rng, product)
    inference, known = model.inference(), truths(d)[law]
    estimates, ends = inference.t_test(), inference.conf_int(1 - LEVEL)
    if inference.open_ended:
        return [np.nan] * len(SCORES)
    held = np.where(np.isfinite(ends[:, 0]), (ends[:, 0] <= known) & (known <= ends[:, 1]), np.nan)
    compared = repeat < COMPARED and law != "constant"
    errors = white(X, y) if compared else np.full(d, np.nan)
    longer = np.diff(ends)[:, 0] / 3.92 / errors
    clipped = float(np.any(estimates.unsure > 0))
    slopes = float(np.mean(held[:-1]))
    return [slopes, float(held[-1]), float(np.median(longer[:-1])), float(longer[-1]), clipped]


def run(out: Path, tables: int, *, executed: bool = False) -> None:
    """Write the missing lines, cell after cell in chunks of tables."""
    done = {tuple(line[name] for name in KEY) for line in lines(out)}
    needed = [
        (law, cell, repeat)
        for start in range(0, tables, CHUNK)
        for cell in CELLS
        for repeat in range(start, min(start + CHUNK, FEWER.get(cell, tables), tables))
        for law in LAWS
    ]
    needed.sort(key=lambda one: (one[0] == "constant") + (one[1] in FEWER))
    missing = [one for one in needed if (one[0], *map(str, one[1]), str(one[2])) not in done]
    with out.open("a", newline="") as file:
        writer = csv.writer(file)
        if not file.tell():
            writer.writerow([*KEY, *SCORES])
        for law, cell, repeat in track(missing, description="fits", transient=True):
            numbers = (f"{number:.5g}" for number in scored(law, cell, repeat, executed=executed))
            writer.writerow([law, *cell, repeat, *numbers])
            file.flush()


def lines(out: Path) -> list[dict[str, str]]:
    """The lines of the file."""
    if not out.exists():
        return []
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


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
    """Write the file, or print errors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="a CSV file of coverage, which is continued")
    parser.add_argument("--tables", type=int, default=400, help="of each cell")
    parser.add_argument("--executed", action="store_true", help="fit with dp.PrivateRegressor")
    given = parser.parse_args()
    if given.out is None:
        shown = Table("n", "d", "epsilon", "labels", "JointSSP", "its rounds=0", "SSP", "AdaSSP")
        asked = [(cell, law) for cell in OF_ERRORS for law in LAWS]
        for cell, law in track(asked, description="fits", transient=True):
            n, d, epsilon = cell
            shown.add_row(f"{n:,}", str(d), epsilon, law, *errors(law, cell))
        Console(width=140).print(shown)
        return
    run(given.out, given.tables, executed=given.executed)


if __name__ == "__main__":
    main()
