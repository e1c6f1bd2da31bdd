"""One file a rule: what the theorem of a procedure needs."""

from . import (  # noqa: F401 - each enters its rule
    approximate,
    perturbed,
    posterior,
    random_stopping,
    tilted,
    transposed,
)
from .base import RULES, earned, entered

__all__ = ["RULES", "earned", "entered"]
