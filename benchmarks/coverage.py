"""How often intervals hold: 95% intervals of coefficients and of new labels, over drawn tables.

    python benchmarks/coverage.py               # under five minutes on one core
    python benchmarks/coverage.py --quick       # a tenth of the repeats
    python benchmarks/coverage.py --flagship    # JointSSP as it is executed: twenty minutes

Rows N(0, I/d) projected onto the unit ball; coefficients fall off like 1/j; labels of std 1/3, R^2
0.8, clipped at 1 (three deviations) or at 4/3 (which does not bind); delta = 1e-6, add/remove. "1
release" is X'X, X'y, y'y and n once; "3 corrections" adds clipped residuals at three released
points; JointSSP has six, at widths of its own choice, which count only where residuals are assumed
to be normal. Refused: the share of runs in which noise
hides a direction, so that nothing is claimed. New labels
have an interval of their own where y'y and n were seen at all, in the share `seen` of the others.
Wider: the standard error over that without privacy.
"""

from __future__ import annotations

import argparse
import functools
import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dpframe.execution import execute
from dpframe.graph import Column, Rows, Setting
from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.inference import Specification, infer
from dpframe.inference.row_set import RowSet
from dpframe.numerics.calibrate import analytic_mu
from dpframe.numerics.edge import noise_edge
from dpframe.privacy import ADD_REMOVE, ApproxDP
from dpframe.prover.certify import certify
from dpframe.regressions import JointSSP

RECORDS, COLUMNS, EPSILONS = (1_000, 10_000, 100_000), (2, 10, 30), (0.1, 1, 10)
KINDS = {"1 release": 0, "3 corrections": 3}
FLAGSHIP = {"JointSSP": False, "and normal": True}
BOUNDS = {"1": 1.0, "4/3": 4 / 3}
REPEATS = {(1_000, 2): 1000, (10_000, 2): 800, (100_000, 2): 400}
REPEATS |= {(1_000, 10): 300, (10_000, 10): 250, (100_000, 10): 120}
REPEATS |= {(1_000, 30): 150, (10_000, 30): 100, (100_000, 30): 60}
EXECUTED = {cell: repeats // 2 for cell, repeats in REPEATS.items()}
EXECUTED |= {(1_000, 2): 2000, (10_000, 2): 2000}  # where noise hides the residual variance
LEVEL, DELTA = 0.95, 1e-6
Cell = tuple[int, int, float, str, str]
Array = NDArray[Any]

SPREAD, EXPLAINED = 1 / 3, 0.8  # the std of labels, and the share of their variance
PARTS = {"gram": 0.3, "moment": 0.2, "squares": 0.1, "count": 0.05, "corrections": 0.35}
MANY, SEED = 200_000, 1606
NEW = 50  # labels to predict


@attrs.frozen(eq=False)
class World:
    """Rows of normal entries of variance 1/d, projected onto the unit ball; labels x'theta plus
    normal noise of std `noise`, clipped to [-bound, bound]. `truth` is what least squares finds in
    the population of clipped labels; `entry` is the variance of an entry.
    """

    theta: Array
    noise: float
    bound: float
    truth: Array
    entry: float

    @classmethod
    def of(cls, d: int, bound: float) -> World:
        """Coefficients that fall off like 1/j, of labels with std 1/3 and R^2 0.8."""
        rng = np.random.default_rng(SEED)
        shape = 1 / np.arange(1, d + 1)
        drawn = rows(MANY, d, rng)
        entry = float(np.mean(drawn**2))
        size = np.sqrt(entry) * np.linalg.norm(shape)
        theta = shape * SPREAD * np.sqrt(EXPLAINED) / size
        noise = SPREAD * np.sqrt(1 - EXPLAINED)
        return cls(theta, noise, bound, theta * kept(drawn @ theta, noise, bound), entry)

    def table(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """n records: rows (n, d), clipped labels (n,)."""
        drawn = rows(n, len(self.theta), rng)
        labels = drawn @ self.theta + self.noise * rng.standard_normal(n)
        return drawn, np.clip(labels, -self.bound, self.bound)


def rows(n: int, d: int, rng: np.random.Generator) -> Array:
    """Normal rows (n, d) of mean squared length 1, projected onto the unit ball."""
    drawn = rng.standard_normal((n, d)) / np.sqrt(d)
    lengths = np.sqrt(np.einsum("ij,ij->i", drawn, drawn))
    return np.asarray(drawn / np.maximum(lengths, 1)[:, None])


def kept(means: Array, noise: float, bound: float) -> float:
    """By how much clipping shrinks coefficients: E m clip(m + noise e)/E m^2, over the m given."""
    from scipy.stats import norm

    high, low = (bound - means) / noise, (-bound - means) / noise
    lost = noise * (norm.pdf(high) - high * norm.sf(high))  # E (m + noise e - bound)+
    gained = noise * (norm.pdf(low) + low * norm.cdf(low))
    return float(1 - np.mean(means * (lost - gained)) / np.mean(means**2))


def released(
    X: Array, y: Array, mu: float, rng: np.random.Generator, *, bound: float, corrections: int
) -> Evidence:
    """What a mu-Gaussian private run with X'X, X'y, y'y, n and `corrections` would release, for
    rows of length 1 and labels up to `bound`, one record added or removed.
    """
    used = {name: part for name, part in PARTS.items() if corrections or name != "corrections"}
    stds = {name: np.sqrt(sum(used.values()) / part) / mu for name, part in used.items()}
    d = X.shape[1]
    noise = rng.normal(0, stds["gram"], (d, d))
    moment = X.T @ y + bound * rng.normal(0, stds["moment"], d)
    evidence = Evidence(
        gram=X.T @ X + (noise + noise.T) / 2,
        gram_std=stds["gram"],
        moments=(NoisySum(moment, bound * stds["moment"], np.zeros(d), bound),),
        squares=float(y @ y + bound**2 * rng.normal(0, stds["squares"])),
        squares_std=bound**2 * stds["squares"],
        count=len(y) + rng.normal(0, stds["count"]),
        count_std=stds["count"],
    )
    for _ in range(corrections):
        std = stds["corrections"] * np.sqrt(corrections)
        evidence = evidence.with_moment(corrected(evidence, X, y, std, rng))
    return evidence


def corrected(
    evidence: Evidence, X: Array, y: Array, std: float, rng: np.random.Generator
) -> NoisySum:
    """X'(residuals, clipped to two of their deviations) at a ridge estimate from the last moment,
    with noise of `std` times the clip.
    """
    last, first = evidence.moments[-1], evidence.moments[0]
    ridge = noise_edge(evidence.gram_std, evidence.columns)
    lengths, axes = np.linalg.eigh(evidence.gram)
    theta = last.at + axes @ ((axes.T @ last.moment) / np.maximum(lengths, ridge))
    squares = evidence.squares - 2 * theta @ first.moment + theta @ evidence.gram @ theta
    left = np.sqrt((max(squares, 0.0) + evidence.squares_std) / max(evidence.count, 1.0))
    width = float(min(first.width, 2 * left))
    moment = X.T @ np.clip(y - X @ theta, -width, width)
    return NoisySum(moment + width * rng.normal(0, std, len(theta)), width * std, theta, width)


@attrs.frozen
class Score:
    """Of one run: coefficients covered, of how many; new labels covered, of how many; whether noise
    hid something; the mean standard error over the mean of that for sampling alone.
    """

    covered: int
    intervals: int
    predicted: int
    new: int
    refused: bool
    wider: float


def scored(
    world: World,
    evidence: Evidence,
    rng: np.random.Generator,
    level: float,
    *,
    normal_residuals: bool = False,
) -> Score:
    """Intervals against the truth, residuals being of one variance; infinite ones count as refused,
    predictive ones always.
    """
    given: dict[str, Any] = {"bound": world.bound, "rows": RowSet(1.0), "equal_variance": True}
    found = infer(evidence, Specification(normal_residuals=normal_residuals, **given))
    X, y = world.table(NEW, rng)
    ends, band = (
        found.conf_int(1 - level),
        found.get_prediction(X, residuals="normal").conf_int(1 - level, obs=True),
    )
    inside = int(np.sum((ends[:, 0] <= world.truth) & (world.truth <= ends[:, 1])))
    predicted = int(np.sum((band[:, 0] <= y) & (y <= band[:, 1])))
    d = len(world.truth)
    if found.open_ended:
        return Score(0, 0, 0, 0, refused=True, wider=np.inf)
    sampling = world.noise / np.sqrt(world.entry * max(evidence.count, 1.0))
    wider = float(np.mean(np.sqrt(np.diag(found.covariance))) / sampling)
    known = found.residual is not None
    return Score(inside, d, predicted * known, NEW * known, refused=False, wider=wider)


def run(n: int, d: int, repeat: int) -> Iterator[tuple[Cell, Score]]:
    """Every budget, kind and bound on one table each."""
    for bound, (epsilon, kind) in itertools.product(BOUNDS, itertools.product(EPSILONS, KINDS)):
        world = world_of(d, bound)
        rng = np.random.default_rng([n, d, repeat, int(10 * epsilon), KINDS[kind], len(bound)])
        if (epsilon, kind) == (EPSILONS[0], next(iter(KINDS))):
            X, y = world.table(n, rng)
        mu = analytic_mu(epsilon, DELTA)
        evidence = released(X, y, mu, rng, bound=world.bound, corrections=KINDS[kind])
        score = scored(world, evidence, rng, LEVEL, normal_residuals=True)
        yield (n, d, epsilon, kind, bound), score


def executed(n: int, d: int, repeat: int) -> Iterator[tuple[Cell, Score]]:
    """JointSSP by dp.execute, every budget and bound on one table each."""
    for bound, epsilon in itertools.product(BOUNDS, EPSILONS):
        world, run = world_of(d, bound), certified(epsilon, bound)
        rng = np.random.default_rng([n, d, repeat, int(10 * epsilon), len(bound), 1])
        fit = execute(run, *world.table(n, rng), rng=int(rng.integers(2**60))).output
        for kind, normal in FLAGSHIP.items():
            own = np.random.default_rng([n, d, repeat, normal])
            score = scored(world, fit.evidence, own, LEVEL, normal_residuals=normal)
            yield (n, d, epsilon, kind, bound), score


@functools.cache
def certified(epsilon: float, bound: str) -> Any:
    """The flagship for one budget and bound."""
    label = Column(bound=Fraction(bound))
    setting = Setting(X=Rows(norm=1), y=label, relation=ADD_REMOVE)
    flagship: Any = JointSSP
    return certify(flagship(scaling=0), target=ApproxDP(str(epsilon), str(DELTA)), setting=setting)


@functools.cache
def world_of(d: int, bound: str) -> World:
    """The population of so many columns, under a bound on labels."""
    return World.of(d, BOUNDS[bound])


def percent(part: float, whole: float) -> str:
    """`95.1`, or a dash for nothing."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def line(cell: Cell, scores: list[Score]) -> list[str]:
    """One row of the table."""
    n, d, epsilon, kind, bound = cell
    total: dict[str, Any] = {
        name: sum(getattr(score, name) for score in scores)
        for name in ("covered", "intervals", "predicted", "new", "refused")
    }
    wide = [score.wider for score in scores if not score.refused]
    claimed = len(scores) - total["refused"]
    return [
        f"{n:,}",
        str(d),
        f"{epsilon:g}",
        kind,
        bound,
        percent(total["refused"], len(scores)),
        percent(total["covered"], total["intervals"]),
        percent(total["predicted"], total["new"]),
        percent(total["new"], claimed * NEW),
        f"{np.median(wide):.2f}" if wide else "-",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repeats")
    parser.add_argument("--flagship", action="store_true", help="JointSSP as it is executed")
    chosen = parser.parse_args()
    cells, runs = (EXECUTED, executed) if chosen.flagship else (REPEATS, run)
    shorter = 10 if chosen.quick else 1
    found: dict[Cell, list[Score]] = {}
    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*bars, TimeElapsedColumn(), transient=True) as progress:
        for n, d in itertools.product(RECORDS, COLUMNS):
            repeats = cells[n, d] // shorter
            for repeat in progress.track(range(repeats), description=f"n = {n:,}, d = {d}"):
                for cell, score in runs(n, d, repeat):
                    found.setdefault(cell, []).append(score)
    head = ["n", "d", "epsilon", "released", "clip", "refused %", "coefficients %", "new labels %"]
    table = Table(*head, "seen %", "wider")
    for cell in sorted(found, key=lambda cell: (cell[4], cell[3], *cell[:3])):
        table.add_row(*line(cell, found[cell]))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
