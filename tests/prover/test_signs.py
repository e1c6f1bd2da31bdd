"""Signs of polynomials: never proved where a point of the domain says otherwise."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.prover.algebra import Field
from dpframe.prover.sign import nonnegative, points, positive
from dpframe.symbols import Number
from tests.support.oracles import exactly

quick = settings(max_examples=120, deadline=None, derandomize=True)
RANGES = {
    "open": (dp.parameter("u", 0, 1), dp.parameter("v", 0, 1)),
    "closed": (
        dp.parameter("u", 0, 1, closed="both"),
        dp.parameter("v", -1, 1, closed="both"),
    ),
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
@given(
    parts=terms,
    at=some.tuples(
        some.fractions("1/9", "8/9", max_denominator=9),
    ),
)
def test_the_field_evaluates_as_fractions_do(parts, at):
    """A formula in the ring has the formula's values."""
    u, v = RANGES["open"]
    formula = sum((c * u**i * (1 - v) ** j / (1 + u) for c, i, j in parts), Number(Fraction(0)))
    field = Field((u, v))
    point = {u: at[0], v: Fraction(1, 3)}
    assert field.value(formula, point) == exactly(
        formula, {s.name: number for s, number in point.items()}
    )
