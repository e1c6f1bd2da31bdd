"""dpframe ledger: budgets of data sets across runs, in one file."""

from __future__ import annotations

import enum
import re
import shlex
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

import dpframe as dp
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.symbols import rational

from .options import Force, Json, RelationName, option
from .printing import check_written, print_json, width, written

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Keep the budgets of data sets across runs in one file.",
)

File = Annotated[Path, typer.Argument(help="A ledger file.")]
Head = Annotated[
    str | None, option("--head", "A head noted earlier, which the chain must contain.")
]


class AdditionRule(enum.StrEnum):
    """The guarantee that is added up within a budget in (epsilon, delta)."""

    SUMS = "sums"
    GAUSSIAN = "gaussian"
    ZCDP = "zcdp"

    @property
    def kind(self) -> type[dp.Guarantee]:
        """The class of this guarantee."""
        kinds = {"sums": dp.ApproxDP, "gaussian": dp.GaussianDP, "zcdp": dp.ZeroConcentratedDP}
        kind: type[dp.Guarantee] = kinds[self.value]
        return kind


@app.command("show", epilog="Example: dpframe ledger show budget.sqlite survey")
def show(
    file: File,
    dataset: Annotated[
        str | None, typer.Argument(help="A data set, whose runs are listed.")
    ] = None,
    *,
    head: Head = None,
    as_json: Json = False,
    html: Annotated[Path | None, option("Save the same as a page to this new HTML file.")] = None,
    force: Force = False,
) -> None:
    """Show budgets and what is spent of them; for one data set also every run."""
    check_written({"--html": html}, force=force)
    ledger = existing(file, head)
    if html is not None:
        page = _page(ledger, dataset)
        written("--html", html, lambda path: path.write_text(page, encoding="utf-8"))
    if as_json:
        datasets = [_record(ledger.account(name)) for name in _names(ledger, dataset)]
        charges = [] if dataset is None else map(_charge, ledger.charges(dataset))
        listed = {} if dataset is None else {"charges": list(charges)}
        print_json({"head": ledger.head, "datasets": datasets, **listed})
        return
    console = Console(highlight=False, markup=False, emoji=False, width=width())
    for name in _names(ledger, dataset):
        console.print(str(ledger.account(name)), markup=False)
    if dataset is not None:
        head_row, rows = _runs(ledger, dataset)
        runs = Table(*map(_column, head_row), box=None)
        for row in rows:
            runs.add_row(*row)
        console.print(runs)
    elif total := _joint(ledger):
        console.print(total, markup=False)
    console.print(f"head {ledger.head}", markup=False, soft_wrap=True)


RELATION = "The neighbouring relation. Default: that of the first run."
BY = (
    "The rule that adds up costs within (epsilon, delta): gaussian for Gaussian noise, of which it "
    "admits most, also beside pure runs; sums for runs without Gaussian noise. Default: the rule "
    "that the first run fixes for good."
)
CREATED = "Example: dpframe ledger create budget.sqlite survey --epsilon 1 --delta 1e-6"


@app.command("create", epilog=CREATED)
def create(
    file: File,
    name: Annotated[str, typer.Argument(help="The name of the data set.")],
    *,
    epsilon: Annotated[
        str | None, option("A pure budget, or with --delta an approximate one.")
    ] = None,
    delta: Annotated[str | None, option("The delta of the budget.")] = None,
    rho: Annotated[str | None, option("A budget in zCDP.")] = None,
    mu: Annotated[str | None, option("A budget in Gaussian DP.")] = None,
    relation: Annotated[RelationName | None, option(RELATION)] = None,
    rows_per_person: Annotated[
        int, typer.Option("--rows-per-person", min=1, help="The most rows of one person.")
    ] = 1,
    by: Annotated[AdditionRule | None, option(BY)] = None,
) -> None:
    """Give a data set its budget, which is final. Creates the file if it does not exist."""
    budget = _budget(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    account = dp.Ledger(file).create(
        name,
        budget,
        relation=None if relation is None else relation.relation,
        rows_per_person=rows_per_person,
        by=None if by is None else by.kind,
    )
    typer.echo(str(account))


@app.command("export", epilog="Example: dpframe ledger export budget.sqlite > budget.json")
def export(file: File, head: Head = None) -> None:
    """Print the whole ledger as JSON, with exact numbers."""
    typer.echo(existing(file, head).export(), nl=False)


@app.command("verify", epilog="Example: dpframe ledger verify budget.sqlite --head HEAD")
def verify(file: File, head: Head = None) -> None:
    """Verify every hash, cost, sum and checkpoint, and that the chain contains the head."""
    ledger = existing(file)
    ledger.verify(head=head)
    checked = (
        "and contains that head" if head else "no head was given, so roll-back is not excluded"
    )
    typer.echo(f"The chain is whole, {checked}.\nhead {ledger.head}")


def existing(
    file: Path,
    head: str | None = None,
    *,
    note: str = "",
    place: str = "FILE",
    dataset: str = "NAME",
    relation: RelationName = RelationName.ADD_REMOVE,
) -> dp.Ledger:
    """The ledger in an existing file. Raises InvalidArgument."""
    if not file.exists():
        names = shlex.join([str(file), dataset])
        way_out = (
            "If it was deleted, restore the newest copy that you trust: never begin anew on the "
            "same data. For other data, create it with the whole budget: dpframe ledger create "
            f"{names} --epsilon 1 --delta 1e-6 --relation {relation.value}"
        )
        raise dp.InvalidArgument(place, "an existing ledger", str(file), way_out)
    return dp.Ledger(file, head=head, note=note)


def _names(ledger: dp.Ledger, dataset: str | None) -> tuple[str, ...]:
    return ledger.datasets if dataset is None else (dataset,)


def _budget(**given: str | None) -> dp.Guarantee:
    numbers = {name: rational(text.strip(), name) for name, text in given.items() if text}
    for kind in GUARANTEES.values():
        if set(kind.parameters) == set(numbers):
            return kind(**numbers)
    wanted = "--epsilon and --delta, --epsilon, --rho, or --mu"
    raise dp.InvalidArgument("budget", wanted, ", ".join(f"--{name}" for name in numbers) or "none")


def _record(account: Any) -> dict[str, Any]:
    from dpframe.budgets.ledger.json_values import of_account

    main, left = account.main, map(str, account.main.remaining)
    return {
        **of_account(account),
        "remaining": dict(zip(main.kind.currency, left, strict=True)),
        "summary": account.lines,
    }


def _charge(charge: Any) -> dict[str, Any]:
    from dpframe.budgets.ledger.json_values import of_cost

    return {
        "number": charge.number,
        "charged": charge.time,
        "status": charge.status,
        "released": charge.released,
        **of_cost(charge.cost),
        "note": charge.note,
    }


def _runs(ledger: dp.Ledger, dataset: str) -> tuple[list[str], list[list[str]]]:
    """The titles and the rows of a table of runs; the last row has their sum."""
    charges, main = ledger.charges(dataset), ledger.account(dataset).main
    noted = any(charge.note for charge in charges)
    spent = " and ".join(main.kind.currency)
    head = ["run", "charged (UTC)", "guarantee", f"{spent} charged", "certificate", "status"]
    rows = []
    for run, charge in enumerate(charges, start=1):
        cost, time = charge.cost, charge.time[:16].replace("T", " ")
        amounts = _amounts(charge.prices.get(main.kind.kind, ()))
        stated = re.sub("[- ]differential privacy", "", str(cost.guarantees[0]))
        row = [str(run), time, stated, amounts]
        row += [cost.certificate[:12], charge.status, cost.description]
        rows.append([*row, *[charge.note] * noted])
    if charges:
        rows.append(["", "", "sum", _amounts(main.spent), *[""] * (3 + noted)])
    return [*head, "what", *["note"] * noted], rows


def _column(title: str) -> Column:
    return Column(title, no_wrap=title not in {"what", "note"}, overflow="fold")


def _amounts(amounts: Iterable[Fraction]) -> str:
    from dpframe.budgets.filters.prices import short

    return ", ".join(short(one, up=True) for one in amounts)


def _joint(ledger: dp.Ledger) -> str:
    """What the budgets of all data sets allow together; "" of a single one."""
    from dpframe.budgets.filters.prices import short
    from dpframe.privacy import number

    accounts = [ledger.account(name) for name in ledger.datasets]
    units = {one.unit for one in accounts} - {None}
    budgets = [one.budget.budget for one in accounts]
    added = all("epsilon" in one.currency for one in budgets)
    if len(accounts) < 2:
        return ""
    if len(units) > 1 or not added:
        return "Budgets are not added up: they differ in their unit of privacy or have no epsilon."
    epsilon = sum(number("epsilon", one.epsilon) for one in budgets)
    delta = sum(number("delta", one.delta) for one in budgets)
    whole = f"({epsilon}, {short(delta, up=True)})" if delta else str(epsilon)
    return (
        f"All {len(accounts)} data sets: the budgets of a person who is in each of them sum to "
        f"{whole}. Tables with the same people belong to one name, which is charged for each."
    )


def _page(ledger: dp.Ledger, dataset: str | None) -> str:
    """Accounts, the runs of each, and the head, as an HTML page without scripts."""
    from dpframe.budgets.ledger.accounts import accounts_html
    from dpframe.notebooks import sentences, table

    cards = ""
    for name in _names(ledger, dataset):
        head, rows = _runs(ledger, name)
        cards += accounts_html([ledger.account(name)]) + table(rows, head, texts=len(head))
    total = [] if dataset else [_joint(ledger)]
    return PAGE.format(cards + sentences([*filter(None, total), f"head {ledger.head}"]))


PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Privacy budgets</title>
<body style="font-family: sans-serif; margin: 2em">
<h1>Privacy budgets</h1>
{}
</body></html>
"""
