"""Iterative Hessian mixing: Newton steps by gradients with noise and sketched second moments."""

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
from dpframe.graph.procedures.gaussian_mixing import GaussianMixing, gaussian_mixing
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, maximum

from .solve import Array, averaged, projected, ridge_solve


class HessianMixing(Regression):
    """Iterative Hessian mixing: `rounds` T Newton steps, each by the clipped gradient with Gaussian
    noise and a Gaussian sketch of X'X of its own, whose randomness hides a record. [Lev26]

    A sketch has k = `oversampling` max(d, log(40 T/delta)) rows of N(0, X'X + s^2 I), s^2 the least
    that the exact profile of the sketches needs beside a released lower bound on lambda_min(X'X).
    Residuals are clipped to Y, coefficients kept in |theta| <= `radius` Y/B. `steering` of epsilon
    is for that bound, `mixing` for the sketches, the rest for the gradients, all by basic
    composition.

    As in its public code, but: oversampling is 6 there, whose sketches leave an error that no
    epsilon lowers; Renyi privacy calibrates the sketches there, the exact profile here; half of
    epsilon is for all T gradients at once there, and here each gradient has a part of its own.
    """

    paper: ClassVar[str] = "Lev26"
    title: ClassVar[str] = "iterative Hessian mixing"
    use: ClassVar[str] = (
        "For comparison: if lambda_min(X'X) is a few hundred B^2/epsilon, sketches need no noise,"
        " but AdaSSP needs little. Sketches with few rows have a further error."
    )
    rounds: Expression = constant(3)
    oversampling: Expression = constant(12)
    steering: Expression = constant("1/20")
    mixing: Expression = constant("7/20")
    radius: Expression = constant(100)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """A bound, all sketches, then T gradients."""
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
    """A bound below lambda_min(X'X), then T sketches of X'X with noise for what it leaves open."""
    noisy = release(lambda_min(X.T @ X), Gaussian.analytic, shares[0], name="floor")
    floor = lower_bound(noisy, failure, name="floor_bound")
    return gaussian_mixing(
        X.T @ X, rows=rows, sketches=T, floor=floor, share=shares[1], name="sketches"
    )


def newton(theta: Array, gradient: Array, turn: int, sketches: Array, radius: float) -> Array:
    """theta less the sketch's inverse times the gradient, shape (d,), in |theta| <= radius."""
    down = ridge_solve(sketches[turn], -gradient, 0.0)
    return projected(theta + down.coefficients, radius)
