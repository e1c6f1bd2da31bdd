"""The bound on a sum of clipped gradients: what an audit says would have to hold, and why."""

from __future__ import annotations

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.residuals import Gradient
from dpframe.graph.post import Iterate
from dpframe.graph.procedure import Squared
from tests.audits.test_advice_followed import CASES, file, release
from tests.support.html_pages import described

CLIP = 0.5
CONDITION = {
    "add-remove": "one record's gradient reaches the bound",
    "replace-one": "two records' gradients are opposite and reach the bound",
}


@pytest.mark.parametrize("relation", CONDITION)
def test_the_audit_says_what_would_attain_the_bound(relation):
    """In the terminal and in JSON; a sum over the table itself has no condition."""
    step = release("gradient(X, y, 1)", "gaussian", 'std = "8"', "times = 3")
    moment = release("X'y", "gaussian", 'std = "8"')
    done = described(file("{rho = 1}", step, moment, relation=relation))
    said = " ".join(done.text(details=True).split())
    condition = f"at every point where gradients are computed, {CONDITION[relation]}"
    assert f"The sensitivity of r0 is attained if, {condition}." in said
    assert [line.record()["attained_if"] for line in done.lines] == [condition, ""]
    assert "is attained if" not in str(described(CASES["gaussian"]))


SETTING = dp.Setting(X=dp.Rows(norm=1, d=3), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
X, Y = SETTING.nodes()
POINT = Iterate(X.columns, "theta")
GRADIENTS = Gradient(X, Y, POINT, Squared())


def clipped(theta, rows, labels):
    """The clipped gradients of records at a point, shape (n, 3)."""
    found = GRADIENTS.records({X: rows, Y: labels, POINT: theta}, float)
    return found * np.minimum(1, CLIP / np.maximum(np.linalg.norm(found, axis=1), 1e-300))[:, None]


def test_the_condition_is_enough_and_no_fixed_record_meets_it_at_every_point():
    """By records of largest norm at random points; each has a point where it moves nothing."""
    rng = np.random.default_rng(5)
    enough = 0
    for _ in range(500):
        theta, row, label = rng.normal(size=3), rng.normal(size=3), rng.choice([-1.0, 1.0])
        row /= np.linalg.norm(row)
        rows, labels = np.array([row, -row]), np.array([label, label])
        if (label - row @ theta) ** 2 >= CLIP**2:
            one, *_ = clipped(theta, rows, labels)
            assert np.linalg.norm(one) == pytest.approx(CLIP)
            opposite = 2 * row @ theta - label  # on the other side of what is fitted
            _, other = clipped(theta, np.array([row, row]), np.array([label, opposite]))
            assert np.linalg.norm(one - other) == pytest.approx(2 * CLIP)
            enough += 1
        assert clipped(label * row, rows[:1], labels[:1]) == pytest.approx(0, abs=1e-12)
    assert enough > 100
