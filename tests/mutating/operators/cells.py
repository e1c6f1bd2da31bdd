"""Parallel composition that is claimed for what is not parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from dpframe.graph import DataNode, Known, Node, Partition, Release
from dpframe.graph.facts import answers
from dpframe.graph.rewriting import Rewriting
from dpframe.graph.statistics import Statistic

from ..subject import Change, Operator, Subject
from .noise import HALF
from .shares import scaled


def below(node: Node) -> list[Any]:
    """The data under a node, and itself: what it reads of releases is no data."""
    read = [child for child in node.inputs if isinstance(child, (DataNode, Statistic))]
    return list(dict.fromkeys([node, *(one for child in read for one in below(child))]))


def _read(release: Release) -> list[Any]:
    """The cells that it reads."""
    return [one for one in below(release.statistic) if answers(one).one_cell]


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
    cells = [one for one in below(statistic) if answers(one).one_cell]
    walk = Rewriting(dict.fromkeys(cells, _after))
    walk.done.update({known: known for one in below(statistic) for known in _known(one)})
    return walk.mapped(statistic)


def _known(node: Node) -> list[Any]:
    """What a node reads that is no data: it stays as it is."""
    read = [child for child in node.inputs if not isinstance(child, (DataNode, Statistic))]
    symbols = [one for formula in node.formulas.values() for one in formula.symbols()]
    return [*read, *(one.origin for one in symbols if isinstance(one.origin, Known))]


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
