"""Records with weights of their own: no neighbour moves a statistic further than the book says.

Statistics and minimisers are computed here, in numpy. A record is replaced by another of the same
weight, or is there or not; the others have any weights.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpframe.theory.gaussian import joint, sizes_of
from dpframe.theory.personal import derive, each_record, learned
from tests.oracle.tables import ball_ridge
from tests.support import checking as check

Json = Any
B, Y, R, KNEE = 2.0, 3.0, 1.5, 0.8
FEW, MANY, MOST = 150, 500, 4_000
LOSSES: dict[str, Json] = {"squared": {}, "logistic": {}, "huber": {"knee": "4/5"}}
SUMS = ("gram", "moment", "squares", "row_sum", "label_sum", "lambda_min")
WEIGHT = ["*", "epsilon", ["^", "top", "-1"]]


def nodes() -> list[Json]:
    """A table, its records weighed by epsilon/top, sums of them, and a stack of all that move
    together; then a minimiser for each loss.
    """
    found: list[Json] = []

    def node(kind: str, *inputs: int, **keys: Json) -> int:
        found.append({"id": len(found), "kind": kind, "inputs": [*inputs], **keys})
        return len(found) - 1

    x = node("clip_norm", node("rows", name="X", columns="2"), norm="2")
    y = node("clip_column", node("column", name="y"), lower="-3", upper="3")
    budgets, top = node("budgets"), node("of_budgets", what="largest", formula="epsilon")
    assert top == TOP
    weight = node("weight", factor=WEIGHT)
    rows = node("weighted_rows", x, budgets, weight)
    labels = node("weighted_column", y, budgets, weight)
    gram, moment = node("gram", rows), node("moment", rows, labels)
    parts = [gram, moment, node("squares", labels), node("lambda_min", gram)]
    node("row_sum", rows)
    node("label_sum", labels)
    node("stack", *parts)
    own = node("record_weights", x, budgets, weight)
    for loss, keys in LOSSES.items():
        for radius in ("3/2", None)[: 1 if loss == "squared" else 2]:
            phi = node(loss, **keys)
            more = {"weight": WEIGHT, "penalty": "3/4", "tolerance": "1/1000000000"}
            node("argmin", x, y, phi, own, radius=radius, **more)
    return found


TOP = 5
SYMBOLS = {
    "epsilon": {"lower": "0", "upper": None, "closed": "neither", "integer": False, "origin": None},
    "top": {"lower": "0", "upper": None, "closed": "neither", "integer": False, "origin": TOP},
}


def facts(*, replaced: bool) -> tuple[Any, list[Any], list[Json]]:
    """A checker, the facts of all nodes, and the nodes."""
    checker, table = check.Checker(), nodes()
    checker.relation = check.REPLACE_ONE if replaced else check.ADD_REMOVE
    waiting = checker.declare(SYMBOLS)
    checker.rows = checker.ring.lift(1)
    each_record(checker, {"own": ["epsilon"]})
    for index, node in enumerate(table):
        derive(checker, node, index)
        for name in waiting.pop(index, ()):
            checker.ring.symbols[name] = learned(checker, name, checker.facts[-1])
    return checker, checker.facts, table


def at_weight(checker: Any, formula: Any, weight: float) -> float:
    """A bound for a record of this weight."""
    exact = Fraction(weight)
    box = {"epsilon": (exact, exact), "top": (Fraction(1), Fraction(1))}
    ends = check.Enclosure(checker.ring, box, 96).ends(formula)
    assert ends is not None
    return float(ends[0][1])


def statistic(kind: str, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A sum of weighed records, a matrix with the norm of Frobenius."""
    rows, labels = x * w[:, None], y * w
    gram = rows.T @ rows
    i, j = np.triu_indices(2)
    flat = gram[i, j] * np.where(i == j, 1, np.sqrt(2))
    lowest, squares = np.linalg.eigvalsh(gram)[:1], np.array([labels @ labels])
    moment = rows.T @ labels
    known = {
        "gram": flat,
        "moment": moment,
        "squares": squares,
        "lambda_min": lowest,
        "row_sum": rows.sum(axis=0),
        "label_sum": np.array([labels.sum()]),
        "stack": np.concatenate([flat, moment, squares, lowest]),
    }
    return known[kind]


def minimum(loss: str, x: np.ndarray, y: np.ndarray, w: np.ndarray, radius: float) -> np.ndarray:
    """argmin of sum w phi + 3/8 |theta|^2 on a ball: by a secular equation, or by descent with
    projections, until a step is below 1e-12.
    """
    if loss == "squared":
        return ball_ridge((x * w[:, None]).T @ x, (x * w[:, None]).T @ y, 0.75, radius)
    curve = Y**2 / 4 if loss == "logistic" else 1.0
    theta, step = np.zeros(2), 1 / (0.75 + curve * float(w @ np.sum(x**2, axis=1)))
    for _ in range(3_000):
        margin = x @ theta
        slope = np.clip(margin - y, -KNEE, KNEE)
        if loss == "logistic":
            slope = -y / (1 + np.exp(y * margin))
        new = theta - step * (x.T @ (w * slope) + 0.75 * theta)
        new *= min(1.0, radius / max(float(np.linalg.norm(new)), 1e-300))
        if np.linalg.norm(new - theta) < 1e-13:
            return new
        theta = new
    return theta


def neighbours(draw: np.random.Generator, *, replaced: bool) -> Any:
    """Two tables, the last record of the second another one, or gone; its weight."""
    n = int(draw.integers(1, 5))
    x = draw.normal(size=(n + 1, 2))
    if draw.random() < 0.5:
        x[-1], x[-2] = draw.permuted([[1.0, 0.0], draw.choice([-1, 0, 1.0], 2)], axis=0)
    lengths = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)
    x *= B * draw.choice([1, 1, 1, 0.4], (n + 1, 1)) / lengths
    y = Y * draw.choice([-1.0, 1.0, 0.2], n + 1)
    w = np.append(draw.choice([1.0, 0.3, 0.01], n), 0.0)
    w[-1] = w[-2]
    keep = np.arange(n)
    other = np.append(keep[:-1], n) if replaced else keep[:-1]
    return (x[keep], y[keep], w[keep]), (x[other], y[other], w[other]), float(w[-1])


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(
    "tries",
    [
        FEW,
        pytest.param(MANY, marks=pytest.mark.slow),
        pytest.param(MOST, marks=pytest.mark.exhaustive),
    ],
)
def test_sums_and_minima_of_weighed_records_stay_inside(*, replaced: bool, tries: int) -> None:
    """Each in L2 norm; sums and the stack come near their bounds, minima to a tenth of theirs."""
    checker, found, table = facts(replaced=replaced)
    draw, reached = np.random.default_rng(4), dict.fromkeys(range(len(table)), 0.0)
    asked = [i for i, node in enumerate(table) if node["kind"] in (*SUMS, "stack", "argmin")]
    for _ in range(tries):
        one, other, weight = neighbours(draw, replaced=replaced)
        for i in asked:
            node = table[i]
            if node["kind"] == "argmin":
                loss = table[node["inputs"][2]]["kind"]
                radius = np.inf if node["radius"] is None else R
                moved = minimum(loss, *one, radius) - minimum(loss, *other, radius)
            else:
                moved = statistic(node["kind"], *one) - statistic(node["kind"], *other)
            bound = at_weight(checker, found[i].l2, weight)
            share = float(np.linalg.norm(moved)) / bound
            assert share <= 1 + 1e-9, (node, weight)
            reached[i] = max(reached[i], share)
    for i in asked:
        assert reached[i] > (0.1 if table[i]["kind"] == "argmin" else 0.7), (table[i], reached[i])


def test_the_joint_move_of_weighed_records_bounds_every_pair() -> None:
    """Noise of any sizes on X'X, X'y, y'y and the eigenvalue, of records replaced."""
    checker, found, table = facts(replaced=True)
    kinds = ("gram", "moment", "squares", "lambda_min")
    parts = [next(i for i, n in enumerate(table) if n["kind"] == kind) for kind in kinds]
    stated = sizes_of(checker, [found[i] for i in parts])
    assert [part for part, _ in stated] == ["gram", "moment", "squares", "floor"]
    draw, most = np.random.default_rng(6), 0.0
    for _ in range(3 * FEW):
        one, other, weight = neighbours(draw, replaced=True)
        stds = draw.exponential(size=4) + 0.05
        moves = [statistic(k, *one) - statistic(k, *other) for k in kinds]
        spent = sum(float(np.sum(m**2)) / s**2 for m, s in zip(moves, stds, strict=True))
        squares = [
            (part, (at_weight(checker, size, weight) / s) ** 2)
            for (part, size), s in zip(stated, stds, strict=True)
        ]
        sums = {p: sum(m for own, m in squares if own == p) for p in check.PARTS}
        bound = max(joint(sums, max))
        assert spent <= bound * (1 + 1e-9)
        most = max(most, spent / bound)
    assert most > 0.9


@pytest.mark.parametrize(("loss", "replaced"), [*itertools.product(LOSSES, (False, True))])
def test_a_tenth_of_the_weight_would_be_found_out(loss: str, *, replaced: bool) -> None:
    """The negative control: a record that weighs ten times as much as it says moves too far."""
    checker, found, table = facts(replaced=replaced)
    i = next(
        k
        for k, node in enumerate(table)
        if node["kind"] == "argmin" and table[node["inputs"][2]]["kind"] == loss
    )
    x, y, w = np.array([[B, 0.0]]), np.array([Y]), np.array([0.1])
    moved = minimum(loss, x, y, w, R) - minimum(loss, x, -y if replaced else y, w * replaced, R)
    assert np.linalg.norm(moved) > at_weight(checker, found[i].l2, 0.01)
