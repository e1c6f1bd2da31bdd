"""Edits that leave every claim as it is: they must stay accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Node, Post, Release
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.rewriting import Replacement
from dpframe.symbols import ONE, Number, exact

from ..subject import Change, Operator, Subject
from .noise import each, grafted, several, stricter, times, together
from .rows import after, resizing
from .shares import budgeted, claiming, scaled

TWO, HALF = exact(2), Number(Fraction(1, 2))


def unchanged(values: Any, *others: Any) -> Any:
    """Post-processing that changes nothing."""
    del others
    return values


def _smaller(subject: Subject) -> Iterator[Change]:
    """Half of a share, where the noise follows from it."""
    for one in subject.graph.releases:
        if one.share is not None and one.rule is not None:
            half = claiming(lambda share: scaled(share, HALF))
            yield Change(one.label, partial(subject.replaced, {one: half}))


def _processed(subject: Subject) -> Iterator[Change]:
    released = [one for one in subject.graph.outputs if not isinstance(one, Release)]
    if released:
        yield Change("output", partial(_post, *released))


def _post(*nodes: Node) -> Post:
    return Post(unchanged, nodes)


def _constant(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.posts:
        yield Change(one.label, partial(subject.replaced, {one: _with_two}))


def _with_two(post: Post) -> Post:
    return Post(unchanged, (post, TWO))


def _renamed(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.charged:
        change: Replacement = partial(attrs.evolve, name="renamed")
        yield Change(one.label, partial(subject.replaced, {one: change}))


def _shown(subject: Subject) -> Iterator[Change]:
    """All releases as outputs, in another order."""
    if len(subject.graph.releases) > 1:
        yield Change("outputs", partial(subject.beside, *reversed(subject.graph.releases)))


def _before(subject: Subject) -> Iterator[Change]:
    """The last release first."""
    releases = subject.graph.releases
    if len(releases) > 1:
        yield Change("outputs", lambda: (releases[-1], *subject.graph.outputs))


def _fewer(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases:
        if one.times is not ONE and isinstance(one.times, Number) and one.times.value > 1:
            less = _with(stated=one.mechanism, times=one.times - 1)
            yield Change(one.label, partial(subject.replaced, {one: less}))


def _with(**fields: object) -> Replacement:
    return lambda one: attrs.evolve(one, **fields)


def benign(name: str, says: str, changes: Callable[[Subject], Iterator[Change]]) -> Operator:
    """An edit that must stay accepted."""
    return Operator(name, says, changes, breaks=False)


OPERATORS: Sequence[Operator] = (
    benign("more noise", "twice the noise of a release", each(times(lambda _, __: TWO))),
    benign("more of all", "twice the noise of all", several(times(lambda _, __: TWO))),
    benign("written out", "a theorem's noise, stated", together(times(lambda _, __: ONE))),
    benign("smaller share", "half of a share", _smaller),
    benign("unspent", "a tenth of the budget is left", budgeted(Fraction(9, 10))),
    benign("processed", "more post-processing", _processed),
    benign("constant", "post-processing reads a public number more", _constant),
    benign("renamed", "another name", _renamed),
    benign("shown", "released values are outputs too", _shown),
    benign("reordered", "the last release comes first", _before),
    benign("clipped more", "half of a bound", resizing(HALF)),
    benign(
        "scaled down", "rows are halved after they are clipped", after(lambda x: Scaled(x, TWO))
    ),
    benign("stricter", "noise of replace-one under add/remove", grafted(stricter)),
    benign("fewer rounds", "T - 1 rounds", _fewer),
)
