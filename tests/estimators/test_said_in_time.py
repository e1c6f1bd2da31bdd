"""Warnings and errors of fits and summaries that name the next step."""

from __future__ import annotations

import warnings
from pathlib import Path

import attrs
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

import dpframe as dp
from tests.support.ratings import JOINING, SETTING, fitted, people


def private(setting=SETTING, **more):
    """With noise of the system."""
    given = {"epsilon": 1, "delta": "1e-6", "setting": setting} | more
    return dp.PrivateRegressor(dp.JointSSP(), **given)


@pytest.mark.parametrize(
    ("setting", "delta", "said"),
    [(SETTING, "1e-4", "1/n = 0.00025"), (JOINING, "1e-3", "1/n for n")],
)
def test_a_large_delta_is_warned_of_before_it_is_spent(setting, delta, said):
    """By public n, or where it is too large for any table."""
    with pytest.warns(dp.PrivacyWarning, match=f"is not far below {said}"):
        private(setting, delta=delta).fit(*people())


def test_a_simulation_is_warned_of_a_delta_for_no_table():
    """A rehearsal with delta 0.1 is no rehearsal of a private fit."""
    model = dp.PrivateRegressor(epsilon=1, delta="0.1", setting=JOINING, rng=0)
    with pytest.warns(dp.PrivacyWarning, match="Choose delta below"):
        model.fit(*people())


def test_receipts_of_clones_have_the_cost_of_all_fits():
    """As after a grid search; the first fit, and a simulation, have their own cost alone."""
    model, (X, y) = private(), people()
    assert model.fit(X, y).receipt_.together == ""
    with pytest.warns(dp.PrivacyWarning):
        again = clone(model).fit(X + 1, y)
    joint = dp.compose((again.certificate_, 2)).epsilon("2e-6").upper
    stated = str(again.receipt_).split("the fits together cost (")[1]
    assert joint <= float(stated.split(",")[0]) <= joint * (1 + 1e-5)
    assert stated.split(",")[1].strip().startswith("2e-6)-differential privacy")
    assert "together" not in str(fitted().fit(X, y).receipt_)


def moved(old, new):
    """By how many rows each training set changes."""
    return [len({*one} ^ {*other}) for (one, _), (other, _) in zip(old, new, strict=True)]


@pytest.mark.parametrize("setting", [SETTING, JOINING], ids=["replace", "join"])
def test_no_total_is_claimed_for_folds_that_one_person_moves(setting):
    """One person added to ten shifts the cuts of folds; one changed label shifts stratified
    folds.
    """
    grown, rows = np.zeros(11), np.zeros((12, 1))
    assert max(moved(KFold(5).split(grown[:10]), KFold(5).split(grown))) > 1
    labels = np.array([[0, 1] * 6, [0, 1, 1, 1] + [0, 1] * 4])
    assert max(moved(*(StratifiedKFold(3).split(rows, each) for each in labels))) > 1
    model = private(setting)
    model.fit(*people())
    with pytest.warns(dp.PrivacyWarning, match="only if no person moves another"):
        again = clone(model).fit(*people())
    assert "no total is proved there" in str(again.receipt_)


def test_a_large_delta_is_noted_by_the_released_count():
    """Where n is private; and a small one is not."""
    model = dp.PrivateRegressor(epsilon=1, delta="1e-4", setting=JOINING, rng=0)
    noted = "is not far below 1/n"
    assert any(noted in note for note in model.fit(*people()).summary().notes)
    assert not any(noted in note for note in fitted(1, JOINING).summary().notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private(JOINING, delta="1e-4").fit(*people())


def test_a_ledger_does_not_count_scores(tmp_path: Path):
    """Of any scorer: one warning for all fits."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("t", dp.ApproxDP(10, "1e-4"), relation=dp.ADD_REMOVE, by=dp.ApproxDP)
    model = private(JOINING, ledger=ledger, dataset="t")
    with pytest.warns(dp.PrivacyWarning) as caught:
        cross_val_score(model, *people(), cv=3, scoring="neg_mean_absolute_error")
    (message,) = (str(one.message) for one in caught)
    assert "but not scores of predictions" in message
    assert "Its total holds only if no person moves another" in message
    again = private(JOINING, ledger=ledger, dataset="t")
    with pytest.warns(dp.PrivacyWarning) as caught:
        cross_val_score(again, *people(), cv=3)
    own, second = (str(one.message) for one in caught)
    assert own.startswith("A score is computed from labels without noise")
    assert second == message


def test_a_level_is_answered_with_alpha():
    """And a misspelt word with the right one."""
    model = fitted()
    with pytest.raises(dp.InvalidArgument, match=r"got 'level'\. alpha=0\.1 has intervals at 90%"):
        model.summary(level=0.9)
    with pytest.raises(dp.InvalidArgument, match="'simultaneous'"):
        model.summary(simultanous="max")


def test_tests_print_as_a_table():
    """One line a contrast."""
    found = fitted().inference().t_test([{"age": 10}, "years"])
    assert str(found) == repr(found)
    titles, *rows = str(found).splitlines()
    assert titles.split() == ["coef", "std", "err", "P>|z|", "[0.025", "0.975]"]
    assert [row.split()[0] for row in rows] == ["10", "years"]
    assert f"{found.effect[1]:.4g}" in rows[1]


@pytest.mark.parametrize("name", ["conf_int", "t_test", "params", "rsquared"])
def test_names_of_statsmodels_lead_to_the_inference(name):
    """Of the estimator; other names are missing as usual."""
    model = fitted()
    with pytest.raises(AttributeError, match=rf"model\.inference\(\)\.{name}"):
        getattr(model, name)
    assert not hasattr(model, "confint")
    assert hasattr(model.inference(), name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("save", r"certificate_\.save"),
        ("summary().to_csv", r"summary_frame\(\)\.to_csv"),
        ("inference().f_test", "wald_test"),
    ],
)
def test_names_of_other_libraries_are_answered(name, said):
    """With what to write instead; other names are missing as usual."""
    *path, last = name.split(".")
    owner = getattr(fitted(), path[0][:-2])() if path else fitted()
    with pytest.raises(dp.errors.UnknownName, match=said):
        getattr(owner, last)
    assert not hasattr(owner, "nothing")


def test_a_plot_states_its_privacy_and_is_never_empty():
    """A path is refused with the call that writes a file."""
    pytest.importorskip("matplotlib")
    found = fitted().summary()
    with pytest.raises(dp.InvalidArgument, match=r"plot\(\)\.figure\.savefig"):
        found.plot("x.png")
    title = found.plot().get_title()
    assert "(1, 1e-6)-differential privacy" in title
    assert "simulation, NOT private" in title
    assert "NOT private" not in private().fit(*people()).summary().plot().get_title()
    hidden = np.full(3, np.inf)
    none = attrs.evolve(found, estimates=attrs.evolve(found.estimates, hidden=hidden))
    assert [text.get_text() for text in none.plot().texts] == ["no interval"] * 2
