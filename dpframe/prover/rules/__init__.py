"""One file a rule: what the theorem of a procedure needs."""

from . import (  # noqa: F401 - each enters its rule
    approximate,
    bounded_monomials,
    deep_point,
    gaussian_mixing,
    perturbed,
    posterior,
    random_stopping,
    tested_distance,
    tilted,
    transposed,
)
from .base import RULES, earned, entered

__all__ = ["RULES", "earned", "entered"]
