"""Theil-Sen: depths of small tables by definition, laws of neighbours, certificates, fits."""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from scipy.stats import chisquare

import dpframe as dp
from dpframe.graph.procedures.deep_point import deep_point
from dpframe.graph.statistics import CellSums
from dpframe.numerics.blocks.elementwise import hashed
from dpframe.randomness import as_bits
from tests.support import samples

CELLS, MATCHINGS, REACH, EPSILON = 2, 2, 4, 1
VALUES = [Fraction(k, 2) for k in (-2, -1, 0, 1, 2)]
OTHERS = [(x, y) for x in (Fraction(-1), Fraction(1, 2), Fraction(1)) for y in VALUES]
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


def setting_of(relation):
    """Rows of at most 1 in size."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def node(relation, matchings=MATCHINGS):
    """A deep point of a grid of 9 points a coordinate, among lines through cells of a hash."""
    X, y = setting_of(relation).nodes()
    sums = [CellSums(dp.partition(X, y, cells=CELLS, salt=str(k))) for k in range(matchings)]
    share = dp.PureDP(EPSILON).budget
    return deep_point(sums, penalty=0, radius=2, grain="1/2", share=share)


def slopes(table):
    """Of every cell of every matching that has one, in grains: sum xy/sum xx, in fractions."""
    x, y = (np.array([float(r[i]) for r in table]) for i in (0, 1))
    found = []
    for k in range(MATCHINGS):
        places = hashed([x, y], len(x), str(k), CELLS)
        for cell in range(CELLS):
            own = [r for r, place in zip(table, places, strict=True) if place == cell]
            square = sum(r[0] ** 2 for r in own)
            if square:
                slope = sum(r[0] * r[1] for r in own) / square
                found.append(min(max(round(2 * slope), -REACH), REACH))
    return found


def depths(table):
    """Of every point of the grid, by definition."""
    z = slopes(table)
    points = range(-REACH, REACH + 1)
    return [min(sum(a <= t for a in z), sum(a >= t for a in z)) for t in points]


def loss(one, other, rate):
    """The largest |log| of the ratio of two laws of density e^(rate depth), over all points."""
    laws = []
    for own in (one, other):
        weights = np.exp(rate * np.array(own, dtype=float))
        laws.append(weights / weights.sum())
    return float(np.max(np.abs(np.log(laws[0] / laws[1]))))


def neighbours(table, relation):
    """All tables that lack a record, or have another in its place."""
    for i in range(len(table)):
        rest = table[:i] + table[i + 1 :]
        if relation is dp.ADD_REMOVE:
            yield rest
        else:
            yield from ([*rest, other] for other in OTHERS)


@relations
def test_no_neighbours_exceed_epsilon(relation):
    """The law of the output on small tables and their neighbours; the rate of one matching less is
    found out.
    """
    point, rng = node(relation), np.random.default_rng(0)
    changes = 1 if relation is dp.ADD_REMOVE else 2
    rate = EPSILON / (2 * changes * MATCHINGS)
    assert point.rate == dp.constant(Fraction(EPSILON, 2 * changes * MATCHINGS))
    largest, wrong, moved = 0.0, 0.0, 0
    for _ in range(40):
        table = [OTHERS[i] for i in rng.integers(0, len(OTHERS), 5)]
        own = depths(table)
        for other in neighbours(table, relation):
            its = depths(other)
            moved = max(moved, *(abs(a - b) for a, b in zip(own, its, strict=True)))
            largest = max(largest, loss(own, its, rate))
            wrong = max(wrong, loss(own, its, rate * MATCHINGS))
    assert moved == changes * MATCHINGS
    assert largest <= EPSILON < wrong


def test_depths_are_those_of_the_definition():
    """What is drawn from, of tables as dpframe sums them; cells without a line have no slope."""
    rng, empty = np.random.default_rng(1), 0
    for _ in range(40):
        table = [OTHERS[i] for i in rng.integers(0, len(OTHERS), 3)]
        own = released(table)
        assert sorted(own.models[:, 0].tolist()) == sorted(slopes(table))
        counted = [own.points(k) for k in range(5)]
        assert counted == [sum(one >= k for one in depths(table)) for k in range(5)]
        empty += len(own.models) < CELLS * MATCHINGS
    assert empty > 10


def released(table):
    """The depths that a declaration of this one node draws from."""
    point = node(dp.ADD_REMOVE)
    sums = {}
    for one in point.sums:
        x, y = (np.array([float(r[i]) for r in table]) for i in (0, 1))
        places = hashed([x, y], len(x), one.partition.assignment.salt, CELLS)
        cells = [places == cell for cell in range(CELLS)]
        sums[one] = np.array([[np.sum(x[c] ** 2), np.sum(x[c] * y[c])] for c in cells]).ravel()
    return point.depths(sums, Numbers)


class Numbers:
    """Formulas of numbers alone."""

    up = down = staticmethod(lambda formula: float(formula.value))


def with_node(point, target, relation):
    """Examine a declaration that releases exactly this node."""
    declared = type("Mine", (dp.Regression,), {"declare": lambda self, X, y, budget: point})
    return dp.examine(declared(), target=target, setting=setting_of(relation))


@relations
def test_each_matching_costs(relation):
    """The rate of one matching less, or more than its share, is refused."""
    point, claim = node(relation, matchings=3), dp.PureDP(EPSILON)
    assert with_node(point, claim, relation).proved
    for wrong in (Fraction(3, 2), Fraction(1001, 1000)):
        assert not with_node(attrs.evolve(point, rate=point.rate * wrong), claim, relation).proved


@relations
def test_it_fits_one_column(relation):
    """At epsilon = 1, 600 records, noise of 5%: to 1.5%; outliers of the labels hardly move it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 1))
    y = X[:, 0] / 2 + 0.05 * rng.normal(size=600)
    proof = dp.certify(
        dp.regressions.TheilSen(pairs=300), target=dp.PureDP(1), setting=setting_of(relation)
    )
    spoiled = y.copy()
    spoiled[:30] = 1
    for labels in (y, spoiled):
        found = dp.execute(proof, X, labels, rng=1).output.coefficients
        assert abs(found[0] - 0.5) < 0.015


def test_the_draw_has_its_law():
    """4,000 points of the grid against e^(rate depth)."""
    table = [OTHERS[i] for i in (0, 4, 7, 12, 13)]
    own, weights = released(table), np.exp(np.array(depths(table)) / 4)
    drawn = own.drawn(0, as_bits(np.random.default_rng(3)), 4000)[:, 0]
    counts = np.bincount(drawn + REACH, minlength=len(weights))
    assert chisquare(counts, weights / weights.sum() * 4000).pvalue > 0.01
    assert chisquare(counts, np.full(len(weights), 4000 / len(weights))).pvalue < 1e-6
