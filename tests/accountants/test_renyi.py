"""Renyi composition against mpmath: every order's bound by quadrature-free formulas, all orders
tried; and never below the exact answer.
"""

from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.accountants import parts_of
from tests.support.oracles import delta_of, mpf

MILLIONTH = Fraction(1, 10**6)
RDP = dp.accountants.RenyiAccountant()


def best_epsilon(cumulant, delta):
    """min over z of (K(z) + z log z - (1 + z) log(1 + z) - log delta)/z at 40 digits, a fine grid.

    [CanonneKS20, Prop 12] with alpha = z + 1.
    """
    with mpmath.workdps(40):
        d = mpmath.log(mpf(delta))

        def at(t):
            z = mpmath.exp(t)
            slack = z * mpmath.log(z) - (1 + z) * mpmath.log(1 + z)
            return (cumulant(z) + slack - d) / z

        low, high = mpmath.mpf(-20), mpmath.mpf(27)
        for _ in range(7):
            points = [low + (high - low) * i / 40 for i in range(41)]
            best = min(points, key=at)
            low, high = best - (high - low) / 25, best + (high - low) / 25
        return at(best)


def response(epsilon, z):
    """log E e^(zL) of randomised response, by its two outcomes."""
    e = mpf(epsilon)
    p = 1 / (1 + mpmath.exp(-e))
    return mpmath.log(p * mpmath.exp(z * e) + (1 - p) * mpmath.exp(-z * e))


def laplace(epsilon, z):
    """log E e^(zL) of Laplace noise, from its Renyi divergence. [Mironov17, Prop 6]"""
    e, a = mpf(epsilon), z + 1
    return mpmath.log(a * mpmath.exp((a - 1) * e) + (a - 1) * mpmath.exp(-a * e)) - mpmath.log(
        2 * a - 1
    )


CASES = {
    "gaussian": ([dp.GaussianDP(1)], lambda z: z * (z + 1) / 2),
    "tiny gaussian": (
        [dp.pld.GaussianLoss(Fraction(1, 10**5))],
        lambda z: z * (z + 1) / 2 / 10**10,
    ),
    "zcdp": ([(dp.ZeroConcentratedDP("1/100"), 7)], lambda z: 7 * z * (z + 1) / 100),
    "pure": ([(dp.PureDP("1/10"), 100)], lambda z: 100 * response(Fraction(1, 10), z)),
    "laplace": ([(dp.pld.LaplaceLoss(2), 9)], lambda z: 9 * laplace(2, z)),
    "mixed": (
        [
            dp.pld.LaplaceLoss(1),
            (dp.GaussianDP("1/2"), 4),
            dp.ZeroConcentratedDP("1/8"),
            dp.PureDP(1),
        ],
        lambda z: laplace(1, z) + z * (z + 1) * (mpf(Fraction(5, 8))) + response(1, z),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("delta", [Fraction(1, 10), MILLIONTH, Fraction(1, 10**30)])
def test_the_best_order_is_found(case, delta):
    """Within 1e-4 of the best of all orders, and not below it (the oracle's is best to 1e-9)."""
    parts, cumulant = CASES[case]
    found = RDP.epsilon(parts_of(*parts), delta)
    best = best_epsilon(cumulant, delta)
    assert found.lower == 0
    assert mpf(found.upper) >= best * (1 - mpf(1e-9))
    assert found.upper <= float(max(best, 0)) * (1 + 1e-4) + 1e-12


@pytest.mark.parametrize("case", CASES)
def test_delta_inverts_epsilon(case):
    """delta(epsilon(delta)) is delta, a hair above at most: one inequality, solved both ways."""
    parts = parts_of(*CASES[case][0])
    for delta in (Fraction(1, 100), MILLIONTH):
        epsilon = RDP.epsilon(parts, delta).upper
        again = RDP.delta(parts, epsilon).upper
        assert again <= float(delta) * (1 + 1e-9)
        if epsilon:
            assert again >= float(delta) * 0.9


@pytest.mark.parametrize("mu", ["1e-5", "1e-3", "1/10", 1, 5, 50])
@pytest.mark.parametrize("delta", [MILLIONTH, Fraction(1, 10**15)])
def test_above_the_exact_gaussian_profile_and_not_far(mu, delta):
    """Sound by the exact profile at 50 digits, with no floor: sigma = 1e5 costs about 1e-5."""
    found = RDP.epsilon(parts_of(dp.GaussianDP(mu)), delta).upper
    assert delta_of(found, Fraction(mu)) <= mpf(delta)
    assert delta_of(found / 1.5, Fraction(mu)) > mpf(delta)


def test_confession_is_paid_from_delta(brute):
    """Infinite losses: delta - D is left for the rest; sound by every outcome."""
    responses = [(Fraction(1), Fraction(1, 1000)), (Fraction(1, 2), Fraction(1, 500))]
    parts = parts_of(*[dp.ApproxDP(e, d) for e, d in responses])
    curve = brute(responses * 1)
    for delta in (Fraction(1, 250), Fraction(1, 10)):
        found = RDP.epsilon(parts, delta).upper
        assert curve(Fraction(found)) <= mpf(delta)
    for epsilon in (Fraction(0), Fraction(1), Fraction(3, 2), Fraction(5)):
        assert mpf(RDP.delta(parts, epsilon).upper) >= curve(epsilon)
    assert RDP.epsilon(parts, Fraction(1, 1000)).upper == float("inf")


def test_pure_parts_never_cost_less_than_the_optimum():
    """Above optimal composition, by another accountant's proved lower end."""
    for size, count in (("1/10", 100), (1, 100), (3, 20), ("1/1000", 10**6)):
        parts = parts_of((dp.PureDP(size), count))
        for delta in (Fraction(1, 100), MILLIONTH, Fraction(1, 10**20)):
            least = dp.accountants.OptimalAccountant().epsilon(parts, delta).lower
            assert RDP.epsilon(parts, delta).upper >= least


def test_symbols_are_refused():
    """Orders are searched in numbers."""
    with pytest.raises(dp.InvalidArgument, match="numbers"):
        RDP.epsilon(parts_of(dp.PureDP(dp.parameter("e"))), MILLIONTH)
