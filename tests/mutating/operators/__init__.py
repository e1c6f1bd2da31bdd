"""The table of operators: one kind of mistake, or of harmless edit, a line."""

from __future__ import annotations

from collections.abc import Mapping

from ..subject import Operator
from . import benign, noise, procedures, raw, rows, shares

BREAKING = (
    *noise.OPERATORS,
    *shares.OPERATORS,
    *rows.OPERATORS,
    *raw.OPERATORS,
    *procedures.OPERATORS,
)
BENIGN = tuple(benign.OPERATORS)
OPERATORS: Mapping[str, Operator] = {one.name: one for one in (*BREAKING, *BENIGN)}

__all__ = ["BENIGN", "BREAKING", "OPERATORS"]
