"""The file of rows to predict: read as a whole before any budget is spent, and the predictions."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any, NoReturn

import attrs
import numpy as np

import dpframe as dp
from dpframe.errors import Plain
from dpframe.estimators.summary import Summary
from dpframe.graph import Categorical
from dpframe.sources import Source, open_source
from dpframe.sources.column_values import cell_values
from dpframe.sources.csv import CsvSource, header, rows_of

from .printing import complain

PREDICT = "--predict"
INTERVALS = (
    "Predictions: {:g}% intervals of new labels from lower to upper, for {}; of their mean from "
    "mean_lower to mean_upper."
)
OF_LAW = {
    "any": "residuals of any law",
    "unimodal": "residuals of a law with one peak",
    "normal": "normal residuals",
}
PRIVATE = (
    "The rows to predict are those of the fitted table: {} has a line for each, and is private."
)
CORRECT = "Correct the file; nothing has been charged."


def check_rows(setting: dp.Setting, file: str, fitted: Source) -> bool:
    """Read every row of the user's own file, whose columns must be those of the `fitted` table, and
    return whether it is a file of that table, which is private. If not, an error names the file,
    the row and the column, but no value: the file may be a copy. Raises BadData, SourceFailed.
    """
    rows = attrs.evolve(setting, y=None, relation=dp.ADD_REMOVE)
    try:
        source = open_source(rows, file)
    except dp.BadData as error:
        way_out = f"{error.way_out.replace('X has', f'{file} has')} {CORRECT}"
        raise dp.BadData(PREDICT, error.requirement, error.value, way_out) from None
    if source.layout.names != fitted.layout.names:
        wanted = f"a file of the columns {', '.join(fitted.layout.names)}, in this order"
        raise dp.BadData(PREDICT, wanted, Plain(", ".join(source.layout.names)), CORRECT)
    private = bool(_files(source) & _files(fitted))
    try:
        source.total(_read)
    except (dp.BadData, dp.errors.SourceFailed):
        if not private:
            _locate(source, open_source(rows, file, drop=True))
        raise
    return private


def _files(source: Any) -> set[tuple[int, int]]:
    return {file.place for file in source.files}


def _read(blocks: Any) -> int:
    return sum(len(block.rows) for block in blocks)


def _locate(source: Source, lenient: Source) -> None:
    """Raise BadData for the first bad row; `lenient` is the source without refusals."""
    if isinstance(source, CsvSource):
        for file in source.files:
            width = len(header(file.path))
            for row, cells in enumerate(rows_of(file.path, width, multiline=False), start=1):
                if cells is None:
                    got = "another number of cells, or an open quote"
                    _refuse(file.path, row, "", f"of {width} cells", got)
    for part in lenient.parts():
        before = 0
        for table in part.tables():
            bad = np.argwhere(~np.isfinite(table.features.read(0, len(table))))
            for row, column in bad[:1].tolist():
                cell = cell_values(table.features.cells(column, row, row + 1))[0]
                declared = lenient.layout.parts[column]
                wanted = "a finite number"
                if isinstance(declared, Categorical):
                    wanted = f"one of {', '.join(map(repr, declared.levels))}"
                value = "a missing or infinite value" if _empty(cell) else "another value"
                name = f", column {lenient.layout.names[column]}"
                _refuse(part.name, before + row + 1, name, wanted, value)
            before += len(table)


def _empty(cell: object) -> bool:
    return cell is None or cell == "" or cell != cell  # noqa: PLR0124 - nan


def _refuse(file: str, row: int, column: str, wanted: str, got: str) -> NoReturn:
    place = f"{PREDICT}: row {row} of {Path(file).name}{column}"
    raise dp.BadData(place, wanted, Plain(got), CORRECT)


def write_predictions(
    model: Any, rows: str, path: Path, summary: Any, *, law: str | None, private: bool
) -> None:
    """Write a CSV file with a line for each row: predictions, with the probability of the second
    class, or with standard errors and intervals, of new labels for residuals of this `law`, if the
    regression has them, which a sentence explains. Of `private` rows it is not printed how many
    were clipped.
    """
    with warnings.catch_warnings():
        if private:
            complain(PRIVATE.format(path))
            warnings.simplefilter("ignore", dp.errors.DataWarning)
        columns = _columns(model, rows, summary, law)
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _columns(model: Any, rows: str, summary: Any, law: str | None) -> dict[str, Any]:
    columns = {"prediction": model.predict(rows)}
    if hasattr(model, "classes_"):
        _, second = model.certificate_.setting.y.levels
        place = model.classes_.tolist().index(second)
        columns[f"probability[{second}]"] = model.predict_proba(rows)[:, place]
    elif isinstance(summary, Summary):
        new = model.inference().get_prediction(rows, residuals=law)
        columns["mean_se"] = new.se_mean
        columns["lower"], columns["upper"] = new.conf_int(summary.alpha, obs=True).T
        columns["mean_lower"], columns["mean_upper"] = new.conf_int(summary.alpha).T
        said = INTERVALS.format(100 * (1 - summary.alpha), OF_LAW[new.residuals])
        complain(f"{said} {new.note}".rstrip(), style="")
    return columns
