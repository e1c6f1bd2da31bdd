"""Exact input: nothing is rounded or guessed on the way in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpframe.errors import InvalidArgument
from dpframe.numbers import as_fraction, nonnegative, open_unit, positive


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(3602879701896397, 2**55)),
        (np.float64(0.1), Fraction(3602879701896397, 2**55)),
        (5e-324, Fraction(1, 2**1074)),
        (-0.0, Fraction(0)),
        (3, Fraction(3)),
        (np.int8(100), Fraction(100)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_numbers_are_taken_exactly(value: object, exact: Fraction) -> None:
    """A float is its exact binary value; integers of numpy do not overflow later."""
    number = as_fraction("epsilon", value)
    assert number == exact
    assert type(number.numerator) is int


@pytest.mark.parametrize(
    "value",
    [
        *(True, np.bool_(True), "0.1", None, Decimal("0.1"), 1j, [1]),
        *(np.array([1.0]), np.float32(0.1), np.float64("nan")),
        *(float("nan"), float("inf"), -float("inf")),
    ],
)
def test_other_values_are_refused_by_name(value: object) -> None:
    """Booleans, text, nan, infinities and foreign numbers are refused, naming the argument."""
    with pytest.raises(InvalidArgument, match=r"^epsilon must be an exact number"):
        as_fraction("epsilon", value)


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (nonnegative, [0, 5e-324, 7], [-5e-324, -1]),
        (positive, [5e-324, 7], [0, -0.0, -1]),
        (open_unit, [5e-324, 1 - 2**-53], [0, 1, 1.5, -0.5]),
    ],
)
def test_domains(domain: object, inside: list[float], outside: list[float]) -> None:
    """Each domain takes its own numbers and refuses the others by name."""
    assert callable(domain)
    for value in inside:
        assert domain("delta", value) == Fraction(value)
    for value in outside:
        with pytest.raises(InvalidArgument, match=r"^delta must be"):
            domain("delta", value)
