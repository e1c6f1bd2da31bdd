"""The best of a random number of private runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import RELEASED, rational
from dpframe.theory.procedures import TIMES

from ..graph import Graph
from ..node import Node, Reading
from ..procedure import Procedure
from ..rows import ColumnNode, RowsNode

LEAST = Fraction(1, 1000)


def _stop(value: object) -> Fraction:
    gamma = rational(value, "gamma")
    if not LEAST <= gamma <= 1:
        way_out = "After each run, the search stops with probability gamma: 1/gamma runs are made."
        raise InvalidArgument("gamma", f"a number from {LEAST} to 1", value, way_out)
    return gamma


def _graphs(value: Any) -> tuple[Graph, ...]:
    graphs = tuple(Graph.of(graph.output) for graph in value)  # derived here, whatever is given
    if not graphs or any(len(graph.outputs) != 2 for graph in graphs):
        way_out = (
            "Graph.of((fit, score)) makes one; dp.regressions.Tuned makes one for each candidate."
        )
        raise InvalidArgument("graphs", "at least one, with a fit and a score each", value, way_out)
    for graph in graphs:
        if any(RELEASED in f.scope for node in graph.nodes for f in node.formulas.values()):
            way_out = "Tune a declaration whose noise and bounds are public before it runs."
            wanted = "free of bounds that are released"
            raise InvalidArgument("of", wanted, graph.outputs[0], way_out)
    return graphs


@attrs.frozen(eq=False)
class RandomStopping(Procedure):
    """Repeated runs, each of a graph drawn from `graphs` and executed with fresh noise; after each
    run the search stops with probability `gamma`. The fit of the run with the lowest score is
    released.

    If each graph, its score included, is epsilon-DP, the result is 3 epsilon-DP, for every gamma.
    Every run reads the table anew (see `dpframe.execution.running`). [LiuT19; PapernotS22, Cor 3]
    Proof page: proofs/tuning.
    """

    kind: ClassVar[str] = "random_stopping"
    summary: ClassVar[str] = "best of runs"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: RowsNode
    column: ColumnNode
    graphs: tuple[Graph, ...] = attrs.field(converter=_graphs)
    gamma: Fraction = attrs.field(converter=_stop)
    share: Share
    name: str = ""

    @property
    def within(self) -> tuple[Node, ...]:
        """All nodes of its graphs."""
        return tuple(node for graph in self.graphs for node in graph.nodes)

    @property
    def each(self) -> PureDP:
        """The guarantee that every graph must satisfy."""
        return PureDP(self.share.epsilon / TIMES)

    @property
    def exact(self) -> bool:  # type: ignore[override]  # its graphs say
        """Whether every release of its graphs is exact."""
        return all(charged.exact for graph in self.graphs for charged in graph.charged)

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Every formula of its graphs."""
        return {
            f"{name} of {node.label} in run {i}.{k}": Reading(formula)
            for i, graph in enumerate(self.graphs)
            for k, node in enumerate(graph.nodes)
            for name, formula in node.formulas.items()
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """Its share, its name, gamma, and every graph with its formulas."""
        graphs = [[list(graph.records), graph.output_ids] for graph in self.graphs]
        own = {name: value for name, value in super().parameters.items() if name != "formulas"}
        return {**own, "gamma": str(self.gamma), "graphs": graphs}
