"""Sums over records with Gaussian noise on fresh samples: the cost is that of the composed pairs,
what is run reads samples, and what amplifies nothing is charged in full.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TABLE = np.zeros((4000, 2)), np.linspace(-1, 1, 4000)
RATES = Fraction(1, 10), Fraction(1, 4)


class Sampled(dp.Regression):
    """X'X on 20 samples, and counts on one."""

    std: str = "4"

    def declare(self, X, y, budget):
        """Stated noise, no shares."""
        del budget
        first, second = RATES
        gram = dp.release(X.T @ X, dp.Gaussian(std=self.std), sampled=first, times=20, name="gram")
        counts = dp.graph.bin_counts(y, [0])
        few = dp.release(counts, dp.Gaussian(std=3), sampled=second, name="few")
        every = dp.release(counts, dp.Gaussian(std=1000), name="every")
        return dp.post(seen, gram, few, every)


def seen(gram, few, every):
    """Shapes, and both counts."""
    return gram.shape, few, every


def verdict(epsilon, relation=dp.ADD_REMOVE, rows=1, **fields):
    """Of this epsilon at delta 1e-6."""
    asked = attrs.evolve(SETTING, relation=relation, rows_per_person=rows)
    done = dp.audit(Sampled(**fields), target=dp.ApproxDP(epsilon, "1e-6"), setting=asked)
    return str(done.verdict)


@pytest.fixture(scope="module")
def true():
    """By composition of the pairs: 20 of mu 1/4, one of mu 1/3, and a Gaussian of mu 1/1000."""
    first, second = RATES
    loss = dp.pld.SubsampledGaussianLoss
    parts = (loss(Fraction(1, 4), first), 20), loss(Fraction(1, 3), second)
    return dp.compose(*parts, dp.pld.GaussianLoss(Fraction(1, 1000))).epsilon("1e-6").upper


def test_the_cost_is_that_of_the_pairs(true):
    """Proved a little above, and not a little below."""
    assert verdict(f"{true * 1.0001:.6f}") == "proved"
    assert verdict(f"{true * 0.999:.6f}") != "proved"


@pytest.mark.parametrize(
    "fewer", [{"relation": dp.REPLACE_ONE}, {"rows": 2}, {"std": "3"}], ids=str
)
def test_what_samples_hide_less_is_charged(true, fewer):
    """Replaced records move further, several rows a person have no pair."""
    assert verdict(f"{true * 1.0001:.6f}", **fewer) != "proved"
    assert verdict("60", **fewer) == "proved"


def test_draws_read_fresh_samples():
    """A quarter of 4,000 records, beside all of them; the kernel replays all but the total."""
    proof = dp.certify(Sampled(), target=dp.ApproxDP(2, "1e-6"), setting=SETTING)
    shape, few, every = dp.execute(proof.at(d=2), *TABLE, rng=1).output
    assert shape == (20, 2, 2)
    assert abs(few.sum() - 1000) < 150
    assert abs(every.sum() - 4000) < 9000
    with pytest.raises(dp.NotExecutable, match="drawn on Poisson samples"):
        dp.attack(proof.at(d=2), seed=1)


# ---------------------------------------------------------------------- replaced records
class Rounds(dp.Regression):
    """Draws of one sum on samples."""

    std: str = "2"
    rate: str = "1/2"
    times: int = 1
    ask: str = "sum"

    def declare(self, X, y, budget):
        """Stated noise, no shares."""
        del budget
        asked = y.sum() if self.ask == "sum" else dp.graph.bin_counts(y, [0])
        noise = dp.Gaussian(std=self.std)
        return dp.release(asked, noise, sampled=self.rate, times=self.times, name="s")


REPLACED = attrs.evolve(SETTING, relation=dp.REPLACE_ONE)


def hockey(alpha, u, w, rate):
    """H_alpha of (1 - q) N(0, I) + q N(u, I) against the same with w, by a sum over a fine grid."""
    line = np.linspace(-8, 8, 241)
    area = (line[1] - line[0]) ** 2
    x, y = np.meshgrid(line, line)

    def density(at):
        return np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / 2) / (2 * np.pi)

    first = (1 - rate) * density((0, 0)) + rate * density(u)
    second = (1 - rate) * density((0, 0)) + rate * density(w)
    return float(np.maximum(first - alpha * second, 0).sum() * area)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_no_replaced_row_costs_more_than_the_pair(rate):
    """Rows of norm up to 1, std 1, in the plane: mu = 2 of a row that is replaced bounds them all,
    in both directions, and is reached by none; and mu = 1, of a row that is added, is too little.
    """
    full = dp.pld.SubsampledGaussianLoss(2, Fraction(str(rate)), "both")
    half = dp.pld.SubsampledGaussianLoss(1, Fraction(str(rate)), "both")
    rows = (1, 0), (-1, 0), (0.6, 0.8), (-0.6, 0.8), (0, 0), (0.3, 0)
    broken = 0
    for epsilon in (0.0, 0.3, 1.0):
        most = dp.compose(full).delta(epsilon).upper
        for u in rows:
            for w in rows:
                found = hockey(np.exp(epsilon), u, w, rate)
                assert found <= most + 1e-4
                broken += found > dp.compose(half).delta(epsilon).upper + 1e-4
    assert broken


def test_replaced_records_are_amplified():
    """One draw of rate 1/2 costs the pair; so do 50 of rate 1/100."""
    cases = [
        ({"std": "2"}, Fraction(1, 2), 1),
        ({"std": "4", "rate": "0.01"}, Fraction(1, 100), 50),
    ]
    for fields, rate, times in cases:
        mu = Fraction(2) / Fraction(fields["std"])
        loss = dp.pld.SubsampledGaussianLoss(mu, rate, "both")
        true = dp.compose((loss, times)).epsilon("1e-5").upper
        for by, expected in ((1.00001, "proved"), (0.99999, "unproved")):
            target = dp.ApproxDP(f"{true * by:.9f}", "1e-5")
            one = dp.audit(Rounds(times=times, **fields), target=target, setting=REPLACED)
            assert str(one.verdict) == expected


def test_what_does_not_move_where_rows_are_replaced_may_move_where_they_are_added():
    """Bins of [0, 1] and [-1, 0): sqrt(2) where a label is replaced, 1 where one is added."""
    loss = dp.pld.SubsampledGaussianLoss(Fraction(71, 100), Fraction(1, 2), "both")
    true = dp.compose(loss).epsilon("1e-5").upper
    target = dp.ApproxDP(f"{true:.9f}", "1e-5")
    made = Rounds(ask="bins", std="2")
    assert str(dp.audit(made, target=target, setting=REPLACED).verdict) == "proved"
    less = dp.ApproxDP(f"{true * 0.98:.9f}", "1e-5")
    assert str(dp.audit(made, target=less, setting=REPLACED).verdict) == "unproved"
    several = attrs.evolve(REPLACED, rows_per_person=2)
    assert str(dp.audit(made, target=target, setting=several).verdict) == "unproved"


# ------------------------------------------------------------------- what a page says
def test_a_page_has_no_bound_that_leaves_samples_out():
    """No bound of all rows stands beside one that counts samples, in the sentence neither."""
    target = dp.ApproxDP("1.8", "1e-5")
    found = dp.audit(Rounds(std="1/2", rate="0.1", times=9), target=target, setting=SETTING)
    text = str(found)
    assert "certified composition" in text
    assert "Gaussian privacy profile" not in text
    assert "mu^2" not in text
    assert "bounded ranges" not in text
    assert "samples are not counted" not in text


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (dp.ZeroConcentratedDP("0.1"), "the claim is one of rho"),
        (dp.GaussianDP("0.1"), "the claim is one of mu^2"),
    ],
    ids=str,
)
def test_a_page_says_where_samples_are_not_counted(target, says):
    """In rho and mu no rule counts them."""
    text = str(dp.audit(Rounds(), target=target, setting=SETTING))
    assert f"Samples of s are not counted: {says}" in text


# ------------------------------------------------------------------- divergences of one order
@pytest.mark.parametrize("accountant", ["auto", "rdp"])
@pytest.mark.parametrize("times", [1, 7])
def test_divergences_of_samples(times, accountant):
    """D_2 = log(1 + q^2 (e - 1)) a draw at std 1 [Mironov, Talwar, Zhang 2019]."""
    true = times * np.log1p(0.01 * (np.e - 1))
    made = Rounds(std="1", rate="0.1", times=times)
    for by, expected in ((1 + 1e-9, "proved"), (1 - 1e-9, "unproved")):
        target = dp.RenyiDP(2, f"{true * by:.15f}")
        done = dp.audit(made, target=target, setting=SETTING, accountant=accountant)
        assert str(done.verdict) == expected
        assert "mu^2" not in str(done)
    target = dp.RenyiDP(2, f"{true * (1 + 1e-9):.15f}")
    assert str(dp.audit(made, target=target, setting=REPLACED).verdict) == "unproved"


def test_shares_of_one_order_are_earned_on_samples():
    """A share that is the whole claim; and none of several rows a person."""

    class Shared(dp.Regression):
        """One draw of a sum."""

        def declare(self, X, y, budget):
            share = budget.split_evenly(1)[0]
            return dp.release(y.sum(), dp.Gaussian(std=1), share, sampled="0.1", name="s")

    for epsilon, rows, expected in (
        ("0.01705", 1, "proved"),
        ("0.01703", 1, "unproved"),
        ("0.01705", 2, "unproved"),
    ):
        setting = attrs.evolve(SETTING, rows_per_person=rows)
        done = dp.audit(Shared(), target=dp.RenyiDP(2, epsilon), setting=setting)
        assert str(done.verdict) == expected
        assert done.lines[0].claim == expected


def test_releases_that_differ_in_their_samples_have_lines_of_their_own():
    """One line a release: 2, and log(1 + (e^2 - 1)/10) of the sampled one."""

    class Two(dp.Regression):
        """The same release twice, once on a sample."""

        def declare(self, X, y, budget):
            noise = dp.Laplace("1/2")
            first = dp.release(y.sum(), noise, name="whole")
            return dp.post(seen_two, first, dp.release(y.sum(), noise, sampled="0.1", name="part"))

    found = dp.audit(Two(), target=dp.PureDP(3), setting=SETTING).lines
    costs = [line.exact_epsilon for line in found]
    assert costs == pytest.approx([2, np.log1p(0.1 * np.expm1(2))], rel=1e-12)


def seen_two(first, second):
    """Both."""
    return first, second


def test_what_reads_all_rows_is_refuted_beside_samples():
    """A release of all rows that alone costs more than the claim."""

    class Mixed(dp.Regression):
        """Little noise on X'X, much on samples."""

        def declare(self, X, y, budget):
            gram = dp.release(X.T @ X, dp.Gaussian(std=1), name="gram")
            return dp.post(seen_two, gram, dp.release(y.sum(), dp.Gaussian(4), sampled="0.1"))

    found = dp.audit(Mixed(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert str(found.verdict) == "refuted"


def test_what_no_replaced_row_moves_costs_nothing_on_samples():
    """A count under replace-one, with next to no noise."""

    class Counted(dp.Regression):
        """Counts of samples."""

        def declare(self, X, y, budget):
            return dp.release(dp.count(X), dp.Gaussian("0.01"), sampled="1/2", times=10, name="s")

    target = dp.ApproxDP("0.001", "1e-9")
    assert str(dp.audit(Counted(), target=target, setting=REPLACED).verdict) == "proved"
