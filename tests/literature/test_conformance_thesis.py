"""Eqs 3.3 to 3.8 of the fixed-noise thesis, written again in plain numpy, against their maps: the
same rows and labels, and the same laws of coefficients by two-sample Kolmogorov-Smirnov tests.

No run computes raw means, deviations and maxima: the tests take each map of a declared graph with
those of numpy, and simulate adaSSP on what the maps give.
"""

from functools import cache, partial

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.base import OfOne, OfRecord
from dpframe.graph.statistics import Gram, Moment, RawAggregate
from dpframe.literature.thesis_published import put_back
from dpframe.prover.certify import NOT_PRIVATE, unproved
from dpframe.symbols import Number, Product, Sum
from tests.literature import laws
from tests.literature.laws import CLAIM, DELTA, EPSILON, FAR, LEVEL, RHO, again

RNG = np.random.default_rng(5)
X = np.exp(RNG.normal(size=(400, 2))) * [1, 5] + [0, 3]  # skewed: clips at the upper side matter
y = X @ [1, 0.2] + RNG.normal(size=400)
AGGREGATES = {
    "mean": lambda rows: rows.mean(axis=0),
    "std": lambda rows: rows.std(axis=0),
    "max_norm": lambda rows: np.linalg.norm(rows, axis=1).max(),
    "max_abs": lambda labels: np.abs(labels).max(),
}
WIDE = dp.Setting(X=dp.Rows(norm=1e4), y=dp.Column(bound=1e4), relation=dp.ADD_REMOVE)


# --------------------------------------------------------------------------- what is declared
def number(values, formula):
    """A formula of raw numbers, as numpy has it."""
    if isinstance(formula, Number):
        return float(formula)
    if isinstance(formula, Sum):
        return sum(number(values, part) for part in formula.parts)
    if isinstance(formula, Product):
        return np.prod([number(values, part) * np.ones(2) for part in formula.parts], axis=0)
    return values[formula.origin]


@cache
def mapped(declaration):
    """Rows and labels as the maps of its graph give them, and what its last step reads besides the
    fit.
    """
    run = unproved(declaration, target=CLAIM, setting=WIDE, label=NOT_PRIVATE)
    values = {}
    for node in run.graph.nodes:
        if isinstance(node, RawAggregate):
            values[node] = AGGREGATES[node.name](values[node.data])
        elif isinstance(node, OfRecord):
            values[node] = node.records(values, partial(number, values))
        elif isinstance(node, OfOne):
            values[node] = node.apply(values[node.inputs[0]], partial(number, values))
        elif not node.inputs:
            values[node] = y if node.label == "y" else X
        elif isinstance(node, Gram):
            rows = values[node.inputs[0].inputs[0]]  # before they are put onto a grid
        elif isinstance(node, Moment):
            labels = values[node.inputs[1].inputs[0]]
    last = run.graph.nodes[-1]
    assert len(values) > 10
    return rows, labels, [values[one] for one in last.inputs if one in values]


@cache
def simulated(declaration):
    """Its coefficients, (DRAWS, d)."""
    rows, labels, raw = mapped(declaration)
    found = laws.simulations(
        dp.literature.AdaSSPThesis(), (rows, labels), relation=dp.ADD_REMOVE, target=CLAIM
    )
    fits = [put_back(one.output, *raw) if raw else one.output for one in found]
    return np.array([fit.coefficients for fit in fits])


# ------------------------------------------------------------------------------- the thesis
def standardised(rows):
    """(x - m)/sd by column. [Eq. 3.3]"""
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def row_norms(*, divided=True):
    """[Eq. 3.4] Rows over their norms; labels over the largest, over these norms, and over the
    largest of what results.
    """
    rows = standardised(X)
    norms = np.linalg.norm(rows, axis=1)
    labels = y / np.abs(y).max()
    if divided:
        labels = labels / norms / np.abs(labels / norms).max()
    return rows / norms[:, None], labels, lambda theta: theta


def clipped(*, width=1.5, lower=False):
    """[Eqs. 3.8, 3.7] min(x, m + c sd); rows over the largest norm; coefficients put back, the
    intercept last.
    """
    upper = X.mean(axis=0) + width * X.std(axis=0)
    kept = np.minimum(X, upper)
    if lower:
        kept = np.maximum(kept, X.mean(axis=0) - 0.5 * X.std(axis=0))
    rows = standardised(kept)
    largest, label = np.linalg.norm(rows, axis=1).max(), np.abs(y).max()

    def back(theta):
        slopes = label * theta / (largest * kept.std(axis=0))
        return np.append(slopes, -slopes @ kept.mean(axis=0))

    return rows / largest, y / label, back


def fixed_noise(rows, labels, back):
    """Algorithm 3 on what was prepared."""
    gram, moment, d = rows.T @ rows, rows.T @ labels, 2
    tail = np.sqrt(2 * np.log(3.75 / DELTA))
    std = tail / (EPSILON / 3)

    def fit(rng):
        least = max(np.linalg.eigvalsh(gram)[0] + std * rng.normal() - tail * std, 0)
        ridge = max(0, np.sqrt(2 * np.log(2 * d**2 / RHO)) * std - least)
        Z = np.triu(rng.normal(size=(d, d)))
        mirrored = Z + np.triu(Z, 1).T
        theta = np.linalg.solve(
            gram + std * mirrored + ridge * np.eye(d), moment + std * rng.normal(size=d)
        )
        return back(theta)

    return fit


CASES = {
    "3.3": (
        dp.literature.ThesisStandardised(),
        partial(row_norms, divided=False),
        {"divided": True},
    ),
    "3.4": (dp.literature.ThesisRowNorm(), row_norms, {"divided": False}),
    "3.5, 3.7": (dp.literature.ThesisMaxNorm(), partial(clipped, width=np.inf), {"width": 1.5}),
    "3.8": (dp.literature.ThesisClipped(), clipped, {"width": 1.0}),
    "3.8, one side": (dp.literature.ThesisClipped(), clipped, {"lower": True}),
}


def agreement(one, other):
    """The least p-value over the coefficients."""
    return laws.least((one[:, j], other[:, j]) for j in range(one.shape[1]))


@pytest.mark.parametrize("name", CASES)
def test_maps_give_the_rows_and_labels_of_the_thesis(name):
    """And not those of the other reading."""
    declaration, prepare, other = CASES[name]
    rows, labels, _ = mapped(declaration)
    theirs, wanted, _ = prepare()
    assert rows == pytest.approx(theirs, abs=1e-9)
    assert labels == pytest.approx(wanted, abs=1e-9)
    wrong = prepare(**other)
    assert max(np.abs(rows - wrong[0]).max(), np.abs(labels - wrong[1]).max()) > 0.01


@pytest.mark.parametrize("name", ["3.3", "3.4", "3.5, 3.7", "3.8"])
def test_coefficients_have_the_law_of_the_thesis(name):
    """And not that of the other reading."""
    declaration, prepare, other = CASES[name]
    found = simulated(declaration)
    assert agreement(found, again(fixed_noise(*prepare()))) > LEVEL
    assert agreement(found, again(fixed_noise(*prepare(**other)))) < FAR
