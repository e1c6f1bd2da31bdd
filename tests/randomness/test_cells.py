"""Which whole number a point means, and whether it counts: words, tables, bits."""

import itertools
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest

from dpframe.numerics import arb_lower, arb_upper, working
from dpframe.randomness import SimulatedBits, laws
from dpframe.randomness.laws import Cells
from dpframe.randomness.points import Points, Prefix, _below, points
from dpframe.randomness.strips import MARGIN, PLACE_BITS, TAIL, Alias, Exponential, Normal, strips
from tests.randomness.test_bits import Given

# ------------------------------------------------------------- 64-bit words against Python integers
SIZES = [
    *(Fraction(s) for s in (0.3, 1.0, 3.7, 1000.1, 2.0**40, 2.0**40 / 3, 2.0**50, 2.0**-60)),
    Fraction(1, 3),
    Fraction(2**50 - 1, 7),
]
NEAR = [*range(-6, 7), *(sign * 2**j for j in range(3, 44, 4) for sign in (-1, 1))]
every_size = pytest.mark.parametrize("size", SIZES, ids=float)
both = pytest.mark.parametrize("nearest", [True, False])


def borders(size, nearest, digits):
    """First words next to the borders of cells, all ones, halves of ones, and random ones."""
    rng = np.random.default_rng(61)
    most = int(size * 2 ** (64 - digits)) + 1
    chosen = {0, 1, 2, 3, most, *rng.integers(0, most, 300, endpoint=True).tolist()}
    words = {2**64 - 1, 2**63, 2**32 - 1, 2**64 - 2**32, *rng.integers(0, 2**63, 300).tolist()}
    for cell in chosen:
        k = (cell - Fraction(nearest, 2)) / size * 2**digits
        words |= {int(k) + i for i in NEAR}
    return np.array(sorted(w for w in words if 0 <= w < 2**64), dtype=np.uint64)


def wrong(size, nearest, digits=61):
    """The words whose quick cell is called sure, and is not that of all they may become; and how
    many were sure.
    """
    first = borders(size, nearest, digits)
    points = Points(digits, first, np.zeros(len(first), dtype=bool), {})
    places = min(40, 59 - laws._exponent(size))
    found, unsure = Cells(size, nearest=nearest)._quickly(points, places, 0.0)
    half, bad, sure = Fraction(nearest, 2), [], 0
    for word, cell, doubt in zip(first.tolist(), found.tolist(), unsure.tolist(), strict=True):
        low = (size * Fraction(word, 2**digits) + half).__floor__()
        high = -(-(size * Fraction(word + 1, 2**digits) + half)).__floor__() - 1
        sure += not doubt
        if not doubt and not low == cell == high:
            bad.append(word)
    return bad, sure / len(first)


@pytest.mark.some(1, most=0)
@every_size
@both
def test_a_cell_that_is_sure_is_that_of_every_continuation(size, nearest):
    """Words next to borders of cells, in exact Fractions."""
    for digits in (60, 61):
        bad, sure = wrong(size, nearest, digits)
        assert bad == []
        assert sure > 0.2


def test_a_bound_that_is_too_small_is_noticed(monkeypatch):
    """Nothing left out, as if products of 64 bits were whole: wrong cells are called sure."""
    monkeypatch.setattr(laws, "_LEFT_OUT", 0)
    assert wrong(Fraction(1000.1), nearest=True)[0]


@pytest.mark.some(1, most=0)
@every_size
@both
def test_slow_cells_are_floors(size, nearest):
    """The cell is the floor of the endless continuation, as far as 12 more words tell."""
    for word in borders(size, nearest, 61)[::200].tolist():
        source, replay = (SimulatedBits(np.random.default_rng(word)) for _ in range(2))
        found = Cells(size, nearest=nearest).exactly(Prefix(word, 61), source)
        full = word
        for _ in range(12):
            full = (full << 64) + replay.integer(64)
        z = Fraction(full, 2 ** (61 + 12 * 64))
        assert found == (size * z + Fraction(nearest, 2)).__floor__()


@pytest.mark.parametrize("size", [2.0**51, 2.0**80, Fraction(2**90, 3), 2.0**200], ids=float)
@both
def test_wide_cells_are_floors(size, nearest):
    """Above 2^50: each word goes on with the words that are drawn next, which mostly tell."""
    n, size, half = 200, Fraction(size), Fraction(nearest, 2)
    first = np.random.default_rng(63).integers(0, 2**63, n).astype(np.uint64)
    points = Points(61, first, np.zeros(n, dtype=bool), {})
    source, replay = (SimulatedBits(np.random.default_rng(64)) for _ in range(2))
    found = Cells(size, nearest=nearest).of(points, source)
    count = 1 + laws._exponent(size) // 64
    tails, told = replay.words(n * count).reshape(n, count).tolist(), 0
    for word, tail, cell in zip(first.tolist(), tails, found, strict=True):
        whole = (word << 64 * count) + sum(part << 64 * i for i, part in enumerate(tail))
        low, high = (
            (size * Fraction(whole + i, 2 ** (61 + 64 * count)) + half).__floor__() for i in (0, 1)
        )
        told += low == high
        assert low <= cell <= high
    assert told > 0.9 * n


@pytest.mark.parametrize("size", [2**52, 2**80], ids=float)
@both
def test_wide_cells_next_to_their_borders_take_more_bits(size, nearest):
    """Words whose last unit has a border of cells in it, so that a later word decides: the cell is
    that of all words, and both cells occur.
    """
    count = 1 + laws._exponent(Fraction(size)) // 64
    word, rest = next_to_a_border(size, nearest, count)
    found = set()
    for later in (0, 2**64 - 1):
        source = Given(*(rest >> 64 * i & (2**64 - 1) for i in range(count)), later)
        point = Points(61, np.array([word], dtype=np.uint64), np.zeros(1, dtype=bool), {})
        cell = Cells(Fraction(size + Fraction(1, 3)), nearest=nearest).of(point, source)[0]
        whole = (word << 64 * (count + 1)) + (rest << 64) + later
        z = Fraction(whole, 2 ** (61 + 64 * (count + 1)))
        assert cell == ((size + Fraction(1, 3)) * z + Fraction(nearest, 2)).__floor__()
        found.add(cell)
    assert len(found) == 2


def next_to_a_border(size, nearest, count):
    """A first word and `count` more, inside whose last unit a border of cells lies."""
    cell = (size + Fraction(1, 3)).__floor__() // 3 * 2
    border = (cell - Fraction(nearest, 2)) / (size + Fraction(1, 3))
    whole = (border * 2 ** (61 + 64 * count)).__floor__()
    return whole >> 64 * count, whole & (2 ** (64 * count) - 1)


def test_a_cell_that_fits_no_word_makes_all_of_them_integers():
    """A point as far out as 2^70 cells is a Python integer, and those beside it are right too."""
    first = np.array([0, 2**60], dtype=np.uint64)
    far = Prefix(2 ** (61 + 60), 61)
    points = Points(61, first, np.zeros(2, dtype=bool), {0: far})
    found = Cells(Fraction(2**10), nearest=True).of(points, SimulatedBits(np.random.default_rng(1)))
    assert found.dtype == object
    assert found.tolist() == [2**70, 2**9]


@pytest.mark.parametrize("caution", [0.01, 0.02])
def test_caution_only_adds_doubt(caution):
    """Wider enclosures: the same cells, more of them unsure."""
    first = np.random.default_rng(65).integers(0, 2**64 - 1, 4000, dtype=np.uint64)
    points = Points(61, first, np.zeros(4000, dtype=bool), {})
    narrow, wide = (
        Cells(Fraction(1000), nearest=True)._quickly(points, 40, c) for c in (0, caution)
    )
    assert np.array_equal(narrow[0], wide[0])
    assert not (narrow[1] & ~wide[1]).any()
    assert abs(wide[1].mean() - 2 * caution) < 0.01


# --------------------------------------------------------------------------- Tables, strip by strip
SHAPES = {Normal(): lambda z: mpmath.exp(-z * z / 2), Exponential(): lambda z: mpmath.exp(-z)}
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=repr)
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


@every_shape
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


@every_shape
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


@every_shape
def test_chances_in_doubles_are_within_their_bound(shape):
    """2^-49, a 32nd of the margin; a slope that is off by 2^-44 is noticed."""
    table = strips(shape)
    assert worst(table, shape) < mpmath.mpf(2) ** -49
    assert MARGIN == 2.0**-44
    bent = attrs.evolve(table, slopes=table.slopes + 2.0**-44)
    assert worst(bent, shape) > mpmath.mpf(2) ** -49


@every_shape
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


@every_shape
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


# ----------------------------------------------------------------- Candidates: balls and drawn bits


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


@every_shape
def test_the_slow_judge_is_right(shape):
    """V < a(z) for the endless V and z, also where 64 bits of both are not enough to tell."""
    with mpmath.workdps(120):
        found = list(verdicts(shape))
    assert all(said == true for said, true in found)
    assert {true for _, true in found} == {True, False}


@every_shape
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
