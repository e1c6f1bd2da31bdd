"""The functional mechanism and DPME: certified, audited, executed; noise as stated."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dpframe as dp

AR, RO = dp.ADD_REMOVE, dp.REPLACE_ONE
RELATIONS = (AR, RO)
RECOMMENDED = [
    dp.regressions.FunctionalLinear,
    dp.regressions.FunctionalLinearTrimmed,
    dp.regressions.FunctionalLinearUnrepaired,
    dp.regressions.FunctionalRidge,
    dp.regressions.FunctionalLasso,
    dp.regressions.FunctionalElasticNet,
    dp.regressions.DPME,
]
PRINTED = [
    dp.literature.FunctionalLinearPrinted,
    dp.literature.FunctionalRidgePrinted,
    dp.literature.FunctionalLassoPrinted,
    dp.literature.FunctionalElasticNetPrinted,
]
every = pytest.mark.parametrize("cls", [*RECOMMENDED, *PRINTED], ids=lambda cls: cls.__name__)
relations = pytest.mark.parametrize("relation", RELATIONS, ids=str)


def table(relation=AR, rows=None, bound=1, **more):
    """Rows in [-1, 1]^d."""
    X = rows or dp.Rows(box=1)
    return dp.Setting(X=X, y=dp.Column(bound=bound), relation=relation, **more)


def certificate(cls, target, setting, **fields):
    """A certificate with a number for everything but d."""
    return dp.certify(cls(**fields), target=target, setting=setting)


@relations
def test_the_printed_noise_is_twice_what_is_needed(relation):
    """At a claim of 1 the exact epsilon is a half; the audit says which records attain it."""
    audit = dp.audit(
        dp.literature.FunctionalLinearPrinted(), target=dp.PureDP(1), setting=table(relation)
    )
    (line,) = audit.lines
    assert line.exact_epsilon == 0.5
    assert line.attained
    d = dp.parameter("d", 1, closed="left", integer=True)
    assert line.sensitivity == (1 + d) ** 2
    assert 2 * line.sensitivity == line.formula


@relations
def test_half_of_the_printed_noise_is_certified_and_less_is_refuted(relation):
    """Exactly 2: scale (d + 1)^2/epsilon proves, a millionth less is refuted."""

    def audited(share):
        scale = share * (dp.parameter("d", 1, closed="left", integer=True) + 1) ** 2
        return (
            dp.audit(Stated(scale=scale), target=dp.PureDP(1), setting=table(relation))
            .lines[0]
            .claim
        )

    assert audited(1) == "proved"
    assert audited(1 - dp.constant("1e-6")) == "refuted"


class Stated(dp.Regression):
    """Stated noise on the coefficients of the loss. [Dandekar18]"""

    scale: dp.Expression = dp.constant(1)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.graph.monomials(X, y), dp.Laplace(scale=self.scale), budget)


@relations
def test_recommended_noise_spends_the_budget_exactly(relation):
    """The exact epsilon of one release is the claim, attained."""
    (line,) = dp.audit(
        dp.regressions.FunctionalLinear(), target=dp.PureDP(1), setting=table(relation)
    ).lines
    assert line.exact_epsilon == 1
    assert line.attained


def fit(cls, X, y, epsilon, setting=None, **fields):
    """The output of one simulation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        proof = certificate(cls, dp.PureDP(epsilon), setting or table(), **fields)
        return dp.execute(proof, X, y, rng=0)


def line(n=3000, d=3, seed=0):
    """Uniform rows and a linear label inside [-1, 1]."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, d))
    return X, X @ np.linspace(0.5, -0.2, d) / d + rng.uniform(-0.1, 0.1, n)


@every
def test_with_little_noise_it_is_the_minimiser_without(cls):
    """At epsilon = 10^7: the coefficients of the penalised problem on the exact products."""
    X, y = line()
    fields = {"cells": 40} if cls is dp.regressions.DPME else {}
    X, y = (X[:, :2], y) if cls is dp.regressions.DPME else (X, y)
    got = fit(cls, X, y, 10**7, **fields).output
    square = {"Ridge": 1.0, "ElasticNet": 0.5}
    added = next((s for name, s in square.items() if name in cls.__name__), 0.0)
    want = np.linalg.solve(X.T @ X + added * np.eye(X.shape[1]), X.T @ y)
    close = (
        0.02
        if cls is dp.regressions.DPME
        else 2e-3
        if "Lasso" in str(cls) or "Net" in str(cls)
        else 1e-4
    )
    assert got.solved
    assert np.allclose(got.coefficients, want, atol=close)


def test_a_penalty_makes_zeros():
    """LASSO leaves out what it does not need, and is shrunk towards zero."""
    X, y = line()
    y = X[:, 0] / 2
    got = fit(dp.regressions.FunctionalLasso, X, y, 10**6, lam=200).output
    assert (got.coefficients[1:] == 0).all()
    assert 0 < got.coefficients[0] < 0.5
    assert (fit(dp.regressions.FunctionalLasso, X, y, 1, lam=10**7).output.coefficients == 0).all()


@pytest.mark.parametrize(
    ("cls", "fields"),
    [
        (dp.regressions.FunctionalRidge, {"lam": -1}),
        (dp.regressions.FunctionalLasso, {"lam": "-1/2"}),
        (dp.regressions.FunctionalElasticNet, {"alpha": 2}),
        (dp.literature.FunctionalElasticNetPrinted, {"alpha": -1}),
        (dp.literature.FunctionalLassoPrinted, {"lam": -3}),
    ],
)
def test_a_penalty_that_is_none_is_refused(cls, fields):
    """By name, at the declaration."""
    with pytest.raises(dp.InvalidArgument, match=next(iter(fields))):
        certificate(cls, dp.PureDP(1), table(), **fields)


def test_the_estimator_takes_it():
    """In the units of the codebook, with an intercept, at delta = 0."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.uniform(0, 10, 20000), rng.uniform(-5, 5, 20000)])
    y = 3 + 0.2 * X[:, 0] - 0.1 * X[:, 1]
    columns = [dp.Numeric("a", 0, 10), dp.Numeric("b", -5, 5)]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, box=1, intercept=True),
        y=dp.Column(lower=0, upper=6),
        relation=RO,
    )
    model = dp.PrivateRegressor(
        dp.regressions.FunctionalLinear(), epsilon=50, delta=0, setting=setting, rng=0
    ).fit(X, y)
    assert np.allclose(model.coef_, [0.2, -0.1], atol=0.01)
    assert model.intercept_ == pytest.approx(3, abs=0.05)
    assert np.allclose(model.predict(X[:9]), y[:9], atol=0.05)


# ------------------------------------------------------------------------------------------ DPME
def test_the_histogram_counts_every_record_once():
    """With no noise to speak of: numpy's histogram on the same edges."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, size=(500, 2)), rng.uniform(-2, 2, 500)
    setting = table(bound=2)
    counts = fit(dp.regressions.DPME, X, y, 10**9, setting, cells=7).released["histogram"]
    edges = [np.linspace(-1, 1, 8)] * 2 + [np.linspace(-2, 2, 8)]
    want, _ = np.histogramdd(np.column_stack([X, y]), bins=edges)
    assert np.abs(counts - want.ravel()).max() < 1e-6
    corners = np.array([[1.0, -1.0], [9.0, -9.0]]), np.array([5.0, 2.0])
    counts = fit(dp.regressions.DPME, *corners, 10**9, setting, cells=7).released["histogram"]
    assert np.rint(counts).nonzero()[0].tolist() == [6 * 49 + 6]
    assert round(counts.sum()) == 2


def test_a_grid_that_is_too_large_is_refused_at_once_where_d_is_known():
    """With the numbers and a way out."""
    columns = [dp.Numeric(name, 0, 1) for name in "abcdefghi"]
    setting = table(rows=dp.Rows(columns=columns))
    with pytest.raises(dp.InvalidArgument, match=r"4\^10 cells.*At most 3 a side for 9 columns"):
        certificate(dp.regressions.DPME, dp.PureDP(1), setting, cells=4)
    assert certificate(dp.regressions.DPME, dp.PureDP(1), setting, cells=3)


def test_a_grid_that_is_too_large_is_refused_before_anything_is_drawn():
    """Where d is known from the table only: the numbers, a way out, and no draw."""
    proof = certificate(dp.regressions.DPME, dp.PureDP(1), table())

    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    for d, way in ((9, "At most 3 a side for 9 columns"), (30, "few columns")):
        with pytest.raises(dp.NotExecutable, match=way):
            dp.execute(proof, np.zeros((4, d)), np.zeros(4), rng=rng)
        assert rng.bit_generator.state == before
    dp.execute(proof, np.zeros((4, 2)), np.zeros(4), rng=rng)
    assert rng.bit_generator.state != before


def test_an_empty_histogram_gives_zeros():
    """No rows and much noise: finite; all counts below zero: zeros."""
    from dpframe.regressions.functional import centres_fit

    got = centres_fit(-np.ones(25), 1.0, 1.0, 5)
    assert (got.coefficients == 0).all()
    assert got.solved
