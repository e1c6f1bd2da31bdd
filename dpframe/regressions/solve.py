"""Shared by regressions: integer parameters, joint releases of sums, and the post-processing of
noisy sums and gradients.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import ColumnNode, Post, Release, RowsNode, jointly, post, release
from dpframe.graph.statistics import LambdaMin, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.numerics import to_float
from dpframe.privacy import Share
from dpframe.symbols import ZERO, Expression, Number, constant, sqrt


def whole(value: Expression, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number of `least` to `most`. Raises InvalidArgument, naming the parameter."""
    number = value.value if isinstance(value, Number) else None
    beyond = most is not None and number is not None and number > most
    if number is None or number.denominator != 1 or number < least or beyond:
        wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
        way_out = "It determines the releases, so it must be a number before anything is drawn."
        raise InvalidArgument(name, wanted, Plain(value), way_out)
    return int(number)


LEAST, MOST = Fraction(1, 10**40), Fraction(10**40)


def check_bounds(X: RowsNode, y: ColumnNode) -> None:
    """Refuse bounds whose fourth powers and their quotients leave the range of doubles. Raises
    InvalidArgument.
    """
    from dpframe.prover.algebra import ends_of  # deferred: the prover is slow to import

    for name, radius in (("the bound of rows", X.radius), ("the bound of labels", y.radius)):
        ends = ends_of(radius)
        if ends is not None and not (ends[0] >= LEAST and ends[1] <= MOST):
            got = Plain(f"{to_float(ends[1], up=True):.3g}")
            way_out = "State columns in other units, thousands for example."
            raise InvalidArgument(name, "from 1e-40 to 1e40", got, way_out)


Array = NDArray[Any]
RHO = constant("0.05")
QUANTILE = constant("1.645")  # stds: the 95% quantile of the noise


@attrs.frozen(eq=False)
class Fit:
    """The output of a regression: coefficients (d,), the ridge added to the noisy X'X, whether it
    is 0, and whether the system was solved; of a tuned regression, the place of its candidate.
    """

    coefficients: Array
    ridge: float = 0.0
    ridge_was_zero: bool = True
    solved: bool = True
    chosen: int | None = attrs.field(default=None, repr=False)


def coefficients_of(output: object) -> Array | None:
    """The coefficients in the output of a regression: of a Fit, an array, or the first entry of a
    tuple; None for other outputs.
    """
    first = output[0] if isinstance(output, tuple) and output else output
    theta = getattr(first, "coefficients", first)
    return theta if isinstance(theta, np.ndarray) else None


def ridge_solve(gram: Array, moment: Array, ridge: float) -> Fit:
    """Solve (gram + ridge I) theta = moment, shapes (d, d), (d,); zeros if there is no finite
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
    """Ridge regression with the adaptive ridge max(0, sqrt(d log(2 d^2/rho)) gram_std - max(0,
    floor + identity - shift)), where `floor` is the noisy lambda_min and `identity` (0 or 1) is
    also added to X'X. [Wang18, Alg. 2; Piazza21, Alg. 3]
    """
    d = len(moment)
    lowest = max(0.0, floor + identity - shift)
    ridge = max(0.0, float(np.sqrt(d * np.log(2 * d * d / rho))) * gram_std - lowest)
    fit = ridge_solve(gram + identity * np.eye(d), moment, ridge)
    return attrs.evolve(fit, ridge=ridge, ridge_was_zero=ridge == 0)


def constant_ridge(gram: Array, moment: Array, gram_std: float, rho: float, identity: float) -> Fit:
    """Ridge regression with the ridge sqrt(d log(2 d^2/rho)) gram_std. [Piazza21, Alg. 4]"""
    d = len(moment)
    ridge = float(np.sqrt(d * np.log(2 * d * d / rho))) * gram_std
    fit = ridge_solve(gram + identity * np.eye(d), moment, ridge)
    return attrs.evolve(fit, ridge=ridge, ridge_was_zero=ridge == 0)


def sums(X: RowsNode, y: ColumnNode, *, floor: bool = False) -> dict[str, Statistic]:
    """X'X and X'y by name; with `floor` lambda_min(X'X) before them."""
    gram = X.T @ X
    first: dict[str, Statistic] = {"floor": LambdaMin(gram)} if floor else {}
    return first | {"gram": gram, "moment": X.T @ y}


def released(
    statistics: Mapping[str, Statistic],
    noises: Iterable[object],
    shares: Iterable[Share | None] = repeat(None),
) -> list[Release]:
    """One release per statistic, under its name."""
    rows = zip(statistics.items(), noises, shares, strict=False)
    return [release(one, noise, share, name=name) for (name, one), noise, share in rows]


@attrs.frozen
class Budget:
    """The part `left` of the squared mu of a share."""

    share: Share
    left: Expression = constant(1)

    def less(self, spent: Expression) -> Budget:
        """What is left after `spent`, a part of the squared mu of the share."""
        return attrs.evolve(self, left=self.left - spent)

    def noises(
        self,
        part: Expression,
        statistics: Sequence[Statistic],
        weights: Sequence[Expression] | None = None,
    ) -> list[Gaussian]:
        """Noise for each statistic, which together spends `part` of what is left, divided by
        `weights`.
        """
        wider = 1 / sqrt(self.left * part)
        return [Gaussian(std=wider * one.std) for one in jointly(self.share, statistics, weights)]


def adapted(
    noisy: Sequence[Release], stds: Expression, rho: Expression, identity: Expression = ZERO
) -> Post:
    """Ridge regression from noisy lambda_min, X'X and X'y with an adaptive ridge; lambda_min is
    lowered by `stds` stds of its noise, and `identity` I added to X'X. [Wang18, Alg. 2]
    """
    floor, gram, moment = noisy
    return post(adaptive_ridge, floor, gram, moment, stds * floor.std, gram.std, rho, identity)


# --------------------------------------------------------------------- Steps by released gradients
def descend(  # noqa: PLR0917 - dp.loop passes by position
    theta: Array, gradient: Array, turn: int, n: float, least: float, pace: float, radius: float
) -> Array:
    """The next point, shape (d,): a step of pace/max(n, least, 1) times the summed gradient,
    projected onto |theta| <= radius.
    """
    del turn
    moved = theta - (pace / max(n, least, 1.0)) * gradient
    return projected(moved, radius)


def projected(theta: Array, radius: float) -> Array:
    """The projection onto |theta| <= radius, shape (d,); zeros if theta is not finite."""
    if not np.isfinite(theta).all():
        return np.zeros_like(theta)
    largest = float(np.max(np.abs(theta), initial=0.0))
    scaled = theta / (largest or 1.0)
    length = float(np.linalg.norm(scaled))
    inside = largest <= radius / max(length, 1.0)
    return theta if inside else scaled * (radius / length)


def averaged(path: Array, share: float) -> Fit:
    """The mean of the last `share` of the points of a path, shape (T + 1, d): of at least one, and
    without the starting point.
    """
    rounds = len(path) - 1
    last = min(max(1, math.ceil(share * rounds)), rounds)
    return Fit(np.mean(path[-last:], axis=0))
