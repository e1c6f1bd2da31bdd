"""The source of noise of one execution: the operating system, or a simulation that says so."""

from __future__ import annotations

import secrets

import attrs
import numpy as np

from dpframe.errors import InvalidArgument

from .bits import SIMULATION, SYSTEM, Bits, SimulatedBits, SystemBits

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
        """Whether nobody can know the noise: it comes from the operating system."""
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
