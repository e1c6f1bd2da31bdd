"""The budgets of all records in an execution: with the target, beside the table, or as a column of
it; and the place of each record's budget in the list of distinct ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.budgets.roster import Roster, listed, roster_of
from dpframe.errors import BadData, InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node, OfBudgets
from dpframe.graph.maps.weighted import BudgetSource, Weight
from dpframe.numbers import shortest
from dpframe.privacy import Guarantee, PersonalizedDP, each
from dpframe.privacy.personal import Listed, given, own_symbols_of
from dpframe.prover.at_numbers import AtNumbers
from dpframe.sources import Source
from dpframe.sources.reading import Plain
from dpframe.sources.table import Block

from .numbers import PublicNumbers

Array = NDArray[Any]


def places(keys: Array, budgets: Array | None) -> Array:
    """Where each entry stands among `keys`, sorted, shape (m,). Raises BadData for any other."""
    budgets = comparable(budgets)
    if not len(budgets):
        return np.empty(0, dtype=np.intp)
    result = np.minimum(np.searchsorted(keys, budgets), len(keys) - 1)
    if not np.array_equal(keys[result], budgets):
        groups = ", ".join(map(str, keys[:10])) if keys.dtype.kind == "U" else ""
        wanted = f"among the groups {groups}" if groups else "among those that were declared"
        way_out = "Declare every group, or every budget."
        raise BadData("budgets", wanted, Plain("others"), way_out)
    return result


@attrs.frozen(eq=False)
class DistinctBudgets:
    """The different entries of a column of budgets and how many records have each, as work for a
    source: they add up.
    """

    entries: Array
    counts: Array

    def __add__(self, other: DistinctBudgets) -> DistinctBudgets:
        both = np.concatenate([self.entries, other.entries])
        kept, where = np.unique(both, return_inverse=True)
        counts = np.bincount(where, np.concatenate([self.counts, other.counts]), len(kept))
        return DistinctBudgets(kept, counts)


def distinct_budgets(blocks: Iterable[Block]) -> DistinctBudgets:
    """The different budgets of blocks, at least one."""
    result = [np.unique(comparable(block.budgets), return_counts=True) for block in blocks]
    together = DistinctBudgets(result[0][0], result[0][1].astype(float))
    for entries, counts in result[1:]:
        together += DistinctBudgets(entries, counts.astype(float))
    return together


def comparable(column: Array | None) -> Array:
    """Names as texts, which sort; numbers as they are. Raises BadData for names that arrays of
    texts would change, and where there are no budgets.
    """
    if column is None:
        raise BadData("budgets", "given, one a record", None, "dp.execute(..., budgets=...).")
    if column.dtype != object:
        return column
    names = (name for name in set(column.tolist()) if isinstance(name, str))
    if any(name.endswith("\0") for name in names):
        raise BadData("budgets", "names in printable characters", Plain("others"))
    return column.astype(str)


@attrs.frozen(eq=False)
class RequestedBudgets:
    """The column of budgets that the source reads, or its name; and the roster, as far as it is
    known before reading.
    """

    target: PersonalizedDP
    column: Any
    roster: Roster | None
    keys: Array | None


def requested_budgets(
    certificate: AtNumbers, budgets: object, *, simulated: bool = False
) -> RequestedBudgets | None:
    """The budgets for a certificate; None where it has no personalised target. Raises
    InvalidArgument or NotExecutable, also for budgets that reveal the present records, unless it
    is `simulated`.
    """
    target = certificate.target
    if not isinstance(target, PersonalizedDP):
        if budgets is not None:
            way_out = "Certify for dp.PersonalizedDP(...)."
            wanted = "left out: the target has none"
            raise InvalidArgument("budgets", wanted, type(budgets), way_out)
        return None
    lists = [one for one in target.given.values() if isinstance(one, Listed)]
    if not simulated and not certificate.setting.relation.replaced and not target.groups:
        raise NotExecutable(
            "under add/remove, a list of the present budgets reveals which records are present. "
            "Declare all possible groups, dp.PersonalizedDP({'careful': 0.1, 'open': 1}), "
            "and give the name of each record's group; or use dp.REPLACE_ONE."
        )
    if lists and budgets is not None:
        way_out = "Or certify for dp.PersonalizedDP(dp.each('epsilon'))."
        raise InvalidArgument("budgets", "left out: the target lists them", type(budgets), way_out)
    if lists:
        return _of_lists(target, lists)
    if budgets is None:
        raise NotExecutable(
            "the budgets of all records are needed: dp.execute(..., budgets=...), one number or "
            "name of a group for each record, or the name of a column of X"
        )
    if target.groups:
        return RequestedBudgets(target, budgets, roster_of(target, certificate.values), None)
    return _any_budgets(target, budgets)


def check_order(X: object, budgets: object) -> None:
    """Budgets are read by position: an index that says another order is refused. Raises BadData."""
    all_own: Any = getattr(X, "index", None)
    theirs: Any = getattr(budgets, "index", None)
    known = hasattr(all_own, "equals") and hasattr(theirs, "equals") and len(all_own) == len(theirs)
    if known and not all_own.equals(theirs):
        way_out = "budgets.loc[X.index] puts them in order; budgets.to_numpy() says they are."
        raise BadData("budgets", "in the order of X", Plain("another index"), way_out)


def _of_lists(target: PersonalizedDP, lists: list[Listed]) -> RequestedBudgets:
    """Each record's place in the roster, from 1, as its entry."""
    roster, at = listed(lists)
    return RequestedBudgets(target, at + 1.0, roster, np.arange(1.0, roster.size + 1.0))


def _any_budgets(target: PersonalizedDP, budgets: object) -> RequestedBudgets:
    own = own_symbols_of(target.each)
    if len(own) > 1:
        names = " and ".join(symbol.name for symbol in own)
        raise NotExecutable(
            f"each record has {names} of its own: list them with the target, dp.PersonalizedDP(...)"
        )
    if isinstance(budgets, str):
        return RequestedBudgets(target, budgets, None, None)
    list_of = given(own[0].name, budgets)
    if not isinstance(list_of, Listed):
        wanted = "one number a record, or the name of a column"
        raise InvalidArgument("budgets", wanted, type(budgets))
    if list_of.domain.lower not in own[0].domain or list_of.domain.upper not in own[0].domain:
        raise InvalidArgument("budgets", f"all {own[0].domain}", Plain(list_of.domain))
    return _of_lists(target, [list_of])


@attrs.frozen(eq=False)
class RecordBudgets:
    """The budgets of all records, and the entries of the source's column that stand for them."""

    roster: Roster
    keys: Array


def given_by(
    budgets: RecordBudgets | None, graph: Graph, numbers: PublicNumbers
) -> dict[Node, Array]:
    """What maps of records read: the keys of budgets, and each weight for every budget."""
    weights = [node for node in graph.nodes if isinstance(node, Weight)]
    factors: dict[Node, Array] = {weight: numbers.each(weight.factor) for weight in weights}
    if budgets is None:
        return factors
    sources = [node for node in graph.nodes if isinstance(node, BudgetSource)]
    return {**factors, **dict.fromkeys(sources, budgets.keys)}


def read_budgets(
    certificate: AtNumbers, requested: RequestedBudgets | None, source: Source, executor: Any
) -> RecordBudgets | None:
    """The budgets, after a pass over the source where its column must be read first. Raises
    BadData or NotExecutable.
    """
    if requested is None:
        return None
    if requested.keys is not None and requested.roster is not None:
        return RecordBudgets(requested.roster, requested.keys)
    if requested.roster is None:
        return _of_column(requested, _tallied(source, executor))
    return _of_groups(certificate, requested.roster, source, executor)


def _tallied(source: Source, executor: Any) -> DistinctBudgets:
    wanted = "one that can be read several times, since budgets are read first"
    source.check_passes(wanted, f"{source.again} Or give the budgets with the target.")
    return source.total(distinct_budgets, executor=executor)


def _of_column(requested: RequestedBudgets, result: DistinctBudgets) -> RecordBudgets:
    own = own_symbols_of(requested.target.each)[0]
    list_of = given(own.name, result.entries)
    if not isinstance(list_of, Listed):
        raise BadData("budgets", "numbers", Plain("names"), "Declare groups for names.")
    ends = list_of.domain.lower, list_of.domain.upper
    if any(end not in own.domain for end in ends if end is not None):
        raise BadData("budgets", f"all {own.domain}", Plain("others"), "Certify for a wider range.")
    roster, _ = listed([list_of])
    return RecordBudgets(attrs.evolve(roster, counts=result.counts), result.entries)


def _of_groups(
    certificate: AtNumbers, roster: Roster, source: Source, executor: Any
) -> RecordBudgets:
    """Groups by name: in the order of their names, as the source's column is looked up."""
    order = np.argsort(np.array(roster.names))
    values = {name: (low[order], high[order]) for name, (low, high) in roster.values.items()}
    exact = {name: tuple(one[place] for place in order) for name, one in roster.exact.items()}
    names, counts = tuple(roster.names[place] for place in order), roster.counts[order]
    keys = np.array(names)
    counted = certificate.setting.relation.replaced and _counts_are_read(certificate.graph)
    placed = any(isinstance(node, BudgetSource) for node in certificate.graph.nodes)
    if counted or not placed:
        result = _tallied(source, executor)
        places(keys, result.entries)  # refuses groups that were not declared
        many = dict(zip(comparable(result.entries).tolist(), result.counts, strict=True))
        counts = np.array([many.get(name, 0.0) for name in names]) if counted else counts
        if counted and not counts.any():  # an empty table: any positive totals will do
            counts = np.ones(len(names))
    return RecordBudgets(Roster(names, values, exact, counts), keys)


def _counts_are_read(graph: Graph) -> bool:
    kinds = ("total", "average", "cap")
    return any(isinstance(node, OfBudgets) and node.what in kinds for node in graph.nodes)


def spent_by(target: Guarantee, roster: Roster | None) -> Guarantee:
    """The target, with budgets in the range of those of the table."""
    if roster is None or not isinstance(target, PersonalizedDP):
        return target
    named: dict[str, Any] = dict(target.given)
    for symbol in own_symbols_of(target.each):
        ends = _ends(roster, symbol.name)
        named[symbol.name] = each(symbol.name, *ends, closed="both") if ends else symbol
    return PersonalizedDP(**named)


def _ends(roster: Roster, name: str) -> tuple[Fraction, Fraction] | None:
    """The least and the largest of a budget, as decimals."""
    if name in roster.exact:
        return min(roster.exact[name]), max(roster.exact[name])
    low, high = roster.values[name]
    middle = low / 2 + high / 2  # the double that was given
    return shortest(float(middle.min())), shortest(float(middle.max()))
