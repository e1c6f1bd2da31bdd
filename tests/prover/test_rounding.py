"""No lower end and no refutation exceeds the cost of what runs: the truth is the law of the rounded
noise, summed over whole numbers.
"""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from scipy import stats

import dpframe as dp
from dpframe.audits.cost import joint_cost
from dpframe.prover.certify import examine

NOISES = {"gaussian": dp.Gaussian, "laplace": dp.Laplace}
SIZES = ["1/3", "1/2", "1", "2", "7"]
EPSILONS = ["0", "1/2", "1", "2", "4"]
HUGE = dp.ApproxDP(10**6, "1/2")


class One(dp.Regression):
    """A statistic of whole numbers with noise on the line."""

    statistic: object = attrs.field(default=None)
    noise: object = attrs.field(default=None)
    times: int = 1

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(self.statistic(X, y), self.noise, times=self.times, name="one")


def setting(relation=dp.ADD_REMOVE, **more):
    """Rows in a ball of radius 1, two columns."""
    given = {"X": dp.Rows(norm=1, d=2), "y": dp.Column(bound=1), **more}
    return dp.Setting(relation=relation, **given)


def rounded(kind, size, move):
    """The chances of whole numbers: noise moved by whole steps and rounded, and not moved."""
    scale = float(Fraction(size))
    law = stats.norm(scale=scale) if kind == "gaussian" else stats.laplace(scale=scale)
    far = int(12 * scale * (3 if kind == "laplace" else 1)) + abs(move) + 3
    whole = np.arange(-far, far + 1)

    def chances(shift):
        above, low = whole - shift > 0, whole - shift
        upper = law.sf(low - 0.5) - law.sf(low + 0.5)
        return np.where(above, upper, law.cdf(low + 0.5) - law.cdf(low - 0.5))

    return chances(move), chances(0)


def product(pairs):
    """Chances of independent numbers together."""
    outer = lambda a, b: np.multiply.outer(a, b).ravel()  # noqa: E731
    return [functools.reduce(outer, side) for side in zip(*pairs, strict=True)]


def true_delta(p, q, epsilon):
    """The larger of both directions."""
    times = math.exp(epsilon)
    return max(np.maximum(p - times * q, 0).sum(), np.maximum(q - times * p, 0).sum())


def counts(X, y):
    """n."""
    return dp.count(X)


def bins(X, y):
    """Labels below and above 0."""
    return dp.graph.bin_counts(y, [0])


def thrice(X, y):
    """3 n, in steps of 3."""
    return 3 * dp.count(X)


ADDED, REPLACED = dp.ADD_REMOVE, dp.REPLACE_ONE
CASES = {  # statistic, relation, rows a person, draws: moves of each number in steps, step
    "count": (counts, ADDED, 1, 1, [1], 1),
    "three rows a person": (counts, ADDED, 3, 1, [3], 1),
    "three counts": (thrice, ADDED, 1, 1, [1], 3),
    "two draws": (counts, ADDED, 1, 2, [1, 1], 1),
    "bins": (bins, ADDED, 1, 1, [1, 0], 1),
    "bins, replaced": (bins, REPLACED, 1, 1, [1, -1], 1),
}


def drawn(case, kind, size):
    """A declaration, its setting, and the law of what it releases on two neighbours."""
    statistic, relation, rows, times, moves, step = CASES[case]
    given = setting(relation, rows_per_person=rows)
    law = product([rounded(kind, Fraction(size) / step, move) for move in moves])
    return One(statistic, NOISES[kind](size), times), given, law


CELLS = [(c, k, s) for c in CASES for k in NOISES for s in SIZES]


@pytest.mark.some(15)
@pytest.mark.parametrize(("case", "kind", "size"), CELLS)
def test_lower_ends_are_below_the_law_of_rounded_noise(case, kind, size):
    """Of compositions and of audits; upper ends are above it."""
    regression, given, law = drawn(case, kind, size)
    proof = dp.certify(regression, target=HUGE, setting=given)
    whole = proof.as_composition()
    joint = joint_cost(examine(regression, target=HUGE, setting=given).problem, {})
    for epsilon in map(Fraction, EPSILONS):
        true, found = true_delta(*law, float(epsilon)), whole.delta(epsilon)
        assert found.lower <= true * (1 + 1e-9) + 1e-14
        assert true <= found.upper * (1 + 1e-9) + 1e-14
        if joint is not None:
            assert joint.least_delta(epsilon) <= true * (1 + 1e-9) + 1e-14
            assert not joint.sharp
        least = whole.epsilon(Fraction(1, 1000)).lower
        assert true_delta(*law, max(least * (1 - 1e-9), 0)) >= 0.001 * (1 - 1e-6) or least == 0


@pytest.mark.some(15)
@pytest.mark.parametrize(("case", "kind", "size"), CELLS)
def test_no_claim_is_refuted_that_rounded_noise_satisfies(case, kind, size):
    """One part in 100 above the true delta, where the declared noise alone may be above."""
    regression, given, law = drawn(case, kind, size)
    for epsilon in ("1/2", "1", "2"):
        true = true_delta(*law, float(Fraction(epsilon)))
        if not 1e-9 < true < 0.95:
            continue
        target = dp.ApproxDP(epsilon, Fraction(f"{true * 1.01:.12f}"))
        assert str(dp.audit(regression, target=target, setting=given).verdict) != "refuted"


@pytest.mark.parametrize("size", ["1/2", "2"])
@pytest.mark.parametrize("kind", NOISES)
def test_divergences_of_rounded_noise(kind, size):
    """A claim of an order, and of mu by Laplace noise, is not refuted at the true cost; one far
    below it is.
    """
    p, q = rounded(kind, size, 1)
    known = (p > 1e-200) & (q > 1e-200)
    p, q = p[known], q[known]
    two = math.log(np.sum(p**2 / q))
    regression = One(counts, NOISES[kind](size))
    claims = [(lambda part: dp.RenyiDP(2, Fraction(f"{part * two:.9f}")))]
    if kind == "laplace":
        tails = (stats.laplace(scale=float(Fraction(size))).sf(k - 0.5) for k in range(-9, 10))
        scores = stats.norm.isf([*tails])
        mu = max(b - a for a, b in itertools.pairwise(scores))
        claims.append(lambda part: dp.GaussianDP(Fraction(f"{part * mu:.9f}")))
    for claim in claims:
        verdict = lambda part, c=claim: str(  # noqa: E731
            dp.audit(regression, target=c(part), setting=setting()).verdict
        )
        assert verdict(1.001) != "refuted"
        assert verdict(0.1) == "refuted"


def test_the_rho_of_rounded_gaussian_noise_is_that_of_the_declared_noise():
    """D_a/a tends to 1/(2 std^2) as orders grow, by sums in 400 digits."""
    half, found = mpmath.mpf(1) / 2, []

    def mass(k):
        """The chance of k, of noise of std 1/2."""
        tails = [mpmath.erfc((k + one) * mpmath.sqrt(2)) / 2 for one in (-half, half)]
        return tails[0] - tails[1]

    for order in (4, 64, 512):
        with mpmath.workdps(400):
            near = range(-12, 13) if order < 9 else range(order - 12, order + 13)
            terms = (mass(k - 1) ** order * mass(k) ** (1 - order) for k in near)
            found.append(float(mpmath.log(mpmath.fsum(terms)) / (order - 1) / order))
    assert found[0] < found[1] < found[2] < 2
    assert found[2] == pytest.approx(2, rel=0.01)
    verdict = lambda rho: str(  # noqa: E731
        dp.audit(
            One(counts, dp.Gaussian("1/2")),
            target=dp.ZeroConcentratedDP(rho),
            setting=setting(),
        ).verdict
    )
    assert verdict("1.99") == "refuted"
    assert verdict(2) == "proved"


def test_an_audit_of_rounded_counts_is_not_called_exact():
    """Its epsilon is an upper bound."""
    target = dp.ApproxDP(2, "0.2")
    found = dp.audit(One(counts, dp.Gaussian("1/2")), target=target, setting=setting())
    assert str(found.verdict) == "unproved"
    assert "exact, of all releases" not in str(found)
    assert not found.lines[0].attained


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("labels", [False, True])
def test_one_column_that_is_set_after_the_proof_has_no_orthogonal_rows(factor, labels):
    """X'X of one column moves by 1 where one of several moves by sqrt(2); (X'X, X'y) by 2."""

    def statistic(X, y):
        """A multiple of X'X, or a stack."""
        gram = factor * (X.T @ X)
        return dp.graph.stack(gram, X.T @ y) if labels else gram

    given = setting(REPLACED, X=dp.Rows(norm=1))
    proof = dp.certify(One(statistic, dp.Gaussian(4)), target=HUGE, setting=given)
    grid = np.linspace(-1, 1, 21)
    x, y, z, w = np.meshgrid(grid, grid, grid, grid, indexing="ij")
    square = factor**2 * (x**2 - z**2) ** 2 + (labels * (x * y - z * w)) ** 2
    true = dp.gaussian_delta(epsilon=0.5, mu=float(np.sqrt(square.max())) / 4)
    assert proof.at(d=1).as_composition().delta("1/2").lower <= true
    if not labels:
        assert proof.at(d=2).as_composition().delta("1/2").lower > true


@pytest.mark.parametrize("bits", [4, 8, 20])
def test_lower_ends_count_the_grid_of_the_rows(bits):
    """A row (1, 1) of norm sqrt(2) loses a part of a step in each entry."""
    given = setting(X=dp.Rows(norm=1, d=1), grid=bits)
    regression = One(lambda X, y: X.with_intercept().sum(), dp.Gaussian(2))
    whole = dp.certify(regression, target=HUGE, setting=given).as_composition()
    steps = math.isqrt(4**bits // 2)  # of sqrt(2)/2^bits, in 1
    moved = 2 * steps / 2**bits
    true = dp.gaussian_delta(epsilon=0.5, mu=moved / 2)
    found = whole.delta("1/2")
    assert found.lower <= true < found.upper
    assert bits < 20 or found.lower > 0.999 * true


def test_noise_on_samples_of_a_constant_is_no_loss():
    """n is public under replace-one: there is nothing to add, and nothing to fail."""

    class Sampled(dp.Regression):
        """n of a sample."""

        def declare(self, X, y, budget):
            """One release."""
            return dp.release(dp.count(X), dp.Gaussian(1), sampled="1/2", name="n")

    proof = dp.certify(Sampled(), target=HUGE, setting=setting(REPLACED))
    assert dp.compose(proof).delta("1/2").upper >= 0
