"""What rounding hides of the cost of releases: noise that is drawn in whole steps, rows and labels
that are rounded onto a grid. Lower ends and refutations ask; proofs do not, as rounding is
post-processing.

Let p and q be the densities of what is released before it is rounded, with and without a record,
and let L = log(p/q) change by at most c within a cell, the numbers that are rounded to one point.
Where L > epsilon + c somewhere in a cell, L > epsilon in all of it, so that P - e^epsilon Q of the
cell is at least the integral of p - e^(epsilon + c) q over those places. Hence

- delta(epsilon) is at least that of the declared noise at epsilon + c. The c of independent draws
  add up;
- each divergence is less by at most c: P/Q of a cell is at least e^(L - c) anywhere in it;
- the rho and the mu of Gaussian noise stay: as orders, or epsilon, grow, c is less than any part of
  D_a = a mu^2/2, or of epsilon;
- so does the largest loss of Laplace noise: L is constant beyond the move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dpframe.graph import Release
from dpframe.graph.facts import noise_of
from dpframe.graph.graph import Class
from dpframe.graph.maps.grid import BoxGrid, OnGrid, RowsOnGrid
from dpframe.graph.post import ancestors
from dpframe.graph.reached import moves_evenly, pair_needs
from dpframe.graph.rows import RowsNode
from dpframe.graph.statistics import Stack, Statistic
from dpframe.sensitivity import L2
from dpframe.symbols import ONE, ZERO, Expression, Number, add, exact, maximum, multiply, sqrt

SIZES = Fraction(1, 2**40)  # by which sizes of noise are rounded up at most, relative


def hidden(release: Release, *, evenly: bool = True) -> Expression:
    """The c of one draw, for every step; by a row of one entry as in `kept`."""
    return _change(release, [step for step, _ in _graded(release.statistic)], evenly=evenly)


def hidden_onto_whole(release: Release) -> Expression:
    """The same for steps that no finer grid of the data makes smaller: those of whole numbers,
    such as counts. ZERO where there are none.
    """
    return _change(release, _whole_steps(release.statistic))


def of_all(change: Callable[[Release], Expression], grouped: Sequence[Class]) -> Expression:
    """The c of all draws of these releases together."""
    return add(*(change(release) * release.times * count for release, count in grouped))


def kept(release: Release, *, evenly: bool = True) -> Expression:
    """The part of its sensitivity that rows and labels on their grids attain at least, over the
    noise as it is executed: an entry loses at most a step, of a row at most sqrt(d) steps of its
    norm, and a product of two of them, rounded once more, at most 4 times as much. Unless rows of
    equal entries are meant, a row of one entry attains the L2 sensitivity where it may occur.
    """
    noise = noise_of(release.noise)
    grids = [one for one in ancestors(release.statistic) if isinstance(one, OnGrid)]
    if noise is not None and noise.whole and not grids:
        return ONE
    parts = [1 - _lost(one, axis=not evenly and release.noise.norm is L2) for one in grids]
    return maximum(ZERO, multiply(exact(1 - SIZES), *parts))


def _lost(grid: OnGrid, *, axis: bool) -> Expression:
    """Relative to the bound."""
    step = exact(Fraction(4, 2**grid.bits))
    if not isinstance(grid, RowsOnGrid) or isinstance(grid, BoxGrid) or (axis and grid.ball):
        return step
    return sqrt(grid.columns) * step


def whole_step(release: Release) -> Expression:
    """The largest step of whole numbers onto which its noise is rounded; ZERO where there is none,
    or where a finer grid of the data makes it smaller.
    """
    noise, steps = noise_of(release.noise), _whole_steps(release.statistic)
    rounded = noise is not None and not noise.whole and release.exact
    return maximum(ZERO, *steps) if rounded else ZERO


def _change(release: Release, steps: Sequence[Expression], *, evenly: bool = True) -> Expression:
    """By how much the loss of one draw changes at most within a cell: L of Gaussian noise by its
    slope v/std^2, of which |v|_1 <= sqrt(k) |v|_2 if k entries move; of Laplace noise by 2/scale in
    each entry.
    """
    noise, moved, size = noise_of(release.noise), release.moved, release.mechanism.formula
    if noise is None or noise.whole or moved is None or not (steps and release.exact):
        return ZERO
    slope = (2 if noise.loss.pure else moved.value / size) / size
    return slope * maximum(*steps) * _entries(release, evenly=evenly)


def _entries(release: Release, *, evenly: bool) -> Expression:
    """How many move at most, as entries of the whole matrix where it is symmetric: 2 of each
    statistic that rows of one entry move furthest.
    """
    statistic, entries = release.statistic, release.entries
    parts = statistic.parts if isinstance(statistic, Stack) else (statistic,)
    axis = not evenly and release.noise.norm is L2 and all(map(moves_evenly, parts))
    if entries == ONE:
        return ONE
    return exact(2 * len(parts)) if axis else 2 * entries


def _whole_steps(statistic: Statistic) -> list[Expression]:
    return [step for step, finer in _graded(statistic) if not finer]


def _graded(statistic: Statistic) -> list[tuple[Expression, bool]]:
    """Each step of a statistic, and whether a finer grid of its rows or labels makes it smaller."""
    if isinstance(statistic, Stack):
        return [one for part in statistic.parts for one in _graded(part)]
    step = statistic.step
    if step is None:
        return []
    gridded = any(isinstance(one, OnGrid) for one in ancestors(statistic))
    whole = isinstance(step, Number) and step.value.denominator == 1
    return [(step, gridded and not whole)]


def fits(release: Release, values: Mapping[str, Fraction]) -> bool:
    """Whether the pair that attains its sensitivity occurs at these numbers: under replace-one X'X
    moves furthest by orthogonal rows, of two columns or more; an eigenvalue beside other rows, of
    which a public number may be too small.
    """
    statistic, known = release.statistic, {name: exact(value) for name, value in values.items()}
    rows = [one for one in ancestors(statistic) if isinstance(one, RowsNode)]
    angled = statistic.unit.relation.replaced and pair_needs("angled", statistic)
    free = [one.columns for one in rows if one.columns.symbols()]  # other sizes are declared
    if angled and any(columns.substitute(known) == ONE for columns in free):
        return False
    counted = {symbol.name for one in rows for symbol in one.rows.symbols()}
    return not (pair_needs("many_rows", statistic) and counted & known.keys())
