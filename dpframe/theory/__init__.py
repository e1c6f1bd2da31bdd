"""The rule book: one entry for each kind of node, theorem of calibration and derivation."""

from . import (  # noqa: F401 - every file enters its rules
    calibrations,
    cells,
    derivations,
    procedures,
    releases,
    rows,
    statistics,
    trusted,
)
from .book import DERIVATIONS, KINDS, THEOREMS

__all__ = ["DERIVATIONS", "KINDS", "THEOREMS"]
