"""The dossier's numbers: those that are published, and those of oracles at 50 digits."""

from fractions import Fraction

import mpmath
import pytest

from dpframe.literature.boosted_published import grid_mu
from tests.dossier.published import ADD, DELTA, REPLACE, epsilon_of, limit_of, squares
from tests.support.oracles import DIGITS, delta_of, sigma_of


@pytest.mark.parametrize("key", squares(), ids="-".join)
def test_costs_enclose_the_oracle(cases, key):
    """lower <= the exact epsilon at 50 digits <= upper, both near it; and the verdict follows."""
    square = squares()[key]
    for account in cases[key].accounts:
        with mpmath.workdps(DIGITS):
            true = epsilon_of(mpmath.sqrt(square) * mpmath.mpf(float(account.claimed)))
        if account.claimed != Fraction(1, 10):  # 0.1 is no double
            assert account.lower <= true * (1 + 1e-12)
            assert account.upper >= true * (1 - 1e-12)
        assert account.upper == pytest.approx(float(true), rel=3e-6)
        assert account.lower == pytest.approx(float(true), rel=3e-6)
        assert account.verdict == ("proved" if true <= account.claimed.__float__() else "refuted")


@pytest.mark.parametrize("key", squares(), ids="-".join)
def test_limits_enclose_the_oracle(cases, key):
    """`epsilon` is proved and `refuted` is too much; between them nothing but rounding."""
    found = cases[key].limit
    true = limit_of(squares()[key])
    assert found.epsilon <= true * (1 + mpmath.mpf(10) ** -14)
    assert found.refuted >= true * (1 - mpmath.mpf(10) ** -14)
    assert found.refuted == pytest.approx(found.epsilon, rel=3e-6)


def test_budget_is_private_for_every_gamma_up_to_9_733(cases):
    """sup over gamma in (0, 1) is that of gamma -> 1: each part of mu^2 is convex in gamma, so that
    an end is worst, and 1/(2 log(2/delta)) is the larger one.
    """
    found = cases["AdaSSPBudget", ADD].limit
    with mpmath.workdps(DIGITS):
        ends = 1 / (2 * mpmath.log(2 / DELTA)), 1 / (4 * mpmath.log(4 / DELTA))
        low, high = (mpmath.mpf(one.numerator) / one.denominator for one in found.square)
        assert low <= max(ends) <= high
        assert high / low - 1 < 1e-10
        for gamma in (mpmath.mpf(k) / 200 for k in range(1, 200)):
            assert budget_square(gamma) < high
    assert found.parameter == "gamma"
    assert found.worst.boxes < 1000
    assert found.epsilon <= limit_of(max(ends)) <= found.refuted


def budget_square(gamma):
    """mu^2/epsilon^2 of adaSSPbudget."""
    log = mpmath.log
    first = gamma**2 / (2 * log(2 / (gamma * DELTA)))
    return first + (1 - gamma) ** 2 / (4 * log(4 / ((1 - gamma) * DELTA)))


def test_budget_fails_beyond(cases):
    """At 10 with a gamma near 1, which is named with its cost: 10.041 at 0.999."""
    found = cases["AdaSSPBudget", ADD]
    assert [one.verdict for one in found.accounts] == ["proved"] * 3 + ["refuted"]
    assert "fails for gamma = 0.999, which costs 10.042" in found.limit_text
    with mpmath.workdps(DIGITS):
        true = epsilon_of(10 * mpmath.sqrt(budget_square(mpmath.mpf("0.999"))))
    assert 10.041 < true < 10.042


@pytest.mark.parametrize("relation", [ADD, REPLACE])
def test_boosted_with_mu_for_a_std(cases, relation):
    """(100 + 2) sigma^2 is approached under add/remove; 4 100 sigma^2 under replace-one. Nothing
    bounds the code, which releases another eigenvalue.
    """
    for account in cases["BoostedAdaSSPCoded", relation].accounts:
        with mpmath.workdps(DIGITS):
            sigma = sigma_of(mpmath.mpf(float(account.claimed)), DELTA)
            low = epsilon_of(mpmath.sqrt(102 if relation == ADD else 400) * sigma)
        assert account.lower == pytest.approx(float(low), rel=1e-9)
        assert str(account).startswith(">= ")
        assert account.upper == float("inf")
        assert account.verdict == "refuted"


@pytest.mark.parametrize("delta", ["1e-6", "1e-5"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "10"])
def test_kendall_takes_the_first_point_that_violates(epsilon, delta):
    """Its mu violates; the point before it, where there is one, does not."""
    e, d = Fraction(epsilon), Fraction(delta)
    mu = float(grid_mu(e, d))
    assert delta_of(e, mu) > d
    with mpmath.workdps(20):
        start = mpmath.mpf(epsilon) ** 2 / (2 * mpmath.log(mpmath.mpf("1.25") / mpmath.mpf(delta)))
        doublings = mpmath.ceil(mpmath.log(mu / start, 2))
        top = start * 2 ** max(doublings, 0)
        step = top / 2 / 999
        place = (mu - top / 2) / step
    assert abs(place - round(float(place))) < 1e-3
    before = mu - float(step)
    if round(float(place)) > 0:
        assert delta_of(e, before) <= d * Fraction(1000001, 1000000)


def test_statsmodels_as_a_whole_keeps_its_budget(cases):
    """40/40/20 of epsilon and a third of delta each: up to 24.65 with n public, as the museum says;
    its sum of squares of mu by hand.
    """
    found = cases["SSPStatsmodels", REPLACE].limit
    with mpmath.workdps(DIGITS):
        tail = 2 * mpmath.log(mpmath.mpf("1.25") * 3 / DELTA)
        parts = [mpmath.mpf(share) ** 2 / tail for share in ("0.4", "0.4", "0.2")]
        low, high = (mpmath.mpf(one.numerator) / one.denominator for one in found.square)
        assert high > 2 * parts[0] + parts[2]  # what joining costs
        true = limit_of((low + high) / 2)
    assert found.epsilon == pytest.approx(float(true), rel=1e-9)
    assert found.epsilon == pytest.approx(24.65, abs=6e-3)


def test_the_functional_mechanism_costs_half(cases):
    """Its printed sensitivity is twice the exact one, under both relations."""
    for relation in (ADD, REPLACE):
        for one in cases["FunctionalLinearPrinted", relation].accounts:
            assert one.exact
            assert one.upper == pytest.approx(float(one.claimed) / 2, rel=1e-12)


def test_pdp_op_is_refused_under_add_remove_and_loose_otherwise(cases):
    """Under replace-one it needs at most 3/4 of its claim at B = Y = penalty = 1; under add/remove
    no epsilon holds, and what it is with a delta nobody says.
    """
    assert {one.verdict for one in cases["PersonalizedRidgePrinted", ADD].accounts} == {"open"}
    for one in cases["PersonalizedRidgePrinted", REPLACE].accounts:
        assert one.verdict == "proved"
        assert one.upper <= 0.76 * float(one.claimed)


def test_gradient_descent_loses_a_quarter(cases):
    """mu = sqrt(2 rho) by the printed rho, 0.187 at 1 where 0.2367 may be spent."""
    account = cases["NoisyGradientDescentPrinted", REPLACE].accounts[1]
    with mpmath.workdps(DIGITS):
        tail = mpmath.log(1 / DELTA)
        root = mpmath.sqrt(1 + tail) - mpmath.sqrt(tail)
        true = epsilon_of(mpmath.sqrt(2) * root)
    assert account.upper == pytest.approx(float(true), rel=1e-9)
    assert account.verdict == "proved"
