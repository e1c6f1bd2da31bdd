"""Fair bits and the source of noise of one execution: the operating system's, or a simulation's."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument

# ---------------------------------------------------------------------------- Independent fair bits
Words: TypeAlias = NDArray[np.uint64]
Words32: TypeAlias = NDArray[np.uint32]
Whole: TypeAlias = NDArray[np.int64]

SYSTEM = "operating system"
SIMULATION = "simulation, NOT private"


class Bits(ABC):
    """Abstract: a stream of independent fair bits. `kind` says where they come from."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    def private(self) -> bool:
        """Whether the bits are secret: they come from the operating system."""
        return self.kind == SYSTEM

    @abstractmethod
    def words(self, n: int) -> Words:
        """n words of 64 fair bits, (n,), read-only or not."""

    @abstractmethod
    def words32(self, n: int) -> Words32:
        """n words of 32 fair bits, (n,), read-only or not."""

    def integer(self, bits: int) -> int:
        """A whole number from 0 to 2^bits - 1, uniform; any number of bits."""
        whole = int.from_bytes(self.words(-(-bits // 64)).tobytes(), "little")
        return whole >> (-bits % 64)

    def below(self, bound: int | Whole, n: int) -> Whole:
        """n whole numbers (n,), each uniform from 0 to bound - 1; bound from 1 to 2^63, one or
        (n,) of them. A word beyond the last multiple of its bound is drawn anew.
        """
        bounds = np.broadcast_to(np.asarray(bound, dtype=np.uint64), (n,))
        words = self.words(n).copy()
        last = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bounds + np.uint64(1)) % bounds
        again = np.flatnonzero(words > last)
        while len(again):
            words[again] = self.words(len(again))
            again = again[words[again] > last[again]]
        return (words % bounds).astype(np.int64)


@attrs.frozen
class SystemBits(Bits):
    """The operating system's cryptographic generator. Stores nothing between calls, so that no two
    processes share bits, even after a fork.
    """

    kind: ClassVar[str] = SYSTEM

    def words(self, n: int) -> Words:
        """From os.urandom."""
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def words32(self, n: int) -> Words32:
        """From os.urandom."""
        return np.frombuffer(os.urandom(4 * n), dtype=np.uint32)


@attrs.frozen(eq=False)
class SimulatedBits(Bits):
    """The bits of a numpy Generator, predictable from its state: for simulations."""

    kind: ClassVar[str] = SIMULATION
    generator: np.random.Generator

    def words(self, n: int) -> Words:
        """From the generator."""
        return self.generator.integers(0, 2**64 - 1, n, dtype=np.uint64, endpoint=True)

    def words32(self, n: int) -> Words32:
        """The halves of whole words, since a generator may keep an odd half for its next caller."""
        return self.words(-(-n // 2)).view(np.uint32)[:n]


def as_bits(rng: object) -> Bits:
    """`rng` if it is Bits; the bits of a numpy Generator. Raises InvalidArgument."""
    if isinstance(rng, Bits):
        return rng
    if isinstance(rng, np.random.Generator):
        return SimulatedBits(rng)
    requirement = "a numpy Generator (for simulations) or Bits"
    raise InvalidArgument("rng", requirement, rng, "numpy.random.default_rng() makes one.")


# ------------------------------------------------------------- The source of noise of one execution
SEED_BITS = 256


@attrs.frozen(eq=False)
class Randomness:
    """Fair bits for exact noise, a generator for noise in doubles, and where both come from."""

    generator: np.random.Generator
    kind: str

    @property
    def bits(self) -> Bits:
        """Fair bits: the operating system's own, or in a simulation the generator's."""
        return SystemBits() if self.private else SimulatedBits(self.generator)

    @property
    def private(self) -> bool:
        """Whether the noise is secret: it comes from the operating system."""
        return self.kind == SYSTEM

    def fresh(self) -> Randomness:
        """Itself in a simulation; else a generator that no other process shares, however often this
        one has forked since.
        """
        return self.from_system() if self.private else self

    @classmethod
    def of(cls, rng: object = None) -> Randomness:
        """The operating system's, or a simulation by seed or generator. Raises InvalidArgument."""
        if rng is None:
            return cls.from_system()
        if isinstance(rng, np.random.Generator):
            return cls(rng, SIMULATION)
        if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
            return cls(np.random.default_rng(int(rng)), SIMULATION)
        requirement = "None (private), or for simulations a seed of at least 0 or a numpy Generator"
        raise InvalidArgument("rng", requirement, rng, "numpy.random.default_rng(...) makes one.")

    @classmethod
    def from_system(cls) -> Randomness:
        """A fresh PCG64DXSM, seeded with 256 bits of the operating system's secure entropy."""
        seed = np.random.SeedSequence(secrets.randbits(SEED_BITS), pool_size=SEED_BITS // 32)
        return cls(np.random.Generator(np.random.PCG64DXSM(seed)), SYSTEM)
