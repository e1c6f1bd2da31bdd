"""The tables are right at every strip, against mpmath at 66 digits."""

import itertools
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest

from dpframe.numerics import arb_lower, arb_upper, working
from dpframe.randomness.strips import MARGIN, PLACE_BITS, TAIL, Alias, Exponential, Normal, strips

SHAPES = {Normal(): lambda z: mpmath.exp(-z * z / 2), Exponential(): lambda z: mpmath.exp(-z)}
every = pytest.mark.parametrize("shape", SHAPES, ids=repr)
LAST = 2**PLACE_BITS - 1
PLACES = [
    0,
    1,
    LAST,
    LAST - 1,
    LAST // 2,
    LAST // 3,
    *np.random.default_rng(51).integers(0, LAST, 6),
]


@pytest.fixture(autouse=True)
def digits():
    """66 of them."""
    with mpmath.workdps(66):
        yield


def ends(shape):
    """f at both ends of every strip below the tail."""
    at = [SHAPES[shape](mpmath.mpf(b) / 2**shape.fine) for b in range(TAIL + 1)]
    return list(itertools.pairwise(at))


def undominated(shape, weights, peak):
    """The strips whose weight is below peak f somewhere in them, the tail in its first 60 parts."""
    wrong = [b for b, (top, _) in enumerate(ends(shape)) if weights[b] < peak * top]
    start = mpmath.mpf(TAIL) / 2**shape.fine
    parts = (SHAPES[shape](start + g) * 2 ** (shape.fine + g + 1) for g in range(60))
    return wrong + [TAIL] * any(weights[TAIL] < peak * part for part in parts)


@every
def test_weights_dominate(shape):
    """Weights sum to 2^32 and are at least peak f, by no more than 1 but in the first; a peak that
    is higher by a part in 10^8 is too high.
    """
    table = strips(shape)
    weights = table.alias.weights
    assert sum(weights) == 2**32
    assert undominated(shape, weights, table.peak) == []
    assert len(undominated(shape, weights, table.peak * 1.00000001)) > 10
    assert all(weights[b] < table.peak * top + 1 for b, (top, _) in enumerate(ends(shape)) if b)
    assert weights[0] < 1.00001 * table.peak


@every
@pytest.mark.parametrize("caution", [0.0, 0.02])
def test_what_is_sure_is_true(shape, caution):
    """sure/2^32 is at most a at the far end of the strip, less the caution, and not far below."""
    table = strips(shape, caution)
    assert table.sure[TAIL] == 0
    for b, (_, low) in enumerate(ends(shape)):
        a = table.peak * low / table.alias.weights[b] - mpmath.mpf(caution)
        assert int(table.sure[b]) <= max(a, 0) * 2**32
        assert int(table.sure[b]) > a * 2**32 - 2 or table.sure[b] == 0


def worst(table, shape):
    """The largest error of `chance` at 12 places of every strip, wherever in the place z lies."""
    error = 0
    for place in PLACES:
        b = np.arange(TAIL)
        found = table.chance(b, np.full(TAIL, place, dtype=np.uint64))
        for strip, a in zip(b.tolist(), found.tolist(), strict=True):
            for end in (int(place), int(place) + 1):
                z = mpmath.mpf((strip << PLACE_BITS) + end) / mpmath.mpf(2) ** table.digits
                truth = table.peak * SHAPES[shape](z) / table.alias.weights[strip]
                error = max(error, abs(truth - mpmath.mpf(a)))
    return error


@every
def test_chances_in_doubles_are_within_their_bound(shape):
    """2^-49, a 32nd of the margin; a slope that is off by 2^-44 is noticed."""
    table = strips(shape)
    assert worst(table, shape) < mpmath.mpf(2) ** -49
    assert MARGIN == 2.0**-44
    bent = attrs.evolve(table, slopes=table.slopes + 2.0**-44)
    assert worst(bent, shape) > mpmath.mpf(2) ** -49


@every
def test_chances_in_balls(shape):
    """Tight enclosures of a in strips and in the tail."""
    table = strips(shape)
    for b, part, z in (
        (0, 0, Fraction(1, 2**40)),
        (100, 0, Fraction(1001, 10 * 2**shape.fine)),
        (TAIL, 0, table.start + Fraction(1, 3)),
        (TAIL, 3, table.start + 3 + Fraction(9, 10)),
    ):
        with working(192):
            ball = table.chance_ball(b, part, z)
            low, high = (
                mpmath.mpf(e.numerator) / e.denominator for e in (arb_lower(ball), arb_upper(ball))
            )
        f = SHAPES[shape](mpmath.mpf(z.numerator) / z.denominator)
        extra = 2 ** (shape.fine + part + 1) if b == TAIL else 1
        truth = table.peak * f * extra / table.alias.weights[b]
        assert low <= truth <= high < low * (1 + mpmath.mpf(2) ** -150)
        assert 0 < truth <= 1


@every
def test_the_alias_table_means_the_weights_exactly(shape):
    """Columns, counted from the words at the borders of their two parts, add up to the weights;
    with one cut moved by 1 they do not.
    """
    alias = strips(shape).alias
    assert spelled(alias) == list(alias.weights)
    moved = alias._cut.copy()
    moved[7] -= 1
    assert spelled(attrs.evolve(alias, cut=moved)) != list(alias.weights)


def spelled(alias):
    """How many of the 2^32 words mean each strip. Inside a column the strip changes once: where, is
    found by bisection of `pick`, and the parts are checked at random words.
    """
    rng, found = np.random.default_rng(52), [0] * 512

    def means(word):
        return int(alias.pick(np.array([word], dtype=np.uint32))[0])

    for column in range(512):
        begin, end = column << 23, (column + 1) << 23
        first, last = means(begin), means(end - 1)
        low, high = begin, end - 1
        while first != last and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if means(middle) == first else (low, middle)
        cut = end if first == last else high
        words = rng.integers(begin, end, 20)
        assert all(means(word) == (first if word < cut else last) for word in words)
        found[first] += cut - begin
        found[last] += end - cut
    return found


@pytest.mark.parametrize(
    "weights", [[2**23] * 511, [2**23] * 511 + [2**23 + 1], [2**24, -(2**23)] + [2**23] * 510]
)
def test_weights_that_are_no_chances_are_refused(weights):
    """Another number, another sum, a negative one."""
    with pytest.raises(ValueError, match="weights"):
        Alias.of(weights)


def test_extreme_weights():
    """All in one strip; and equal ones."""
    assert spelled(Alias.of([0] * 300 + [2**32] + [0] * 211))[300] == 2**32
    assert spelled(Alias.of([2**23] * 512)) == [2**23] * 512


def test_a_table_is_made_once():
    """The same object for equal shapes."""
    assert strips(Normal()) is strips(Normal())
    assert strips(Normal()) is not strips(Exponential())
