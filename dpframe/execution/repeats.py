"""Sums that were read already: residuals at coefficients of zero are labels, and what is clipped
alike has the same sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Known, Node
from dpframe.graph.maps.residual_labels import ResidualLabels
from dpframe.graph.node import DataNode
from dpframe.graph.rebuilding import rebuilt
from dpframe.graph.statistics import BlockSum
from dpframe.symbols import Expression

from .behind import behind, ours
from .numbers import PublicNumbers


@attrs.frozen(eq=False)
class Alike:
    """Which sums are the same to the last bit, given what was released: those whose formulas differ
    in names of released numbers only, equal ones, and in residuals at zero for labels. `names` has
    for every number the first of its value.
    """

    names: Mapping[str, Expression]
    numbers: PublicNumbers
    released: Mapping[Node, Any]

    @classmethod
    def of(cls, graph: Graph, numbers: PublicNumbers, released: Mapping[Node, Any]) -> Alike:
        """By the numbers that were learned so far."""
        first: dict[Fraction, Expression] = {}
        names = {
            node.name: first.setdefault(numbers.learned[node.name], node.symbol)
            for node in graph.nodes
            if isinstance(node, Known) and node.name in numbers.learned
        }
        return cls(names, numbers, released)

    def at_zero(self, summed: Node) -> bool:
        """Whether it is made of residuals at zero, and of nothing that was written elsewhere."""
        made_of = list(behind(summed))
        return ours(made_of) and any(map(self._zero, made_of))

    def first(self, summed: BlockSum, before: Iterable[Node]) -> Node | None:
        """The first of the sums `before` that is the same as one of residuals at zero."""
        wanted = self._plain_or_none(summed)
        kinds = (one for one in before if type(one) is type(summed) and ours(behind(one)))
        alike = (one for one in kinds if self._plain_or_none(one) == wanted)
        same: Any = next(alike, None) if wanted is not None else None
        return None if same is None or (same.step is None) != (summed.step is None) else same

    def _plain_or_none(self, summed: Node) -> Any:
        try:
            return self._plain(summed)
        except InvalidArgument:  # a map that refuses the other name, by its range
            return None

    def _plain(self, node: Any) -> Any:
        """The node with the first names of numbers, and residuals at zero as labels."""
        if self._zero(node):
            return self._plain(node.source)
        return rebuilt(node, self._named)

    def _named(self, part: Any) -> Any:
        if isinstance(part, DataNode):
            return self._plain(part)
        return part.substitute(self.names) if isinstance(part, Expression) else part

    def _zero(self, node: Node) -> bool:
        """Whether a node is labels minus nothing."""
        if type(node) is not ResidualLabels:
            return False
        theta = self.released.get(node.theta)
        if type(theta) is not np.ndarray or theta.dtype.kind != "f" or np.any(theta):
            return False
        return bool(theta.shape == (self.numbers.up(node.rows.columns),))
