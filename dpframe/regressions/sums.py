"""Sums of a table that are released together, and the fit with a ridge that adapts to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

from dpframe.graph import ColumnNode, Post, Release, RowsNode, post, release
from dpframe.graph.statistics import LambdaMin, Statistic
from dpframe.privacy import Share
from dpframe.symbols import ZERO, Expression, constant

from .solve import adaptive_ridge

RHO = constant("0.05")
QUANTILE = constant("1.645")  # stds, which noise stays above with probability 95%


def sums(X: RowsNode, y: ColumnNode, *, floor: bool = False) -> dict[str, Statistic]:
    """X'X and X'y by their names; with `floor` the smallest eigenvalue of X'X before them."""
    gram = X.T @ X
    first: dict[str, Statistic] = {"floor": LambdaMin(gram)} if floor else {}
    return first | {"gram": gram, "moment": X.T @ y}


def released(
    statistics: Mapping[str, Statistic],
    noises: Iterable[object],
    shares: Iterable[Share | None] = repeat(None),
) -> list[Release]:
    """One release each, under its name."""
    rows = zip(statistics.items(), noises, shares, strict=False)
    return [release(one, noise, share, name=name) for (name, one), noise, share in rows]


def adapted(
    found: Sequence[Release],
    stds: Expression,
    rho: Expression,
    identity: Expression = ZERO,
) -> Post:
    """Ridge regression on the noisy sums, its ridge less the smallest eigenvalue, which is lowered
    by so many stds of its noise; `identity` I is added to X'X. [Wang18, Alg. 2]
    """
    floor, gram, moment = found
    return post(adaptive_ridge, floor, gram, moment, stds * floor.std, gram.std, rho, identity)
