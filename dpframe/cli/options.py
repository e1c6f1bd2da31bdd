"""Options that several commands share: the claim, the setting, the bounds of a table."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp
from dpframe import documents
from dpframe.symbols import rational

# ----------------------------------------- Bounds: a codebook in a JSON file, or two numbers
SCHEMA = (
    '{"columns": [{"name": "age", "lower": 18, "upper": 90}, '
    '{"name": "smoker", "levels": ["no", "yes"], "baseline": "no"}], '
    '"target": {"lower": 0, "upper": 60000}, "intercept": true}'
)
NEEDED = {"columns", "target"}
NUMBER = ("name", "lower", "upper", "unit")
CATEGORY = ("name", "levels", "baseline", "unknown")
TARGET = ("name", "lower", "upper", "bound", "levels")
KNOWN = NEEDED | {"intercept", "norm"}


def bounds_of(
    schema: Path | None, norm: str | None, bound: str | None, formula: str | None = None
) -> tuple[dp.Rows, dp.Column]:
    """The public description of a table. Raises InvalidArgument, MissingExtra."""
    if schema is None and formula is not None:
        raise dp.InvalidArgument("--formula", "given with --schema, its codebook", "without it")
    if schema is None:
        return _numbers(norm, bound)
    if norm is not None or bound is not None:
        raise dp.InvalidArgument(
            "bounds", "given once: by --schema, or by --norm and --bound", "both"
        )
    content = _content(schema)
    rows, column = _rows(content, schema), _column(content.get("target"), schema)
    return rows if formula is None else _by_formula(formula, rows), column


def _by_formula(formula: str, rows: dp.Rows) -> dp.Rows:
    """The rows of a formula's right side over a codebook. Raises InvalidArgument, MissingExtra."""
    from dpframe.graph.formulas import right_side

    if rows.norm is not None:
        way_out = "A formula says how long its rows are."
        raise dp.InvalidArgument("--schema", "without a norm beside --formula", "norm", way_out)
    return right_side(formula, rows.columns or ())


def _numbers(norm: str | None, bound: str | None) -> tuple[dp.Rows, dp.Column]:
    if norm is None or bound is None:
        raise dp.InvalidArgument(
            "bounds",
            "public: --schema FILE, or --norm and --bound",
            "none",
            "Take them from the codebook, never from the data.",
        )
    return dp.Rows(norm=norm), dp.Column(bound=bound)


def _content(path: Path) -> dict[str, Any]:
    """The object in a JSON file, decimals as text so that they stay exact."""
    text = documents.text_of(path, "--schema")
    content = documents.json_of(text, "--schema", parse_float=str, parse_constant=str)
    if not isinstance(content, dict) or not NEEDED <= set(content) <= KNOWN:
        raise dp.InvalidArgument("--schema", f"written like {SCHEMA}", str(path))
    return content


def _check_keys(place: str, part: object, known: tuple[str, ...]) -> None:
    """Name the key that there is not. Raises InvalidArgument."""
    others = [key for key in part if key not in known] if isinstance(part, dict) else []
    if others:
        wanted = f"of the keys {', '.join(known)}"
        raise dp.InvalidArgument(f"--schema, {place}", wanted, others[0], "")


def _rows(content: Mapping[str, Any], path: Path) -> dp.Rows:
    for part in content["columns"] if isinstance(content["columns"], list) else ():
        name = part.get("name", "a column") if isinstance(part, dict) else ""
        levels = isinstance(part, dict) and "levels" in part
        _check_keys(f"column {name}", part, CATEGORY if levels else NUMBER)
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
    _check_keys("target", content, TARGET)
    if not isinstance(content, dict) or not content:
        raise dp.InvalidArgument("target", f"written like {SCHEMA}", str(path))
    return dp.Column(**content)


# --------------------------------------- Options, and the claim and the setting that they spell
NAME = "A name that `dpframe list` prints, or module:Class."


class RelationName(enum.StrEnum):
    """Neighbouring relations as the command line spells them."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def relation(self) -> dp.Relation:
        """The relation itself."""
        return dp.Relation(self.value.replace("-", "_"))


def option(name: str, text: str) -> Any:
    """An option whose help names no default."""
    return typer.Option(name, help=text, show_default=False)


Name = Annotated[str, typer.Argument(help=NAME)]
Epsilon = Annotated[str | None, option("--epsilon", "A number. Left out: every epsilon > 0.")]
Delta = Annotated[
    str | None, option("--delta", "A number; 0 is pure. Left out: every delta in (0, 1).")
]
EachEpsilon = Annotated[
    bool, option("--each-epsilon", "Every record its own public epsilon; without --delta: pure.")
]
Groups = Annotated[
    str | None,
    option("--groups", "Epsilons by group, careful=0.1,open=1; without --delta: pure."),
]
Norm = Annotated[str | None, option("--norm", "Bound on the norm of a row. Left out: every B.")]
Box = Annotated[str | None, option("--box", "Bound on every entry of a row, besides its norm.")]
Bound = Annotated[str | None, option("--bound", "Bound on the size of a label. Left out: every Y.")]
CODEBOOK = f"Public bounds as a JSON file: {SCHEMA}".replace("[", "\\[")  # [ would be rich markup
FORMULA = "Columns and products of the codebook, 'age + bmi:C(smoker)'; needs formulaic."
Schema = Annotated[Path | None, option("--schema", CODEBOOK)]
Formula = Annotated[str | None, option("--formula", FORMULA)]
Related = Annotated[RelationName, typer.Option("--relation", help="Who is a neighbour.")]
RowsEach = Annotated[str, typer.Option("--rows-per-person", help="Most rows of one person.")]
Given = Annotated[list[str], option("--set", "A hyperparameter, such as gamma=1/3. Repeatable.")]
Accountant = Annotated[
    str,
    typer.Option("--accountant", help="auto, basic, gaussian, zcdp, numeric, ..., module:Class"),
]
Trust = Annotated[
    list[str],
    option("--trust", "A class of your own, module:Class, to take at its word. Repeatable."),
]
Out = Annotated[Path | None, option("--out", "Save the certificate to this file.")]
Plot = Annotated[Path | None, option("--plot", "Draw it into this file, .png, .pdf or .svg.")]
Jointly = Annotated[bool, typer.Option("--jointly", help="Scale all noise to the target.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", show_default=False)]


def target_of(
    epsilon: str | None, delta: str | None, *, each: bool = False, groups: str | None = None
) -> dp.Guarantee:
    """(epsilon, delta)-DP, symbolic where a number is left out; epsilon-DP where delta is 0. With
    `each` or `groups` personalised, and pure where delta is left out too. Raises InvalidArgument.
    """
    if each or groups is not None:
        return _personalised(epsilon, delta, each, groups)
    spent = dp.EPSILON if epsilon is None else rational(epsilon.strip(), "epsilon")
    failing = dp.DELTA if delta is None else rational(delta.strip(), "delta")
    return dp.PureDP(spent) if failing == 0 else dp.ApproxDP(spent, failing)


def _personalised(
    epsilon: str | None, delta: str | None, each: bool, groups: str | None
) -> dp.PersonalizedDP:
    if (epsilon is not None) + each + (groups is not None) > 1:
        wanted = "given once: by --epsilon, --each-epsilon or --groups"
        raise dp.InvalidArgument("epsilon", wanted, "several")
    failing = rational((delta or "0").strip(), "delta")
    spent = dp.each("epsilon") if groups is None else groups_of(groups)
    return dp.PersonalizedDP(spent, None if failing == 0 else failing)


def groups_of(text: str) -> dict[str, Fraction]:
    """`careful=0.1,open=1` as a mapping. Raises InvalidArgument."""
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equal, number = (piece.strip() for piece in part.rpartition("="))
        if not (name and equal) or name in found:
            wanted = "different names with their epsilons, such as careful=0.1,open=1"
            raise dp.InvalidArgument("--groups", wanted, text)
        found[name] = rational(number, f"epsilon of {name}")
    return found


def setting_of(
    norm: str | None,
    bound: str | None,
    relation: dp.Relation,
    rows: str,
    box: str | None = None,
    *,
    schema: Path | None = None,
    formula: str | None = None,
) -> dp.Setting:
    """The bounds of a codebook; or numbers, or symbols B and Y where they are left out. Raises
    InvalidArgument.
    """
    if schema is not None or formula is not None:
        X, y = bounds_of(schema, norm or box, bound, formula)
        return dp.Setting(X=X, y=y, relation=relation, rows_per_person=rows)
    free = dp.parameter("B") if box is None else None
    return dp.Setting(
        X=dp.Rows(norm=free if norm is None else norm, box=box),
        y=dp.Column(bound=dp.parameter("Y") if bound is None else bound),
        relation=relation,
        rows_per_person=rows,
    )
