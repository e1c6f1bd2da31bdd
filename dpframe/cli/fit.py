"""dpframe fit: fit a regression to a table once, with noise, and print its coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

import dpframe as dp
from dpframe.errors import Plain
from dpframe.notebooks import pyplot
from dpframe.symbols import rational

from .ledger import existing
from .options import (
    GROUPS,
    Force,
    Json,
    Name,
    Plot,
    ProofOptions,
    RelationName,
    TableOptions,
    grouped,
    groups_of,
    option,
)
from .printing import (
    ENDINGS,
    check_written,
    complain,
    json_text,
    page,
    print_json,
    say,
    spelled,
    unwritable,
    written,
)

app = typer.Typer(add_completion=False)

TABLE = "Parquet files, or CSV files with a row of column names: paths or patterns."
LINES = "Quoted cells of CSV may contain line breaks. Assumes that every record closes its quotes."
CONTRAST = "A combination of coefficients to test, such as 'age - 2 bmi'. Repeatable."
RESIDUALS = (
    "The law of residuals that intervals of new labels assume, with --predict: any (the default), "
    "unimodal or normal, whose intervals are shorter."
)
ROWS = "A CSV or Parquet file of rows to predict, with the columns of TABLE."
NO_COLUMN = "the name of a column"
COLUMN = "The column of public epsilons, one per record; with --groups of the names of groups."
MADE = "The fit was made, its budget is spent, and its result is printed. Afterwards this failed:"
WHOLE = "--notes prints all notes, and what is proved, tested and assumed, which --receipt saves."
HTML = '<!DOCTYPE html>\n<meta charset="utf-8">\n<title>dpframe fit</title>\n{}\n'
SEVERAL = (
    "A person in several of these files has several rows, which --rows-per-person must count: "
    "the privacy is that of one row."
)
FEATURES = "Features: {columns}, every column but the labels. A --schema names other columns.\n"
EXAMPLE = (
    "Example: dpframe fit JointSSP people.csv --target charges --schema codebook.json --epsilon 1 "
    "--delta 1e-6"
)


@attrs.frozen(kw_only=True)
class BudgetOptions:
    """The budget of a fit."""

    epsilon: Annotated[str | None, option("The budget of every record, a number.")] = None
    delta: Annotated[str, typer.Option(help="A number; 0 for pure privacy.")]
    epsilon_column: Annotated[str | None, option(COLUMN)] = None
    groups: Annotated[str | None, option(GROUPS)] = None

    def spent(self, relation: RelationName) -> object:
        """One epsilon for all, epsilons by group, or None if a column has them. Raises
        InvalidArgument.
        """
        column = self.epsilon_column
        if self.epsilon is not None:
            rational(self.epsilon.strip(), "--epsilon")
        if (self.epsilon is None) == (column is None):
            wanted = "a number for all records, or --epsilon-column NAME"
            got = Plain("neither") if column is None else Plain("both")
            raise dp.InvalidArgument("--epsilon", wanted, got, "Give one of them.")
        if column is None and self.groups is not None:
            wanted = "given with --groups: the column of names of groups"
            way_out = "Add --epsilon-column NAME, or leave out --groups."
            raise dp.InvalidArgument("--epsilon-column", wanted, None, way_out)
        if column is not None and self.groups is None and relation is RelationName.ADD_REMOVE:
            way_out = "Or declare the possible groups: --groups careful=0.1,open=1."
            wanted = "replace-one with a column of epsilons, which reveals who is in the table"
            raise dp.InvalidArgument("--relation", wanted, relation.value, way_out)
        return self.epsilon if self.groups is None else groups_of(self.groups)


@attrs.frozen(kw_only=True)
class DataOptions(TableOptions):
    """The public description of the table, and how it is read."""

    drop: Annotated[
        bool, option("--drop", "Leave out rows with missing numbers or undeclared levels.")
    ] = False
    multiline: Annotated[bool, option("--multiline", LINES)] = False

    def of(self, target: str) -> dp.Setting:
        """The setting for labels in the column `target`. Raises InvalidArgument, MissingExtra."""
        numbers = (self.norm or self.box) and self.bound
        if self.schema is None and self.formula is None and not numbers:
            wanted = "public: --schema FILE, or --norm and --bound"
            way_out = "Take them from the codebook, never from the data."
            raise dp.InvalidArgument("bounds", wanted, Plain("none"), way_out)
        setting = self.setting
        if target in setting.X.names:
            way_out = "Leave it out of the codebook's columns, or of the formula."
            raise dp.InvalidArgument("--target", "no column that is a feature", target, way_out)
        return attrs.evolve(setting, y=attrs.evolve(setting.y, name=target))


@attrs.frozen(kw_only=True)
class ChargeOptions:
    """The ledger that a fit is charged to, or a simulation."""

    simulate: Annotated[int | None, option("A seed: reproducible noise, NOT private.")] = None
    ledger: Annotated[Path | None, option("Charge this ledger file first.")] = None
    dataset: Annotated[str | None, option("The data set in the ledger that is charged.")] = None
    note: Annotated[str, option("A public line stored with the charge.")] = ""

    def arguments(self, relation: RelationName) -> dict[str, Any]:
        """The arguments of an estimator. Raises InvalidArgument."""
        if (self.ledger is None) != (self.dataset is None):
            got = Plain("--dataset alone") if self.ledger is None else Plain("--ledger alone")
            raise dp.InvalidArgument("--ledger and --dataset", "given together", got)
        if self.note and self.ledger is None:
            raise dp.InvalidArgument("--note", "left out without --ledger", self.note)
        if self.ledger is not None and self.simulate is not None:
            way_out = "A simulation spends nothing: leave out --ledger and --dataset."
            raise dp.InvalidArgument("--simulate", "left out with --ledger", self.simulate, way_out)
        ledger = None
        if self.ledger is not None and self.dataset is not None:
            place = {"place": "--ledger", "dataset": self.dataset}
            ledger = existing(self.ledger, relation=relation, note=self.note, **place)
        return {"rng": self.simulate, "ledger": ledger, "dataset": self.dataset}


class Law(StrEnum):
    """What is assumed of the law of residuals."""

    ANY = "any"
    UNIMODAL = "unimodal"
    NORMAL = "normal"


@attrs.frozen(kw_only=True)
class OutputOptions:
    """The output of a fit."""

    alpha: Annotated[float, typer.Option(help="Intervals have the level 1 - alpha.")] = 0.05
    simultaneous: Annotated[
        str | None, option("Intervals hold jointly: bonferroni, max or scheffe.")
    ] = None
    certificate: Annotated[
        Path | None, option("Save the proof to this new file, for dpframe check.")
    ] = None
    out: Annotated[
        Path | None,
        option("Save coefficients, intervals and receipt to this new JSON file."),
    ] = None
    receipt: Annotated[Path | None, option("Save the receipt to this new text file.")] = None
    html: Annotated[Path | None, option("Save the summary to this new HTML file.")] = None
    plot: Plot = None
    contrast: Annotated[list[str], option("--contrast", CONTRAST)] = attrs.field(factory=list)
    predict: Annotated[str | None, option(ROWS)] = None
    predictions: Annotated[Path | None, option("Save predictions to this new CSV file.")] = None
    residuals: Annotated[Law | None, option(RESIDUALS)] = None
    force: Force = False
    notes: Annotated[bool, option("--notes", "Print all notes, and the whole receipt.")] = False
    as_json: Json = False

    def check(self) -> None:
        """Check the options before any budget is spent. Raises InvalidArgument."""
        import numpy as np

        from dpframe.inference.estimates import critical

        critical(self.alpha, np.empty((0, 0)), self.simultaneous)
        named = {"--certificate": self.certificate, "--out": self.out}
        named |= {"--receipt": self.receipt, "--html": self.html}
        check_written(named | {"--predictions": self.predictions}, force=self.force)
        if (self.predict is None) != (self.predictions is None):
            got = Plain("--predictions alone") if self.predict is None else Plain("--predict alone")
            raise dp.InvalidArgument("--predict and --predictions", "given together", got)
        if self.residuals is not None and self.predict is None:
            got = self.residuals.value
            raise dp.InvalidArgument("--residuals", "left out without --predict", got)
        if self.plot is not None:
            check_written({"--plot": self.plot}, force=True)
            pyplot()
            from matplotlib.backend_bases import FigureCanvasBase

            if self.plot.suffix.lower().removeprefix(".") not in FigureCanvasBase.filetypes:
                raise unwritable("--plot", self.plot, ENDINGS)

    def check_rows(self, setting: dp.Setting, fitted: Any) -> bool:
        """Check the names in contrasts, and all rows to predict, with the columns of the `fitted`
        source; return whether these rows are its own. Raises BadData, SourceFailed,
        InvalidArgument.
        """
        from dpframe.estimators.units import baselines_of, names_of
        from dpframe.inference.contrasts import contrasts

        from .new_rows import check_rows

        private = False
        if self.predict is not None:
            with _as_option("--predict"):
                private = check_rows(setting, self.predict, fitted)
        if self.contrast and setting.X.columns is not None:
            with _as_option("--contrast"):
                contrasts(self.contrast, names_of(setting.X), baselines_of(setting.X))
        return private


@contextmanager
def _as_option(option_of: str) -> Iterator[None]:
    """Name this option in errors about an argument."""
    try:
        yield
    except (dp.InvalidArgument, dp.BadData) as error:
        if error.name.startswith(option_of):
            raise
        name = option_of if error.name in {"X", "R"} else f"{option_of}: {error.name}"
        raise type(error)(name, error.requirement, error.value, error.way_out) from None


@app.command(epilog=EXAMPLE)
@grouped
def fit(
    name: Name,
    table: Annotated[list[str], typer.Argument(help=TABLE)],
    *,
    target: Annotated[str, typer.Option(help="The column of labels.")],
    budget: BudgetOptions,
    data: DataOptions,
    proof: ProofOptions,
    charge: ChargeOptions,
    output: OutputOptions,
) -> None:
    """Fit a regression to a table once, with noise, and print coefficients with standard errors and
    intervals, if the regression has them, and a receipt of the spent budget. Where the target of
    the codebook has "levels", LogisticDescent has log-odds, and a regression on numbers fits a
    linear probability model, 1 for the second level and 0 for the first.
    """
    from dpframe.estimators.budgets import claim
    from dpframe.estimators.links import of_classes
    from dpframe.sources import open_source

    output.check()
    spent, setting = budget.spent(data.relation), data.of(target)
    declared = proof.regression(name)
    claimed = claim(spent, budget.delta, budget.epsilon_column).target
    logistic = of_classes(declared, setting, claimed)
    if logistic and not getattr(declared, "intervals_of_odds", False):
        unavailable = {"--plot": output.plot, "--simultaneous": output.simultaneous}
        unavailable |= {"--residuals": output.residuals}
        for option_of, value in (unavailable | {"--contrast": output.contrast or None}).items():
            if value is not None:
                wanted = f"left out for {type(declared).__name__}, which has no intervals"
                way_out = "LogisticDescent.for_intervals has intervals of log-odds."
                raise dp.InvalidArgument(option_of, wanted, str(value), way_out)
    model = (dp.PrivateClassifier if logistic else dp.PrivateRegressor)(
        declared,
        epsilon=spent,
        delta=budget.delta,
        setting=setting,
        **charge.arguments(data.relation),
        missing="drop" if data.drop else "refuse",
        accountant=proof.accounting,
        trust=proof.trusted,
    )
    source = dp.MultilineCSV(table) if data.multiline else table
    if len(table) > 1 and data.rows_per_person == "1":
        complain(SEVERAL)
    with _as_table():
        drop, column = model.missing == "drop", budget.epsilon_column
        opened = open_source(setting, source, target, drop=drop, budgets=column)
        private = output.check_rows(setting, opened)
        if data.schema is None and not output.as_json:
            say(FEATURES.format(columns=", ".join(opened.layout.names)))
        model.fit(source, target, epsilon=column)
    _report(model, output, table, budgets=budget.epsilon_column is not None, private=private)


@contextmanager
def _as_table() -> Iterator[None]:
    """Name arguments of the command line in errors about the table."""
    try:
        yield
    except dp.BadData as error:
        names = {"X": "TABLE"}
        if error.requirement == NO_COLUMN:
            names |= {"y": "--target", "budgets": "--epsilon-column"}
        if error.name not in names:
            raise
        name = names[error.name]
        raise dp.BadData(name, error.requirement, error.value, error.way_out) from None


def _report(
    model: Any, output: OutputOptions, table: list[str], *, budgets: bool, private: bool
) -> None:
    """Save and print a fit; of `private` rows to predict, how many there are is not said. Raises
    InvalidArgument, at the end, if a file cannot be written.
    """
    from dpframe.estimators.regressor import MORE

    receipt = f"Table: {', '.join(table)}\n{model.receipt_}\n"
    given = {"alpha": output.alpha, "notes": output.notes, "simultaneous": output.simultaneous}
    summary = model.summary(**given)
    record = _record(model) | {"summary": summary.to_dict()} | _variance(model, summary)
    tested: Any = None
    failed: Exception | None = None
    try:
        tested = _contrasts(model, summary, output)
        record |= {} if tested is None else {"contrasts": tested.records()}
    except Exception as error:  # noqa: BLE001 - raised after the fit is printed
        failed = error
    predicted = partial(_predict, model, output, summary, private=private)
    failed = failed or _saved(
        ("--certificate", output.certificate, model.certificate_.save),
        ("--out", output.out, lambda path: path.write_text(json_text(record) + "\n")),
        ("--receipt", output.receipt, lambda path: path.write_text(receipt)),
        ("--html", output.html, lambda path: path.write_text(HTML.format(summary.as_html()))),
        ("--plot", output.plot, lambda path: summary.plot().figure.savefig(path)),  # noqa: PLW0108 - raises
        ("--predictions", output.predictions, predicted),
    )
    if output.as_json:
        print_json(record)
    else:
        notes = (spelled(note) for note in summary.notes if note != MORE)
        say(str(attrs.evolve(summary, notes=tuple(notes))))
        if tested is not None:
            say(f"\n{spelled(str(tested)).rstrip()}")
        page(f"\n{model.receipt_ if output.notes else f'{model.receipt_.brief} {WHOLE}'}")
        if budgets:
            say(f"\n{model.budget_report_}")
    if failed is not None:
        complain(MADE)
        raise failed


def _variance(model: Any, summary: Any) -> dict[str, Any]:
    """The residual variance and its interval, of a regression with intervals."""
    from dpframe.estimators.summary import Summary  # the help needs none

    if _of_classes(model) or not isinstance(summary, Summary):
        return {}
    law = model.inference()
    ends = law.scale_conf_int(summary.alpha)
    return {"residual_variance": {"estimate": float(law.scale), "interval": ends.tolist()}}


def _contrasts(model: Any, summary: Any, output: OutputOptions) -> Any:
    """The table of the requested contrasts; None without any. Raises InvalidArgument."""
    if not output.contrast:
        return None
    with _as_option("--contrast"):
        tested = model.inference().t_test(output.contrast)
    jointly = "" if output.simultaneous is None else f", jointly by {output.simultaneous}"
    header = {"contrasts": f"intervals at {100 * (1 - output.alpha):g}%{jointly}"}
    changed = {"estimates": tested, "fitted": tested.effect, "ranges": ()}
    return attrs.evolve(summary, **changed, header=header, notes=())


def _predict(model: Any, output: OutputOptions, summary: Any, path: Path, *, private: bool) -> None:
    """Write the predictions."""
    from .new_rows import write_predictions

    options = {"law": output.residuals, "private": private}
    write_predictions(model, output.predict or "", path, summary, **options)


def _saved(
    *files: tuple[str, Path | None, Callable[[Path], object]],
) -> Exception | None:
    """Write the requested files. Returns the error of a file that cannot be written, so that the
    fit, whose budget is spent, is printed first.
    """
    failed: Exception | None = None
    for option_of, path, write in files:
        try:
            if path is not None:
                written(option_of, path, write)
        except Exception as error:  # noqa: BLE001 - raised after the fit is printed
            failed = error
    return failed


def _of_classes(model: Any) -> bool:
    return hasattr(model, "classes_")


def _record(model: Any) -> dict[str, Any]:
    receipt = attrs.asdict(model.receipt_, recurse=False)
    reported = hasattr(model, "budget_report_")
    classes, intercept = _of_classes(model), model.intercept_
    names = map(str, model.coef_names_)
    return {
        **({"budgets": model.budget_report_.records()} if reported else {}),
        **({"classes": model.classes_.tolist()} if classes else {}),
        "coef_": dict(zip(names, map(float, model.coef_.flat), strict=True)),
        "intercept_": float(intercept[0] if classes else intercept),
        "certificate": model.certificate_.hash,
        "receipt": {key: _plain(value) for key, value in receipt.items()},
    }


def _plain(value: Any) -> object:
    """A field of the receipt as a JSON value."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, bool | int | None) else str(value)
