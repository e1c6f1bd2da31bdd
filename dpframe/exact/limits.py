"""Limits on the work that a document may ask for, and the two ways to refuse it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Json = Any
Exponent = int | Fraction
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
MAX_DEPTH, MAX_TEXT, MAX_WORK = 80, 100_000_000, 2_000_000
MAX_BITS = 14_000  # Python prints integers of up to 4,300 digits
MAX_BOXES, MAX_TENSOR = 4_000, 60_000


class Unusable(Exception):
    """The document is not a certificate of this schema."""


class Refused(Exception):
    """An obligation that fails or was not shown, with its operands."""


class Unbounded(Exception):
    """An enclosure that is not finite."""
