"""Bounds on boxes that reach a pole, and least values that are proved: against 50 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.splits import scan
from dpframe.audits.splits.scan import ends, slope
from tests.support import oracles

g = dp.parameter("g", 0, 1)
h = dp.parameter("h", 0, 1)
FORMULAS = [
    1 / g,
    1 / (1 - g),
    dp.log(2 / g) / g**2,
    dp.log(4 / (1 - g)) / (1 - g) ** 2 + 3 / g,
    dp.sqrt(2 * dp.log(2 / g)) - dp.log(g) * g,
    dp.maximum(0, 1 - 3 * g) ** 2 + dp.exp(-g),
    dp.analytic_sigma(g, g / 10),
    dp.minimum(1 / g, 5) + g ** Fraction(1, 3),
    1 / dp.maximum(0, 1 - 2 * g) ** 2,
]
BOXES = [(0.0, 0.01), (0.0, 1.0), (0.3, 0.31), (0.5, 1.0), (0.999, 1.0), (0.25, 0.25)]


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("formula", FORMULAS, ids=str)
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_ends_enclose(formula, box):
    """Every value at 50 digits lies between the ends, at poles too."""
    low, high = ends(formula, {"g": (np.array([box[0]]), np.array([box[1]]))})
    inside = np.linspace(*box, 23) if box[0] < box[1] else [box[0]]
    for point in inside:
        if not 0 < point < 1:
            continue
        try:
            value = oracles.value(formula, {"g": Fraction(point)})
        except ZeroDivisionError:
            continue
        assert mpmath.mpf(float(low[0])) <= value <= mpmath.mpf(float(high[0]))


def test_ends_at_poles_are_bounds_and_not_nothing():
    """1/g on [0, h] is at least 1/h; log(2/g)/g^2 likewise; 1 - g at 1 is 0, not below."""
    box = {"g": (np.array([0.0]), np.array([0.125]))}
    low, high = ends(1 / g, box)
    assert 7.999 < low[0] <= 8
    assert high[0] == np.inf
    assert ends(dp.log(2 / g) / g**2, box)[0][0] > 177
    assert ends(1 / (1 - g), {"g": (np.array([0.875]), np.array([1.0]))})[0][0] > 7.999


def test_what_is_undefined_has_no_bounds():
    """log of what may be negative; 1/x where x has both signs."""
    box = {"g": (np.array([0.25]), np.array([0.75]))}
    for formula in (dp.log(g - Fraction(1, 2)), 1 / (g - Fraction(1, 2)), dp.sqrt(g - 1)):
        low, high = ends(formula, box)
        assert low[0] == -np.inf
        assert high[0] == np.inf


@pytest.mark.parametrize("formula", FORMULAS[:5], ids=str)
def test_slopes(formula):
    """The derivative, against mpmath's."""
    rising = slope(formula, g)
    for point in ("0.1", "0.37", "0.9"):
        at = Fraction(point)
        step = Fraction(1, 10**12)
        with mpmath.workdps(50):
            above, below = (oracles.value(formula, {"g": at + side}) for side in (step, -step))
            wanted = (above - below) / (2 * oracles.mpf(step))
        found = oracles.value(rising, {"g": at})
        assert abs(found - wanted) <= abs(wanted) * mpmath.mpf("1e-15")


def test_kinks_have_no_slope():
    """max, min and analytic_sigma of the symbol are left to the bounds."""
    assert slope(dp.maximum(g, 1 - g), g) is None
    assert slope(dp.analytic_sigma(g, "1e-6"), g) is None
    assert str(slope(dp.analytic_sigma(1, "1e-6") * g, g)) == "analytic_sigma(1, 1e-6)"


@pytest.mark.parametrize(
    ("formula", "best"),
    [
        (1 / g + 130 / (1 - g), 1 / (1 + mpmath.sqrt(130))),
        (1 / g + 1 / (1 - g), mpmath.mpf("0.5")),
        (dp.maximum(1 / g, 2 / (1 - g)), mpmath.mpf(1) / 3),
    ],
    ids=str,
)
def test_least_values_known_by_hand(formula, best):
    """The least value, a lower bound below it, ends that contain the place."""
    found = scan.least(formula, [g], [(Fraction(0), Fraction(1))])
    with mpmath.workdps(50):
        least = oracles.value(formula, {"g": best})
        assert found.lower <= least <= found.lower * (1 + mpmath.mpf("2e-6"))
        ((low, high),) = found.region
        assert low <= best <= high
        assert high - low < 1e-2


def test_two_symbols():
    """sum a_i/w_i over the simplex: (sum sqrt a_i)^2."""
    formula = 1 / g + 4 / ((1 - g) * h) + 9 / ((1 - g) * (1 - h))
    found = scan.least(formula, [g, h], [(Fraction(0), Fraction(1))] * 2)
    assert found.lower <= 36 <= found.lower * 1.0002
    (first, second) = found.region
    assert first[0] <= 1 / 6 <= first[1]
    assert second[0] <= 2 / 5 <= second[1]


def test_two_valleys():
    """The deeper of two valleys, though the other is wider."""
    x = g
    formula = 2 + (x - Fraction(1, 4)) ** 2 - dp.exp(-((100 * (x - Fraction(3, 4))) ** 2))
    found = scan.least(formula, [g], [(Fraction(0), Fraction(1))])
    assert abs(found.point[0] - 0.75) < 1e-3
    grid = np.linspace(0, 1, 100_001)
    values = 2 + (grid - 0.25) ** 2 - np.exp(-((100 * (grid - 0.75)) ** 2))
    assert found.lower <= values.min() <= found.lower * (1 + 1e-8)


def test_the_end_of_a_range():
    """Where the formula only rises, the best is at the lower end, and is not lost."""
    found = scan.least(1 + g, [g], [(Fraction(1, 4), Fraction(1))])
    assert found.lower <= 1.25 <= found.lower * (1 + 1e-6)
    assert found.region[0][0] <= 0.25


def test_limits():
    """Beyond a limit nothing is chosen, and the best may lie at it."""
    found = scan.least(1 / g, [g], [(Fraction(0), Fraction(1))], [Fraction(1, 3) - g])
    assert 3 <= 1 / found.point[0] <= 3.00001
    assert found.lower <= 3 <= found.lower * 1.00001
    assert found.region[0][0] <= 1 / 3 <= found.region[0][1]


def test_nowhere_finite():
    """A criterion that is infinite everywhere is refused with a way out."""
    with pytest.raises(dp.InvalidArgument, match=r"within=\(lower, upper\)"):
        scan.least(1 / dp.maximum(0, -g), [g], [(Fraction(0), Fraction(1))])
