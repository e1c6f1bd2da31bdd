"""Fair bits, coins that they decide, and what the last bits of a release tell."""

import itertools
import os
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.randomness import (
    Bits,
    Randomness,
    SimulatedBits,
    SystemBits,
    as_bits,
    rounded_gaussian,
    rounded_laplace,
)
from dpframe.randomness.laws import bernoulli, bernoulli_exp, bernoulli_exp_each, subset
from dpframe.randomness.points import Prefix, points
from dpframe.randomness.strips import Exponential, strips
from tests.support.cases import named


# ---------------------------------------------------- Where bits come from; whole numbers from them
class Given(Bits):
    """Bits that a test chose."""

    kind = "given"

    def __init__(self, *words):
        self.left = list(words)

    def words(self, n):
        """The next ones."""
        taken, self.left = self.left[:n], self.left[n:]
        assert len(taken) == n
        return np.array(taken, dtype=np.uint64)

    def words32(self, n):
        """None are needed."""
        raise AssertionError


def test_without_rng_bits_are_the_operating_systems():
    """Private, by type and by kind; a seed's are not."""
    assert Randomness.of().bits == SystemBits()
    assert Randomness.of().bits.private
    assert Randomness.of().bits.kind == "operating system"
    rng = np.random.default_rng(1)
    simulated = Randomness.of(rng).bits
    assert simulated.generator is rng
    assert not simulated.private
    assert simulated.kind == "simulation, NOT private"


def test_private_words_are_those_of_urandom(monkeypatch):
    """Byte by byte; and the noise is a function of them: other bytes, other noise, however numpy's
    generators stand.
    """
    asked = []

    def fake(n, byte=0x5A):
        asked.append(n)
        return bytes((byte + i) % 256 for i in range(n))

    monkeypatch.setattr(os, "urandom", fake)
    assert SystemBits().words(3).tobytes() == bytes((0x5A + i) % 256 for i in range(24))
    assert SystemBits().words32(3).tobytes() == bytes((0x5A + i) % 256 for i in range(12))
    assert SystemBits().integer(12) == int.from_bytes(bytes(range(0x5A, 0x62)), "little") >> 52
    assert asked == [24, 12, 8]
    first, again = (rounded_gaussian(Randomness.of().bits, 1000, 50) for _ in range(2))
    assert np.array_equal(first, again)
    monkeypatch.setattr(os, "urandom", lambda n: fake(n, 0x31))
    assert not np.array_equal(first, rounded_gaussian(Randomness.of().bits, 1000, 50))


def after_a_fork(bits):
    """Ten draws of the parent and of its child, made after the fork."""
    bits.words(5)
    read, write = os.pipe()
    child = os.fork()
    draws = rounded_gaussian(bits, 2**40, 10).tolist()
    if child == 0:
        os.write(write, repr(draws).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 10_000).decode()
    os.close(read)
    os.close(write)
    return repr(draws), theirs


def test_parent_and_child_draw_different_noise():
    """A forked process shares no state with its parent; a simulation does, which shows the test."""
    all_own, theirs = after_a_fork(SystemBits())
    assert all_own != theirs
    all_own, theirs = after_a_fork(SimulatedBits(np.random.default_rng(3)))
    assert all_own == theirs


@pytest.mark.parametrize("bits", [SystemBits(), SimulatedBits(np.random.default_rng(4))], ids=named)
def test_bits_are_fair(bits):
    """Every one of 64 and of 32 places, in 20000 words; whole numbers come near their top."""
    for words, places in ((bits.words(20_000), 64), (bits.words32(20_001), 32)):
        shares = [np.mean((words >> np.uint32(i)) & np.uint32(1)) for i in range(places)]
        assert max(abs(share - 0.5) for share in shares) < 6 / (2 * np.sqrt(20_000))
    for size in (1, 7, 64, 65, 200):
        drawn = [bits.integer(size) for _ in range(300)]
        assert 0 <= min(drawn)
        assert 2**size * 0.9 < max(drawn) + 1 <= 2**size
    assert bits.integer(0) == 0


def test_simulated_bits_repeat():
    """Equal generators give equal words; a generator's state is all there is."""
    a, b = (SimulatedBits(np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(a.words(9), b.words(9))
    assert np.array_equal(a.words32(9), b.words32(9))
    assert a.integer(100) == b.integer(100)


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 2**40 + 1, 3 * 2**61, 2**63])
def test_a_word_beyond_the_last_multiple_is_drawn_anew(bound):
    """The first 2^64 // bound * bound words count, and no others: so all remainders are alike."""
    limit = 2**64 // bound * bound
    kept = [0, bound - 1, limit - 1, limit // 2]
    assert Given(*kept).below(bound, 4).tolist() == [word % bound for word in kept]
    if limit < 2**64:
        again = Given(limit, 5, 2**64 - 1, limit, 0)
        assert again.below(bound, 2).tolist() == [0, 5 % bound]
        assert again.left == []


def test_bounds_one_by_one():
    """Each number under a bound of its own: chi-square for each."""
    bits, bounds = SimulatedBits(np.random.default_rng(6)), np.array([1, 2, 3, 7])
    drawn = bits.below(np.repeat(bounds, 20_000), 80_000).reshape(4, -1)
    for bound, row in zip(bounds.tolist(), drawn, strict=True):
        counts = np.bincount(row, minlength=bound)
        assert len(counts) == bound
        if bound > 1:
            statistic = ((counts - 20_000 / bound) ** 2 / (20_000 / bound)).sum()
            assert special.gammaincc((bound - 1) / 2, statistic / 2) > 1e-6


@pytest.mark.parametrize("rng", [None, 7, "seed", np.random.RandomState(0)], ids=named)
def test_what_has_no_bits_is_refused(rng):
    """The message names what would do."""
    with pytest.raises(dp.InvalidArgument, match="rng must be a numpy Generator"):
        as_bits(rng)
    assert as_bits(SystemBits()) == SystemBits()


# ------------------------------------------------------------------------------------------ Sources
def test_without_rng_the_operating_system_seeds_and_nothing_repeats():
    """Two sources are private and different, whatever numpy's global seed is."""
    draws = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - the global state is what must not matter
        randomness = Randomness.of()
        assert randomness.private
        assert randomness.kind == "operating system"
        draws.append(randomness.generator.normal(size=4).tolist())
    assert draws[0] != draws[1]


def test_the_state_takes_all_256_bits_of_the_seed(monkeypatch):
    """The pool keeps as many, and seeds that differ in one high bit differ in their noise."""
    assert Randomness.of().generator.bit_generator.seed_seq.pool_size * 32 == 256
    low, high = 1, 1 | 1 << 255
    seeds = iter([low, high])
    monkeypatch.setattr("dpframe.randomness.bits.secrets.randbits", lambda bits: next(seeds))
    first, second = (Randomness.of().generator.normal() for _ in range(2))
    assert first != second


@pytest.mark.parametrize("rng", [7, np.int64(7), np.random.default_rng(7)], ids=named)
def test_a_seed_or_a_generator_is_a_simulation(rng):
    """Noise that someone can repeat is not private, and says so."""
    randomness = Randomness.of(rng)
    assert not randomness.private
    assert randomness.kind == "simulation, NOT private"


@pytest.mark.parametrize("rng", [True, -1, 0.5, "seed", np.random.RandomState(0)], ids=named)
def test_anything_else_is_refused(rng):
    """The message names what would do."""
    with pytest.raises(InvalidArgument, match="rng must be None"):
        Randomness.of(rng)


# -------------------------------------------------------------------------------------------- Coins
def bits(seed):
    """Fair bits that repeat."""
    return SimulatedBits(np.random.default_rng(seed))


def likely(found, p):
    """Whether a share of true coins is within 5 standard deviations of p."""
    return bool(abs(np.mean(found) - p) <= 5 * np.sqrt(p * (1 - p) / len(found)))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(1, 50)])
def test_coins_have_their_probability(x):
    """e^-x at 50 digits, by frequency; and not that of 1.2 x."""
    found = bernoulli_exp(bits(71), x, 200_000)
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
    assert bernoulli_exp(bits(72), Fraction(x), 5000).tolist() == [always] * 5000
    assert not bernoulli_exp(bits(72), Fraction(2**2000), 10).any()


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
        found = bernoulli_exp_each(bits(73), asked, off, lambda i: max(x[i], Fraction(0)))  # noqa: B023
        assert found.tolist() == [offset < 1 or k + offset < 0 for k in first]


def test_a_coin_inside_what_is_known_of_its_point_takes_more_bits():
    """x in the middle of [k, k + 1] 2^-60, where k is small and x a double: z is above it half of
    the time, and never always.
    """
    n, unit = 400_000, 2.0**-60
    first = points(strips(Exponential()), bits(78), n).first
    near = first < 2**52
    x = np.where(near, (first.astype(np.float64) + 0.5) * unit, 1e-3)
    found = bernoulli_exp_each(bits(78), x, np.zeros(n), lambda i: Fraction(x[i]))
    assert near.sum() > 500
    assert likely(found[near], 0.5)


def test_what_doubles_cannot_decide_is_decided_exactly():
    """An error of 2, or infinite, sends every coin to whole numbers: the law is the same."""
    x = Fraction(3, 4)
    for off in (2.0, np.inf):
        found = bernoulli_exp_each(bits(74), np.zeros(4000), np.full(4000, off), lambda i: x)
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
def test_bernoulli(p):
    """Bit by bit, of 53 at a time: below p is true, at p or above is false."""
    level = p * 2**53
    first, rest = int(level), level - int(level)
    second = int(rest * 2**53)
    if first:
        assert bernoulli(Given((first - 1) << 11), p, 1)[0]
    if first < 2**53:
        assert not bernoulli(Given(first << 11, (second + 1) << 11), p, 1)[0]
        if second:
            assert bernoulli(Given(first << 11, (second - 1) << 11), p, 1)[0]


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


# ---------------------------------------------------------------- The last bits of what is released
N, STEP = 20_000, 2.0**-20


def porous(values):
    """The share of values below 1/2 in size that are no multiples of 2^-53: a double near 0 has
    finer bits, but x + noise for x = 1 is rounded to multiples of 2^-53 first.
    """
    return np.mean((np.abs(values) < 0.5) & (np.mod(values * 2.0**53, 1) != 0))


DOUBLES = {
    "normal": lambda rng: rng.normal(0.0, 1.0, N),
    "laplace": lambda rng: rng.laplace(0.0, 1.0, N),
}
LAWS = {"normal": rounded_gaussian, "laplace": rounded_laplace}


@pytest.mark.parametrize("law", DOUBLES)
def test_noise_in_doubles_is_told_apart_by_its_low_bits(law):
    """The attack works: an event of probability above 0.2 at x = 0 never happens at x = 1."""
    noise = DOUBLES[law](np.random.default_rng(81))
    assert porous(0.0 + noise) > 0.2
    assert porous(1.0 + noise) == 0


@pytest.mark.parametrize("law", LAWS)
def test_noise_on_a_grid_is_not(law):
    """Every value is a multiple of the step, whatever x on the grid: the event never happens."""
    bits = SimulatedBits(np.random.default_rng(82))
    for x in (0, 2**20, 2**20 - 1):
        whole = x + LAWS[law](bits, 2**20, N)
        values = whole * STEP
        assert porous(values) == 0
        assert np.array_equal(values / STEP, whole)


@pytest.mark.parametrize("law", LAWS)
def test_low_bits_have_one_law_whatever_the_value(law):
    """The lowest 4 bits at x = 0 and at x = 1 (in steps) by chi-square of two samples; noise in
    steps of 2, which keeps the lowest bit of x, is noticed.
    """

    def statistic(draw):
        counts = [np.bincount((x + draw()) & 15, minlength=16) for x in (0, 1)]
        total = counts[0] + counts[1]
        return float(np.sum((counts[0] - counts[1]) ** 2 / np.maximum(total, 1)))

    bits = SimulatedBits(np.random.default_rng(83))
    assert statistic(lambda: LAWS[law](bits, 2**20, N)) < 45  # 15 degrees of freedom: p = 1e-4
    assert statistic(lambda: 2 * LAWS[law](bits, 2**19, N)) > 1000
