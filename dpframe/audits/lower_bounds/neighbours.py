"""Whether two tables are neighbours, and how far they are apart."""

from __future__ import annotations

from collections import Counter
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Relation

from .tables import Pair, Table


def neighbouring(pair: Pair, relation: Relation, each: int = 1) -> Pair:
    """The pair, with how it differs in words: in at most `each` rows, those of one person. The
    order of the rows does not count. Raises InvalidArgument for tables that are no neighbours.
    """
    first, second = pair.tables
    _alike(first, second)
    gone, come = (_only(one, other) for one, other in ((first, second), (second, first)))
    if not gone and not come:
        way_out = "Two equal tables show nothing: let the second lack a row, or have another."
        raise InvalidArgument("on", f"two different tables ({relation})", "the same rows", way_out)
    added = relation is ADD_REMOVE
    if max(gone, come) > each or (bool(gone and come) if added else gone != come):
        wanted = f"neighbours under {relation}, which differ in {_rows(each)}"
        said = f"{_rows(gone)} only in the first, {_rows(come)} only in the second"
        raise InvalidArgument("on", wanted, said, _way_out(gone, come, each, added=added))
    told = f"{_rows(max(gone, come))} {'added or removed' if added else 'replaced'}"
    return attrs.evolve(pair, told=f"{pair.told}: {told}")


def _way_out(gone: int, come: int, each: int, *, added: bool) -> str:
    if max(gone, come) <= each and (gone == come or not (gone and come)):
        other = "REPLACE_ONE" if added else "ADD_REMOVE"
        return f"Under the other relation they are neighbours: dp.{other}."
    return "Give two tables that differ in the rows of one person."


def _alike(first: Table, second: Table) -> None:
    """Raises InvalidArgument for tables of other columns."""
    if first.X.shape[1:] != second.X.shape[1:]:
        wanted = "two tables with the same columns"
        raise InvalidArgument(
            "on", wanted, f"rows of shape {first.X.shape[1:]} and {second.X.shape[1:]}"
        )
    if (first.y is None) is not (second.y is None):
        raise InvalidArgument("on", "two tables with labels, or two without", "labels in one only")


def _only(one: Table, other: Table) -> int:
    """How many rows of the first the second lacks."""
    return sum((Counter(_records(one)) - Counter(_records(other))).values())


def _records(one: Table) -> list[tuple[Any, ...]]:
    labels = [None] * len(one.X) if one.y is None else one.y.tolist()
    return [(repr(row.tolist()), repr(y)) for row, y in zip(one.X, labels, strict=True)]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
