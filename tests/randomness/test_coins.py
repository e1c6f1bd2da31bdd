"""Coins: decided by bits, and exact next to their probability."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpframe.randomness import SimulatedBits
from dpframe.randomness.coins import exponential_coins, rational_coins, same_coins, subset
from dpframe.randomness.points import Prefix, points
from dpframe.randomness.strips import Exponential, strips
from tests.randomness.test_bits import Given


def bits(seed):
    """Fair bits that repeat."""
    return SimulatedBits(np.random.default_rng(seed))


def likely(found, p):
    """Whether a share of true coins is within 5 standard deviations of p."""
    return bool(abs(np.mean(found) - p) <= 5 * np.sqrt(p * (1 - p) / len(found)))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(1, 50)])
def test_coins_have_their_probability(x):
    """e^-x at 50 digits, by frequency; and not that of 1.2 x."""
    found = same_coins(bits(71), x, 200_000)
    with mpmath.workdps(50):
        p, other = (
            float(mpmath.exp(-mpmath.mpf(y.numerator) / y.denominator)) for y in (x, x * 6 / 5)
        )
    assert likely(found, p)
    assert not likely(found, other)


@pytest.mark.parametrize(
    ("x", "always"), [(0, True), (Fraction(1, 10**30), True), (40, False), (10**6, False)]
)
def test_coins_that_are_as_good_as_certain(x, always):
    """e^0 = 1, e^-40 < 1e-17; e^-(2^2000) is no overflow."""
    assert same_coins(bits(72), Fraction(x), 5000).tolist() == [always] * 5000
    assert not same_coins(bits(72), Fraction(2**2000), 10).any()


def test_a_coin_next_to_its_point_is_decided_rightly():
    """x a few units of the last known bit from z, where doubles cannot tell: the answer is that of
    whole numbers, wherever those know it.
    """
    n, digits = 4000, 60
    first = points(strips(Exponential()), bits(73), n).first.tolist()
    for offset in (-5000, -2, -1, 1, 2, 5000):
        x = [Fraction(k + offset, 2**digits) for k in first]
        asked = np.array([float(max(y, 0)) for y in x])
        off = np.full(n, 2.0**-48)
        found = exponential_coins(bits(73), asked, off, lambda i: max(x[i], Fraction(0)))  # noqa: B023
        assert found.tolist() == [offset < 1 or k + offset < 0 for k in first]


def test_a_coin_inside_what_is_known_of_its_point_takes_more_bits():
    """x in the middle of [k, k + 1] 2^-60, where k is small and x a double: z is above it half of
    the time, and never always.
    """
    n, unit = 400_000, 2.0**-60
    first = points(strips(Exponential()), bits(78), n).first
    near = first < 2**52
    x = np.where(near, (first.astype(np.float64) + 0.5) * unit, 1e-3)
    found = exponential_coins(bits(78), x, np.zeros(n), lambda i: Fraction(x[i]))
    assert near.sum() > 500
    assert likely(found[near], 0.5)


def test_what_doubles_cannot_decide_is_decided_exactly():
    """An error of 2, or infinite, sends every coin to whole numbers: the law is the same."""
    x = Fraction(3, 4)
    for off in (2.0, np.inf):
        found = exponential_coins(bits(74), np.zeros(4000), np.full(4000, off), lambda i: x)
        assert likely(found, np.exp(-0.75))
        assert not likely(found, np.exp(-0.9))


@pytest.mark.parametrize("level", [Fraction(1, 3), Fraction(5, 2**70), Fraction(2)])
def test_a_prefix_is_above_a_level_by_all_its_bits(level):
    """[whole, whole + 1] 2^-bits against the level, and as many more words as that takes."""
    bits_, scaled = 8, int(level * 2**8)
    assert Prefix(scaled + 1, bits_).above(level, Given())
    if scaled:
        assert not Prefix(scaled - 1, bits_).above(level, Given())
    rest = level * 2**8 - scaled
    if rest:
        at = int(rest * 2**64)
        assert Prefix(scaled, bits_).above(level, Given(at + 1))
        if at:
            assert not Prefix(scaled, bits_).above(level, Given(at - 1))


@pytest.mark.parametrize(
    "p", [Fraction(0), Fraction(1), Fraction(1, 3), Fraction(1, 2**60), Fraction(2**53 - 1, 2**53)]
)
def test_rational_coins(p):
    """Bit by bit, of 53 at a time: below p is true, at p or above is false."""
    level = p * 2**53
    first, rest = int(level), level - int(level)
    second = int(rest * 2**53)
    if first:
        assert rational_coins(Given((first - 1) << 11), p, 1)[0]
    if first < 2**53:
        assert not rational_coins(Given(first << 11, (second + 1) << 11), p, 1)[0]
        if second:
            assert rational_coins(Given(first << 11, (second - 1) << 11), p, 1)[0]


def test_subsets_are_all_alike():
    """2 of 5: ten pairs, each a tenth of the time; ascending."""
    source = bits(77)
    found = [tuple(subset(source, 2, 5).tolist()) for _ in range(20_000)]
    assert set(found) == set(itertools.combinations(range(5), 2))
    assert max(abs(found.count(pair) / 20_000 - 0.1) for pair in set(found)) < 0.01
    assert subset(source, 5, 5).tolist() == [0, 1, 2, 3, 4]


def test_equal_words_at_the_border_are_drawn_anew():
    """Else the order of rows would decide; equal words on one side of it do no harm."""
    assert subset(Given(5, 5, 9, 1, 2, 3), 1, 3).tolist() == [0]
    assert subset(Given(4, 4, 9), 2, 3).tolist() == [0, 1]
