"""Signs of polynomials: never proved where a point of the domain says otherwise."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.prover.algebra import Field
from dpframe.prover.sign import nonnegative, points, positive
from dpframe.symbols import Number, exact, power
from tests.support.oracles import exactly, value

quick = settings(max_examples=120, deadline=None, derandomize=True)
RANGES = {
    "open": (dp.parameter("u", 0, 1), dp.parameter("v", 0, 1)),
    "closed": (dp.parameter("u", 0, 1, closed="both"), dp.parameter("v", -1, 1, closed="both")),
    "infinite": (dp.parameter("u", 0), dp.parameter("v", "1/2", closed="left")),
    "half infinite": (dp.parameter("u", -1, 2, closed="left"), dp.parameter("v", 0)),
    "whole": (
        dp.parameter("u", 1, closed="left", integer=True),
        dp.parameter("v", 0, 4, closed="both", integer=True),
    ),
}
coefficients = some.fractions(min_value=-3, max_value=3, max_denominator=4)
terms = some.lists(
    some.tuples(coefficients, some.integers(0, 3), some.integers(0, 2)), min_size=1, max_size=5
)


def grid(symbol):
    """Numbers of the domain, its closed ends among them, some of them large."""
    numbers = [Fraction(k, 12) for k in range(-12, 49)]
    numbers += [Fraction(k) for k in range(5, 12)] + [Fraction(10**6), Fraction(1, 10**9)]
    return [number for number in numbers if number in symbol.domain][::2]


@pytest.mark.parametrize("ranges", RANGES)
@quick
@given(parts=terms)
@pytest.mark.slow
def test_decisions_agree_with_a_grid(ranges, parts):
    """Proved: no grid point violates. Refuted: the witness lies inside and violates, exactly."""
    u, v = RANGES[ranges]
    formula = sum((c * u**i * v**j for c, i, j in parts), Number(Fraction(0)))
    field = Field((u, v))
    for decide, wrong in ((nonnegative, lambda x: x < 0), (positive, lambda x: x <= 0)):
        decision = decide(formula, field)
        if decision.proved:
            for a, b in itertools.product(grid(u), grid(v)):
                assert not wrong(exactly(formula, {"u": a, "v": b}))
        elif decision.proved is False:
            at = {symbol.name: number for symbol, number in decision.witness.items()}
            assert all(number in s.domain for s, number in decision.witness.items())
            assert wrong(exactly(formula, at))


@quick
@given(parts=terms)
def test_quotients_agree_with_a_grid(parts):
    """A rational function with a denominator of one sign is decided as its values are."""
    u, v = RANGES["open"]
    formula = sum((c * u**i / (1 + v) ** j for c, i, j in parts), Number(Fraction(0)))
    decision = nonnegative(formula, Field((u, v)))
    if decision.proved:
        for a, b in itertools.product(grid(u), grid(v)):
            assert exactly(formula, {"u": a, "v": b}) >= 0


DECIDED = [
    ("u*(1-u)", "open", True),
    ("u*(1-u)", "closed", None),
    ("(u-v)^2", "open", None),
    ("(u-1/2)^2", "open", None),
    ("(u-1/3)^2+1/1000000", "open", True),
    ("u^2+v^2-2*u*v+1/100", "open", True),
    ("1-u-v", "open", None),
    ("u-u^2-1/4", "open", None),
    ("v^2-v+1/4", "infinite", None),
    ("v-1/4", "infinite", True),
    ("u*v", "infinite", True),
    ("u*v-1", "infinite", None),
]


@pytest.mark.parametrize(("text", "ranges", "proved"), DECIDED)
def test_strict_signs(text, ranges, proved):
    """Is it > 0 on the whole domain? Never proved where it has a zero inside."""
    u, v = RANGES[ranges]
    formula = dp.graph.parse(text, {"u": u, "v": v})
    assert (positive(formula, Field((u, v))).proved is True) is (proved is True)


def test_a_double_root_is_not_positive():
    """(u - v)^2 vanishes on the diagonal, and is negative nowhere."""
    u, v = RANGES["closed"]
    field = Field((u, v))
    assert nonnegative((u - v) ** 2, field).proved is not False
    assert positive((u - v) ** 2, field).proved is not True


@pytest.mark.parametrize("ranges", RANGES)
def test_candidate_points_lie_in_the_domain(ranges):
    """Every point that is tried as a counterexample is one of the domain."""
    for point in points(RANGES[ranges]):
        assert all(number in symbol.domain for symbol, number in point.items())


@quick
@given(parts=terms, at=some.tuples(some.fractions("1/9", "8/9", max_denominator=9)))
def test_the_field_evaluates_as_fractions_do(parts, at):
    """A formula in the ring has the formula's values."""
    u, v = RANGES["open"]
    formula = sum((c * u**i * (1 - v) ** j / (1 + u) for c, i, j in parts), Number(Fraction(0)))
    field = Field((u, v))
    point = {u: at[0], v: Fraction(1, 3)}
    assert field.value(formula, point) == exactly(
        formula, {s.name: number for s, number in point.items()}
    )


# -------------------------------------- Signs of formulas with roots, logarithms, minima and maxima
N = dp.parameter("N", lower=2, closed="left", integer=True)
n = dp.parameter("n", lower=0, closed="left", integer=True)
x, y = dp.parameter("x", 0), dp.parameter("y", 0)
u = dp.parameter("u", 1, 3, closed="both")
e, delta = dp.EPSILON, dp.DELTA
small = dp.parameter("small", "1e-9", "1e-3")
L = dp.log(1 / delta)
r, low, high = dp.sqrt, dp.minimum, dp.maximum
d = dp.parameter("d", 1, closed="left", integer=True)
B = dp.parameter("B", 0)
g = dp.parameter("g", 0, 2, closed="both")


def holds(formula, *, strict):
    """Whether it is shown to be defined and of that sign."""
    return Field(formula.symbols()).shown(formula, strict=strict)


TRUE = {
    "fractional power": (1 - power(N, "-11/10"), True),
    "powers of one symbol": (power(N, "3/2") - power(N, "4/3"), True),
    "power of a maximum": (1 - power(high(n, 2), "-11/10"), True),
    "quotient by a maximum": (1 - 2 / high(n, 2) ** 2, True),
    "a maximum is above": (high(n, 2) - n, False),
    "a minimum is below": (3 - low(n, 2) - low(u, 7) / 3, False),
    "root of a product": (x + y - 2 * r(x * y) + 2 * r(x) * r(y), False),
    "square of a root of a sum": (r(x + L) ** 2 - L, True),
    "logarithm that is above 6": (dp.log(1 / small) - 6, True),
    "logarithm of a maximum": (dp.log(high(n, 3)) - 1, True),
    "square of a sum of roots": (2 * (d + 1) ** 2 - (1 + r(d)) ** 2, False),
    "twice such a square": (2 * (d + 1) ** 2 - 2 * (1 + r(d)) ** 2, False),
    "quotient of squares": (e - power(1 + r(d), 2) * e / (1 + d**2 + 2 * d) / 2, False),
    "root of a whole number": (d - r(d), False),
    "root of a number": (e - (1 + r(2)) ** 2 * e / 18, False),
    "root below": (1 / r(B) + B, False),
    "root up to an end": (g + 1 - r(g), False),
    "product of roots": (r(2) * r(3) * e - 2 * e, False),
    "two symbols": (r(d) * B + r(B) - B, False),
    "open at 0": (r(B) + B, True),
}
FALSE = {
    "the end is reached": (1 - power(dp.parameter("N", 1, closed="left"), "-11/10"), True),
    "too large a power": (power(N, "4/3") - power(N, "3/2"), False),
    "a maximum is more": (n - high(n, 2), False),
    "slightly below": (Fraction(499, 250) / high(n, 2) - 1, False),
    "a root of a sum": (r(x) + r(L) - r(x + L) * Fraction(1001, 1000), False),
    "squared beyond": (r(x + L) ** 2 - L - x * Fraction(1001, 1000), False),
    "logarithm of a little": (dp.log(1 / small) - 7, False),
    "square of a sum of roots": ((1 + r(d)) ** 2 - (d + 1) ** 2, False),
    "root of a whole number": (r(d) - d, False),
    "root of a number": (e - r(2) * e, False),
    "root beyond 1": (r(g) - g, False),
    "product of roots": (r(2) * r(3) * e - 3 * e, False),
    "more than root 2": (e * r(2) - e * Fraction(14142136, 10**7), False),
    "0 at 1": (d - r(d), True),
    "0 at 0": (r(g) + g, True),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name):
    """As a polynomial in roots and logarithms, or by cases of a minimum or maximum."""
    formula, strict = TRUE[name]
    assert holds(formula, strict=strict)


@pytest.mark.parametrize("name", FALSE)
def test_what_fails_somewhere_is_not(name):
    """Each is negative, zero or undefined somewhere."""
    formula, strict = FALSE[name]
    assert not holds(formula, strict=strict)
    decide = positive if strict else nonnegative
    assert decide(formula, Field(formula.symbols())).proved is not True


UNDEFINED = {
    "logarithm": dp.log(x - 1) ** 2 + 1,
    "quotient": 1 / high(n - 5, x - 5) ** 2 + 1,
    "root": r(L - 1) + 5,
    "root of a symbol": r(dp.parameter("x", -1, 1)) + 1,
    "root of a difference": r(d - 2) + 1,
    "root of a root": r(r(d) - 2) + 1,
    "sigma": dp.analytic_sigma(e, delta * 2) + 1,
    "inside an exponential": dp.exp(r(x - 1)),
    "beside what is positive": high(2, dp.log(x)) * u + dp.exp(1 / (n - 3)),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_no_noise_has_a_size_that_is_undefined_somewhere(name):
    """Positive wherever it is defined, which is not everywhere."""
    formula = UNDEFINED[name]
    assert not holds(formula, strict=True)


def point(rng):
    """Numbers in every range, near its ends as often as not."""
    return {
        "N": int(rng.choice([2, 3, 10, 10**6])),
        "n": int(rng.choice([0, 1, 2, 3, 50, 10**5])),
        "x": float(10 ** rng.uniform(-7, 5)),
        "y": float(10 ** rng.uniform(-7, 5)),
        "u": float(rng.choice([1, 3, rng.uniform(1, 3)])),
        "d": int(rng.integers(1, 50)),
        "g": float(rng.choice([0, 2, rng.uniform(0, 2)])),
        "B": float(10 ** rng.uniform(-6, 6)),
        "epsilon": float(10 ** rng.uniform(-5, 3)),
        "delta": float(rng.choice([10 ** rng.uniform(-30, 0), 1 - 10 ** rng.uniform(-9, -1)])),
    }


def made(rng):
    """A random formula: products of two atoms, whose sum may stand under a root."""
    atoms = [x, y, u, e, L, N, exact(1), r(x), r(L), r(x * L), power(N, "-3/2"), high(n, 2)]
    atoms += [low(x, 3), high(x, y), r(x + L), r(e + L), r(high(u, y)), exact(Fraction(1, 3)), r(2)]
    atoms += [r(d), d, r(g), g, r("1/3"), B]
    many = range(int(rng.integers(2, 4)))
    pairs = [(atoms[rng.integers(len(atoms))], atoms[rng.integers(len(atoms))]) for _ in many]
    signs = [int(rng.integers(-3, 5)) for _ in many]
    return sum((k * p * q for k, (p, q) in zip(signs, pairs, strict=True)), exact(0))


def test_what_is_proved_holds_at_random_points():
    """Of 200 random formulas, each that is proved is evaluated at many points by mpmath."""
    rng, proved = np.random.default_rng(5), 0
    for _ in range(200):
        formula = made(rng)
        if not holds(formula, strict=False):
            continue
        proved += 1
        strict = holds(formula, strict=True)
        for _ in range(12):
            found = value(formula, point(rng))
            assert found > -(mpmath.mpf(10) ** -25), formula
            assert not strict or found > 0, formula
    assert proved > 25


def test_a_little_less_is_not_proved():
    """Where a formula is proved, the same minus more than its value somewhere is not."""
    rng, tried = np.random.default_rng(6), 0
    while tried < 8:
        formula = made(rng)
        if formula.symbols() and holds(formula, strict=False):
            tried += 1
            least = min(value(formula, point(rng)) for _ in range(40))
            assert not holds(formula - Fraction(math.ceil(least * 1001 + 1), 1000), strict=False)
