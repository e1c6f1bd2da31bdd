"""Pure noise on Poisson samples costs log(1 + q (e^epsilon - 1)) a draw: in shares, in sums, in
mixtures; and no less where a sample is shared or hides less. (docs/proofs/subsampling, S4)
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import mpmath
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument, Uncertified
from dpframe.mechanisms import selections
from tests.support import checking

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
CUTS = ["-1/2", "0", "1/2"]
NOISES = {
    "laplace": (dp.Laplace, lambda X, y: X.T @ X),
    "discrete laplace": (dp.DiscreteLaplace, lambda X, y: dp.graph.bin_counts(y, CUTS)),
    "l2 laplace": (dp.L2Laplace, lambda X, y: X.sum()),
    **{
        name: (getattr(selections, name), lambda X, y: dp.graph.bin_counts(y, CUTS))
        for name in ("ExponentialSelection", "PermuteAndFlipSelection", "LaplaceSelection")
    },
}


class Sampled(dp.Regression):
    """Draws of one kind of noise, perhaps beside a Gaussian release of all rows."""

    kind: str = "laplace"
    scale: str = "1/2"
    rate: str = "0.1"
    times: int = 1
    shared: bool = True
    std: str = ""

    def declare(self, X, y, budget):
        """The share is the whole budget."""
        noise, ask = NOISES[self.kind]
        share = budget.split_evenly(1)[0] if self.shared else None
        asked = ask(X, y) if self.kind != "laplace" else y.sum()
        done = dp.release(
            asked, noise(self.scale), share, times=self.times, sampled=self.rate, name="s"
        )
        if not self.std:
            return done
        return dp.post(both, done, dp.release(X.T @ X, dp.Gaussian(std=self.std), name="g"))


def both(first, second):
    """Both."""
    return first, second


def cost(rate, whole):
    """By mpmath, 50 digits."""
    with mpmath.workdps(50):
        q = mpmath.mpf(Fraction(rate).numerator) / Fraction(rate).denominator
        return mpmath.log(1 + q * (mpmath.exp(whole) - 1))


def near(value, by):
    """A decimal of 25 digits near a number."""
    with mpmath.workdps(50):
        return mpmath.nstr(value * (1 + mpmath.mpf(by)), 25)


def proved(target, setting=SETTING, **fields):
    """Whether it is certified; then the kernel accepts the file, total and all."""
    try:
        run = dp.certify(Sampled(**fields), target=target, setting=setting)
    except Uncertified:
        return False
    verdict = checking.check(checking.file_of(run))
    assert verdict.accepted, verdict.reason
    return True


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("rate", ["0.1", "0.97"])
@pytest.mark.parametrize("kind", NOISES)
def test_each_pure_noise_costs_what_is_left_of_it(kind, rate, shared):
    """In a share and as a total; all of these move by 1 in their norm, and the scale is 1/2."""
    found = cost(rate, 2)
    assert proved(dp.PureDP(near(found, "1e-15")), kind=kind, rate=rate, shared=shared)
    assert not proved(dp.PureDP(near(found, "-1e-15")), kind=kind, rate=rate, shared=shared)


def test_costs_of_draws_add_in_every_currency():
    """Epsilons and rhos; beside a Gaussian the profile of responses, the worst of their epsilon."""
    one = cost("0.1", 2)
    assert proved(dp.PureDP(near(5 * one, "1e-15")), times=5, shared=False)
    assert not proved(dp.PureDP(near(5 * one, "-1e-15")), times=5, shared=False)
    assert proved(dp.ZeroConcentratedDP(near(5 * one**2 / 2, "1e-12")), times=5, shared=False)
    assert not proved(dp.ZeroConcentratedDP(near(5 * one**2 / 2, "-1e-12")), times=5, shared=False)
    responses = dp.pld.ResponseLoss(Fraction(float(one))), 5
    whole = dp.compose(responses, dp.pld.GaussianLoss(Fraction(1, 2))).epsilon("1e-6").upper
    rest = {"times": 5, "shared": False, "std": "2"}
    assert proved(dp.ApproxDP(f"{whole * 1.00001:.9f}", "1e-6"), **rest)
    assert not proved(dp.ApproxDP(f"{whole * 0.99999:.9f}", "1e-6"), **rest)


def test_laplace_noise_on_samples_is_refuted_below_its_cost():
    """As a share and as a total; of a statistic that moves by its bound."""
    for by, verdict in (("1e-12", "proved"), ("-1e-12", "refuted")):
        target = dp.PureDP(near(cost("0.1", 2), by))
        found = [dp.audit(Sampled(shared=s), target=target, setting=SETTING) for s in (True, False)]
        assert [str(one.verdict) for one in found] == [verdict, verdict]
        assert found[0].lines[0].claim == verdict


@pytest.mark.parametrize("epsilon", ["0.2", "0.4", "0.49"])
def test_shares_with_a_delta_are_refuted_by_the_event_beyond_the_move(epsilon):
    """Of no row and of one: (1 - q) Q + q P - e^epsilon Q for Q = e^-2/2, P = 1/2."""
    far, near_it = math.exp(-2) / 2, 0.5
    true = 0.9 * far + 0.1 * near_it - math.exp(float(epsilon)) * far

    class Shared(dp.Regression):
        """One draw."""

        def declare(self, X, y, budget):
            share = budget.split_evenly(1)[0]
            return dp.release(y.sum(), dp.Laplace("1/2"), share, sampled="0.1", name="s")

    for by, refuted in ((0.999, True), (1.001, False)):
        target = dp.ApproxDP(epsilon, f"{true * by:.12f}")
        (line,) = dp.audit(Shared(), target=target, setting=SETTING).lines
        assert (line.claim == "refuted") == refuted


class Growing(dp.Regression):
    """Laplace noise on samples of a sum of rows: on all rows epsilon is 1 + 1/d."""

    def declare(self, X, y, budget):
        """It has no share."""
        del y, budget
        scale = dp.sqrt(X.columns) / (1 + 1 / X.columns)
        return dp.release(X.sum(), dp.Laplace(scale), sampled="0.1", name="s")


def test_a_cost_in_symbols_which_samples_lower_refutes_nothing():
    """At most log(1 + (e^2 - 1)/10) < 0.5 for every number of columns."""
    found = dp.audit(Growing(), target=dp.PureDP("0.9"), setting=SETTING)
    assert str(found.verdict) == "unproved"


@pytest.mark.parametrize(
    "changed",
    [
        {"relation": dp.REPLACE_ONE},
        {"rows_per_person": 2},
        {"relation": dp.REPLACE_ONE, "rows_per_person": 2},
    ],
    ids=str,
)
def test_other_units_are_charged_in_full(changed):
    """Replaced records, and several rows a person; and the page says so."""
    setting = attrs.evolve(SETTING, **changed)
    moved = 4 if len(changed) == 2 else 2
    assert not proved(dp.PureDP("0.5"), setting)
    assert not proved(dp.PureDP(near(cost("0.1", 2 * moved), "1e-9")), setting)
    assert not proved(dp.PureDP(Fraction(2 * moved) - Fraction(1, 10**9)), setting, shared=False)
    assert proved(dp.PureDP(2 * moved), setting)
    page = str(dp.audit(Sampled(), target=dp.PureDP("0.5"), setting=setting))
    assert "Samples of s are not counted" in page


@pytest.mark.parametrize("rate", ["0", "-0.1", "1.5", "2"])
def test_a_rate_is_a_probability(rate):
    """Refused where it is written, and by the kernel."""
    with pytest.raises(InvalidArgument):
        dp.certify(Sampled(rate=rate), target=dp.PureDP(9), setting=SETTING)
    run = dp.certify(Sampled(), target=dp.PureDP("0.5"), setting=SETTING)
    bent = checking.bent(checking.file_of(run), "release", sampled=rate)
    assert not checking.check(bent).accepted


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("changes", [{"sampled": "1/9"}, {"size": "9/20"}, {"sampled": None}])
def test_the_kernel_refuses_a_file_that_samples_or_adds_less(changes, shared):
    """A higher rate, a smaller scale, no sample; a lower rate it accepts."""
    run = dp.certify(Sampled(shared=shared), target=dp.PureDP("0.495"), setting=SETTING)
    document = checking.file_of(run)
    assert checking.check(document).accepted
    assert not checking.check(checking.bent(document, "release", **changes)).accepted
    document["statement"]["relation"] = "replace_one"
    assert not checking.check(checking.sealed(document)).accepted


def test_of_all_rows_nothing_is_amplified():
    """A rate of 1 is no sample: exactly the whole epsilon."""
    assert proved(dp.PureDP(2), rate="1")
    assert not proved(dp.PureDP("1.999999999999"), rate="1")


def test_joint_calibration_spends_the_budget_on_samples():
    """No more than it, and not 1e-9 less."""
    made = dp.regressions.Jointly(of=Sampled(shared=False, times=3))
    (release,) = made.graph(SETTING, dp.PureDP(1).budget).releases
    scale = release.mechanism.scale.value
    assert 1 - 1e-9 < 3 * cost("0.1", mpmath.mpf(scale.denominator) / scale.numerator) <= 1
    assert dp.certify(made, target=dp.PureDP(1), setting=SETTING)


# ------------------------------------------------------------------ brute force, without dpframe
