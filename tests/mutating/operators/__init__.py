"""The table of operators: one kind of mistake, or of harmless edit, a line."""

from __future__ import annotations

from collections.abc import Mapping

from ..subject import Operator
from . import benign, cells, copies, formulas, noise, procedures, raw, rows, samples, shares

BREAKING = (
    *noise.OPERATORS,
    *formulas.OPERATORS,
    *shares.OPERATORS,
    *copies.OPERATORS,
    *rows.OPERATORS,
    *cells.OPERATORS,
    *samples.OPERATORS,
    *raw.OPERATORS,
    *procedures.OPERATORS,
)
BENIGN = tuple(benign.OPERATORS)
OPERATORS: Mapping[str, Operator] = {one.name: one for one in (*BREAKING, *BENIGN)}

__all__ = ["BENIGN", "BREAKING", "OPERATORS"]
