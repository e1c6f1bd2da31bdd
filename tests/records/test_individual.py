"""The individual filter: sums as Fractions, costs rounded up, and nothing of it is shown."""

import copy
import math
import pickle
import traceback
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.budgets.records import IndividualFilter, gaussian_cost, row_norms

N = 5


def gate_of(budgets=(1.0,) * N, groups=None, kind=dp.GaussianDP):
    """A filter for N people."""
    given = budgets if groups else list(budgets)
    return IndividualFilter(given, groups, kind=kind, relation=dp.ADD_REMOVE)


costs = some.lists(
    some.just(0.0) | some.just(math.inf) | some.integers(1, 1500).map(lambda k: k / 1000),
    min_size=N,
    max_size=N,
)


@settings(max_examples=150, deadline=None)
@given(
    some.lists(some.integers(1, 3000).map(lambda k: k / 1000), min_size=N, max_size=N),
    some.lists(costs, max_size=15),
    some.booleans(),
)
def test_a_record_takes_part_while_it_can_pay(budgets, steps, grouped):
    """Mask by mask against sums of Fractions, each record by itself."""
    if grouped:
        gate = gate_of({f"g{k}": b for k, b in enumerate(budgets)}, [f"g{k}" for k in range(N)])
    else:
        gate = gate_of(budgets)
    exact, spent = [Fraction(repr(b)) for b in budgets], [Fraction(0)] * N
    for step in steps:
        fits = [
            c < math.inf and s + Fraction(repr(c)) <= b
            for s, c, b in zip(spent, step, exact, strict=True)
        ]
        assert gate.admit(step).tolist() == fits
        spent = [
            s + Fraction(repr(c)) if fit else s for s, c, fit in zip(spent, step, fits, strict=True)
        ]
    assert gate.releases == len(steps)


@settings(max_examples=200, deadline=None)
@given(some.lists(some.floats(0, 2), min_size=1, max_size=30))
def test_never_more_than_the_budget_is_admitted(steps):
    """Of any doubles, as decimals and as the doubles that they are; and little less."""
    gate, decimal, double = gate_of([1.0]), Fraction(0), Fraction(0)
    for cost in steps:
        if gate.admit([cost])[0]:
            decimal, double = decimal + Fraction(repr(cost)), double + Fraction(cost)
        else:
            assert decimal + Fraction(repr(cost)) > 1 - Fraction(1, 10**12)
    assert decimal <= 1
    assert double <= 1 + len(steps) * Fraction(1, 2**53)  # 0.1 is a decimal


def test_masks_are_copies():
    """What the data holder does to a mask or a cost changes no total."""
    gate, cost = gate_of(), np.full(N, 0.6)
    mask = gate.admit(cost)
    mask[:] = False
    cost[:] = 0
    assert not gate.admit(np.full(N, 0.6)).any()
    assert gate.admit(np.full(N, 0.4)).all()


SECRET = 0.123456789


def shown(gate):
    """All that a filter prints, and its errors with their operands and tracebacks."""
    texts = [repr(gate), str(gate), f"{gate}", gate.releases, gate.kind.__name__]
    bad = [
        [SECRET] * (N + 1),
        [SECRET] * (N - 1) + [math.nan],
        [SECRET] * (N - 1) + [-SECRET],
        [SECRET] * (N - 1) + [str(SECRET)],
        [Fraction(repr(SECRET))] * (N - 1) + [None],
        [Fraction(repr(SECRET))] * (N - 1) + [Fraction(repr(-SECRET))],
        [[SECRET]] * N,
        SECRET,
    ]
    for cost in bad:
        with pytest.raises(dp.InvalidArgument) as caught:
            gate.admit(cost)
        texts += [str(caught.value), repr(caught.value.value)]
        texts += traceback.format_exception_only(caught.value)
    return "\n".join(map(str, texts))


def test_nothing_of_it_is_shown():
    """Two filters of equal releases print the same, whatever the rows cost; errors too, and no
    number of records.
    """
    poor, rich, larger = gate_of(), gate_of(), gate_of([1.0] * N)
    for _ in range(3):
        poor.admit([SECRET] * N)
        rich.admit([0.0] * (N - 1) + [0.9])
        larger.admit(np.zeros(N))
    assert shown(poor) == shown(rich) == shown(larger)
    assert str(SECRET) not in shown(poor)
    assert "3 releases" in repr(poor)
    assert str(N) not in shown(poor)


def test_bad_costs_charge_nobody():
    """What was refused left all as it was."""
    gate = gate_of()
    shown(gate)
    assert gate.releases == 0
    assert gate.admit([1.0] * N).all()


@pytest.mark.parametrize("use", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_is_not_copied_or_saved(use):
    """With the way out."""
    with pytest.raises(dp.InvalidArgument, match="keep it in the process"):
        use(gate_of())


@pytest.mark.parametrize("use", [len, iter, list, vars, lambda gate: gate[0], lambda g: 1 in g])
def test_it_offers_no_parts(use):
    """Neither a length nor entries, by accident."""
    with pytest.raises(TypeError):
        use(gate_of())


def test_public_names_are_few():
    """What is not begun by an underscore says nothing of rows."""
    assert {name for name in dir(gate_of()) if name[0] != "_"} == {"admit", "kind", "releases"}


def test_replace_one_is_refused():
    """By name, with why and what to do; and so is any other relation."""
    for relation in (dp.REPLACE_ONE, "add_remove", None):
        with pytest.raises(dp.InvalidArgument, match="quarter of the budget"):
            IndividualFilter([1.0], kind=dp.GaussianDP, relation=relation)
    with pytest.raises(TypeError):
        IndividualFilter([1.0], kind=dp.GaussianDP)


@pytest.mark.parametrize("kind", [dp.PureDP, dp.ApproxDP, "gaussian", None], ids=str)
def test_only_two_kinds_have_the_theorem(kind):
    """zCDP and Gaussian DP."""
    for make in (
        lambda: IndividualFilter([1.0], kind=kind, relation=dp.ADD_REMOVE),
        lambda: gaussian_cost([1.0], 1, kind=kind),
    ):
        with pytest.raises(dp.InvalidArgument, match=r"dp\.GaussianDP"):
            make()


sizes = some.floats(0, 1e300) | some.floats(0, 1e-300) | some.floats(0, 10)
stds = some.floats(1e-300, 1e300) | some.floats(0.01, 10) | some.integers(1, 9)


@settings(max_examples=500, deadline=None)
@given(sizes, stds)
def test_gaussian_costs_are_rounded_up(norm, std):
    """At least the quotient of Fractions, and by 1e-14 of it at most, beside underflow; infinite
    only where the square of the quotient is no double.
    """
    for kind, part in ((dp.GaussianDP, 1), (dp.ZeroConcentratedDP, 2)):
        (cost,) = gaussian_cost([norm], std, kind=kind).tolist()
        for noise in (Fraction(std), Fraction(repr(std))):
            true = (Fraction(norm) / noise) ** 2 / part
            assert cost == math.inf or min(Fraction(cost), Fraction(repr(cost))) >= true
            most = true * (1 + Fraction(1, 10**14)) + Fraction(2.0**-1060)
            assert true > 8 * 10**307 if cost == math.inf else Fraction(cost) <= most
            assert (cost == 0) == (norm == 0)


@pytest.mark.parametrize("std", [255, 1.9999, 0.1, Fraction(65535, 2)])
def test_many_gaussian_costs_are_rounded_up(std):
    """Where the double below the std is near it; as doubles, and as the decimals that are read."""
    norms = np.random.default_rng(0).uniform(0, 2, 3000)
    costs = gaussian_cost(norms, std, kind=dp.GaussianDP).tolist()
    assert all(
        min(Fraction(cost), Fraction(repr(cost))) >= (Fraction(norm) / Fraction(std)) ** 2
        for cost, norm in zip(costs, norms.tolist(), strict=True)
    )


def test_infinite_norms_stay_out():
    """A record that nothing bounds costs inf, and is never admitted."""
    cost = gaussian_cost([math.inf, 1e200, 0.5], 1, kind=dp.GaussianDP)
    assert np.isinf(cost).tolist() == [True, True, False]
    assert gate_of([1.0] * 3).admit(cost).tolist() == [False, False, True]


@pytest.mark.parametrize("std", [0, -1, math.nan, math.inf, "1", None, True, 5e-324, [1.0]])
def test_a_std_is_a_number(std):
    """Above 0."""
    with pytest.raises(dp.InvalidArgument):
        gaussian_cost([1.0], std, kind=dp.GaussianDP)


@settings(max_examples=300, deadline=None)
@given(
    some.lists(
        some.lists(
            some.floats(-1e200, 1e200) | some.floats(-1, 1) | some.floats(-1e-300, 1e-300),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_row_norms_are_rounded_up(rows):
    """Squares of norms against sums of squares of Fractions."""
    for row, norm in zip(rows, row_norms(rows).tolist(), strict=True):
        true = sum(Fraction(x) ** 2 for x in row)
        assert true <= Fraction(norm) ** 2 or norm == math.inf
        assert Fraction(norm) ** 2 <= true * (1 + Fraction(1, 10**13)) + Fraction(2.0**-1060)
        with mpmath.workdps(40):
            assert norm <= mpmath.norm(row) * (1 + mpmath.mpf("1e-13")) + mpmath.mpf(2) ** -1060


def test_long_rows_are_rounded_up():
    """A thousand equal entries, whose sum of squares numpy rounds, and infinite ones."""
    rows = np.full((1, 1001), 0.1)
    assert Fraction(row_norms(rows)[0]) ** 2 >= 1001 * Fraction(0.1) ** 2
    assert row_norms([[math.inf, 1.0], [0.0, 0.0]]).tolist() == [math.inf, 0.0]
    for bad in ([1.0], [[math.nan]], [["1"]], np.empty((0, 2)), np.empty((2, 0))):
        with pytest.raises(dp.InvalidArgument):
            row_norms(bad)


# ------------------------------------------------------------------ Ledgers of personalised targets
GROUPS = {"a": "1/10", "b": 1}
NAMES = ["b", "a", "b"]


@pytest.mark.parametrize(
    ("target", "kind", "budgets"),
    [
        (dp.PersonalizedDP(GROUPS), dp.PureDP, [(1,), (Fraction(1, 10),), (1,)]),
        (dp.PersonalizedDP(mu=GROUPS), dp.GaussianDP, [(1,), (Fraction(1, 100),), (1,)]),
        (dp.PersonalizedDP(rho=[0.5, 0.25, 2]), dp.ZeroConcentratedDP, [(0.5,), (0.25,), (2,)]),
        (
            dp.PersonalizedDP(GROUPS, delta="1e-6"),
            dp.ApproxDP,
            [
                (1, Fraction(1, 10**6)),
                (Fraction(1, 10), Fraction(1, 10**6)),
                (1, Fraction(1, 10**6)),
            ],
        ),
        (
            dp.PersonalizedDP([0.5, 0.25, 2], delta="1/4"),
            dp.ApproxDP,
            [(0.5, 0.25), (0.25, 0.25), (2, 0.25)],
        ),
    ],
    ids=str,
)
def test_a_ledger_has_the_budgets_of_its_target(target, kind, budgets):
    """In the currency that adds up: squares of mu."""
    ledger = dp.RecordLedger(target, NAMES if target.groups else None)
    assert ledger.kind is kind
    found = [ledger.account(k).budget.amounts for k in range(3)]
    assert [tuple(one.value for one in amounts) for amounts in found] == budgets


def test_a_listed_mu_is_squared_downwards():
    """The square that is spent is at most the square that was promised."""
    mu = np.array([0.1, 1 / 3, 0.7])
    ledger = dp.RecordLedger(dp.PersonalizedDP(mu=mu))
    for k in range(3):
        found = ledger.account(k).budget.amounts[0].value
        assert found <= Fraction(repr(float(mu[k]))) ** 2
        assert found >= Fraction(mu[k]) ** 2 * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize(
    "target",
    [dp.PersonalizedDP(dp.each("epsilon")), dp.PersonalizedDP({"a": dp.parameter("e"), "b": 1})],
    ids=str,
)
def test_budgets_without_numbers_are_refused(target):
    """There is nothing to add up to."""
    with pytest.raises(dp.InvalidArgument):
        dp.RecordLedger(target, NAMES)


def test_a_ledger_of_another_kind_is_refused():
    """A target says its kind."""
    with pytest.raises(dp.InvalidArgument, match="kind"):
        dp.RecordLedger(dp.PersonalizedDP(GROUPS), NAMES, kind=dp.GaussianDP)
