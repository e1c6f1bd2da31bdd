"""Shares: even splits of every size are proved; what overspends by a hair is refuted."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import attrs
import pytest

import dpframe as dp
from dpframe.accountants import composition_of
from dpframe.prover import Verdict
from dpframe.symbols import Number
from tests.support import checking, samples
from tests.support.samples import setting

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


class Many(dp.Regression):
    """`count` releases of X'y at the weights of `weights`, or evenly. [tests]"""

    count: int = 2
    weights: tuple = ()

    def declare(self, X, y, budget):
        """One release a share."""
        weights = self.weights
        shares = budget.split(*weights) if weights else budget.split_evenly(self.count)
        return tuple(dp.release(X.T @ y, dp.Gaussian.analytic, share) for share in shares)


def report(**fields):
    """What verification finds for such releases, by basic composition."""
    return dp.examine(Many(**fields), target=TARGET, setting=setting(), accountant="basic")


def test_even_splits_add_up_exactly():
    """For numbers k up to 1000 the k shares sum to the budget, in Fractions."""
    for k in (*range(1, 70), *range(71, 1001, 31), 999, 1000):
        shares = dp.ApproxDP(1, "1e-6").budget.split_evenly(k)
        assert len(shares) == k
        assert sum(share.epsilon.value for share in shares) == 1
        assert sum(share.delta.value for share in shares) == Fraction(1, 10**6)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 49, 64, 99, 128, 333, 512, 729, 999, 1000])
def test_even_splits_are_proved(k):
    """budget.split_evenly(k), symbolically."""
    assert report(count=k).proved


@pytest.mark.parametrize("k", [3, 7, 29, 144, 731, 1000])
def test_k_shares_of_one_kth_are_proved(k):
    """Fraction(1, k) k times over, and epsilon/k as a formula."""
    assert report(weights=(Fraction(1, k),) * k).proved
    assert report(weights=(Number(Fraction(1)) / k,) * k).proved


@pytest.mark.parametrize("k", [2, 7, 144, 1000])
def test_one_share_too_many_is_refuted(k):
    """k + 1 shares of 1/k are refuted, with a counterexample that overspends."""
    found = report(weights=(Fraction(1, k),) * (k + 1))
    assert not found.proved
    refuted = [o for o in found.open_obligations if o.verdict is Verdict.REFUTED]
    assert {o.node for o in refuted} >= {"budget"}
    for obligation in refuted:
        if "epsilon" in obligation.witness.values:
            epsilon = obligation.witness.values["epsilon"]
            assert (k + 1) * Fraction(1, k) * epsilon > epsilon


@pytest.mark.parametrize("excess", ["1e-9", "1e-17", "1e-30"])
def test_the_smallest_excess_is_refuted(excess):
    """Exact algebra has no tolerance."""
    found = report(weights=(Fraction(1, 2), Fraction(1, 2) + Fraction(excess)))
    assert any(o.verdict is Verdict.REFUTED for o in found.open_obligations)
    assert report(weights=(Fraction(1, 2), Fraction(1, 2) - Fraction(excess))).proved


def test_a_thousand_releases_are_one_obligation_a_class():
    """Equal releases pose one obligation, which counts them."""
    found = report(count=1000)
    assert found.proved
    assert len(found.obligations) < 10
    assert max(obligation.count for obligation in found.obligations) >= 1000


@pytest.mark.parametrize("k", [0, -1, 1.0, "2", True, None, Fraction(2)])
def test_a_number_of_shares_is_a_whole_number(k):
    """split_evenly(k) needs a whole k of at least 1."""
    with pytest.raises(dp.InvalidArgument, match="k must be"):
        TARGET.budget.split_evenly(k)


@pytest.mark.parametrize(
    "split",
    [
        lambda b: b.split(epsilon=(1,)),
        lambda b: b.split(epsilon=(1,), delta=(1, 1)),
        lambda b: b.split(1, epsilon=(1,), delta=(1,)),
        lambda b: b.split(rho=(1,)),
        lambda b: b.split("half"),
        lambda b: b.split(float("nan")),
    ],
)
def test_a_split_that_is_none_is_refused(split):
    """Unequal lengths, another currency and weights that are no numbers are errors."""
    with pytest.raises(dp.InvalidArgument):
        split(TARGET.budget)


def test_each_call_is_its_own_draw_and_charge():
    """Two equal releases are two nodes; one object used twice is one."""

    class Twice(dp.Regression):
        """Two equal calls. [tests]"""

        def declare(self, X, y, budget):
            """Both halves, and one of them twice."""
            first, second = (
                dp.release(X.T @ y, dp.Gaussian.analytic, share) for share in budget.split_evenly(2)
            )
            return first, second, first

    graph = Twice().graph(setting(), TARGET.budget)
    assert len(graph.releases) == 2
    assert graph.releases[0] != graph.releases[1]


# --------------------------------------------- Stated noise against shares of rho and of mu squared


class Halves(dp.Regression):
    """X'y with stated noise, and X'X with calibrated noise, each for half of the budget."""

    noise: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """Two releases."""
        mine, other = budget.split_evenly(2)
        moment = dp.release(X.T @ y, self.noise, mine, name="moment")
        return moment, dp.release(X.T @ X, dp.Gaussian.analytic, other, name="gram")


def judged(regression, target, relation=dp.ADD_REMOVE, **more):
    """What becomes of the first release."""
    setting = samples.setting(relation, norm=1, bound=1, **more)
    return dp.audit(regression, target=target, setting=setting).lines[0]


def test_what_may_cost_less_is_not_refuted():
    """Laplace noise in rho: epsilon^2/2 is an upper bound only."""
    target = dp.ZeroConcentratedDP(1)
    assert judged(Halves(dp.Laplace(scale=dp.sqrt(3))), target).claim == "unproved"


def test_a_region_is_no_refuge():
    """Noise that is enough for some parameters only is refuted where it is not."""
    gamma = dp.parameter("gamma", "1/2", 2)
    line = judged(Halves(dp.Gaussian(std=gamma / dp.sqrt(dp.RHO))), dp.ZeroConcentratedDP(dp.RHO))
    assert line.claim == "refuted"
    found = re.search(r"gamma = (\d+)/(\d+)", str(line.witness))
    assert Fraction(int(found[1]), int(found[2])) < 1


class Often(dp.Regression):
    """Ten counts with discrete Laplace noise beside Gaussian noise."""

    def declare(self, X, y, budget):
        """Eleven releases."""
        counts = [dp.release(dp.count(X), dp.DiscreteLaplace(scale=10)) for _ in range(10)]
        return (*counts, dp.release(X.T @ X, dp.Gaussian(std=40)))


@pytest.mark.parametrize("rows", [1, 4])
def test_a_certificate_costs_what_its_mechanisms_cost(rows):
    """One loss a mechanism, its own: certify, its composition and compose give one number."""
    setting = samples.setting(norm=1, bound=1, rows_per_person=rows)
    losses = [(dp.DiscreteLaplace(scale=10).loss(rows), 10), dp.Gaussian(std=40).loss(rows)]
    least = dp.compose(*losses).epsilon("1e-6")
    below, above = least.upper - 1e-9, least.upper + 1e-9
    done = dp.certify(
        Often(), target=dp.ApproxDP(repr(above), "1e-6"), setting=setting, accountant="numeric"
    )
    assert composition_of(done).epsilon("1e-6").upper == pytest.approx(least.upper, abs=1e-9)
    report = dp.examine(
        Often(), target=dp.ApproxDP(repr(below), "1e-6"), setting=setting, accountant="numeric"
    )
    assert not report.proved


class Several(dp.Regression):
    """Stds of maxima, minima and fractional powers of public sizes."""

    std: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release, with the std that a function of n, epsilon and delta says."""
        size = self.std(X.rows, dp.analytic_sigma(budget.epsilon, budget.delta))
        return dp.release(X.T @ X, dp.Gaussian(std=size), budget, name="gram")


ENOUGH = {
    "max": lambda n, s: dp.maximum(n, 2) * s,
    "root of max": lambda n, s: dp.sqrt(dp.maximum(n, 2)) * s,
    "fractional power": lambda n, s: dp.maximum(n, 2) ** Fraction(11, 10) * s,
    "min": lambda n, s: (3 - dp.minimum(n, 1)) * s,
    "both": lambda n, s: dp.maximum(2, dp.minimum(n, 5)) * s,
}
TOO_LITTLE = {
    "max": lambda n, s: dp.maximum(n, "1.41") * s,
    "root of max": lambda n, s: dp.sqrt(dp.maximum(n, "1.99")) * s,
    "fractional power": lambda n, s: dp.maximum(n, "1.35") ** Fraction(11, 10) * s,
    "min": lambda n, s: (3 - dp.minimum(n, "1.59")) * s,
    "both": lambda n, s: dp.maximum("1.41", dp.minimum(n, 5)) * s,
}


@pytest.mark.parametrize("name", ENOUGH)
def test_extrema_of_public_sizes_are_proved(name):
    """X'X moves by sqrt 2 under replace-one, and each std is at least sqrt 2 sigmas."""
    setting = samples.setting(dp.REPLACE_ONE, norm=1, bound=1)
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    assert dp.examine(Several(ENOUGH[name]), target=target, setting=setting).proved
    assert not dp.examine(Several(TOO_LITTLE[name]), target=target, setting=setting).proved


@pytest.mark.parametrize(("least", "proved"), [(2, True), (1, False)])
def test_fractional_powers_of_a_size_are_a_delta(least, proved):
    """N^(-11/10) is below 1 for N >= 2, and 1 at N = 1; the checker agrees."""
    N = dp.parameter("N", least, closed="left", integer=True)
    target, setting = dp.ApproxDP(dp.EPSILON, N ** Fraction(-11, 10)), samples.setting()
    report = dp.examine(dp.literature.AdaSSPBudget(), target=target, setting=setting)
    assert report.proved is proved
    if proved:
        done = dp.certify(dp.literature.AdaSSPBudget(), target=target, setting=setting)
        assert checking.check(checking.file_of(done)).accepted
        with pytest.raises(dp.InvalidArgument):
            done.at(N=1)


class Overspent(dp.Regression):
    """Two thirds of the budget, twice: more than there is, though the noise costs less."""

    def declare(self, X, y, budget):
        """X'X and X'y."""
        two = budget.split("2/3", "2/3")
        pairs = zip((X.T @ X, X.T @ y), two, strict=True)
        return tuple(dp.release(of, dp.Gaussian.analytic, share) for of, share in pairs)


def test_shares_that_fail_are_not_proved():
    """A proof that leaves shares aside lists them as not used; auto names that accountant."""
    target, setting = dp.ApproxDP(1, "1e-6"), samples.setting(dp.ADD_REMOVE, norm=1, bound=1)
    certificate = dp.certify(Overspent(), target=target, setting=setting, accountant="gaussian")
    proved, rest = str(certificate).split("Not used by the proof: claims about shares")
    assert "budget" not in proved.partition("\nProved\n")[2]
    assert "budget: refuted: the shares sum to 4/3, more than 1" in rest
    assert all(str(one.verdict) == "proved" for one in certificate.obligations)
    with pytest.raises(dp.Uncertified) as refused:
        dp.certify(Overspent(), target=target, setting=setting)
    assert 'accountant="gaussian" leaves the shares aside' in str(refused.value)
    assert "give numbers" not in str(refused.value)


# --------- Many shares of one theorem are judged by the whole, or one by one where that is too much
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
GAMMA = dp.parameter("gamma", 0, 1)


class Twenty(dp.Regression):
    """Twenty releases with shares gamma^i/20 of the budget, i from 1 to 20. [here]"""

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        """Powers of gamma, all different."""
        del y
        shares = budget.split(*[GAMMA**i / 20 for i in range(1, 21)])
        return tuple(dp.release(X.T @ X, dp.Gaussian.kamath_ullman, share) for share in shares)


def test_the_region_keeps_every_share_inside_its_theorem() -> None:
    """Where the region holds, each share of epsilon is at most 4 log 2; the checker agrees."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    assert checking.check(proof.document).accepted
    with pytest.raises(dp.InvalidArgument, match="inside the proof's region"):
        proof.at(epsilon=100, delta="1e-6", gamma=1 - Fraction(1, 10**6))


@pytest.mark.parametrize("epsilon", [5, 50])
def test_a_whole_beyond_the_theorem_leaves_its_shares_inside(epsilon: int) -> None:
    """epsilon = 5 and 50 are beyond 4 log 2, a twentieth of them is not."""
    target = dp.ApproxDP(epsilon, "1e-6")
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    assert proof.derivation == "basic"
    assert not proof.region


def test_shares_beyond_the_theorem_are_not_certified_everywhere() -> None:
    """At epsilon = 100 a share of 5 is beyond 4 log 2: the region says so."""
    target = dp.ApproxDP(100, "1e-6")
    proof = dp.certify(Twenty(), target=target, setting=SETTING)
    with pytest.raises(dp.InvalidArgument):
        proof.at(gamma=1 - Fraction(1, 10**6))


def test_a_negative_share_of_numbers_is_refused_by_its_release():
    """Also where joint noise has no finite mu, and no pair of neighbours is known to attain it."""

    def declare(X, y, budget):
        shares = budget.split(2, -1)
        pairs = zip((X.T @ y, y.sum()), shares, strict=True)
        return tuple(dp.release(one, dp.Gaussian.analytic, share) for one, share in pairs)

    of = {"target": dp.ApproxDP(1, "1e-6"), "setting": setting(relation=dp.REPLACE_ONE)}
    with pytest.raises(dp.Uncertified, match="share is -1"):
        dp.certify(samples.declared(declare), **of)
