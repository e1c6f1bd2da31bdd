"""Noise of the 2-norm: its radius and direction, its privacy, and a regression that uses it."""

from __future__ import annotations

import copy
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from scipy import special

import dpframe as dp
from tests.randomness.fits import kolmogorov
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import value

N, LEAST = 20_000, 1e-6
WRONG = (0.7, 1.3)


def vectors(d, size=1.0, seed=21):
    """N independent draws of a vector of d numbers."""
    rng = np.random.default_rng(seed)
    return np.array([dp.L2Laplace.sample(size, (d,), rng, symmetric=False) for _ in range(N)])


def matrices(k, size=1.0, seed=22):
    """N independent draws of a symmetric k x k matrix."""
    return dp.L2Laplace.sample(size, (N, k, k), np.random.default_rng(seed), symmetric=True)


def flat(found):
    """Symmetric matrices as vectors of the same norm: sqrt 2 off the diagonal."""
    k = found.shape[-1]
    rows, columns = np.triu_indices(k)
    return found[:, rows, columns] * np.where(rows == columns, 1.0, math.sqrt(2))


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("size", [1e-3, 4e5])
def test_vectors_have_the_radius_and_the_direction(d, size):
    """|z|/scale is Gamma(d); z/|z| is uniform on the sphere, by a coordinate's law; wrong scales
    and a wrong dimension are noticed.
    """
    draws = vectors(d, size)
    radii = np.linalg.norm(draws, axis=1)
    assert kolmogorov(radii / size, lambda r: special.gammainc(d, r)) > LEAST
    for factor in WRONG:
        assert kolmogorov(radii / (factor * size), lambda r: special.gammainc(d, r)) < LEAST
    assert kolmogorov(radii / size, lambda r: special.gammainc(d + 1, r)) < LEAST
    assert spherical(draws, d)


def spherical(draws, d):
    """Whether every coordinate of the directions is that of a uniform point of the sphere:
    (u + 1)/2 is Beta((d-1)/2, (d-1)/2); for d = 1 a fair sign.
    """
    unit = draws / np.linalg.norm(draws, axis=1, keepdims=True)
    if d == 1:
        return abs(np.mean(unit > 0) - 0.5) < 5 / (2 * np.sqrt(N))
    half = (d - 1) / 2
    return all(
        kolmogorov(column, lambda u: special.betainc(half, half, (u + 1) / 2)) > LEAST
        for column in unit.T
    )


@pytest.mark.parametrize("k", [1, 2, 3])
def test_matrices_are_isotropic_in_frobenius_norm(k):
    """|Z|_F is Gamma(k(k+1)/2) and vech with sqrt 2 is uniform on its sphere; without the sqrt 2
    (mirrored entries) it is not.
    """
    found = matrices(k, 3.0)
    d = k * (k + 1) // 2
    radii = np.linalg.norm(found, axis=(1, 2)) / 3.0
    assert kolmogorov(radii, lambda r: special.gammainc(d, r)) > LEAST
    for factor in WRONG:
        assert kolmogorov(radii / factor, lambda r: special.gammainc(d, r)) < LEAST
    assert spherical(flat(found), d)
    if k > 1:
        rows, columns = np.triu_indices(k)
        assert not spherical(found[:, rows, columns], d)
        assert kolmogorov(radii, lambda r: special.gammainc(k * k, r)) < LEAST


@pytest.mark.parametrize("d", [1, 3])
def test_the_deviation_among_several_numbers(d):
    """sqrt(d + 1) scale: E|z|^2 = d (d + 1) scale^2 by the moments of Gamma, and the draws'."""
    stated = float(value(dp.L2Laplace(2).deviation_among(dp.constant(d)), {}))
    assert math.isclose(stated**2, special.poch(d, 2) * 4 / d, rel_tol=1e-14)
    assert abs(vectors(d, 2.0).std() / stated - 1) < 0.02
    entries = d * (d + 1) // 2
    stated = float(value(dp.L2Laplace(2).deviation_among(dp.constant(entries)), {}))
    diagonal = matrices(d, 2.0)[:, range(d), range(d)]
    assert abs(diagonal.std() / stated - 1) < 0.02


def test_the_density_ratio_is_within_epsilon():
    """|z - v| - |z| lies in [-|v|, |v|] at random points, ends attained on the ray; for matrices by
    Frobenius, where the move of x x' costs |x|^2/scale whatever its direction.
    """
    rng = np.random.default_rng(2)
    for d in (1, 2, 6):
        z, v = rng.normal(size=(2, 2000, d)) * rng.choice([0.1, 1, 30], size=(2, 2000, 1))
        z[:500] = v[:500] * rng.uniform(1, 5, size=(500, 1))
        size = np.linalg.norm(v, axis=1)
        ratio = np.linalg.norm(z - v, axis=1) - np.linalg.norm(z, axis=1)
        assert (np.abs(ratio) <= size * (1 + 1e-12) + 1e-12).all()
        assert np.allclose(ratio[:500], -size[:500], rtol=1e-9)
    assert dp.L2Laplace(4).guarantee(dp.constant(2)) == dp.PureDP("1/2")


class Both(dp.Regression):
    """X'X and X'y with noise of the 2-norm, each by its share. [tests]"""

    gamma: dp.Expression = dp.parameter("gamma", 0, 1)

    def declare(self, X, y, budget):
        """Two releases and the solution of their normal equations."""
        first, second = budget.split(self.gamma, 1 - self.gamma)
        gram = dp.release(X.T @ X, dp.L2Laplace.pure, first, name="gram")
        moment = dp.release(X.T @ y, dp.L2Laplace.pure, second, name="moment")
        return dp.post(solve, gram, moment, gram.std)


def solve(gram, moment, ridge):
    """(X'X + ridge I)^-1 X'y from released values."""
    return np.linalg.solve(gram + 20 * ridge * np.eye(len(moment)), moment)


class Stated(dp.Regression):
    """One release with a stated scale. [tests]"""

    scale: str = "1"

    def declare(self, X, y, budget):
        """X'y."""
        return dp.release(X.T @ y, dp.L2Laplace(self.scale), budget)


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize(
    "target", [dp.PureDP(dp.EPSILON), dp.ApproxDP(dp.EPSILON, dp.DELTA)], ids=str
)
def test_a_regression_is_certified_for_all_parameters(relation, target):
    """Pure and approximate, under both relations; the scales are Delta_2/share, and the std that
    post-processing reads is that of one number among d(d+1)/2.
    """
    proof = dp.certify(Both(), target=target, setting=samples.setting(relation))
    gram, moment = proof.graph.releases
    twice = relation is dp.REPLACE_ONE
    at = {"epsilon": 2, "gamma": Fraction(1, 4), "d": 3}
    square, product = Fraction(9, 4), 3
    want = square * (mp.sqrt(2) if twice else 1) / (2 * 0.25)
    assert abs(value(gram.mechanism.scale, at) / want - 1) < 1e-14
    assert abs(value(gram.std, at) / (want * mp.sqrt(7)) - 1) < 1e-14
    assert (
        abs(value(moment.mechanism.scale, at) / (product * (2 if twice else 1) / 1.5) - 1) < 1e-14
    )


def test_a_regression_is_executed():
    """On 4000 rows at epsilon = 200 the released solution is near the public one."""
    proof = dp.certify(Both(), target=dp.PureDP(dp.EPSILON), setting=samples.setting())
    run = proof.at(epsilon=200, gamma="1/2")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 3)) / 3
    y = np.clip(X @ [1.0, -1.0, 0.5], -2, 2)
    result = dp.execute(run, X, y, rng=7)
    assert np.allclose(result.output, [1.0, -1.0, 0.5], atol=0.15)


class Copies(dp.Regression):
    """Three draws of one vector. [tests]"""

    def declare(self, X, y, budget):
        """X'y, three times."""
        return dp.release(X.T @ y, dp.L2Laplace.pure, budget.split("1/3")[0], times=3)


def test_copies_are_drawn_apart():
    """Three copies of a vector of 400 numbers: radii of three Gamma(400) draws, which differ; one
    vector of 1200 numbers would make pieces longer by sqrt 3.
    """
    proof = dp.certify(Copies(), target=dp.PureDP(3), setting=samples.setting())
    zeros = np.zeros((2, 400))
    noise = np.asarray(dp.execute(proof, zeros, np.zeros(2), rng=3).output)
    assert noise.shape == (3, 400)
    radii = np.linalg.norm(noise, axis=1) / 3
    assert (np.abs(radii / 400 - 1) < 0.3).all()
    assert len(set(radii)) == 3


def test_a_stated_scale_is_judged():
    """Delta_2 = 3: a scale of 3/epsilon is proved, anything less is not. The least rho of it is
    epsilon tanh(epsilon/2), 1/8 at epsilon = 0.5053, a scale of 5.9374.
    """
    for target in (dp.PureDP("1/2"), dp.ApproxDP("1/2", "1e-6")):
        assert dp.examine(Stated("6"), target=target, setting=samples.setting()).proved
        assert not dp.examine(Stated("5.999"), target=target, setting=samples.setting()).proved
    rho = dp.ZeroConcentratedDP("1/8")
    assert dp.examine(Stated("5.938"), target=rho, setting=samples.setting()).proved
    assert not dp.examine(Stated("5.937"), target=rho, setting=samples.setting()).proved


TARGETS = [dp.PureDP(dp.EPSILON), dp.ApproxDP(dp.EPSILON, dp.DELTA), dp.PureDP(2)]


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_checker_accepts_true_certificates_and_refuses_mutants(target, relation):
    """By theorem: less noise, another law or rule, and what is unknown are refused."""
    document = check.document(Stateless(), target, samples.setting(relation))
    assert check.check(document).accepted, check.check(document)
    release = next(n for n in document["graph"]["nodes"] if n["kind"] == "release")
    less = ["*", "999/1000", release["size"]]
    mutants = [
        {"size": less},
        {"size": less, "rule": "stated"},
        {"mechanism": "laplace", "rule": "Laplace.pure"},
        {"mechanism": "laplace", "rule": "stated"},
        {"mechanism": "gaussian", "rule": "stated"},
        {"rule": "Laplace.pure"},
        {"mechanism": "mirrored_gaussian", "rule": "stated"},
        {"times": "2"},
    ]
    for changes in mutants:
        assert not check.check(check.bent(document, "release", **changes)).accepted, changes
    assert check.check(check.bent(document, "release", rule="stated")).accepted
    more = ["*", "1001/1000", release["size"]]
    assert check.check(check.bent(document, "release", size=more, rule="stated")).accepted


class Stateless(dp.Regression):
    """X'y by its theorem. [tests]"""

    def declare(self, X, y, budget):
        """One release of the whole budget."""
        return dp.release(X.T @ y, dp.L2Laplace.pure, budget)


class Mixed(dp.Regression):
    """Noise of the 2-norm beside Gaussian noise. [tests]"""

    def declare(self, X, y, budget):
        """rho = 3^2/2 6^-2 + 2.25^2/2 9^-2 = 1/8 + 1/32."""
        first = dp.release(X.T @ y, dp.L2Laplace("6"))
        return first, dp.release(X.T @ X, dp.Gaussian(std="9"))


def test_the_checker_adds_its_rho():
    """zCDP with a Gaussian beside it: 1/8 + 1/32 = 5/32 exactly; less noise is refused."""
    with pytest.raises(dp.Uncertified):
        check.document(Mixed(), dp.ZeroConcentratedDP("0.156"), samples.setting())
    document = check.document(Mixed(), dp.ZeroConcentratedDP("5/32"), samples.setting())
    assert document["statement"]["derivation"] == "zcdp"
    assert check.check(document).accepted, check.check(document)
    nodes = document["graph"]["nodes"]
    for node, law in itertools.product(
        (n for n in nodes if n["kind"] == "release"), (None, "none")
    ):
        lesser = copy.deepcopy(document)
        changed = lesser["graph"]["nodes"][node["id"]]
        changed["size"] = ["*", "999/1000", node["size"]] if law is None else node["size"]
        changed["mechanism"] = node["mechanism"] if law is None else law
        assert not check.check(check.sealed(lesser)).accepted
