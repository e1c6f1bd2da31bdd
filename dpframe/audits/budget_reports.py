"""Budgets of records against what they really pay, as a table and as a picture."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .figures import figure, table

Array = NDArray[Any]
MOST = 20  # lines of a table


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class BudgetReport:
    """What each group, or each different budget, asks for and what it really pays, shape (k,).

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

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a group or budget, in the order of groups, else from the least."""
        return [self._record(place) for place in range(len(self.budgets))]

    def _record(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = {"group": self.groups[place]} if self.groups else {}
        found[self.name] = float(self.budgets[place])
        if self.deltas is not None:
            found["delta"] = float(self.deltas[place])
        found["cost"] = float(self.costs[place])
        found["ratio"] = float(self.ratios[place])
        found["wasted"] = float(self.wasted[place])
        if self.counts is not None:
            count = float(self.counts[place])
            found[self.counted] = int(count) if self.counted == "records" else count
        return found

    def __str__(self) -> str:
        """A table of at most 20 lines, then how costs were found."""
        return "\n".join([*_lines(self), "", *notes(self)])

    __repr__ = __str__

    def plot(self, axes: Any = None) -> Any:
        """Costs against budgets, a dot a group or budget, as large as its records are many, with
        the diagonal; below it the share of noise that is wasted.

        Draws into `axes`, a pair, or a new figure; returns the pair. Raises MissingExtra without
        matplotlib.
        """
        from .budgets_plot import draw

        return draw(self, axes)


def shown(report: BudgetReport) -> list[int]:
    """The places of at most 20 budgets, the least and the largest among them."""
    k = len(report.budgets)
    if k <= MOST:
        return list(range(k))
    order = np.argsort(report.budgets, kind="stable")
    ranks = np.unique(np.linspace(0, k - 1, MOST).round().astype(int))
    return [int(order[rank]) for rank in ranks]


def _lines(report: BudgetReport) -> list[str]:
    head = titles(report)
    rows = [cells(report, place) for place in shown(report)]
    return table(head, rows, range(bool(report.groups), len(head)))


def titles(report: BudgetReport) -> list[str]:
    """The columns of its table."""
    head = ["group"] if report.groups else []
    head += [report.name, *(["delta"] if report.deltas is not None else []), "pays", "of it"]
    return [*head, "noise wasted", *([] if report.counts is None else [report.counted])]


def cells(report: BudgetReport, place: int) -> list[str]:
    """A row of its table."""
    found = [report.groups[place]] if report.groups else []
    found.append(figure(float(report.budgets[place]), "up"))
    if report.deltas is not None:
        found.append(figure(float(report.deltas[place])))
    found += [figure(float(report.costs[place]), "up"), percent(report.ratios[place])]
    found.append(percent(report.wasted[place]))
    if report.counts is not None:
        found.append(_count(report, float(report.counts[place])))
    return found


def _count(report: BudgetReport, count: float) -> str:
    return f"{count:,.0f}" if report.counted == "records" else percent(count)


def percent(share: float) -> str:
    """`38%`, `0.4%`."""
    return f"{100 * share:.0f}%" if share >= 0.01 or share < 5e-4 else f"{100 * share:.1f}%"


def notes(report: BudgetReport) -> list[str]:
    """What stands below its table."""
    different, lines = len(report.budgets), len(shown(report))
    said = [f"{lines} of {different:,} different budgets."] if lines < different else []
    if report.average_wasted is not None:
        said.append(f"Of an average record's noise {percent(report.average_wasted)} is wasted.")
    return [*said, f"Costs are upper bounds: {report.rule}."]
