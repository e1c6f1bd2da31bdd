"""dpframe ledger: budgets of data sets across runs, in one file."""

from __future__ import annotations

import enum
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
    add_completion=False, no_args_is_help=True, help="Budgets of data sets across runs, in a file."
)

File = Annotated[Path, typer.Argument(help="A ledger file.")]
Head = Annotated[str | None, option("--head", "A head that was kept: the chain must contain it.")]


class Rule(enum.StrEnum):
    """What guards a budget in (epsilon, delta)."""

    SUMS = "sums"
    GAUSSIAN = "gaussian"
    ZCDP = "zcdp"

    @property
    def kind(self) -> type[dp.Guarantee]:
        """The kind of guarantee that is added."""
        kinds = {"sums": dp.ApproxDP, "gaussian": dp.GaussianDP, "zcdp": dp.ZeroConcentratedDP}
        found: type[dp.Guarantee] = kinds[self.value]
        return found


@app.command("show")
def show(
    file: File,
    dataset: Annotated[str | None, typer.Argument(help="A data set: its runs.")] = None,
    head: Head = None,
    as_json: Json = False,
) -> None:
    """Budgets and what is spent of them; of one data set every run."""
    ledger = existing(file, head)
    if as_json:
        print_json([_record(ledger.account(name)) for name in _names(ledger, dataset)])
        return
    console = Console(highlight=False, markup=False, emoji=False, width=width())
    for name in _names(ledger, dataset):
        console.print(str(ledger.account(name)), markup=False)
    if dataset is not None:
        console.print(_runs(ledger, dataset))
    console.print(f"head {ledger.head}", markup=False, soft_wrap=True)


WHO = "Who is a neighbour; left out, the first run settles it."


@app.command("create")
def create(
    file: File,
    name: Annotated[str, typer.Argument(help="The name of the data set.")],
    *,
    epsilon: Annotated[
        str | None, option("--epsilon", "Pure, or with --delta approximate.")
    ] = None,
    delta: Annotated[str | None, option("--delta", "The delta beside --epsilon.")] = None,
    rho: Annotated[str | None, option("--rho", "A budget in zCDP.")] = None,
    mu: Annotated[str | None, option("--mu", "A budget in Gaussian DP.")] = None,
    relation: Annotated[RelationName | None, option("--relation", WHO)] = None,
    rows_per_person: Annotated[int, typer.Option("--rows-per-person", min=1)] = 1,
    by: Annotated[Rule | None, option("--by", "What is added up inside (epsilon, delta).")] = None,
) -> None:
    """Give a data set its budget, for good; begins the file where there is none."""
    budget = _budget(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    account = dp.Ledger(file).create(
        name,
        budget,
        relation=None if relation is None else relation.relation,
        rows_per_person=rows_per_person,
        by=None if by is None else by.kind,
    )
    typer.echo(str(account))


@app.command("export")
def export(file: File, head: Head = None) -> None:
    """Everything as JSON, with exact numbers."""
    typer.echo(existing(file, head).export(), nl=False)


@app.command("verify")
def verify(file: File, head: Head = None) -> None:
    """Compute every hash, price, sum and checkpoint again; a kept head must be in the chain."""
    ledger = existing(file)
    ledger.verify(head=head)
    kept = "and contains that head" if head else "no head was given, so roll-back is not excluded"
    typer.echo(f"The chain is whole, {kept}.\nhead {ledger.head}")


def existing(file: Path, head: str | None = None) -> dp.Ledger:
    """The ledger in a file that is there. Raises InvalidArgument."""
    if not file.exists():
        raise dp.InvalidArgument("FILE", "an existing ledger", str(file), "dpframe ledger create")
    return dp.Ledger(file, head=head)


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
    from dpframe.budgets.ledger.json_values import of_amounts, of_guarantee
    from dpframe.budgets.saved_ledger import of_unit

    kind = account.main.kind
    return {
        "dataset": account.dataset,
        "budget": of_guarantee(account.budget),
        "unit": None if account.unit is None else of_unit(account.unit),
        "adds": kind.kind if account.settled else None,
        "spent": dict(zip(kind.currency, of_amounts(account.main.state.spent), strict=True)),
        "remaining": dict(
            zip(kind.currency, of_amounts(account.main.state.remaining), strict=True)
        ),
        "runs": account.runs,
        "unfinished": account.unfinished,
    }


def _runs(ledger: dp.Ledger, dataset: str) -> Table:
    table = Table("run", "charged (UTC)", "cost", "certificate", box=None)
    table.add_column("status", no_wrap=True)
    table.add_column("what")
    for charge in ledger.charges(dataset):
        what = charge.cost
        cells = (str(what.guarantees[0]), what.certificate[:12], charge.status, what.description)
        table.add_row(str(charge.number), charge.time[:16].replace("T", " "), *cells)
    return table
