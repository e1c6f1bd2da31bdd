"""The search for the best split: where known formulas are least."""

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.audits.splits.by_formula import least

g = dp.parameter("g", 0, 1)
h = dp.parameter("h", 0, 1)
UNIT = (Fraction(0), Fraction(1))
DEEP = 2 + (g - Fraction(1, 4)) ** 2 - dp.exp(-((100 * (g - Fraction(3, 4))) ** 2))


@pytest.mark.parametrize(
    ("formula", "ends", "limits", "best"),
    [
        (1 / g + 130 / (1 - g), UNIT, [], 1 / (1 + 130**0.5)),
        (dp.maximum(1 / g, 2 / (1 - g)), UNIT, [], 1 / 3),
        (DEEP, UNIT, [], 0.75 - 1 / 20_000),  # the deeper of two valleys, though the other is wider
        (1 + g, (Fraction(1, 4), Fraction(1)), [], 0.25),
        (1 / g, UNIT, [Fraction(1, 3) - g], 1 / 3),
        (dp.log(1 / g) + Fraction(10**6) * g, UNIT, [], 1e-6),
    ],
    ids=str,
)
@pytest.mark.some(6)
def test_one_parameter(formula, ends, limits, best):
    """Stationary points, corners, ends of the range and limits."""
    (point,) = least(formula, [g], [ends], limits)
    assert point == pytest.approx(best, rel=2e-5)
    assert ends[0] <= point <= ends[1]


def test_two_parameters():
    """sum a_i/w_i over the simplex is least at w_i in proportion to sqrt(a_i)."""
    formula = 1 / g + 4 / ((1 - g) * h) + 9 / ((1 - g) * (1 - h))
    assert least(formula, [g, h], [UNIT] * 2) == pytest.approx((1 / 6, 2 / 5), rel=1e-4)


def test_nowhere_finite():
    """A criterion that is infinite everywhere is refused, with a repair."""
    with pytest.raises(dp.InvalidArgument, match=r"within=\(lower, upper\)"):
        least(1 / dp.maximum(0, -g), [g], [UNIT])
