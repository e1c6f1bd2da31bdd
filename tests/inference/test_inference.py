"""Intervals from released values: formulas against other ways to have them, coverage by simulation,
refusals.
"""

import itertools
import math
from functools import partial

import attrs
import mpmath
import numpy as np
import pytest
from scipy.stats import binom, norm, t

from benchmarks.coverage import NEW, World, released, scored
from dpframe.errors import DataWarning, InvalidArgument
from dpframe.inference.clipping import (
    added_share,
    clipped_square,
    kept_slope,
    skewed_share,
    skewed_shift,
    square_before,
)
from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.moments import modelled, private, stacked, step
from dpframe.inference.residual import Residual
from dpframe.inference.spectrum import directions
from dpframe.inference.words import sentences
from dpframe.numerics.edge import noise_edge
from tests.support.inferring import infer as inferred

infer = partial(inferred, normal_residuals=True)  # sums of clipped residuals count here
LEVEL, NOISE, N = 0.95, 0.3, 4000
THETA = np.array([0.5, -0.2, 0.1])
GRAM = N * np.array([[0.4, 0.1, 0.0], [0.1, 0.3, 0.05], [0.0, 0.05, 0.2]])


def symmetric(std, d, rng):
    """Noise of `std` on the diagonal, std/sqrt 2 off it, entry by entry."""
    noise = np.zeros((d, d))
    for i, j in itertools.combinations_with_replacement(range(d), 2):
        noise[i, j] = noise[j, i] = rng.normal(0, std if i == j else std / math.sqrt(2))
    return noise


def drawn(rng, *, std=20.0, points=(), own=15.0, gram_std=None):
    """Evidence of a table with X'X = GRAM: residuals normal, nothing clipped, moments at public
    points.
    """
    gram_std = std if gram_std is None else gram_std
    crossed = GRAM @ THETA + NOISE * rng.multivariate_normal(np.zeros(3), GRAM)
    fitted = np.linalg.solve(GRAM, crossed)
    left = NOISE**2 * rng.chisquare(N - 3)
    moments = [NoisySum(crossed + rng.normal(0, std, 3), std, np.zeros(3), 50.0)]
    for point in points:
        at = np.asarray(point)
        moments.append(NoisySum(crossed - GRAM @ at + rng.normal(0, own, 3), own, at, 50.0))
    gram = GRAM + symmetric(gram_std, 3, rng)
    squares = crossed @ fitted + left + rng.normal(0, std)
    return Evidence(gram, gram_std, tuple(moments), squares, std, float(N), 0.0), fitted


def labels_at(found, rows, alpha=0.05):
    """Where new labels lie."""
    return found.get_prediction(rows).conf_int(alpha, obs=True)


POINTS = ((0.4, -0.1, 0.0), (0.52, -0.22, 0.12))


# formulas ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.1, 0.7, 1.5, 4.0])
def test_clipping_by_integration(ratio):
    """Slope, square and added noise of a clipped normal number, to 12 digits."""
    width = mpmath.mpf(ratio)
    parts = [-mpmath.inf, -width, width, mpmath.inf]

    def clip(u):
        return max(-width, min(width, u))

    slope = mpmath.quad(lambda u: u * clip(u) * mpmath.npdf(u), parts)
    square = mpmath.quad(lambda u: clip(u) ** 2 * mpmath.npdf(u), parts)
    shift, square_of_lost = (
        mpmath.quad(
            lambda u, power=power: (u - clip(u)) ** power * mpmath.exp(-1 - u),
            [-1, width, mpmath.inf],
        )
        for power in (1, 2)
    )
    if ratio >= 1:  # below, the other side of the clip counts too
        assert float(skewed_shift(np.asarray(ratio))) == pytest.approx(float(shift), rel=1e-10)
        assert float(skewed_share(np.asarray(ratio))) == pytest.approx(float(square_of_lost))
    added = mpmath.quad(lambda u: (clip(u) - slope * u) ** 2 * mpmath.npdf(u), parts) / slope**2
    assert float(kept_slope(np.asarray(ratio))) == pytest.approx(float(slope), rel=1e-12)
    assert float(clipped_square(np.asarray(ratio))) == pytest.approx(float(square), rel=1e-10)
    assert float(added_share(np.asarray(ratio))) == pytest.approx(float(added), rel=1e-8)


@pytest.mark.parametrize("before", [1e-4, 0.05, 0.3, 4.0])
def test_the_variance_before_clipping_comes_back(before):
    """In any units."""
    after = before * float(clipped_square(np.asarray(1 / math.sqrt(before))))
    assert square_before(after, 1.0) == pytest.approx(before, rel=1e-9)
    assert square_before(9 * after, 3.0) == pytest.approx(9 * before, rel=1e-9)


def test_labels_that_fill_their_interval_have_a_finite_variance():
    """Noise may say that all labels are at the ends, or beyond."""
    assert 1 < square_before(0.999999, 1.0) <= 1e4
    assert square_before(5.0, 1.0) == pytest.approx(1e4)


def test_the_edge_of_the_noise_is_where_its_eigenvalues_end():
    """std sqrt(2 d) for std on the diagonal and std/sqrt 2 off it, not std sqrt(d)."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 3, (400, 400))
    largest = np.linalg.eigvalsh((noise + noise.T) / 2)[-1]
    assert largest == pytest.approx(noise_edge(3.0, 400), rel=0.03)


def test_the_covariance_of_noise_by_its_independent_entries():
    """e_j - N d_j as a linear map of the independent entries of N and e: brute force, d = 3."""
    rng = np.random.default_rng(1)
    evidence, _ = drawn(rng, points=POINTS)
    found = directions(evidence.gram, evidence.gram_std)
    stack = stacked(evidence, found, math.inf, 0.0, np.zeros(3))
    apart, own = rng.normal(size=(3, 3)), np.array([4.0, 9.0, 16.0])
    expected = np.kron(np.diag(own), np.eye(3))
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        entry = np.zeros((3, 3))
        entry[i, j] = entry[j, i] = 1.0
        moved = -(apart @ entry).ravel()
        expected += stack.gram_std**2 * (1 if i == j else 0.5) * np.outer(moved, moved)
    assert private(stack, apart, own) == pytest.approx(expected)


def test_a_step_is_the_weighted_mean_less_its_bias():
    """By hand: R_j = (sum P)^-1 (sum_i P_ij) for P the inverse of the covariance, and the bias that
    brute force over the entries of N gives, without the part that is its transpose.
    """
    evidence, _ = drawn(np.random.default_rng(2), std=60.0, points=POINTS)
    found = directions(evidence.gram, evidence.gram_std)
    stack = stacked(evidence, found, math.inf, 0.0, np.zeros(3))
    model = modelled(stack, found.vectors.T @ THETA + 0.05, NOISE**2, target="population")
    inverse = np.linalg.inv(model.privacy + model.sample)
    blocks = [[inverse[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] for j in range(3)] for i in range(3)]
    sums = [sum(blocks[i][j] for i in range(3)) for j in range(3)]
    lengths = np.diag(1 / stack.values)
    parts = [lengths @ np.linalg.solve(sum(sums), one) for one in sums]
    expected = sum(part @ left for part, left in zip(parts, model.left, strict=True))
    for part, apart in zip(parts, model.apart, strict=True):
        middle = np.zeros((3, 3))
        for i, j in itertools.combinations_with_replacement(range(3), 2):
            entry = np.zeros((3, 3))
            entry[i, j] = entry[j, i] = 1.0
            middle += stack.gram_std**2 * (1 if i == j else 0.5) * entry @ part @ entry
        expected = expected - lengths @ (middle - stack.gram_std**2 * part.T) @ apart
    assert step(stack, model).move == pytest.approx(expected, rel=1e-9)
    assert step(stack, model).covariance == pytest.approx(
        lengths @ np.linalg.inv(sum(sums)) @ lengths
    )


def test_one_release_has_the_known_covariance():
    """V = A^-1 (s2 A + s_b^2 I + s_A^2/2 (|theta|^2 I + theta theta')) A^-1, as columns of X."""
    evidence, _ = drawn(np.random.default_rng(3))
    found = infer(evidence)
    inverse, theta = np.linalg.inv(evidence.gram), found.centre
    near = evidence.gram_std**2 / 2
    private_part = evidence.moments[0].std ** 2 * np.eye(3)
    private_part += near * (theta @ theta * np.eye(3) + np.outer(theta, theta))
    middle = found.residual.taken * evidence.gram + private_part
    assert found.covariance == pytest.approx(inverse @ middle @ inverse, rel=1e-3)
    assert found.private == pytest.approx(inverse @ private_part @ inverse, rel=1e-3)


def test_without_noise_it_is_least_squares_with_its_textbook_errors():
    """Standard errors s sqrt((X'X)^-1) and t intervals with n - d degrees of freedom, nearly."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    y = X @ [1.0, -0.5] + rng.normal(size=300)
    moment = NoisySum(X.T @ y, 1e-9, np.zeros(2), 100.0)
    found = infer(Evidence(X.T @ X, 1e-9, (moment,), float(y @ y), 1e-9, 300.0, 0.0))
    theta = np.linalg.lstsq(X, y)[0]
    variance = np.sum((y - X @ theta) ** 2) / 298
    errors = np.sqrt(variance * np.diag(np.linalg.inv(X.T @ X)))
    assert found.centre == pytest.approx(theta, rel=1e-6)
    assert found.residual.variance == pytest.approx(variance, rel=1e-3)
    half = t.ppf(0.975, 298) * errors
    assert found.conf_int() == pytest.approx(np.stack([theta - half, theta + half], 1), rel=5e-3)


def test_estimates_by_hand():
    """z, p-values, shares and what may be hidden, of one coefficient."""
    evidence, _ = drawn(np.random.default_rng(3))
    known = attrs.evolve(infer(evidence), residual=Residual(NOISE**2, 0.0))
    found = known.of(np.array([[1.0, 0, 0], [0, 0, 1.0]]))
    z = known.centre[[0, 2]] / np.sqrt(np.diag(known.covariance)[[0, 2]])
    assert found.statistic == pytest.approx(z)
    assert found.pvalue == pytest.approx(2 * norm.sf(np.abs(z)))
    assert found.shares == pytest.approx((np.diag(known.private) / np.diag(known.covariance))[::2])
    shifted = attrs.evolve(found, hidden=np.array([0.1, np.inf]))
    assert shifted.statistic[0] == pytest.approx((found.effect[0] - 0.1) / found.sd[0])
    assert np.isnan([shifted.statistic[1], shifted.pvalue[1]]).all()
    bias, half = 0.1 / found.sd[0], np.diff(shifted.conf_int(0.1))[0] / 2 / found.sd[0]
    assert norm.sf(half - bias) + norm.sf(half + bias) == pytest.approx(0.1)


# brute force ---------------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize("points", [(), POINTS])
@pytest.mark.parametrize("std", [20.0, 60.0])
def test_the_covariance_is_that_of_many_runs(points, std):
    """d = 3: mean and covariance of 500 estimates; at std 60 the edge of the noise is a fifth of
    the least eigenvalue.
    """
    rng = np.random.default_rng(5)
    runs = [infer(drawn(rng, std=std, points=points)[0]) for _ in range(500)]
    runs = [run for run in runs if not run.open_ended]
    errors = np.array([run.centre - THETA for run in runs])
    claimed = np.mean([run.covariance for run in runs], axis=0)
    size = np.sqrt(np.diag(claimed))
    assert np.all(np.abs(errors.mean(axis=0)) < 0.15 * size)
    # robust: the law has heavy tails where noise is large
    spread = np.diff(np.quantile(errors / size, [0.16, 0.84], axis=0), axis=0)[0] / 2
    assert spread == pytest.approx(np.ones(3), abs=0.12)
    if std == 20.0:
        whitened = np.linalg.solve(np.linalg.cholesky(claimed), errors.T)
        assert whitened @ whitened.T / len(runs) == pytest.approx(np.eye(3), abs=0.12)


def test_the_noise_of_the_gram_makes_no_bias():
    """d = 10, one large coefficient, X'X = 150 I with noise of std 10: least squares of released
    sums overshoots by 0.37 of its error, (gram_std^2/2) (d + 1)/150^2 of the coefficient; half of
    all estimates are above it.
    """
    rng, theta = np.random.default_rng(20), 10 * np.eye(10)[0]
    plain, mended = [], []
    for _ in range(500):
        gram = 150 * np.eye(10) + symmetric(10.0, 10, rng)
        moment = 150 * theta + 0.5 * rng.normal(size=10)
        observed = NoisySum(moment, 0.5, np.zeros(10), 1e3)
        evidence = Evidence(gram, 10.0, (observed,), 15_000.0, 0.5, 1e9, 0.0)
        plain.append(np.linalg.solve(gram, moment)[0] - 10)
        mended.append(infer(evidence).centre[0] - 10)
    error = 10 * 10.0 / 150
    assert np.mean(plain) / error == pytest.approx(50 * 11 / 150**2 * 10 / error, abs=0.15)
    assert np.mean(plain) / error > 0.25
    assert np.mean(np.array(plain) > 0) > 0.57
    assert np.mean(np.array(mended) > 0) == pytest.approx(0.5, abs=0.07)
    assert abs(np.mean(mended)) / error < 0.2


@pytest.mark.slow
def test_the_residual_variance_and_its_error_are_those_of_many_runs():
    """Without bias, and off by as much as it says."""
    rng = np.random.default_rng(6)
    for points in ((), POINTS):
        found = [infer(drawn(rng, points=points)[0]).residual for _ in range(500)]
        off = [(one.variance - NOISE**2) / one.std for one in found]
        assert abs(np.mean(off)) < 0.2
        assert np.std(off) == pytest.approx(1, abs=0.1)


def few(successes, trials, clusters):
    """The tail of a binomial law with as many trials as there are tables."""
    return binom.cdf(successes / trials * clusters, clusters, LEVEL)


@pytest.mark.parametrize("corrections", [0, 3])
@pytest.mark.parametrize(("n", "d", "mu"), [(1000, 2, 0.24), (5000, 5, 0.24), (2000, 4, 2.0)])
def test_intervals_cover(n, d, mu, corrections):
    """The population's coefficients, new labels, and the least squares of the table itself."""
    world, tables = World.of(d, 1.0), 120
    rng = np.random.default_rng([n, d, corrections])
    scores, sample = [], []
    for _ in range(tables):
        X, y = world.table(n, rng)
        evidence = released(X, y, mu, rng, bound=world.bound, corrections=corrections)
        scores.append(scored(world, evidence, rng, LEVEL))
        ends = infer(evidence, target="sample", bound=1.0).conf_int(1 - LEVEL)
        best = np.linalg.lstsq(X, y)[0]
        sample.append((ends[:, 0] <= best) & (best <= ends[:, 1]))
    covered, intervals = sum(one.covered for one in scores), sum(one.intervals for one in scores)
    predicted, new = sum(one.predicted for one in scores), sum(one.new for one in scores)
    assert intervals >= 0.9 * d * tables
    assert few(covered, intervals, tables) > 1e-3
    assert covered / intervals < 0.985
    assert few(np.sum(sample), np.size(sample), tables) > 1e-3
    assert corrections or np.mean(sample) < 0.985  # clips count as if residuals were skewed
    assert not new or predicted / new > 0.93
    assert new == 0 or mu < 1 or predicted / new < 0.97


@pytest.mark.slow
def test_narrow_clips_are_undone():
    """Labels at 1.5 and residuals at 1.3 deviations: intervals hold, and would not if the clips
    were taken for bounds.
    """
    world, tables = World.of(2, 5.0), 150
    rng = np.random.default_rng(8)
    right = naive = 0
    for _ in range(tables):
        X, y = world.table(20_000, rng)
        width, narrow, at = 0.5, 1.3 * world.noise, 0.9 * world.theta
        labels, left = np.clip(y, -width, width), np.clip(y - X @ at, -narrow, narrow)
        moments = (
            NoisySum(X.T @ labels + rng.normal(0, 1, 2), 1.0, np.zeros(2), width),
            NoisySum(X.T @ left + rng.normal(0, 1, 2), 1.0, at, narrow),
        )
        gram = X.T @ X + symmetric(2.0, 2, rng)
        squares = labels @ labels + rng.normal()
        evidence = Evidence(gram, 2.0, moments, squares, 1.0, 20_000.0, 0.0)
        ends = infer(evidence, bound=5.0).conf_int(1 - LEVEL)
        right += np.all((ends[:, 0] <= world.truth) & (world.truth <= ends[:, 1]))
        alone = attrs.evolve(evidence, moments=moments[:1])
        ends = infer(alone, bound=width).conf_int(1 - LEVEL)
        naive += np.all((ends[:, 0] <= world.truth) & (world.truth <= ends[:, 1]))
    assert right / tables > 0.86  # both of two coefficients: about 0.95^2
    assert naive / tables < 0.3


def test_clips_of_skewed_residuals_do_not_move_the_intercept():
    """Exponential residuals clipped at three deviations, which moves their mean by e^-4 deviations:
    counted where the constant is known, which GLS then takes from the labels.
    """
    rng, tables, truth = np.random.default_rng(19), 120, np.array([0.3, 0.1])
    inside = {True: 0, False: 0}
    for _ in range(tables):
        X = np.c_[rng.uniform(-1, 1, 20_000), np.ones(20_000)]
        y = X @ truth + 0.1 * (rng.exponential(size=20_000) - 1)
        left = np.clip(y - X @ truth, -0.3, 0.3)
        moments = (
            NoisySum(X.T @ y + rng.normal(0, 10, 2), 10.0, np.zeros(2), 2.0),
            NoisySum(X.T @ left + rng.normal(0, 3, 2), 3.0, truth, 0.3),
        )
        gram = X.T @ X + symmetric(10.0, 2, rng)
        evidence = Evidence(gram, 10.0, moments, y @ y + rng.normal(), 1.0, 20_000.0, 0.0)
        for known in inside:
            constant = np.array([0.0, 1.0]) if known else None
            ends = infer(evidence, bound=2.0, constant=constant).conf_int(1 - LEVEL)[1]
            inside[known] += ends[0] <= truth[1] <= ends[1]
    assert inside[True] / tables > 0.9
    assert inside[False] / tables < 0.7


# invariance ----------------------------------------------------------------------------------


def turned(evidence, turn):
    """What would be released for the rows X @ turn', exactly."""
    moments = tuple(
        attrs.evolve(one, moment=turn @ one.moment, at=turn @ one.at) for one in evidence.moments
    )
    return attrs.evolve(evidence, gram=turn @ evidence.gram @ turn.T, moments=moments)


@pytest.mark.parametrize("target", ["population", "sample"])
def test_rotating_the_columns_rotates_everything(target):
    """Exactly, for both targets."""
    rng = np.random.default_rng(9)
    evidence, _ = drawn(rng, points=POINTS)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    plain, other = infer(evidence, target=target), infer(turned(evidence, turn), target=target)
    assert other.centre == pytest.approx(turn @ plain.centre, rel=1e-6)
    assert other.covariance == pytest.approx(turn @ plain.covariance @ turn.T, rel=1e-6)
    assert other.residual.variance == pytest.approx(plain.residual.variance)


def test_scaling_the_labels_scales_everything():
    """With their bound."""
    evidence, _ = drawn(np.random.default_rng(10), points=POINTS)
    scaled = attrs.evolve(
        evidence,
        moments=tuple(
            NoisySum(7 * one.moment, 7 * one.std, 7 * one.at, 7 * one.width)
            for one in evidence.moments
        ),
        squares=49 * evidence.squares,
        squares_std=49 * evidence.squares_std,
    )
    plain, other = infer(evidence, bound=9.0), infer(scaled, bound=63.0)
    assert other.conf_int() == pytest.approx(7 * plain.conf_int(), rel=1e-6)
    rows = np.eye(3)
    assert labels_at(other, rows) == pytest.approx(7 * labels_at(plain, rows), rel=1e-6)


# refusals ------------------------------------------------------------------------------------


def test_a_hidden_gram_is_refused():
    """Noise as large as X'X: no coefficient has an interval, no label more than its bound."""
    evidence, _ = drawn(np.random.default_rng(11), std=20.0, gram_std=1e5)
    found = infer(evidence, bound=2.0)
    assert found.identified < 3
    assert np.all(np.isinf(found.conf_int()))
    assert np.array_equal(labels_at(found, np.eye(3)), [[-2, 2]] * 3)
    assert "No coefficient has an interval" in " ".join(sentences(found))
    assert np.all(np.isnan(found.of(np.eye(3)).pvalue))
    assert np.all(np.isnan(found.of(np.eye(3)).shares))


def hiding(rng, weak):
    """Two strong columns and one whose X'X is far below the noise, with coefficient `weak`; it
    moves with the first.
    """
    gram = np.array([[4000.0, 0, 30], [0, 4000, 0], [30, 0, 2]])
    theta = np.array([0.5, -0.2, weak])
    crossed = gram @ theta + NOISE * rng.multivariate_normal(np.zeros(3), gram)
    left = NOISE**2 * rng.chisquare(N - 3) + crossed @ np.linalg.solve(gram, crossed)
    moment = NoisySum(crossed + rng.normal(0, 20, 3), 20.0, np.zeros(3), 50.0)
    observed = gram + symmetric(40.0, 3, rng)
    return Evidence(observed, 40.0, (moment,), left, 20.0, float(N), 0.0), theta


def test_one_hidden_direction_hides_all_unless_coefficients_are_bounded():
    """What is not bounded may be anything, and X'X might have any small entry beside it."""
    evidence, _ = hiding(np.random.default_rng(12), 0.3)
    assert infer(evidence).identified == 2
    assert np.all(np.isinf(infer(evidence).conf_int()))
    ends = infer(evidence, largest=1.0).conf_int()
    assert np.all(np.isfinite(ends))
    assert np.diff(ends[2]) >= 1.9
    assert np.diff(ends[0]) < 0.2
    wider = infer(evidence, largest=10.0).conf_int()
    assert np.all(np.diff(wider) > np.diff(ends))
    assert "at most the length 1" in " ".join(sentences(infer(evidence, largest=1.0)))


@pytest.mark.parametrize("weak", [-0.8, 0.8, 30.0])
def test_a_declared_length_keeps_coverage(weak):
    """With a coefficient along the hidden direction, small or large."""
    rng = np.random.default_rng(13)
    inside = []
    for _ in range(150):
        evidence, theta = hiding(rng, weak)
        ends = infer(evidence, largest=1.05 * np.linalg.norm(theta)).conf_int()
        inside.append((ends[:, 0] <= theta) & (theta <= ends[:, 1]))
    assert np.all(np.mean(inside, axis=0) > 0.9)


def test_without_squares_errors_are_larger_and_predictions_refused():
    """Or without n: the residual variance counts at its largest."""
    evidence, _ = drawn(np.random.default_rng(14))
    known = infer(evidence, bound=1.0)
    for lost in (attrs.evolve(evidence, squares=math.nan), attrs.evolve(evidence, count_std=9e9)):
        found = infer(lost, bound=1.0)
        assert found.residual is None
        assert np.all(np.diag(found.covariance) > np.diag(known.covariance))
        assert np.array_equal(labels_at(found, np.eye(3)), [[-1, 1]] * 3)
        assert "lost in noise" in " ".join(sentences(found))


def test_a_residual_variance_below_its_noise_is_taken_for_that():
    """In standard errors; three of them are clear of it."""
    assert Residual(-3.0, 2.0).taken == 2.0
    assert not Residual(5.0, 2.0).known
    assert Residual(7.0, 2.0).known


def test_predictions_stay_inside_the_bound():
    """And inside it they are as they are."""
    evidence, _ = drawn(np.random.default_rng(15))
    with pytest.warns(DataWarning, match="1 of 2 predicted means are outside the bounds"):
        ends = labels_at(infer(evidence, bound=0.5), np.array([[2.0, 0, 0], [0.1, 0, 0]]))
    assert ends[0, 1] == 0.5
    assert -0.5 <= ends[1, 0] < ends[1, 1] <= 0.5


def test_what_is_covered_is_said():
    """First, and what was clipped after it."""
    evidence, _ = drawn(np.random.default_rng(16))
    first, second = (
        next(sentences(infer(evidence, target=one))) for one in ("population", "sample")
    )
    assert "population" in first
    assert "this very table" in second
    narrow = attrs.evolve(evidence.moments[0], width=0.5)
    said = " ".join(sentences(infer(attrs.evolve(evidence, moments=(narrow,)), bound=9.0)))
    assert "clipped" in said


@pytest.mark.parametrize(
    "given", [{"target": "both"}, {"bound": 0.0}, {"largest": -1.0}, {"largest": math.nan}]
)
def test_bad_arguments_are_refused(given):
    """By name."""
    evidence, _ = drawn(np.random.default_rng(17))
    with pytest.raises(InvalidArgument, match=next(iter(given))):
        infer(evidence, **given)


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.2, math.nan])
def test_bad_levels_are_refused(level):
    """By name, of coefficients and of predictions."""
    found = infer(drawn(np.random.default_rng(18))[0])
    for ask in (found.conf_int, lambda alpha: labels_at(found, np.eye(3), alpha)):
        with pytest.raises(InvalidArgument, match="alpha"):
            ask(level)


@pytest.mark.some(1)
@pytest.mark.parametrize("corrections", [0, 3])
def test_new_labels_are_covered_where_noise_hides_the_residual_variance(corrections):
    """As often as was said, over tables and noise; hardly ever is it clear of its noise."""
    world, rng, scores, clear = World.of(2, 4 / 3), np.random.default_rng(31), [], 0
    for _ in range(400):
        X, y = world.table(1000, rng)
        observed = released(X, y, 0.2367, rng, bound=world.bound, corrections=corrections)
        scores.append(scored(world, observed, rng, 0.95))
        clear += infer(observed, bound=world.bound).residual.known
    assert clear < 40
    intervals, new = sum(one.intervals for one in scores), sum(one.new for one in scores)
    assert new == 400 * NEW
    assert 0.93 < sum(one.covered for one in scores) / intervals < 0.97
    assert 0.935 < sum(one.predicted for one in scores) / new < 0.975
