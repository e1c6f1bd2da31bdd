"""dpframe split: the split of a budget that minimises a public criterion."""

from __future__ import annotations

import enum
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp
from dpframe.errors import Plain

from .declaration import is_description
from .options import (
    ClaimOptions,
    Force,
    Json,
    Name,
    Out,
    ProofOptions,
    TableOptions,
    grouped,
    numbers_of,
    option,
)
from .printing import check_written, page, print_json, written

app = typer.Typer(add_completion=False)

DESCRIBED = (
    'In the file, calibration = "jointly" with a weight for each release, without share and std, '
    "divides the budget by weights; dpframe audit FILE names each std at the best split."
)


class CriterionName(enum.StrEnum):
    """The criteria of the command line."""

    NOISE = "noise"
    ERROR = "error"


@attrs.frozen(kw_only=True)
class CriterionOptions:
    """The criterion that is minimised."""

    rows: Annotated[
        int | None, option("-n", "The number of rows, public or a guess; for --criterion error.")
    ] = None
    criterion: Annotated[
        CriterionName,
        typer.Option(help="noise: squared noise; error: a bound on the error of coefficients."),
    ] = CriterionName.NOISE
    weight: Annotated[
        list[str],
        option("The weight of the noise of a release, such as floor=0. Repeatable."),
    ] = attrs.field(factory=list)
    condition: Annotated[
        str, typer.Option(help="The condition number of the rows, 1 or more; for error.")
    ] = "1"

    def measure(self, columns: int | None) -> Any:
        """The criterion for a number of columns. Raises InvalidArgument."""
        if columns is None:
            raise dp.InvalidArgument("-d", "given: the public number of columns", Plain("nothing"))
        if self.criterion is CriterionName.NOISE:
            weights = numbers_of(self.weight, "--weight", "--weight floor=0")
            return dp.audits.NoiseCriterion(d=columns, n=self.rows, weights=weights)
        if self.rows is None:
            wanted = "given: a public number of rows, or a guess"
            raise dp.InvalidArgument("-n", wanted, Plain("nothing"), "Such as -n 10000.")
        return dp.audits.ErrorCriterion(n=self.rows, d=columns, condition=self.condition)


@app.command(
    epilog="Example: dpframe split AdaSSPBudgetTight -d 10 --epsilon 1 --delta 1e-6 --norm 1 "
    "--bound 1"
)
@grouped
def split(
    name: Name,
    *,
    measured: CriterionOptions,
    over: Annotated[
        str | None,
        option("A symbolic field, or shares. Default: the symbolic field, else shares."),
    ] = None,
    within: Annotated[str | None, option("The range of values, such as 0.01,0.5.")] = None,
    claim: ClaimOptions,
    table: TableOptions,
    proof: ProofOptions,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Choose a symbolic field of a regression, or all shares of its budget, to minimise a criterion
    of public numbers, and certify the choice.
    """
    if is_description(name):
        wanted = "a regression in Python, as a description has no fields to choose"
        raise dp.InvalidArgument("NAME", wanted, name, DESCRIBED)
    check_written({"--out": out}, force=force)
    best = dp.best_split(
        proof.regression(name),
        target=claim.target,
        setting=table.setting,
        criterion=measured.measure(table.columns),
        over=over,
        within=None if within is None else within.split(","),
        accountant=proof.accounting,
        trust=proof.trusted,
    )
    if as_json:
        print_json(best.record())
    else:
        page(str(best))
    if out is not None:
        written("--out", out, best.certificate.save)
