"""A data set's account and its charges, as values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import attrs

from dpframe.privacy import Guarantee, Share, Unit

from ..filters.prices import share_of
from .cost import Cost
from .rules import Total, nothing_spent
from .say import spent_line


@attrs.frozen(kw_only=True)
class Charge:
    """One run that was charged. `number` is its place in the chain and `hash` the head after it;
    `prices` is what it took from each total that holds it, exact, in that total's currency; `time`
    and `released` are UTC in ISO 8601, and `released` is None while, or because, it did not finish.
    """

    number: int
    hash: str
    dataset: str
    cost: Cost
    prices: Mapping[str, tuple[Fraction, ...]]
    time: str
    released: str | None = None

    @property
    def status(self) -> str:
        """`released`, or `charged, not finished`: both are spent."""
        return "charged, not finished" if self.released is None else "released"


@attrs.frozen(kw_only=True)
class Account:
    """The budget of a data set and what is spent of it.

    `totals` are the sums that guard the budget: everything charged so far is within each of them,
    and the next run must stay within at least one. They are empty until the first run settles
    which, where the budget is (epsilon, delta) and `by` was left out. `runs` counts charges,
    `unfinished` those of them that are not known to have been released. `unit` is None until the
    first run settles it, where nothing was said of it.
    """

    dataset: str
    budget: Guarantee
    unit: Unit | None
    by: str | None
    created: str
    totals: tuple[Total, ...] = ()
    runs: int = 0
    unfinished: int = 0

    @property
    def settled(self) -> bool:
        """Whether it is known what is added up."""
        return bool(self.totals)

    @property
    def spent(self) -> Share:
        """The main total, exactly."""
        total = self.main
        return share_of(total.kind, total.state.spent)

    @property
    def remaining(self) -> Share:
        """What is left of the main total's ceiling, exactly."""
        total = self.main
        return share_of(total.kind, total.state.remaining)

    @property
    def main(self) -> Total:
        """The total that people are told of: the last, which holds most kinds of runs."""
        return self.totals[-1] if self.totals else nothing_spent(self.budget)

    def __str__(self) -> str:
        """A page of a few lines."""
        unfinished = f", {self.unfinished} of them not finished" if self.unfinished else ""
        unit = "the unit of privacy of its first run" if self.unit is None else self.unit
        lines = [f"{self.dataset}: {self.budget} for {unit}"]
        lines += ["  spent " + ", or ".join(map(spent_line, self.totals or (self.main,)))]
        runs = f"{self.runs} run{'' if self.runs == 1 else 's'}"
        return "\n".join([*lines, f"  {runs}{unfinished}"])

    def _repr_html_(self) -> str:
        from .notebook import ledger_html

        return ledger_html([self])
