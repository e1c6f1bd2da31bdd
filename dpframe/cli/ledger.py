"""dpframe ledger: budgets of data sets across runs, in one file."""

from __future__ import annotations

import enum
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import dpframe as dp
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.symbols import rational

from .options import Json, RelationName, option
from .printing import print_json, width

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
    head: Head = None,
    as_json: Json = False,
) -> None:
    """Show budgets and what is spent of them; for one data set also every run."""
    ledger = existing(file, head)
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
        console.print(_runs(ledger, dataset))
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


def _runs(ledger: dp.Ledger, dataset: str) -> Table:
    table = Table("run", "charged (UTC)", "cost", "certificate", box=None)
    table.add_column("status", no_wrap=True)
    table.add_column("what")
    charges = ledger.charges(dataset)
    if any(charge.note for charge in charges):
        table.add_column("note")
    for number, charge in enumerate(charges, start=1):
        what = charge.cost
        cells = (str(what.guarantees[0]), what.certificate[:12], charge.status, what.description)
        noted = (charge.note,) if charge.note else ()
        table.add_row(str(number), charge.time[:16].replace("T", " "), *cells, *noted)
    return table
