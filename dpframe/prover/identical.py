"""Are two declarations the same algorithm? Same graph, and every formula equal for all parameter
values, by exact algebra.
"""

from __future__ import annotations

from itertools import chain, starmap

import attrs

from dpframe.graph import Graph, Node, Post, Regression, Release, Setting
from dpframe.privacy import Guarantee
from dpframe.symbols import ONE, Expression

from .algebra import Field


@attrs.frozen
class GraphComparison:
    """`differences` is empty where the graphs, statistics, noise, shares and post-processing are
    identical.
    """

    differences: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __str__(self) -> str:
        """`identical`, or each difference on its line."""
        same = "identical: graph, noise, shares and post-processing, for all parameter values"
        return "\n".join(self.differences) or same


def identical(
    first: Regression, second: Regression, *, target: Guarantee, setting: Setting
) -> GraphComparison:
    """Compare two declarations under one target and setting: the kind of noise and its formulas,
    not the theorem that calibrates it.
    """
    a, b = (regression.graph(setting, target.budget) for regression in (first, second))
    first_shape, second_shape = (([one.kind for one in g.nodes], _wiring(g)) for g in (a, b))
    if first_shape != second_shape:
        return GraphComparison(("the graphs have different nodes or edges",))
    pairs = zip(a.nodes, b.nodes, strict=True)
    return GraphComparison(tuple(chain.from_iterable(starmap(_differences, pairs))))


def _wiring(graph: Graph) -> list[list[int]]:
    places = {node: index for index, node in enumerate(graph.nodes)}
    return [[places[node] for node in reader.inputs] for reader in graph.nodes]


def _differences(one: Node, other: Node) -> list[str]:
    if isinstance(one, Release) and isinstance(other, Release):
        if one.noise is not other.noise:
            return [f"{one.label}: {one.noise.kind} against {other.noise.kind}"]
        unequal = (pair for pair in _release_formulas(one, other).items() if not equal(*pair[1]))
        return [f"{one.label}: {name}: {a} against {b}" for name, (a, b) in unequal]
    if isinstance(one, Post) and isinstance(other, Post):
        return _post_differences(one, other)
    records = one.record(), other.record()
    return [] if records[0] == records[1] else [f"{one.label}: {records[0]} against {records[1]}"]


def _rate(release: Release) -> Expression:
    return ONE if release.sampled is None else release.sampled


def _release_formulas(one: Release, other: Release) -> dict[str, tuple[Expression, Expression]]:
    formulas = {
        one.mechanism.noise: (one.mechanism.formula, other.mechanism.formula),
        "times": (one.times, other.times),
        "sampled": (_rate(one), _rate(other)),
    }
    formulas |= {name: (law, other.parameters[name]) for name, law in one.parameters.items()}
    a, b = one.share, other.share
    if a is not None and b is not None and a.currency == b.currency:
        names = [f"share of {name}" for name in a.currency]
        formulas |= dict(zip(names, zip(a.amounts, b.amounts, strict=True), strict=True))
    return formulas


def _post_differences(one: Post, other: Post) -> list[str]:
    if one.function is not other.function or len(one.arguments) != len(other.arguments):
        return [f"{one.label} against {other.label}"]
    pairs = zip(one.arguments, other.arguments, strict=True)
    unequal = ((a, b) for a, b in pairs if not (isinstance(a, Node) or equal(a, b)))
    return [f"{one.label}: argument {a} against {b}" for a, b in unequal]


def equal(a: object, b: object) -> bool:
    """Whether two values are the same; two formulas, both positive, for all parameter values."""
    if a == b or not (isinstance(a, Expression) and isinstance(b, Expression)):
        return a == b
    return Field(a.symbols() | b.symbols()).equal(a, b)
