"""The command line: list, certify, audit, compare, fit, check.

Exit status: 0 proved or done, 1 not proved, 2 a bad argument.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

import dpframe as dp
from dpframe.auditing import Audit, audit, audit_formulas, compare
from dpframe.auditing.figures import paragraphs, tidy
from dpframe.auditing.formulas import read_parameter
from dpframe.symbols import Number, rational

COLOURS = {
    r"\bproved\b": "green",
    r"\b(refuted|too small)\b": "bold red",
    r"\b(unproved|not valid)\b": "yellow",
}
SCHEMA = (
    '{"columns": [{"name": "age", "lower": 18, "upper": 90}, '
    '{"name": "smoker", "levels": ["no", "yes"]}], '
    '"target": {"lower": 0, "upper": 60000}, "intercept": true}'
)
FORMULA = "gram: sqrt(2*log(4/delta))/(epsilon/2)*B^2 @ epsilon/2, delta/2"


class Group(TyperGroup):
    """Prints a deliberate error as its sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; 2 is the exit status of a bad argument."""
        try:
            return super().invoke(ctx)
        except dp.Uncertified as error:
            _page(str(error))
            raise typer.Exit(1) from None
        except dp.DPFrameError as error:
            _complain(str(error))
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Private regressions, proved before they run.",
)


class RelationName(enum.StrEnum):
    """Neighbouring relations as the command line spells them."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def relation(self) -> dp.Relation:
        """The relation itself."""
        return dp.ADD_REMOVE if self is RelationName.ADD_REMOVE else dp.REPLACE_ONE


def _option(name: str, text: str) -> Any:
    return typer.Option(name, help=text, show_default=False)


Name = Annotated[str, typer.Argument(help="A name that `dpframe list` prints, or module:Class.")]
Epsilon = Annotated[str | None, _option("--epsilon", "A number. Left out: every epsilon > 0.")]
Delta = Annotated[str | None, _option("--delta", "A number. Left out: every delta in (0, 1).")]
Norm = Annotated[str | None, _option("--norm", "Bound on the norm of a row. Left out: every B.")]
Bound = Annotated[
    str | None, _option("--bound", "Bound on the size of a label. Left out: every Y.")
]
Related = Annotated[RelationName, typer.Option("--relation", help="Who is a neighbour.")]
RowsEach = Annotated[str, typer.Option("--rows-per-person", help="Most rows of one person.")]
Given = Annotated[list[str], _option("--set", "A hyperparameter, such as gamma=1/3. Repeatable.")]
Accountant = Annotated[str, typer.Option("--accountant", help="auto, basic, gaussian or zcdp.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", show_default=False)]


def main() -> None:
    """Run the command line."""
    app()


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print it.")] = False) -> None:
    if version:
        typer.echo(f"dpframe {dp.__version__}")


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Regressions, and whether each is proved for every epsilon, delta and bound."""
    records = [_listed(cls) for cls in dp.REGRESSIONS]
    if as_json:
        _print_json(records)
        return
    table = Table("name", "paper", "variant", "add/remove", "replace-one", box=None)
    for record in records:
        verdicts = [_coloured(_verdict(record[name])) for name in ("add/remove", "replace-one")]
        table.add_row(record["name"], record["paper"], record["variant"], *verdicts)
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "\n* where the hypothesis of a theorem holds: dpframe certify NAME prints it", markup=False
    )


def _listed(cls: type[dp.Regression]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": cls.__name__,
        "title": cls.title,
        "paper": cls.paper,
        "variant": cls.variant,
    }
    found["summary"] = " ".join((cls.__doc__ or "").partition("\n\n")[0].split())
    for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE):
        done = audit(cls(), target=_target(None, None), setting=_setting(None, None, relation, "1"))
        region = done.report.chosen.constraints if done.report.chosen else ()
        found[str(relation)] = {
            "verdict": str(done.verdict),
            "derivation": done.derivation,
            "region": [str(constraint) for constraint in region],
        }
    return found


def _verdict(record: Mapping[str, Any]) -> str:
    return f"{record['verdict']}{' *' if record['region'] else ''}"


@app.command()
def certify(
    name: Name,
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    norm: Norm = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    accountant: Accountant = "auto",
    out: Annotated[Path | None, _option("--out", "Save the certificate to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Prove the total of a regression, or list every obligation that is open."""
    regression = _regression(name, given)
    target = _target(epsilon, delta)
    setting = _setting(norm, bound, relation.relation, rows_per_person)
    if as_json:
        done = audit(regression, target=target, setting=setting, accountant=accountant)
        records = done.records()
        if done.certificate is None:
            _print_json({"verdict": records["verdict"], "open": records["open"]})
            raise typer.Exit(1)
        certificate = done.certificate
        _print_json(certificate.document)
    else:
        certificate = dp.certify(regression, target=target, setting=setting, accountant=accountant)
        _page(str(certificate))
    if out is not None:
        _save(certificate, out)


@app.command("audit")
def audit_(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A name that `dpframe list` prints, or module:Class.", show_default=False
        ),
    ] = None,
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    norm: Norm = None,
    bound: Bound = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    release: Annotated[
        list[str],
        _option(
            "--release",
            f"A formula, '{FORMULA}'. Repeatable.",
        ),
    ] = [],  # noqa: B006
    param: Annotated[
        list[str],
        _option("--param", "A parameter of formulas, gamma:0:1 or gamma=1/3. Repeatable."),
    ] = [],  # noqa: B006
    accountant: Accountant = "auto",
    as_json: Json = False,
) -> None:
    """Judge a budget split release by release and in total: of a regression, or of formulas."""
    if (name is None) == (not release):
        given_both = "neither" if name is None else "both"
        raise dp.InvalidArgument("audit", "of a NAME or of --release formulas", given_both)
    target = _target(epsilon, delta)
    setting = _setting(norm, bound, relation.relation, rows_per_person)
    if name is None:
        done = audit_formulas(
            release, target=target, setting=setting, parameters=param, accountant=accountant
        )
    else:
        done = audit(
            _regression(name, given), target=target, setting=setting, accountant=accountant
        )
    _report(done, as_json)


def _report(done: Audit, as_json: bool) -> None:
    if as_json:
        _print_json(done.records())
    else:
        _say(str(done))
    if done.certificate is None:
        raise typer.Exit(1)


@app.command("compare")
def compare_(
    epsilon: Annotated[str, typer.Option(help="Numbers, separated by commas.")] = "0.1,0.9,3,10",
    delta: Annotated[str, typer.Option(help="A number.")] = "1e-6",
    sensitivity: Annotated[str, typer.Option(help="In 2-norm.")] = "1",
    plot: Annotated[Path | None, _option("--plot", "Draw it into this file.")] = None,
    as_json: Json = False,
) -> None:
    """The std of Gaussian noise by the classical theorems and by the exact profile."""
    comparison = compare(epsilon=epsilon.split(","), delta=delta, sensitivity=sensitivity)
    if as_json:
        _print_json(comparison.records())
    else:
        _say(str(comparison))
    if plot is not None:
        comparison.plot().figure.savefig(plot)


@app.command()
def fit(
    name: Name,
    csv: Annotated[Path, typer.Argument(help="A CSV file with a row of column names.")],
    *,
    target: Annotated[str, typer.Option(help="The column of labels.")],
    epsilon: Annotated[str, typer.Option(help="A number.")],
    delta: Annotated[str, typer.Option(help="A number.")],
    schema: Annotated[
        Path | None,
        _option("--schema", f"Public bounds as a JSON file: {SCHEMA}".replace("[", "\\[")),
    ] = None,
    norm: Annotated[str | None, _option("--norm", "Public bound on the norm of a row.")] = None,
    bound: Annotated[str | None, _option("--bound", "Public bound on the size of a label.")] = None,
    relation: Related = RelationName.ADD_REMOVE,
    rows_per_person: RowsEach = "1",
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    drop: Annotated[
        bool,
        typer.Option("--drop", help="Leave rows with missing numbers out.", show_default=False),
    ] = False,
    simulate: Annotated[
        int | None, _option("--simulate", "A seed: repeatable noise, NOT private.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fit a regression on a table, once, with noise; print coefficients and the receipt."""
    X, y = _bounds(schema, norm, bound)
    setting = dp.Setting(X=X, y=y, relation=relation.relation, rows_per_person=rows_per_person)
    model = dp.PrivateRegressor(
        _regression(name, given),
        epsilon=epsilon,
        delta=delta,
        setting=setting,
        rng=simulate,
        missing="drop" if drop else "refuse",
    )
    features, labels = _read(csv, target, X)
    model.fit(features, labels)
    if as_json:
        _print_json(_fitted(model))
        return
    width = max(map(len, [*model.coef_names_, "intercept"]))
    values = [*zip(model.coef_names_, model.coef_, strict=True), ("intercept", model.intercept_)]
    _say("\n".join(f"{label:{width}}  {float(value):>12.6g}" for label, value in values))
    _page(f"\n{model.receipt_}")


def _fitted(model: Any) -> dict[str, Any]:
    receipt = attrs.asdict(model.receipt_, recurse=False)
    names = [str(name) for name in model.coef_names_]
    return {
        "coefficients": dict(zip(names, map(float, model.coef_), strict=True)),
        "intercept": float(model.intercept_),
        "certificate": model.certificate_.hash,
        "receipt": {
            key: list(value)
            if isinstance(value, tuple)
            else value
            if isinstance(value, (bool, int, type(None)))
            else str(value)
            for key, value in receipt.items()
        },
    }


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A certificate file.")],
    expect: Annotated[str | None, _option("--expect", "The hash that it must have.")] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate file again, independently of the prover."""
    from dpframe import check as checker

    if not as_json:
        raise typer.Exit(checker.main([*(["--expect", expect] if expect else []), "--", str(file)]))
    try:
        verdict = checker.check(checker.read(file.read_text(encoding="utf-8")), expect)
    except (OSError, ValueError, checker.Unusable) as error:
        raise dp.BadCertificate("FILE", "a readable certificate", str(file), str(error)) from None
    _print_json(dataclasses.asdict(verdict))
    raise typer.Exit(0 if verdict.accepted else 1)


def _target(epsilon: str | None, delta: str | None) -> dp.Guarantee:
    """(epsilon, delta)-DP, symbolic where a number is left out."""
    return dp.ApproxDP(
        dp.EPSILON if epsilon is None else rational(epsilon.strip(), "epsilon"),
        dp.DELTA if delta is None else rational(delta.strip(), "delta"),
    )


def _setting(norm: str | None, bound: str | None, relation: dp.Relation, rows: str) -> dp.Setting:
    """Bounds as numbers, or as symbols B and Y where they are left out."""
    return dp.Setting(
        X=dp.Rows(norm=dp.parameter("B") if norm is None else norm),
        y=dp.Column(bound=dp.parameter("Y") if bound is None else bound),
        relation=relation,
        rows_per_person=rows,
    )


def _regression(name: str, given: Sequence[str]) -> dp.Regression:
    """The regression of that name, with its hyperparameters. Raises InvalidArgument."""
    cls = _imported(name) if ":" in name else _known(name)
    fields = attrs.fields_dict(cls)
    values: dict[str, object] = {}
    for text in given:
        key, equal, _ = text.partition("=")
        if not equal or key.strip() not in fields:
            known = ", ".join(fields) or "nothing"
            raise dp.InvalidArgument("--set", f"written name=number, for a name of {known}", text)
        values[key.strip()] = _value(fields[key.strip()].default, text)
    try:
        return cls(**values)
    except TypeError as error:
        raise dp.InvalidArgument(name, "complete", str(error), "Give fields by --set.") from None


def _known(name: str) -> type[dp.Regression]:
    classes: dict[str, type[dp.Regression]] = {cls.__name__.lower(): cls for cls in dp.REGRESSIONS}
    if name.lower() in classes:
        return classes[name.lower()]
    close = difflib.get_close_matches(name.lower(), classes, n=3)
    hint = f"Perhaps {' or '.join(classes[key].__name__ for key in close)}?" if close else ""
    wanted = "a name that `dpframe list` prints, or module:Class"
    raise dp.InvalidArgument("NAME", wanted, name, hint)


def _imported(name: str) -> type[dp.Regression]:
    """The class at module:Class, also of a module in the current folder."""
    module, _, path = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise dp.InvalidArgument("NAME", "an importable module:Class", name, f"{error}.") from None
    finally:
        sys.path.remove(str(Path.cwd()))
    if not (isinstance(found, type) and issubclass(found, dp.Regression)):
        raise dp.InvalidArgument("NAME", "the name of a dp.Regression", name)
    return found


def _value(default: object, text: str) -> object:
    """The value of name=value as the field wants it: exact numbers, or text, or true and false."""
    name, value = (part.strip() for part in text.split("=", 1))
    if isinstance(default, bool):
        if value.lower() not in ("true", "false"):
            raise dp.InvalidArgument(name, "true or false", value)
        return value.lower() == "true"
    if isinstance(default, str):
        return value
    number = read_parameter(f"{name}={value}")[1]
    if isinstance(default, int) and isinstance(number, Number):
        return int(number.value) if number.value.denominator == 1 else number.value
    return number


def _bounds(schema: Path | None, norm: str | None, bound: str | None) -> tuple[dp.Rows, dp.Column]:
    """The public description of a table. Raises InvalidArgument."""
    if schema is None:
        if norm is None or bound is None:
            raise dp.InvalidArgument(
                "bounds",
                "public: --schema FILE, or --norm and --bound",
                "none",
                "Take them from the codebook, never from the data.",
            )
        return dp.Rows(norm=norm), dp.Column(bound=bound)
    if norm is not None or bound is not None:
        raise dp.InvalidArgument(
            "bounds", "given once: by --schema, or by --norm and --bound", "both"
        )
    content = _json(schema)
    return _rows(content, schema), _column(content.get("target"), schema)


def _json(path: Path) -> dict[str, Any]:
    """The object in a JSON file, decimals as text so that they stay exact."""
    try:
        content = json.loads(path.read_text(), parse_float=str, parse_constant=str)
    except (OSError, ValueError, RecursionError):
        raise dp.InvalidArgument("--schema", "a readable JSON file", str(path)) from None
    if not isinstance(content, dict) or not {"columns", "target"} <= set(content) <= {
        "columns",
        "target",
        "intercept",
        "norm",
    }:
        raise dp.InvalidArgument("--schema", f"written like {SCHEMA}", str(path))
    return content


def _rows(content: Mapping[str, Any], path: Path) -> dp.Rows:
    try:
        columns = [
            dp.Categorical(**part) if "levels" in part else dp.Numeric(**part)
            for part in content["columns"]
        ]
    except TypeError:
        raise dp.InvalidArgument("columns", f"written like {SCHEMA}", str(path)) from None
    intercept, norm = content.get("intercept", False), content.get("norm")
    if not isinstance(intercept, bool):
        raise dp.InvalidArgument("intercept", "true or false", intercept)
    return dp.Rows(columns=columns, norm=norm, intercept=intercept)


def _column(content: object, path: Path) -> dp.Column:
    if (
        not isinstance(content, dict)
        or not content
        or not set(content) <= {"lower", "upper", "bound"}
    ):
        raise dp.InvalidArgument("target", f"written like {SCHEMA}", str(path))
    return dp.Column(**content)


def _read(path: Path, target: str, rows: dp.Rows) -> tuple[Any, Any]:
    """Features and labels of a CSV file. Says nothing of its rows. Raises BadData."""
    try:
        import pandas as pd
    except ImportError as error:
        raise dp.MissingExtra("pandas", "sklearn") from error
    texts = {part.name: str for part in rows.columns or () if _of_text(part)}
    try:
        frame = pd.read_csv(path, dtype=texts)
    except (OSError, ValueError):
        raise dp.BadData("CSV", "a readable table with a row of column names", str(path)) from None
    if target not in frame.columns:
        raise dp.BadData(
            "--target",
            "a column of the table",
            target,
            f"It has {', '.join(map(str, frame.columns))}.",
        )
    return frame.drop(columns=target), frame[target]


def _of_text(part: dp.Numeric | dp.Categorical) -> bool:
    """Whether a column's levels are text, so that 1 in the file is read as such."""
    return isinstance(part, dp.Categorical) and all(isinstance(one, str) for one in part.levels)


def _save(certificate: dp.Certificate, path: Path) -> None:
    try:
        certificate.save(path)
    except OSError as error:
        raise dp.InvalidArgument(
            "--out", "a file that can be written", str(path), f"{error.strerror}."
        ) from None


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=1, allow_nan=False))


def _say(text: str) -> None:
    """Text as it is, verdicts coloured on a terminal."""
    Console(highlight=False, soft_wrap=True).print(_coloured(text))


def _page(text: str) -> None:
    """Text with long lines folded."""
    _say(paragraphs(tidy(text).split("\n")))


def _coloured(text: str) -> Text:
    shown = Text(text)
    for pattern, style in COLOURS.items():
        shown.highlight_regex(pattern, style)
    return shown


def _complain(text: str) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(text, style="red"))
