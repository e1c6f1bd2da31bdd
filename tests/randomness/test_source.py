import numpy as np
import pytest

from dpframe.errors import InvalidArgument
from dpframe.randomness import Randomness
from tests.support.cases import named


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
    monkeypatch.setattr("dpframe.randomness.source.secrets.randbits", lambda bits: next(seeds))
    first, second = (Randomness.of().generator.normal() for _ in range(2))
    assert first != second


@pytest.mark.parametrize("rng", [7, np.int64(7), np.random.default_rng(7)], ids=named)
def test_a_seed_or_a_generator_is_a_simulation(rng):
    """Noise that someone can repeat is not private, and says so."""
    randomness = Randomness.of(rng)
    assert not randomness.private
    assert randomness.kind == "simulation, NOT private"


def test_a_generator_is_used_as_it_is():
    """Draws continue where the caller's generator stands."""
    rng = np.random.default_rng(7)
    assert Randomness.of(rng).generator is rng


@pytest.mark.parametrize("rng", [True, -1, 0.5, "seed", np.random.RandomState(0)], ids=named)
def test_anything_else_is_refused(rng):
    """The message names what would do."""
    with pytest.raises(InvalidArgument, match="rng must be None"):
        Randomness.of(rng)
