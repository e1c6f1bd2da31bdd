"""Mutants and variants of the functional mechanism and of the noisy histogram, as in `cases.py`."""

from __future__ import annotations

import dpframe as dp
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.literature.stationary import stationary_fit
from dpframe.regressions.functional import projected_fit
from tests.mutants.cases import Case, entering

EPSILON, DELTA = dp.EPSILON, dp.DELTA
PURE, APPROX = dp.PureDP(EPSILON), dp.ApproxDP(EPSILON, DELTA)
LAM, ALPHA = dp.parameter("lam", 0), dp.parameter("alpha", 0, 1, closed="both")
half = dp.constant("1/2")


def box(relation=dp.ADD_REMOVE, **more) -> dp.Setting:
    """Rows in [-1, 1]^d and labels in [-1, 1]."""
    return dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=relation, **more)


AR, RO = box(), box(dp.REPLACE_ONE)
FUNCTIONAL: list[Case] = []


accept, refuse, unspellable = entering(FUNCTIONAL, PURE, AR)


def perturbed(X, y, b, sensitivity, *, constant=True, name="coefficients"):
    """Every monomial of the loss with Laplace noise for a stated sensitivity."""
    noise = dp.Laplace(scale=sensitivity / b.epsilon)
    return dp.release(dp.graph.monomials(X, y, constant=constant), noise, b, name=name)


def once(X, y, b, sensitivity, *, constant=False):
    """Every sufficient statistic with Laplace noise for a stated sensitivity."""
    noise = dp.Laplace(scale=sensitivity / b.epsilon)
    statistics = dp.graph.sufficient_statistics(X, y, constant=constant)
    return dp.release(statistics, noise, b, name="coefficients")


def fitted(X, y, noisy, lam=0, alpha=1):
    """The printed stationary point of noisy monomials."""
    return dp.post(stationary_fit, noisy, unit_of_entries(X), y.radius, lam, alpha)


def loss(true, stated):
    """Whether the loss true(d)/stated(d) of a pair of neighbours exceeds 1 at a counterexample; at
    each of the first d, where it names none.
    """

    def broken(values):
        columns = [values["d"]] if "d" in values else range(1, 6)
        return all(true(d) > stated(d) for d in columns)

    return broken


def whole(d):
    """The exact sensitivity with the constant term."""
    return (d + 1) ** 2


refuse(
    "S13 SENS: functional mechanism, noise for the linear terms only: 2 d",
    lambda X, y, b: fitted(X, y, perturbed(X, y, b, 2 * X.columns)),
    node="coefficients",
    broken=loss(whole, lambda d: 2 * d),
)
refuse(
    "S16 REL: constant term withheld, noise for d^2 + 2 d, under replace-one",
    lambda X, y, b: perturbed(X, y, b, X.columns * (X.columns + 2), constant=False),
    at=RO,
    node="coefficients",
    broken=loss(whole, lambda d: d * (d + 2)),
)
refuse(
    "F02 REL: each statistic once, noise for add/remove, d (d + 3)/2, under replace-one",
    lambda X, y, b: once(X, y, b, X.columns * (X.columns + 3) / 2),
    at=RO,
    node="coefficients",
    broken=loss(lambda d: d * (d + 2) ** 2 / (2 * (d + 1)), lambda d: d * (d + 3) / 2),
)
refuse(
    "F03 SENS: each statistic and y'y once, noise for d (d + 3)/2",
    lambda X, y, b: once(X, y, b, X.columns * (X.columns + 3) / 2, constant=True),
    node="coefficients",
    broken=loss(lambda d: (d + 1) * (d + 2) / 2, lambda d: d * (d + 3) / 2),
)
refuse(
    "F07 REL: noisy histogram under replace-one with noise for one cell",
    lambda X, y, b: dp.release(dp.graph.histogram(X, y, 2), dp.Laplace(scale=1 / b.epsilon), b),
    at=RO,
    broken=lambda values: True,  # two cells move by one each
)
unspellable(
    "F08 SPELLING: a histogram whose number of cells is a symbol",
    lambda X, y, b: dp.release(dp.graph.histogram(X, y, ALPHA), dp.Laplace.pure, b),
)
for relation, suffix in ((AR, ""), (RO, "b")):
    accept(
        f"V25{suffix} SENS: noise for (d + 1)^2, half of the printed, under {relation.relation}",
        lambda X, y, b: fitted(X, y, perturbed(X, y, b, whole(X.columns))),
        at=relation,
    )
accept(
    "V17 TAINT: elastic net with public lam and alpha",
    lambda X, y, b: dp.literature.FunctionalElasticNetPrinted(lam=LAM, alpha=ALPHA).declare(
        X, y, b
    ),
)
accept(
    "V27 SENS: constant term withheld, noise for d^2 + 2 d, add/remove",
    lambda X, y, b: perturbed(X, y, b, X.columns * (X.columns + 2), constant=False),
)
accept(
    "F09 SENS: each statistic once, noise for d (d + 2)^2/(2 (d + 1)), under replace-one",
    lambda X, y, b: dp.post(
        projected_fit,
        once(X, y, b, X.columns * (X.columns + 2) ** 2 / (2 * (X.columns + 1))),
        unit_of_entries(X),
        y.radius,
        0,
        1,
    ),
    at=RO,
)
accept(
    "F10 SENS: noisy histogram under replace-one with noise for two cells",
    lambda X, y, b: dp.release(dp.graph.histogram(X, y, 2), dp.Laplace(scale=2 / b.epsilon), b),
    at=RO,
)
