"""Rows, cells and samples that are less bounded, disjoint or hidden than the noise believes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import DataNode, Known, Node, Partition, Release
from dpframe.graph.facts import answers
from dpframe.graph.maps.bounds import (
    Box,
    ClipColumn,
    ClipNorm,
    Intercept,
    Normalized,
    ToUnitInterval,
)
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.rewriting import Replacement, Rewriting
from dpframe.graph.rows import RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.privacy import ADD_REMOVE
from dpframe.symbols import Number

from ..subject import Change, Operator, Subject, in_unit
from .shares import scaled

# ---------------------------------------------------------------------------------- Rows and labels
BOUNDS: dict[type[Node], tuple[str, ...]] = {
    ClipNorm: ("norm",),
    Box: ("bound",),
    ClipColumn: ("lower", "upper"),
    Normalized: (),
    ToUnitInterval: (),
}
HALF = Number(Fraction(1, 2))


def bounding(subject: Subject) -> list[Any]:
    """Every map that bounds rows or labels."""
    return [one for one in subject.nodes if type(one) in BOUNDS]


def resized(factor: object) -> Replacement:
    """A bound times a factor."""

    def change(one: Any) -> Any:
        ends = {name: getattr(one, name) * factor for name in BOUNDS[type(one)]}
        return attrs.evolve(one, **ends)

    return change


def _dropped(subject: Subject) -> Iterator[Change]:
    for one in bounding(subject):
        yield Change(one.label, partial(subject.frozen, {one: _source}))


def _source(one: Any) -> Any:
    return one.source


def resizing(factor: object) -> Callable[[Subject], Iterator[Change]]:
    """One edit a bound: it becomes a multiple of what it was; noise stays."""

    def changes(subject: Subject) -> Iterator[Change]:
        for one in bounding(subject):
            if BOUNDS[type(one)]:
                yield Change(one.label, partial(subject.frozen, {one: resized(factor)}))

    return changes


def after(change: Replacement) -> Callable[[Subject], Iterator[Change]]:
    """One edit a map that bounds rows: something is done to them after it."""

    def changes(subject: Subject) -> Iterator[Change]:
        for one in bounding(subject):
            if isinstance(one, RowsNode):
                yield Change(one.label, partial(subject.frozen, {one: change}))

    return changes


def _other_table(subject: Subject) -> Iterator[Change]:
    """Noise gets smaller where it is worked out for one record more or less."""
    if not subject.added:
        other = attrs.evolve(subject.X.unit, relation=ADD_REMOVE)
        yield Change("X, y", partial(_declared, subject, other))


def _declared(subject: Subject, unit: Any) -> Any:
    X, y = in_unit(subject.X, unit), in_unit(subject.y, unit)
    return subject.declared(X, y, subject.budget).output


BOUNDS_OF_ROWS: Sequence[Operator] = (
    Operator("clip dropped", "rows or labels are not clipped", _dropped),
    Operator("bound doubled", "a bound is twice what the noise is for", resizing(2)),
    Operator(
        "scaled after", "rows are doubled after they are clipped", after(lambda x: Scaled(x, HALF))
    ),
    Operator(
        "intercept after", "a column of ones after the bound", after(lambda x: Intercept(x, 1))
    ),
    Operator("other table", "the add/remove table under replace-one", _other_table),
)


# -------------------------------------------- Parallel composition claimed for what is not parallel
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


CELLS: Sequence[Operator] = (
    Operator("overlapping cells", "each release reads its cell and the next", _overlapping),
    Operator("same cell", "all releases read one cell", _same),
    Operator("one cell", "one cell charged where a replaced record changes two", _two),
)


# ------------------------------------------------------------------------------ Samples of the rows
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


def _twice(rate: Number) -> Number:
    return Number(min(2 * rate.value, 1))  # type: ignore[arg-type]


SAMPLES: Sequence[Operator] = (
    Operator("rate doubled", "each round reads twice as many rows", _sampled(_twice)),
    Operator("rate dropped", "each round reads all rows", _sampled(lambda _: None)),
)

OPERATORS: Sequence[Operator] = (*BOUNDS_OF_ROWS, *CELLS, *SAMPLES)
