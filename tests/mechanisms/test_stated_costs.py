"""A class of noise from outside costs what it states nearest: a guarantee or a loss that it
inherits beside that is one of other noise.
"""

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.mechanisms import PoissonSubsampled
from dpframe.pld import losses

DELTA = "1e-6"
TARGET = dp.ApproxDP(1, DELTA)


def nine(self, sensitivity=1, relation=dp.ADD_REMOVE):
    """The loss of nine times less Laplace noise."""
    return losses.LaplaceLoss(9 * Fraction(sensitivity) / self.scale.value)


def five(self, sensitivity):
    """Five times the epsilon of Laplace noise."""
    return dp.PureDP(5 * sensitivity / self.scale)


def epsilon(noise, accountant="numeric"):
    """The upper end of what it costs."""
    return dp.compose(noise, accountant=accountant).epsilon(DELTA).upper


def made(*bases, **methods):
    """An instance of a new class, with noise of scale 1."""
    return type("Stated", bases, methods)(scale=1)


class Louder:
    """A loss for classes of noise to inherit."""

    loss = nine


class Dearer:
    """A guarantee for classes of noise to inherit."""

    guarantee = five


def later(name, method):
    """An instance of a class of Laplace noise to which a method is added after its first use."""
    noise = made(dp.Laplace)
    assert epsilon(noise) <= 1
    setattr(type(noise), name, method)
    return noise


WITH_LOSS = {
    "defined": lambda: made(dp.Laplace, loss=nine),
    "inherited": lambda: made(Louder, dp.Laplace),
    "added later": lambda: later("loss", nine),
    "below a guarantee": lambda: made(type(made(dp.Laplace, guarantee=five)), loss=nine),
}
WITH_GUARANTEE = {
    "defined": lambda: made(dp.Laplace, guarantee=five),
    "inherited": lambda: made(Dearer, dp.Laplace),
    "added later": lambda: later("guarantee", five),
    "below a loss": lambda: made(type(made(dp.Laplace, loss=nine)), guarantee=five),
}


@pytest.mark.parametrize("kind", WITH_LOSS)
def test_a_loss_does_not_come_with_the_guarantee_of_other_noise(kind):
    """The numeric accountant adds it; whatever needs a guarantee says what to define."""
    noise = WITH_LOSS[kind]()
    assert 8.9 < epsilon(noise) <= 9
    needs = (
        lambda: epsilon(noise, "basic"),
        lambda: epsilon(noise, "zcdp"),
        lambda: epsilon(noise, "optimal"),
        lambda: epsilon(PoissonSubsampled(noise, rate="0.999")),
        lambda: dp.calibrate(noise, target=TARGET, accountant="optimal"),
        lambda: noise.guarantee(dp.constant(1)),
    )
    for one in needs:
        with pytest.raises(InvalidArgument, match="Define `guarantee` in Stated"):
            one()
    factor = dp.calibrate(noise, target=TARGET, accountant="numeric").factor
    assert 8.9 < factor <= 9.1


@pytest.mark.parametrize("accountant", ["auto", "numeric"])
def test_no_proof_rests_on_the_guarantee_of_other_noise(accountant):
    """A certificate of noise whose loss is nine times that of its guarantee."""
    noise = made(dp.Laplace, loss=nine)

    class Sum(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(y.sum(), noise, budget, name="s")

    errors = (InvalidArgument, dp.Uncertified)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    with pytest.raises(errors, match=r"Define `guarantee`|1 open obligation"):
        dp.certify(
            Sum(), target=TARGET, setting=setting, trust=[type(noise)], accountant=accountant
        )


@pytest.mark.parametrize("kind", WITH_GUARANTEE)
def test_a_guarantee_does_not_come_with_the_loss_of_other_noise(kind):
    """Every accountant adds it."""
    noise = WITH_GUARANTEE[kind]()
    for accountant in ("numeric", "basic", "optimal"):
        assert 4.9 < epsilon(noise, accountant) <= 5
    assert epsilon(PoissonSubsampled(noise, rate="0.999")) > 4.9


def test_both_count_where_one_class_states_both():
    """Also in a class derived from it, which states neither."""
    noise = made(type(made(dp.Laplace, loss=nine, guarantee=five)))
    assert 4.9 < epsilon(noise, "basic") <= 5
    assert 8.9 < epsilon(noise) <= 9


def test_noise_that_states_neither_costs_what_it_inherits():
    """As a class with other draws does."""
    plain, derived = dp.Laplace(scale=1), made(dp.Laplace)
    for accountant in ("numeric", "basic"):
        assert epsilon(plain, accountant) == epsilon(derived, accountant)


def test_a_method_that_is_taken_away_counts_no_more():
    """What is left counts."""
    noise = later("guarantee", five)
    assert epsilon(noise) > 4.9
    del type(noise).guarantee
    assert epsilon(noise) <= 1
