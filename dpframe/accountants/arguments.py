"""The two numbers that an accountant is asked at: read as guarantees read theirs."""

from __future__ import annotations

from fractions import Fraction

from dpframe.numbers import nonnegative, open_unit
from dpframe.symbols import rational


def delta_argument(value: object) -> Fraction:
    """`value` in (0, 1), exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return open_unit("delta", rational(value, "delta"))


def epsilon_argument(value: object) -> Fraction:
    """`value` >= 0, exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return nonnegative("epsilon", rational(value, "epsilon"))
