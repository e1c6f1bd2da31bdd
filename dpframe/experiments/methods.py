"""The columns of the table: what is fitted, and whether anybody proved what it claims."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

import attrs
from numpy.random import Generator
from numpy.typing import NDArray

import dpframe as dp
from dpframe.prover.unproved import NOT_PRIVATE, Unproved, unproved

Array = NDArray[Any]
FitFunction = Callable[[Array, Array, float, float, Generator], Array]


class Standing(enum.StrEnum):
    """What is known of a method's privacy. None of it covers the preprocessing."""

    BASELINE = "baseline"  # claims no privacy
    CERTIFIED = "certified"  # runs by a certificate only
    CLAIMED = "claimed"  # claims privacy, without a proof


@attrs.frozen
class Method:
    """A method, the column of the published table that it shall meet, and its standing.

    `fit(X, y, epsilon, delta, rng)` returns coefficients (d,), of rows X (n, d) in the unit ball
    and targets y (n,) in [-1, 1].
    """

    name: str
    column: str
    fit: FitFunction
    standing: Standing = Standing.CLAIMED


def certified(declaration: type[dp.Regression]) -> FitFunction:
    """A declaration as a fit function: proved once for all numbers, then run as simulations."""

    @functools.cache
    def proof() -> dp.Certificate:
        setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
        return dp.certify(declaration(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=setting)

    def fit(X: Array, y: Array, epsilon: float, delta: float, rng: Generator) -> Array:
        run = proof().at(epsilon=epsilon, delta=delta)
        seed = int(rng.integers(2**63))
        coefficients: Array = dp.execute(run, X, y, rng=seed).output.coefficients
        return coefficients

    return fit


def simulated(
    declaration: type[dp.Regression], relation: dp.Relation = dp.REPLACE_ONE
) -> FitFunction:
    """A declaration that nobody proved as a fit function: simulated, NOT PRIVATE."""

    @functools.cache
    def draft() -> Unproved:
        setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
        target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
        return unproved(declaration(), target=target, setting=setting, label=NOT_PRIVATE)

    def fit(X: Array, y: Array, epsilon: float, delta: float, rng: Generator) -> Array:
        known = draft().symbols
        given = {"epsilon": epsilon, "delta": delta}
        run = draft().at(**{name: value for name, value in given.items() if name in known})
        coefficients: Array = dp.experiments.simulate(run, X, y, rng=rng).output.coefficients
        return coefficients

    return fit


METHODS = (
    Method("zero predictor", "trivial", simulated(dp.regressions.ZeroPredictor), Standing.BASELINE),
    Method("ridge 1, no noise", "non-private", simulated(dp.regressions.Ridge), Standing.BASELINE),
    Method("ObjPert as coded", "ObjPert", simulated(dp.literature.ObjPertCoded)),
    Method("OPS balanced as coded", "OPS", simulated(dp.literature.OPSBalancedCoded)),
    Method("adaOPS as coded", "AdaOPS", simulated(dp.literature.AdaOPSCoded)),
    Method(
        "adaSSP as coded", "AdaSSP", certified(dp.literature.AdaSSPWangCoded), Standing.CERTIFIED
    ),
)
