"""More rows of the table of mutants and variants: what may be done to a table before it is summed.

`moved` shows the counterexample of a refusal with numpy alone: how far X'y moves between two
neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import dpframe as dp
from dpframe.regressions.standardised import in_own_units, means, spreads
from tests.mutants.cases import CASES, REFUSED, RO, accept, analytic, half, refuse, two

START = len(CASES)  # before, the rows of cases.py
MOVED: dict[str, Callable[[int], float]] = {}
BOX = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TWO = dp.Setting(X=dp.Rows(norm=3), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
PURE = dp.PureDP(dp.EPSILON)


def bad(heading: str, body: Any, moved: Callable[[int], float] | None = None, **more: Any):
    """Enter a mutant, and how far X'y moves for n records."""
    name, _, says = heading.partition(": ")
    refuse(f"{name} TAINT: {says}", body, **more)
    if moved is not None:
        MOVED[name] = moved


def halves(b):
    """Two shares."""
    return b.split(half, half)


def fit(X, y, b):
    """Ridge on two analytic releases."""
    return two(X, y, analytic, analytic, halves(b))


def lone(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n - 1 rows at 0 and one at 1 (then at -1), labels 1 but the last."""
    x, y = np.append(np.zeros(n - 1), 1.0), np.append(np.ones(n - 1), 0.0)
    return x, np.append(np.zeros(n - 1), -1.0), y


def standardised_move(n: int) -> float:
    """X'y of (x - mean)/std over row norms."""
    first, second, y = lone(n)
    one, other = (((x - x.mean()) / x.std()) for x in (first, second))
    return float(abs((np.sign(one) - np.sign(other)) @ y))


def largest_move(n: int) -> float:
    """X'y of labels over the largest, when one of 10^6 joins n records (1, 1)."""
    labels = np.append(np.ones(n), 1e6)
    return float(abs(np.sum(labels / labels.max()) - n))


def scaled_move(n: int) -> float:
    """X'1 of min-max scaled rows, when one row of 10^6 joins n at 1 and one at 0."""
    x = np.append(np.ones(n), 0.0)
    wide = np.append(x, 1e6)
    return float(abs(np.sum(x) - np.sum(wide / wide.max())))


def clipped_move(n: int) -> float:
    """X'1 over the old rows, clipped at mean + 3/2 std: n of which a tenth at 5; 10^6 joins."""
    x = np.append(np.zeros(n - n // 10), np.full(n // 10, 5.0))
    tables = (x, np.append(x, 1e6))
    low, high = (np.sum(np.minimum(x, t.mean() + 1.5 * t.std())) for t in tables)
    return float(high - low)


def raw(name: str, X: Any) -> Any:
    """An aggregate of raw data."""
    return dp.graph.aggregate(name, X)


def z_scored(X):
    """Columns less their raw means, over their raw deviations, then clipped."""
    by, minus = raw("std", X), raw("mean", X)
    return X.divided(by=by, minus=minus, lower="1e-9", upper=10**9).clip(norm=1)


bad(
    "T05z: z-scores by the data, then clipped to a public norm",
    lambda X, y, b: fit(z_scored(X), y, b),
    standardised_move,
    node="X'X",
)
bad(
    "T05y: labels over the largest |label| of the data",
    lambda X, y, b: fit(X, y.scaled(raw("max_abs", y)).clip(-1, 1), b),
    largest_move,
    node="X'y",
)
bad(
    "T07y: labels less the smallest, over the range of the data",
    lambda X, y, b: fit(
        X,
        y.scaled(raw("maximum", y) - raw("minimum", y), raw("minimum", y).__expression__()).clip(
            -1, 1
        ),
        b,
    ),
    scaled_move,
    node="X'y",
)
bad(
    "T11c: entries clipped at mean + 3/2 std of the data",
    lambda X, y, b: fit(
        X.boxed(raw("mean", X) + Fraction(3, 2) * raw("std", X).__expression__()), y, b
    ),
    clipped_move,
    node="X'X",
)
bad(
    "T03u: released coefficients put back into units by raw means and deviations",
    lambda X, y, b: dp.post(in_own_units, fit(X, y, b), raw("mean", X), raw("std", X), 0, 1, 0),
    node="mean",
)


def scaled(X, y, b, weight):
    """Released sums and squares, then a fit on scaled rows, at weights of epsilon and delta."""
    for_scale, for_fit = b.split(weight, 1 - weight)
    first, second = halves(for_scale)
    sums = dp.release(dp.total(X), analytic, first, name="sums")
    squares = dp.release(dp.graph.column_squares(X), analytic, second, name="squares")
    n = dp.count(X)
    centre = dp.post(means, sums, n, X.radius)
    spread = dp.post(spreads, squares, n, centre, X.radius, dp.constant("1/1000"))
    rows = X.divided(by=spread, minus=centre, lower="1/1000", upper=3).clip(norm=2)
    return dp.post(in_own_units, fit(rows, y, for_fit), centre, spread, 0, 1, 0)


W = dp.parameter("w", 0, 1)
accept(
    "V19s TAINT: coefficients put back by released means and deviations, weight w symbolic, n "
    "public",
    lambda X, y, b: scaled(X, y, b, W),
    at=TWO,
)
refuse(
    "V19n TAINT: the same where n is private and read as it is",
    lambda X, y, b: scaled(X, y, b, W),
    node="n",
)
refuse(
    "V19o ALG: the same with the released scales unpaid: w and 1",
    lambda X, y, b: (scaled(X, y, b, half), dp.release(y @ y, analytic, halves(b)[0])),
    at=TWO,
    node="budget",
)
accept(
    "V21c SENS: columns from public minima and maxima onto [-1, 1]",
    lambda X, y, b: fit(X.between([-1, 0], [1, 2]), y, b),
)
accept(
    "V21m SENS: rows over a public norm, then clipped to 1; labels over a public number",
    lambda X, y, b: fit(X.scaled(2).clip(norm=1), y.scaled(2), b),
)
accept(
    "V21r SENS: (x, y)/|x| with labels clipped to a public bound",
    lambda X, y, b: fit(*dp.graph.divided_records(X, y, bound=2), b),
    at=RO,
)
refuse(
    "V21u SENS: (x, y)/|x| without a bound on labels",
    lambda X, y, b: (lambda Z, t: dp.release(Z.T @ t.source, analytic, b))(  # noqa: PLC3002 - a name for rows
        *dp.graph.divided_records(X, y, bound=2)
    ),
)
refuse(
    "V21x SENS: columns over released deviations without a bound in the new units",
    lambda X, y, b: (lambda Z: dp.release(Z.T @ Z, analytic, halves(b)[1]))(  # noqa: PLC3002 - a name for rows
        X.divided(
            by=dp.release(dp.graph.column_squares(X), analytic, halves(b)[0]), lower=1, upper=2
        )
    ),
)
accept(
    "V05t COMP: ridge parameter by random stopping, runs and scores at a third of epsilon",
    lambda X, y, b: dp.regressions.Tuned(
        of=dp.regressions.FunctionalRidge(), field="lam", candidates=(0, 1, 10)
    ).declare(X, y, b),
    target=PURE,
    at=BOX,
)
ROWS = CASES[START:]
del CASES[START:]  # tables of their own
MUTANTS = [case for case in ROWS if case.expected == REFUSED]
