"""What declarations share: whole parameters, the sums that are released together, and their
post-processing, ordinary numpy on noisy values and public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Post, Release, RowsNode, post, release
from dpframe.graph.statistics import LambdaMin, Statistic
from dpframe.privacy import Share
from dpframe.symbols import ZERO, Expression, Number, constant


def whole(value: Expression, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number of `least` to `most`. Raises InvalidArgument, naming the parameter."""
    number = value.value if isinstance(value, Number) else None
    beyond = most is not None and number is not None and number > most
    if number is None or number.denominator != 1 or number < least or beyond:
        wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
        way_out = "It shapes what is released, so it is a number before anything is drawn."
        raise InvalidArgument(name, wanted, str(value), way_out)
    return int(number)


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


def coefficients_of(output: object) -> Array | None:
    """The coefficients in what a regression returns: a Fit, an array, or the first entry of a tuple
    of them; None where there are none.
    """
    first = output[0] if isinstance(output, tuple) and output else output
    found = getattr(first, "coefficients", first)
    return found if isinstance(found, np.ndarray) else None


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


# --------------------------------------------------------- What descents do with released gradients
def descend(  # noqa: PLR0917 - dp.loop passes by position
    theta: Array, gradient: Array, turn: int, n: float, least: float, pace: float, radius: float
) -> Array:
    """The next point, shape (d,): pace/n of the summed gradient down, then onto |theta| <= radius.
    A released n counts as at least `least`, 1 or more.
    """
    del turn
    moved = theta - (pace / max(n, least, 1.0)) * gradient
    return projected(moved, radius)


def projected(theta: Array, radius: float) -> Array:
    """The nearest point of the ball, shape (d,); zeros for what is not finite."""
    if not np.isfinite(theta).all():
        return np.zeros_like(theta)
    largest = float(np.max(np.abs(theta), initial=0.0))
    scaled = theta / (largest or 1.0)
    length = float(np.linalg.norm(scaled))
    inside = largest <= radius / max(length, 1.0)
    return theta if inside else scaled * (radius / length)


def averaged(path: Array, share: float) -> Fit:
    """The mean of the last `share` of the points of a path, shape (T + 1, d), the last one at
    least; never the first, which is 0.
    """
    rounds = len(path) - 1
    last = min(max(1, math.ceil(share * rounds)), rounds)
    return Fit(np.mean(path[-last:], axis=0))
