"""Sums that were read already: residuals at coefficients of zero are labels, and what is clipped
alike has the same sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Node
from dpframe.graph.maps.residuals import ResidualLabels
from dpframe.graph.node import DataNode
from dpframe.graph.rewriting import rebuilt
from dpframe.graph.statistics import RecordSum
from dpframe.symbols import Expression

from .behind import behind, ours
from .numbers import PublicNumbers

Names = tuple[tuple[str, Expression], ...]


@attrs.frozen(eq=False)
class Alike:
    """Which sums are the same to the last bit, given what was released: those whose formulas differ
    in names of released numbers only, equal ones, and in residuals at zero for labels. `names` has
    for every number the first of its value; `zeros` are the residuals that are labels.
    """

    names: Names
    zeros: frozenset[Node]

    @classmethod
    def of(cls, graph: Graph, numbers: PublicNumbers, released: Mapping[Node, Any]) -> Alike:
        """By what was released and learned so far."""
        first: dict[Fraction, Expression] = {}
        names = tuple(
            (node.name, first.setdefault(numbers.learned[node.name], node.symbol))
            for node in graph.known
            if node.name in numbers.learned
        )
        residuals = (node for node in graph.nodes if type(node) is ResidualLabels)
        return cls(names, frozenset(one for one in residuals if _zero(one, numbers, released)))

    def at_zero(self, summed: Node) -> bool:
        """Whether it is made of residuals at zero, and of nothing that was written elsewhere."""
        return not self.zeros.isdisjoint(behind(summed)) and ours(summed)

    def first(self, summed: RecordSum, before: Iterable[Node]) -> Node | None:
        """The first of the sums `before` that is the same as one of residuals at zero."""
        wanted = self._plain_or_none(summed)
        kinds = (one for one in before if type(one) is type(summed) and ours(one))
        alike = (one for one in kinds if self._plain_or_none(one) == wanted)
        same: Any = next(alike, None) if wanted is not None else None
        return None if same is None or (same.step is None) != (summed.step is None) else same

    def _plain_or_none(self, summed: Node) -> Any:
        try:
            return plain(summed, self.names, self.zeros)
        except InvalidArgument:  # a map that refuses the other name, by its range
            return None


@lru_cache(maxsize=512)
def plain(node: Any, names: Names, zeros: frozenset[Node]) -> Any:
    """The node with the first names of numbers, and residuals at zero as labels."""
    if node in zeros:
        return plain(node.source, names, zeros)
    return rebuilt(node, partial(_named, names, zeros))


def _named(names: Names, zeros: frozenset[Node], part: Any) -> Any:
    if isinstance(part, DataNode):
        return plain(part, names, zeros)
    return part.substitute(dict(names)) if isinstance(part, Expression) else part


def _zero(node: ResidualLabels, numbers: PublicNumbers, released: Mapping[Node, Any]) -> bool:
    """Whether residuals are labels minus nothing."""
    theta = released.get(node.theta)
    if type(theta) is not np.ndarray or theta.dtype.kind != "f" or np.any(theta):
        return False
    return bool(theta.shape == (numbers.up(node.rows.columns),))
