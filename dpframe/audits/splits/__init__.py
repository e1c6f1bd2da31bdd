"""Choosing how a budget is split: by a public criterion, and never by private data."""

from .best import best_split
from .criterion import Criterion, NoiseCriterion
from .data import DataCriterion
from .error import ErrorCriterion
from .resplit import Resplit
from .split import Point, Split
from .tables import OpenTable, PublicTable, SyntheticTable, public

__all__ = [
    "Criterion",
    "DataCriterion",
    "ErrorCriterion",
    "NoiseCriterion",
    "OpenTable",
    "Point",
    "PublicTable",
    "Resplit",
    "Split",
    "SyntheticTable",
    "best_split",
    "public",
]
