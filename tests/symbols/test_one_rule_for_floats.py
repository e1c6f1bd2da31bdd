"""A float means its shortest decimal, wherever a person gives one; a truth value is no number."""

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from docs.generate.refutations import refutations_of
from dpframe.audits.lower_bounds.mechanism_draws import sensitivity_of
from dpframe.audits.splits.criterion import public_number
from dpframe.budgets.records import RecordLedger

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
PURE = dp.compose(dp.PureDP("1/3"), dp.PureDP("2/7"))
MIXED = dp.compose(dp.Gaussian(std=3), (dp.Laplace(scale=7), 2))
SYMBOLIC = dp.ApproxDP(dp.EPSILON, "1e-6")


class Shares(dp.Regression):
    """Two releases; the first gets a part of the budget."""

    first: dp.Expression = dp.constant("1/2")

    def declare(self, X, y, budget):
        """X'X and X'y."""
        parts = budget.split(self.first, 1 - self.first)
        noise = dp.Gaussian.analytic
        return dp.release(X.T @ X, noise, parts[0]), dp.release(X.T @ y, noise, parts[1])


def spent(amount):
    """What is left of 1."""
    ledger = RecordLedger({"a": 1}, ["a"], kind=dp.PureDP)
    ledger.spend(amount)
    return ledger.remaining.tolist()


def odometer():
    """One that has spent something."""
    found = dp.Odometer(dp.ZeroConcentratedDP)
    found.spend(dp.ZeroConcentratedDP("1/7"))
    return found


ENTRIES = {  # objects with one number in (0, 1)
    "constant": dp.constant,
    "parameter": lambda x: dp.parameter("a", x).domain,
    "pure": dp.PureDP,
    "approximate, epsilon": lambda x: dp.ApproxDP(x, "1e-6"),
    "approximate, delta": lambda x: dp.ApproxDP(1, x),
    "zCDP": dp.ZeroConcentratedDP,
    "Gaussian DP": dp.GaussianDP,
    "std": lambda x: dp.Gaussian(std=x),
    "scale": lambda x: dp.Laplace(scale=x),
    "discrete std": lambda x: dp.DiscreteGaussian(std=x),
    "loss of a mechanism": lambda x: dp.Gaussian(std=1).loss(x),
    "Gaussian loss": dp.pld.GaussianLoss,
    "Laplace loss": dp.pld.LaplaceLoss,
    "response loss": dp.pld.ResponseLoss,
    "response loss, delta": lambda x: dp.pld.ResponseLoss(1, x),
    "categorical loss": lambda x: dp.pld.CategoricalLoss(x, 3),
    "odds loss": lambda x: dp.pld.OddsLoss(x, 3),
    "discrete Laplace loss": lambda x: dp.pld.DiscreteLaplaceLoss(x, 1),
    "discrete Gaussian loss": lambda x: dp.pld.DiscreteGaussianLoss(x, 1),
    "sampled loss, mu": lambda x: dp.pld.SubsampledGaussianLoss(x, Fraction(1, 2)),
    "sampled loss, rate": lambda x: dp.pld.SubsampledGaussianLoss(1, x),
    "composed, delta": PURE.delta,
    "composed, epsilon": MIXED.epsilon,
    "calibrated": lambda x: dp.calibrate(dp.Gaussian(std=x), target=dp.ApproxDP(1, x)),
    "personalised": lambda x: dp.PersonalizedDP(epsilon={"a": x, "b": 1}),
    "records": lambda x: RecordLedger({"a": x}, ["a"], kind=dp.PureDP).remaining.tolist(),
    "cost of a record": spent,
    "attacked": sensitivity_of,
    "criterion": lambda x: public_number("weight", x),
    "delta interval": lambda x: dp.mechanisms.gaussian_delta_interval(x, 1),
    "delta interval, mu": lambda x: dp.mechanisms.gaussian_delta_interval(1, x),
    "epsilon interval": lambda x: dp.mechanisms.gaussian_epsilon_interval(x, 1),
    "epsilon interval, mu": lambda x: dp.mechanisms.gaussian_epsilon_interval(Fraction(1, 7), x),
    "mu interval": lambda x: dp.mechanisms.gaussian_mu_interval(x, Fraction(1, 10**6)),
    "mu interval, delta": lambda x: dp.mechanisms.gaussian_mu_interval(1, x),
    "sigma interval": lambda x: dp.mechanisms.gaussian_sigma_interval(x, Fraction(1, 10**6)),
    "sigma interval, delta": lambda x: dp.mechanisms.gaussian_sigma_interval(1, x),
    "sigma interval, sensitivity": lambda x: dp.mechanisms.gaussian_sigma_interval(
        1, Fraction(1, 9), x
    ),
    "classical constants": dp.mechanisms.classical_constants,
    "norm": lambda x: dp.Rows(norm=x),
    "bound": lambda x: dp.Column(bound=x),
    "numeric column": lambda x: dp.Numeric("a", 0, x),
    "share": lambda x: Shares(first=x),
    "at": lambda x: dp.certify(Shares(), target=SYMBOLIC, setting=SETTING).at(epsilon=x).values,
    "odometer, delta": lambda x: odometer().epsilon(x),
    "odometer, aim": lambda x: odometer().epsilon_at_all_times(Fraction(1, 9), aim=x),
    "filter": lambda x: dp.Filter(dp.PureDP(x)).target,
    "compared": lambda x: dp.compare(epsilon=[x], delta="1e-6"),
    "refuted": lambda x: refutations_of("suffstats_perturb.m", x, Fraction(1, 10**6)),
}
BELOW_ITS_DECIMAL, ABOVE = 0.3, 0.1  # as doubles


def outcome(entry, value):
    """What an entry makes of a number, as text that shows all of it."""
    return repr(entry(value))


@pytest.mark.parametrize("name", ENTRIES)
def test_a_float_is_its_shortest_decimal(name):
    """A float is its shortest decimal."""
    for number in (BELOW_ITS_DECIMAL, ABOVE):
        exact = outcome(ENTRIES[name], Fraction(str(number)))
        assert outcome(ENTRIES[name], number) == exact
        assert outcome(ENTRIES[name], np.float64(number)) == exact
        assert outcome(ENTRIES[name], np.float32(number)) == exact


@pytest.mark.some(1, most=50)
@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("value", [True, np.True_, float("nan")])
def test_truth_values_and_nan_are_no_numbers(name, value):
    """Truth values and nan are no numbers."""
    with pytest.raises(dp.InvalidArgument):
        ENTRIES[name](value)


def test_the_vectorised_twins_take_doubles_as_they_are():
    """Their margins are of doubles; the intervals are the certified numbers."""
    for number in (BELOW_ITS_DECIMAL, ABOVE):
        lower, upper = dp.mechanisms.gaussian_mu_interval(number, Fraction(1, 9))
        assert lower <= upper
        assert dp.gaussian_mu(number, Fraction(1, 9)) <= lower


def test_budgets_in_single_precision_are_their_decimals():
    """Budgets in single precision are their decimals."""
    budgets = np.array([0.1, 0.3, 1], np.float32)
    assert np.array_equal(dp.PersonalizedDP(epsilon=budgets).epsilon.numbers, [0.1, 0.3, 1])
    assert np.array_equal(RecordLedger(budgets, kind=dp.PureDP).remaining, [0.1, 0.3, 1])
