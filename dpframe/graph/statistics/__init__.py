"""Values of the whole table, by topics: sums over records, counts, combinations, estimates."""

from .argmin import Argmin
from .base import OneRow, RecordSum, Searched, Statistic
from .combined import LambdaMin, Linear, Monomials, Stack, combine, unflatten
from .counts import BinCounts, CellCount, CellSums, Histogram, NormCounts
from .estimates import BlockEstimates
from .log_residual import LogResidual
from .sums import (
    ColumnSquares,
    Count,
    Gram,
    LabelSum,
    Moment,
    RowSum,
    Squares,
    SufficientStatistics,
    Trace,
)
from .unbounded import AGGREGATES, Identity, RawAggregate

__all__ = [
    "AGGREGATES",
    "Argmin",
    "BinCounts",
    "BlockEstimates",
    "CellCount",
    "CellSums",
    "ColumnSquares",
    "Count",
    "Gram",
    "Histogram",
    "Identity",
    "LabelSum",
    "LambdaMin",
    "Linear",
    "LogResidual",
    "Moment",
    "Monomials",
    "NormCounts",
    "OneRow",
    "RawAggregate",
    "RecordSum",
    "RowSum",
    "Searched",
    "Squares",
    "Stack",
    "Statistic",
    "SufficientStatistics",
    "Trace",
    "combine",
    "unflatten",
]
