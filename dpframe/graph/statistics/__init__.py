"""One file a statistic: its value, its shape, and how far one row moves it."""

from .argmin import Argmin
from .base import BlockSum, OneRow, Statistic
from .bin_counts import BinCounts
from .cell_count import CellCount
from .cell_sums import CellSums
from .column_squares import ColumnSquares
from .column_sum import LabelSum, RowSum
from .count import Count
from .estimates import BlockEstimates
from .gram import Gram
from .histogram import Histogram
from .lambda_min import LambdaMin
from .linear import Linear, combine
from .log_residual import LogResidual
from .moment import Moment
from .monomials import Monomials
from .norm_counts import NormCounts
from .raw import AGGREGATES, Identity, RawAggregate
from .searched import Searched
from .squares import Squares
from .stack import Stack, unflatten
from .sufficient import SufficientStatistics
from .trace import Trace

__all__ = [
    "AGGREGATES",
    "Argmin",
    "BinCounts",
    "BlockEstimates",
    "BlockSum",
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
