"""Domains: which numbers a parameter may take."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.symbols import Domain

numbers = some.fractions(min_value=-4, max_value=4, max_denominator=6)
quick = settings(max_examples=80, deadline=None, derandomize=True)


@quick
@given(some.tuples(numbers, numbers), some.tuples(*[some.booleans()] * 2), some.booleans(), numbers)
def test_membership_is_the_definition(ends, closed, integer, x):
    """x is inside where every part of the definition holds; an empty range cannot be declared."""
    (low, high), (left, right) = ends, closed

    def inside(v):
        above = v > low or (left and v == low)
        below = v < high or (right and v == high)
        return above and below and (not integer or v.denominator == 1)

    try:
        domain = Domain(low, high, left, right, integer)
    except dp.InvalidArgument:
        candidates = [Fraction(k, 60) for k in range(-250, 251)] if not integer else range(-4, 5)
        assert not any(inside(Fraction(v)) for v in candidates)
        return
    assert (x in domain) is inside(x)
    assert domain.example() in domain


@quick
@given(numbers, numbers)
def test_positive_and_nonnegative_mean_what_they_say(low, x):
    """Where a domain calls itself positive, no point of it is 0 or less."""
    for closed in (False, True):
        domain = Domain(low, None, closed)
        if x in domain:
            assert x > 0 or not domain.positive
            assert x >= 0 or not domain.nonnegative


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.parameter("x", 1, 1),
        lambda: dp.parameter("x", 2, 1),
        lambda: dp.parameter("x", 0, 1, integer=True),
        lambda: dp.parameter("sqrt", 0, 1),
        lambda: dp.parameter("log", 0, 1),
        lambda: dp.parameter("", 0, 1),
        lambda: dp.parameter("a b", 0, 1),
        lambda: dp.parameter("x" * 50, 0, 1),
        lambda: dp.parameter("é", 0, 1),
        lambda: dp.parameter(3, 0, 1),
        lambda: dp.parameter("x", True, 2),
        lambda: dp.parameter("x", 0, float("nan")),
        lambda: dp.parameter("x", 0, 1, closed="yes"),
    ],
)
def test_empty_ranges_and_bad_names_are_refused(make):
    """A parameter needs a Python name, free of functions' names, and a range with a point."""
    with pytest.raises(dp.InvalidArgument):
        make()


@pytest.mark.parametrize("closed", ["neither", "left", "right", "both"])
def test_each_end_is_open_or_closed(closed):
    """0 and 1 belong to [0, 1], neither to (0, 1)."""
    domain = dp.parameter("x", 0, 1, closed=closed).domain
    assert (Fraction(0) in domain) is (closed in ("left", "both"))
    assert (Fraction(1) in domain) is (closed in ("right", "both"))
    assert Fraction(1, 2) in domain
