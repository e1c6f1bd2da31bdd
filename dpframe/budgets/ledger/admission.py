"""Whether a run may be charged to a data set, and the refusals, each with what would do."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.errors import BudgetExceeded, InvalidArgument

from .accounts import Account, Cost, Total, fitting, left_line, nothing_spent
from .book import Book
from .names import check_name
from .plan import Admission, Plan, settled


def admission(account: Account, cost: Cost) -> tuple[Plan | None, Admission]:
    """What a run takes from an account, and the ceilings that it settles, if they are not yet.

    Raises InvalidArgument for another unit of privacy, and for a kind that is not added here.
    """
    check_cost(account, cost)
    plan = None if account.settled else settled(account.budget, cost.guarantees)
    totals = account.totals if plan is None else tuple(map(nothing_spent, plan))
    found = Admission(totals, cost.guarantees)
    if not found.priced:
        raise _unpriced(totals, cost)
    return plan, found


def check_cost(account: Account, cost: object) -> None:
    """Refuse what is no Cost, and one for another unit of privacy. Raises InvalidArgument."""
    if type(cost) is not Cost:
        raise InvalidArgument(
            "cost", "a dpframe.budgets.ledger.Cost", cost, "Take Cost.of(certificate)."
        )
    if account.unit is not None and cost.unit != account.unit:
        rows = account.unit.rows_per_person
        way_out = f"Certify for relation={account.unit.relation.name}, rows_per_person={rows}."
        requirement = f"for the unit of {account.dataset!r}, {account.unit}"
        raise InvalidArgument("the run", requirement, str(cost.unit), way_out)


def unfit(account: Account, cost: Cost) -> BudgetExceeded:
    """The error on a run beyond what is left of every total."""
    totals = account.totals or (account.main,)
    left = "; ".join(left_line(total) for total in totals)
    would = ", or ".join(fitting(total, cost.guarantees) for total in totals)
    text = (
        f"{cost} does not fit the budget of {account.dataset!r}: {left} is left. "
        f"What fits: {would}. Nothing was charged."
    )
    return BudgetExceeded(cost, account.remaining, text)


def known(book: Book, dataset: str) -> Account:
    """The account of a data set. Raises InvalidArgument where there is none."""
    check_name(dataset)
    if dataset not in book.accounts:
        names = ", ".join(map(repr, book.accounts)) or "none yet"
        way_out = "ledger.create(name, budget, relation=...) makes one."
        raise InvalidArgument("dataset", f"one of this ledger ({names})", dataset, way_out)
    return book.accounts[dataset]


def taken(book: Book, dataset: str) -> InvalidArgument:
    """The error on creating a data set again."""
    budget = book.accounts[dataset].budget
    way_out = f"It has its budget already, {budget}, for good: charge it. Other data, other name."
    return InvalidArgument("dataset", "a new name", dataset, way_out)


def _unpriced(totals: Sequence[Total], cost: Cost) -> InvalidArgument:
    names = " or ".join(f"dp.{total.kind.__name__}" for total in totals)
    currency = ", ".join(totals[-1].kind.currency)
    way_out = (
        f"The budget of this data set is counted in {currency}, fixed by its first charge "
        "or by by=. Certify the run for such a guarantee, or state one beside it."
    )
    return InvalidArgument("the run", f"{names}, or what implies it", str(cost), way_out)
