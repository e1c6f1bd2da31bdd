"""Public bounds of a table: a codebook in a JSON file, or two numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dpframe as dp
from dpframe import documents

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
