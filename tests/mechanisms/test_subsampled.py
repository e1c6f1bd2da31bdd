"""Subsampled mechanisms: which pair, which guarantee, which refusals, which rows."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

import dpframe as dp
from dpframe.randomness import SystemBits
from dpframe.symbols import Number
from tests.support.oracles import mpf as exactly
from tests.support.oracles import value

ONE = Number(Fraction(1))
POISSON = dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=2), rate="0.01")
CHOSEN = dp.mechanisms.SubsampledWithoutReplacement(dp.Gaussian(std=2), size=3, of=10)
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def test_gaussian_noise_has_the_exact_pair():
    """Poisson: the removal pair at mu = sensitivity/std; without replacement: both."""
    want = dp.pld.SubsampledGaussianLoss(Fraction(3, 2), Fraction(1, 100), "removal")
    assert POISSON.loss(3, dp.ADD_REMOVE) == want
    assert POISSON.loss(3, dp.ADD_REMOVE).reverse().direction == "addition"
    want = dp.pld.SubsampledGaussianLoss(Fraction(1, 2), Fraction(3, 10), "both")
    assert CHOSEN.loss(1, dp.REPLACE_ONE) == want


@pytest.mark.parametrize("epsilon", ["1/100", "1", "7"])
def test_an_amplified_guarantee_is_its_formula(epsilon):
    """(log(1 + q (e^epsilon - 1)), q delta) at 50 digits; the loss rounds epsilon up, by an ulp."""
    for given in (dp.PureDP(epsilon), dp.ApproxDP(epsilon, "1e-5")):
        base = dp.mechanisms.BlackBox(given)
        for mechanism, relation in (
            (dp.mechanisms.PoissonSubsampled(base, rate="1/7"), dp.ADD_REMOVE),
            (dp.mechanisms.SubsampledWithoutReplacement(base, size=2, of=14), dp.REPLACE_ONE),
        ):
            found = mechanism.guarantee(ONE, relation)
            loss = mechanism.loss(1, relation)
            assert type(found) is type(given)
            with mp.workdps(50):
                want = mp.log(1 + (mp.exp(exactly(Fraction(epsilon))) - 1) / 7)
                assert abs(value(found.epsilon, {}) - want) < 1e-48
                assert want <= exactly(loss.epsilon) <= want * (1 + 2.0**-52)
            spent = Fraction(1, 700_000) if isinstance(given, dp.ApproxDP) else 0
            assert loss.delta == spent
            assert spent == 0 or found.delta == Number(spent)


def test_every_row_in_the_sample_amplifies_nothing():
    """q = 1 is the mechanism itself."""
    all_rows = dp.mechanisms.PoissonSubsampled(dp.Laplace(scale=2), rate=1)
    assert all_rows.guarantee(ONE, dp.ADD_REMOVE) == dp.PureDP(HALF)
    assert all_rows.loss(1) == dp.pld.ResponseLoss(HALF)


def test_a_symbolic_rate_has_a_guarantee_and_no_loss():
    """The formula stays a formula; numbers are required where they are needed."""
    rate = dp.parameter("q", lower=0, upper=1)
    mechanism = dp.mechanisms.PoissonSubsampled(dp.Laplace(scale=1), rate=rate)
    found = mechanism.guarantee(ONE, dp.ADD_REMOVE)
    assert abs(value(found.epsilon, {"q": HALF}) - mp.log((1 + mp.e) / 2)) < 1e-12
    with pytest.raises(dp.InvalidArgument, match="rate"):
        mechanism.loss(1)


@pytest.mark.parametrize(
    ("mechanism", "wrong"), [(POISSON, dp.REPLACE_ONE), (CHOSEN, dp.ADD_REMOVE)]
)
def test_the_wrong_relation_is_refused(mechanism, wrong):
    """And so is none: a guarantee under a relation that is not named."""
    with pytest.raises(dp.InvalidArgument, match="relation"):
        mechanism.loss(1, wrong)
    with pytest.raises(dp.InvalidArgument, match="relation"):
        dp.compose(mechanism, relation=wrong)
    pure = dp.mechanisms.PoissonSubsampled(dp.Laplace(scale=1), rate=HALF)
    with pytest.raises(dp.InvalidArgument, match="relation"):
        pure.guarantee(ONE)
    with pytest.raises(dp.InvalidArgument, match="relation"):
        dp.compose(pure, relation=dp.REPLACE_ONE, accountant=dp.accountants.BasicAccountant())


@pytest.mark.parametrize("given", [dp.ZeroConcentratedDP(1), dp.GaussianDP(1)])
def test_what_no_theorem_amplifies_is_refused(given):
    """zCDP has no loss; Gaussian DP has no amplified guarantee, but a loss."""
    mechanism = dp.mechanisms.PoissonSubsampled(dp.mechanisms.BlackBox(given), rate=HALF)
    with pytest.raises(dp.InvalidArgument):
        mechanism.guarantee(ONE, dp.ADD_REMOVE)
    if isinstance(given, dp.GaussianDP):
        assert mechanism.loss(1) == dp.pld.SubsampledGaussianLoss(1, HALF)
    else:
        with pytest.raises(dp.InvalidArgument):
            mechanism.loss(1)


@pytest.mark.parametrize("base", [POISSON, CHOSEN, None, "Gaussian", dp.PureDP(1)])
def test_a_base_that_is_none_is_refused(base):
    """Subsampling twice, and what is no mechanism; answers of each person, as how many answer would
    be seen.
    """
    with pytest.raises(dp.InvalidArgument, match="mechanism"):
        dp.mechanisms.PoissonSubsampled(base, rate=HALF)
    with pytest.raises(dp.InvalidArgument, match="mechanism"):
        dp.mechanisms.SubsampledWithoutReplacement(base, 1, 2)
    answers = dp.mechanisms.RandomizedResponse(1, categories=3)
    with pytest.raises(dp.InvalidArgument, match="table"):
        dp.mechanisms.PoissonSubsampled(answers, rate=HALF)


@pytest.mark.parametrize("wrong", [0, -1, 2, True, float("nan"), None])
def test_rates_and_sizes_out_of_range_are_refused(wrong):
    """When they are declared."""
    with pytest.raises(dp.InvalidArgument, match="rate"):
        dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=1), rate=wrong)
    with pytest.raises(dp.InvalidArgument, match="size"):
        dp.mechanisms.SubsampledWithoutReplacement(dp.Gaussian(std=1), size=wrong, of=1)


def noisy_count(count, spread):
    """P[output] of a count with geometric noise of ratio 1/2, clamped to 0..spread: log 2-DP; and
    the count itself with probability 1/10, so (log 2, 1/10)-DP.
    """
    law = [HALF ** abs(k - count) / 3 for k in range(spread + 1)]
    law[0] += HALF**count / 3
    law[spread] += HALF ** (spread - count) / 3
    exact = [Fraction(int(k == count)) for k in range(spread + 1)]
    return law, [(1 - TENTH) * p for p in law] + [TENTH * p for p in exact]


def excess(p, q, alpha):
    """sum (P - alpha Q)_+, exactly."""
    return sum(max(a - alpha * b, Fraction(0)) for a, b in zip(p, q, strict=True))


def mixture(samples, approximate):
    """The law of the noisy count over equally or unequally likely subsamples."""
    laws = [(weight, noisy_count(sum(rows), 4)[approximate]) for weight, rows in samples]
    return [sum(weight * law[k] for weight, law in laws) for k in range(len(laws[0][1]))]


def poisson(rows, q):
    """Every subsample with its probability."""
    for included in itertools.product((0, 1), repeat=len(rows)):
        weight = math.prod(q if one else 1 - q for one in included)
        yield weight, [row for row, one in zip(rows, included, strict=True) if one]


def subsets(rows, m):
    """Every subsample of m rows."""
    found = list(itertools.combinations(rows, m))
    return [(Fraction(1, len(found)), rows) for rows in found]


@pytest.mark.parametrize("q", [TENTH, HALF, Fraction(9, 10)])
def test_poisson_amplification_holds_exactly_on_all_small_tables(q):
    """Tables of up to 4 bits, a row added or removed: sum (P - (1 + q) Q)_+ <= q delta."""
    for a, delta in ((0, 0), (1, TENTH)):
        laws = {
            (n, ones): mixture(poisson([1] * ones + [0] * (n - ones), q), a)
            for n in range(5)
            for ones in range(n + 1)
        }
        for (n, ones), bit in itertools.product(laws, (0, 1)):
            if n < 4:
                own, other = laws[n, ones], laws[n + 1, ones + bit]
                assert max(excess(own, other, 1 + q), excess(other, own, 1 + q)) <= q * delta


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_amplification_without_replacement_holds_exactly_on_all_small_tables(m):
    """Tables of 4 bits, one flipped, m rows read: sum (P - (1 + q) Q)_+ <= q delta, q = m/4."""
    q = Fraction(m, 4)
    for a, delta in ((0, 0), (1, TENTH)):
        laws = [mixture(subsets([1] * ones + [0] * (4 - ones), m), a) for ones in range(5)]
        for own, other in itertools.pairwise(laws):
            assert max(excess(own, other, 1 + q), excess(other, own, 1 + q)) <= q * delta


def test_poisson_rows_are_independent():
    """Ascending indices; each row, and each pair of rows, as often as it should; always fresh."""
    rng, draws, n = np.random.default_rng(1), 20_000, 6
    mechanism = dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=1), rate="0.3")
    seen = np.zeros((draws, n))
    for row in seen:
        rows = mechanism.rows(n, rng)
        assert (np.diff(rows) > 0).all()
        row[rows] = 1
    assert np.abs(seen.mean(axis=0) - 0.3).max() < 0.02
    pairs = seen.T @ seen / draws
    assert np.abs(pairs - 0.09)[~np.eye(n, dtype=bool)].max() < 0.015
    always = dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=1), rate=1)
    assert always.rows(5, rng).tolist() == [0, 1, 2, 3, 4]
    never = dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=1), rate="1e-30")
    assert len(never.rows(10**5, rng)) == 0


def test_rows_without_replacement_are_uniform_subsets():
    """Of 5 rows 2: ten pairs, each about a tenth of the time."""
    rng, draws = np.random.default_rng(2), 20_000
    mechanism = dp.mechanisms.SubsampledWithoutReplacement(dp.Gaussian(std=1), size=2, of=5)
    found = {}
    for _ in range(draws):
        rows = tuple(mechanism.rows(5, rng))
        assert rows[0] < rows[1]
        found[rows] = found.get(rows, 0) + 1
    assert len(found) == 10
    assert max(abs(count / draws - 0.1) for count in found.values()) < 0.01


def test_rows_of_another_table_or_generator_are_refused():
    """n is a whole number, and the declared one; randomness is numpy's, or Bits."""
    rng = np.random.default_rng(3)
    for wrong in (0, -1, True, 2.5):
        with pytest.raises(dp.InvalidArgument):
            POISSON.rows(wrong, rng)
    with pytest.raises(dp.InvalidArgument, match="n must"):
        CHOSEN.rows(11, rng)
    for mechanism in (POISSON, CHOSEN):
        assert set(mechanism.rows(10, SystemBits()).tolist()) <= set(range(10))
        with pytest.raises(dp.InvalidArgument, match="rng"):
            mechanism.rows(10, 7)
