"""Whether a candidate counts: balls and drawn bits against mpmath at 120 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpframe.randomness import SimulatedBits
from dpframe.randomness.points import Prefix, _below, points
from dpframe.randomness.strips import PLACE_BITS, TAIL, strips
from tests.randomness.test_strips import SHAPES

every = pytest.mark.parametrize("shape", SHAPES, ids=repr)


def bits(seed):
    """Fair bits that repeat."""
    return SimulatedBits(np.random.default_rng(seed))


def candidates(table):
    """Strips, parts, and whole places in them: at both ends, and at random; the tail too."""
    rng = np.random.default_rng(91)
    for b in (0, 1, 2, 40, 100, 300, 400):
        for place in (0, 2**PLACE_BITS - 1, *rng.integers(0, 2**PLACE_BITS, 3).tolist()):
            yield b, 0, (b << PLACE_BITS) + place
    for part in (0, 1):
        begin = int((table.start + part) * 2**table.digits)
        yield TAIL, part, begin + int(rng.integers(0, 2**40))


def verdicts(shape):
    """For heights next to a in their 64th bit: what is said, and what all later words make true."""
    table = strips(shape)
    for i, (b, part, whole) in enumerate(candidates(table)):
        f = SHAPES[shape](mpmath.mpf(whole) / mpmath.mpf(2) ** table.digits)
        extra = 2 ** (shape.fine + part + 1) if b == TAIL else 1
        level = int(table.peak * f * extra / table.alias.weights[b] * 2**64)
        for step in (-40, -2, -1, 0, 1, 40):
            height = min(max(level + step, 0), 2**64 - 1)
            place, high = Prefix(whole, table.digits), Prefix(height, 64)
            said = _below(table, bits(i), (b, part), place, high)
            place, high, replay = Prefix(whole, table.digits), Prefix(height, 64), bits(i)
            for _ in range(5):  # both go on with the same words, by turns
                place.lengthen(replay)
                high.lengthen(replay)
            z = mpmath.mpf(place.whole) / mpmath.mpf(2) ** place.bits
            a = table.peak * SHAPES[shape](z) * extra / table.alias.weights[b]
            yield said, bool(mpmath.mpf(high.whole) / mpmath.mpf(2) ** high.bits < a)


@every
def test_the_slow_judge_is_right(shape):
    """V < a(z) for the endless V and z, also where 64 bits of both are not enough to tell."""
    with mpmath.workdps(120):
        found = list(verdicts(shape))
    assert all(said == true for said, true in found)
    assert {true for _, true in found} == {True, False}


@every
def test_points_are_many_or_none(shape):
    """Any number of them, in chunks; each with a strip, a fair sign and no end."""
    for n in (0, 1, 3, 2**15, 2**15 + 1, 10**5):
        found = points(strips(shape), bits(92), n)
        assert found.first.shape == found.negative.shape == (n,)
    assert abs(found.negative.mean() - 0.5) < 5 / (2 * np.sqrt(n))
    prefix = found.prefix(0)
    known = Fraction(prefix.whole, 2**prefix.bits)
    prefix.lengthen(bits(93))
    assert known <= Fraction(prefix.whole, 2**prefix.bits) <= known + Fraction(1, 2**found.digits)
