"""Ridge regressions for people with budgets of their own, as functions of one draw of the
experiment: what is certified runs by its certificate, what is not is simulated, NOT PRIVATE.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import dpframe as dp

from . import NOT_PRIVATE
from .drawn_budgets import LEVELS, kept_share, rounded_down
from .medical_costs import View
from .methods import Standing

Array = NDArray[Any]

DELTA = Fraction(1, 10**6)


@attrs.frozen(eq=False)
class Draw:
    """Places of rows that are trained on (m,) and tested on, and the budgets (m,) of the former."""

    train: Array
    test: Array
    budgets: Array


FitFunction = Callable[[View, Draw, Generator], Array]


@attrs.frozen
class Method:
    """A method on one view of the table, what it promises, and what the authors got, if they did.

    `fit(view, draw, rng)` returns coefficients (d,) for the view's rows.
    """

    name: str
    view: str
    promise: str
    fit: FitFunction
    published: float | None = None
    standing: Standing = Standing.CERTIFIED


def personalised(declaration: dp.Regression, target: dp.PersonalizedDP) -> FitFunction:
    """Proved once for all budgets, under replace-one; then run with each record's own."""

    @functools.cache
    def proof(setting: dp.Setting) -> dp.Certificate:
        return dp.certify(declaration, target=target, setting=setting)

    def fit(view: View, draw: Draw, rng: Generator) -> Array:
        run, X, y = proof(view.setting(dp.REPLACE_ONE)), view.X[draw.train], view.y[draw.train]
        return coefficients(dp.execute(run, X, y, budgets=draw.budgets, rng=seed(rng)))

    return fit


def uniform(declaration: dp.Regression) -> FitFunction:
    """The smallest budget for everybody, under replace-one."""

    @functools.cache
    def proof(setting: dp.Setting) -> dp.Certificate:
        return dp.certify(declaration, target=dp.PureDP(dp.EPSILON), setting=setting)

    def fit(view: View, draw: Draw, rng: Generator) -> Array:
        run = proof(view.setting(dp.REPLACE_ONE)).at(epsilon=float(draw.budgets.min()))
        return coefficients(dp.execute(run, view.X[draw.train], view.y[draw.train], rng=seed(rng)))

    return fit


def sampled(threshold: Fraction) -> FitFunction:
    """`SampledRidge` under add/remove; its public number of records is that which the sample is
    expected to have. Budgets are rounded down to public levels, since a list of everybody's would
    tell who is there.
    """

    @functools.cache
    def proof(setting: dp.Setting, records: int) -> dp.Certificate:
        kept = max(1, round(records * kept_share(float(threshold))))
        declaration = dp.regressions.SampledRidge(records=dp.constant(kept), threshold=threshold)
        return dp.certify(declaration, target=dp.PersonalizedDP(LEVELS), setting=setting)

    return _of_levels(proof)


def joined(mean: Fraction) -> FitFunction:
    """`PersonalizedRidge` under add/remove: in the place of the sum of all budgets stands a public
    number, `mean` for each of a public number of records. Budgets are rounded down as in `sampled`.
    """

    @functools.cache
    def proof(setting: dp.Setting, records: int) -> dp.Certificate:
        declaration = dp.PersonalizedRidge(total=dp.constant(records * mean))
        return dp.certify(declaration, target=dp.PersonalizedDP(LEVELS), setting=setting)

    return _of_levels(proof)


def _of_levels(proof: Callable[[dp.Setting, int], dp.Certificate]) -> FitFunction:
    def fit(view: View, draw: Draw, rng: Generator) -> Array:
        run = proof(view.setting(dp.ADD_REMOVE), len(draw.train))
        X, y, groups = view.X[draw.train], view.y[draw.train], rounded_down(draw.budgets)
        return coefficients(dp.execute(run, X, y, budgets=groups, rng=seed(rng)))

    return fit


def coded(threshold: str) -> FitFunction:
    """`SampledRidgeCoded`, which reads the number of sampled records: simulated, NOT PRIVATE."""

    def fit(view: View, draw: Draw, rng: Generator) -> Array:
        run = dp.audits.unproved(
            dp.literature.SampledRidgeCoded(threshold=threshold),
            target=dp.PersonalizedDP(dp.each("epsilon")),
            setting=view.setting(dp.ADD_REMOVE),
            label=NOT_PRIVATE,
        )
        X, y = view.X[draw.train], view.y[draw.train]
        return coefficients(dp.experiments.simulate(run, X, y, budgets=draw.budgets, rng=rng))

    return fit


def least_squares(view: View, draw: Draw, rng: Generator) -> Array:
    """No penalty and no noise. NOT PRIVATE."""
    run = dp.audits.unproved(
        dp.regressions.OLS(),
        target=dp.PureDP(1),
        setting=view.setting(dp.REPLACE_ONE),
        label=NOT_PRIVATE,
    )
    return coefficients(
        dp.experiments.simulate(run, view.X[draw.train], view.y[draw.train], rng=rng)
    )


def zero(view: View, draw: Draw, rng: Generator) -> Array:
    """Nothing is read."""
    del draw, rng
    return np.zeros(view.rows.shape[1])


def mean_alone(view: View, draw: Draw, rng: Generator) -> Array:
    """The mean of the labels, for rows that end with a one. NOT PRIVATE."""
    found = zero(view, draw, rng)
    found[-1] = view.labels[draw.train].mean()
    return found


def coefficients(result: Any) -> Array:
    """Those of a result, (d,)."""
    found: Array = result.output.coefficients
    return found


def seed(rng: Generator) -> int:
    """One for an execution."""
    return int(rng.integers(2**63))
