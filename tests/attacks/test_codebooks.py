"""Whole executions with one seed on neighbouring tables: whatever cells are, releases move by no
more than the budget allows.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from tests.support import samples

FORMS = (dp.SSP(), dp.AdaSSP(), dp.JointSSP(levels=0, rounds=0))  # no look depends on another
BUDGETS = [("1e-5", "1e-6"), ("0.1", "1e-30"), (1, "0.3"), (300, "1e-6")]
FAR = (-1e300, -1e9, 0, 7, 1e9, 1e300)


def numeric(draw, name):
    """A column of numbers, narrow or wide."""
    lower = draw.choice([-1_000_000, -1, 0, 3])
    return dp.Numeric(name, lower, lower + draw.choice([1, 100_000]))


def categorical(draw, name):
    """A column of 2 to 30 levels, any of which is the baseline."""
    levels = [f"level {i}" for i in range(draw.choice([2, 3, 30]))]
    return dp.Categorical(name, levels=levels, baseline=draw.choice(levels))


def cell(draw, column):
    """An end of its range, beyond it, or inside."""
    if isinstance(column, dp.Categorical):
        return draw.choice([column.levels[0], column.levels[-1], draw.choice(column.levels)])
    return draw.choice([float(column.lower), float(column.upper), *FAR])


def table(draw, columns, rows):
    """Rows of cells, of the right kinds also where there are none, with labels."""
    named = {one.name: [cell(draw, one) for _ in range(rows)] for one in columns}
    kinds = {one.name: object if isinstance(one, dp.Categorical) else float for one in columns}
    return pd.DataFrame(named).astype(kinds).assign(y=[draw.choice(FAR) for _ in range(rows)])


def moved(run, tables):
    """The root of the sum of (move / std)^2 over all releases, noise cancelled."""
    one, other = (dp.execute(run, X.drop(columns="y"), X["y"], rng=7).released for X in tables)
    sizes = {"d": len(tables[0].columns) - 1, "n": len(tables[0])}
    total = 0.0
    for release in run.graph.releases:
        std = run.number(release.mechanism.formula, up=True, sizes=sizes)
        total += (
            float(np.sum((np.asarray(one[release.label]) - other[release.label]) ** 2)) / std**2
        )
    return math.sqrt(total)


@pytest.mark.some(6, most=0)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_no_pair_of_tables_moves_further_than_the_budget(relation, seed):
    """Of codebooks, rows and budgets drawn at their ends; also of tables without rows."""
    draw = random.Random(seed)
    kinds = [draw.choice([numeric, categorical]) for _ in range(draw.choice([1, 2, 3]))]
    columns = [kind(draw, f"column {j}") for j, kind in enumerate(kinds)]
    epsilon, delta = draw.choice(BUDGETS)
    setting = dp.Setting(
        X=dp.Rows(columns=columns, intercept=draw.random() < 0.5),
        y=dp.Column("y", lower=-draw.choice([1, 100]), upper=draw.choice([1, 2000])),
        relation=relation,
    )
    target = dp.ApproxDP(epsilon, delta)
    run = dp.certify(draw.choice(FORMS), target=target, setting=setting)
    rest = table(draw, columns, draw.choice([0, 1, 4]))
    first, second = (table(draw, columns, 1) for _ in range(2))
    before = rest if relation is dp.ADD_REMOVE else pd.concat([rest, first])
    found = moved(run, (before, pd.concat([rest, second])))
    assert found <= dp.gaussian_mu(float(epsilon), float(delta)) * (1 + 1e-9)
