"""Posterior samples, perturbed objectives, penalties and blocks against papers and public code,
written again in plain numpy: the same laws, by two-sample Kolmogorov-Smirnov tests.

Others read raw aggregates (the thesis' preprocessing, which tests/experiments compares as plain
numpy, google-research's adaSSP, BayesianSSPCoded) or release no fit (diffprivlib, TukeyCoded,
DPrivStats): dpframe audits these, and runs none.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import chi2, norm

import dpframe as dp
from tests.literature import laws
from tests.literature.laws import DELTA, EPSILON, FAR, LEVEL, RHO, again, l2_laplace, unit

SIGNS = np.tile(laws.SIGNS, (4, 1))
X = SIGNS @ np.array([[0.5, 0.4], [0.0, 0.2]])  # columns that are not orthogonal
y = SIGNS[:, 0] * 0.8
G, b, n, EYE = X.T @ X, X.T @ y, len(y), np.eye(2)
TAIL, log, sqrt = np.log(2 / DELTA), np.log, np.sqrt


def simulated(declaration, *, relation=dp.REPLACE_ONE, **of):
    """Coefficients of so many simulations, (DRAWS, d)."""
    return laws.coefficients(laws.simulations(declaration, (X, y), relation=relation, **of))


def agreement(one, other):
    """The least p-value over coefficients, their sum and their difference, of the same law."""
    turn = np.array([[1.0, 0, 1, 1], [0, 1, 1, -1]])
    pairs = zip((one[:, :2] @ turn).T, (other[:, :2] @ turn).T, strict=True)
    return laws.least(pairs)


# ------------------------------------------------------------------------------ posterior samples
def sample(penalty, gamma, rng, *, transposed):
    """As MATLAB solves: H = R'R, and R' is the factor of the noise where R is right."""
    upper = np.linalg.cholesky(G + penalty * EYE).T
    factor = upper.T if transposed else upper
    mean = np.linalg.solve(G + penalty * EYE, b)
    return mean + np.linalg.solve(factor, rng.normal(size=2)) / sqrt(gamma)


def larger_root(a, b, c):
    """Of a x^2 + b x + c."""
    return (-b + sqrt(b * b - 4 * a * c)) / (2 * a)


def spread(epsilon, tail):
    """C1 of two columns."""
    return (1 + sqrt(2 * log(1 / RHO)) + log(1 / RHO)) * tail / epsilon**2


def temperature(lam):
    """OPS_epsdelta_*.m: the quadratic in sqrt(gamma) at B = Y = 1."""
    longest = 1 + min(sqrt(n / (2 * lam)), n / lam)
    b, c = longest * sqrt(TAIL / lam), (1 + TAIL) / (2 * lam) - EPSILON
    return larger_root(longest**2 / (lam + 1), b, c) ** 2


def concentrated():
    """OPS_epsdelta_concentrated.m; n is large enough for its first branch."""
    lam = larger_root(EPSILON, -sqrt(2 * n * TAIL) - (1 + TAIL) / 2, -2 * n)
    assert lam <= n / 2
    return lam


LEAST = (1 + TAIL) / EPSILON
OWN = spread(min(EPSILON / 2, sqrt(EPSILON / 2)), TAIL)
BALANCED, CONSERVATIVE = max((OWN * n / 2) ** (1 / 3), LEAST), max(sqrt(OWN), LEAST)
POSTERIOR = {
    dp.literature.OPSPrinted(gamma="1/2", lam=20): (20, 0.5, False),
    dp.literature.OPSBalancedCoded(): (BALANCED + 1, temperature(BALANCED), True),
    dp.literature.OPSConservativeCoded(): (CONSERVATIVE + 1, temperature(CONSERVATIVE), True),
    dp.literature.OPSDiffusedCoded(): (LEAST + 1, temperature(LEAST), True),
    dp.literature.OPSConcentratedCoded(): (concentrated() + 1, 1.0, True),
}
by_name = {"ids": lambda one: type(one).__name__}


@pytest.mark.parametrize("declaration", POSTERIOR, **by_name)
@pytest.mark.some(2)
def test_posterior_samples_have_the_law_of_their_code(declaration):
    """And not that of the other factor."""
    lam, gamma, transposed = POSTERIOR[declaration]
    found = simulated(declaration)
    theirs, other = (
        again(lambda rng, t=t: sample(lam, gamma, rng, transposed=t))
        for t in (transposed, not transposed)
    )
    assert agreement(found, theirs) > LEVEL
    assert agreement(found, other) < FAR


def adaops(rng, *, transposed=True):
    """adaops.m at B = Y = 1: six draws and a penalty by minimisation."""
    tail = log(6 / DELTA)
    lowest = np.linalg.eigvalsh(G + EYE)[0] + (rng.normal() * sqrt(tail) - tail) / (EPSILON / 4)
    lowest = max(lowest, 0)
    least = max(2 * (1 + tail) / EPSILON - lowest, 0)
    one, power = spread(larger_root(tail / 2, 1, -EPSILON / 4), tail), 2 * tail / (EPSILON / 4)

    def bound(t):
        return one * (1 + 1 / (t + lowest)) ** power / (t + lowest) + t

    lam = minimize_scalar(bound, bounds=(max(least, 1e-6), 1e4), method="bounded").x
    theta, h = np.linalg.solve(G + (lam + 1) * EYE, b), lam + lowest
    sigma = np.log1p(1 / h) / (EPSILON / 4)
    large = log(1 + np.linalg.norm(theta)) + sigma * (rng.normal() * sqrt(tail) + tail)
    longest = min(np.exp(large), 1 + sqrt(2 * sqrt(n) / h))
    a, c = longest**2 / 2 / (h + 1), (1 + tail) / 2 / h - EPSILON / 2
    gamma = larger_root(a, longest * sqrt(tail / h), c) ** 2
    return sample(lam + 1, gamma, rng, transposed=transposed)


def test_adaops_has_the_law_of_its_code():
    """adaops.m; and not that of the other factor."""
    found = simulated(dp.literature.AdaOPSCoded())
    assert agreement(found, again(adaops)) > LEVEL
    assert agreement(found, again(lambda rng: adaops(rng, transposed=False))) < FAR


def printed_adaops(rng, *, coded_steps=False):
    """[Wang18, Alg. 1] step by step at B = Y = 1; or with steps 3 and 4 of the code."""
    L, quarter = log(6 / DELTA), EPSILON / 4
    floor = max(np.linalg.eigvalsh(G)[0] + (sqrt(L) * rng.normal() - L) / quarter, 0)
    bar = larger_root(L / 2 if coded_steps else 1 / (2 * L), 1, -quarter)
    least = max((2 if coded_steps else 0.5) * (1 + L) / EPSILON - floor, 0)
    h = floor + least + np.geomspace(1e-3, 1e6, 4000)
    cost = log(spread(bar, L)) + 2 * L / quarter * np.log1p(1 / h) - log(h)
    lam = h[np.argmin(np.exp(cost) + h)] - floor
    theta = np.linalg.solve(G + lam * EYE, b)
    unit = np.log1p(1 / (lam + floor)) / quarter
    large = log(1 + np.linalg.norm(theta)) + unit * (sqrt(L) * rng.normal() + L)
    tilde = larger_root((1 + L) / L / L / 2, 1, -EPSILON / 2)
    gamma = (floor + lam) * tilde**2 / (L * np.exp(2 * large))
    return sample(lam, gamma, rng, transposed=False)


def test_adaops_has_the_law_of_its_paper():
    """Algorithm 1; and not with the two steps in which the code differs."""
    found = simulated(dp.literature.AdaOPSPrinted(), relation=dp.ADD_REMOVE)
    assert agreement(found, again(printed_adaops)) > LEVEL
    assert agreement(found, again(lambda rng: printed_adaops(rng, coded_steps=True))) < FAR


# ------------------------------------------------------------------------------------- descents
def clipped(residuals, size):
    """Sum of the gradients residual x, each of them at most `size` long."""
    each = residuals[:, None] * X
    lengths = np.linalg.norm(each, axis=1)
    return (each * np.minimum(1, size / np.maximum(lengths, size))[:, None]).sum(axis=0)


def descent(rng, rounds=4, spent=1.0):
    """[Brown24, Lev26] at B = Y = C = 1: std sqrt(2 T/rho), steps of 0.9 d/n."""
    tail = log(1 / DELTA)
    std = sqrt(2 * rounds) / (sqrt(EPSILON + tail) - sqrt(tail)) * spent
    theta = np.zeros(2)
    for _ in range(rounds):
        theta = theta - 0.9 * 2 / n * (clipped(X @ theta - y, 1) + std * rng.normal(size=2))
    return theta


def test_gradient_descent_has_the_law_of_its_paper():
    """And not with the std of rho/2 for every record that is replaced."""
    found = simulated(dp.literature.NoisyGradientDescentPrinted(rounds=4))
    assert agreement(found, again(descent)) > LEVEL
    assert agreement(found, again(lambda rng: descent(rng, spent=sqrt(2)))) < FAR


class Mixed(dp.Regression):
    """HessianMixingCoded at public bounds; raw ones cannot be simulated."""

    def declare(self, X, y, budget):
        """As it is of rows and labels in [-1, 1]."""
        return dp.literature.HessianMixingCoded().bounded(X, y, budget)


def mixed(rng, rounds=3, often=6):
    """[Lev26, PrivateHessianSketch_main.py]: a bound on the eigenvalue, `rounds` sketches whose
    rows have the covariance X'X + s^2 I, as many Newton steps with gradients of clipped residuals.
    """
    epsilon, delta = EPSILON / 4, DELTA / 4
    kept = np.linalg.eigvalsh(G)[0] + FLOOR_STD * (rng.normal() - norm.isf(delta)) - 1
    k = int(np.ceil(often * max(2, log(40 * rounds / DELTA))))
    lacking = max(1 / leverage(k * rounds, epsilon, delta) - max(kept, 0), 0)
    root = np.linalg.cholesky(G + lacking * EYE)
    theta = np.zeros(2)
    for _ in range(rounds):
        sketch = root @ rng.normal(size=(2, k))
        moved = X.T @ np.clip(X @ theta - y, -1, 1) + STEP_STD * rng.normal(size=2)
        theta = theta - np.linalg.solve(sketch @ sketch.T / k, moved)
    return theta


FLOOR_STD, STEP_STD = unit(EPSILON / 4, DELTA / 4), sqrt(3) * unit(EPSILON / 2, DELTA / 4)


@cache
def leverage(rows, epsilon, delta):
    """The largest m at which `rows` draws of N(0, 1 + m) are as private as asked beside N(0, 1)."""

    def worst(m):
        cut = (1 + m) / m * (2 * epsilon + rows * np.log1p(m))  # of the squares of N(0, 1)
        more = chi2.sf(cut / (1 + m), rows) - np.exp(epsilon) * chi2.sf(cut, rows)
        cut = (1 + m) / m * (rows * np.log1p(m) - 2 * epsilon)
        less = chi2.cdf(cut, rows) - np.exp(epsilon) * chi2.cdf(cut / (1 + m), rows)
        return max(more, less)

    return brentq(lambda m: worst(m) - delta, 1e-4, 1)


@pytest.mark.slow
def test_hessian_mixing_has_the_law_of_its_code():
    """And not with the twice as large sketches of HessianMixing."""
    found = simulated(Mixed(), relation=dp.ADD_REMOVE)
    assert agreement(found, again(mixed)) > LEVEL
    assert agreement(found, again(lambda rng: mixed(rng, often=12))) < FAR


# ---------------------------------------------------------------------------- perturbed objectives
def on_the_ball(penalty, moment):
    """The minimiser of theta'(G + penalty I)theta/2 - moment'theta over |theta| <= 1."""

    def at(more):
        return np.linalg.solve(G + (penalty + more) * EYE, moment)

    if np.linalg.norm(at(0.0)) <= 1:
        return at(0.0)
    return at(brentq(lambda more: np.linalg.norm(at(more)) - 1, 0, 1e6))


def printed_objective(rng):
    """[KiferST12, Thm 2] at B = Y = R = 1: the Lipschitz constant is 2."""
    std = 2 * sqrt(8 * TAIL + 4 * EPSILON) / EPSILON
    return on_the_ball(2 / EPSILON, b - std * rng.normal(size=2))


def coded_objective(rng):
    """ObjPert.m: |R theta - v/2| is least, R'R = X'X + 2/epsilon^2 I, R'v = X'y - noise."""
    noise = 2 * sqrt(4 * TAIL + 2 * EPSILON) / EPSILON**2 * rng.normal(size=2)
    return on_the_ball(2 / EPSILON**2, (b - noise) / 2)


def test_perturbed_objectives_have_the_law_of_their_paper_and_code():
    """And neither has that of the other."""
    printed, coded = again(printed_objective), again(coded_objective)
    one = simulated(dp.literature.ObjPertPrinted(), relation=dp.ADD_REMOVE)
    other = simulated(dp.literature.ObjPertCoded(), relation=dp.ADD_REMOVE)
    assert agreement(one, printed) > LEVEL < agreement(other, coded)
    assert agreement(one, coded) < FAR > agreement(other, printed)


# ------------------------------------------------------------------------------------- adaSSP
def adassp(std, rng, *, shift):
    """adaSSP with this std for all, the eigenvalue lowered by `shift` of them."""
    Z = rng.normal(size=(2, 2))
    lowest = np.linalg.eigvalsh(G)[0] + std * (rng.normal() - shift)
    ridge = max(0, sqrt(2 * log(2 * 2**2 / RHO)) * std - max(lowest, 0))
    noise = np.array([[Z[0, 0], Z[0, 1]], [Z[0, 1], Z[1, 1]]])
    return np.linalg.solve(G + std * noise + ridge * EYE, b + std * rng.normal(size=2))


class HessianMix(dp.Regression):
    """The noise of AdaSSPHessianMix at public bounds; raw ones cannot be simulated."""

    def declare(self, X, y, budget):
        """As it is of rows and labels in [-1, 1]."""
        return dp.literature.AdaSSPHessianMix().bounded(X, y, budget)


def test_the_baseline_of_hessian_mixing_has_the_law_of_its_code():
    """An analytic std for a third of the budget, the eigenvalue lowered by the square of it."""
    std = unit(EPSILON / 3, DELTA / 3)
    found = simulated(HessianMix(), relation=dp.ADD_REMOVE)
    assert agreement(found, again(lambda rng: adassp(std, rng, shift=std))) > LEVEL
    assert agreement(found, again(lambda rng: adassp(std / 2, rng, shift=std))) < FAR


# ------------------------------------------------------------------- penalties, blocks, samples
def penalised(square, absolute):
    """[Dandekar18, Alg. 1, Eq. 9] at epsilon = 40, where every noisy form is convex: the minimiser
    of the noisy form plus square |theta|_2^2 + absolute |theta|_1, among all patterns of signs.
    """

    def fit(rng):
        z = rng.laplace(scale=2 * 9 / 40, size=6)
        half = z[1] / 2
        form = G + np.array([[z[0], half], [half, z[2]]]) + square * EYE
        side = b - z[3:5] / 2
        best, least = np.zeros(2), 0.0
        for signs in product((-1, 0, 1), repeat=2):
            on = np.flatnonzero(signs)
            theta = np.zeros(2)
            tilt = side - absolute / 2 * np.array(signs)
            theta[on] = np.linalg.solve(form[np.ix_(on, on)], tilt[on])
            cost = theta @ form @ theta - 2 * side @ theta + absolute * np.abs(theta).sum()
            best, least = (theta, cost) if cost < least else (best, least)
        return best

    return fit


PENALISED = {
    dp.literature.FunctionalLassoPrinted(lam=20): (0, 20),
    dp.literature.FunctionalElasticNetPrinted(lam=20, alpha="1/4"): (5, 15),
}


@pytest.mark.parametrize("declaration", PENALISED, **by_name)
def test_penalised_functional_mechanisms_have_the_law_of_their_paper(declaration):
    """And not without the absolute penalty."""
    square, absolute = PENALISED[declaration]
    found = simulated(declaration, rows=dp.Rows(box=1), target=dp.PureDP(40))
    assert agreement(found, again(penalised(square, absolute))) > LEVEL
    assert agreement(found, again(penalised(square, 0))) < FAR


def test_sub_agg_has_the_law_of_its_papers():
    """One block: its ridge regression in the ball, noise of density exp(-k epsilon |z|/(2 R))."""

    def fit(rng, radius=1.0):
        theta = np.linalg.solve(G + EYE, b)
        theta *= min(1, 1 / np.linalg.norm(theta))
        return theta + l2_laplace(EPSILON / (2 * radius), rng)

    found = simulated(dp.literature.SubAggSmith(cells=1), target=dp.PureDP(EPSILON))
    assert agreement(found, again(fit)) > LEVEL
    assert agreement(found, again(lambda rng: fit(rng, radius=2.0))) < FAR


def jorgensen(rng, penalty=0.1, whole=False):
    """[Acharya24, jorgensen.py]: records kept with probability (e^epsilon - 1)/(e^t - 1), a ridge
    regression of those with noise of density exp(-penalty t kept |z|/(2 (1 + T))); or by n in the
    place of the kept.
    """
    chosen = rng.random(n) < np.expm1(OWN_BUDGETS) / np.expm1(OWN_BUDGETS.max())
    rows, labels = X[chosen], y[chosen]
    kept = n if whole else chosen.sum()
    theta = np.linalg.solve(rows.T @ rows + penalty * kept * EYE, rows.T @ labels)
    rate = penalty * OWN_BUDGETS.max() * kept / (2 * (1 + penalty**-0.5))
    return theta + l2_laplace(rate, rng)


OWN_BUDGETS = np.tile([0.1, 0.1, 0.1, 0.5], n // 4)


def test_samples_have_the_law_of_their_code():
    """And not where n stands in the place of the number kept."""
    found = simulated(
        dp.literature.SampledRidgeCoded(penalty="1/10"),
        target=dp.PersonalizedDP(dp.each("epsilon")),
        relation=dp.ADD_REMOVE,
        budgets=OWN_BUDGETS,
    )
    assert agreement(found, again(jorgensen)) > LEVEL
    assert agreement(found, again(lambda rng: jorgensen(rng, whole=True))) < FAR
