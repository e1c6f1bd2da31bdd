"""The dossier's lower bounds by attack, and its page."""

from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from docs.generate.dossier import page as dossier_page
from docs.generate.dossier import subjects
from docs.generate.dossier.attacked import attacked
from docs.generate.refutations import (
    boosted_coded,
    refutations_of,
    transposed_epsilon,
    transposed_factor,
    unsafe_distance,
)
from tests.dossier.published import epsilon_of
from tests.support.oracles import DIGITS

# ------------------------------------------ Bounds against closed forms, simulations and each other
D = Fraction(1, 10**6)


def fails(k, epsilon, scale):
    """The probability that the test of dp_regression/tukey.py fails at distance k."""
    threshold = mpmath.log(1 / (2 * mpmath.mpf(10) ** -6)) / (mpmath.mpf(epsilon) / 2)
    room = (threshold - k) / scale
    return 1 - mpmath.exp(-room) / 2 if room > 0 else mpmath.exp(room) / 2


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "10"])
def test_the_test_costs_two_over_epsilon(epsilon):
    """The best of a hundred distances, at 50 digits; nearly 2/epsilon, where epsilon/2 is claimed.
    With the mended noise it keeps to its share.
    """
    e = Fraction(epsilon)
    found, mended = unsafe_distance(e, D), unsafe_distance(e, D, mended=True)
    with mpmath.workdps(DIGITS):
        size = mpmath.mpf(epsilon) / 2
        pairs = ((fails(k, epsilon, size), fails(k + 1, epsilon, size)) for k in range(600))
        true = max(
            mpmath.log((p - mpmath.mpf(10) ** -6) / q) for p, q in pairs if p > mpmath.mpf(10) ** -6
        )
    assert found.found <= true + 1e-12
    assert found.found == pytest.approx(float(true), rel=1e-3)
    assert float(2 / e) * 0.99 < found.found < 2 / e
    assert found.refuted == (e < 2)
    assert not mended.refuted
    assert mended.found == pytest.approx(float(e / 2), rel=2e-3)


def test_boosted_bounds_grow_with_rounds():
    """And one round is the profile of three moves."""
    found = [boosted_coded(1, D, rounds).found for rounds in (1, 5, 100)]
    assert found == sorted(found)
    sigma = mpmath.mpf("4.224676")  # of (1, 1e-6)
    assert found[0] == pytest.approx(float(epsilon_of(mpmath.sqrt(3) * sigma)), rel=1e-5)


def test_what_is_spent_agrees_with_delta():
    """Where delta at the claim is above 1e-6, more than the claim was spent."""
    for name in ("balanced", "concentrated"):
        for epsilon in (Fraction(1, 10), 1):
            spent = transposed_epsilon(name, epsilon, D, 10**6)
            delta = transposed_factor(name, epsilon, D, 10**6)
            assert spent.quantity == "epsilon"
            assert (spent.found >= epsilon) == delta.refuted
            assert spent.refuted == (spent.found > spent.claimed)


def test_more_rows_spend_more():
    """A transposed factor is the worse the more is known in one direction."""
    found = [transposed_epsilon("balanced", 1, D, 10**power).found for power in (3, 4, 5, 6)]
    assert found == sorted(found)
    assert found[-1] > 20


def test_sampled_ridge_is_as_it_was_stated():
    """0.164 at a claim of 0.1, of 80 records at a threshold of 1; the best bound is no less."""
    (first, *_) = refutations_of("SampledRidgeCoded", Fraction(1, 10))
    assert first.found == pytest.approx(0.164, abs=5e-4)
    best = attacked("SampledRidgeCoded", Fraction(1, 10), D, dp.ADD_REMOVE)
    assert best.epsilon >= first.found


def test_attacks_are_of_their_relation():
    """The test of a distance is of replace-one; what joins a record is of add/remove."""
    assert attacked("TukeyCoded", Fraction(1), D, dp.ADD_REMOVE) is None
    assert attacked("TukeyCoded", Fraction(1), D, dp.REPLACE_ONE) is not None
    assert attacked("ObjPertCoded", Fraction(3), D, dp.REPLACE_ONE) is None
    assert attacked("ObjPertCoded", Fraction(3), D, dp.ADD_REMOVE).epsilon > 8.9
    assert attacked("SSPPiazza", Fraction(1), D, dp.ADD_REMOVE) is None


def test_a_bound_on_a_share_says_nothing_of_the_whole():
    """AdaOPS as printed fails its shares; no attack on it is about the whole."""
    assert attacked("AdaOPSPrinted", Fraction(1), D, dp.ADD_REMOVE) is None


def test_a_bound_on_delta_is_strict():
    """delta(1) > 1e-6 says that more than 1 is spent."""
    found = attacked("AdaOPSCoded", Fraction(1), D, dp.ADD_REMOVE)
    assert (found.epsilon, found.strict) == (1.0, True)


# --------------------------------------------------------------------- what public code does do


def test_a_search_says_where_it_ends():
    """Cells that agree across calibrations are the search's end, and say so."""
    found = {name: transposed_epsilon(name, 3, D, 10**6) for name in ("diffused", "balanced")}
    assert found["diffused"].found == 383.953125
    assert "the search ends at 383.95" in found["diffused"].how
    assert "search ends" not in found["balanced"].how


def test_sizes_of_an_attack_are_printed():
    """N, t and penalty of the sampled ridge; nothing where the claim says it all."""
    told = attacked("SampledRidgeCoded", Fraction(3), D, dp.ADD_REMOVE).how
    assert "at N = 20, t = 6, penalty = 1e+06:" in told
    assert (
        " at "
        not in attacked("BoostedAdaSSPCoded", Fraction(1), D, dp.ADD_REMOVE).how.partition(":")[0]
    )


# ---------------------------------------------------------------------------------- docs/dossier.md
@pytest.fixture
def page():
    """The page as it is."""
    return dossier_page.PAGE.read_text()


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh(page, cases):
    """docs/dossier.md is what `python -m docs.generate.dossier.page` writes."""
    stale = "stale: run python -m docs.generate.dossier.page"
    assert page == dossier_page.page(list(cases.values())), stale


def test_every_subject_is_in_both_tables(page):
    """And who is refused has a paragraph."""
    for cls in subjects():
        assert page.count(f"| [{cls.__name__}](regressions/{cls.__name__}.md) |") == 2
    for name in ("TukeyCoded", "DiffprivlibWithIntercept", "SSPWangCoded", "AdaSSPBudget"):
        assert page.count(f"**{name}.**") == 1
    assert "**FunctionalLinearPrinted.**" not in page


def test_bold_is_for_the_relation_of_the_claim(page):
    """Wang claims add/remove, Acharya replace-one: no cell of the other table is bold."""
    rows = [line for line in page.splitlines() if "](regressions/" in line]
    for name in ("SSPWang", "AdaSSPPiazza", "PersonalizedRidgePrinted", "UniformRidge"):
        own = [row for row in rows if f"[{name}]" in row]
        assert len(own) == 2
        assert not any("**" in row for row in own), name
    assert "**1.1383**" in next(row for row in rows if "[SSPThesis]" in row)


def test_every_kind_of_cell_is_in_the_legend(page):
    """Signs and words of the tables."""
    legend, _, rest = page.partition("## Sufficient")
    for sign in ("<=", ">=", "| > ", " to ", "none", "open", "**bold**"):
        assert sign in legend
    rows = [line for line in rest.splitlines() if "](regressions/" in line]
    for verdict in {row.split(" | ")[3] for row in rows}:
        assert f"| {verdict} |" in legend, verdict
    for word in ("*std*", "*mu*", "*profile*", "enclosures", "*share*", "*worst pair*", "boxes"):
        assert word.lower() in legend.lower()
