"""The rule book: one entry for each kind of node, theorem of calibration and derivation."""

from . import calibrations, cells, derivations, procedures, releases, rows, statistics, trusted  # noqa: F401 - every file enters its rules
from .book import DERIVATIONS, KINDS, THEOREMS

__all__ = ["DERIVATIONS", "KINDS", "THEOREMS"]
