"""Iterative Hessian mixing: Newton steps from noisy gradients and private sketches of X'X."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Regression,
    RowsNode,
    iterate,
    loop,
    lower_bound,
    post,
    release,
)
from dpframe.graph.functions import gradient, lambda_min
from dpframe.graph.procedure import Huber
from dpframe.graph.procedures.posterior import GaussianMixing, gaussian_mixing
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, maximum

from .solve import Array, averaged, projected, ridge_solve


class HessianMixing(Regression):
    """Least squares by iterative Hessian mixing: Newton steps, each from a clipped gradient with
    Gaussian noise and a Gaussian sketch of X'X that is private by its own randomness. [Lev26]

    There are `rounds` T steps. A sketch has k = `oversampling` max(d, log(40 T/delta)) rows drawn
    from N(0, X'X + s^2 I); s^2 is the least that the exact privacy profile of the sketches needs,
    given a released lower bound on lambda_min(X'X). Residuals are clipped to Y and coefficients
    projected onto |theta| <= `radius` Y/B. `steering` is the share of epsilon for that lower bound,
    `mixing` the share for all sketches; the gradients divide the rest, by basic composition.

    Different from the public code: an oversampling of 12 in place of 6, whose sketches leave an
    error at any epsilon; sketches calibrated by the exact profile in place of Renyi privacy; a
    share of epsilon for each gradient in place of half of epsilon for all T together.

    Use: For comparison: if lambda_min(X'X) is a few hundred B^2/epsilon, sketches need no noise,
    but AdaSSP needs little. Sketches with few rows have a further error.
    """

    title: ClassVar[str] = "iterative Hessian mixing"
    rounds: Expression = constant(3)
    oversampling: Expression = constant(12)
    steering: Expression = constant("1/20")
    mixing: Expression = constant("7/20")
    radius: Expression = constant(100)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release a bound on lambda_min, all sketches, then T gradients."""
        T, own, mixed = self.rounds, self.steering, self.mixing
        for_floor, for_sketches, for_gradient = budget.split(
            epsilon=(own, mixed, (1 - own - mixed) / T), delta=("1/6", "1/6", 1 / (2 * T))
        )
        rows = self.oversampling * maximum(X.columns, log(40 * T / budget.delta))
        sketches = sketched(X, (for_floor, for_sketches), budget.delta / 6, rows, T)
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        step = release(gradients, Gaussian.analytic, for_gradient, times=T, name="gradients")
        path = loop(point, step, newton, sketches, self.radius * y.radius / X.radius)
        return post(averaged, path, constant(0))


def sketched(
    X: RowsNode, shares: tuple[Share, Share], failure: Expression, rows: Expression, T: Expression
) -> GaussianMixing:
    """A lower bound on lambda_min(X'X), then T sketches of X'X with the noise that it requires."""
    noisy = release(lambda_min(X.T @ X), Gaussian.analytic, shares[0], name="floor")
    floor = lower_bound(noisy, failure, name="floor_bound")
    return gaussian_mixing(
        X.T @ X, rows=rows, sketches=T, floor=floor, share=shares[1], name="sketches"
    )


def newton(theta: Array, gradient: Array, turn: int, sketches: Array, radius: float) -> Array:
    """theta less the inverse of the sketch times the gradient, shape (d,), projected onto |theta|
    <= radius.
    """
    down = ridge_solve(sketches[turn], -gradient, 0.0)
    return projected(theta + down.coefficients, radius)
