"""The exact joint cost of Gaussian releases, at 50 digits and by no code of the prover."""

from __future__ import annotations

from fractions import Fraction

import mpmath

from dpframe.graph.statistics import Gram, LambdaMin, Moment
from dpframe.mechanisms import FullGaussian, Gaussian, MirroredGaussian
from dpframe.privacy import ADD_REMOVE, ApproxDP
from dpframe.symbols import Number
from tests.support.oracles import delta_of, mpf, value

NORMAL = {Gaussian, MirroredGaussian, FullGaussian}
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
    """The sum of squares, which one record attains, along an axis where noise is mirrored; None
    where the graph is not of this kind.
    """
    if graph.procedures or graph.bounds or len({s.unit for s in graph.sources}) > 1:
        return None
    if any(hasattr(node, "partition") for node in graph.nodes):
        return None  # no record is in all cells
    moves = []
    for release in graph.releases:
        if release.noise not in NORMAL or release.sampled is not None:
            return None
        mirrored = release.noise is MirroredGaussian and release.statistic.symmetric
        if mirrored and not release.statistic.rows.ball:
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
