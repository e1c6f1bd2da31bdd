"""Convert coefficients of scaled rows to the units of the codebook, by inverting public affine
maps. This is post-processing and costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NoReturn

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DataWarning, InvalidArgument, Plain, warn
from dpframe.graph import (
    Categorical,
    Column,
    ColumnNode,
    Graph,
    Node,
    Numeric,
    Rows,
    RowsNode,
    Setting,
)
from dpframe.graph.formulas import multiplied
from dpframe.graph.maps.base import RowMap
from dpframe.graph.maps.bounds import (
    Box,
    ClipNorm,
    Encoded,
    Intercept,
    ShrunkLabels,
    ToUnitInterval,
)
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.maps.scaled import Scaled, ScaledColumns
from dpframe.graph.maps.weighted import RecordWeights, Weighing
from dpframe.graph.statistics.base import Statistic
from dpframe.graph.statistics.combined import Linear as LinearStatistic
from dpframe.inference.row_set import RowSet
from dpframe.prover import Certificate
from dpframe.sources.table import Block
from dpframe.symbols import Expression, constant

Array = NDArray[Any]
Numbers = Callable[[Expression], float]
Part = Numeric | Categorical
AS_IT_IS = ((1, 0), (constant(1), constant(0)))  # no scale; the divisor and shift of labels
UNDONE = (
    "Do not scale labels: coef_ inverts the scaling of dp.Column(lower=..., upper=...), of X / c "
    "and of X.scaled_columns(...). A scaling by a released number or array must be inverted in the "
    "function of dp.post(...) that computes the coefficients: pass the number there. Weight X and "
    "y equally, X.weighted(w), y.weighted(w), and clip X if y.shrunk_with(X, norm=R) shrinks "
    "labels. dp.execute(certificate, X, y) runs any declaration."
)


@attrs.frozen
class AffineScale:
    """x = centre + half z, for z in [-1, 1]."""

    centre: float = 0.0
    half: float = 1.0

    @classmethod
    def of(cls, lower: Any, upper: Any) -> AffineScale:
        """The scale that maps [lower, upper] to [-1, 1]."""
        return cls(float(lower + upper) / 2, float(upper - lower) / 2)


@attrs.frozen(eq=False)
class Coefficients:
    """Coefficients (p,), intercept, and one name per coefficient; for a codebook also the length
    and text of each declared range: `(46.0, "18 to 64")` for a number, `(1.0, "")` for a level.
    """

    coefficients: Array
    intercept: float
    names: tuple[str, ...]
    ranges: tuple[tuple[float, str], ...] = ()


def row_maps(graph: Graph, setting: Setting) -> tuple[RowMap, ...]:
    """The maps of the rows that are multiplied with labels, in order; the setting's if there are
    several chains, or if rows are made from more than features. The grid is omitted: it moves a row
    by less than is printed.
    """
    last = _chains(graph, RowsNode, ColumnNode)
    if len(last) != 1 or not all(isinstance(node, RowMap) for node in last[0][:-1]):
        last = [_chain(setting.nodes()[0], RowsNode)]
    maps = (node for node in reversed(last[0]) if isinstance(node, RowMap))
    return tuple(node for node in maps if not isinstance(node, OnGrid))


def _chains(graph: Graph, kind: type, other: type) -> list[list[Any]]:
    """The chain of maps of each rows node that is multiplied with labels (or labels node multiplied
    with rows), that of the table last; if there are none, of all rows or labels nodes.
    """
    pairs = _pairs(graph, kind, other)
    beside = {node: None for node, _ in pairs}
    chains = [_chain(node, kind) for node in beside or graph.of_kind(kind)]
    before = {node for chain in chains for node in chain[1:]}
    return [chain for chain in chains if chain[0] not in before]


def _pairs(graph: Graph, kind: type, other: type) -> list[tuple[Any, Any]]:
    """The pairs of an input of one kind and an input of the other kind to the same node."""
    of = ((one.inputs, (kind, other)) for one in graph.nodes)
    read = ([[n for n in inputs if isinstance(n, one)] for one in kinds] for inputs, kinds in of)
    return [pair for both in read for pair in product(*both)]


def _chain(node: Any, kind: type) -> list[Any]:
    chain = [node]
    while above := [one for one in chain[-1].inputs if isinstance(one, kind)]:
        chain.append(above[0])
    return chain


def check_undone(certificate: Certificate, kind: type, other: type) -> None:
    """Refuse coefficients in units private to the declaration: each scaling of the rows and labels
    that are multiplied must be inverted here or read by post-processing. Raises InvalidArgument.
    """
    graph = certificate.graph
    _check_weights(certificate)
    labels = certificate.setting.nodes()[1]
    given = [] if labels is None else _chain(labels, ColumnNode)
    undone = {*row_maps(graph, certificate.setting), *given}
    read = {part for one in graph.calls for part in _parts(one.arguments)}
    for chain in _chains(graph, kind, other):
        scales = [(one, _affine(one)) for one in reversed(chain) if one not in undone]
        scales = [(one, scale) for one, scale in scales if scale not in AS_IT_IS]
        unread = [(one, scale) for one, scale in scales if read.isdisjoint(_parts(scale))]
        if kind is RowsNode and len(unread) < len(scales):
            continue  # a function that undoes a released scale of rows undoes public ones with it
        if len(unread) == len(scales) and _together(scale for _, scale in scales) == AS_IT_IS[1]:
            continue
        if unread:
            _refuse(certificate, f"does not undo {unread[0][0].label!r} of {unread[0][0].spoken}")


def _affine(one: Node) -> tuple[Any, Any]:
    """The divisor that a node applies to rows or labels, and the shift subtracted before."""
    if isinstance(one, ToUnitInterval):
        return (one.upper - one.lower) / constant(2), (one.upper + one.lower) / constant(2)
    return getattr(one, "by", 1), getattr(one, "minus", 0)


def _together(scales: Iterable[tuple[Any, Any]]) -> tuple[Any, Any] | None:
    """Divisor and shift of a chain of scales; None if they are not single numbers."""
    by, minus = AS_IT_IS[1]
    for divisor, shift in scales:
        if not (isinstance(divisor, Expression) and isinstance(shift, Expression)):
            return None
        by, minus = by * divisor, minus + by * shift
    return by, minus


def _check_weights(certificate: Certificate) -> None:
    """Refuse records whose rows and labels have different weights: no scale says by how much
    coefficients are off. Raises InvalidArgument.
    """
    for rows, labels in _pairs(certificate.graph, RowsNode, ColumnNode):
        X, y = _chain(rows, RowsNode), _chain(labels, ColumnNode)
        if any(isinstance(one, RecordWeights) for one in y):
            continue  # sums of weights, of no label
        weights = [{one.weight for one in chain if isinstance(one, Weighing)} for chain in (X, y)]
        if weights[0] != weights[1]:
            _refuse(certificate, "weighs rows and labels differently")
        clips = {(one.source, one.norm) for one in X if isinstance(one, ClipNorm)}
        for one in y:
            if isinstance(one, ShrunkLabels) and (one.rows, one.norm) not in clips:
                _refuse(certificate, f"shrinks labels as if rows were clipped to norm {one.norm}")


def _refuse(certificate: Certificate, what: str) -> NoReturn:
    got = Plain(f"{type(certificate.regression).__name__}, which {what}")
    wanted = "one with coefficients in the units of the given rows and labels"
    raise InvalidArgument("regression", wanted, got, UNDONE)


def _parts(arguments: Iterable[object]) -> Iterator[object]:
    """The nodes among the arguments, and the symbols of formulas with the nodes behind them."""
    for one in arguments:
        if isinstance(one, Node):
            yield one
        elif isinstance(one, Expression):
            for symbol in one.symbols():
                yield symbol
                yield from _parts([getattr(symbol.origin, "value", None)])


def in_one_unit(graph: Graph) -> bool:
    """Whether X'X and X'y are released with one common factor; otherwise their solution is in other
    units, unless a function inverts it.
    """
    factored = [_factored(one.statistic) for one in graph.releases]
    both = (RowsNode, ColumnNode)
    solved = (
        factor
        for factor, of in factored
        if len(of.shape) > 1 or all(any(isinstance(n, k) for n in of.inputs) for k in both)
    )
    return len(set(solved)) < 2


def _factored(statistic: Statistic) -> tuple[Expression, Statistic]:
    """A public factor and the statistic that it multiplies."""
    if isinstance(statistic, LinearStatistic) and len(statistic.parts) == 1:
        return statistic.coefficients[0], statistic.parts[0]
    return constant(1), statistic


def own_maps(certificate: Certificate) -> list[str]:
    """The maps of rows that a declaration applies beyond the setting, in order, in words."""
    chain = _chains(certificate.graph, RowsNode, ColumnNode)[0]
    before = _chain(certificate.setting.nodes()[0], RowsNode)
    own = [one for one in reversed(chain) if one not in before and not isinstance(one, OnGrid)]
    return [getattr(one, "words", one.label) for one in own]


def mapped(block: Block, maps: tuple[RowMap, ...], number: Numbers) -> Array:
    """The rows as the statistics read them, shape (m, p)."""
    rows = block.rows
    for each in maps:
        rows = each.apply(rows, number)
    return rows


def label_scale(column: Column | None) -> AffineScale:
    """How labels were scaled: not at all if they were only clipped to a bound."""
    if column is None or column.lower is None:
        return AffineScale()
    return AffineScale.of(column.lower, column.upper)


def linear(  # noqa: PLR0917 - coefficients, and the maps of rows and labels
    theta: Array,
    maps: tuple[RowMap, ...],
    names: tuple[str, ...],
    label: AffineScale,
    number: Numbers,
    setting: RowsNode | None,
) -> Coefficients:
    """The fit in the units of the label and, if features were scaled by public numbers only, in
    theirs.

    Rows inside every declared bound have predictions x @ coefficients + intercept. `names` are
    those of the table's columns. Where the indicators of a category sum to 1 in every row, their
    coefficients take up the constant, which is then 0. After other maps
    (normalised rows, or a clip that may move rows of the `setting`) the coefficients are those of
    the mapped rows, and their names end in `(mapped)`; likewise without a `setting`, where the
    units are not known.
    """
    ranges: tuple[tuple[float, str], ...] = ()
    known = None if setting is None else set(_chain(setting, RowsNode))
    original, intercept = (None, 0.0) if known is None else _before(theta, maps, number, known)
    if original is None:
        names = tuple(f"{name} (mapped)" for name in _columns_of(maps, names))
    else:
        theta = original
        if maps and isinstance(maps[0], Encoded):
            terms = _expanded(maps[0].parts, theta)
            intercept += float(terms.pop((), 0.0))
            if whole := next(filter(is_whole, terms), None):  # its levels include the constant
                terms[whole] = terms[whole] + intercept + label.centre / label.half
                intercept = -label.centre / label.half
            names = tuple(name for term in terms for name in _names(term))
            ranges = tuple(_range(term) for term, own in terms.items() for _ in own.ravel())
            theta = np.concatenate([own.ravel() for own in terms.values()])
    if len(names) != len(theta):
        names = tuple(f"coefficient {j}" for j in range(len(theta)))
    intercept = label.centre + label.half * intercept
    return Coefficients(label.half * theta, intercept, names, ranges)


def _before(
    theta: Array, maps: tuple[RowMap, ...], number: Numbers, setting: set[RowsNode]
) -> tuple[Array | None, float]:
    """Coefficients and intercept before all maps but the codebook's, which are affine inside the
    bounds of the `setting`; None and 0 if one is not.
    """
    intercept = 0.0
    for each in reversed(maps):
        if isinstance(each, Scaled) and each.public:
            theta = theta / number(each.by)
        elif isinstance(each, ScaledColumns):
            theta = theta / np.array(each.by, dtype=float)
            intercept -= float(theta @ np.array(each.minus, dtype=float))
        elif isinstance(each, Intercept):
            intercept += float(theta[-1]) * number(each.value)
            theta = theta[:-1]
        elif not (
            (isinstance(each, (Box, ClipNorm)) and (each in setting or not _moves(each, number)))
            or (isinstance(each, Encoded) and each is maps[0])
        ):
            return None, 0.0
    return theta, intercept


def _moves(clip: Box | ClipNorm, number: Numbers) -> bool:
    """Whether a clip may move a row: not if all rows before it are known to be inside."""
    before = clip.source
    bounds = [before.norm] if isinstance(clip, ClipNorm) else [before.entry, before.norm]
    most = clip.norm if isinstance(clip, ClipNorm) else clip.bound
    return not any(one is not None and number(one) <= number(most) for one in bounds)


def _columns_of(maps: tuple[RowMap, ...], names: tuple[str, ...]) -> list[str]:
    """The columns of mapped rows: the coded columns of the codebook, or those of the table, and
    constant ones.
    """
    columns = list(names)
    if isinstance(maps[0], Encoded):
        columns = [":".join(each) for term in maps[0].parts for each in product(*map(_codes, term))]
    return columns + ["intercept"] * sum(isinstance(each, Intercept) for each in maps)


def _codes(part: Part) -> list[str]:
    """The columns that code a column; one per level without a baseline."""
    if isinstance(part, Numeric) or part.baseline is None:
        return _columns(part)
    return [f"{part.name}[code {j + 1}]" for j in range(part.width)]


def entry_bound(maps: tuple[RowMap, ...], number: Numbers) -> float:
    """A bound on |entries| of mapped rows; 1 for a codebook."""
    features = [each for each in maps if not isinstance(each, Intercept)]
    if not features or any(isinstance(each, Encoded) for each in features):
        return 1.0
    bound = features[-1].radius if features[-1].entry is None else features[-1].entry
    return number(bound)


def row_set_of(rows: RowsNode, p: int, number: Numbers) -> RowSet:
    """The set of p-column rows that a setting allows: the hull of the codes of its codebook, or its
    box, intersected with its ball, with its intercept appended.
    """
    corners: tuple[Array, ...] = ()
    value, beside = 0.0, rows
    if isinstance(rows, Intercept):
        value, beside = number(rows.value), rows.source
    for each in reversed(_chain(beside, RowsNode)):
        if isinstance(each, Encoded):
            corners = tuple(map(_corners, each.parts))
        elif isinstance(each, Box):
            most = number(each.bound)
            corners = (np.array([[-most], [most]]),) * (p - bool(value))
        elif isinstance(each, RowMap) and not isinstance(each, (ClipNorm, OnGrid)):
            corners = ()
    norm, own = (math.inf if one is None else number(one) for one in (rows.norm, beside.norm))
    return RowSet(norm, own, corners, value, 0.0 if rows.grid is None else 0.5**rows.grid)


def _corners(term: Sequence[Part]) -> Array:
    """Coded rows, (m, w), whose convex hull contains those of all records: each number at its ends,
    each category at a level or none. A product is linear in each of its factors.
    """
    ends = [np.array([[-1.0], [1.0]]) if isinstance(one, Numeric) else _levels(one) for one in term]
    places = np.indices([len(each) for each in ends]).reshape(len(ends), -1)
    return multiplied([each[place] for each, place in zip(ends, places, strict=True)])


def _levels(part: Categorical) -> Array:
    """The codes of the levels, and that of no level."""
    return np.concatenate([part.coding, np.zeros((1, part.width))])


def is_whole(term: Sequence[Part]) -> bool:
    """Whether the indicators of a term sum to 1 in every row: a coefficient for each level."""
    return all(
        isinstance(one, Categorical) and one.baseline is None and one.unknown == "missing"
        for one in term
    )


def _expanded(terms: Sequence[Sequence[Part]], theta: Array) -> dict[tuple[Part, ...], Array]:
    """Coefficients of products of columns of the table (numbers, and indicators of all levels but
    the baseline), from those of products of their codes: first the terms in the order of `terms`,
    then those that follow from centring; () is the intercept.
    """
    expanded: dict[tuple[Part, ...], Any] = {tuple(term): 0.0 for term in terms}
    known = {frozenset(term): term for term in expanded}
    ends = np.cumsum([prod(part.width for part in term) for term in terms])[:-1]
    for term, own in zip(terms, np.split(theta, ends), strict=True):
        for parts, tensor in _tensors(term, own).items():
            order = known.setdefault(frozenset(parts), parts)
            turned = tensor.transpose([parts.index(part) for part in order])
            expanded[order] = expanded.get(order, 0.0) + turned
    return expanded


def _tensors(term: Sequence[Part], theta: Array) -> dict[tuple[Part, ...], Array]:
    """The same for one term: coefficients of the columns of its parts, one axis per column."""
    tensors: dict[tuple[Part, ...], Array] = {(): theta.reshape([part.width for part in term])}
    for part in term:  # its coded columns are the first axis, those of the table become the last
        constant, slopes = _coding(part)
        split: dict[tuple[Part, ...], Array] = {}
        for parts, tensor in tensors.items():
            split[*parts, part] = np.moveaxis(np.tensordot(slopes, tensor, 1), 0, -1)
            if np.any(constant):
                split[parts] = np.tensordot(constant, tensor, 1)
        tensors = split
    return tensors


def _coding(part: Part) -> tuple[Array, Array]:
    """The coding of a column: constant (width,) + table columns @ slopes (columns, width)."""
    if isinstance(part, Numeric):
        scale = AffineScale.of(part.lower, part.upper)
        return np.array([-scale.centre / scale.half]), np.array([[1 / scale.half]])
    if part.baseline is None:
        return np.zeros(part.width), part.coding
    first = part.levels.index(part.baseline)
    return part.coding[first], np.delete(part.coding, first, axis=0) - part.coding[first]


def _names(term: Sequence[Part]) -> list[str]:
    """`age`, `smoker[yes]`, `bmi:smoker[yes]`: the names of the coefficients of a term, the last
    index varying fastest.
    """
    return [":".join(names) for names in product(*map(_columns, term))]


def names_of(rows: Rows) -> tuple[str, ...]:
    """The names of the coefficients of a codebook and its intercept."""
    names = [name for term in rows.parts for name in _names(term)]
    return (*names, *(["intercept"] if rows.intercept else []))


def baselines_of(rows: Rows) -> tuple[str, ...]:
    """`smoker[no]`, for each baseline of a codebook: the levels without a coefficient."""
    return tuple(
        f"{part.name}[{part.baseline}]"
        for part in rows.columns or ()
        if isinstance(part, Categorical) and part.baseline is not None
    )


def _range(term: Sequence[Part]) -> tuple[float, str]:
    """The range of each number of a term, from its lowest to its highest value; levels go from 0 to
    1.
    """
    ends = [(float(p.lower), float(p.upper)) for p in term if isinstance(p, Numeric)]
    texts = (f"{low:g} to {high:g}" for low, high in ends)
    return prod(high - low for low, high in ends), ", ".join(texts)


def _columns(part: Part) -> list[str]:
    if isinstance(part, Numeric):
        return [part.name]
    shown = list(part.levels)
    if part.baseline is not None:
        del shown[shown.index(part.baseline)]
    return [f"{part.name}[{level}]" for level in shown]


def predictions(blocks: Iterator[Array], theta: Array, label: AffineScale) -> Array:
    """Predicted labels, shape (n,), block by block."""
    parts = [label.centre + label.half * (rows @ theta) for rows in blocks]
    return np.concatenate(parts)


@attrs.frozen
class Outside:
    """Counts the rows with numbers outside the bounds of their `columns`, block by block."""

    columns: Sequence[Numeric | Categorical]
    beyond: list[NDArray[Any]] = attrs.field(factory=list)

    def counted(self, block: Block) -> Block:
        """The block, whose rows are counted."""
        ends = [
            (float(part.lower), float(part.upper))
            if isinstance(part, Numeric)
            else (-np.inf, np.inf)
            for part in self.columns
        ]
        if ends:
            low, high = np.transpose(ends)
            self.beyond.append((block.rows < low) | (block.rows > high))
        return block

    def warn(self) -> None:
        """Warn if there are such rows; each is predicted at the nearer bound."""
        beyond = np.concatenate(self.beyond) if self.beyond else np.zeros((0, 0), dtype=bool)
        outside = int(beyond.any(axis=1).sum())
        if not outside:
            return
        names = [
            f"{part.name} [{float(part.lower):g}, {float(part.upper):g}]"
            for part, any_row in zip(self.columns, beyond.any(axis=0), strict=True)
            if any_row and isinstance(part, Numeric)
        ]
        of_rows = f"{outside:,} of {len(beyond):,} rows to predict"
        warn(f"Clipped to the bounds: {of_rows}, in {', '.join(names)}.", DataWarning)
