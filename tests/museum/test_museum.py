"""Every bug of the museum is stopped by a gate for everybody, and mended it passes."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpframe as dp
from docs.generate.dossier import limit
from docs.generate.pages.museum import PAGE, page
from dpframe.audits import lower_bounds
from dpframe.literature.boosted_published import grid_mu
from dpframe.sensitivity import L2
from tests.attacks.statistics.facts import Measured
from tests.attacks.statistics.table_pairs import TablePair
from tests.museum.exhibits import n04_division as division
from tests.museum.exhibits import n05_last_bit as bits
from tests.museum.exhibits import n06_permute_and_flip as selection
from tests.museum.exhibits import n07_float_mean as deviations
from tests.museum.exhibits import n12_origin as origin
from tests.museum.exhibits import n13_true_budgets as budgets
from tests.museum.exhibits import n14_mu_as_std as boosted
from tests.museum.exhibits import n17_classical as classical
from tests.museum.exhibits import n19_true_beta as beta
from tests.museum.exhibits import n21_first_violation as first
from tests.museum.gates import GATES, certified
from tests.museum.museum import HERE, KNOWN, judged, museum, tally, walk
from tests.support.exact_laws import LAWS
from tests.support.oracles import delta_of

every = pytest.mark.parametrize("exhibit", museum(), ids=lambda one: f"{one.number}-{one.name}")


@every
@pytest.mark.some(1)
def test_the_bug_is_stopped(exhibit):
    """By its gate, with the numbers of this bug and of no other."""
    assert exhibit.found.stopped, exhibit.found.says
    for part in exhibit.shows:
        assert part in exhibit.found.says


@every
def test_the_corrected_port_passes_the_same_gate(exhibit):
    """A test of the test: a gate that stops everything stops nothing."""
    assert not exhibit.passed.stopped, exhibit.passed.says


@pytest.mark.slow
def test_thirteen_of_thirteen():
    """And all of the others."""
    known = [one for one in museum() if one.number <= KNOWN]
    assert [one.number for one in known] == list(range(1, KNOWN + 1))
    more = len(museum()) - KNOWN
    assert tally(museum()) == f"13 of 13, and {more} of {more} more"
    assert walk().endswith(tally(museum()))


def test_gates_know_no_exhibit():
    """No gate, nor the search behind it, mentions a system, an exhibit or what it is ported as."""
    searches = (Path(lower_bounds.__file__).parent, HERE.parent / "attacks" / "statistics")
    files = [HERE / "gates.py", HERE / "own.py", *(f for at in searches for f in at.glob("*.py"))]
    code = "".join(path.read_text().lower() for path in files)
    for exhibit in museum():
        assert exhibit.name.lower() not in code
    for word in ("opendp", "diffprivlib", "theil", "2**50", "1023 times", "smallest_positive"):
        assert word not in code


@pytest.mark.slow
def test_a_gate_is_no_formality():
    """Every gate stops some port and lets some pass."""
    assert {one.gate for one in museum()} | {"exact probabilities"} == set(GATES)
    assert {judged(one.wrong).stopped for one in museum()} == {True}


# ---------------------------------------------------------------- the numbers that were reported
def test_the_pair_of_the_issue_about_a_rounded_mean():
    """1024 records at 2^50 + 1/4, one becomes 2^50 + 1/2: 63.9 where 40.6 is stated."""
    X, y = deviations.RAW.nodes()
    low = deviations.LOW
    measured = Measured(deviations.Deviations(X, y.clip(low, low + 1)), 1)
    first = np.full(1024, low + 0.25)
    second = first.copy()
    second[0] = low + 0.5
    one, other = (measured.value(np.zeros((1024, 1)), labels)[0] for labels in (first, second))
    assert abs(one - other) == pytest.approx(63.9375)
    no, some = (np.zeros((0, 1)), np.zeros(0)), (np.zeros((1024, 1)), first)
    stated = measured.stated(L2, TablePair(some, no, no, 0))
    assert 0 <= stated - Fraction("40.6") < Fraction(1, 10**30)


@pytest.mark.parametrize("make", [dp.total, lambda y: y @ y], ids=["sum", "squares"])
def test_whole_steps_have_no_such_neighbours(make):
    """dpframe's own statistics of the same labels."""
    assert not deviations.ours(make).stopped


def test_the_tables_of_the_issue_about_an_origin():
    """Five rows (10, 0) and one that is (9, 0) or (11, 0): X'X moves by 40, and 1.41 is stated."""
    X, _ = origin.TABLE.nodes()
    rows = origin.Around(X, centred=False)
    measured = Measured(rows.T @ rows, 2)
    tables = [np.array([[10.0, 0]] * 5 + [[last, 0]]) for last in (9.0, 11.0)]
    first, second = (measured.value(table, np.zeros(6)) for table in tables)
    assert np.linalg.norm(first - second) == 40.0


def test_the_default_grid_puts_rows_where_they_are_stated_to_be():
    """The wrong norm of exhibit 12 does no harm where values are whole steps."""
    setting = dp.Setting(X=dp.Rows(norm=11), relation=dp.REPLACE_ONE)
    X, _ = setting.nodes()
    rows = origin.Around(X, centred=False)
    value = Measured(rows.T @ rows, 2).value(np.array([[11.0, 0.0]]), np.zeros(1))
    assert value[0, 0] <= 2**40


def test_mu_as_std_costs_1112():
    """The least epsilon at delta 1e-6 for the mu of exhibit 14, by the profile at 50 digits."""
    text = boosted.EXHIBIT.found.says
    mu = float(text.partition("mu at most ")[2].partition(",")[0])
    assert delta_of(1112, mu) < 1.1e-6 < delta_of(1110, mu)


def test_a_whole_is_not_blamed_for_its_parts():
    """Exhibit 17: one release breaks the theorem's constant, dp-statsmodels' three keep theirs."""
    told = classical.EXHIBIT.fact
    found = limit(dp.literature.SSPStatsmodels(), dp.REPLACE_ONE, Fraction(1, 10**6))
    assert f"up to epsilon = {math.floor(100 * found.epsilon) / 100:.2f}" in told


def test_the_first_point_that_fails_by_how_much():
    """Exhibit 21: its ratios, at 50 digits."""
    told, target = first.EXHIBIT.fact, Fraction(1, 10**5)
    ratios = [
        float(delta_of(e, float(grid_mu(e, target))) * 10**5)
        for e in map(Fraction, ("0.1", "0.3", "0.5", "1", "2", "3", "5", "10"))
    ]
    assert f"{ratios[-1]:.3f} times" in told
    assert f"{min(ratios):.4f} to {max(ratios[:-1]):.4f} times" in told
    assert float(first.FOUND) == float(grid_mu(Fraction(10), target))


def test_a_maximum_of_the_labels_is_refused_too():
    """Exhibit 19 sizes another noise by max(y)."""
    finding = beta.put(beta.largest)
    assert finding.stopped
    assert "maximum" in finding.says


# ------------------------------------------------------------------------- our own, at the gates
def test_our_sampler_passes_where_the_wrong_division_fails():
    """Exhibit 4's gate, before dpframe's own discrete Laplace noise."""
    assert not division.ours().stopped


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (selection.permuted_and_flipped, selection.FLIPPED.guarantee(selection.RANGE)),
        (selection.exponential, selection.WEIGHED.guarantee(selection.RANGE)),
        (selection.exponential, selection.BOUNDED_RANGE),
    ],
    ids=["permute-and-flip, pure", "exponential, pure", "exponential, concentrated"],
)
def test_our_claims_survive_enumeration(mechanism, claim):
    """Exhibit 6's gate, before what dpframe says of the two selections."""
    finding = selection.put(mechanism, claim)
    assert not finding.stopped, finding.says


@pytest.mark.parametrize(
    ("ours", "law"),
    [
        (selection.FLIPPED, selection.permuted_and_flipped),
        (selection.WEIGHED, selection.exponential),
    ],
    ids=["permute-and-flip", "exponential"],
)
def test_the_enumerated_mechanisms_are_ours(ours, law):
    """The fractions are the probabilities by which attacks judge dpframe's own classes."""
    for scores, _ in selection.PAIRS[::37]:
        found = LAWS[type(ours)]([score * Fraction(math.log(2)) for score in scores])
        expected = [float(one) for one in law(scores).values()]
        assert [float(one.mid()) for one in found] == pytest.approx(expected, abs=1e-12)


def test_the_enumerated_answers_are_ours():
    """Exhibit 5's bits are flipped as dp.mechanisms.RandomizedResponse(log 3) flips them."""
    one = dp.mechanisms.RandomizedResponse(dp.log(3)).probabilities([0])[0]
    assert one == pytest.approx([1 - float(bits.FLIP), float(bits.FLIP)], abs=1e-15)


@pytest.mark.parametrize("least", [1, 2])
def test_a_symbolic_number_of_draws_fits_its_budget(least):
    """T draws of epsilon/T each are epsilon, whatever T is."""
    finding = certified(
        lambda X, y, budget: budgets.turns(X, y, budget, least=least),
        target=dp.PureDP(dp.EPSILON),
        setting=budgets.TABLE,
    )
    assert not finding.stopped


def test_a_little_too_much_is_told_exactly():
    """10^-30 above the budget is refused by a fraction."""
    costs = [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)]
    finding = certified(
        lambda X, y, budget: budgets.counts(X, y, budget, weights=costs),
        target=dp.PureDP(1),
        setting=budgets.TABLE,
    )
    assert finding.stopped
    assert f"sum = {10**30 + 1}/{10**30}" in finding.says
    assert "the shares sum to 1 and 1e-30 more" in finding.says


@pytest.mark.slow
@pytest.mark.page
def test_the_page_is_fresh():
    """docs/museum.md is what `python -m docs.generate.pages.museum` writes."""
    assert PAGE.read_text() == page(), "stale: run python -m docs.generate.pages.museum"
