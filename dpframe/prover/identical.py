"""Are two declarations the same algorithm? Same graph, and every formula equal for all parameter
values, by exact algebra.
"""

from __future__ import annotations

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
        return (
            "\n".join(self.differences)
            if self.differences
            else "identical: graph, noise, shares and post-processing, for all parameter values"
        )


def identical(
    first: Regression, second: Regression, *, target: Guarantee, setting: Setting
) -> GraphComparison:
    """Compare two declarations under one target and setting: the kind of noise and its formulas,
    not the theorem that calibrates it.
    """
    a, b = (regression.graph(setting, target.budget) for regression in (first, second))
    if [node.kind for node in a.nodes] != [node.kind for node in b.nodes] or _wiring(a) != _wiring(
        b
    ):
        return GraphComparison(("the graphs have different nodes or edges",))
    differences = [
        difference
        for one, other in zip(a.nodes, b.nodes, strict=True)
        for difference in _differences(one, other)
    ]
    return GraphComparison(tuple(differences))


def _wiring(graph: Graph) -> list[list[int]]:
    places = {node: index for index, node in enumerate(graph.nodes)}
    return [[places[node] for node in reader.inputs] for reader in graph.nodes]


def _differences(one: Node, other: Node) -> list[str]:
    if isinstance(one, Release) and isinstance(other, Release):
        if one.noise is not other.noise:
            return [f"{one.label}: {one.noise.kind} against {other.noise.kind}"]
        pairs = {
            f"{one.label}: {name}": pair for name, pair in _release_formulas(one, other).items()
        }
        return [f"{name}: {a} against {b}" for name, (a, b) in pairs.items() if not equal(a, b)]
    if isinstance(one, Post) and isinstance(other, Post):
        return _post_differences(one, other)
    return (
        []
        if one.record() == other.record()
        else [f"{one.label}: {one.record()} against {other.record()}"]
    )


def _rate(release: Release) -> Expression:
    return ONE if release.sampled is None else release.sampled


def _release_formulas(one: Release, other: Release) -> dict[str, tuple[Expression, Expression]]:
    formulas = {
        one.mechanism.noise: (one.mechanism.formula, other.mechanism.formula),
        "times": (one.times, other.times),
        "sampled": (_rate(one), _rate(other)),
    }
    formulas |= {name: (law, other.parameters[name]) for name, law in one.parameters.items()}
    if (
        one.share is not None
        and other.share is not None
        and one.share.currency == other.share.currency
    ):
        pairs = zip(one.share.amounts, other.share.amounts, strict=True)
        names = [f"share of {name}" for name in one.share.currency]
        formulas |= dict(zip(names, pairs, strict=True))
    return formulas


def _post_differences(one: Post, other: Post) -> list[str]:
    if one.function is not other.function or len(one.arguments) != len(other.arguments):
        return [f"{one.label} against {other.label}"]
    pairs = [
        (a, b)
        for a, b in zip(one.arguments, other.arguments, strict=True)
        if not isinstance(a, Node)
    ]
    return [
        f"{one.label}: argument {a} against {b}"
        for a, b in pairs
        if not (equal(a, b) if isinstance(a, Expression) and isinstance(b, Expression) else a == b)
    ]


def equal(a: Expression, b: Expression) -> bool:
    """Whether two formulas, both positive, are shown to be the same for all parameter values."""
    return a == b or Field(a.symbols() | b.symbols()).equal(a, b)
