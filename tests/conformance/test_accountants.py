"""Every accountant adds what releases cost: nothing, one, any order, more is more.

The additive ones have a total besides; tests of `total` are over these.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.pld.losses import PrivacyLoss
from dpframe.prover.derivations import DERIVATIONS
from tests.support import samples
from tests.support.oracles import value

ADDITIVE = [
    cls for cls in samples.ACCOUNTANTS if issubclass(cls, dp.accountants.AdditiveAccountant)
]
additive = pytest.mark.parametrize("cls", ADDITIVE, ids=lambda cls: cls.__name__)
every = pytest.mark.parametrize("cls", samples.ACCOUNTANTS, ids=lambda cls: cls.__name__)


def refused(accountant, what):
    """The error that refuses a part; None where it is added."""
    try:
        accountant.epsilon(parts_of(what), Fraction(1, 10**6))
    except dp.InvalidArgument as refusal:
        return refusal
    return None


@pytest.mark.some(len(samples.ACCOUNTANTS))
@every
def test_an_accountant_conforms(cls):
    """As one from outside must: what it answers, refuses, and never understates."""
    dp.audits.check_accountant(cls(), *samples.ACCOUNTANTS[cls])


@every
def test_what_an_accountant_cannot_add_is_refused_with_a_way_out(cls):
    """Each kind of guarantee, and a loss, is added or refused; a refusal says what to do."""
    known = [dp.PureDP(1), dp.ApproxDP(1, "1e-9"), dp.GaussianDP(1), dp.ZeroConcentratedDP(1)]
    for what in [*known, dp.pld.GaussianLoss(1)]:
        refusal = refused(cls(), what)
        assert refusal is None or refusal.way_out
        assert refusal is None or not (isinstance(what, PrivacyLoss) and cls.reads_losses)


def amounts(guarantee):
    """What composition adds up, in numbers."""
    return [value(amount, {}) for amount in guarantee.amounts]


@additive
def test_one_release_costs_what_it_guarantees(cls):
    """The total of one guarantee is that guarantee."""
    for guarantee in samples.ACCOUNTANTS[cls]:
        assert amounts(cls().total([guarantee])) == amounts(guarantee)


@additive
def test_order_does_not_matter(cls):
    """Every permutation of the releases has one total."""
    orders = itertools.permutations(samples.ACCOUNTANTS[cls])
    assert len({tuple(amounts(cls().total(list(order)))) for order in orders}) == 1


@additive
def test_another_release_costs_more(cls):
    """The total of more releases is larger in every amount they spend."""
    sample = samples.ACCOUNTANTS[cls]
    for k in range(1, len(sample)):
        fewer, more = amounts(cls().total(sample[:k])), amounts(cls().total(sample[: k + 1]))
        assert more[0] > fewer[0]
        assert all(b >= a for a, b in zip(fewer, more, strict=False))


@additive
def test_grouping_does_not_matter(cls):
    """Adding up twice is adding up once."""
    first, *rest = samples.ACCOUNTANTS[cls]
    nested = cls().total([first, cls().total(rest)])
    assert amounts(nested) == amounts(cls().total([first, *rest]))


@additive
def test_composing_with_nothing(cls):
    """No release costs nothing, or is refused as no guarantee at all."""
    try:
        total = cls().total([])
    except dp.InvalidArgument:
        return
    assert amounts(total) == [0] * len(total.amounts)


@additive
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
    total = dp.accountants.GaussianAccountant().total([dp.GaussianDP(3), dp.GaussianDP(4)])
    assert value(total.mu, {}) == 5


def test_pure_parts_stay_pure():
    """Basic composition of pure guarantees is pure."""
    total = dp.accountants.BasicAccountant().total([dp.PureDP(1), dp.PureDP("1/2")])
    assert total == dp.PureDP("3/2")


@every
def test_certify_takes_every_accountant(cls):
    """Each is a derivation of its own, by name and by object, and says what it is in words."""
    assert DERIVATIONS[cls.name].accountant == cls()
    target, setting = dp.ApproxDP(1, "1e-6"), samples.setting()
    found = dp.examine(
        dp.literature.AdaSSPBudget(), target=target, setting=setting, accountant=cls()
    )
    assert found.accountant == cls.name
    assert {attempt.name for attempt in found.attempts} <= {cls.name}
    assert cls.argument
