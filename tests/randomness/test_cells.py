"""Which whole number a point means: 64-bit words against Python integers."""

from fractions import Fraction

import numpy as np
import pytest

from dpframe.randomness import SimulatedBits, cells
from dpframe.randomness.cells import Cells
from dpframe.randomness.points import Points, Prefix
from tests.randomness.test_bits import Given

SIZES = [
    *(Fraction(s) for s in (0.3, 1.0, 3.7, 1000.1, 2.0**40, 2.0**40 / 3, 2.0**50, 2.0**-60)),
    Fraction(1, 3),
    Fraction(2**50 - 1, 7),
]
NEAR = [*range(-6, 7), *(sign * 2**j for j in range(3, 44, 4) for sign in (-1, 1))]
every = pytest.mark.parametrize("size", SIZES, ids=float)
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
    places = min(40, 59 - cells._exponent(size))
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
@every
@both
def test_a_cell_that_is_sure_is_that_of_every_continuation(size, nearest):
    """Words next to borders of cells, in exact Fractions."""
    for digits in (60, 61):
        bad, sure = wrong(size, nearest, digits)
        assert bad == []
        assert sure > 0.2


def test_a_bound_that_is_too_small_is_noticed(monkeypatch):
    """Nothing left out, as if products of 64 bits were whole: wrong cells are called sure."""
    monkeypatch.setattr(cells, "_LEFT_OUT", 0)
    assert wrong(Fraction(1000.1), nearest=True)[0]


@pytest.mark.some(1, most=0)
@every
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
    count = 1 + cells._exponent(size) // 64
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
    count = 1 + cells._exponent(Fraction(size)) // 64
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
