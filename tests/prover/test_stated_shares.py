"""Stated noise against shares of rho and of mu squared: enough is proved, too little is refuted."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.accountants import composition_of
from tests.support import checking as check
from tests.support import samples

"""Targets, and the std with which a sensitivity of 1 costs exactly half of each."""


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
        assert check.check(json.loads(json.dumps(done.document))).accepted
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
