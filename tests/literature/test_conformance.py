"""Printed and coded variants against what their papers say, written again in plain numpy: the same
laws, by two-sample Kolmogorov-Smirnov tests, and not those of another form of noise.
"""

import itertools
from functools import cache, partial

import numpy as np
import pytest

import dpframe as dp
from dpframe.literature.stationary import stationary, stationary_fit
from dpframe.regressions.penalised import Quadratic, penalised
from tests.literature import laws
from tests.literature.laws import (
    CLAIM,
    DELTA,
    EPSILON,
    FAR,
    LEVEL,
    RHO,
    ROWS,
    SIGNS,
    again,
    l2_laplace,
    unit,
)

X, y = SIGNS / 5, SIGNS[:, 0]  # rows far below their bound: (5, 0), noise on X'X counts
G, b = X.T @ X, X.T @ y
log, sqrt, EYE = np.log, np.sqrt, np.eye(2)


# ------------------------------------------------------------------ the papers, at |x|, |y| <= 1
def matrix(form, rng):
    """A 2 x 2 matrix of noise of std 1."""
    Z = rng.normal(size=(2, 2))
    if form == "mirrored":
        return np.array([[Z[0, 0], Z[0, 1]], [Z[0, 1], Z[1, 1]]])
    return (Z + Z.T) / 2 if form == "isotropic" else Z


def ssp(unit, ridge):
    """Noise of std `unit` on X'X and X'y."""

    def fit(form, rng):
        gram, moment = G + unit * matrix(form, rng), b + unit * rng.normal(size=2)
        return np.linalg.solve(gram + ridge * EYE, moment)

    return fit


def adassp(floor_std, std, shift, identity):
    """A noisy smallest eigenvalue of X'X + identity I, lowered by `shift`, and two statistics."""
    size = sqrt(2 * log(2 * 2**2 / RHO)) * std

    def fit(form, rng):
        lowest = np.linalg.eigvalsh(G + identity * EYE)[0]
        floor = max(lowest + floor_std * rng.normal() - shift, 0)
        gram, moment = G + std * matrix(form, rng), b + std * rng.normal(size=2)
        return np.linalg.solve(gram + (max(0, size - floor) + identity) * EYE, moment)

    return fit


def thirds(tail, identity):
    """adaSSP with std tail/(epsilon/3) for everything, the eigenvalue lowered by tail of them."""
    std = tail / (EPSILON / 3)
    return adassp(std, std, tail * std, identity)


def budget(gamma):
    """[Piazza21, Alg. 3]"""
    hyper, rest = gamma, (1 - gamma) / 2
    tails = [sqrt(2 * log(2 / (share * DELTA))) for share in (hyper, rest)]
    stds = [tail / (share * EPSILON) for tail, share in zip(tails, (hyper, rest), strict=True)]
    return adassp(*stds, tails[0] * stds[0], 1)


def statsmodels(form, rng):
    """[Ghenis25, ols.py]: the classical std at 40%, 40%, 20%; eigenvalues made positive."""
    std = sqrt(2 * log(1.25 / (DELTA / 3))) / (0.4 * EPSILON)
    gram, moment = G + std * matrix(form, rng), b + std * rng.normal(size=2)
    least = np.linalg.eigvalsh(gram)[0]
    return np.linalg.solve(gram + (abs(least) + 1e-6) * (least <= 0) * EYE, moment)


def boosted(solve, gram_std, step_std):
    """One clipped gradient, at 0, through a noisy X'X, which `solve` inverts. (More rounds wash out
    the noise of X'X.)
    """

    def fit(form, rng):
        gram = G + gram_std * matrix(form, rng)
        inverse = solve(gram, np.linalg.eigvalsh(G)[0] + gram_std * rng.normal())
        return inverse @ (X.T @ np.clip(y, -1, 1) + step_std * rng.normal(size=2))

    return fit


def boosted_coded():
    """[Tang23, code]: mu itself is the std of everything."""
    mu = 1 / unit(EPSILON, DELTA)

    def solve(gram, floor):
        ridge = max(0, sqrt(2) * mu * 1.96 - max(0, floor - mu * 1.96))
        return np.linalg.inv(gram + ridge * EYE)

    return boosted(solve, mu, mu)


def boosted_kendall():
    """[Dick23, code]: mu/sqrt 3 for each third; the eigenvalue is the ridge."""
    std = sqrt(3) * unit(EPSILON, DELTA)

    def solve(gram, floor):
        return np.linalg.pinv(gram + floor * EYE)

    return boosted(solve, std, std)


KAMATH_ULLMAN = sqrt(2 * log(4 / DELTA)) / (EPSILON / 2)
MATRICES = {  # declaration: (the form of its noise on X'X, the paper's algorithm)
    dp.literature.SSPPiazza(): ("mirrored", ssp(KAMATH_ULLMAN, 1)),
    dp.literature.SSPWang(): ("mirrored", ssp(sqrt(4 * log(4 / DELTA)) / EPSILON, 0)),
    dp.literature.SSPWangCoded(): ("full", ssp(sqrt(log(4 / DELTA)) / EPSILON, 1)),
    dp.literature.SSPThesis(): ("mirrored", ssp(sqrt(2 * log(1.25 / DELTA)) / EPSILON, 0)),
    dp.literature.SSPThesisSplit(): (
        "mirrored",
        ssp(sqrt(2 * log(1.25 / (DELTA / 2))) / (EPSILON / 2), 0),
    ),
    dp.literature.SSPStatsmodels(): ("mirrored", statsmodels),
    dp.literature.ConstSSPFullPiazza(): (
        "mirrored",
        ssp(KAMATH_ULLMAN, 1 + sqrt(2 * log(8 / RHO)) * KAMATH_ULLMAN),
    ),
    dp.literature.AdaSSPWang(): ("mirrored", thirds(sqrt(log(6 / DELTA)), 0)),
    dp.literature.AdaSSPWangCoded(): ("isotropic", thirds(sqrt(log(6 / DELTA)), 1)),
    dp.literature.AdaSSPPiazza(): ("mirrored", thirds(sqrt(2 * log(6 / DELTA)), 1)),
    dp.literature.AdaSSPThesis(): ("mirrored", thirds(sqrt(2 * log(3.75 / DELTA)), 0)),
    dp.literature.AdaSSPBudget(gamma="1/4"): ("mirrored", budget(0.25)),
    dp.literature.BoostedAdaSSPCoded(rounds=1): ("mirrored", boosted_coded()),
    dp.literature.BoostedAdaSSPKendall(rounds=1): ("full", boosted_kendall()),
}
each = pytest.mark.parametrize("declaration", MATRICES, ids=lambda one: type(one).__name__)


@cache
def simulated(declaration, *, rows=ROWS, relation=None, target=CLAIM):
    """Coefficients of so many simulations, (DRAWS, 2), and of each what was released; by default
    under the relation that was published, of what reads n the other one.
    """
    reads_n = isinstance(declaration, dp.literature.SSPStatsmodels)
    relation = relation or (dp.REPLACE_ONE if reads_n else dp.ADD_REMOVE)
    found = laws.simulations(declaration, (X, y), relation=relation, target=target, rows=rows)
    assert all(one.output.solved for one in found)
    return laws.coefficients(found), [one.released for one in found]


def agreement(one, other):
    """The least p-value over the coefficients, and over their errors, of the same law."""
    truth = np.linalg.solve(G, b)
    pairs = [(one, other), (np.abs(one - truth), np.abs(other - truth))]
    return laws.least((p[:, j], q[:, j]) for p, q in pairs for j in range(2))


@each
@pytest.mark.some(3)
def test_it_has_the_law_of_its_paper(declaration):
    """Every coefficient and every error."""
    form, fit = MATRICES[declaration]
    assert agreement(simulated(declaration)[0], again(partial(fit, form))) > LEVEL


@each
@pytest.mark.some(3)
def test_it_has_no_other_law(declaration):
    """The isotropic form is rejected, as the mirrored form is where isotropic noise was coded."""
    form, fit = MATRICES[declaration]
    other = "mirrored" if form == "isotropic" else "isotropic"
    assert agreement(simulated(declaration)[0], again(partial(fit, other))) < FAR


@each
@pytest.mark.some(3)
def test_noise_on_the_matrix_has_its_form(declaration):
    """One draw for two entries off the diagonal, or two: their correlation; their spread."""
    form, _ = MATRICES[declaration]
    noise = np.array([one["gram"] for one in simulated(declaration)[1]]) - G
    assert (noise[:, 0, 1] == noise[:, 1, 0]).all() == (form != "full")
    spread = np.std(noise[:, 0, 1]) / np.std(noise[:, [0, 1], [0, 1]])
    assert spread == pytest.approx(2**-0.5 if form == "isotropic" else 1, rel=0.1)
    if form == "full":
        assert abs(np.corrcoef(noise[:, 0, 1], noise[:, 1, 0])[0, 1]) < 0.1


# ------------------------------------------------------------------------ the functional mechanism
def functional(lam):
    """[Dandekar18, Alg. 1] with the penalty lam |theta|_2^2: the stationary point of the noisy
    polynomial, one Laplace draw of scale 2 (d^2 + 2 d + 1)/epsilon for each of its monomials, at
    epsilon = 2.
    """

    def fit(rng):
        first, both, second, one, two, _ = np.array(
            [G[0, 0], 2 * G[0, 1], G[1, 1], -2 * b[0], -2 * b[1], y @ y]
        ) + rng.laplace(scale=2 * 9 / 2, size=6)
        gradient = np.array([[2 * (first + lam), both], [both, 2 * (second + lam)]])
        return np.linalg.solve(gradient, -np.array([one, two]))

    return fit


FUNCTIONAL = {
    dp.literature.FunctionalLinearPrinted(): functional(0),
    dp.literature.FunctionalRidgePrinted(lam=2): functional(2),
}
two_forms = pytest.mark.parametrize("declaration", FUNCTIONAL, ids=lambda one: type(one).__name__)


@two_forms
def test_the_functional_mechanism_has_the_law_of_its_paper(declaration):
    """Also where the noisy form is indefinite, in one run of four to ten; zeros there are
    noticed.
    """
    found, releases = simulated(declaration, rows=dp.Rows(box=1), target=dp.PureDP(2))
    theirs = again(FUNCTIONAL[declaration])
    assert agreement(found, theirs) > LEVEL
    lam = float(getattr(declaration, "lam", dp.constant(0)).value)
    coefficients = np.array([one["coefficients"] for one in releases])
    square, mixed = coefficients[:, 0].std(), coefficients[:, 1].std()
    assert mixed == pytest.approx(square, rel=0.15)  # a draw an entry of X'X: sqrt(2) larger
    first, both, second = coefficients[:, 0] + lam, coefficients[:, 1], coefficients[:, 2] + lam
    indefinite = (first < 0) | (first * second < both**2 / 4)
    assert 0.1 < indefinite.mean() < 0.25
    assert (np.abs(found[indefinite]).max(axis=1) > 0).all()
    zeros = np.where(indefinite[:, None], 0.0, found)
    assert agreement(zeros, theirs) < FAR


# ---------------------------------------------------------------------- personalised privacy
def output_perturbation(radius, penalty=0.1):
    """[Acharya24, Alg. 1], equal budgets: noise of density exp(-eta |z|), eta = penalty n epsilon/
    (2 (1 + radius)).
    """

    def fit(rng):
        theta = np.linalg.solve(G / len(y) + penalty * EYE, b / len(y))
        eta = penalty * len(y) * EPSILON / (2 * (1 + radius))
        return theta + l2_laplace(eta, rng)

    return fit


LONGEST = 0.1**-0.5
OUTPUT = {
    dp.literature.PersonalizedRidgePrinted(penalty="1/10"): output_perturbation(LONGEST),
    dp.literature.PersonalizedRidgeKnownBound(penalty="1/10", known=2): output_perturbation(2),
    dp.literature.UniformRidge(penalty="1/10"): output_perturbation(LONGEST),
}


@pytest.mark.parametrize("declaration", OUTPUT, ids=lambda one: type(one).__name__)
def test_output_perturbation_has_the_law_of_its_paper(declaration):
    """And not that of the smaller noise that dpframe derives, nor of the unbounded theorem."""
    found, _ = simulated(declaration, relation=dp.REPLACE_ONE, target=dp.PureDP(EPSILON))
    assert agreement(found, again(OUTPUT[declaration])) > LEVEL
    derived = dp.PersonalizedRidge(penalty="1/10")
    less, _ = simulated(derived, relation=dp.REPLACE_ONE, target=dp.PureDP(EPSILON))
    assert agreement(found, less) < FAR


# ----------------------------------------- Stationary points of penalised quadratics, convex or not
PENALTIES = [(0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (0.0, 3.0), (0.7, 0.7)]
penalties = pytest.mark.parametrize(("square", "absolute"), PENALTIES)


def forms(d, seed, *, convex):
    """Twenty random forms."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        A = rng.normal(size=(d, d))
        yield Quadratic(A @ A.T if convex else A + A.T, rng.normal(size=d) * 2)


def zeros_by_signs(form, square, absolute):
    """All zeros of b - H theta - absolute/2 sign(theta), by the 3^d patterns of signs."""
    d, half = len(form.b), absolute / 2
    H = form.A + square * np.eye(d)
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=d):
        s, theta = np.array(signs), np.zeros(d)
        on = s != 0
        theta[on] = np.linalg.solve(H[np.ix_(on, on)], (form.b - half * s)[on])
        rest = np.abs(form.b - H @ theta)[~on]
        if (theta[on] * s[on] > 0).all() and (rest <= half + 1e-12).all():
            yield theta


@penalties
@pytest.mark.parametrize("d", [1, 2, 4])
def test_it_is_one_of_the_zeros_of_an_indefinite_form(d, square, absolute):
    """There is always one, and it is found."""
    for form in forms(d, d, convex=False):
        found = stationary(form, square, absolute)
        known = list(zeros_by_signs(form, square, absolute))
        assert found is not None
        assert min(np.abs(found - one).max() / (1 + np.abs(one).max()) for one in known) < 1e-8


@penalties
@pytest.mark.parametrize("d", [1, 3, 8])
def test_of_a_convex_form_it_is_the_minimiser(d, square, absolute):
    """By another method."""
    for form in forms(d, 10 + d, convex=True):
        lam = square + absolute
        fit = penalised(form, lam, square / lam if lam else 1.0)
        assert np.allclose(stationary(form, square, absolute), fit.coefficients, atol=1e-7)


def test_without_the_absolute_penalty_it_is_a_linear_system():
    """Indefinite, singular, and beyond the doubles."""
    flat = np.array([1.0, 0.0, -1.0, -2.0, -4.0])  # A = diag(1, -1), b = (1, 2)
    fit = stationary_fit(flat, 1.0, 1.0, 0.0, 1.0)
    assert fit.solved
    assert fit.coefficients.tolist() == [1.0, -2.0]
    ridge = stationary_fit(flat, 1.0, 1.0, 0.5, 1.0)
    assert np.allclose(ridge.coefficients, [1 / 1.5, 2 / -0.5])
    assert not stationary_fit(flat, 1.0, 1.0, 1.0, 1.0).solved  # a ridge of 1: singular
    assert stationary_fit(flat, 1.0, 1.0, 1.0, 1.0).coefficients.tolist() == [0.0, 0.0]
    for wild in (np.inf, np.nan, 1e308):
        fit = stationary_fit(np.where(flat, flat + wild, 0.0), 1.0, 1.0, 0.5, 0.5)
        assert np.isfinite(fit.coefficients).all()
