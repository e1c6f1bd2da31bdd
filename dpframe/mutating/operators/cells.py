"""Parallel composition that is claimed for what is not parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Node, Partition, Release
from dpframe.graph.maps.cells import CellColumn, CellRows
from dpframe.graph.statistics import CellCount, Statistic

from ..rewriting import rewritten
from ..subject import Change, Operator, Subject
from .noise import HALF
from .shares import scaled

CELLS = (CellRows, CellColumn, CellCount)


def below(node: Node) -> list[Any]:
    """The nodes under a node, and itself."""
    return list(dict.fromkeys([node, *(one for child in node.inputs for one in below(child))]))


def _read(release: Release) -> list[Any]:
    """The cells that it reads."""
    return [one for one in below(release.statistic) if type(one) in CELLS]


def _overlapping(subject: Subject) -> Iterator[Change]:
    """Training folds: each record is in two of them."""
    read = [one for one in subject.graph.releases if _read(one)]
    if read:
        changes = dict.fromkeys(read, partial(_evolved, change=_folded))
        yield Change("all cells", partial(subject.replaced, changes))


def _evolved(release: Release, *, change: Any) -> Release:
    return attrs.evolve(release, stated=release.mechanism, statistic=change(release.statistic))


def _folded(statistic: Statistic) -> Any:
    """Its cell and the next."""
    return statistic + _next(statistic)


def _next(statistic: Statistic) -> Any:
    """The statistic of the next cell."""
    cells = [one for one in below(statistic) if type(one) in CELLS]
    return rewritten(statistic, dict.fromkeys(cells, _after))


def _after(one: Any) -> Any:
    partition: Partition = one.partition
    return attrs.evolve(one, cell=(one.cell + 1) % partition.cells)


def _same(subject: Subject) -> Iterator[Change]:
    """Every release reads the first cell."""
    read = [one for one in subject.graph.releases if _read(one)]
    if len(read) > 1:
        first = read[0].statistic
        changes = {one: partial(_evolved, change=lambda _: first) for one in read[1:]}
        yield Change("all cells", partial(subject.replaced, changes))


def _two(subject: Subject) -> Iterator[Change]:
    """A replaced record may leave one cell and enter another: the shares are those of one."""
    read = [one for one in subject.charged if isinstance(one, Release) and _read(one)]
    if read and not subject.added:
        yield Change("all cells", partial(subject.replaced, dict.fromkeys(read, _doubled)))


def _doubled(release: Release) -> Release:
    share = None if release.share is None else scaled(release.share, 2)
    half = release.mechanism.scaled(HALF)
    return attrs.evolve(release, stated=half, share=share)


OPERATORS: Sequence[Operator] = (
    Operator("overlapping cells", "each release reads its cell and the next", _overlapping),
    Operator("same cell", "all releases read one cell", _same),
    Operator("one cell", "one cell charged where a replaced record changes two", _two),
)
