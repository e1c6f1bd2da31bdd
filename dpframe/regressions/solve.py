"""The sums of a table that are released together, and their post-processing: ordinary numpy on
noisy values and public numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Post, Release, RowsNode, post, release
from dpframe.graph.statistics import LambdaMin, Statistic
from dpframe.privacy import Share
from dpframe.symbols import ZERO, Expression, constant

Array = NDArray[Any]
RHO = constant("0.05")
QUANTILE = constant("1.645")  # stds, which noise stays above with probability 95%


@attrs.frozen(eq=False)
class Fit:
    """What a regression returns: coefficients (d,), the ridge added to the noisy X'X, whether it
    was 0, whether the system was solved.
    """

    coefficients: Array
    ridge: float = 0.0
    ridge_was_zero: bool = True
    solved: bool = True


def ridge_solve(gram: Array, moment: Array, ridge: float) -> Fit:
    """(gram + ridge I) theta = moment, shapes (d, d), (d,); zeros where that has no finite
    solution.
    """
    system = gram + ridge * np.eye(len(moment))
    try:
        theta = np.linalg.solve(system, moment)
    except np.linalg.LinAlgError:
        theta = np.full(len(moment), np.nan)
    solved = bool(np.all(np.isfinite(theta)))
    return Fit(theta if solved else np.zeros(len(moment)), ridge, ridge == 0, solved)


def adaptive_ridge(  # noqa: PLR0917 - dp.post passes by position
    floor: float,
    gram: Array,
    moment: Array,
    shift: float,
    gram_std: float,
    rho: float,
    identity: float,
) -> Fit:
    """Ridge where the noisy smallest eigenvalue, lowered by `shift`, falls short of what the noise
    needs. [Wang18, Alg. 2; Piazza21, Alg. 3]

    ridge = max(0, sqrt(d log(2 d^2/rho)) gram_std - max(0, floor + identity - shift)), with
    `identity` (0 or 1) also added to X'X.
    """
    d = len(moment)
    lowest = max(0.0, floor + identity - shift)
    ridge = max(0.0, float(np.sqrt(d * np.log(2 * d * d / rho))) * gram_std - lowest)
    fit = ridge_solve(gram + identity * np.eye(d), moment, ridge)
    return attrs.evolve(fit, ridge=ridge, ridge_was_zero=ridge == 0)


def constant_ridge(gram: Array, moment: Array, gram_std: float, rho: float, identity: float) -> Fit:
    """Ridge sqrt(d log(2 d^2/rho)) gram_std, whatever the data. [Piazza21, Alg. 4]"""
    d = len(moment)
    ridge = float(np.sqrt(d * np.log(2 * d * d / rho))) * gram_std
    fit = ridge_solve(gram + identity * np.eye(d), moment, ridge)
    return attrs.evolve(fit, ridge=ridge, ridge_was_zero=ridge == 0)


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
