"""Mirrored, full and correlated Gaussian noise: guarantees by direct distances, laws by
chi-square.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import matrix, mp, mpf

import dpframe as dp
from dpframe.mechanisms.correlated_gaussian import positive_definite
from dpframe.prover import Verdict
from tests.randomness.fits import chi_square
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import value

N, LEAST = 20_000, 1e-6


# --------------------------------------------------------------------------------- mirrored noise
def test_mirrored_noise_has_one_std_everywhere():
    """On the diagonal and off it; the isotropic std off the diagonal is noticed."""
    noise = dp.mechanisms.MirroredGaussian.sample(
        3.0, (4000, 3, 3), np.random.default_rng(1), symmetric=True
    )
    for entries in (np.diag_indices(3), np.triu_indices(3, 1)):
        draws = noise[:, *entries].ravel()
        assert chi_square(draws, 3.0) > LEAST
        for factor in (0.7, 1.3, 2**-0.5):
            assert chi_square(draws, factor * 3.0) < LEAST
    plain = dp.mechanisms.MirroredGaussian.sample(
        3.0, (N,), np.random.default_rng(2), symmetric=False
    )
    assert chi_square(plain, 3.0) > LEAST


def triangle(move):
    """The squared distance of a symmetric move in units of mirrored noise of std 1."""
    return np.sum(np.triu(move) ** 2, axis=(-2, -1))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_mirrored_noise_costs_at_most_the_frobenius_norm(d):
    """xx' and xx' - zz' by the distance of upper triangles: never above |.|_F, so never above the
    stated sensitivities B^2 and sqrt 2 B^2; attained by e1, and by e1 against e2.
    """
    rng = np.random.default_rng(d)
    rows = rng.normal(size=(2, 4000, d))
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    rows[:, :5] = np.eye(d)[[0, -1]][:, None]
    x, z = (np.einsum("ni,nj->nij", side, side) for side in rows)
    assert (triangle(x) <= 1 + 1e-12).all()
    assert math.isclose(triangle(x).max(), 1)
    assert (triangle(x - z) <= np.sum((x - z) ** 2, axis=(1, 2)) + 1e-12).all()
    if d > 1:
        assert math.isclose(triangle(x - z).max(), 2)
        assert triangle(x).min() < 0.8  # but not of every direction: the bound is for the worst


def test_isotropic_noise_dominates_mirrored_noise():
    """Equal guarantees, and less noise off the diagonal by sqrt 2."""
    stds = []
    for cls in (dp.Gaussian, dp.mechanisms.MirroredGaussian):
        assert cls(std=3).guarantee(dp.constant(2)) == dp.GaussianDP("2/3")
        noise = cls.sample(3.0, (N, 2, 2), np.random.default_rng(5), symmetric=True)
        stds.append(noise[:, 0, 1].std())
    assert abs(stds[1] / stds[0] - 2**0.5) < 0.03


# ------------------------------------------------------------------------- noise in every entry
class Mirrored(dp.Regression):
    """X'X with mirrored noise. [tests]"""

    std: str = "9"

    def declare(self, X, y, budget):
        """B = 3/2: mu = 2.25/9 = 1/4 under add/remove."""
        return dp.release(X.T @ X, dp.mechanisms.MirroredGaussian(self.std))


class Full(dp.Regression):
    """X'X with a draw for every entry. [tests]"""

    std: str = "9"

    def declare(self, X, y, budget):
        """The same."""
        return dp.release(X.T @ X, dp.mechanisms.FullGaussian(self.std))


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize(("cls", "kind"), [(Mirrored, "mirrored"), (Full, "full")])
def test_matrix_noise_is_certified_and_checked_as_gaussian_noise(cls, kind, relation):
    """mu = 1/4 (sqrt(2)/4 replaced) is proved, no less, nor does `dpframe check` accept it; far too
    little noise is refuted.
    """
    setting = samples.setting(relation)
    mu = dp.constant("1/4") * (dp.sqrt(2) if relation is dp.REPLACE_ONE else 1)
    proof = dp.certify(cls(), target=dp.GaussianDP(mu), setting=setting)
    assert not dp.examine(cls("8.999"), target=dp.GaussianDP(mu), setting=setting).proved
    little = dp.examine(cls("1"), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert any(one.verdict is Verdict.REFUTED for one in little.open_obligations)
    document = check.file_of(proof)
    assert check.check(document).accepted
    (node,) = (one for one in document["graph"]["nodes"] if one["kind"] == "release")
    assert node["mechanism"] == f"{kind}_gaussian"
    assert not check.check(check.bent(document, "release", size="8999/1000")).accepted


def test_full_noise_costs_exactly_the_frobenius_norm():
    """Of a symmetric move M the log-ratio of densities is N(|M|_F^2/2, |M|_F^2) at std 1: by 20,000
    draws of both, for xx' and xx' - zz' off the axes.
    """
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 3))
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    for move in (np.outer(x, x), np.outer(x, x) - np.outer(z, z)):
        noise = dp.mechanisms.FullGaussian.sample(1.0, (N, 3, 3), rng, symmetric=True)
        loss = np.sum(move * noise, axis=(1, 2)) + np.sum(move**2) / 2
        size = np.linalg.norm(move)
        assert np.mean(loss) == pytest.approx(size**2 / 2, abs=6 * size / N**0.5)
        assert chi_square(loss - size**2 / 2, size) > LEAST
        assert chi_square(loss - size**2 / 2, 0.95 * size) < LEAST


def test_an_execution_draws_every_entry(tmp_path):
    """In whole steps of the grid and, where X'X is on none, in doubles: one std everywhere, entries
    beside the diagonal apart; symmetric noise of the other forms.
    """
    off = np.triu_indices(3, 1)
    for grid in (20, None):
        for cls, symmetric in ((Full, False), (Mirrored, True)):
            proof = dp.certify(cls(), target=dp.GaussianDP(1), setting=samples.setting(grid=grid))
            assert proof.graph.releases[0].exact is (grid is not None)
            empty = np.zeros((0, 3)), np.zeros(0)
            draws = np.array([dp.execute(proof, *empty, rng=i).output for i in range(400)])
            assert (draws == draws.swapaxes(1, 2)).all() == symmetric
            upper, lower = draws[:, *off].ravel(), draws.swapaxes(1, 2)[:, *off].ravel()
            assert min(chi_square(one, 9.0) for one in (upper, lower)) > LEAST
            assert (abs(np.corrcoef(upper, lower)[0, 1]) < 0.2) is not symmetric


# ------------------------------------------------------------------------------- correlated noise
HILBERT = [[Fraction(1, i + j + 1) for j in range(5)] for i in range(5)]
COVARIANCES = [
    [[4]],
    [[2, 1], [1, 2]],
    [["5", "-1/3", 0], ["-1/3", 1, "1/7"], [0, "1/7", "0.25"]],
    HILBERT,
    [[1, 0], [0, Fraction(1, 10**20)]],
]


def in_mpmath(rows):
    """A matrix at the working precision."""
    return matrix([[mpf(Fraction(x).numerator) / Fraction(x).denominator for x in r] for r in rows])


def least_eigenvalue(rows):
    """At 60 digits, by mpmath."""
    with mp.workdps(60):
        return min(mp.eigsy(in_mpmath(rows), eigvals_only=True))


@pytest.mark.parametrize("rows", COVARIANCES, ids=range(len(COVARIANCES)))
def test_the_least_std_is_a_tight_lower_bound(rows):
    """std^2 is below the least eigenvalue at 60 digits; and near it, where doubles see it."""
    mechanism = dp.mechanisms.CorrelatedGaussian(rows)
    with mp.workdps(60):
        gap = mpf(mechanism.std.numerator) / mechanism.std.denominator
        ratio = gap**2 / least_eigenvalue(rows)
        assert ratio < 1
        assert ratio > 1 - mpf("1e-8")
    guarantee = mechanism.guarantee(dp.constant(3))
    assert guarantee.mu.value == 3 / mechanism.std


def test_the_cost_of_every_move_is_within_the_guarantee():
    """sqrt(v' S^-1 v) by solving in mpmath: at most mu for random |v| = 1, and mu at the
    eigenvector of the least eigenvalue.
    """
    rng = np.random.default_rng(3)
    for rows in COVARIANCES[1:4]:
        mu = value(dp.mechanisms.CorrelatedGaussian(rows).guarantee(dp.constant(1)).mu, {})
        with mp.workdps(40):
            S = in_mpmath(rows)
            _, vectors = mp.eigsy(S)
            moves = [vectors[:, 0], *(matrix(list(v)) for v in rng.normal(size=(40, len(rows))))]
            costs = [mp.sqrt((v.T * mp.lu_solve(S, v))[0] / (v.T * v)[0]) for v in moves]
        assert all(cost <= mu for cost in costs)
        assert costs[0] > mu * (1 - mpf("1e-8"))


@pytest.mark.some(1, most=10)
@pytest.mark.parametrize("seed", range(30))
def test_positive_definiteness_is_exact(seed):
    """Against the definition by eigenvalues, where these decide; and at the edge, in Fractions:
    A A' is positive definite for an invertible A, and not once its last row is a sum of others.
    """
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 6))
    draw = rng.integers(-3, 4, size=(d, d))
    matrix_ = draw + draw.T
    eigenvalues = np.linalg.eigvalsh(matrix_)
    if abs(eigenvalues).min() > 1e-9:
        assert positive_definite(fractions(matrix_)) is bool(eigenvalues[0] > 0)
    root = np.tril(draw, -1) + np.eye(d, dtype=int)
    assert positive_definite(fractions(root @ root.T))
    root[-1] = root[:-1].sum(axis=0)
    assert not positive_definite(fractions(root @ root.T))


def fractions(rows):
    """Whole numbers over 7, exactly."""
    return tuple(tuple(Fraction(int(x), 7) for x in row) for row in rows)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [2, 1]],
        [[1, 1], [1, 1]],
        [[0]],
        [[1, 0], [1, 1]],
        [[1, 2]],
        [[]],
        "x",
        [[math.nan]],
        [[True]],
        [["1e200"]],
        [[int(i == j) for i in range(51)] for j in range(51)],
    ],
    ids=lambda rows: str(rows)[:20],
)
def test_what_is_no_covariance_is_refused(rows):
    """Indefinite, singular, lopsided, no matrix, no numbers."""
    with pytest.raises(dp.InvalidArgument):
        dp.mechanisms.CorrelatedGaussian(rows)


def test_correlated_draws():
    """L^-1 z is standard for S = L L' (chi-square, and uncorrelated); wrong by 0.7 or 1.3, and the
    identity covariance, are noticed. Shapes (copies, d).
    """
    rows = COVARIANCES[2]
    mechanism = dp.mechanisms.CorrelatedGaussian(rows)
    draws = mechanism.sample((N,), np.random.default_rng(8))
    S = np.array([[float(Fraction(x)) for x in row] for row in rows])
    white = np.linalg.solve(np.linalg.cholesky(S), draws.T).T
    assert chi_square(white, 1.0) > LEAST
    assert np.abs(np.corrcoef(white.T)[np.triu_indices(3, 1)]).max() < 6 / np.sqrt(N)
    for factor in (0.7, 1.3):
        assert chi_square(white, factor) < LEAST
    assert np.abs(np.corrcoef(draws.T)[np.triu_indices(3, 1)]).max() > 0.1
    assert mechanism.sample((), np.random.default_rng(1)).shape == (3,)
    assert mechanism.sample((4, 2), np.random.default_rng(1)).shape == (4, 2, 3)


def test_correlated_noise_is_accounted_not_released_and_needs_doubles_to_be_drawn():
    """A Gaussian loss at the exact mu; a graph refuses it; so does a sampler at condition 1e20."""
    mechanism = dp.mechanisms.CorrelatedGaussian([[4, 0], [0, 9]])
    assert isinstance(mechanism.loss(1), dp.pld.GaussianLoss)
    assert 0.5 < mechanism.loss(1).mu < 0.5 + 1e-9
    X, y = samples.setting().nodes()
    with pytest.raises(dp.InvalidArgument, match="accounted, not released"):
        dp.release(X.T @ y, mechanism)
    with pytest.raises(dp.InvalidArgument, match="well conditioned"):
        dp.mechanisms.CorrelatedGaussian(COVARIANCES[4]).sample((), np.random.default_rng(0))


# ------------------------------------------------------------------------------------ black boxes
GIVEN = [
    dp.PureDP("1/2"),
    dp.ApproxDP(1, "1e-6"),
    dp.ZeroConcentratedDP("1/8"),
    dp.GaussianDP(1),
    dp.PureDP(dp.EPSILON),
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_a_black_box_gives_what_it_was_given(given):
    """At sensitivity 1 only; its loss is that of its guarantee, where there is one."""
    box = dp.mechanisms.BlackBox(given, name="elsewhere", source="a paper")
    assert box.guarantee(dp.constant(1)) is given
    assert box.guarantee() is given
    for wrong in (2, Fraction(1, 2), 0, True, dp.EPSILON, math.nan):
        with pytest.raises(dp.InvalidArgument, match="sensitivity"):
            box.guarantee(wrong)
    known = not isinstance(given, dp.ZeroConcentratedDP) and not given.amounts[0].symbols()
    if known:
        assert box.loss() == given.loss
    else:
        with pytest.raises(dp.InvalidArgument):
            box.loss()


def test_a_black_box_is_not_released():
    """Nothing can be drawn from it: the graph says what to do instead."""
    X, y = samples.setting().nodes()
    with pytest.raises(dp.InvalidArgument, match="accounted, not released"):
        dp.release(X.T @ y, dp.mechanisms.BlackBox(dp.PureDP(1)))
    for wrong in (None, 1, "PureDP(1)", dp.PureDP):
        with pytest.raises(dp.InvalidArgument, match="guarantee"):
            dp.mechanisms.BlackBox(wrong)
    with pytest.raises(dp.InvalidArgument, match="name"):
        dp.mechanisms.BlackBox(dp.PureDP(1), name=3)


# ------------------------------------------------------------------------- expected squared noise
@pytest.mark.parametrize("kind", ["Gaussian", "MirroredGaussian", "FullGaussian", "L2Laplace"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_expected_squared_noise_is_that_of_draws(kind, symmetric):
    """E|Z|^2/std^2 of a release of X'X, and of X'y, against the mean of 4000 draws."""
    rows, labels = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE
    ).nodes()
    noise = getattr(dp.mechanisms, kind)(2)
    release = dp.release(rows.T @ rows if symmetric else rows.T @ labels, noise)
    shape = (4, 4) if symmetric else (4,)
    rng = np.random.default_rng(3)
    draws = [noise.sample(2.0, shape, rng, symmetric=release.symmetric) for _ in range(4000)]
    mean = np.mean([np.sum(one**2) for one in draws])
    variance = release.deviation**2
    expected = value(release.squared_noise * variance, {"d": 4})
    assert mean == pytest.approx(float(expected), rel=0.05)
