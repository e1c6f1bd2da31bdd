"""Statistics and maps of one's own on neighbouring tables: what they state holds of what they
compute.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, check_kind
from dpframe.execution.totals import Pass, derived, real, selected
from dpframe.execution.views import Views, views
from dpframe.graph import Column, ColumnNode, Graph, Node, Rows, RowsNode, Setting
from dpframe.graph.maps.base import OfOne
from dpframe.graph.statistics import RecordSum, Searched, Statistic
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE, Relation
from dpframe.prover.algebra import number
from dpframe.randomness import Randomness
from dpframe.sensitivity import L1, L2, OPERATOR, RANGE, Norm
from dpframe.sources.table import Block, Table
from dpframe.symbols import Expression

from ..lower_bounds.neighbours import COLUMNS, Neighbours, Person, Space, searched
from .suite import Contradictions, Suite, refused

Array = NDArray[Any]
Make = Callable[[Any, Any], Any]
STATISTIC, MAP = Suite(), Suite()
SETTING = Setting(X=Rows(norm="3/2"), y=Column(bound=2), relation=ADD_REMOVE)
ROOM, TINY, REACHED = 1 + 1e-9, 1e-11, 0.99
RANDOM = 40  # pairs that are drawn besides those on the boundary


def check_statistic(
    make: Make, setting: Setting = SETTING, *, columns: int | None = None, seed: int | None = 0
) -> tuple[str, ...]:
    """Check a statistic of your own: `make(X, y)` is that of the rows and labels of the setting.
    Neighbouring tables of one and two columns, or of so many `columns`, are searched under both
    relations, on the boundary and at random. A search proves nothing: a page of a proof does.

    Returns the properties, all of which hold. Raises NonConforming, an AssertionError, for the
    first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_statistic(lambda X, y: X.T @ y)[2]
    'neighbours move it no further than its sensitivity'
    """
    asked = _asked(make, setting, columns, seed)
    check_kind("what is made", asked.node, Statistic, "a statistic")
    return STATISTIC.check(asked.node, asked)


def check_map(
    make: Make, setting: Setting = SETTING, *, columns: int | None = None, seed: int | None = 0
) -> tuple[str, ...]:
    """Check a map of your own: `make(X, y)` are the mapped rows or labels of the setting. Returns
    the properties, all of which hold. Raises NonConforming, as `check_statistic`.

    >>> import dpframe as dp
    >>> dp.audits.check_map(lambda X, y: X.clip(norm=1))[0]
    'every row or label that it makes is inside its bounds'
    """
    asked = _asked(make, setting, columns, seed)
    if not isinstance(asked.node, (RowsNode, ColumnNode)):
        raise InvalidArgument("what is made", "mapped rows or labels", asked.node)
    return MAP.check(asked.node, asked)


def _asked(make: Make, setting: Setting, columns: int | None, seed: int | None) -> Asked:
    check_kind("setting", setting, Setting)
    if not callable(make):
        raise InvalidArgument("make", "a function of X and y", make, "lambda X, y: Positives(y).")
    if columns is not None:
        check_kind("columns", columns, int)
    X, y = setting.X, setting.y
    formulas = (X.norm, X.box, None if y is None else y.bound, setting.rows_per_person)
    free = any(one is not None and one.symbols() for one in formulas)
    if free or (y is not None and y.levels):
        way_out = "Such as dp.Rows(norm=1), dp.Column(bound=1) or dp.Column(lower=0, upper=1)."
        raise InvalidArgument("setting", "bounded by numbers, of labels too", setting, way_out)
    codebook = X.columns
    widths = (columns,) if columns else COLUMNS if codebook is None else (len(codebook),)
    return Asked(make, setting, Randomness.of(seed).generator, widths)


@lru_cache(maxsize=4096)
def worth(formula: Expression, d: int, n: int = 0) -> float:
    """A formula in a table of n rows and d columns, rounded down as executions round."""
    return number(formula, {"d": Fraction(d), "n": Fraction(n)}, up=False)


def value_of(statistic: Statistic, blocks: Sequence[Block]) -> Array:
    """The value of a statistic, by the pass over blocks that executions make."""
    rows, graph = sum(len(one.rows) for one in blocks), Graph.of(statistic)
    public = partial(worth, d=blocks[0].rows.shape[1], n=rows)
    if isinstance(statistic, Searched):
        found = statistic.compute(_seen(statistic, blocks[0]).reals(), public)
        return np.asarray(found, dtype=float)
    reading = Pass.of(graph, public, _cut(blocks[0], slice(0)))
    values = derived(graph, reading.sums, reading(blocks), public)
    return np.asarray(real(statistic, values, public), dtype=float)


def size_of(difference: Array, norm: Norm, *, symmetric: bool) -> float:
    """The norm of a difference: of a symmetric matrix, L1 counts the upper triangle once."""
    if norm is L1:
        counted = difference[np.triu_indices(len(difference))] if symmetric else difference
        return float(np.sum(np.abs(counted)))
    if norm is RANGE:
        return float(np.ptp(difference))
    if norm is OPERATOR and difference.ndim == 2:
        return float(np.linalg.norm(difference, 2))
    return float(np.linalg.norm(np.ravel(difference)))


def _cut(block: Block, window: slice) -> Block:
    return Block(block.rows[window], selected(block.labels, window))


def _seen(node: Node, block: Block) -> Views:
    """A block as every map sees it that a node is made of."""
    maps = [one for one in Graph.of(node).nodes if isinstance(one, (RowsNode, ColumnNode))]
    return views(maps, block, partial(worth, d=block.rows.shape[1], n=len(block.rows)))


@attrs.frozen(eq=False)
class Asked:
    """What is asked about: a plug-in `node`, made of X and y, on tables of a setting."""

    make: Make
    setting: Setting
    rng: np.random.Generator
    widths: tuple[int, ...]
    node: Any = attrs.field(init=False)
    space: Space = attrs.field(init=False)

    @node.default
    def _made(self) -> Any:
        return self.make(*self.setting.nodes())

    @space.default
    def _possible(self) -> Space:
        return Space.under(self.setting, partial(worth, d=0))

    def under(self, grid: int | None, *relations: Relation) -> Iterator[Asked]:
        """The same under relations, on a grid or on none; not under one where it is refused."""
        for relation in relations:
            setting = attrs.evolve(self.setting, relation=relation, grid=grid)
            if not refused(self.make, *setting.nodes()):
                yield attrs.evolve(self, setting=setting)

    def blocks(self, table: Any) -> list[Block]:
        """A table as executions read it."""
        return list(Table.of(self.setting, table.X, table.y, drop=False).blocks())

    def crowd(self, n: int, d: int) -> Block:
        """n random records, some far outside their bounds."""
        return self.blocks(self.space.crowd(n, d, self.rng))[0]

    def moves(self, pair: Neighbours) -> dict[Norm, tuple[float, float]]:
        """How far a pair moves it, and how far at most it says so, in each norm that it answers."""
        first, second = (value_of(self.node, self.blocks(one)) for one in pair.tables)
        n, d = pair.tables[0].X.shape
        return {
            norm: (
                size_of(first - second, norm, symmetric=self.node.symmetric),
                worth(bound.value, d, n),
            )
            for norm in (L1, L2, OPERATOR, RANGE)
            if (bound := self.node.sensitivity(norm)) is not None
        }


@STATISTIC.holds(
    "its value is finite, of its shape, and symmetric where it says so", "See `shape`."
)
def _shape(asked: Asked) -> Contradictions:
    for n, d in itertools.product((0, 1, 7), asked.widths):
        shape = tuple(round(worth(size, d, n)) for size in asked.node.shape)
        found = value_of(asked.node, [asked.crowd(n, d)])
        mirrored = not asked.node.symmetric or np.array_equal(found, found.T)
        if found.shape != shape or not np.isfinite(found).all() or not mirrored:
            yield f"an array of shape {found.shape} for {shape}, {mirrored=}"


@STATISTIC.holds(
    "it is a sum over blocks: neither order nor cuts of a table change it",
    "Let `block` sum over the rows of its block. What is no sum is a Statistic or Searched.",
)
def _adds_up(asked: Asked) -> Contradictions:
    for d in asked.widths if isinstance(asked.node, RecordSum) else ():
        whole = asked.crowd(9, d)
        found = value_of(asked.node, [whole])
        for windows in ((0, 2, 2, 9), (9, 4, 0)):
            cuts = [_cut(whole, slice(*sorted(ends))) for ends in itertools.pairwise(windows)]
            parts = value_of(asked.node, cuts)
            if np.max(np.abs(parts - found), initial=0.0) > TINY * (1 + np.max(np.abs(found))):
                yield f"{parts} in parts and {found} together"


@STATISTIC.holds("neighbours move it no further than its sensitivity", "State more in `one_row`.")
def _moves(asked: Asked) -> Contradictions:
    for one in asked.under(asked.setting.grid, ADD_REMOVE, REPLACE_ONE):

        def ratio(pair: Neighbours, one: Asked = one) -> float:
            return max((far / max(most, TINY) for far, most in one.moves(pair).values()), default=0)

        pairs = [one.space.anything(d, asked.rng) for d in one.widths for _ in range(RANDOM)]
        for pair in (searched(one.space, ratio, asked.rng, widths=one.widths)[0], *pairs):
            for norm, (far, most) in one.moves(pair).items():
                if far > most * ROOM + TINY:
                    yield f"{far:.6g} in {norm}, where {most:.6g} is stated, for {pair}"


@STATISTIC.holds(
    "what it calls attained is attained where a record is added",
    "Leave `attained` False: it lets the verifier refute.",
)
def _attained(asked: Asked) -> Contradictions:
    for one, d in itertools.product(asked.under(None, ADD_REMOVE), asked.widths):
        found = [one.moves(pair) for pair in (*one.space.pairs(d), *_apart(one.space, d))]
        alone = [worth(size, d) for size in one.node.shape] == [1]  # no two entries move apart
        for norm in (n for n in found[0] if n is not RANGE or not alone):
            far, most = max(moved[norm] for moved in found)
            if one.node.sensitivity(norm).attained and far < REACHED * most:
                yield f"{far:.6g} in {norm}, where {most:.6g} is stated"


def _apart(space: Space, d: int) -> Iterator[Neighbours]:
    """One record more, whose first entry rises and whose second falls."""
    direction = np.array([1.0, -1.0, *[0.0] * d])[:d]
    for label in space.labels:
        yield space.pair(Person(space.along(direction), label), Person(None, 0.0), [], "nobody")


@MAP.holds("every row or label that it makes is inside its bounds", "See `norm` and `bound`.")
def _bounds(asked: Asked) -> Contradictions:
    node = asked.node
    for d in asked.widths:
        block = asked.crowd(60, d)
        found = np.asarray(_seen(node, block).real(node))
        bounds = [(abs(found), None if isinstance(node, RowsNode) else node.bound)]
        if isinstance(node, RowsNode):
            if found.shape != (len(block.rows), worth(node.columns, d)):
                yield f"an array of shape {found.shape}"
            norms = {2: node.norm, 1: node.norm1, math.inf: node.entry}
            bounds = [(np.linalg.norm(found, k, axis=1), norms[k]) for k in norms]
        for lengths, most in bounds:
            if most is not None and not (lengths <= worth(most, d) * ROOM).all():
                yield f"{np.max(lengths):.6g}, where {most} is stated"


@MAP.holds(
    "it maps each record by itself, to the same bits, and leaves its block as it is",
    "Use no sum, mean or product over the records of a block, and make a new array.",
)
def _alone(asked: Asked) -> Contradictions:
    node = asked.node
    for d in asked.widths:
        block = asked.crowd(20, d)
        seen = _seen(node, block)
        for i, among in enumerate(seen[node]):
            (alone,) = _seen(node, _cut(block, slice(i, i + 1)))[node]
            if not np.array_equal(alone, among):
                yield f"{alone} alone and {among} among {len(block.rows)} records"
        if isinstance(node, OfOne):
            given = np.array(seen.real(node.inputs[0]))
            given.flags.writeable = False
            node.apply(given, partial(worth, d=d))
