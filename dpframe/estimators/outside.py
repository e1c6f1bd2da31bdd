"""Warn about rows to predict that lie outside the public bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dpframe.errors import DataWarning, warn
from dpframe.graph import Categorical, Numeric
from dpframe.sources.opening import is_frame


def warn_outside(X: Any, columns: Iterable[Numeric | Categorical]) -> None:
    """Warn if columns of a data frame or an array have numbers outside their bounds; each is read
    as the nearer bound.
    """
    if beyond := [*_beyond(X, tuple(columns))]:
        message = f"Predicted as at the nearer bound: rows of X beyond {', '.join(beyond)}."
        warn(message, DataWarning)


def _beyond(X: Any, columns: Sequence[Numeric | Categorical]) -> Iterator[str]:
    frame = is_frame(X)
    array = isinstance(X, np.ndarray) and X.shape[1:] == (len(columns),)
    for place, part in enumerate(columns):
        values = None
        if isinstance(part, Numeric) and (array or (frame and part.name in X.columns)):
            values = X[part.name] if frame else X[:, place]
        kind = getattr(getattr(values, "dtype", None), "kind", "")
        if values is None or kind not in {"i", "u", "f"}:
            continue
        numbers = np.asarray(values, dtype=float)
        if np.any((numbers < float(part.lower)) | (numbers > float(part.upper))):
            yield f"{part.name} [{float(part.lower):g}, {float(part.upper):g}]"
