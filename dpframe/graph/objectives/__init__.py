"""One file a loss: what a regression minimises, and how fast it can rise."""

from .base import Bounds, Objective
from .huber import Huber
from .logistic import Logistic
from .squared import Squared

__all__ = ["Bounds", "Huber", "Logistic", "Objective", "Squared"]
