"""What records pay of their budgets, against mpmath; and the picture's data."""

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.record_costs import CLAIM
from dpframe.literature.personalized_published import PersonalizedRidgePrinted, UniformRidge
from dpframe.regressions.personalized import PersonalizedRidge, SampledRidge
from tests.support.oracles import delta_of, sigma_of

REPLACED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
JOINING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
OWN = np.repeat([0.1, 0.5, 1.0, 2.0], [10, 20, 30, 40])
GROUPS = {"open": 1, "careful": 0.1}
PARTS = {"open": "0.75", "careful": "0.25"}


class Moment(dp.Regression):
    """One Gaussian release of X'y."""

    def declare(self, X, y, budget):
        """Noise that the theorem prescribes."""
        return dp.release(X.T @ y, dp.Gaussian.analytic, budget, name="moment")


class Capped(dp.Regression):
    """X'WX and X'Wy with weights that stop growing at epsilon = 1/2."""

    def declare(self, X, y, budget):
        """Two releases, calibrated together."""
        weight = dp.minimum(budget.epsilon, "1/2") / X.largest(budget.epsilon)
        rows, labels = X.weighted(weight), y.weighted(weight)
        noises = dp.jointly(budget, [rows.T @ rows, rows.T @ labels])
        gram = dp.release(rows.T @ rows, noises[0], name="gram")
        return gram, dp.release(rows.T @ labels, noises[1], name="moment")


def proved(regression, epsilon=None, delta=None, setting=REPLACED, **more):
    """A certificate for budgets of each record."""
    spent = dp.each("epsilon") if epsilon is None and not more.keys() & {"rho", "mu"} else epsilon
    target = dp.PersonalizedDP(spent, delta, **more)
    return dp.certify(regression, target=target, setting=setting)


def test_weights_in_proportion_waste_nothing():
    """Every record pays its whole budget; costs never exceed it."""
    report = dp.audits.budget_report(proved(PersonalizedRidge()), OWN)
    assert report.costs == pytest.approx(report.budgets)
    assert (report.costs <= report.budgets).all()
    assert report.counts.tolist() == [10, 20, 30, 40]
    assert report.average_wasted == pytest.approx(0, abs=1e-9)


def test_equal_weights_charge_everybody_the_least_budget():
    """With the printed noise, of scale 4/(0.1 n) for a move of 3/n, every record pays 0.075; a
    record of budget 2 wastes 77/80 of its noise.
    """
    report = dp.audits.budget_report(proved(UniformRidge()), OWN)
    assert report.costs == pytest.approx([0.075] * 4)
    assert (report.costs >= 0.075).all()
    wasted = [0.25, 0.85, 0.925, 0.9625]
    assert report.wasted == pytest.approx(wasted)
    assert report.average_wasted == pytest.approx(np.dot([0.1, 0.2, 0.3, 0.4], wasted))


def test_the_printed_rule_costs_its_sensitivity_over_its_scale():
    """B = Y = penalty = 1: T = 1, the move is 3 w_i at most, the scale 4/S. [Acharya24, Thm 3.2]"""
    report = dp.audits.budget_report(proved(PersonalizedRidgePrinted()), OWN)
    assert report.costs == pytest.approx(0.75 * report.budgets)
    assert report.wasted == pytest.approx(0.25)


@pytest.mark.parametrize("delta", ["1e-6", "0.001"])
def test_capped_weights_at_50_digits(delta):
    """std = max_j w_j Delta/mu_j, so that record i is mu_i = w_i/max_j(w_j/mu_j) Gaussian DP."""
    report = dp.audits.budget_report(proved(Capped(), delta=delta), OWN)
    with mpmath.workdps(50):
        own = [1 / sigma_of(mpmath.mpf(repr(e)), mpmath.mpf(delta)) for e in (0.1, 0.5, 1.0, 2.0)]
        weights = [mpmath.mpf(w) / 10 for w in (1, 5, 5, 5)]
        size = max(w / mu for w, mu in zip(weights, own, strict=True))
        paid = [w / size for w in weights]
        for cost, mu in zip(report.costs, paid, strict=True):
            assert delta_of(cost, mu) <= mpmath.mpf(delta) * (1 + mpmath.mpf("1e-12"))
            assert delta_of(cost * (1 - 1e-7), mu) > mpmath.mpf(delta)
        wasted = [float(1 - mu / whole) for mu, whole in zip(paid, own, strict=True)]
    assert report.wasted == pytest.approx(wasted, abs=1e-9)
    assert report.deltas == pytest.approx([float(delta)] * 4)


def test_a_sample_costs_what_its_chance_makes_of_the_threshold():
    """log(1 + p (e^t - 1)), t the average, p = 1 above it. [JorgensenYC15, Thm 1]"""
    run = proved(SampledRidge(threshold="average"), GROUPS, setting=JOINING, shares=PARTS)
    report = dp.audits.budget_report(run)
    t = mpmath.mpf("0.775")
    chance = mpmath.expm1("0.1") / mpmath.expm1(t)
    wanted = [float(t), float(mpmath.log1p(chance * mpmath.expm1(t)))]
    assert report.groups == ("open", "careful")
    assert report.costs == pytest.approx(wanted)
    assert report.counted == "share"
    assert report.counts.tolist() == [0.75, 0.25]


@pytest.mark.parametrize("kind", ["rho", "mu"])
def test_other_notions_pay_in_their_own_terms(kind):
    """Equal weights: everybody pays the least; noise goes with mu, and with the root of rho."""
    budgets = np.array([0.25, 1.0, 4.0])
    report = dp.audits.budget_report(proved(Moment(), **{kind: budgets}))
    assert report.name == kind
    assert report.costs == pytest.approx([0.25] * 3)
    power = 0.5 if kind == "rho" else 1.0
    assert report.wasted == pytest.approx(1 - (0.25 / budgets) ** power, abs=1e-9)


def test_many_budgets_as_few():
    """Vectorised ends and ball arithmetic agree; so do a list and any budgets."""
    many = np.linspace(0.1, 2, 500)
    listed = dp.audits.budget_report(proved(PersonalizedRidgePrinted(), many))
    free = dp.audits.budget_report(proved(PersonalizedRidgePrinted()), many)
    assert listed.costs == pytest.approx(0.75 * many)
    assert free.costs == pytest.approx(listed.costs)
    lines = str(listed).splitlines()
    assert "20 of 500 different budgets." in lines
    assert sum("75%" in line for line in lines) == 20
    assert max(map(len, lines)) <= 100


def test_loops_cost_their_claim():
    """What is proved of all rounds together, and no more is said."""
    run = proved(dp.regressions.NoisySGD(), GROUPS, "1e-6")
    report = dp.audits.budget_report(run, np.where(OWN > 0.5, "open", "careful"), d=3)
    assert report.rule == CLAIM
    assert report.costs.tolist() == report.budgets.tolist() == [1.0, 0.1]
    assert report.wasted.tolist() == [0, 0]


def test_sizes_and_counts_that_are_needed_are_asked_for():
    """n and d where formulas read them; numbers of records where totals do."""
    with pytest.raises(dp.InvalidArgument, match="counted, for the total"):
        dp.audits.budget_report(proved(PersonalizedRidge(), GROUPS))
    with pytest.raises(dp.InvalidArgument, match="a number for n"):
        dp.audits.budget_report(proved(UniformRidge(), GROUPS))
    with pytest.raises(dp.InvalidArgument, match="d must be the number of columns"):
        dp.audits.budget_report(proved(dp.regressions.PersonalizedSSP(), delta="1e-6"), OWN)


def test_numbers_of_people_are_shown_where_they_are_public():
    """Under add/remove who is there is private: names count nobody."""
    names = np.where(OWN > 0.5, "open", "careful")
    shown = dp.audits.budget_report(proved(UniformRidge(), GROUPS), names)
    assert [record["records"] for record in shown.records()] == [70, 30]
    hidden = dp.audits.budget_report(proved(Moment(), GROUPS, "1e-6", setting=JOINING), names)
    assert hidden.counts is None
    assert hidden.average_wasted is None
    assert "30" not in str(hidden)
    assert all("records" not in record for record in hidden.records())


@pytest.mark.parametrize(
    ("run", "budgets", "says"),
    [
        (lambda: proved(UniformRidge(), GROUPS), ["open", "closed"], "names of groups: open, care"),
        (lambda: proved(UniformRidge(), GROUPS), np.full((3, 1), "open"), "in one dimension"),
        (lambda: proved(UniformRidge()), "column", "the column itself"),
        (lambda: proved(UniformRidge()), None, "the budgets of all records are needed"),
        (lambda: proved(UniformRidge()), [0.1, -1], r"in \(0, inf\)"),
        (lambda: None, OWN, r"a certificate for dp.PersonalizedDP"),
    ],
)
def test_refusals(run, budgets, says):
    """By name, with the way out."""
    with pytest.raises(dp.DPFrameError, match=says):
        dp.audits.budget_report(run(), budgets)
