"""Statistics by name."""

from __future__ import annotations

from .columns import Column
from .node import DataNode
from .rows import Rows
from .statistics import (
    Count,
    Gram,
    LabelSum,
    LambdaMin,
    RawAggregate,
    RowSum,
    Stack,
    Statistic,
    Trace,
)


def lambda_min(gram: Gram) -> LambdaMin:
    """The smallest eigenvalue of X.T @ X; sensitivity B^2 under both relations. Raises
    InvalidArgument for anything else.
    """
    return LambdaMin(gram)


def trace(gram: Gram) -> Trace:
    """trace(X.T @ X), the sum of squared row norms; sensitivity B^2."""
    return Trace(LambdaMin(gram).gram.rows)


def count(rows: Rows) -> Count:
    """The number of rows; sensitivity 1 under add/remove, 0 under replace-one."""
    return Count(rows)


def total(data: Rows | Column) -> RowSum | LabelSum:
    """The sum of the rows, shape (d,), or of the labels, shape ()."""
    return LabelSum(data) if isinstance(data, Column) else RowSum(data)


def stack(*statistics: Statistic) -> Stack:
    """Several statistics released as one vector, by one mechanism."""
    return Stack(statistics)


def aggregate(name: str, data: DataNode) -> RawAggregate:
    """An aggregate of raw rows that no rule bounds ("max_abs", "mean", "std", "quantile", ...): the
    verifier refuses it by its path.
    """
    return RawAggregate(name, data)
