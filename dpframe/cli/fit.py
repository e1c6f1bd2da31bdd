"""dpframe fit: one private fit of a table, its coefficients and its receipt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp

from .declaration import accountant_of, regression_of, trust_of
from .ledger import existing
from .options import (
    Accountant,
    Formula,
    Given,
    Jointly,
    Json,
    Name,
    Related,
    RelationName,
    RowsEach,
    Schema,
    Trust,
    bounds_of,
    groups_of,
    option,
)
from .printing import check_written, json_text, page, print_json, say, written

app = typer.Typer(add_completion=False)

TABLE = "Parquet files, or CSV files with a row of column names: paths or patterns."

LINES = "Quoted cells of CSV may hold line breaks; assumes that every record closes its quotes."
NO_COLUMN = "the name of a column"
COLUMN = "The column of public epsilons, a record each; with --groups of names of groups."
CLASSES = (
    "dpframe fit LogisticDescent TABLE ... is one. Labels of 0 and 1 "
    'that are fitted as numbers have "lower": 0, "upper": 1 in the codebook.'
)
GROUPS = "Epsilons by group, careful=0.1,open=1."


@app.command()
def fit(
    name: Name,
    table: Annotated[list[str], typer.Argument(help=TABLE)],
    *,
    target: Annotated[str, typer.Option(help="The column of labels.")],
    epsilon: Annotated[str | None, option("--epsilon", "A number, for everybody.")] = None,
    delta: Annotated[str, typer.Option(help="A number; 0 is pure.")],
    epsilon_column: Annotated[str | None, option("--epsilon-column", COLUMN)] = None,
    groups: Annotated[str | None, option("--groups", GROUPS)] = None,
    schema: Schema = None,
    formula: Formula = None,
    norm: Annotated[str | None, option("--norm", "Public bound on the norm of a row.")] = None,
    bound: Annotated[str | None, option("--bound", "Public bound on the size of a label.")] = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    accountant: Accountant = "auto",
    trust: Trust = [],  # noqa: B006 - typer makes a list of its own
    jointly: Jointly = False,
    drop: Annotated[bool, option("--drop", "Leave rows with missing numbers out.")] = False,
    multiline: Annotated[bool, option("--multiline", LINES)] = False,
    simulate: Annotated[
        int | None, option("--simulate", "A seed: repeatable noise, NOT private.")
    ] = None,
    ledger: Annotated[Path | None, option("--ledger", "Charge this ledger first.")] = None,
    dataset: Annotated[str | None, option("--dataset", "Whose budget in the ledger.")] = None,
    alpha: Annotated[float, typer.Option(help="Intervals miss with this probability.")] = 0.05,
    certificate: Annotated[
        Path | None, option("--certificate", "Save the proof to this file, for dpframe check.")
    ] = None,
    out: Annotated[
        Path | None, option("--out", "Save coefficients, intervals and receipt to this JSON file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fit a regression on a table, once, with noise; print coefficients with standard errors and
    intervals, where the regression has them, and the receipt.

    Of a loss of two classes they are log-odds; the codebook's "target" then has "levels".
    """
    from dpframe.estimators.budgets import claim
    from dpframe.estimators.links import of_classes
    from dpframe.inference.estimates import checked

    checked(alpha)  # before anything is spent
    for named, file in (("--certificate", certificate), ("--out", out)):
        check_written(named, file)
    if (ledger is None) != (dataset is None):
        given_one = "--dataset alone" if ledger is None else "--ledger alone"
        raise dp.InvalidArgument("--ledger and --dataset", "given together", given_one)
    spent = _epsilon(epsilon, epsilon_column, groups, relation)
    X, y = bounds_of(schema, norm, bound, formula)
    if target in X.names:
        way_out = "Leave it out of the codebook's columns, or of the formula."
        raise dp.InvalidArgument("--target", "no column that is a feature", target, way_out)
    y = attrs.evolve(y, name=target)
    setting = dp.Setting(X=X, y=y, relation=relation.relation, rows_per_person=rows_per_person)
    declared = regression_of(name, given, jointly=jointly)
    logistic = of_classes(declared, setting, claim(spent, delta, epsilon_column).target)
    if y.levels is not None and not logistic:
        raise dp.InvalidArgument(
            "NAME", "a regression of two classes, as the target is", name, CLASSES
        )
    model = (dp.PrivateClassifier if logistic else dp.PrivateRegressor)(
        declared,
        epsilon=spent,
        delta=delta,
        setting=setting,
        rng=simulate,
        missing="drop" if drop else "refuse",
        ledger=None if ledger is None else existing(ledger),
        dataset=dataset,
        accountant=accountant_of(accountant),
        trust=trust_of(trust),
    )
    try:
        model.fit(dp.MultilineCSV(table) if multiline else table, target, epsilon=epsilon_column)
    except dp.BadData as error:
        if error.requirement != NO_COLUMN:
            raise
        option = {"y": "--target", "budgets": "--epsilon-column"}.get(error.name, error.name)
        raise dp.BadData(option, NO_COLUMN, error.value, error.way_out) from None
    summary, why = _summary(model, alpha)
    record = _record(model) | {"summary": summary and summary.to_dict()}
    failed = _kept(
        ("--certificate", certificate, model.certificate_.save),
        ("--out", out, lambda path: path.write_text(json_text(record) + "\n")),
    )
    if as_json:
        print_json(record)
    else:
        say(str(summary or _coefficients(model)))
        if why:
            page(f"\nno standard errors: {why}")
        page(f"\n{model.receipt_}")
        if epsilon_column is not None:
            say(f"\n{model.budget_report_}")
    if failed is not None:
        raise failed


def _kept(*files: tuple[str, Path | None, Callable[[Path], object]]) -> dp.InvalidArgument | None:
    """Write the files that are asked for, before anything is printed; the error of one that cannot
    be written, for what was paid for is printed anyway.
    """
    failed = None
    for option_of, path, write in files:
        try:
            if path is not None:
                written(option_of, path, write)
        except dp.InvalidArgument as error:
            failed = error
    return failed


def _epsilon(
    epsilon: str | None, column: str | None, groups: str | None, relation: RelationName
) -> object:
    """What everybody may spend; None where it is read from the column. Raises InvalidArgument."""
    if (epsilon is None) == (column is None):
        wanted = "a number for everybody, or --epsilon-column NAME"
        raise dp.InvalidArgument("--epsilon", wanted, "neither" if epsilon is None else "both")
    if column is None and groups is not None:
        wanted = "given with --groups: the column of names of groups"
        raise dp.InvalidArgument("--epsilon-column", wanted, None)
    if column is not None and groups is None and relation is RelationName.ADD_REMOVE:
        way_out = "Or name the groups that there may be: --groups careful=0.1,open=1."
        wanted = "replace-one with a column of epsilons, which tells who is there"
        raise dp.InvalidArgument("--relation", wanted, relation.value, way_out)
    return epsilon if groups is None else groups_of(groups)


def _summary(model: Any, alpha: float) -> tuple[Any, str]:
    """The summary of a fit; or None, and why there is none. What was paid for is printed anyway."""
    if hasattr(model, "classes_"):
        return model.summary(), ""
    try:
        return model.summary(alpha), ""
    except dp.errors.DPFrameError as error:
        return None, str(error)


def _coefficients(model: Any) -> str:
    """One line a coefficient, the intercept last."""
    width = max(map(len, [*model.coef_names_, "intercept"]))
    values = [*_named(model).items(), ("intercept", _intercept(model))]
    return "\n".join(f"{label:{width}}  {value:>12.6g}" for label, value in values)


def _named(model: Any) -> dict[str, float]:
    """The coefficients by name."""
    names = [str(name) for name in model.coef_names_]
    return dict(zip(names, map(float, model.coef_.flat), strict=True))


def _intercept(model: Any) -> float:
    value = model.intercept_
    return float(value[0] if hasattr(model, "classes_") else value)


def _record(model: Any) -> dict[str, Any]:
    receipt = attrs.asdict(model.receipt_, recurse=False)
    classes = {"classes": model.classes_.tolist()} if hasattr(model, "classes_") else {}
    own = model.budget_report_.records() if hasattr(model, "budget_report_") else None
    return {
        **({} if own is None else {"budgets": own}),
        **classes,
        "coefficients": _named(model),
        "intercept": _intercept(model),
        "certificate": model.certificate_.hash,
        "receipt": {key: _plain(value) for key, value in receipt.items()},
    }


def _plain(value: Any) -> object:
    """A field of the receipt as a JSON value."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, bool | int | None) else str(value)
