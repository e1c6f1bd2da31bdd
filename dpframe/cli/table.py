"""A CSV file as features and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dpframe as dp


def table_of(path: Path, target: str, rows: dp.Rows) -> tuple[Any, Any]:
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
