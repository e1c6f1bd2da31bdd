"""Budgets of records against what they really pay, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from .figures import figure, table

Array = NDArray[Any]
MOST = 20  # lines of a table


class BudgetColumn(NamedTuple):
    """A column of a report: its title, its name in records, its values, one as text."""

    title: str
    name: str
    values: Any
    text: Callable[[Any], str]


def percent(share: float) -> str:
    """`38%`, `0.4%`."""
    return f"{100 * share:.0f}%" if share >= 0.01 or share < 5e-4 else f"{100 * share:.1f}%"


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class BudgetReport:
    """What each group, or each different budget, requires and what it really pays, shape (k,).

    `budgets` and `costs` are of the parameter `name`, at `deltas` where there are any; costs are
    rounded up, and are at most the budget. `wasted` is the share of the noise that this budget did
    not ask for, rounded down. `counts` are records, or shares where groups have those, as `counted`
    says; None where they are not public. `rule` says how costs were found.
    """

    name: str
    groups: tuple[str, ...]
    budgets: Array
    costs: Array
    wasted: Array
    deltas: Array | None
    counts: Array | None
    counted: str
    rule: str

    @property
    def ratios(self) -> Array:
        """Cost over budget, in (0, 1], shape (k,)."""
        return np.asarray(self.costs / self.budgets)

    @property
    def average_wasted(self) -> float | None:
        """The share of noise that is wasted on an average record; None where no one counts them."""
        if self.counts is None:
            return None
        return float(np.average(self.wasted, weights=self.counts))

    @property
    def columns(self) -> Iterator[BudgetColumn]:
        """The columns of its table, which are the fields of its records."""
        up = partial(figure, side="up")
        if self.groups:
            yield BudgetColumn("group", "group", np.array(self.groups), str)
        yield BudgetColumn(self.name, self.name, self.budgets, up)
        if self.deltas is not None:
            yield BudgetColumn("delta", "delta", self.deltas, figure)
        yield BudgetColumn("pays", "cost", self.costs, up)
        yield BudgetColumn("of it", "ratio", self.ratios, percent)
        yield BudgetColumn("noise wasted", "wasted", self.wasted, percent)
        if self.counts is not None and self.counted == "records":
            yield BudgetColumn("records", "records", self.counts.astype(int), "{:,}".format)
        elif self.counts is not None:
            yield BudgetColumn(self.counted, self.counted, self.counts, percent)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a group or budget, in the order of groups, else from the least."""
        names, values = zip(*((one.name, one.values.tolist()) for one in self.columns), strict=True)
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]

    @property
    def titles(self) -> list[str]:
        """The titles of the columns of its table."""
        return [one.title for one in self.columns]

    @property
    def rows(self) -> list[list[str]]:
        """The rows of its table: at most 20 budgets, the least and the largest among them."""
        order = np.arange(len(self.budgets))
        if len(order) > MOST:
            ranks = np.unique(np.linspace(0, len(order) - 1, MOST).round().astype(int))
            order = np.argsort(self.budgets, kind="stable")[ranks]
        columns = ((map(one.text, one.values[order].tolist())) for one in self.columns)
        return [list(row) for row in zip(*columns, strict=True)]

    @property
    def notes(self) -> list[str]:
        """The notes below its table."""
        different, lines = len(self.budgets), min(len(self.budgets), MOST)
        said = [f"{lines} of {different:,} different budgets."] if lines < different else []
        if self.average_wasted is not None:
            said.append(f"Of an average record's noise {percent(self.average_wasted)} is wasted.")
        return [*said, f"Costs are upper bounds: {self.rule}."]

    def __str__(self) -> str:
        """A table of at most 20 lines, then how costs were found."""
        head = self.titles
        lines = table(head, self.rows, range(bool(self.groups), len(head)))
        return "\n".join([*lines, "", *self.notes])

    __repr__ = __str__
