"""Warn about rows to predict that lie outside the public bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpframe.errors import DataWarning, warn
from dpframe.graph import Categorical, Numeric
from dpframe.sources.opening import is_frame


def warn_outside(X: Any, columns: Iterable[Numeric | Categorical]) -> None:
    """Warn if columns of a data frame have numbers outside their bounds; each is read as the nearer
    bound.
    """
    if is_frame(X) and (beyond := [*_beyond(X, columns)]):
        message = f"Predicted as at the nearer bound: rows of X beyond {', '.join(beyond)}."
        warn(message, DataWarning)


def _beyond(X: Any, columns: Iterable[Numeric | Categorical]) -> Iterator[str]:
    for part in columns:
        values = X[part.name] if isinstance(part, Numeric) and part.name in X.columns else None
        kind = getattr(getattr(values, "dtype", None), "kind", "")
        if values is None or kind not in {"i", "u", "f"}:
            continue
        numbers = np.asarray(values, dtype=float)
        if np.any((numbers < float(part.lower)) | (numbers > float(part.upper))):
            yield f"{part.name} [{float(part.lower):g}, {float(part.upper):g}]"
