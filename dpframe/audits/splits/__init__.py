"""Choosing how a budget is split: by a public criterion, and never by private data."""

from .best import best_split
from .criterion import Criterion, ErrorCriterion, NoiseCriterion
from .resplit import Resplit
from .split import Point, Split

__all__ = [
    "Criterion",
    "ErrorCriterion",
    "NoiseCriterion",
    "Point",
    "Resplit",
    "Split",
    "best_split",
]
