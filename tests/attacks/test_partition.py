"""What pairs of neighbours tell in cells of partitions and codebooks, in all releases together."""

import math
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.graph import Graph, Joint
from dpframe.graph.graph import classes
from dpframe.graph.maps.bounds import Intercept, Normalized
from dpframe.graph.statistics import Histogram
from dpframe.prover import parallel
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem, joint_moves
from dpframe.sensitivity import L1, L2
from dpframe.theory import KINDS
from tests.attacks.pairs import anything, run, size
from tests.support import samples
from tests.support.oracles import value
from tests.support.samples import RELATIONS, setting

# ------- No pair of neighbours tells more, in all releases together, than the cells that it changes
relations = pytest.mark.parametrize("relation", RELATIONS, ids=str)
ASKED = [
    lambda X, y: X.T @ X,
    lambda X, y: X.T @ y,
    lambda X, y: y @ y,
    lambda X, y: dp.lambda_min(X.T @ X),
    lambda X, y: dp.total(X.clip(norm=Fraction(1, 2))),
    lambda X, y: dp.count(X),
    dp.graph.sufficient_statistics,
    lambda X, y: X.with_intercept().T @ y,
    lambda X, y: dp.graph.histogram(X, y, 2),
    lambda X, y: dp.trace(X.normalized().T @ X.normalized()),
]


def releases(draw, relation, noise, rows):
    """Random statistics of random cells of two partitions, of cells of cells, of the table."""
    X, y = setting(relation, rows_per_person=rows).nodes()
    hashed = dp.partition(X, y, cells=3)
    partitions = [
        hashed,
        dp.graph.partition_at(X, y, [-1, 1]),
        dp.partition(*hashed.cell(1), cells=3),
    ]
    found = []
    for _ in range(draw.randint(2, 8)):
        whole = draw.random() < 0.2
        table = (X, y) if whole else draw.choice(partitions).cell(draw.randrange(3))
        found.append(dp.release(draw.choice(ASKED)(*table), noise(draw)))
    return found


def problem(found, relation, rows):
    """The problem of these releases."""
    own = setting(relation, rows_per_person=rows)
    return Problem(Graph.of(tuple(found)), dp.PureDP(1), own)


def pairs(draw, relation, rows):
    """Neighbours: random, and with rows that leave one cell for another."""
    rng = np.random.default_rng(draw.randrange(10**6))
    for _ in range(25):
        yield anything(relation, 2, rng, rows)


def moved(statistic, change, norm):
    """How far a statistic moves."""
    base, *parts = change
    first, second = (
        run(statistic, np.vstack([base[0], part[0]]), np.concatenate([base[1], part[1]]))
        for part in parts
    )
    return size(second - first, norm)


@pytest.mark.slow
@relations
@pytest.mark.parametrize("rows", [1, 2])
def test_squared_moves_together_stay_inside_the_joint_mu(relation, rows):
    """Gaussian noise: the sum of (move/std)^2 over all releases, against the proved total."""
    draw, told = random.Random(0), []
    for _ in range(12):
        noise = lambda draw: dp.Gaussian(std=draw.choice([1, 2, Fraction(1, 3)]))  # noqa: E731
        found = releases(draw, relation, noise, rows)
        if any(r.statistic.sensitivity(L2).value == dp.constant(0) for r in found):
            continue
        posed, totals = problem(found, relation, rows), []
        for some in moving(posed, classes(found)):
            joint = Joint.of([release.statistic for release, _ in some], relation)
            totals.append(value(joint.total(joint_moves(posed.rows, joint, some)), {"d": 2}))
        for change in pairs(draw, relation, rows):
            stds = [float(r.mechanism.std.value) for r in found]
            sizes = [moved(r.statistic, change, L2) for r in found]
            spent = sum((m / s) ** 2 for m, s in zip(sizes, stds, strict=True))
            assert spent <= float(max(totals)) * (1 + 1e-9)
            told.append(spent / float(max(totals)))
    assert max(told) > 0.3  # pairs that do something


@pytest.mark.some(1)
@relations
@pytest.mark.slow
def test_losses_together_stay_inside_the_largest_cells(relation):
    """Laplace noise: the sum of epsilon_i move_i/Delta_i, against the sum of the plan."""
    draw, told = random.Random(1), []
    for _ in range(12):
        found = releases(draw, relation, lambda _: dp.Laplace(scale=1), 1)
        deltas = [float(value(r.statistic.sensitivity(L1).value, {"d": 2})) for r in found]
        epsilons = [draw.randint(1, 9) for _ in found]
        if 0 in deltas:
            continue
        posed = problem(found, relation, 1)
        by = dict(zip(map(id, found), epsilons, strict=True))
        charges = [(release, i) for i, release in enumerate(found)]  # told apart by i
        most = max(sum(by[id(r)] for r, _ in some) for some in moving(posed, charges))
        for change in pairs(draw, relation, 1):
            moves = [moved(r.statistic, change, L1) for r in found]
            lost = sum(e * m / d for e, m, d in zip(epsilons, moves, deltas, strict=True))
            assert lost <= most * (1 + 1e-9)
            told.append(lost / most)
    assert max(told) > 0.3


def test_a_rule_that_took_one_cell_of_replaced_rows_would_be_caught(monkeypatch):
    """The negative control: with one cell in place of two, some pair goes beyond."""
    monkeypatch.setattr(parallel, "changed", lambda _: 1)
    with pytest.raises(AssertionError):
        test_losses_together_stay_inside_the_largest_cells_of_counts()


def test_losses_together_stay_inside_the_largest_cells_of_counts():
    """Counts of every cell, a record replaced: both cells, to the last."""
    relation = dp.REPLACE_ONE
    X, y = setting(relation).nodes()
    cells = dp.partition(X, y, cells=3)
    found = [dp.release(cells.count(j), dp.Laplace(scale=1)) for j in range(3)]
    posed = problem(found, relation, 1)
    most = max(len(some) for some in moving(posed, [(one, 0) for one in found]))
    told = [
        sum(moved(one.statistic, change, L1) for one in found)
        for change in pairs(random.Random(3), relation, 1)
    ]
    assert max(told) == most


@pytest.mark.parametrize("kind", [Intercept, Normalized, Histogram], ids=lambda one: one.__name__)
def test_an_entry_that_is_wrong_about_zeros_would_be_caught(kind, monkeypatch):
    """The negative control: were these said to add nothing for zeros, some pair goes beyond."""
    own = KINDS[kind.kind]
    wrong = own._replace(answers=own.answers._replace(zero_neutral=True))
    monkeypatch.setitem(KINDS, kind.kind, wrong)
    parallel.cell_of.cache_clear()
    try:
        with pytest.raises(AssertionError):
            _ = [losses_of_what_counts_zeros(kind, relation) for relation in RELATIONS]
    finally:
        parallel.cell_of.cache_clear()


def losses_of_what_counts_zeros(kind, relation):
    """One such statistic of each of 3 cells, against the cells that change."""
    X, y = setting(relation).nodes()
    cells = dp.partition(X, y, cells=3)
    found = [dp.release(COUNTING[kind](*cells.cell(j)), dp.Laplace(scale=1)) for j in range(3)]
    posed = problem(found, relation, 1)
    most = max(len(some) for some in moving(posed, [(one, 0) for one in found]))
    delta = value(found[0].statistic.sensitivity(L1).value, {"d": 2})
    for change in pairs(random.Random(4), relation, 1):
        assert sum(moved(one.statistic, change, L1) for one in found) <= most * float(delta)


COUNTING = {
    Intercept: lambda X, y: dp.total(X.clip(norm="1/1000").with_intercept()),
    Normalized: lambda X, y: dp.total(X.normalized()),
    Histogram: lambda X, y: dp.graph.histogram(X, y, 2),
}


@relations
@pytest.mark.parametrize("kind", COUNTING, ids=lambda kind: kind.__name__)
def test_what_counts_zeros_stays_inside_as_it_is(kind, relation):
    """The same pairs, with the lists as they are."""
    losses_of_what_counts_zeros(kind, relation)


# -------------------------------------------- Whole executions with one seed on neighbouring tables
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


def moved_in_stds(run, tables):
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
    found = moved_in_stds(run, (before, pd.concat([rest, second])))
    assert found <= dp.gaussian_mu(float(epsilon), float(delta)) * (1 + 1e-9)
