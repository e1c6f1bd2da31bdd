"""Statistics and maps from outside on neighbouring tables: their stated bounds hold of their
values.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain, check_kind
from dpframe.execution.totals import NotWhole, Pass, derived, real
from dpframe.execution.views import Views, views
from dpframe.graph import Column, ColumnNode, Graph, Node, Rows, RowsNode, Setting
from dpframe.graph.maps.base import OfOne
from dpframe.graph.statistics import RecordSum, Searched, Statistic
from dpframe.privacy import ADD_REMOVE, Relation
from dpframe.prover.algebra import number
from dpframe.randomness import Randomness
from dpframe.sensitivity import L1, L2, OPERATOR, RANGE, Norm
from dpframe.sources.table import Block, Table
from dpframe.symbols import Expression

from ..lower_bounds.neighbours import COLUMNS, Neighbours, Space, searched
from .suite import Contradictions, Suite, refused

Array = NDArray[Any]
Make = Callable[[Any, Any], Any]
STATISTIC, MAP = Suite(), Suite()
SETTING = Setting(X=Rows(norm="3/2"), y=Column(bound=2), relation=ADD_REMOVE)
ROOM, TINY, ATTAINED = 1 + 1e-9, 1e-11, 0.99
SHARE = 0.7071  # of a label: random ones are halves and quarters of their bound


def check_statistic(
    make: Make, setting: Setting = SETTING, *, columns: int | None = None, seed: int | None = 0
) -> tuple[str, ...]:
    """Check a statistic of your own: `make(X, y)` makes it of the rows and labels of the setting.
    Neighbouring tables of one and two columns, or of so many `columns`, are searched under both
    relations, on the boundary and at random, also at a quarter of the bounds of the setting. A
    search proves nothing: a page of a proof does.

    Returns the properties, all of which hold. Raises NonConforming, an AssertionError, for the
    first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_statistic(lambda X, y: X.T @ y)[4]
    'neighbours move it no further than its sensitivity'
    """
    checked = CheckedNode.of(make, setting, columns, seed)
    check_kind("what is made", checked.node, Statistic, "a statistic")
    return STATISTIC.check(checked.node, checked)


def check_map(
    make: Make, setting: Setting = SETTING, *, columns: int | None = None, seed: int | None = 0
) -> tuple[str, ...]:
    """Check a map of your own: `make(X, y)` makes the mapped rows or labels of the setting. Returns
    the properties, all of which hold. Raises NonConforming, as `check_statistic`.

    >>> import dpframe as dp
    >>> dp.audits.check_map(lambda X, y: X.clip(norm=1))[1]
    'every row or label that it makes is inside its bounds'
    """
    checked = CheckedNode.of(make, setting, columns, seed)
    if not isinstance(checked.node, (RowsNode, ColumnNode)):
        raise InvalidArgument("what is made", "mapped rows or labels", checked.node)
    return MAP.check(checked.node, checked)


def _takes_both(make: Make) -> bool:
    """Whether it takes rows and labels; also where its signature is not known."""
    with suppress(ValueError):
        try:
            inspect.signature(make).bind(None, None)
        except TypeError:
            return False
    return True


@lru_cache(maxsize=4096)
def worth(formula: Expression, d: int, n: int = 0) -> float:
    """A formula in a table of n rows and d columns, rounded down as executions round."""
    return number(formula, {"d": Fraction(d), "n": Fraction(n)}, up=False)


def value_of(statistic: Statistic, blocks: Sequence[Block]) -> Array:
    """The value of a statistic, by the pass over blocks that executions make."""
    rows, graph = sum(len(one.rows) for one in blocks), Graph.of(statistic)
    public = partial(worth, d=blocks[0].rows.shape[1], n=rows)
    if isinstance(statistic, Searched):
        value = statistic.compute(_views(statistic, blocks[0]).reals(), public)
        return np.asarray(value, dtype=float)
    reading = Pass.of(graph, public, blocks[0].only(slice(0)))
    values = derived(graph, reading.sums, reading(blocks), public)
    return np.asarray(real(statistic, values, public), dtype=float)


def size_of(difference: Array, norm: Norm, *, symmetric: bool) -> float:
    """The norm of a difference: of a symmetric matrix, L1 counts the upper triangle once."""
    if norm is L1:
        entries = difference[np.triu_indices(len(difference))] if symmetric else difference
        return float(np.sum(np.abs(entries)))
    if norm is RANGE:
        return float(np.ptp(difference))
    matrix = norm is OPERATOR and difference.ndim == 2
    return float(np.linalg.norm(difference, 2) if matrix else np.linalg.norm(np.ravel(difference)))


def _views(node: Node, block: Block) -> Views:
    """A block as every map sees it that a node is made of."""
    maps = [one for one in Graph.of(node).nodes if isinstance(one, (RowsNode, ColumnNode))]
    return views(maps, block, partial(worth, d=block.rows.shape[1], n=len(block.rows)))


@attrs.frozen(eq=False)
class CheckedNode:
    """A plug-in `node`, made of X and y, on tables of a setting."""

    make: Make
    setting: Setting
    rng: np.random.Generator
    widths: tuple[int, ...]
    node: Any = attrs.field(init=False)
    space: Space = attrs.field(init=False)

    @classmethod
    def of(cls, make: Make, setting: Setting, columns: int | None, seed: int | None) -> CheckedNode:
        """Of checked arguments. Raises InvalidArgument."""
        check_kind("setting", setting, Setting)
        if not callable(make) or not _takes_both(make):
            other = Plain(f"{getattr(make, '__name__', make)}, which takes other arguments")
            way_out = "Such as lambda X, y: Positives(y), or lambda X, y: dp.count(X)."
            given = other if callable(make) else make
            raise InvalidArgument("make", "a function of two arguments, X and y", given, way_out)
        if columns is not None:
            check_kind("columns", columns, int)
        X, y = setting.X, setting.y
        formulas = (X.norm, X.box, None if y is None else y.bound, setting.rows_per_person)
        free = any(one is not None and one.symbols() for one in formulas)
        if free or (y is not None and y.levels):
            way_out = "Such as dp.Rows(norm=1), dp.Column(bound=1) or dp.Column(lower=0, upper=1)."
            raise InvalidArgument("setting", "bounded by numbers, of labels too", setting, way_out)
        widths = COLUMNS if X.columns is None else (len(X.columns),)
        generator = Randomness.of(seed).generator
        return cls(make, setting, generator, (columns,) if columns else widths)

    @node.default
    def _made(self) -> Any:
        return self.make(*self.setting.nodes())

    @space.default
    def _space(self) -> Space:
        return Space.under(self.setting, partial(worth, d=0))

    def under(self, grid: int | None, *relations: Relation) -> Iterator[CheckedNode]:
        """The same under each relation that does not refuse it, on a grid or on none."""
        for relation in relations:
            setting = attrs.evolve(self.setting, relation=relation, grid=grid)
            if not refused(self.make, *setting.nodes()):
                yield attrs.evolve(self, setting=setting)

    def at_bounds(self, factor: Fraction) -> CheckedNode:
        """The same in a setting whose bounds are multiplied by `factor`: a stated bound may be too
        small below 1 only, as Y is where sqrt(Y) is needed.
        """
        X, y = self.setting.X, self.setting.y
        names = [name for name in ("norm", "box") if getattr(X, name) is not None]
        rows = attrs.evolve(X, **{name: getattr(X, name) * factor for name in names})
        labels = y if y is None or y.bound is None else attrs.evolve(y, bound=y.bound * factor)
        return attrs.evolve(self, setting=attrs.evolve(self.setting, X=rows, y=labels))

    def blocks(self, table: Any) -> list[Block]:
        """A table as executions read it."""
        return list(Table.of(self.setting, table.X, table.y, drop=False).blocks())

    def block(self, n: int, d: int) -> Block:
        """n random records, some far outside their bounds."""
        return self.blocks(self.space.random_table(n, d, self.rng))[0]

    def moves(self, pair: Neighbours) -> dict[Norm, tuple[float, float]]:
        """The move by a pair and its stated bound, in each norm that has one."""
        first, second = (value_of(self.node, self.blocks(one)) for one in pair.tables)
        n, d = pair.tables[0].X.shape
        bounds = {norm: self.node.sensitivity(norm) for norm in (L1, L2, OPERATOR, RANGE)}
        size = partial(size_of, first - second, symmetric=self.node.symmetric)
        return {
            norm: (size(norm), worth(bound.value, d, n))
            for norm, bound in bounds.items()
            if bound is not None
        }


STORED = "its fields are formulas, exact numbers or names, as certificates store them"
EXACT = "Write Fraction(1, 2) for 0.5; a class with other fields defines `record`."


@STATISTIC.holds(STORED, EXACT)
@MAP.holds(STORED, EXACT)
def _stored(checked: CheckedNode) -> Contradictions:
    try:
        checked.node.record()
    except InvalidArgument as error:
        yield f"{error.name} = {error.value}"


WHOLE = "its block is a whole number of its step, where it states a step"
COUNTED = (
    "Divide by the step in `block`, and read rows and labels through the converter `gridded`; or "
    "state no step."
)
STATISTIC.raised[NotWhole] = WHOLE, COUNTED


@STATISTIC.holds(
    "its value is finite, of its shape, and symmetric where it says so", "See `shape`."
)
def _shape(checked: CheckedNode) -> Contradictions:
    for n, d in itertools.product((0, 1, 7), checked.widths):
        shape = tuple(round(worth(size, d, n)) for size in checked.node.shape)
        value = value_of(checked.node, [checked.block(n, d)])
        mirrored = not checked.node.symmetric or np.array_equal(value, value.T)
        if value.shape != shape:
            yield f"an array of shape {value.shape}, where {shape} is stated"
        elif not np.isfinite(value).all():
            block = getattr(type(checked.node), "block", None)
            missing = isinstance(checked.node, RecordSum) and block is RecordSum.block
            why = "its class has no method block" if missing else "not finite"
            yield f"{value} of {n} rows and {d} columns: {why}"
        elif not mirrored:
            yield f"a matrix that is not symmetric, where symmetric = {checked.node.symmetric}"


@STATISTIC.holds(WHOLE, COUNTED)
def _whole(checked: CheckedNode) -> Contradictions:
    """Computed values raise NotWhole otherwise."""
    for d in checked.widths if checked.node.step is not None else ():
        block = checked.block(60, d)
        labels = None if block.labels is None else block.labels * SHARE
        value_of(checked.node, [block, Block(block.rows, labels)])
    yield from ()


@STATISTIC.holds(
    "it is a sum over blocks: neither order nor cuts of a table change it",
    "Let `block` sum over the rows of its block. What is no sum is a Statistic or Searched.",
)
def _sum(checked: CheckedNode) -> Contradictions:
    for d in checked.widths if isinstance(checked.node, RecordSum) else ():
        whole = checked.block(9, d)
        value = value_of(checked.node, [whole])
        for windows in ((0, 2, 2, 9), (9, 4, 0)):
            cuts = [whole.only(slice(*sorted(ends))) for ends in itertools.pairwise(windows)]
            parts = value_of(checked.node, cuts)
            if np.max(np.abs(parts - value), initial=0.0) > TINY * (1 + np.max(np.abs(value))):
                yield f"{parts} in parts and {value} together"


@STATISTIC.holds("neighbours move it no further than its sensitivity", "State more in `one_row`.")
def _moves(checked: CheckedNode) -> Contradictions:
    smaller = checked.at_bounds(Fraction(1, 4)).under(checked.setting.grid, *Relation)
    for one in (*checked.under(checked.setting.grid, *Relation), *smaller):

        def ratio(pair: Neighbours, one: CheckedNode = one) -> float:
            return max((far / max(most, TINY) for far, most in one.moves(pair).values()), default=0)

        pair = searched(one.space, ratio, one.rng, one.widths)[0]
        for norm, (far, most) in one.moves(pair).items():
            if far > most * ROOM + TINY:
                yield f"{far:.6g} in {norm}, where {most:.6g} is stated, for {pair}"


@STATISTIC.holds(
    "what it calls attained is attained where a record is added",
    "Leave `attained` False: it lets the verifier refute.",
)
def _attained(checked: CheckedNode) -> Contradictions:
    for one, d in itertools.product(checked.under(None, ADD_REMOVE), checked.widths):
        moves = [one.moves(pair) for pair in (*one.space.pairs(d), *_apart(one.space, d))]
        alone = [worth(size, d) for size in one.node.shape] == [1]  # no two entries move apart
        for norm in (n for n in moves[0] if n is not RANGE or not alone):
            far, most = max(move[norm] for move in moves)
            if one.node.sensitivity(norm).attained and far < ATTAINED * most:
                yield f"{far:.6g} in {norm}, where {most:.6g} is stated"


def _apart(space: Space, d: int) -> Iterator[Neighbours]:
    """One record more, whose first entry rises and whose second falls."""
    direction = np.array([1.0, -1.0, *[0.0] * d])[:d]
    for label in space.labels:
        yield space.pair(space.row(direction, label), None, [], "no other row")


@MAP.holds("every row or label that it makes is inside its bounds", "See `norm` and `bound`.")
def _bounds(checked: CheckedNode) -> Contradictions:
    node = checked.node
    for d in checked.widths:
        block = checked.block(60, d)
        mapped = np.asarray(_views(node, block).real(node))
        if isinstance(node, RowsNode):
            if mapped.shape != (len(block.rows), worth(node.columns, d)):
                yield f"an array of shape {mapped.shape}"
            norms = {2: node.norm, 1: node.norm1, math.inf: node.entry}
            bounds = [(np.linalg.norm(mapped, k, axis=1), norms[k]) for k in norms]
        else:
            bounds = [(abs(mapped), node.bound)]
        for lengths, most in bounds:
            if most is not None and not (lengths <= worth(most, d) * ROOM).all():
                yield f"{np.max(lengths):.6g}, where {most} is stated"


@MAP.holds(
    "it maps each record by itself, to the same bits, and leaves its block as it is",
    "Use no sum, mean or product over the records of a block, and make a new array.",
)
def _alone(checked: CheckedNode) -> Contradictions:
    node = checked.node
    for d in checked.widths:
        block = checked.block(20, d)
        mapped = _views(node, block)
        for i, among in enumerate(mapped[node]):
            (alone,) = _views(node, block.only(slice(i, i + 1)))[node]
            if not np.array_equal(alone, among):
                yield f"{alone} alone and {among} among {len(block.rows)} records"
        if isinstance(node, OfOne):
            source = np.array(mapped.real(node.inputs[0]))
            source.flags.writeable = False
            node.apply(source, partial(worth, d=d))
