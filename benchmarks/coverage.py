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

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dpframe.estimation.inference_simulation import NEW, Score, World, released, scored
from dpframe.execution import execute
from dpframe.graph import Column, Rows, Setting
from dpframe.numerics.calibrate import analytic_mu
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


def run(n: int, d: int, repeat: int) -> Iterator[tuple[Cell, Score]]:
    """Every budget, kind and bound on one table each."""
    for bound, (epsilon, kind) in itertools.product(BOUNDS, itertools.product(EPSILONS, KINDS)):
        world = WORLDS[d, bound]
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
        world, run = WORLDS[d, bound], certified(epsilon, bound)
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
    return certify(JointSSP(), target=ApproxDP(str(epsilon), str(DELTA)), setting=setting)


WORLDS = {(d, bound): World.of(d, BOUNDS[bound]) for d in COLUMNS for bound in BOUNDS}


def percent(part: float, whole: float) -> str:
    """`95.1`, or a dash for nothing."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def line(cell: Cell, scores: list[Score]) -> list[str]:
    """One row of the table."""
    n, d, epsilon, kind, bound = cell
    total: dict[str, Any] = {
        name: sum(getattr(score, name) for score in scores)
        for name in ("covered", "asked", "predicted", "new", "refused")
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
        percent(total["covered"], total["asked"]),
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
