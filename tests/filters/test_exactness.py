"""Admission agrees with sums of Fractions, and what is refused changes nothing."""

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.budgets import saved_ledger
from dpframe.pld.losses import GaussianLoss
from dpframe.symbols import Expression, Number

TENTHS = {
    "pure": (dp.PureDP(1), dp.PureDP(0.1)),
    "approx": (dp.ApproxDP(1, 1e-5), dp.ApproxDP(0.1, 1e-6)),
    "pure in approx": (dp.ApproxDP(1, 1e-5), dp.PureDP(0.1)),
    "zcdp": (dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP(0.1)),
    "pure in zcdp": (dp.ZeroConcentratedDP("0.05"), dp.PureDP(0.1)),  # epsilon^2/2
    "gaussian in zcdp": (dp.ZeroConcentratedDP("0.5"), dp.GaussianDP(dp.sqrt("1/10"))),  # mu^2/2
    "gaussian": (dp.GaussianDP(dp.sqrt(10)), dp.GaussianDP(1)),
    "irrational mu": (dp.GaussianDP(1), dp.GaussianDP(dp.sqrt("1/10"))),
}


@pytest.mark.parametrize("name", TENTHS)
def test_ten_tenths_are_one(name):
    """Ten queries of a tenth fill the budget; an eleventh of any size is refused."""
    ceiling, tenth = TENTHS[name]
    gate = dp.Filter(ceiling)
    for _ in range(10):
        gate.spend(tenth)
    assert gate.queries == 10
    assert gate.remaining.amounts[0] == dp.constant(0)
    with pytest.raises(dp.BudgetExceeded):
        gate.spend(tenth)
    assert gate.ceiling == ceiling


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize(
    "ceiling",
    [
        dp.PureDP("0.7"),
        dp.ApproxDP(0.3, 1e-7),
        dp.ZeroConcentratedDP(1 / 3),
        dp.GaussianDP(dp.sqrt("2/7")),
    ],
    ids=str,
)
@pytest.mark.parametrize("k", [1, 3, 7, 97, 1000])
def test_equal_shares_always_fit(ceiling, k):
    """budget.split_evenly(k) is k queries and nothing is left."""
    gate = dp.Filter(ceiling)
    for share in ceiling.budget.split_evenly(k):
        gate.spend(share)
    assert set(gate.remaining.amounts) == {dp.constant(0)}
    assert not gate.fits(ceiling.budget.split(Fraction(1, 10**12))[0])


def test_what_remains_can_be_split_and_spent():
    """`remaining` is a share like any other."""
    gate = dp.Filter(dp.ApproxDP(1, "1e-6"))
    gate.spend(dp.PureDP("1/3"))
    assert gate.spent.epsilon == dp.constant("1/3")
    assert gate.remaining.delta == dp.constant("1e-6")
    for share in gate.remaining.split_evenly(3):
        gate.spend(share)
    assert gate.remaining.epsilon == gate.remaining.delta == dp.constant(0)


amounts = some.one_of(
    some.fractions(min_value=Fraction(1, 60), max_value=2, max_denominator=60),
    some.floats(min_value=1e-6, max_value=0.5).map(lambda x: Fraction(Decimal(repr(x)))),
)
small = some.fractions(
    min_value=Fraction(1, 10**6), max_value=Fraction(1, 5), max_denominator=10**6
)
costs = some.one_of(
    amounts.map(dp.PureDP),
    some.builds(dp.ApproxDP, amounts, small),
    amounts.map(dp.ZeroConcentratedDP),
    amounts.map(dp.GaussianDP),
)
CEILINGS = {
    dp.PureDP: dp.PureDP(2),
    dp.ApproxDP: dp.ApproxDP(2, "1/3"),
    dp.ZeroConcentratedDP: dp.ZeroConcentratedDP(1),
    dp.GaussianDP: dp.GaussianDP(dp.sqrt(2)),
}
LIMITS = {
    dp.PureDP: (2,),
    dp.ApproxDP: (2, Fraction(1, 3)),
    dp.ZeroConcentratedDP: (1,),
    dp.GaussianDP: (2,),
}


def modelled(cost, kind):
    """What a cost takes from a ledger of `kind`, in Fractions by hand; None where nothing says."""
    parameters = tuple(value.value for value in attrs.astuple(cost, recurse=False))
    rules = {
        (dp.PureDP, dp.PureDP): lambda e: (e,),
        (dp.PureDP, dp.ApproxDP): lambda e: (e, Fraction(0)),
        (dp.ApproxDP, dp.ApproxDP): lambda e, d: (e, d),
        (dp.PureDP, dp.ZeroConcentratedDP): lambda e: (e * e / 2,),
        (dp.ZeroConcentratedDP, dp.ZeroConcentratedDP): lambda rho: (rho,),
        (dp.GaussianDP, dp.ZeroConcentratedDP): lambda mu: (mu * mu / 2,),
        (dp.GaussianDP, dp.GaussianDP): lambda mu: (mu * mu,),
    }
    rule = rules.get((type(cost), kind))
    return rule and rule(*parameters)


@settings(max_examples=150, deadline=None)
@given(some.sampled_from(list(CEILINGS)), some.lists(costs, max_size=25), some.integers(0, 25))
def test_a_filter_is_its_model(kind, queries, restored_at):
    """Against sums in Fractions: admissions, totals, and a filter restored halfway."""
    saved_ledger._NEWEST.clear()
    gate, total, count = dp.Filter(CEILINGS[kind]), [Fraction(0)] * len(LIMITS[kind]), 0
    for step, cost in enumerate(queries):
        if step == restored_at:
            gate = dp.Filter.from_json(gate.to_json())
        price, before = modelled(cost, kind), gate.seal
        if price is None:
            with pytest.raises(dp.InvalidArgument):
                gate.spend(cost)
            assert gate.seal == before
            continue
        after = [a + b for a, b in zip(total, price, strict=True)]
        fits = all(a <= limit for a, limit in zip(after, LIMITS[kind], strict=True))
        assert gate.fits(cost) == fits
        if fits:
            gate.spend(cost)
            total, count = after, count + 1
        else:
            with pytest.raises(dp.BudgetExceeded):
                gate.spend(cost)
            assert gate.seal == before
    assert [amount.value for amount in gate.spent.amounts] == total
    assert gate.queries == count


def test_odometers_add_the_same_and_never_refuse():
    """The sum of a harmonic series, which no ceiling of 2 would admit."""
    odometer = dp.Odometer(dp.PureDP)
    assert odometer.total is None
    for k in range(1, 200):
        odometer.spend(dp.PureDP(Fraction(1, k)))
    assert odometer.total == dp.PureDP(sum(Fraction(1, k) for k in range(1, 200)))
    assert odometer.queries == 199


class Lying(dp.PureDP):
    """Says 5 and costs nothing."""

    amounts = property(lambda self: (dp.constant(0),))


class Unknown(dp.Guarantee):
    """A kind that dpframe does not have."""

    kind, currency, parameters = "unknown", ("epsilon",), ()
    amounts = property(lambda self: (dp.constant(0),))


class Half(Number):
    """A number with two minds."""

    def __eq__(self, other):
        return True

    __hash__ = Number.__hash__


BAD = [
    math.nan,
    0.1,
    True,
    "0.1",
    None,
    -1,
    (dp.PureDP(1),),
    dp.PureDP,
    Lying(5),
    Unknown(),
    GaussianLoss(1),
    dp.Laplace(scale=1),
    dp.PureDP(dp.EPSILON),
    dp.PureDP(dp.log(2)),
    dp.ZeroConcentratedDP("0.1"),
    dp.GaussianDP("0.1"),
    dp.PureDP(Fraction(1, 3**3000)),
    dp.ApproxDP(1, "1e-6").budget.split(epsilon=(-1,), delta=("0.5",))[0],
    dp.PureDP(1).budget.split(-1)[0],
    dp.ZeroConcentratedDP(1).budget,
    dp.PureDP(dp.EPSILON).budget,
    dp.ApproxDP(1, "1e-6").budget.split(epsilon=(0,), delta=(1,))[0],
]


@pytest.mark.parametrize("cost", BAD, ids=lambda cost: type(cost).__name__)
def test_a_bad_cost_changes_nothing(half_spent, bytes_of, cost):
    """Numbers, text, liars, symbols, other kinds, negative and huge ones: refused, bytes equal."""
    before = bytes_of(half_spent)
    for attempt in (half_spent.spend, half_spent.fits):
        with pytest.raises(dp.InvalidArgument):
            attempt(cost)
    assert bytes_of(half_spent) == before
    half_spent.spend(dp.PureDP("0.1"))


def test_too_much_changes_nothing(half_spent, bytes_of):
    """A refusal for lack of budget, in either currency, leaves a filter that still works."""
    before = bytes_of(half_spent)
    for cost in (dp.PureDP(1), dp.ApproxDP("0.01", "1e-5")):
        with pytest.raises(dp.BudgetExceeded, match="Nothing was charged") as caught:
            half_spent.spend(cost)
        assert caught.value.cost is cost
        assert caught.value.remaining == half_spent.remaining
    assert bytes_of(half_spent) == before
    half_spent.spend(half_spent.remaining)


def test_denominators_cannot_grow_without_end(bytes_of):
    """New denominators are refused before exact totals become slow; decimals still fit."""
    odometer, powers = dp.Odometer(dp.PureDP), [3**2000, 5**1000]
    for power in powers:
        odometer.spend(dp.PureDP(Fraction(1, power)))
    before = bytes_of(odometer)
    with pytest.raises(dp.InvalidArgument, match="Round it up"):
        odometer.spend(dp.PureDP(Fraction(1, 7**1200)))
    assert bytes_of(odometer) == before
    for power in powers:
        odometer.spend(dp.PureDP(1 - Fraction(1, power)))
    odometer.spend(dp.PureDP(Fraction(1, 7**1200)))  # what cancelled takes no room
    odometer.spend(dp.PureDP("1e-300"))


CEILINGS_REFUSED = [1, "1", None, dp.PureDP, Lying(1), dp.PureDP(dp.EPSILON), dp.PureDP(1).budget]


@pytest.mark.parametrize("ceiling", CEILINGS_REFUSED, ids=str)
def test_a_ceiling_is_a_guarantee_in_numbers(ceiling):
    """Nothing else begins a filter."""
    with pytest.raises(dp.InvalidArgument):
        dp.Filter(ceiling)


@pytest.mark.parametrize("kind", [dp.Guarantee, Lying, "pure", dp.PureDP(1), None], ids=str)
def test_an_odometer_names_a_kind(kind):
    """A class of dpframe."""
    with pytest.raises(dp.InvalidArgument):
        dp.Odometer(kind)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_is_not_copied(half_spent, copied):
    """A copy would spend again."""
    with pytest.raises(dp.InvalidArgument, match="spend again"):
        copied(half_spent)


def test_number_subclasses_are_not_believed():
    """A formula that claims to equal every number is no number."""
    assert isinstance(Half(Fraction(5)), Expression)
    gate = dp.Filter(dp.PureDP(1))
    gate.spend(dp.PureDP("0.1"))
    with pytest.raises(dp.InvalidArgument):
        gate.spend(dp.PureDP(Half(Fraction(5))))
