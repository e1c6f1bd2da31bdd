"""Where randomness comes from, and the laws that are drawn from it, exactly."""

from .bits import Bits, SimulatedBits, SystemBits, as_bits
from .laws import (
    discrete_gaussian,
    discrete_laplace,
    geometric,
    rounded_gaussian,
    rounded_laplace,
)
from .source import Randomness

__all__ = [
    "Bits",
    "Randomness",
    "SimulatedBits",
    "SystemBits",
    "as_bits",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "rounded_gaussian",
    "rounded_laplace",
]
