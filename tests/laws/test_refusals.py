"""Invalid parameters are refused when they are declared, by every class that takes a number."""

import math
from decimal import Decimal
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.accountants import Part, parts_of
from tests.support import samples
from tests.support.cases import named

NOT_NUMBERS = [
    math.nan,
    math.inf,
    -math.inf,
    np.float64("nan"),
    True,
    False,
    np.True_,
    None,
    [1],
    (1,),
    {},
    b"1",
    "one",
    "",
    "nan",
    "inf",
    1j,
    np.array([1.0, 2.0]),
    object(),
]
NEGATIVE = [-1, -1e-300, Fraction(-1, 3)]
COUNTS = [-1, 1.5, 2.0, Fraction(3, 2), True, "2", None, math.nan, np.float64(2), [1]]


LOSSES = [
    (loss, field.name)
    for instances in samples.LOSSES.values()
    for loss in instances[:1]
    for field in attrs.fields(type(loss))
    if field.init
]


@pytest.mark.some(1, most=50)
@pytest.mark.parametrize("wrong", [*NOT_NUMBERS, "third", *NEGATIVE, Decimal(1)], ids=named)
@pytest.mark.parametrize(
    "place", LOSSES, ids=[f"{type(loss).__name__}.{name}" for loss, name in LOSSES]
)
def test_every_field_of_every_loss(place, wrong):
    """Losses take exact numbers, also as text."""
    loss, field = place
    with pytest.raises((dp.InvalidArgument, TypeError)) as caught:
        attrs.evolve(loss, **{field: wrong})
    assert isinstance(caught.value, dp.InvalidArgument)


@pytest.mark.parametrize("wrong", COUNTS, ids=named)
def test_counts(wrong):
    """A count is a whole number of at least 0: no fraction, float, text or bool."""
    with pytest.raises(dp.InvalidArgument, match="count"):
        Part(dp.PureDP(1), wrong)
    with pytest.raises(dp.InvalidArgument, match="count"):
        dp.compose((dp.Gaussian(std=1), wrong))
    with pytest.raises(dp.InvalidArgument, match="count"):
        dp.compose(dp.Gaussian(std=1)) * wrong


@pytest.mark.parametrize("wrong", [1, "epsilon", None, (dp.PureDP(1),), [dp.PureDP(1)]], ids=named)
def test_parts(wrong):
    """What is neither a guarantee nor a loss cannot be composed."""
    with pytest.raises(dp.InvalidArgument, match="part"):
        parts_of(wrong)


@pytest.mark.parametrize("wrong", ["add", 1, dp.PureDP], ids=named)
def test_relations_and_accountants(wrong):
    """compose takes a Relation and an Accountant."""
    with pytest.raises(dp.InvalidArgument, match="relation"):
        dp.compose(dp.PureDP(1), relation=wrong)
    with pytest.raises(dp.InvalidArgument, match="accountant"):
        dp.compose(dp.PureDP(1), accountant=wrong)


@pytest.mark.parametrize(
    "target", [dp.PureDP(1), dp.ApproxDP(dp.EPSILON, "1e-6"), (1, 1e-6), None], ids=named
)
def test_targets_of_calibrate(target):
    """calibrate takes (epsilon, delta) in numbers."""
    with pytest.raises(dp.InvalidArgument):
        dp.calibrate(dp.Gaussian(std=1), target=target)
    with pytest.raises(dp.InvalidArgument, match="noise to scale"):
        dp.calibrate(dp.PureDP("1/2"), target=dp.ApproxDP(1, "1e-6"))


def test_a_loss_of_one_direction_is_refused_under_replace_one():
    """Replacing removes one record and adds another: the pair must cover both."""
    one = dp.pld.SubsampledGaussianLoss(1, Fraction(1, 10))
    both = dp.pld.SubsampledGaussianLoss(1, Fraction(1, 10), "both")
    with pytest.raises(dp.InvalidArgument, match="both directions"):
        dp.compose((one, 3), relation=dp.REPLACE_ONE)
    assert dp.compose((both, 3), relation=dp.REPLACE_ONE).parts
    assert dp.compose((one, 3)).parts
