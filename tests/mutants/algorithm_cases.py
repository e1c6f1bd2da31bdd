"""Mutants and variants of posterior sampling, perturbed objectives and loops, as in `cases.py`."""

from __future__ import annotations

import numpy as np

import dpframe as dp
from dpframe.literature.without_theorem import TransposedPosterior
from dpframe.regressions.adaops import RHO, move, penalty_of
from dpframe.symbols import constant
from tests.mutants.cases import Case, entering

T = dp.ApproxDP(dp.EPSILON, dp.DELTA)
B, Y, TURNS = (
    dp.parameter("B"),
    dp.parameter("Y"),
    dp.parameter("T", 1, closed="left", integer=True),
)
ALGORITHMS: list[Case] = []


def table(relation=dp.ADD_REMOVE, *, symbolic=True):
    """Bounds B and Y, or 1 and 1."""
    X, y = (
        (dp.Rows(norm=B), dp.Column(bound=Y)) if symbolic else (dp.Rows(norm=1), dp.Column(bound=1))
    )
    return dp.Setting(X=X, y=y, relation=relation)


AR, RO = table(), table(dp.REPLACE_ONE)


accept, refuse, _ = entering(ALGORITHMS, T, AR)


def adaops(*, square=True, root=2, margin=None, stds=None, temperature=None):
    """AdaOPS as it is repaired, with one thing changed."""

    def declare(X, y, budget):
        tail = dp.log(6 / budget.delta)
        epsilon, delta = ("1/4", "1/4", "1/2"), ("1/4", "1/4", "1/3")
        own, other, rest = budget.split(epsilon=epsilon, delta=delta)
        unit, failure = dp.sqrt(root * tail) / (budget.epsilon / 4), budget.delta / 12
        shift = dp.sqrt((2 if stds is None else stds) * tail)
        size = X.radius**2 if square else dp.constant(1)
        noisy = dp.release(dp.lambda_min(X.T @ X), dp.Gaussian(unit * size), own, name="floor")
        floor = dp.graph.lower_bound(noisy, failure, stds=shift, margin=margin, name="floor_bound")
        penalty = penalty_of(X, floor, budget, RHO)
        log_size = dp.graph.log_residual(X.T @ X, X.T @ y, penalty, floor)
        large = dp.release(log_size, dp.Gaussian(unit * move(log_size)), other, name="log_residual")
        most = dp.graph.upper_bound(
            large, failure, stds=shift, margin=margin, name="residual_bound"
        )
        return dp.graph.posterior(
            X.T @ X,
            X.T @ y,
            penalty=penalty,
            floor=floor,
            log_residual=most,
            temperature=temperature,
            share=rest,
            name="theta",
        )

    return declare


refuse("S03 SENS: AdaOPS, step 2 without B^2", adaops(square=False), node="floor")
refuse("S05a PROFILE: AdaOPS, stds without sqrt 2", adaops(root=1), node="floor")
refuse("S27 PROFILE: AdaOPS, shifts of sqrt(log(6/delta)) stds", adaops(stds=1), node="bound")
refuse("S28 SENS: AdaOPS, no margin for the record that leaves", adaops(margin=0), node="bound")
refuse("S30 PROFILE: AdaOPS, temperature stated as 100", adaops(temperature=100), node="theta")
accept("V37 LAW: AdaOPS, every step repaired", adaops())
accept("V37r LAW: the same under replace-one", adaops(), at=RO)


def transposed(X, y, budget):
    """A posterior sample with the factor transposed."""
    return TransposedPosterior(
        gram=X.T @ X,
        moment=X.T @ y,
        penalty=10 * X.radius**2,
        floor=constant(0),
        log_residual=None,
        temperature=constant("1/100"),
        share=budget,
        name="theta",
    )


refuse("S29 LAW: posterior noise drawn with R' instead of R", transposed, at=RO, node="theta")
accept(
    "S29v LAW: posterior sample at the guarded temperature, n public",
    lambda X, y, b: dp.graph.posterior(X.T @ X, X.T @ y, penalty=10 * X.radius**2, share=b),
    at=RO,
)
refuse(
    "S32 REL: the same where n is private: residuals grow with n",
    lambda X, y, b: dp.graph.posterior(X.T @ X, X.T @ y, penalty=10 * X.radius**2, share=b),
    node="posterior",
)


def tilted(**stated):
    """Objective perturbation on the unit ball."""
    return lambda X, y, b: dp.graph.perturbed_minimum(
        X.T @ X, X.T @ y, radius=1, share=b, **{name: value(b) for name, value in stated.items()}
    )


def published(slope, *, over=1, factor=1):
    """slope sqrt(factor (8 log(2/delta) + 4 epsilon))/epsilon^over."""

    def size(b):
        inside = factor * (8 * dp.log(2 / b.delta) + 4 * b.epsilon)
        return slope * dp.sqrt(inside) / b.epsilon**over

    return size


ONE = table(symbolic=False)
TWICE = lambda b: 2 / b.epsilon  # noqa: E731
refuse(
    "S31 PROFILE: ObjPert.m: noise over epsilon^2",
    tilted(penalty=TWICE, size=published(2, over=2)),
    at=ONE,
    node="minimiser",
)
refuse(
    "S33 SENS: ObjPert.m: per-record gradient 3, noise for 2, halved once more",
    tilted(penalty=TWICE, size=published("2/3", factor=dp.constant("1/2"))),
    at=ONE,
    node="minimiser",
)
refuse(
    "S34 SENS: ObjPert with a penalty below what one record's curvature asks for",
    tilted(penalty=lambda b: 1 / b.epsilon),
    at=ONE,
    node="minimiser",
)
accept("V40 PROFILE: ObjPert as published", tilted(penalty=TWICE, size=published(2)), at=ONE)
accept(
    "V40r PROFILE: ObjPert by the exact profile, replace-one",
    tilted(penalty=TWICE),
    at=table(dp.REPLACE_ONE, symbolic=False),
)


def descend(point, answer, turn, step):
    """One step."""
    del turn
    return point - step * np.asarray(answer)


def rounds(times, noise, share=None):
    """`times` rounds of noisy gradient descent with clipped gradients."""

    def declare(X, y, budget):
        point = dp.iterate(X.columns)
        own = None if share is None else share(budget)
        slope = dp.graph.gradient(X, y, at=point, clip=1)
        step = dp.release(slope, noise(budget), own, times=times, name="gradient")
        return dp.loop(point, step, descend, dp.constant("1/100"))

    return declare


def each(budget):
    """1/T of the budget."""
    return budget.split(1 / TURNS)[0]


analytic = lambda b: dp.Gaussian.analytic  # noqa: E731


def spread(b):
    """The std of T rounds that spend the budget together."""
    return dp.Gaussian(std=dp.sqrt(TURNS) * dp.analytic_sigma(b.epsilon, b.delta))


refuse("M11s COMP: T + 1 rounds, noise for T", rounds(TURNS + 1, spread))
accept("V41 COMP: T rounds at 1/T of the budget each", rounds(TURNS, analytic, each))
accept("V41g COMP: T rounds with std sqrt(T) times that of one", rounds(TURNS, spread))
