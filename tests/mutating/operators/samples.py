"""Samples of the rows that hide less than the noise believes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import attrs

from dpframe.graph import Release
from dpframe.graph.rewriting import Replacement
from dpframe.symbols import Number

from ..subject import Change, Operator, Subject


def _sampled(change: Callable[[Number], Number | None]) -> Callable[[Subject], Iterator[Change]]:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.releases:
            if one.sampled is not None:
                other = {one: _at(one, change(one.sampled))}
                yield Change(one.label, partial(subject.replaced, other))

    return changes


def _at(release: Release, rate: Number | None) -> Replacement:
    noise = release.mechanism
    return lambda one: attrs.evolve(one, stated=noise, sampled=rate)


def _doubled(rate: Number) -> Number:
    return Number(min(2 * rate.value, 1))  # type: ignore[arg-type]


OPERATORS: Sequence[Operator] = (
    Operator("rate doubled", "each round reads twice as many rows", _sampled(_doubled)),
    Operator("rate dropped", "each round reads all rows", _sampled(lambda _: None)),
)
