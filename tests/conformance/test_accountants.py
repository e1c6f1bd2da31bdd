"""Every accountant adds guarantees: nothing, one, any order, more is more."""

from __future__ import annotations

import itertools

import pytest
import samples
from oracles import value

import dpframe as dp

every = pytest.mark.parametrize("cls", samples.ACCOUNTANTS, ids=lambda cls: cls.__name__)


def amounts(guarantee):
    """What composition adds up, in numbers."""
    return [value(amount, {}) for amount in guarantee.amounts]


@every
def test_one_release_costs_what_it_guarantees(cls):
    """The total of one guarantee is that guarantee."""
    for guarantee in samples.ACCOUNTANTS[cls]:
        assert amounts(cls().total([guarantee])) == amounts(guarantee)


@every
def test_order_does_not_matter(cls):
    """Every permutation of the releases has one total."""
    orders = itertools.permutations(samples.ACCOUNTANTS[cls])
    assert len({tuple(amounts(cls().total(list(order)))) for order in orders}) == 1


@every
def test_another_release_costs_more(cls):
    """The total of more releases is larger in every amount they spend."""
    sample = samples.ACCOUNTANTS[cls]
    for k in range(1, len(sample)):
        fewer, more = amounts(cls().total(sample[:k])), amounts(cls().total(sample[: k + 1]))
        assert more[0] > fewer[0]
        assert all(b >= a for a, b in zip(fewer, more, strict=False))


@every
def test_grouping_does_not_matter(cls):
    """Adding up twice is adding up once."""
    first, *rest = samples.ACCOUNTANTS[cls]
    nested = cls().total([first, cls().total(rest)])
    assert amounts(nested) == amounts(cls().total([first, *rest]))


@every
def test_composing_with_nothing(cls):
    """No release costs nothing, or is refused as no guarantee at all."""
    try:
        total = cls().total([])
    except dp.InvalidArgument:
        return
    assert amounts(total) == [0] * len(total.amounts)


@every
def test_an_accountant_admits_its_own_kind_and_cites_its_theorem(cls):
    """Its own guarantees pass unchanged; what no theorem converts is None."""
    accountant = cls()
    assert accountant.citation.startswith("[")
    for guarantee in samples.ACCOUNTANTS[cls]:
        assert accountant.admit(guarantee) == guarantee
    strangers = [dp.ApproxDP(1, 0.1), dp.GaussianDP(1), dp.ZeroConcentratedDP(1), dp.PureDP(1)]
    for guarantee in strangers:
        admitted = accountant.admit(guarantee)
        assert admitted is None or isinstance(admitted, (cls.adds, dp.PureDP))


def test_gaussians_add_as_squares():
    """3 and 4 make 5."""
    total = dp.GaussianAccountant().total([dp.GaussianDP(3), dp.GaussianDP(4)])
    assert value(total.mu, {}) == 5


def test_pure_parts_stay_pure():
    """Basic composition of pure guarantees is pure."""
    total = dp.BasicAccountant().total([dp.PureDP(1), dp.PureDP("1/2")])
    assert total == dp.PureDP("3/2")
