"""Accounting in numbers: mechanisms meet accountants."""

from .calibrated import Calibrated, calibrate
from .composed import Composition, compose
from .costs import composition_of
from .document import from_json, to_json
from .events import to_event
from .scale import least_factor

__all__ = [
    "Calibrated",
    "Composition",
    "calibrate",
    "compose",
    "composition_of",
    "from_json",
    "least_factor",
    "to_event",
    "to_json",
]
