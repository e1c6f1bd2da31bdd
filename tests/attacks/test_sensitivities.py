"""No pair of neighbours moves a statistic beyond its stated sensitivity; the worst reach it."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.sensitivity import L1, L2, OPERATOR
from tests.attacks.pairs import (
    ALL,
    DIMENSIONS,
    LEAVES,
    NORMS,
    PAGE,
    STACKS,
    anything,
    attained,
    move,
    page,
    repeated,
    row,
    stated,
    worst,
)
from tests.support.samples import RELATIONS, setting

pytestmark = pytest.mark.some(6)
SLACK = 1 + 1e-9
relations = pytest.mark.parametrize("relation", RELATIONS, ids=str)
dimensions = pytest.mark.parametrize("d", DIMENSIONS)
every = pytest.mark.parametrize("name", ALL)


@every
def test_random_neighbours_stay_inside(name):
    """Nor those of a search; some have rows and labels far outside their declared bounds. Of one
    and two columns: conformance/test_statistics.py.
    """
    dp.audits.check_statistic(ALL[name], setting(), columns=3)


@pytest.mark.some(6, most=50)
@every
@relations
@dimensions
def test_the_worst_neighbours_stay_inside(name, relation, d):
    """The pairs built from the proofs do not exceed the bound either."""
    assert all(attained(name, relation, norm, d) <= SLACK for norm in NORMS)


@pytest.mark.parametrize("name", [*LEAVES, *STACKS])
@relations
@dimensions
def test_the_worst_neighbours_reach_the_bound(name, relation, d):
    """Leaf statistics and the released stacks attain 0.99 in L2 and operator norm."""
    for norm in (L2, OPERATOR):
        assert attained(name, relation, norm, d) >= 0.99


@pytest.mark.parametrize("name", LEAVES)
@relations
@dimensions
def test_the_worst_neighbours_reach_the_bound_in_l1(name, relation, d):
    """Leaf statistics attain 0.99 in L1 too, but for X'X under replace-one beyond d = 2."""
    least = 0.95 if (name, relation, d) == ("Gram", dp.REPLACE_ONE, 3) else 0.99
    assert attained(name, relation, L1, d) >= least


@every
@relations
def test_what_is_called_attained_is(name, relation):
    """The flag on a sensitivity is a claim that some pair reaches it."""
    statistic = ALL[name](*setting(relation).nodes())
    for norm in NORMS:
        if statistic.sensitivity(norm).attained:
            assert min(attained(name, relation, norm, d) for d in DIMENSIONS) >= 0.99


@every
@relations
def test_three_rows_a_person(name, relation):
    """Random triples stay inside three times the bound; three equal worst rows reach as much."""
    rng = np.random.default_rng(3)
    statistic = ALL[name](*setting(relation, rows_per_person=3).nodes())
    for norm in NORMS:
        bound = stated(ALL[name], relation, norm, 2, k=3)
        changes = [anything(relation, 2, rng, k=3) for _ in range(20)]
        changes += [repeated(change, 3) for change in worst(relation, 2)]
        ratios = [move(statistic, change, norm) / bound for change in changes if bound]
        assert max(ratios, default=0) <= SLACK
        if attained(name, relation, norm, 2) >= 0.99 and bound:
            assert max(ratios) >= 0.98


MAPS = {
    "divided": lambda X: X.scaled(3),
    "intercept": lambda X: X.with_intercept(),
    "weighted intercept": lambda X: X.with_intercept(2),
    "normalized": lambda X: X.normalized(),
    "normalized, intercept": lambda X: X.normalized().with_intercept(),
    "clipped again": lambda X: X.clip(norm=1),
    "clipped wider": lambda X: X.clip(norm=4),
}


@pytest.mark.parametrize("name", MAPS)
def test_row_maps_keep_their_bounds(name):
    """Rows through a map have at most the norms they declare, and sensitivities follow."""

    def of_rows(made):
        return lambda X, y: made(MAPS[name](X), y)

    dp.audits.check_map(of_rows(lambda X, _: X), setting(), columns=3)
    for make in (lambda X, _: X.T @ X, lambda X, _: dp.total(X), lambda X, y: X.T @ y):
        dp.audits.check_statistic(of_rows(make), setting(), columns=3)


@pytest.mark.some(6, most=50)
@every
@relations
@dimensions
def test_a_row_is_fresh(name, relation, d):
    """docs/attained.md has it."""
    assert row(name, relation, d) in PAGE.read_text()


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh():
    """docs/attained.md is what `python -m tests.attacks.pairs` writes."""
    assert PAGE.read_text() == page(), "stale: run python -m tests.attacks.pairs"
