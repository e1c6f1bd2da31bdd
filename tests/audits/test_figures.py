"""Numbers are written as a person writes them, and never on the wrong side."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpframe.audits.figures import against, exactly, figure, formula, hanging, short, tidy
from dpframe.symbols import DELTA, EPSILON, constant

POSITIVE = st.floats(1e-300, 1e300)


@pytest.mark.parametrize(
    ("value", "side", "shown"),
    [
        (8.848e-7, "near", "8.85e-7"),
        (8.841e-7, "up", "8.85e-7"),
        (0.5956, "near", "0.596"),
        (1.5871, "near", "1.587"),
        (1.5871, "up", "1.588"),
        (1.5879, "down", "1.587"),
        (1 + 2**-52, "up", "1.000"),
        (0.99999, "up", "1.00"),
        (123456.0, "near", "123500"),
        (1e-300, "near", "1e-300"),
        (1e7, "near", "1e7"),
        (0.0, "up", "0"),
        (None, "up", "-"),
        (float("inf"), "up", "inf"),
        (float("nan"), "up", "-"),
    ],
)
def test_figures(value, side, shown):
    """Three digits below 1, four above, to the stated side."""
    assert figure(value, side) == shown


@given(POSITIVE)
def test_figures_stay_on_their_side(value):
    """Up to one part in 10^12, the printed number bounds the true one."""
    slack = Fraction(1, 10**12) * Fraction(value)
    assert Fraction(figure(value, "down")) - slack <= Fraction(value)
    assert Fraction(value) <= Fraction(figure(value, "up")) + slack


@given(POSITIVE, st.fractions(Fraction(1, 1000), 1000))
def test_what_exceeds_a_limit_is_shown_to_exceed_it(value, limit):
    """Digits are added until the printed number says so."""
    if Fraction(value) > limit * (1 + Fraction(1, 10**11)):
        assert Fraction(against(value, limit)) > limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1/3", "1/3"), ("1e-6", "1e-6"), ("2.5e-7", "2.5e-7"), ("0.9", "0.9"), ("12", "12")],
)
def test_exact_numbers_stay_exact(text, shown):
    """A terminating decimal of six digits, else a fraction."""
    assert exactly(Fraction(text)) == shown
    assert Fraction(shown) == Fraction(text)


def test_short_numbers_are_approximate_where_they_must():
    """One third is 0.333 in a narrow column."""
    assert short(Fraction(1, 3)) == "0.333"
    assert short(Fraction(1, 2)) == "0.5"
    assert short(Fraction(1, 3_000_000)) == "3.33e-7"


def test_formulas():
    """epsilon/3, not 1/3*epsilon; 1e-6, not 1/1000000."""
    assert formula(EPSILON / 3) == "epsilon/3"
    assert formula(constant("1e-6")) == "1e-6"
    assert formula(EPSILON * DELTA / 3) == "1/3*epsilon*delta"
    assert tidy("1/3000000, 1/1000000 and 8.8e-07") == "1/3000000, 1e-6 and 8.8e-7"


def test_long_lines_hang():
    """Later pieces are indented further than the first."""
    pieces = hanging("  " + "word " * 60)
    assert len(pieces) > 1
    assert all(len(piece) <= 100 for piece in pieces)
    assert all(piece.startswith("      word") for piece in pieces[1:])
