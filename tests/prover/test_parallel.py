"""Parallel composition: what cells of a public partition cost together, and when they do not."""

from __future__ import annotations

import copy
import itertools
import random
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import Uncertified
from dpframe.graph.known import known
from dpframe.graph.partition import Hashed, Partition
from dpframe.graph.statistics import Count, Histogram
from dpframe.prover.parallel import cell_of
from tests.support import checking as check
from tests.support import samples

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
HALF, EPSILON = dp.constant(1) / 2, dp.parameter("e", 0, 1)
MOVES = {dp.ADD_REMOVE: 1, dp.REPLACE_ONE: 2}


class Plan(dp.Regression):
    """Laplace or Gaussian releases: `parts` are (partition, cell, weight); None: of the table."""

    parts: ClassVar[tuple] = ()
    noise: ClassVar[object] = dp.Laplace.pure
    ask: ClassVar[object] = staticmethod(lambda X, y: X.T @ y)

    def declare(self, X, y, budget):
        partitions = [dp.partition(X, y, cells=6), dp.graph.partition_at(X, y, [-1, 0, 1, 2, 3])]
        releases = []
        for which, cell, weight in type(self).parts:
            rows = (X, y) if which is None else partitions[which].cell(cell)
            (share,) = budget.split(weight)
            releases.append(dp.release(type(self).ask(*rows), type(self).noise, share))
        return tuple(releases)


def plan(parts, noise=dp.Laplace.pure, ask=Plan.ask):
    """A declaration of these parts."""
    kind = type("Made", (Plan,), {"parts": parts, "noise": noise, "ask": staticmethod(ask)})
    return kind()


def proved(regression, relation=dp.ADD_REMOVE, target=TARGET, rows=1, **more):
    """The certificate, None where there is none; the checker agrees."""
    setting = samples.setting(relation, rows_per_person=rows)
    try:
        found = dp.certify(regression, target=target, setting=setting, **more)
    except Uncertified:
        return None
    document = check.file_of(found)
    assert check.check(document).accepted, check.check(document)
    return found


def cost(parts, changed):
    """By hand: of every partition the largest sums of so many cells."""
    total = sum((w for which, _, w in parts if which is None), Fraction(0))
    for which in (0, 1):
        cells = {}
        for own, cell, weight in parts:
            if own == which:
                cells[cell] = cells.get(cell, Fraction(0)) + weight
        total += sum(sorted(cells.values())[-changed:], Fraction(0))
    return total


@relations
@pytest.mark.parametrize("noise", [dp.Laplace.pure, dp.Gaussian.analytic], ids=str)
def test_random_plans_cost_what_the_rule_says(relation, noise):
    """40 plans that cost 1 exactly are proved; with any weight raised that matters, none is."""
    draw = random.Random(0)
    for _ in range(20):
        rows, count = draw.choice([1, 1, 2]), draw.randint(1, 9)
        parts = [
            (draw.choice([None, 0, 0, 1]), draw.randrange(6), Fraction(draw.randint(1, 9)))
            for _ in range(count)
        ]
        changed = rows * MOVES[relation]
        whole = cost(parts, changed)
        scaled = [(which, cell, w / whole) for which, cell, w in parts]
        assert proved(plan(scaled, noise), relation, rows=rows) is not None
        i = draw.randrange(count)
        raised = [(p, c, w + Fraction(1, 999) * (k == i)) for k, (p, c, w) in enumerate(scaled)]
        enough = cost(raised, changed) <= 1
        assert (proved(plan(raised, noise), relation, rows=rows) is not None) == enough


def test_symbolic_shares_are_added_for_all_values():
    """w and 1 - w in two cells, each at most the whole: the largest is at most 1 for every w."""
    w = dp.parameter("w", 0, 1)
    apart = [(0, 0, w), (0, 1, 1 - w), (0, 2, Fraction(1, 2))]
    assert proved(plan(apart)) is not None
    assert proved(plan([*apart, (0, 0, 1 - w)])) is not None  # w + 1 - w in one cell
    assert proved(plan([*apart, (0, 0, Fraction(1, 2))])) is None  # w + 1/2
    assert proved(plan([(0, 0, w), (0, 1, 1 - w)]), dp.REPLACE_ONE) is not None
    assert proved(plan(apart), dp.REPLACE_ONE) is None  # w + 1/2


def test_the_largest_cell_counts_not_the_mean():
    """Different cells attain the largest epsilon and the largest delta."""

    class Crossed(dp.Regression):
        """Two Gaussians."""

        def declare(self, X, y, budget):
            cells = dp.partition(X, y, cells=2)
            weights = [(dp.constant(1), HALF), (HALF, dp.constant(1))]
            shares = [attrs.evolve(budget, weights=own) for own in weights]
            return tuple(
                dp.release(dp.total(cells.cell(j)[1]), dp.Gaussian.analytic, shares[j])
                for j in range(2)
            )

    target = dp.ApproxDP(1, "1e-6")
    assert proved(Crossed(), target=target) is not None
    assert proved(Crossed(), target=dp.ApproxDP(EPSILON, "1e-6")) is not None
    assert proved(Crossed(), dp.REPLACE_ONE, target) is None


def reads(make):
    """The cell that a statistic of a cell's rows and labels is decided by."""
    X, y = samples.setting().nodes()
    cells = dp.partition(X, y, cells=3)
    return cell_of(make(*cells.cell(1), X, y, cells))


STAYS = {
    "X'X": lambda X, y, *_: X.T @ X,
    "clipped": lambda X, y, *_: X.clip(norm=1).T @ y.clip(-1, 1),
    "boxed": lambda X, y, *_: dp.graph.sufficient_statistics(X.boxed(1).scaled(2), y),
    "monomials": lambda X, y, *_: dp.graph.monomials(X, y),
    "stack": lambda X, y, *_: dp.graph.stack(X.T @ X, X.T @ y, y @ y, dp.lambda_min(X.T @ X)),
    "linear": lambda X, y, *_: 2 * (X.T @ y) - dp.total(X),
    "trace": lambda X, y, *_: dp.trace(X.T @ X),
    "count": lambda X, *_: dp.count(X),
}
LEAVES = {
    "all rows": lambda X, y, W, *_: W.T @ y,
    "all labels": lambda X, y, W, z, _: X.T @ z,
    "number of rows": lambda X, *_: Count(X),
    "zeros get norm 1": lambda X, *_: X.normalized().T @ X.normalized(),
    "zeros get an intercept": lambda X, y, *_: X.with_intercept().T @ X.with_intercept(),
    "zeros become 1": lambda X, y, *_: X.T @ y.clip(1, 2),
    "zeros are counted": lambda X, y, *_: Histogram(X, y, 2),
    "another cell": lambda X, y, W, z, cells: X.T @ cells.cell(0)[1],
    "two cells": lambda X, y, W, z, cells: dp.graph.stack(X.T @ y, cells.count(0)),
    "another partition": lambda X, y, W, z, cells: X.T @ dp.partition(W, z, cells=2).cell(1)[1],
    "raw": lambda X, *_: dp.graph.aggregate("mean", X),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_zeros_add_nothing_to_stays_in_its_cell(name):
    """One cell decides it."""
    place = reads(STAYS[name])
    assert place is not None
    assert place[1] == 1


@pytest.mark.parametrize("name", LEAVES)
def test_what_reads_more_than_a_cell_is_charged_with_all(name):
    """A record outside moves it, so it belongs to no cell."""
    assert reads(LEAVES[name]) is None


def test_a_partition_that_reads_a_released_number_is_no_fixed_one():
    """Which records are in a cell then depends on what is released."""
    X, y = samples.setting().nodes()
    first = dp.release(dp.total(y), dp.Laplace(scale=1))
    bound = known(first, 1, 2, name="bound")
    moving = dp.partition(X.clip(norm=bound), y, cells=2)
    assert cell_of(moving.cell(0)[0].T @ moving.cell(0)[0]) is None
    assert cell_of(moving.count(0)) is None
    rows, _ = dp.partition(X, y, cells=2).cell(0)
    late = rows.clip(norm=bound)  # records are in cells before that
    assert cell_of(late.T @ late) is not None


@relations
def test_cells_of_cells_are_a_partition_too(relation):
    """Nested partitions are charged one by one; cells of the inner one are alternatives."""

    class Nested(dp.Regression):
        """Cells of a cell, and another cell."""

        def declare(self, X, y, budget):
            outer = dp.partition(X, y, cells=2)
            inner = dp.partition(*outer.cell(0), cells=4, salt="inner")
            shares = budget.split(Fraction(1, 2), Fraction(1, 2))
            some = [dp.release(inner.count(j), dp.Laplace.pure, shares[0]) for j in range(TAKEN)]
            return (*some, dp.release(outer.count(1), dp.Laplace.pure, shares[1]))

    globals()["TAKEN"] = 4
    assert (proved(Nested(), relation) is None) == (relation is dp.REPLACE_ONE)
    globals()["TAKEN"] = 1
    assert proved(Nested(), relation) is not None


TAKEN = 4


def gaussians(std, number=5):
    """X'X and X'y of every cell at this std."""
    both = lambda X, y: dp.graph.stack(X.T @ X, X.T @ y)  # noqa: E731
    return plan([(0, j, 1) for j in range(number)], dp.Gaussian(std=std), both)


@pytest.mark.parametrize("accountant", ["gaussian", "zcdp"])
@relations
def test_squared_mu_and_rho_are_of_the_cells_that_change(accountant, relation):
    """mu^2 is that of one cell, of two where replaced: five cells cost no more."""
    setting = samples.setting(relation)
    X, y = setting.nodes()
    moved = dp.graph.stack(X.T @ X, X.T @ y).sensitivity(dp.sensitivity.L2).value
    target = dp.ZeroConcentratedDP(Fraction(MOVES[relation], 2))
    least = moved * (1 + Fraction(1, 10**6))
    for number in (2, 5):
        assert proved(gaussians(least, number), relation, target, accountant=accountant)
    assert not proved(gaussians(moved * Fraction(99, 100)), relation, target, accountant=accountant)


def test_a_thousand_cells_are_one_choice():
    """Cells that are charged alike stand for each other; cells of many prices are still proved."""

    class Counts(dp.Regression):
        """The size of every cell."""

        def declare(self, X, y, budget):
            cells = dp.partition(X, y, cells=1000)
            return tuple(
                dp.release(cells.count(j), dp.Laplace.pure, budget) for j in range(0, 1000, 5)
            )

    assert proved(Counts()) is not None
    assert proved(Counts(), dp.REPLACE_ONE) is None


def test_the_certificate_says_why():
    """The rule, its source and its proof."""
    text = str(proved(plan([(0, 0, 1), (0, 1, 1)])))
    assert "at most one cell of each public partition change" in text
    assert "McSherry09" in text
    assert "proofs/partition" in text
    assert "partition" not in str(proved(plan([(None, 0, 1)])))
    setting = samples.setting(dp.REPLACE_ONE)
    with pytest.raises(Uncertified, match="at most 2 cells"):
        dp.certify(plan([(0, 0, 1), (0, 1, 1)]), target=TARGET, setting=setting)


def mutated(document, change):
    """The document after a change of its nodes, its hash made right."""
    document = copy.deepcopy(document)
    change(document)
    return check.sealed(document)


def of_kind(document, *kinds):
    """Its nodes of these kinds."""
    return [node for node in document["graph"]["nodes"] if node["kind"] in kinds]


def test_the_checker_refuses_files_that_bend_the_cells():
    """One cell asked twice, another salt, cells out of range, the other relation: all refused."""
    found = proved(plan([(0, 0, 1), (0, 1, 1), (0, 2, 1)]))
    document = check.file_of(found)
    assert check.check(mutated(document, lambda d: None)).accepted
    for name, change in BENT.items():
        assert not check.check(mutated(document, change)).accepted, name


def in_cells(change):
    """A change of every map onto a cell."""

    def bend(document):
        for node in of_kind(document, "cell_rows", "cell_column"):
            change(node, node["partition"])

    return bend


BENT = {
    "one cell": in_cells(lambda node, _: node.update(cell=1)),
    "a salt": in_cells(lambda node, own: own.update(salt="x" * node["cell"])),
    "outside": in_cells(lambda node, _: node.update(cell=node["cell"] + 4)),
    "by order": in_cells(lambda _, own: own.update(assignment="by order")),
    "one column": lambda d: of_kind(d, "cell_column")[0].update(cell=1),
    "replaced": lambda d: d["statement"].update(relation="replace_one"),
    "two rows": lambda d: d["statement"].update(rows_per_person="2"),
}


def worst_loss(parts, pairs):
    """The largest privacy loss of pure releases with exact sums, over pairs of tables.

    Noise of scale 1/epsilon_i tells a move m_i by |m_i| epsilon_i at most, and reaches it.
    """
    X, y = samples.setting().nodes()
    partition = Partition(X, y, Hashed(3))
    losses = []
    for (A, a), (C, c) in pairs:
        places = [partition.assignment.places(A, a), partition.assignment.places(C, c)]
        moves = [abs(np.sum(places[0] == j) - np.sum(places[1] == j)) for j in range(3)]
        losses.append(sum(w * moves[j] for _, j, w in parts))
    return max(losses)


@relations
def test_the_worst_pair_costs_what_was_proved_and_no_more(relation):
    """Counts of 3 cells at epsilon = 1 each: added, 1 in all; replaced, 2, which was refused."""
    parts = [(0, j, 1) for j in range(3)]
    rng = np.random.default_rng(0)
    pairs = []
    for _, n in itertools.product(range(200), (0, 1, 5)):
        X, y = rng.normal(size=(n + 1, 2)) / 4, rng.normal(size=n + 1) / 4
        Z, w = X.copy(), y.copy()
        Z[0], w[0] = rng.normal(size=2) / 4, 0.1
        other = (X[1:], y[1:]) if relation is dp.ADD_REMOVE else (Z, w)
        pairs.append(((X, y), other))
    assert worst_loss(parts, pairs) == MOVES[relation]
