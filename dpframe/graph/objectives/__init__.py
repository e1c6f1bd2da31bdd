"""One file a loss: what a regression minimises, and how fast it can rise."""

from .base import IDENTITY, LOGIT, Bounds, Objective
from .huber import Huber
from .logistic import Logistic
from .squared import Squared

__all__ = ["IDENTITY", "LOGIT", "Bounds", "Huber", "Logistic", "Objective", "Squared"]
