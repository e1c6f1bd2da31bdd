"""zCDP and Renyi totals as (epsilon, delta), in symbols: what is proved holds, and no less is."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import pytest

import dpframe as dp
from dpframe.symbols import Expression, exact
from tests.support.oracles import value

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
rho, delta, e = dp.parameter("rho", 0), dp.DELTA, dp.EPSILON
L = dp.log(1 / delta)
N = dp.parameter("N", 2, closed="left", integer=True)
gamma = dp.parameter("gamma", 0, 1)
alpha = dp.parameter("alpha", 1)
tiny = dp.parameter("tiny", 0, "1e-3", closed="right")
little = dp.parameter("little", 0, 1, closed="right")
r = dp.sqrt
BIT = Fraction(999_999, 1_000_000)


class One(dp.Regression):
    """X'X with stated noise of rho-zCDP."""

    rho: Expression = attrs.field(default=rho)
    times: Expression = attrs.field(default=1)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(X.T @ X, dp.Gaussian(std=1 / r(2 * self.rho)), times=self.times)


class Mixed(dp.Regression):
    """Gaussian and Laplace noise, gamma rho and (1 - gamma) rho."""

    def declare(self, X, y, budget):
        """Two releases."""
        gram = dp.release(X.T @ X, dp.Gaussian(std=1 / r(2 * gamma * rho)))
        return gram, dp.release(dp.count(X), dp.Laplace(scale=1 / r(2 * (1 - gamma) * rho)))


def converted(cost, log=L):
    """rho + 2 sqrt(rho log(1/delta))."""
    return cost + 2 * r(cost * log)


def proved(regression, target, accountant="zcdp"):
    """Whether the total is proved."""
    return dp.examine(regression, target=target, setting=SETTING, accountant=accountant).proved


T = dp.parameter("T", 1, closed="left", integer=True)
TRUE = {
    "the formula itself": (One(), converted(rho), delta),
    "another symbol above": (One(), converted(rho) * (1 + gamma), delta),
    "drawn T times": (One(times=T), converted(T * rho), delta),
    "a part of it": (One(rho=gamma * rho), converted(rho), delta),
    "Laplace beside it": (Mixed(), converted(rho), delta),
    "a number": (One(rho=exact("1/100")), converted(exact("1/100")), delta),
    "symbols in the place of delta": (One(), converted(rho, dp.log(N**2)), N**-2),
    "a fractional power of N": (
        One(),
        converted(rho, dp.log(N ** Fraction(11, 10))),
        N ** Fraction(-11, 10),
    ),
    "as the discrete Gaussian": (One(rho=(r(L + e) - r(L)) ** 2), e, delta),
    "the same, without cancelling": (One(rho=(e / (r(L + e) + r(L))) ** 2), e, delta),
    "epsilon squared over 4 (L + epsilon)": (One(rho=e**2 / (4 * (L + e))), e, delta),
    "epsilon squared over 5 L": (One(rho=little**2 / (5 * dp.log(1 / tiny))), little, tiny),
    "an order": (One(), alpha * rho + L / (alpha - 1), delta),
    "the order 10": (One(), 10 * rho + L / 9, delta),
    "draws at an order": (One(times=T), T * alpha * rho + L / (alpha - 1), delta),
}
FALSE = {
    "a little less": (One(), BIT * converted(rho), delta),
    "a little less in the root": (One(), rho + 2 * BIT * r(rho * L), delta),
    "another delta": (One(), converted(rho), delta / 2),
    "one draw more": (One(times=T), converted((T - Fraction(1, 2)) * rho), delta),
    "a little more noise than there is": (One(rho=BIT**-1 * (r(L + e) - r(L)) ** 2), e, delta),
    "over 4 L": (One(rho=e**2 / (4 * L)), e, delta),
    "over 4 L + 3 epsilon": (One(rho=e**2 / (Fraction(39, 10) * (L + e))), e, delta),
    "5 L, larger delta": (One(rho=e**2 / (5 * L)), e, delta),
    "less than an order": (One(), alpha * rho + BIT * L / (alpha - 1), delta),
    "another order": (One(), 10 * rho + L / Fraction(901, 100), delta),
    "any epsilon": (One(), e, delta),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_zcdp_implies_is_proved(name):
    """For all values of all parameters, by exact algebra in sqrt(rho) and sqrt(log(1/delta))."""
    regression, epsilon, at = TRUE[name]
    assert proved(regression, dp.ApproxDP(epsilon, at))


@pytest.mark.parametrize("name", FALSE)
def test_what_it_does_not_imply_is_not(name):
    """Each claim is less than the conversion gives somewhere."""
    regression, epsilon, at = FALSE[name]
    assert not proved(regression, dp.ApproxDP(epsilon, at))


POINTS = [
    {"rho": p, "delta": q, "gamma": 0.3, "N": 7, "alpha": a, "T": 5, "epsilon": p, "tiny": q / 900}
    for p, q, a in [(1e-4, 0.5, 1.1), (0.3, 1e-9, 10), (5, 1e-30, 3), (700, 0.9, 1.001)]
]


@pytest.mark.parametrize("name", TRUE)
def test_what_is_proved_is_the_cost_by_mpmath(name):
    """The least of a rho + log(1/delta)/(a - 1) over orders a > 1 is at most epsilon."""
    regression, epsilon, at = TRUE[name]
    spent = rho if name == "Laplace beside it" else regression.rho * regression.times
    for point in POINTS:
        given = {**point, "little": min(0.99, point["rho"])}
        with mpmath.workdps(60):
            cost, tail = value(spent, given), -mpmath.log(value(at, given))
            order = 1 + mpmath.sqrt(tail / cost)
            least = order * cost + tail / (order - 1)
            assert least <= value(epsilon, given) * (1 + mpmath.mpf(10) ** -25)


def test_auto_finds_it():
    """Where the exact profile is out of reach, zCDP proves the total."""
    done = dp.certify(One(), target=dp.ApproxDP(converted(rho), delta), setting=SETTING)
    assert done.derivation == "zcdp"


@pytest.mark.parametrize("factor", [1, Fraction(101, 100)])
def test_renyi_at_numbers_is_tighter_than_the_conversion(factor):
    """At rho 1/10 and delta 1e-6, 2.32 by [BunS16, Prop 1.3]; at the best order, 2.09."""
    point, at = One(rho=exact("1/10")), "1e-6"
    best = (
        dp.accountants.RenyiAccountant()
        .epsilon(dp.compose(dp.GaussianDP(r("1/5"))).parts, at)
        .upper
    )
    assert best < 2.2
    claim = dp.ApproxDP(Fraction(best).limit_denominator(10**9) * factor - Fraction(1, 10**3), at)
    assert proved(point, claim, "rdp") is (factor > 1)
    assert not proved(point, claim, "zcdp")
