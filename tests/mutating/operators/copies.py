"""Draws that nobody pays for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import attrs

from dpframe.graph import Release
from dpframe.graph.rewriting import Replacement
from dpframe.symbols import ONE, exact

from ..subject import Change, Operator, Subject

TWO = exact(2)


def _twice(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.charged:
        copy = attrs.evolve(one)  # type: ignore[misc]
        yield Change(one.label, partial(subject.beside, copy))


def _unpaid(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases:
        if one.share is not None:
            copy = attrs.evolve(one, stated=one.mechanism, share=None)
            yield Change(one.label, partial(subject.beside, copy))


def _forgotten(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases:
        if one.share is not None and len(subject.charged) > 1:
            free = _with(stated=one.mechanism, share=None)
            yield Change(one.label, partial(subject.replaced, {one: free}))


def _with(**fields: object) -> Replacement:
    return lambda release: attrs.evolve(release, **fields)


def _drawn(
    wanted: Callable[[Release], bool], more: object
) -> Callable[[Subject], Iterator[Change]]:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.releases:
            if wanted(one):
                count = one.times + more
                again = _with(stated=one.mechanism, times=count)
                yield Change(one.label, partial(subject.replaced, {one: again}))

    return changes


OPERATORS: Sequence[Operator] = (
    Operator("released twice", "a second draw on a share that is charged once", _twice),
    Operator("unpaid copy", "a second draw without a share", _unpaid),
    Operator("share forgotten", "a release without its share", _forgotten),
    Operator("averaged", "2 draws of one charge", _drawn(lambda one: one.times is ONE, 1)),
    Operator("a round more", "T + 1 rounds", _drawn(lambda one: one.times is not ONE, 1)),
)
