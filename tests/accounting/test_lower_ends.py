"""What a composition of mechanisms says that they cost at least, they cost at least."""

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.accountants import (
    BasicAccountant,
    ConcentratedAccountant,
    NumericAccountant,
    OptimalAccountant,
    RenyiAccountant,
)
from dpframe.mechanisms import ExponentialSelection, PoissonSubsampled
from dpframe.pld import losses

OWN = {  # mechanisms, and the losses that one of their releases has
    "laplace": (dp.Laplace(scale=1), losses.LaplaceLoss(Fraction(1))),
    "laplace in 2-norm, of one number": (dp.L2Laplace(scale=1), losses.LaplaceLoss(Fraction(1))),
    "discrete gaussian": (
        dp.DiscreteGaussian(std="1/2"),
        losses.DiscreteGaussianLoss(Fraction(1, 4), 1),
    ),
    "gaussian": (dp.Gaussian(std=1), losses.GaussianLoss(Fraction(1))),
}
ACCOUNTANTS = [
    BasicAccountant(),
    ConcentratedAccountant(),
    NumericAccountant(),
    OptimalAccountant(),
    RenyiAccountant(),
]


@pytest.mark.parametrize("accountant", ACCOUNTANTS, ids=lambda one: one.name)
@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("count", [1, 5])
def test_no_accountant_claims_more_than_a_mechanism_costs(name, accountant, count):
    thing, own = OWN[name]
    true = dp.compose((own, count))
    try:
        found = dp.compose((thing, count), accountant=accountant)
        epsilon, delta = found.epsilon("1/100"), found.delta("1/2")
    except dp.InvalidArgument:  # this accountant does not add it
        return
    assert epsilon.lower <= true.epsilon("1/100").upper
    assert delta.lower <= true.delta("1/2").upper


def test_what_costs_all_of_its_guarantee_has_both_ends():
    for accountant in (ConcentratedAccountant(), NumericAccountant()):
        assert dp.compose((dp.Gaussian(std=1), 3), accountant=accountant).epsilon("1e-6").lower > 4
    assert dp.compose(dp.mechanisms.BlackBox(dp.PureDP(1))).epsilon("1e-6").lower > 0.99


def test_the_bound_stays_a_bound_where_compositions_are_added_and_repeated():
    one = dp.compose(PoissonSubsampled(dp.Laplace(scale=1), rate="1/10"))
    both = (one + dp.compose(dp.Gaussian(std=1))) * 3
    assert one.epsilon("1e-6").lower == both.epsilon("1e-6").lower == 0
    assert both.epsilon("1e-6").upper > one.epsilon("1e-6").upper


def test_selections_are_bounded_by_the_worst_of_their_epsilon():
    assert dp.compose(ExponentialSelection(scale=1)).delta("1/2").lower == 0
