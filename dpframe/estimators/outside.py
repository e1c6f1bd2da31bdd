"""Warn about rows to predict that lie outside the public bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DataWarning, warn
from dpframe.graph import Categorical, Numeric
from dpframe.sources.table import Block


@attrs.frozen
class Outside:
    """Counts the rows with numbers outside the bounds of their `columns`, block by block."""

    columns: Sequence[Numeric | Categorical]
    beyond: list[NDArray[Any]] = attrs.field(factory=list)

    def counted(self, block: Block) -> Block:
        """The block, whose rows are counted."""
        ends = [
            (float(part.lower), float(part.upper))
            if isinstance(part, Numeric)
            else (-np.inf, np.inf)
            for part in self.columns
        ]
        if ends:
            low, high = np.transpose(ends)
            self.beyond.append((block.rows < low) | (block.rows > high))
        return block

    def warn(self) -> None:
        """Warn if there are such rows; each is predicted at the nearer bound."""
        beyond = np.concatenate(self.beyond) if self.beyond else np.zeros((0, 0), dtype=bool)
        outside = int(beyond.any(axis=1).sum())
        if not outside:
            return
        names = [
            f"{part.name} [{float(part.lower):g}, {float(part.upper):g}]"
            for part, any_row in zip(self.columns, beyond.any(axis=0), strict=True)
            if any_row and isinstance(part, Numeric)
        ]
        of_rows = f"{outside:,} of {len(beyond):,} rows to predict"
        warn(f"Clipped to the bounds: {of_rows}, in {', '.join(names)}.", DataWarning)
