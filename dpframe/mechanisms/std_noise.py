"""Noise that is stated by its std: what its kinds share."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.symbols import Expression

from .base import AdditiveNoise, positive_formula


@attrs.frozen(cache_hash=True)
class StdNoise(AdditiveNoise):
    """Abstract: the std of one number is the parameter of the noise, or at most that."""

    noise: ClassVar[str] = "std"
    std: Expression = attrs.field(converter=positive_formula)

    @property
    def formula(self) -> Expression:
        """The std."""
        return self.std

    @property
    def deviation(self) -> Expression:
        """The std."""
        return self.std
