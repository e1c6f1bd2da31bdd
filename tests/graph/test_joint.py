"""How far statistics and coefficients of a loss move, exactly, by search over pairs of records."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Joint
from dpframe.graph.statistics import Monomials, SufficientStatistics
from dpframe.graph.statistics.combined import columns_of, factors
from dpframe.sensitivity import L1
from dpframe.symbols import Number
from tests.support.oracles import value
from tests.support.samples import RELATIONS, setting
from tests.support.tables import run

# ----------------------------------------------------------------- How far statistics move together
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


# --------------- Exact L1 sensitivities of the loss's coefficients and of the sufficient statistics
# Oracles: the norms by their definition, maximised by search over pairs of records, d = 1..4.

AR, RO = dp.ADD_REMOVE, dp.REPLACE_ONE
MAKE = {"monomials": dp.graph.monomials, "statistics": dp.graph.sufficient_statistics}
CASES = list(itertools.product(MAKE, (True, False), (AR, RO)))
each = pytest.mark.parametrize(("what", "constant", "relation"), CASES, ids=str)


def declared(what, constant, relation, rows=None, **more):
    """The statistic of a box of side 1, labels in [-1, 1]."""
    setting = dp.Setting(X=rows or dp.Rows(box=1), y=dp.Column(bound=1), relation=relation, **more)
    return MAKE[what](*setting.nodes(), constant=constant)


def stated(statistic, d, norm=L1, **more):
    """Its sensitivity at d columns."""
    return float(value(statistic.sensitivity(norm).value, {"d": d, **more}))


def coefficients(what, constant, records):
    """By definition, for many records (x, y) at once, shape (m, d + 1)."""
    times = 2 if what == "monomials" else 1
    x, y = records[:, :-1], records[:, -1:]
    d = x.shape[1]
    pairs = [(j, k) for j in range(d) for k in range(j, d)]
    upper = [x[:, [j]] * x[:, [k]] * (1 if j == k else times) for j, k in pairs]
    return np.hstack([*upper, -times * x * y, *([y * y] if constant else [])])


def largest(what, constant, relation, d, side=1.0):
    """The largest L1 move between neighbours: 150 pairs climb by steps that get smaller."""
    rng = np.random.default_rng(d)
    sides = np.array([side] * d + [1.0])

    def moves(pairs):
        first, other = (coefficients(what, constant, part) for part in np.split(pairs, 2, axis=1))
        return np.abs(first - (other if relation is RO else 0)).sum(axis=1)

    ends = np.concatenate([sides, sides])
    pairs = rng.uniform(-1.5, 1.5, size=(150, 2 * d + 2)).clip(-1, 1) * ends
    for step in np.geomspace(2, 1e-4, 800):
        moved = rng.normal(size=pairs.shape) * (rng.random(pairs.shape) < 0.25)
        near = (pairs + step * ends * moved).clip(-ends, ends)
        better = moves(near) > moves(pairs)
        pairs[better] = near[better]
    return moves(pairs).max()


@each
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_search_finds_the_bound_and_nothing_beyond(what, constant, relation, d):
    """The search ends at the stated value, to 1e-5, and never above."""
    bound = stated(declared(what, constant, relation), d)
    found = largest(what, constant, relation, d)
    assert found <= bound * (1 + 1e-12)
    assert found >= bound * (1 - 1e-5)


@each
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_pair_that_attains_it_does(what, constant, relation, d):
    """The pair of the proof pages moves the machine's own value by the sensitivity: a record with
    every entry and label at its bound, added, or in place of one of opposite entries.
    """
    statistic = declared(what, constant, relation)
    corner, other = (np.ones((1, d)), np.ones(1)), (np.zeros((0, d)), np.zeros(0))
    if relation is RO:
        opposite = -1 / (d if isinstance(statistic, Monomials) else d + 1)
        entry, label = (0, 0) if constant else (opposite, 1)
        other = (np.full((1, d), entry), np.array([label]))
    base = (np.full((2, d), -0.5), np.array([0.25, 1.0]))
    moved = np.abs(run(statistic, base, corner) - run(statistic, base, other)).sum()
    assert moved == pytest.approx(stated(statistic, d), rel=1e-5)
    assert moved <= stated(statistic, d) * (1 + 1e-12)


@each
def test_of_a_ball_it_is_what_its_norms_allow(what, constant, relation):
    """With |x|_1 <= sqrt(d): exact under add/remove, twice that under replace-one."""
    statistic, n1 = declared(what, constant, relation, dp.Rows(norm=1)), 3**0.5
    added = (n1 + 1) ** 2 if what == "monomials" else (n1**2 + 1) / 2 + n1 + 1
    added -= 0 if constant else 1
    assert stated(statistic, 3) == pytest.approx(added * (2 if relation is RO else 1))
    assert statistic.sensitivity(L1).attained is (relation is AR)


@each
def test_units_do_not_matter(what, constant, relation):
    """Any side of the box, any bound of the labels: the same sensitivity, the same value."""
    setting = dp.Setting(
        X=dp.Rows(box=dp.parameter("B")), y=dp.Column(bound=dp.parameter("Y")), relation=relation
    )
    own = declared(what, constant, relation)
    assert MAKE[what](*setting.nodes(), constant=constant).sensitivity(L1) == own.sensitivity(L1)
    wide = MAKE[what](
        *dp.Setting(X=dp.Rows(box=4), y=dp.Column(bound=8), relation=relation).nodes(),
        constant=constant,
    )
    X, y = np.array([[0.5, -0.25], [1.0, 0.125]]), np.array([0.75, -0.5])
    assert (run(wide, (4 * X, 8 * y)) == run(own, (X, y))).all()


@pytest.mark.parametrize("grid", [4, 20, 24, None])
@pytest.mark.parametrize("facts", [{"box": 1}, {"norm": 2}, {"box": "1/3", "intercept": True}])
def test_values_are_whole_steps(grid, facts):
    """Exact, whatever grid the setting asks for; a block of corners is not too large."""
    setting = dp.Setting(X=dp.Rows(**facts), y=dp.Column(bound=1), relation=AR, grid=grid)
    for make, constant in itertools.product(MAKE.values(), (True, False)):
        statistic = make(*setting.nodes(), constant=constant)
        assert statistic.exact
        rows = np.full((9000, 2), 10.0)
        found = run(statistic, (rows, np.full(9000, -10.0)))
        steps = found / float(statistic.step.value)
        assert (steps == np.round(steps)).all()


def test_the_layout():
    """d is read off the number of entries; every factor stands at its place."""
    for d in range(1, 30):
        entries = d * (d + 3) // 2
        assert columns_of(entries) == columns_of(entries + 1) == d
        assert len(factors(entries + 1, constant=True)) == entries + 1
    assert factors(6, constant=True).tolist() == [1, 2, 1, -2, -2, 1]


def test_what_bounds_nothing_has_no_sensitivity():
    """Raw rows or labels: no rule, in any norm; a certificate is refused."""
    X, y = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=AR).nodes()
    for statistic in (SufficientStatistics(X.origin, y), SufficientStatistics(X, y.source)):
        assert statistic.sensitivity(L1) is None
        assert Monomials(statistic).sensitivity(L1) is None
        assert not statistic.exact


def test_monomials_are_of_sufficient_statistics():
    """Anything else is refused by name."""
    X, y = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=AR).nodes()
    with pytest.raises(dp.InvalidArgument, match="sufficient statistics"):
        Monomials(X.T @ y)
