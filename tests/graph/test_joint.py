"""How far statistics move together: the formula against brute force over one pair."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Joint
from dpframe.symbols import Number
from tests.support.oracles import value
from tests.support.samples import RELATIONS, setting

KINDS = {
    "gram": lambda X, y: X.T @ X,
    "moment": lambda X, y: X.T @ y,
    "floor": lambda X, y: dp.lambda_min(X.T @ X),
    "squares": lambda X, y: y @ y,
}
SETS = [names for k in (1, 2, 3, 4) for names in itertools.combinations(KINDS, k)]
ANGLES, RADII = np.cos(np.linspace(0, np.pi, 181)), np.linspace(0, 1, 21)
LABELS = np.linspace(-1, 1, 9)


def brute(m, relation):
    """The largest sum of m_i (shift_i/size_i)^2 over pairs with |x| <= 1, |y| <= 1, for d >= 2."""
    if relation is dp.ADD_REMOVE:
        return sum(m.values())
    c, r, t, w = np.meshgrid(ANGLES, RADII, LABELS, LABELS, indexing="ij")
    gram = 1 + r**4 - 2 * (r * c) ** 2
    moment = t**2 + (w * r) ** 2 - 2 * t * w * r * c
    # largest eigenvalue of xx' - zz' (trace 1 - r^2, determinant -r^2 (1 - c^2))
    gap = 1 - r**2
    floor = ((gap + np.sqrt(gap**2 + 4 * r**2 * (1 - c**2))) / 2) ** 2
    squares = (t**2 - w**2) ** 2
    shifts = {"gram": gram, "moment": moment, "floor": floor, "squares": squares}
    return float(np.max(sum(m[name] * shifts[name] for name in m)))


def formula(names, m, relation):
    """The joint total at the m_i, and its lower bound."""
    X, y = setting(relation, norm=1, bound=1).nodes()
    joint = Joint.of([KINDS[name](X, y) for name in names], relation)
    moves = [Number(Fraction(m[name])) for name in names]
    return float(value(joint.total(moves), {})), float(value(joint.attained(moves), {}))


@pytest.mark.parametrize("names", SETS, ids=" ".join)
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_the_total_is_an_upper_bound_and_attained_a_lower_one(names, relation):
    """attained <= brute force <= total, at 8 random weights; equal where it is exact."""
    rng = np.random.default_rng(len(names))
    for _ in range(8):
        m = {name: Fraction(int(rng.integers(1, 40)), 8) for name in names}
        upper, lower = formula(names, m, relation)
        found = brute({name: float(v) for name, v in m.items()}, relation)
        assert found <= upper * (1 + 1e-9)
        assert lower <= found * (1 + 2e-3)  # a grid misses the best angle by a little
        amount = 2 * m.get("gram", 0) + m.get("floor", 0)
        moment, squares = m.get("moment", 0), m.get("squares", 0)
        if relation is dp.ADD_REMOVE or not (moment > amount and squares > 2 * moment):
            assert found >= upper * (1 - 2e-3)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_the_total_is_increasing_and_of_degree_one(relation):
    """Larger moves never cost less; moves twice as large cost twice."""
    rng = np.random.default_rng(5)
    names = tuple(KINDS)
    for _ in range(20):
        m = {name: Fraction(int(rng.integers(1, 40)), 8) for name in names}
        base = formula(names, m, relation)[0]
        double = formula(names, {name: 2 * v for name, v in m.items()}, relation)[0]
        assert double == pytest.approx(2 * base)
        for name in names:
            more = {**m, name: m[name] + Fraction(1, 3)}
            assert formula(names, more, relation)[0] >= base * (1 - 1e-12)


def test_equal_moves_under_replace_one():
    """Two releases 4.5, three 16/3: the published suprema."""
    for names, total in ((("gram", "moment"), 4.5), (("gram", "moment", "floor"), 16 / 3)):
        m = dict.fromkeys(names, Fraction(1))
        assert formula(names, m, dp.REPLACE_ONE)[0] == pytest.approx(total)


def test_statistics_of_other_rows_count_apart():
    """X'X of other rows is not part of the family: its own square is added."""
    X, y = setting(dp.REPLACE_ONE, norm=1, bound=1).nodes()
    other = X.scaled(2)
    joint = Joint.of([X.T @ X, X.T @ y, other.T @ other], dp.REPLACE_ONE)
    one = Number(Fraction(1))
    assert value(joint.total([one, one, one]), {}) == 5.5


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("weights", [None, [1, 2, 3], ["1/7", 5, "0.1"]])
def test_jointly_spends_exactly_the_budget(relation, weights):
    """The joint mu^2 of the mechanisms that dp.jointly makes is the budget's mu^2."""
    X, y = setting(relation, rows_per_person=2).nodes()
    statistics = [dp.lambda_min(X.T @ X), X.T @ X, X.T @ y]
    mechanisms = dp.jointly(dp.GaussianDP(3).budget, statistics, weights)
    joint = Joint.of(statistics, relation)
    moves = [
        (2 * size / mechanism.std) ** 2
        for size, mechanism in zip(joint.sizes, mechanisms, strict=True)
    ]
    assert abs(value(joint.total(moves), {}) - 9) < 1e-12
