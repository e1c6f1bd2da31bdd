"""Verdicts at numbers against the exact joint cost, at 50 digits and by no code of the prover."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import mpmath
import pytest
from oracles import delta_of, mpf, value

from dpframe.graph.statistics import Gram, LambdaMin, Moment
from dpframe.guarantees import ADD_REMOVE, ApproxDP
from dpframe.mechanisms import Gaussian
from dpframe.mutating import Outcome
from dpframe.symbols import Number

SLACK = mpf(Fraction(1, 10**30))  # of a bisection at 50 digits


def size(statistic):
    """How far one row moves X'X, its smallest eigenvalue, or X'y, from the bounds; else None."""
    if type(statistic) in {Gram, LambdaMin}:
        rows = statistic.rows if type(statistic) is Gram else statistic.gram.rows
        return None if rows.norm is None else value(rows.norm, {}) ** 2
    if type(statistic) is Moment:
        return value(statistic.rows.norm, {}) * value(statistic.column.bound, {})
    return None


def squared_mu(graph, rows):
    """The sum of squares, which one record attains; None where the graph is not of this kind."""
    if graph.procedures or graph.bounds or len({s.unit for s in graph.sources}) > 1:
        return None
    moves = []
    for release in graph.releases:
        if release.noise is not Gaussian or release.sampled is not None:
            return None
        formulas = (release.mechanism.formula, release.times)
        if any(formula.symbols() for formula in formulas):
            return None
        try:
            own = size(release.statistic)
        except (KeyError, TypeError):
            return None
        if own is None:
            return None
        std, times = (value(formula, {}) for formula in formulas)
        moves.append(times * (rows * own / std) ** 2)
    return mpmath.fsum(moves)


def costs(everywhere):
    """Mutants at numbers under add/remove, with how far the exact delta at their epsilon exceeds
    what is claimed, relative to that.
    """
    for one in everywhere:
        amounts = one.target.amounts
        here = isinstance(one.target, ApproxDP) and isinstance(amounts[0], Number)
        if one.report is None or not here or one.setting.relation is not ADD_REMOVE:
            continue
        with mpmath.workdps(50):
            rows = value(one.setting.rows_per_person, {})
            square = squared_mu(one.report.problem.graph, rows)
            if square is not None:
                claimed = mpf(amounts[1].value)
                yield one, delta_of(amounts[0].value, mpmath.sqrt(square)) / claimed - 1


@pytest.fixture(scope="module")
def exact(everywhere):
    """The list of them."""
    return list(costs(everywhere))


def test_there_are_many(exact):
    """Enough of each verdict to say something."""
    counts = Counter(one.verdict for one, _ in exact)
    assert counts[Outcome.REFUSED] >= 100
    assert counts[Outcome.ACCEPTED] >= 30
    assert counts[Outcome.EQUIVALENT] >= 5


def test_what_is_accepted_costs_no_more_than_is_claimed(exact):
    """The worst bug: a wrong `proved`."""
    for one, excess in exact:
        if one.verdict in {Outcome.ACCEPTED, Outcome.EQUIVALENT}:
            assert excess <= SLACK, one


def test_what_is_refuted_in_total_costs_more(exact):
    """A counterexample at numbers is one."""
    refuted = [
        (one, excess)
        for one, excess in exact
        if one.verdict is Outcome.REFUSED
        and any(o.kind == "total" and o.witness is not None for o in one.report.open_obligations)
    ]
    assert len(refuted) >= 50
    for one, excess in refuted:
        assert excess > SLACK, one


def test_refusals_of_private_mutants_are_few(exact):
    """Of mutants that cost no more than is claimed, those that are refused break a promise about
    shares, or about where values come from.
    """
    private = [one for one, excess in exact if excess <= SLACK]
    refused = [one for one in private if one.verdict is Outcome.REFUSED]
    kinds = {"plan", "share", "structure", "draws", "noise"}
    for one in refused:
        assert {o.kind for o in one.report.open_obligations} & kinds, one
