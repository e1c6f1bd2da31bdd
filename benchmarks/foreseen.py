"""Which intervals dp.recommend foresees on the medical costs, and which there are.

    python benchmarks/foreseen.py --data DIR      (or the environment variable DPFRAME_DATA)

DIR holds insurance.csv; a minute on one core.
The natural codebook, JointSSP by the estimator at delta = 1e-6, and the variant that dp.recommend
names beside it; noise is simulated, so nothing here is private. Held: intervals of 95% that contain
what least squares finds in the table.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import dpframe as dp
from dpframe.experiments.medical_costs import LEVELS, MedicalCosts, load

EPSILONS, DELTA, LEVEL = ("0.5", "1", "3", "10"), "1e-6", 0.95
ENDS = {"age": (18, 65), "bmi": (15, 55), "children": (0, 5)}


def setting() -> dp.Setting:
    """What is public of the table."""
    columns = [
        dp.Numeric(name, *ENDS[name]) if levels is None else dp.Categorical(name, levels)
        for name, levels in LEVELS.items()
    ]
    return dp.Setting(
        X=dp.Rows(columns=columns, intercept=True),
        y=dp.Column("charges", lower=0, upper=65_000),
        relation=dp.ADD_REMOVE,
    )


def least_squares(costs: MedicalCosts) -> Any:
    """Coefficients (9,) beside the first levels, the intercept last."""
    columns: list[Any] = []
    for j, levels in enumerate(LEVELS.values()):
        cells = costs.raw[:, j]
        columns += [cells] if levels is None else [cells == level for level in levels[1:]]
    rows = np.column_stack([*columns, np.ones(len(cells))]).astype(float)
    return np.linalg.lstsq(rows, costs.charges, rcond=None)[0]


def lines(costs: MedicalCosts, epsilon: str, seeds: range) -> Iterator[str]:
    """What is foreseen, and in how many draws each coefficient has an interval."""
    declared, truth = setting(), least_squares(costs)
    advice = dp.recommend(n=len(costs.charges), epsilon=epsilon, delta=DELTA, setting=declared)
    pairs = [(advice.regression, advice.intervals), (advice.instead, advice.instead_intervals)]
    for regression, told in pairs[: 1 + (advice.instead is not None)]:
        found = [fitted(costs, regression, epsilon, declared, seed) for seed in seeds]
        ends = np.array([one.intervals for one in found])
        given = np.isfinite(ends).all(axis=2)
        held = (ends[:, :, 0] <= truth) & (truth <= ends[:, :, 1])
        yield f"\nepsilon {epsilon}, {regression}\n  foreseen: {told}"
        for j, name in enumerate(found[0].names):
            half = np.diff(ends[given[:, j], j]).ravel() / 2
            wide = f", +- {np.median(half):,.0f} dollars" if len(half) else ""
            yield f"  {name:20}{given[:, j].sum():>3} of {len(found)}{wide}"
        yield f"  held: {held[given].sum()} of {given.sum()}"


def fitted(
    costs: MedicalCosts, regression: Any, epsilon: str, declared: dp.Setting, seed: int
) -> Any:
    """The summary of a simulated fit."""
    model = dp.PrivateRegressor(
        regression, epsilon=epsilon, delta=DELTA, setting=declared, rng=seed
    )
    return model.fit(costs.raw, costs.charges).summary(1 - LEVEL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("DPFRAME_DATA", ""))
    parser.add_argument("--draws", type=int, default=10)
    asked = parser.parse_args()
    path = Path(asked.data) / "insurance.csv"
    if path.is_file():
        for each in EPSILONS:
            print(*lines(load(path), each, range(asked.draws)), sep="\n")
    else:
        print("no data: name the folder of insurance.csv with --data or DPFRAME_DATA")
