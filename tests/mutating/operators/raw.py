"""Values that are read from the data, without noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from dpframe.graph import DataNode, Loop, Node, Post, Release
from dpframe.graph.maps.bounds import Box, ClipNorm
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.rewriting import Replacement
from dpframe.graph.statistics import Gram, LambdaMin, RawAggregate
from dpframe.symbols import Expression

from ..subject import Change, Operator, Subject, keep

Function = Post | Loop
FEW = 3  # releases of a graph that are tried; all are judged by the same rule


def _posts(subject: Subject) -> Iterator[Function]:
    yield from (one for one in subject.nodes if isinstance(one, (Post, Loop)))


def _put(index: int, value: object) -> Replacement:
    """Another argument of a function."""

    def change(one: Any) -> Any:
        arguments = (*one.arguments[:index], value, *one.arguments[index + 1 :])
        return attrs.evolve(one, arguments=arguments)

    return change


def _put_raw(index: int) -> Replacement:
    """The statistic under a release, as it was built again: it may read what was released."""
    return lambda one: _put(index, one.arguments[index].statistic)(one)


def _read_raw(subject: Subject) -> Iterator[Change]:
    for one in _posts(subject):
        for index, argument in enumerate(one.arguments):
            if isinstance(argument, Release):
                change = {one: _put_raw(index)}
                yield Change(f"{argument.label} -> {one.label}", partial(subject.replaced, change))


def _labels(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.outputs:
        if subject.y is not None:
            yield Change(one.label, partial(_beside, subject, joined, one, subject.y))


def _beside(subject: Subject, function: Callable[..., Any], one: Node, raw: Node) -> Any:
    """The output, in which a function reads one of its parts and data beside it."""
    return tuple(
        Post(function, (found, raw)) if found is one else found for found in subject.graph.outputs
    )


def joined(found: Any, raw: Any) -> Any:
    """Both."""
    return found, raw


def branched(found: Any, raw: Any) -> Any:
    """Nothing where the data are zeros somewhere: control flow on the data."""
    return found if raw.all() else None


def chosen(found: Any, raw: Any) -> Any:
    """The released coefficients of columns that the data chose."""
    return getattr(found, "coefficients", found), raw


def _branch(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.outputs[:1]:
        for release in subject.graph.releases[:1]:
            raw = release.statistic
            yield Change(one.label, partial(_beside, subject, branched, one, raw))


def _selection(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.outputs[:1]:
        raw = RawAggregate("selected", subject.X)
        yield Change(one.label, partial(_beside, subject, chosen, one, raw))


def _penalty(subject: Subject) -> Iterator[Change]:
    grams = [one for one in subject.nodes if isinstance(one, Gram)]
    for one in _posts(subject):
        public = [i for i, a in enumerate(one.arguments) if isinstance(a, Expression)]
        for index in public[:1] if grams else ():
            raw = LambdaMin(grams[0]).__expression__()
            yield Change(
                f"argument {index + 1} of {one.label}",
                partial(subject.replaced, {one: _put(index, raw)}),
            )


def _outputs(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases[:FEW]:
        yield Change(one.label, partial(subject.beside, one.statistic))


def _noise(factor: Callable[[Subject], Expression]) -> Callable[[Subject], Iterator[Change]]:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.releases[:FEW]:
            noise = one.mechanism.scaled(factor(subject))
            yield Change(one.label, partial(subject.replaced, {one: keep(noise)}))

    return changes


def _by_count(subject: Subject) -> Iterator[Change]:
    if subject.added:
        n = subject.X.rows
        yield from _noise(lambda _: (n + 2) / (n + 1))(subject)


def _rounds(subject: Subject) -> Iterator[Change]:
    for one in subject.releases[:FEW] if subject.added else ():
        count = _evolved(stated=one.mechanism, times=subject.X.rows + 1)
        yield Change(one.label, partial(subject.replaced, {one: count}))


def _evolved(**fields: object) -> Replacement:
    return lambda one: attrs.evolve(one, **fields)


def _bounded(subject: Subject) -> Iterator[ClipNorm | Box]:
    """Maps that bound rows."""
    yield from (one for one in subject.nodes if type(one) in (ClipNorm, Box))  # type: ignore[misc]


def aggregate(name: str, data: DataNode) -> Expression:
    """The value of an aggregate of the data."""
    return RawAggregate(name, data).__expression__()


def _scaled(subject: Subject) -> Iterator[Change]:
    for one in _bounded(subject):
        yield Change(one.label, partial(subject.frozen, {one: _by_std}))


def _by_std(one: Any) -> Any:
    """On rows or labels as they were built again, which may read what was released."""
    return attrs.evolve(one, source=Scaled(one.source, aggregate("std", one.source)))


def _bound(subject: Subject) -> Iterator[Change]:
    for one in _bounded(subject):
        field = "norm" if isinstance(one, ClipNorm) else "bound"
        raw = aggregate("quantile", one.source)
        yield Change(one.label, partial(subject.frozen, {one: _evolved(**{field: raw})}))


def _maximum(subject: Subject) -> Expression:
    return aggregate("max_abs", subject.X)


OPERATORS: Sequence[Operator] = (
    Operator(
        "raw argument",
        "post-processing reads the statistic, not its release",
        _read_raw,
        never=True,
    ),
    Operator("raw labels", "y leaves beside what is released", _labels, never=True),
    Operator("raw branch", "nothing is shown where a raw statistic has a 0", _branch, never=True),
    Operator("raw selection", "columns are chosen by raw correlation", _selection, never=True),
    Operator("raw eigenvalue", "a penalty is lambda_min(X'X) without noise", _penalty, never=True),
    Operator("raw output", "a statistic leaves without noise", _outputs, never=True),
    Operator("noise by n", "noise grows with the private n", _by_count, never=True),
    Operator(
        "noise by maximum", "noise grows with the largest |entry|", _noise(_maximum), never=True
    ),
    Operator("rounds by n", "n draws, n private", _rounds, never=True),
    Operator("scaled by std", "columns are divided by their own std first", _scaled, never=True),
    Operator("bound by quantile", "rows are clipped at a quantile of the data", _bound, never=True),
)
