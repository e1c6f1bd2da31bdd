"""What fits: sums by Fractions, implications by mpmath, and why rules are not mixed."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.budgets.ledger.accounts import chord
from dpframe.privacy import Unit
from tests.ledger.curves import MILLIONTH, bisect, bisect_mu, mpf


def test_ten_tenths_are_one(ledger, spend, cost):
    """0.1 is the exact tenth, so ten fit 1 and the eleventh part of 1e-30 does not."""
    for _ in range(10):
        spend(ledger, "survey", dp.PureDP(0.1))
    account = ledger.account("survey")
    assert (account.runs, account.unfinished) == (10, 0)
    assert [part.value for part in account.spent.amounts] == [1]
    before = ledger.head
    with (
        pytest.raises(dp.BudgetExceeded, match="epsilon 0 of 1 is left"),
        ledger.charging("survey", cost(dp.PureDP("1e-30"))),
    ):
        pytest.fail("the body ran")
    assert ledger.head == before


@pytest.mark.parametrize(
    ("budget", "part"),
    [
        (dp.ApproxDP(1, "1e-6"), dp.ApproxDP("0.1", "1e-7")),
        (dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP("0.1")),
        (dp.GaussianDP(1), dp.GaussianDP(dp.sqrt(Fraction(1, 10)))),
        (dp.PureDP("1e-300"), dp.PureDP("1e-301")),
    ],
)
def test_ten_tenths_of_every_kind(ledger, spend, cost, budget, part):
    """rho, mu^2, epsilon and delta add exactly; the eleventh is refused."""
    ledger.create("other", budget, relation=dp.ADD_REMOVE)
    for _ in range(10):
        spend(ledger, "other", part)
    assert not any(left.value for left in ledger.account("other").remaining.amounts)
    assert not ledger.fits("other", cost(part))


def test_the_whole_budget_in_one_run(ledger, cost):
    """Whatever else the run states: its own budget fits, by sums if the ceilings round below it."""
    mu = Fraction(int(bisect_mu() * 2**100), 2**100)
    run = cost(dp.ApproxDP(1, MILLIONTH), dp.GaussianDP(mu))
    for by, fits in ((None, True), (dp.GaussianDP, False)):
        ledger.create(str(by), dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=by)
        assert ledger.fits(str(by), run) is fits


@pytest.mark.slow
def test_the_ceilings_inside_a_budget_are_sharp(ledger):
    """mu* by bisection of the profile; rho* by bisection of [CanonneKS20, Prop 12] minimised over
    the order on a fine grid: never above, and within 1e-9 below.
    """

    def log_delta(rho):
        orders = [mpmath.exp(mpmath.mpf(k) / 50) for k in range(-100, 400)]
        return min(
            a * (rho * (a + 1) - 1) + a * mpmath.log(a / (1 + a)) - mpmath.log(1 + a)
            for a in orders
        )

    mu = bisect_mu()
    with mpmath.workdps(20):
        rho = bisect(lambda rho: log_delta(rho) <= mpmath.log(mpf(MILLIONTH)), 1e-4, 1.0)
    for kind, truth, slack in ((dp.GaussianDP, mu**2, 1e-12), (dp.ZeroConcentratedDP, rho, 1e-4)):
        account = ledger.create(
            kind.kind, dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=kind
        )
        (ceiling,) = (part.value for part in account.remaining.amounts)
        if kind is dp.GaussianDP:
            assert mpf(ceiling) <= truth
        assert abs(mpf(ceiling) / truth - 1) < slack


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "3", "40", "999"])
def test_the_chord_implies_and_is_sharp(epsilon):
    """Phi(-mu/2) <= 1/(1 + e^epsilon) at 500 digits, and not for a mu smaller by one in 10^13."""
    exact = Fraction(epsilon)
    mu = chord(exact)
    with mpmath.workdps(500):
        bound = 1 / (1 + mpmath.exp(mpf(exact)))
        assert mpmath.erfc(mpf(mu) / mpmath.sqrt(8)) / 2 <= bound
        assert mpmath.erfc(mpf(mu) * (1 - mpmath.mpf("1e-13")) / mpmath.sqrt(8)) / 2 > bound


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_chord_bounds_the_curve_everywhere(epsilon):
    """The trade-off curve of mu-Gaussian DP lies below that of epsilon-DP on a grid of errors; with
    mu a hundredth smaller it does not (the control).
    """
    e, grid = mpf(Fraction(epsilon)), [mpmath.mpf(k) / 400 for k in range(1, 400)]

    def inside(mu):
        gaussian = [mpmath.ncdf(-_quantile(a) - mu) for a in grid]
        pure = [max(0, 1 - mpmath.exp(e) * a, mpmath.exp(-e) * (1 - a)) for a in grid]
        return all(g <= p for g, p in zip(gaussian, pure, strict=True))

    def _quantile(a):
        return mpmath.sqrt(2) * mpmath.erfinv(2 * a - 1)

    with mpmath.workdps(20):
        assert inside(mpf(chord(Fraction(epsilon))))
        assert not inside(mpf(chord(Fraction(epsilon))) * mpmath.mpf("0.9"))


def test_an_exception_in_the_body_stays_charged(ledger, cost):
    """It counts, and is shown as not finished."""

    def fail():
        with ledger.charging("survey", cost(dp.PureDP("0.7"))) as charge:
            assert ledger.charges("survey")[-1] == charge  # committed before the body
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    (found,) = ledger.charges("survey")
    assert found.status == "charged, not finished"
    assert ledger.account("survey").unfinished == 1
    assert "1 of them not finished" in str(ledger.account("survey"))
    assert not ledger.fits("survey", cost(dp.PureDP("0.4")))


def test_the_first_run_settles_the_unit_where_nothing_was_said(tmp_path):
    """Then another unit is refused, also after the file was opened again, and in the export."""
    path = tmp_path / "budget.sqlite"
    ledger = dp.Ledger(path)
    ledger.create("survey", dp.PureDP(1))
    assert ledger.account("survey").unit is None
    units = [Unit(dp.REPLACE_ONE, 2), Unit(dp.ADD_REMOVE, 1)]
    first, second = (Cost(dp.PureDP("0.1"), unit, "a" * 64) for unit in units)
    with ledger.charging("survey", first):
        pass
    again = dp.Ledger(path)
    assert again.account("survey").unit == units[0]
    assert '"relation": "replace_one"' in again.export()
    with pytest.raises(dp.InvalidArgument, match="unit"):
        again.admits("survey", second)
    again.verify()


def test_rows_of_a_person_need_a_relation(tmp_path):
    """Half a unit is none."""
    with pytest.raises(dp.InvalidArgument, match="relation must be"):
        dp.Ledger(tmp_path / "budget.sqlite").create("survey", dp.PureDP(1), rows_per_person=2)
