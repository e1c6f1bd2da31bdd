"""Which mutants break privacy for certain, by no code of the verifier: two neighbouring tables are
written down, and the cost of what a graph releases of them is computed at 50 digits; or data leave
without noise. What is not known here is not said to break.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import mpmath

from dpframe.graph import DataNode, Loop, Post, Procedure, Release
from dpframe.graph.graph import origins
from dpframe.graph.maps.bounds import Box, ClipColumn, ClipNorm, Intercept
from dpframe.graph.maps.grid import BoxGrid, Grid, GridColumn
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.rows import ColumnSource, RowSource
from dpframe.graph.statistics import (
    ColumnSquares,
    Gram,
    LabelSum,
    LambdaMin,
    Linear,
    Moment,
    RawAggregate,
    RowSum,
    Squares,
    Trace,
)
from dpframe.graph.statistics.sums import Count
from dpframe.mechanisms import FullGaussian, Gaussian, Laplace, MirroredGaussian
from dpframe.privacy import ADD_REMOVE, ApproxDP, PureDP
from dpframe.symbols import Number, Product, Symbol
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


MARGIN = mpf(1) / 1000  # of the claimed amount: far above what a grid of 20 bits rounds
FAR = mpf(10) ** 9  # the size of a record before it is clipped
MOVED_BY_ALL = {"scaled by std", "bound by quantile"}
"""One record then changes what every other counts as: a sum over n rows moves by a multiple of n,
for every n, and its noise does not."""
SUMS = (Gram, Moment, ColumnSquares, RowSum, Squares, Trace)
PLACES = tuple(
    {"epsilon": mpf(e), "delta": mpf(10) ** -6, "B": mpf(b), "Y": mpf(y), "d": mpf(2)}
    for e, b, y in ((1, 2, 3), (mpf(1) / 10, mpf(1) / 2, mpf(1) / 3), (3, 2, 3))
)
BACKGROUND = mpf(10) ** 6  # of squared rows, at right angles to the first axis


class Unknown(Exception):
    """A node that this file has no words for."""


def certain(one):
    """Why a mutant breaks its claim for certain: `raw`, `noise` or `cost`; "" where that is not
    known.
    """
    if one.graph is None:
        return ""
    if leaks(one.graph, still=one.setting.relation is not ADD_REMOVE):
        return "raw"
    found = reads(one)
    return found or ("cost" if any(_worse(one, place) for place in places(one)) else "")


def _worse(one, place):
    """Whether it breaks its claim at a place where what was edited does not: a theorem may cover a
    part of the range alone.
    """
    return costly(one, one.graph, place) and not _before(one, place)


def _before(one, place):
    graph = _graph(one.mutant.of, one.setting, one.target)
    return costly(one, graph, place)


@lru_cache(maxsize=512)
def _graph(regression, setting, target):
    return regression.graph(setting, target.budget)


def leaks(graph, *, still):
    """Whether an output, or a function on the way to one, reads data that no release covers; n is
    public where it stands `still`, where records are replaced.
    """
    seen, stack = set(), list(graph.outputs)
    while stack:
        node = stack.pop()
        if id(node) in seen or isinstance(node, (Release, Procedure)):
            continue
        seen.add(id(node))
        if still and type(node) is Count:
            continue
        if isinstance(node, DataNode):
            return True
        if isinstance(node, (Post, Loop)):
            stack.extend((*node.inputs, *origins(node)))
    return False


def reads(one):
    """`noise` where its size, or the bound that it is for, is read from the data in a way that no
    size of it covers.
    """
    for release in one.graph.releases:
        if _vanishes(release.mechanism.formula, "max_abs"):
            return "noise"  # rows of zeros have none
        if any(type(symbol.origin) is Count for symbol in release.times.symbols()):
            return "noise"  # the number of draws is n
        bad = any(isinstance(node, RawAggregate) for node in _below(release.statistic))
        if one.operator.name in MOVED_BY_ALL and bad and isinstance(release.statistic, SUMS):
            return "noise"
    return ""


def _raw(symbol, name):
    return isinstance(symbol.origin, RawAggregate) and symbol.origin.name == name


def _vanishes(formula, name):
    """Whether an aggregate of the data is a factor of a formula."""
    parts = formula.parts if isinstance(formula, Product) else (formula,)
    return any(isinstance(part, Symbol) and _raw(part, name) for part in parts)


def _below(node):
    found, stack = {}, [node]
    while stack:
        one = stack.pop()
        if id(one) not in found:
            found[id(one)] = one
            stack.extend((*one.inputs, *origins(one)))
    return found.values()


def places(one):
    """Numbers for the free symbols of its claim; of a claim at numbers the one place there is."""
    free = {s for formula in _formulas(one) for s in formula.symbols() if s.origin is None}
    rest = {s.name: s.domain.example() for s in free if s.name not in PLACES[0]}
    known = {name: mpf(number) for name, number in rest.items() if number is not None}
    named = [place for place in PLACES if {s.name for s in free} - {"d"} & set(place)]
    return [{**known, **place} for place in named or PLACES[:1]]


def _formulas(one):
    own = [f for node in one.graph.nodes for f in node.formulas.values()]
    return [*own, *one.target.amounts, one.setting.rows_per_person]


def costly(one, graph, place):
    """Whether of a graph two neighbours at a place tell more than is claimed there."""
    with mpmath.workdps(50):
        epsilon, *delta = (value(amount, place) for amount in one.target.amounts)
        rows = value(one.setting.rows_per_person, place)
        alone = one.setting.relation is ADD_REMOVE
        found = [_told(graph, place, pair, rows) for pair in _pairs(alone)]
        if isinstance(one.target, PureDP):
            return any(mu > 0 or pure > epsilon * (1 + MARGIN) for mu, pure, _ in found)
        return any(_broken(epsilon, delta[0], mu, single) for mu, _, single in found)


def _broken(epsilon, delta, mu, single):
    """Of Gaussian noise jointly, or of the Laplace noise of one number alone."""
    allowed = delta * (1 + MARGIN)
    gaussian = mu > 0 and delta_of(epsilon, mu) > allowed
    return gaussian or 1 - mpmath.exp((epsilon - single) / 2) > allowed


def _pairs(alone):
    """The records of two neighbours in which they differ: one more, or one in another's place."""
    first, second = (FAR, mpf(0)), (mpf(0), FAR)
    records = [(first, FAR), (first, -FAR), (second, -FAR), ((mpf(0), mpf(0)), mpf(0))]
    if alone:
        return [(records[0], None)]
    return [(records[0], other) for other in records[1:]]


def _told(graph, place, pair, rows):
    """The joint mu of Gaussian noise, the sum of shifts over scales of Laplace noise, and the
    largest of one number; of the releases that this file can compute.
    """
    square, pure, single = mpf(0), mpf(0), mpf(0)
    for release in graph.releases:
        if release.sampled is not None or release.noise not in (Gaussian, Laplace):
            continue
        try:
            shift = [rows * part for part in _shift(release.statistic, place, pair)]
            size, times = value(release.mechanism.formula, place), value(release.times, place)
        except (Unknown, KeyError, TypeError, ValueError, ZeroDivisionError):
            continue
        if size <= 0 or not shift:
            continue
        moves = [abs(part) / size for part in shift]
        if release.noise is Gaussian:
            square += times * mpmath.fsum(move**2 for move in moves)
        else:
            pure += times * mpmath.fsum(moves)
            single = max(single, *moves)
    return mpmath.sqrt(square), pure, single


def _shift(statistic, place, pair):
    if type(statistic) is LambdaMin:
        return _smallest(statistic, place, pair)
    first, second = (
        None if record is None else _entries(statistic, place, record) for record in pair
    )
    return first if second is None else [a - b for a, b in zip(first, second, strict=True)]


def _smallest(statistic, place, pair):
    """Beside many rows along the second axis, what the first axis has is the smallest."""
    rows = [None if one is None else _row(statistic.gram.rows, place, one) for one in pair]
    found = [mpf(0) if row is None else row[0] ** 2 for row in rows]
    if max(found) >= BACKGROUND or any(row is not None and len(row) > 2 for row in rows):
        raise Unknown
    return [found[0] - found[1]]


def _entries(statistic, place, record):
    """What one record adds to a sum; of a symmetric matrix its upper triangle."""
    kind = type(statistic)
    if kind is Linear:
        weights = [value(formula, place) for formula in statistic.coefficients]
        parts = [_entries(part, place, record) for part in statistic.parts]
        if len({len(part) for part in parts}) != 1:
            raise Unknown
        return [
            mpmath.fsum(w * part[i] for w, part in zip(weights, parts, strict=True))
            for i in range(len(parts[0]))
        ]
    if kind is Count:
        return [mpf(1)]
    if kind in (Squares, LabelSum):
        label = _label(statistic.column, place, record)
        return [label**2 if kind is Squares else label]
    if kind not in (Gram, Moment, Trace, RowSum, ColumnSquares):
        raise Unknown
    row = _row(statistic.rows, place, record)
    if kind is Gram:
        return [a * b for i, a in enumerate(row) for b in row[i:]]
    if kind is Moment:
        label = _label(statistic.column, place, record)
        return [a * label for a in row]
    if kind is RowSum:
        return row
    squares = [a**2 for a in row]
    return squares if kind is ColumnSquares else [mpmath.fsum(squares)]


def _row(rows, place, record):
    """A row of two numbers (and one, for each column of ones), by the maps as they are defined."""
    kind = type(rows)
    if kind is RowSource:
        return list(record[0])
    if kind in (Grid, BoxGrid):
        return _row(rows.source, place, record)
    if kind is ClipNorm:
        row = _row(rows.source, place, record)
        norm, most = mpmath.sqrt(mpmath.fsum(a**2 for a in row)), value(rows.norm, place)
        return row if norm <= most else [a * most / norm for a in row]
    if kind is Box:
        most = value(rows.bound, place)
        return [max(-most, min(most, a)) for a in _row(rows.source, place, record)]
    if kind is Scaled:
        by = value(rows.by, place)
        return [a / by for a in _row(rows.source, place, record)]
    if kind is Intercept:
        return [*_row(rows.source, place, record), value(rows.value, place)]
    raise Unknown


def _label(column, place, record):
    kind = type(column)
    if kind is ColumnSource:
        return record[1]
    if kind is GridColumn:
        return _label(column.source, place, record)
    if kind is ClipColumn:
        low, high = value(column.lower, place), value(column.upper, place)
        return max(low, min(high, _label(column.source, place, record)))
    raise Unknown
