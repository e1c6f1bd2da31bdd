"""Fair bits: where they come from, that processes never share them, and whole numbers from them."""

import os

import numpy as np
import pytest
from scipy import special

import dpframe as dp
from dpframe.randomness import (
    Bits,
    Randomness,
    SimulatedBits,
    SystemBits,
    as_bits,
    rounded_gaussian,
)
from tests.support.cases import named


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
    ours, theirs = after_a_fork(SystemBits())
    assert ours != theirs
    ours, theirs = after_a_fork(SimulatedBits(np.random.default_rng(3)))
    assert ours == theirs


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
