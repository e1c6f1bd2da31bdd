"""What a composition of mechanisms says that they cost at least, they cost at least."""

from fractions import Fraction

import attrs
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
    """Lower ends are at most what the own loss of the mechanism costs, to its upper end."""
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
    """Gaussian noise costs all of its mu or rho, and a black box is whatever has its guarantee."""
    for accountant in (ConcentratedAccountant(), NumericAccountant()):
        assert dp.compose((dp.Gaussian(std=1), 3), accountant=accountant).epsilon("1e-6").lower > 4
    assert dp.compose(dp.mechanisms.BlackBox(dp.PureDP(1))).epsilon("1e-6").lower > 0.99


@attrs.frozen(cache_hash=True)
class Twice(dp.Laplace):
    """Noise of a class from outside that costs twice what Laplace noise does."""

    def guarantee(self, sensitivity):
        return dp.PureDP(2 * sensitivity / self.scale)


class Doubled:
    """The guarantee of `Twice`, for classes of noise to inherit."""

    __slots__ = ()
    guarantee = Twice.guarantee


@attrs.frozen(cache_hash=True)
class Mixed(Doubled, dp.Laplace):
    """The same as `Twice`, with a guarantee that is inherited."""


@pytest.mark.parametrize("accountant", ["numeric", "rdp", "basic"])
@pytest.mark.parametrize("kind", [Twice, Mixed])
def test_a_guarantee_from_outside_comes_with_its_own_loss(accountant, kind):
    """Twice the epsilon of Laplace noise, whose loss does not hold for it, and no lower end; a
    certificate and a sample of it likewise.
    """
    found = dp.compose(kind(scale=1), accountant=accountant).epsilon("1e-9")
    assert found.lower == 0
    assert 1.99 < found.upper <= 2
    sample = dp.compose(PoissonSubsampled(kind(scale=1), rate="1/10"))
    bound = dp.compose(PoissonSubsampled(dp.mechanisms.BlackBox(dp.PureDP(2)), rate="1/10"))
    assert sample.epsilon("1e-9").upper == bound.epsilon("1e-9").upper
    own = dp.compose(kind(scale=1).loss(1)).epsilon("1e-9").upper
    assert own == pytest.approx(found.upper, rel=1e-12)  # accountants round differently


def test_the_bound_stays_a_bound_where_compositions_are_added_and_repeated():
    """A part that may cost less keeps the lower end at 0 in sums and multiples."""
    one = dp.compose(PoissonSubsampled(dp.Laplace(scale=1), rate="1/10"))
    both = (one + dp.compose(dp.Gaussian(std=1))) * 3
    assert one.epsilon("1e-6").lower == both.epsilon("1e-6").lower == 0
    assert both.epsilon("1e-6").upper > one.epsilon("1e-6").upper


def test_selections_are_bounded_by_the_worst_of_their_epsilon():
    """No selection is known to cost what randomised response of its epsilon does."""
    assert dp.compose(ExponentialSelection(scale=1)).delta("1/2").lower == 0


def lower_end(statistic, noise, target, **more):
    """Of epsilon at delta = 1/100, of one release."""

    class Released(dp.Regression):
        """One statistic of the rows or labels, by one noise."""

        def declare(self, X, y, budget):
            share = None if more else budget
            return dp.release(statistic(X, y), noise, share, **more)

    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    proof = dp.certify(Released(), target=target, setting=setting)
    return proof.as_composition().epsilon("1/100").lower


def test_a_certificate_claims_what_some_pair_of_neighbours_costs():
    """Lower ends of a certificate are 0 where only bounds of its releases are known."""
    pure, approximate = dp.PureDP(1), dp.ApproxDP(3, "1e-5")
    assert lower_end(lambda X, y: y.sum(), dp.Laplace.pure, pure) > 0.9
    assert lower_end(lambda X, y: y @ y, dp.Gaussian.analytic, approximate) > 1
    assert lower_end(lambda X, y: dp.graph.bin_counts(y, [0]), dp.Laplace.pure, pure) == 0
    scores = dp.mechanisms.ExponentialSelection.pure
    assert lower_end(lambda X, y: dp.graph.bin_counts(y, [0]), scores, pure) == 0
    noise, sampled = dp.Laplace(scale=2), {"sampled": "1/10", "times": 100}
    assert lower_end(lambda X, y: y.sum(), noise, approximate, **sampled) == 0
    combined = lambda X, y: 2 * y.sum() - y @ y  # noqa: E731
    assert lower_end(combined, dp.Gaussian.analytic, approximate) == 0
