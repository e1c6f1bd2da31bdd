"""Every record's total agrees with sums of Fractions; what is refused changes nothing."""

import contextlib
import copy
import math
import pickle
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.budgets.records import RecordLedger
from dpframe.budgets.records.amounts import (
    MOST,
    PLACES,
    Quantum,
    budgets_and_kind,
    quantum_for,
)
from dpframe.numbers import shortest


class Model:
    """Totals of single records in Fractions, by the rules that the docstring states."""

    def __init__(self, budgets, quantum):
        """Nothing spent."""
        self.budgets, self.quantum = budgets, quantum
        self.spent = [Fraction(0)] * len(budgets)
        self.shared = [Fraction(0)] * len(budgets)  # the part of it that all of a group paid

    def spend(self, costs, who, *, together):
        """True where it fit everybody who takes part; else nothing changed."""
        up = costs if together else [math.ceil(c / self.quantum) * self.quantum for c in costs]
        after = [s + c if w else s for s, c, w in zip(self.spent, up, who, strict=True)]
        shared = [s + c if together else s for s, c in zip(self.shared, costs, strict=True)]
        own = [a - s for a, s in zip(after, shared, strict=True)]
        fits = all(
            o <= (b - s) // self.quantum * self.quantum
            for o, b, s in zip(own, self.budgets, shared, strict=True)
        )
        if fits:
            self.spent, self.shared = after, shared
        return fits


exact = some.one_of(
    some.integers(1, 2000).map(lambda k: Fraction(k, 1000)),
    some.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50),
)
decimals = some.integers(1, 999_999).map(lambda k: k / 10**6)
N = 6


@some.composite
def releases(draw, *, grouped):
    """A cost for all, a group or a record, and who takes part."""
    who = draw(some.none() | some.lists(some.booleans(), min_size=N, max_size=N))
    form = draw(some.sampled_from(["one", "group", "record"] if grouped else ["one", "record"]))
    if form == "one":
        return draw(exact | decimals), who
    if form == "group":
        return {name: draw(exact) for name in "abc"}, who
    return draw(some.lists(decimals, min_size=N, max_size=N)), who


def by_record(cost, groups):
    """The cost of each record as a Fraction."""
    if isinstance(cost, dict):
        return [cost[g] for g in groups]
    each = cost if isinstance(cost, list) else [cost] * N
    return [Fraction(repr(c)) if isinstance(c, float) else c for c in each]


def totals(ledger):
    """What each record has spent, exactly."""
    return [ledger.account(i).spent.amounts[0].value for i in range(N)]


def play(ledger, model, groups, steps):
    """The same releases to both; they agree on each."""
    for cost, who in steps:
        everybody = who is None or all(who)
        together = everybody and not isinstance(cost, list) and groups is not None
        taking = [True] * N if who is None else who
        before, seal = totals(ledger), ledger.seal
        fits = model.spend(by_record(cost, groups), taking, together=together)
        assert ledger.fits(cost, who) == fits
        if fits:
            ledger.spend(cost, who)
        else:
            with pytest.raises(dp.BudgetExceeded, match="No record was charged"):
                ledger.spend(cost, who)
            assert (totals(ledger), ledger.seal) == (before, seal)
        assert totals(ledger) == model.spent


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    some.lists(exact, min_size=3, max_size=3),
    some.lists(some.sampled_from("abc"), min_size=N, max_size=N),
    some.lists(releases(grouped=True), max_size=15),
)
def test_groups_are_their_model(budgets, groups, steps):
    """Budgets with any denominators, whole groups, masks and arrays in any order."""
    named = dict(zip("abc", budgets, strict=True))
    ledger = RecordLedger(named, groups, kind=dp.ZeroConcentratedDP)
    model = Model([named[g] for g in groups], ledger.quantum[0])
    play(ledger, model, groups, steps)
    left = [b - s for b, s in zip(model.budgets, model.spent, strict=True)]
    for line in ledger.report():
        mine = [i for i in range(N) if groups[i] == line.group]
        assert line.count == len(mine)
        assert line.budget.rho.value == named[line.group]
        if mine:
            assert line.least_remaining.rho.value == min(left[i] for i in mine)
            assert line.largest_spent.rho.value == max(model.spent[i] for i in mine)


@settings(max_examples=150, deadline=None)
@given(
    some.lists(decimals | exact, min_size=N, max_size=N),
    some.lists(releases(grouped=False), max_size=15),
)
def test_single_budgets_are_their_model(budgets, steps):
    """Budgets rounded down to the quantum, costs up."""
    if not any(isinstance(b, Fraction) for b in budgets):
        budgets = np.array(budgets)
    ledger = RecordLedger(budgets, kind=dp.PureDP)
    quantum = ledger.quantum[0]
    named = [Fraction(repr(float(b))) if isinstance(b, float) else b for b in budgets]
    floors = [b // quantum * quantum for b in named]
    assert all(b - f < min(named) / 10**9 for b, f in zip(named, floors, strict=True))
    play(ledger, Model(floors, quantum), None, steps)
    (line,) = ledger.report()
    spent = totals(ledger)
    assert line.largest_spent.epsilon.value == max(spent)
    assert line.least_remaining.epsilon.value == min(
        b - s for b, s in zip(floors, spent, strict=True)
    )


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("parts", [2, 3, 7, 10, 1000])
def test_equal_parts_fill_a_budget(masked, parts):
    """Tenths, thirds and sevenths of decimals: nothing is left, and nothing more fits."""
    ledger = RecordLedger({"a": 0.7, "b": 0.35}, ["a", "b", "b"], kind=dp.PureDP)
    who = [True, True, False] if masked else None
    for _ in range(parts):
        ledger.spend({"a": Fraction(7, 10 * parts), "b": Fraction(7, 20 * parts)}, who)
    assert ledger.remaining[:2].tolist() == [0.0, 0.0]
    assert ledger.spent[:2].tolist() == [0.7, 0.35]
    assert ledger.affords(1e-12).tolist() == [False, False, masked]


def test_a_mask_of_everybody_is_no_mask():
    """Elevenths are no whole quanta, and still exact where everybody pays."""
    ledger = RecordLedger({"a": 1}, [0, 0], kind=dp.PureDP)
    for who in [None, [True, True]] * 5 + [[True, True]]:
        ledger.spend(Fraction(1, 11), who)
    assert ledger.remaining.tolist() == [0.0, 0.0]
    rounded = RecordLedger({"a": 1}, [0, 0], kind=dp.PureDP)
    for _ in range(10):
        rounded.spend(Fraction(1, 11), who=[True, False])
    assert not rounded.fits(Fraction(1, 11), who=[True, False])
    assert rounded.affords(Fraction(1, 11)).tolist() == [False, True]


@pytest.mark.parametrize(("away", "up"), [("1e-6", False), ("0.1", True)])
def test_a_common_delta_is_rounded_to_its_side(away, up):
    """Budgets down and costs up, where a decimal next to the exact number reads as the same one."""
    delta = Fraction(away) + Fraction(1 if up else -1, 10**30)
    target = dp.PersonalizedDP([0.1, 1.0], delta)
    double = budgets_and_kind(target, None, up=up)[0][1][0]
    assert (shortest(float(double)) >= delta) if up else (shortest(float(double)) <= delta)


def test_single_budgets_are_rounded_down():
    """Any doubles, as their shortest decimals: within 1e-9 of the smallest, and never more."""
    budgets = np.random.default_rng(0).uniform(0.1, 3, 300)
    ledger = RecordLedger(budgets, kind=dp.PureDP)
    for i, budget in enumerate(budgets.tolist()):
        kept = ledger.account(i).budget.epsilon.value
        assert kept <= Fraction(repr(budget))
        assert Fraction(repr(budget)) - kept < Fraction(1, 10**10)


@pytest.mark.parametrize("name", ["groups", "singles"])
def test_the_order_of_releases_does_not_matter(name):
    """All orders of the same releases are one ledger; splitting common and own moves no total."""
    steps = [
        (0.1, None),
        (0.2, [True, False, True]),
        ([0.1, 0.3, 0.05], None),
        ([0.1, 0.3, 0.05], [False, True, True]),
    ]

    def played(order):
        if name == "groups":
            ledger = RecordLedger({"a": 1, "b": 2}, ["a", "b", "b"], kind=dp.PureDP)
        else:
            ledger = RecordLedger([1.0, 2.0, 1.5], kind=dp.PureDP)
        for cost, who in order:
            ledger.spend(cost, who)
        return ledger

    first = played(steps)
    assert first == played(steps[::-1]) == played(steps[2:] + steps[:2])
    apart = played([([0.1, 0.1, 0.1], None), *steps[1:]])
    assert [first.account(i) for i in range(3)] == [apart.account(i) for i in range(3)]
    assert first != played([(0.1000001, None), *steps[1:]])
    assert first != played([*steps, (1e-9, [False, True, False])])


doubles = some.floats(min_value=0, max_value=4, exclude_min=True) | some.floats(
    min_value=2.0**-60, max_value=1
)


@settings(max_examples=500, deadline=None)
@given(some.lists(doubles, min_size=1, max_size=50), some.integers(0, PLACES))
def test_doubles_are_moved_to_the_safe_side(values, places):
    """Against ceilings and floors of Fractions, both as decimals and as the doubles they are."""
    quantum = Quantum(places)
    array = np.minimum(np.array(values), MOST / quantum.per_one)
    ups, downs = quantum.all_up(array).tolist(), quantum.all_down(array).tolist()
    for value, up, down in zip(array.tolist(), ups, downs, strict=True):
        decimal, double = (Fraction(x) * quantum.per_one for x in (repr(value), value))
        if decimal % 2520 == 0 and decimal < 2520 * 10**15:
            assert up == down == decimal
        else:
            slack = 1 + decimal / 2**50
            assert max(decimal, double) <= up <= decimal + slack
            assert decimal - slack <= down <= min(decimal, double)


@given(some.lists(some.integers(0, MOST), min_size=1, max_size=20), some.integers(0, PLACES))
def test_counts_are_shown_on_the_side_that_is_said(counts, places):
    """As decimals: spent is at least, remaining at most; and close."""
    quantum = Quantum(places)
    for up in (True, False):
        shown = quantum.doubles(np.array(counts), up=up)
        for count, value in zip(counts, shown.tolist(), strict=True):
            error = Fraction(repr(value)) - quantum.amount(count)
            assert error == 0 or (error > 0) == up
            assert abs(error) <= quantum.amount(count) / 2**48


@given(
    some.fractions(min_value=Fraction(1, 10**13), max_value=10**6),
    some.integers(1, 10**8),
)
def test_the_quantum_is_fine_enough(least, ratio):
    """1e-9 of the smallest budget, and sums of the largest and any cost fit 64 bits."""
    quantum = quantum_for(least, least * ratio)
    assert quantum.amount(1) <= least / 10**9
    assert quantum.down(least * ratio) <= MOST
    assert MOST + quantum.up(Fraction(10**300)) < 2**63
    assert int(quantum.all_up(np.array([math.inf]))[0]) + MOST < 2**63
    assert int(quantum.all_up(np.array([math.inf]))[0]) > MOST
    assert int(float(quantum.per_one)) == quantum.per_one


@pytest.mark.parametrize("budgets", [[1e-20, 1e-20], [1e-6, 1e6], [1e15, 1e15], [5e-324, 1]])
def test_budgets_too_far_apart_are_refused(budgets):
    """With the way out; sums would overflow, or round too much."""
    with pytest.raises(dp.InvalidArgument, match="several ledgers"):
        RecordLedger(budgets, kind=dp.PureDP)
    with pytest.raises(dp.InvalidArgument, match="several ledgers"):
        RecordLedger(dict(zip("ab", budgets, strict=True)), ["a", "b"], kind=dp.PureDP)


def test_everybody_costs_no_pass_over_records(people):
    """No array is made before a mask, none replaced after it."""
    people.spend(0.1)
    assert people._state.columns[0].own is None
    people.spend(0.1, who=[True, True, False, False, True])
    own = people._state.columns[0].own
    people.spend({"careful": 0.3, "open": 0.1})  # nothing is left to some
    assert people._state.columns[0].own is own
    assert people.remaining.tolist() == [0.0, 1.7, 0.1, 1.8, 1.7]
    with pytest.raises(dp.BudgetExceeded):
        people.spend(0.001)
    assert people._state.columns[0].own is own


def test_a_guarantee_is_a_cost(people):
    """Guarantees and shares count by their amounts; other kinds by a cited implication."""
    people.spend(dp.PureDP(0.1))
    people.spend(dp.PureDP("1/10").budget, who=[True, False, False, False, False])
    assert people.spent.tolist() == [0.2, 0.1, 0.1, 0.1, 0.1]
    ledger = RecordLedger({"a": 1}, [0, 0], kind=dp.GaussianDP)
    ledger.spend(dp.GaussianDP("1/2"))
    assert ledger.spent.tolist() == [0.25, 0.25]
    with pytest.raises(dp.InvalidArgument):
        ledger.spend(dp.PureDP(0.1))


def test_pairs_are_added_apart():
    """Either epsilon or delta may run out; of a pure release delta is 0."""
    budgets = {"a": dp.ApproxDP(1, "1e-6"), "b": (2, 1e-5)}
    ledger = RecordLedger(budgets, ["a", "b", "b"], kind=dp.ApproxDP)
    ledger.spend(dp.PureDP(0.5))
    ledger.spend(([0.1, 0.2, 0.3], 1e-6), who=[True, True, False])
    assert ledger.spent.tolist() == [[0.6, 1e-6], [0.7, 1e-6], [0.5, 0.0]]
    assert ledger.affords((0.1, 1e-6)).tolist() == [False, True, True]
    with pytest.raises(dp.BudgetExceeded, match=r"group 'a'.*epsilon 2/5 and delta 0 is left"):
        ledger.spend((0.1, 1e-6))
    with pytest.raises(dp.BudgetExceeded, match="group 'b'"):
        ledger.spend({"a": dp.PureDP(0.1), "b": (1.31, 1e-9)})
    for bad in (0.1, [0.1, 0.1, 0.1], (0.1,), (0.1, 0.1, 0.1), (0.1, "1e-6"), (0, 1e-6)):
        with pytest.raises(dp.InvalidArgument):
            ledger.spend(bad)


def test_a_refusal_names_the_group_and_no_record(people):
    """Nor does its `remaining`; the data holder asks who it was."""
    people.spend(0.3, who=[False, False, True, True, False])
    with pytest.raises(dp.BudgetExceeded) as caught:
        people.spend(0.25)
    assert "group 'careful'" in str(caught.value)
    assert "epsilon 1/5 is left" in str(caught.value)
    assert caught.value.remaining.epsilon == dp.constant("1/5")
    assert np.flatnonzero(~people.affords(0.25)).tolist() == [2]
    assert people.fits(0.25, who=people.affords(0.25))
    singles = RecordLedger([0.1, 5.0], kind=dp.PureDP)
    with pytest.raises(dp.BudgetExceeded, match="epsilon 1/10 is left"):
        singles.spend(0.2)


@settings(max_examples=100, deadline=None)
@given(
    some.lists(
        exact | some.lists(some.floats(1e-9, 3), min_size=N, max_size=N), min_size=1, max_size=12
    ),
    some.booleans(),
)
def test_whom_it_fits_can_always_pay(steps, grouped):
    """spend(cost, who=affords(cost)) never fails, and says the truth about the others."""
    if grouped:
        budgets = {"a": Fraction(10, 7), "b": Fraction(22, 13)}
        ledger = RecordLedger(budgets, ["a", "b"] * 3, kind=dp.PureDP)
    else:
        ledger = RecordLedger(np.linspace(0.5, 2, N), kind=dp.PureDP)
    for cost in steps:
        fits = ledger.affords(cost)
        for i in np.flatnonzero(~fits):
            assert not ledger.fits(cost, who=np.arange(N) == i)
        ledger.spend(cost, who=fits)
    assert (ledger.remaining >= 0).all()


def test_empty_groups_stop_nobody():
    """A group without people has nothing to exceed, and its report says so."""
    ledger = RecordLedger({"none": 0.1, "all": 1}, [1, 1], kind=dp.PureDP)
    ledger.spend(0.5)
    ledger.spend(0.5, who=[True, False])
    none, everybody = ledger.report()
    assert (none.count, none.largest_spent.epsilon) == (0, dp.constant(0))
    assert (everybody.count, everybody.least_remaining.epsilon) == (2, dp.constant(0))


BAD_COSTS = [
    0, -1, math.nan, math.inf, True, np.True_, "0.1", None, 1j, dp.EPSILON, dp.PureDP, object(),
    dp.PureDP(dp.EPSILON), dp.ZeroConcentratedDP(1), dp.ApproxDP(1, 1e-6), (0.1,), (0.1, 0.1),
    {}, {"careful": 0.1}, {"careful": 0.1, "open": 0}, {"careful": 0.1, "open": 0.1, "x": 0.1},
    {"careful": 0.1, "open": [0.1]}, [], [0.1] * 4, [[0.1] * 5], [0.1, [0.1], 0.1, 0.1, 0.1],
    [0.1, 0.1, 0.1, 0.1, 0], [0.1, 0.1, 0.1, 0.1, -1e-300], [0.1, 0.1, 0.1, 0.1, math.nan],
    [0.1, 0.1, 0.1, 0.1, math.inf], ["0.1"] * 5, [True] * 5, [0.1, 0.1, 0.1, 0.1, None],
    [Fraction(1, 9), 0.1, 0.1, 0.1, True], [Fraction(1, 9)] * 4 + [Fraction(-1, 9)],
    np.array(0.1), np.full((5, 1), 0.1), np.array([0.1] * 5, complex), np.zeros(5, "M8[s]"),
]  # fmt: skip


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("cost", BAD_COSTS, ids=lambda cost: f"{type(cost).__name__}")
def test_a_bad_cost_changes_nothing(people, cost):
    """Zero, negative, nan, infinite, text, truth values, other lengths and kinds."""
    people.spend(0.1, who=[True, False, True, False, True])
    before = people.seal
    for attempt in (people.spend, people.fits, people.affords):
        with pytest.raises(dp.InvalidArgument):
            attempt(cost)
    assert people.seal == before
    people.spend(0.1)


BAD_MASKS = [[], [True] * 4, [True] * 6, [1, 1, 1, 0, 0], ["True"] * 5, True, [0, 1], 2.0, "all"]


@pytest.mark.parametrize("who", [*BAD_MASKS, np.ones((5, 1), bool)], ids=str)
def test_a_bad_mask_changes_nothing(people, who):
    """One truth value a record, and nothing else."""
    before = people.seal
    with pytest.raises(dp.InvalidArgument):
        people.spend(0.1, who=who)
    assert people.seal == before


def test_nobody_pays_nothing(people):
    """A release that nobody joined is a release."""
    people.spend(1000, who=np.zeros(5, bool))
    assert (people.releases, people.spent.sum()) == (1, 0)


@pytest.mark.parametrize(
    ("budgets", "groups"),
    [
        ({"a": 0}, [0]),
        ({"a": math.nan}, [0]),
        ({"a": "one"}, [0]),
        ({}, [0]),
        ({"": 1}, [0]),
        ({3: 1}, [0]),
        ({"a": 1}, None),
        ({"a": 1}, []),
        ({"a": 1}, [1]),
        ({"a": 1}, ["b"]),
        ({"a": 1}, ["a", None]),
        ({"a": 1}, [0.0]),
        ({"a": 1}, [[0]]),
        ({"a": dp.ZeroConcentratedDP(1)}, [0]),
        ({"a": dp.PureDP(dp.EPSILON)}, [0]),
        (1, None),
        ([1.0], [0]),
        ([], None),
        ([0.0, 1], None),
        ([math.nan], None),
        (["one"], None),
        ([[1.0]], None),
        ([Fraction(0), 1], None),
    ],
)
def test_bad_budgets_are_refused(budgets, groups):
    """Each by a sentence with a way out or a requirement."""
    with pytest.raises(dp.InvalidArgument, match="must be"):
        RecordLedger(budgets, groups, kind=dp.PureDP)


def test_bad_pairs_are_refused():
    """Deltas lie below 1, and there are as many as epsilons."""
    for bad in (([1.0], [1.0]), ([1.0, 1.0], [0.1]), [1.0], ([1.0], [0.0]), ([1.0],)):
        with pytest.raises(dp.InvalidArgument):
            RecordLedger(bad, kind=dp.ApproxDP)
    for bad in ((1, 0), (1, 1), 1, (0, 0.1), dp.PureDP(1)):
        with pytest.raises(dp.InvalidArgument):
            RecordLedger({"a": bad}, [0], kind=dp.ApproxDP)


@pytest.mark.parametrize("kind", [dp.Guarantee, "pure", None, dp.PureDP(1)], ids=str)
def test_a_kind_is_a_class(kind):
    """One of the four that add."""
    with pytest.raises(dp.InvalidArgument):
        RecordLedger([1.0], kind=kind)


@pytest.mark.parametrize("record", [-1, 5, True, 1.0, "0", None])
def test_an_account_is_of_a_record(people, record):
    """A place among them."""
    with pytest.raises(dp.InvalidArgument):
        people.account(record)


def test_arrays_that_are_changed_afterwards_change_nothing():
    """Budgets, groups, masks, and what is given out are copies."""
    budgets, codes, who = np.array([1.0, 2.0]), np.array([0, 1]), np.array([True, False])
    singles = RecordLedger(budgets, kind=dp.PureDP)
    groups = RecordLedger({"a": 1, "b": 2}, codes, kind=dp.PureDP)
    for ledger in (singles, groups):
        ledger.spend(0.5, who=who)
        ledger.spent[:] = 9
        ledger.remaining[:] = 9
    budgets[:], codes[:], who[:] = 50, 1, True
    for ledger in (singles, groups):
        assert ledger.remaining.tolist() == [0.5, 2.0]


def test_threads_never_overspend():
    """Four threads ask for twice the budget of everybody, by masks; exactly it is granted."""
    ledger = RecordLedger({"a": 1}, np.zeros(50, int), kind=dp.PureDP)
    halves = [np.arange(50) < 25, np.arange(50) >= 25]

    def ask():
        for step in range(100):
            with contextlib.suppress(dp.BudgetExceeded):
                ledger.spend(Fraction(1, 100), who=halves[step % 2])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.releases == 200
    assert set(ledger.remaining) == {0.0}


FORK = """
import os, warnings
warnings.simplefilter("ignore")
import dpframe as dp
from dpframe.budgets.records import IndividualFilter, RecordLedger
ledger = RecordLedger([1.0], kind=dp.PureDP)
gate = IndividualFilter([1.0], kind=dp.GaussianDP, relation=dp.ADD_REMOVE)
child = os.fork()
if not child:
    refused = 0
    for spend in (lambda: ledger.spend(0.1), lambda: gate.admit([0.1])):
        try:
            spend()
        except dp.InvalidArgument:
            refused += 1
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_does_not_spend():
    """A child holds copies, which would be spent twice."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_is_not_copied(people, copied):
    """A copy would spend again; nor does a ledger hash, since it changes."""
    with pytest.raises(dp.InvalidArgument, match="spend again"):
        copied(people)
    with pytest.raises(TypeError):
        hash(people)


def test_repr_says_sizes(people, any_ledger):
    """And no totals of anybody."""
    people.spend(0.1)
    assert repr(people) == "RecordLedger(pure: 2 groups, 5 records, 1 releases)"
    assert repr(any_ledger).endswith("5 records, 0 releases)")
    assert str(people.report()[0]) == "careful: 2 records, budget 1/2, 2/5 left"
