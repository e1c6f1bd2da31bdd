"""One file a statistic: its value, its shape, and how far one row moves it."""

from .base import BlockSum, OneRow, Statistic
from .column_sum import LabelSum, RowSum
from .count import Count
from .gram import Gram
from .lambda_min import LambdaMin
from .linear import Linear, combine
from .moment import Moment
from .raw import AGGREGATES, Identity, RawAggregate
from .squares import Squares
from .stack import Stack, unflatten
from .trace import Trace

__all__ = [
    "AGGREGATES",
    "BlockSum",
    "Count",
    "Gram",
    "Identity",
    "LabelSum",
    "LambdaMin",
    "Linear",
    "Moment",
    "OneRow",
    "RawAggregate",
    "RowSum",
    "Squares",
    "Stack",
    "Statistic",
    "Trace",
    "combine",
    "unflatten",
]
