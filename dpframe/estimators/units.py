"""From coefficients on scaled rows to the units of the codebook: public affine maps, undone.

Post-processing of what was released: it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Categorical, Column, Graph, Numeric, RowsNode, Setting
from dpframe.graph.maps.base import RowMap
from dpframe.graph.maps.bounds import Box, ClipNorm, Intercept
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.schema import Encoded
from dpframe.sources.table import Block
from dpframe.symbols import Expression

Array = NDArray[Any]
Numbers = Callable[[Expression], float]


@attrs.frozen
class Scale:
    """x = centre + half z, for z in [-1, 1]."""

    centre: float = 0.0
    half: float = 1.0

    @classmethod
    def of(cls, lower: Any, upper: Any) -> Scale:
        """[lower, upper] onto [-1, 1]."""
        return cls(float(lower + upper) / 2, float(upper - lower) / 2)


@attrs.frozen(eq=False)
class Linear:
    """Coefficients (p,), intercept, and one name a coefficient."""

    coefficients: Array
    intercept: float
    names: tuple[str, ...]


def row_maps(graph: Graph, setting: Setting) -> tuple[RowMap, ...]:
    """The maps of rows before every statistic, in order; the setting's where statistics differ.

    But for the grid, which moves a row by less than is shown.
    """
    nodes = [node for node in graph.nodes if isinstance(node, RowsNode)]
    last = [node for node in nodes if not any(node in other.inputs for other in nodes)]
    chain = tuple(_chain(last[0] if len(last) == 1 else setting.nodes()[0]))[::-1]
    if not all(isinstance(node, RowMap) for node in chain):  # made of more than the features
        chain = tuple(_chain(setting.nodes()[0]))[::-1]
    maps = (node for node in chain if isinstance(node, RowMap))
    return tuple(node for node in maps if not isinstance(node, OnGrid))


def _chain(node: Any) -> Iterator[RowsNode]:
    while node.inputs:
        yield node
        node = node.inputs[0]


def mapped(block: Block, maps: tuple[RowMap, ...], number: Numbers) -> Array:
    """The rows as the statistics see them, shape (m, p)."""
    rows = block.rows
    for each in maps:
        rows = each.apply(rows, number)
    return rows


def label_scale(column: Column | None) -> Scale:
    """How labels were scaled: not at all where they were only clipped to a bound."""
    if column is None or column.lower is None:
        return Scale()
    return Scale.of(column.lower, column.upper)


def linear(
    theta: Array, maps: tuple[RowMap, ...], names: tuple[str, ...], label: Scale, number: Numbers
) -> Linear:
    """The fit in label units and, where only the codebook scaled the features, in theirs.

    Rows inside every declared bound have predictions x @ coefficients + intercept. `names` are
    those of the table's columns. After other maps (normalised rows, say) the coefficients stay
    those of the mapped rows.
    """
    intercept = 0.0
    if maps and isinstance(maps[-1], Intercept) and _known(maps[:-1]):
        intercept, theta, maps = float(theta[-1]) * number(maps[-1].value), theta[:-1], maps[:-1]
    schema = maps[0].schema if maps and isinstance(maps[0], Encoded) and _known(maps) else ()
    if schema:
        names = tuple(name for part in schema for name in _names(part))
        ends = np.cumsum([part.width for part in schema])[:-1]
        found = [_own(part, own) for part, own in zip(schema, np.split(theta, ends), strict=True)]
        theta = np.concatenate([own for own, _ in found])
        intercept += sum(beside for _, beside in found)
    if len(names) != len(theta):
        names = tuple(f"coefficient {j}" for j in range(len(theta)))
    return Linear(label.half * theta, label.centre + label.half * intercept, names)


def _known(maps: tuple[RowMap, ...]) -> bool:
    """Whether the maps are affine inside the bounds: codebook's scaling first, then clipping."""
    return all(isinstance(each, (Box, ClipNorm)) or each is maps[0] for each in maps) and (
        not maps or isinstance(maps[0], (Encoded, Box, ClipNorm))
    )


def entry_bound(maps: tuple[RowMap, ...], number: Numbers) -> float:
    """How far entries of mapped rows reach to either side of 0; 1 after a codebook."""
    kept = [each for each in maps if not isinstance(each, Intercept)]
    if not kept or any(isinstance(each, Encoded) for each in kept):
        return 1.0
    bound = kept[-1].radius if kept[-1].entry is None else kept[-1].entry
    return number(bound)


def _own(part: Numeric | Categorical, theta: Array) -> tuple[Array, float]:
    """Coefficients of a column of the table from those of its coding (width,), and what they add to
    the intercept: a slope, or what each level adds to the baseline.
    """
    if isinstance(part, Numeric):
        scale = Scale.of(part.lower, part.upper)
        slope = theta / scale.half
        return slope, -scale.centre * float(slope[0])
    if part.baseline is None:
        return theta, 0.0
    added = part.coding @ theta
    first = part.levels.index(part.baseline)
    return np.delete(added, first) - added[first], float(added[first])


def _names(part: Numeric | Categorical) -> list[str]:
    if isinstance(part, Numeric):
        return [part.name]
    shown = list(part.levels)
    if part.baseline is not None:
        del shown[shown.index(part.baseline)]
    return [f"{part.name}[{level}]" for level in shown]


def predictions(blocks: Iterator[Array], theta: Array, label: Scale) -> Array:
    """Predicted labels, shape (n,), block by block."""
    parts = [label.centre + label.half * (rows @ theta) for rows in blocks]
    return np.concatenate(parts)
