"""Neighbouring tables that move statistics as far as the proofs say they can be moved.

A change is (base, gone, come): records present in both tables, in the first only, in the second
only. `python -m tests.attacks.pairs` writes docs/attained.md anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

import dpframe as dp
from dpframe.audits.conformance.statistics import size_of, value_of
from dpframe.graph import statistics as st
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.sources import Block
from tests.support.oracles import value
from tests.support.samples import BOUND, NORM, RELATIONS, STATISTICS, UNBOUNDED, setting

PAGE = Path(__file__).parents[2] / "docs" / "attained.md"
B, Y = float(NORM), float(BOUND)
NORMS, DIMENSIONS = (L1, L2, OPERATOR), (2, 3)
CROWD = 600  # records that hold the other eigenvalues far away

HALF = np.arctan(0.5) / 2
TWISTED = {  # the rows whose outer products differ most in L1, found by search where d = 3
    2: ([np.cos(HALF), np.sin(HALF)], [-np.sin(HALF), np.cos(HALF)]),
    3: ([0.68381069, 0.68381069, -0.25456995], [0.18000814, 0.18000814, 0.96705436]),
}

SCALED = (  # tight in a box, or in cells: tests/graph
    st.SufficientStatistics,
    st.Monomials,
    st.BinCounts,
    st.NormCounts,
    st.Histogram,
    st.CellCount,
    st.CellSums,
    st.BlockEstimates,
)
ELSEWHERE = (  # read the table often, a penalty, or bins: tests of their own
    st.Argmin,
    st.LogResidual,
    st.BinnedSums,
    st.Factored,
    st.MedianDistance,
    st.TestedMedian,
)
LEAVES = {
    cls.__name__: make
    for cls, make in STATISTICS.items()
    if cls not in UNBOUNDED and cls not in (st.Linear, st.Stack, *SCALED, *ELSEWHERE)
}
STACKS = {
    "(X'X, X'y)": lambda X, y: dp.graph.stack(X.T @ X, X.T @ y),
    "(X'X, X'y, y'y)": lambda X, y: dp.graph.stack(X.T @ X, X.T @ y, y @ y),
    "(X'X, X'y, lambda_min)": lambda X, y: dp.graph.stack(X.T @ X, X.T @ y, dp.lambda_min(X.T @ X)),
    "(X'X, X'y, y'y, lambda_min)": lambda X, y: dp.graph.stack(
        X.T @ X, X.T @ y, y @ y, dp.lambda_min(X.T @ X)
    ),
}
OTHERS = {
    "Linear": STATISTICS[st.Linear],
    **{cls.__name__: STATISTICS[cls] for cls in SCALED},
    "(X'1, 1'y)": lambda X, y: dp.graph.stack(dp.total(X), dp.total(y)),
    "(X'X, lambda_min)": lambda X, y: dp.graph.stack(X.T @ X, dp.lambda_min(X.T @ X)),
    "(X'y, y'y)": lambda X, y: dp.graph.stack(X.T @ y, y @ y),
}
ALL = {**LEAVES, **STACKS, **OTHERS}

Records = tuple[np.ndarray, np.ndarray]
Change = tuple[Records, Records, Records]


def run(statistic, X, y):
    """The value of a statistic on a raw table, by the pass that executions make."""
    return value_of(statistic, [Block(X, y)])


def size(difference, norm):
    """The norm of a difference; matrices are symmetric."""
    return size_of(difference, norm, symmetric=difference.ndim == 2)


def move(statistic, change: Change, norm) -> float:
    """How far the statistic moves between the two tables of a change."""
    base, gone, come = change
    tables = [
        (np.vstack([base[0], part[0]]), np.concatenate([base[1], part[1]])) for part in (gone, come)
    ]
    first, second = (run(statistic, X, y) for X, y in tables)
    return float(size(second - first, norm))


def records(rows, labels) -> Records:
    """Rows and labels as arrays."""
    return np.array(rows, dtype=float), np.array(labels, dtype=float)


def nothing(d) -> Records:
    """No records."""
    return np.zeros((0, d)), np.zeros(0)


def beside(direction) -> Records:
    """Many records orthogonal to `direction`, so that its eigenvalue is the smallest."""
    d = len(direction)
    vectors = np.linalg.svd(direction[None, :])[2][1:]
    rows = np.repeat(B * vectors, CROWD // max(1, d - 1), axis=0)
    return rows, np.zeros(len(rows))


def repeated(change: Change, k: int) -> Change:
    """The same person's record k times."""
    base, *parts = change
    return (base, *((np.repeat(X, k, axis=0), np.repeat(y, k)) for X, y in parts))


def worst(relation, d) -> Iterator[Change]:
    """Pairs from the proofs: along one axis, along the diagonal, orthogonal, at every angle."""
    e1, e2, flat = B * np.eye(d)[0], B * np.eye(d)[1], B * np.ones(d) / np.sqrt(d)
    none = nothing(d)
    if relation is dp.ADD_REMOVE:
        for x in (e1, flat):
            for base, label in itertools.product((none, beside(x / B)), (Y, -Y)):
                yield base, none, records([x], [label])
        return
    for angle in np.linspace(0, np.pi, 25):
        z = np.cos(angle) * e1 + np.sin(angle) * e2
        lowest = np.linalg.eigh(np.outer(e1, e1) - np.outer(z, z))[1][:, -1]
        for w, base in itertools.product((-Y, 0, Y), (none, beside(lowest))):
            yield base, records([z], [w]), records([e1], [Y])
    alternating = flat * (-1) ** np.arange(d)
    for z in (flat, -flat, alternating, 0 * flat):
        for w in (-Y, 0, Y):
            yield none, records([z], [w]), records([flat], [Y])
    x, z = (B * np.array(row) / np.linalg.norm(row) for row in TWISTED[d])
    yield none, records([z], [0]), records([x], [0])


def anything(relation, d, rng, k=1) -> Change:
    """A random pair, some of it on the boundary or far outside the declared bounds."""

    def some(count) -> Records:
        lengths = rng.choice([0.0, 0.5, 1.0, 1.0, 10.0], size=(count, 1)) * B
        rows = rng.normal(size=(count, d))
        rows *= lengths / np.linalg.norm(rows, axis=1, keepdims=True)
        return rows, rng.choice([-10.0, -1.0, -0.5, 0.0, 1.0, 1.0], size=count) * Y

    gone = nothing(d) if relation is dp.ADD_REMOVE else some(k)
    return some(int(rng.integers(0, 5))), gone, some(k)


def stated(make, relation, norm, d, k=1) -> float:
    """The sensitivity that the rules derive."""
    X, y = setting(relation, rows_per_person=k).nodes()
    return float(value(make(X, y).sensitivity(norm).value, {"d": d}))


@cache
def attained(name, relation, norm, d) -> float:
    """The largest ratio of a move by a worst pair to the stated sensitivity."""
    statistic = ALL[name](*setting(relation).nodes())
    bound = stated(ALL[name], relation, norm, d)
    if bound == 0:
        return 1.0
    return max(move(statistic, change, norm) for change in worst(relation, d)) / bound


HEAD = """\
# How much of each sensitivity is attained

Every sensitivity is an upper bound with a proof. This table says how much of it pairs of
neighbouring tables, built by hand from the proofs, reach: 1.00 means that no smaller number would
do. Leaf statistics and the stacks that the regressions release reach at least 0.99 in the 2-norm;
elsewhere the bound may be larger than needed, which costs accuracy and never privacy.

This page is generated by `python -m tests.attacks.pairs`. Ratios are rounded down, but for the
ten-thousandth that a grid may cost.

| statistic | relation | d | L1 | L2 | operator |
|---|---|---|---|---|---|
"""


def row(name, relation, d) -> str:
    """A row of the page."""
    ratios = [int(attained(name, relation, norm, d) * 100 + 1e-2) / 100 for norm in NORMS]
    cells = " | ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"| {name} | {relation} | {d} | {cells} |\n"


def page() -> str:
    """The whole page."""
    return HEAD + "".join(row(*one) for one in itertools.product(ALL, RELATIONS, DIMENSIONS))


if __name__ == "__main__":
    PAGE.write_text(page())
