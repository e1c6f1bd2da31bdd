"""Summaries: the units of the codebook, agreement with least squares where noise is negligible, and
what is said where it is not.
"""

import json
import math
import pickle

import attrs
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import dpframe as dp
from dpframe.estimators.summary import (
    CHANCE,
    PENALTY,
    Summary,
    between,
    constant_of,
    counted,
    in_units,
)
from dpframe.estimators.units import Coefficients
from dpframe.graph.maps.bounds import Intercept
from dpframe.inference.evidence import Evidence
from dpframe.inference.row_set import RowSet
from tests.support.inferring import infer
from tests.support.ratings import JOINING, MUCH, SETTING, TRUE, fitted, people

BALL = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def labels_at(model, X, alpha=0.05):
    """Where new labels lie, for normal residuals."""
    return model.inference().get_prediction(X, residuals="normal").conf_int(alpha, obs=True)


@pytest.fixture(scope="module")
def exact():
    """A fit whose noise is negligible."""
    return fitted(MUCH)


@pytest.fixture(scope="module")
def noisy():
    """A fit with n and everything else in noise."""
    return fitted(1, JOINING)


# units ---------------------------------------------------------------------------------------


def test_the_constant_is_the_last_column_over_its_value():
    """Of an intercept of 2 after two columns; none without one."""
    rows = attrs.evolve(SETTING, X=dp.Rows(norm=1)).nodes()[0]
    maps = (Intercept(rows, 2),)
    assert np.array_equal(constant_of(maps, 3, lambda value: float(value.value)), [0, 0, 0.5])
    assert constant_of((), 3, float) is None


def test_an_affine_map_is_found_from_what_it_does():
    """Matrix, offset, names, against the map itself at a random point."""
    matrix, offset = np.array([[2.0, 0], [0, 3]]), np.array([0.5, -1])

    def linear(theta):
        found = matrix @ theta + offset
        return Coefficients(found, 7 - float(theta.sum()), ("a", "b"))

    found = in_units(linear, 2)
    assert found.names == ("a", "b", "intercept")
    at = np.array([0.3, -0.9])
    assert found.matrix @ at + found.offset == pytest.approx([1.1, -3.7, 7.6])


def test_an_intercept_that_was_not_fitted_is_left_out():
    """A constant row of the map is no coefficient."""
    found = in_units(lambda theta: Coefficients(4 * theta, 0.0, ("a", "b", "c")), 3)
    assert found.names == ("a", "b", "c")
    assert np.array_equal(found.matrix, 4 * np.eye(3))


def test_what_predictions_use_is_beside_the_estimates(noisy):
    """The column `fitted` is coef_ and intercept_."""
    found = noisy.summary()
    assert found.names == ("age", "years", "intercept")
    assert found.fitted == pytest.approx([*noisy.coef_, noisy.intercept_])


def test_the_covariance_goes_through_the_units(noisy):
    """By hand: age runs over 20, years over 15, labels over 4; the intercept is where both are
    at their centre.
    """
    evidence = noisy.result_.output.evidence
    scaled = infer(evidence, bound=1.0, constant=np.array([0, 0, 1.0]), rows=RowSet(np.sqrt(3)))
    ages, years = np.array([4 / 20, 0, 0]), np.array([0, 4 / 15, 0])
    constant = np.array([0, 0, 4.0]) - 40 * ages - 15 * years
    rows = np.stack([ages, years, constant])
    found = noisy.summary().estimates
    assert found.effect == pytest.approx(rows @ scaled.centre + [0, 0, 5])
    assert found.spread.errors == pytest.approx(np.diag(rows @ scaled.covariance @ rows.T))
    assert found.spread.private == pytest.approx(np.diag(rows @ scaled.private @ rows.T))


# where noise is negligible -------------------------------------------------------------------


def test_the_sample_is_known_where_noise_is_negligible(exact):
    """The other target: intervals of almost no width, around the least squares of the table."""
    X, y = people()
    best = np.linalg.lstsq(np.c_[X, np.ones(len(X))], y)[0]
    ends = exact.inference(target="sample").conf_int()
    assert ends == pytest.approx(np.stack([best, best], 1), rel=1e-3)
    assert np.all(np.diff(ends) < 0.01 * np.diff(exact.inference().conf_int()))


def test_new_labels_fall_into_their_intervals(exact, noisy):
    """Of 4,000 new records 95%, in units of the label; wider with noise and at a higher level."""
    X, y = people(seed=2)
    ends = labels_at(exact, X)
    assert ends.shape == (4000, 2)
    assert np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) == pytest.approx(0.95, abs=0.01)
    wider = labels_at(noisy, X)
    assert np.mean((wider[:, 0] <= y) & (y <= wider[:, 1])) > 0.93
    assert np.all(np.diff(labels_at(noisy, X, 0.01)) > np.diff(wider))
    everything = labels_at(noisy, X, 1e-12)
    assert everything.min() == 1
    assert everything.max() == 9


def test_intervals_cover_in_the_units_of_the_codebook():
    """Twelve simulated fits of fresh tables, three coefficients each."""
    inside = 0
    for seed in range(12):
        model = fitted(1, JOINING, data=people(2000, seed), seed=seed)
        ends = model.inference().conf_int()
        inside += int(np.sum((ends[:, 0] <= TRUE) & (TRUE <= ends[:, 1])))
    assert 30 <= inside <= 36


# what is printed -----------------------------------------------------------------------------


def test_it_prints_like_a_regression_table(noisy):
    """Header, one line a coefficient, what intervals cover."""
    found = noisy.summary(0.1)
    text = str(found)
    for wanted in (
        "JointSSP",
        "(1, 1e-6)-differential privacy for one row added or removed",
        "simulation, NOT private",
        "3 of 3 directions",
        "released, noise",
        "std err",
        "privacy share",
        "P>|z|",
        "[0.05",
        "Intervals are for the population's coefficients, with labels clipped to [",
    ):
        assert wanted in text
    lines = [line for line in text.splitlines() if line.strip().startswith("years")]
    assert len(lines) == 1
    cells = lines[0].replace(">= ", "").split()
    assert len(cells) == len(("name", "coef", "fitted", "err", "of", "z", "p", "[", "]"))
    assert repr(found) == text
    assert "this very table" in str(noisy.summary(target="sample"))


def test_records_are_json_and_hold_what_is_printed(noisy):
    """As one dictionary."""
    found = noisy.summary()
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["header"]["regression"] == "JointSSP"
    assert read["alpha"] == 0.05
    first = read["coefficients"][0]
    assert first["name"] == "age"
    assert [first["lower"], first["upper"]] == pytest.approx(found.intervals[0])
    assert first["coef"] == pytest.approx(sum(found.intervals[0]) / 2)
    assert read["notes"] == list(found.notes)


def test_where_noise_hides_a_direction_nothing_is_claimed():
    """No interval, p-values of 1, the reason, and a way out that works."""
    model = fitted("0.001", JOINING)
    found = model.summary()
    assert np.all(np.isinf(found.intervals))
    assert "-inf" in str(found)
    hides = "The noise hides 3 of 3 directions: no coefficient has an interval."
    assert hides in " ".join(str(found).split())
    assert "not identified" in str(model.summary(notes=True))
    record = json.loads(json.dumps(found.records(), allow_nan=False))[0]
    assert record["lower"] is None
    assert record["std_err"] is None
    assert record["coef"] is None
    assert record["z"] is None
    assert record["p_value"] is None
    assert np.array_equal(labels_at(model, people()[0][:3]), [[1, 9]] * 3)
    assert np.all(np.isfinite(model.inference(largest=2.0).conf_int()))


def test_equal_coefficients_are_shown_once(exact):
    """A column `fitted` only where predictions use something else."""
    same = exact.summary()
    one = attrs.evolve(same, fitted=same.estimates.effect)
    other = attrs.evolve(same, fitted=same.estimates.effect + same.estimates.sd)
    assert "fitted" not in str(one)
    assert "fitted" in str(other)
    assert isinstance(one, Summary)


def penalised(gram, moment):
    """Ridge regression by a penalty that does not shrink with the noise."""
    return np.linalg.solve(gram + 1000 * np.eye(len(moment)), moment)


class Penalised(dp.Regression):
    """Sums of two columns and an intercept; the penalty is large."""

    def declare(self, X, y, budget):
        """Both released with half the budget."""
        for_gram, for_moment = budget.split_evenly(2)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, for_gram, name="gram")
        return dp.post(penalised, gram, dp.release(X.T @ y, dp.Gaussian.analytic, for_moment))


def test_a_note_names_coefficients_whose_fitted_value_is_outside_the_interval(exact):
    """A penalty moves `fitted` out of the interval, which covers the truth; `coef` is inside."""
    found = fitted(MUCH, JOINING, Penalised()).summary()
    low, high = found.intervals.T
    outside = [name for i, name in enumerate(found.names) if not low[i] < found.fitted[i] < high[i]]
    assert outside
    assert np.all((low < TRUE) & (TRUE < high))
    (note,) = (text for text in found.notes if "fitted is outside" in text)
    share = abs(found.fitted[-1] / found.estimates.effect[-1] - 1)
    assert f"intercept ({share:.0%} larger than coef)" in note
    assert all(name in note for name in outside)
    assert "fitted is the output of Penalised" in " ".join(found.notes)
    assert "Report coef there" not in " ".join(found.notes)
    assert not [*exact.summary().outside(PENALTY)]
    assert not [*attrs.evolve(found, fitted=found.estimates.effect).outside(PENALTY)]


def test_the_note_on_fitted_values_is_short_and_of_no_interval_below_95(exact):
    """Three names and a count; one coefficient in two is outside an interval of 50% by chance."""
    found = exact.summary()
    off = attrs.evolve(found, fitted=found.estimates.effect + found.estimates.sd)
    assert not [
        *off.outside(CHANCE),
        *attrs.evolve(off, alpha=0.5).outside(CHANCE),
    ]
    negative = attrs.evolve(found, fitted=-found.estimates.effect)
    (note,) = negative.outside(CHANCE)
    assert note.startswith("fitted is outside the 95% interval of age (-")
    assert note.endswith(CHANCE)
    assert not [*attrs.evolve(negative, alpha=1e-300).outside(CHANCE)]


def test_z_stands_only_where_it_gives_the_p_values(exact, noisy):
    """With almost no noise it does; where noise hides something it is left out."""
    assert exact.summary().tested_by_z
    assert "     z  P>|z|" in str(exact.summary())
    found = noisy.summary().estimates
    off = attrs.evolve(found, hidden=0.5 * found.sd, effect=2.5 * found.sd)
    shown = attrs.evolve(noisy.summary(), estimates=off)
    assert not shown.tested_by_z
    assert "z" not in shown.records()[0]
    assert "  z  " not in str(shown)
    assert "P>|z|" in str(shown)


def test_notes_state_how_far_intervals_extend_in_standard_errors(exact):
    """Where that is not the quantile of a normal law: with the range of the table."""
    found = fitted("0.1", JOINING).summary(notes=True)
    known = np.isfinite(found.estimates.sd)
    stds = np.diff(found.intervals[known])[:, 0] / 2 / found.estimates.sd[known]
    (note,) = (text for text in found.notes if "standard errors to either side" in text)
    ends = " to ".join(dict.fromkeys(f"{one:.2g}" for one in (stds.min(), stds.max())))
    assert f"Intervals extend {ends} standard errors" in note
    assert "not 1.96" in note
    assert not any("to either side" in text for text in exact.summary(notes=True).notes)


def test_numbers_of_the_header_by_hand():
    """With the ends of their intervals, or the noise on them."""
    assert between(0.4, np.array([0.31234, 0.5])) == "0.400 [0.312, 0.500]"
    assert fitted("0.05", JOINING).summary().header["R-squared"] == "lost in noise"
    assert between(math.nan, np.array([0.0, 1.0])) == "lost in noise"
    assert counted(0.0, math.inf) == "not released"
    assert counted(20_053.0, 0.0) == "20,053"
    assert counted(20_053.4, 48.78) == "20,053 released, noise 48.78"


# who has one ---------------------------------------------------------------------------------


def test_a_regression_that_keeps_no_evidence_is_refused_by_name():
    """With one that does."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (200, 2))
    model = fitted(1, BALL, dp.regressions.NoisyGradientDescent(), (X, X[:, 0]))
    with pytest.raises(dp.InvalidArgument, match=r"regression.*JointSSP"):
        model.inference()
    with pytest.raises(
        dp.InvalidArgument, match=r"whose rows go through: .*clip to norm.*Ranges in"
    ):
        fitted(1, BALL, dp.regressions.Standardised(), (X, X[:, 0])).inference()


def test_a_summary_without_intervals_has_the_coefficients_and_says_why():
    """Of Laplace noise; it raised. The coefficients are those that `predict` uses."""
    model = dp.PrivateRegressor(
        dp.regressions.ObjPertPure(), epsilon=1, delta=0, setting=JOINING, rng=0
    ).fit(*people())
    found = model.summary(alpha=0.1)
    assert [one["coef"] for one in found.records()] == pytest.approx(
        [*model.coef_, model.intercept_]
    )
    assert [one["name"] for one in found.records()] == ["age", "years", "intercept"]
    assert "There are no intervals: ObjPertPure is not one that" in str(found)
    assert found.header["privacy"].startswith("1-differential privacy")
    assert list(found.summary_frame()["coef"]) == pytest.approx([*model.coef_, model.intercept_])
    for name in ("conf_int", "plot"):
        with pytest.raises(dp.errors.UnknownName, match="There are no intervals"):
            getattr(found, name)
    with pytest.raises(dp.InvalidArgument, match=r"90%"):
        model.summary(level=0.9)


def test_before_fit_there_is_none():
    """As everywhere in scikit-learn."""
    model = dp.PrivateRegressor(dp.JointSSP(), epsilon=1, delta="1e-6", setting=BALL, rng=0)
    for ask in (model.summary, model.inference):
        with pytest.raises(NotFittedError):
            ask()


def test_without_a_codebook_there_is_no_intercept():
    """Names are those of an array."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (5000, 2))
    model = fitted(1, BALL, data=(X, X[:, 0] + 0.1 * rng.normal(size=5000)))
    found = model.summary(0.01)
    assert found.names == ("x0", "x1")
    assert found.intervals[0, 0] < 1 < found.intervals[0, 1]


def test_it_survives_pickling(noisy):
    """The table is made of what was released, which is kept."""
    assert str(pickle.loads(pickle.dumps(noisy)).summary()) == str(noisy.summary())


@pytest.mark.parametrize(("name", "value"), [("alpha", 95), ("target", "us"), ("largest", 0)])
def test_bad_arguments_are_refused(noisy, name, value):
    """By name."""
    with pytest.raises(dp.InvalidArgument, match=name):
        noisy.summary(**{name: value})
    assert math.isfinite(noisy.summary(0.5).intervals[0, 0])


def test_coefficients_without_intervals_are_shown_alike_in_every_view():
    """NaN and infinite ends in the frame, as in conf_int; a text hypothesis is refused in words."""
    rows = np.random.default_rng(0).uniform(0, 1, (200, 2))
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Numeric("b", 0, 1)], intercept=True),
        y=dp.Column("y", lower=0, upper=1),
        relation=dp.ADD_REMOVE,
    )
    asked = {"epsilon": "0.1", "delta": "1e-6", "setting": setting, "rng": 0}
    model = dp.PrivateRegressor(**asked).fit(rows, rows[:, 0])
    frame, ends = model.summary().summary_frame(), model.inference().conf_int()
    assert np.array_equal(frame[["lower", "upper"]], ends)
    hidden = ~np.isfinite(ends[:, 0])
    assert hidden.any()
    assert np.array_equal(np.isnan(frame["coef"]), hidden)
    assert np.array_equal(np.isinf(frame["std_err"]), hidden)
    tested = model.inference().t_test().summary_frame()
    assert np.array_equal(np.isnan(tested["coef"]), hidden)
    seen = model.inference().get_prediction(rows[:3]).summary_frame()
    assert np.array_equal(np.isnan(seen["mean"]), np.isinf(seen["mean_se"]))
    assert np.isinf(seen["mean_se"]).any()
    with pytest.raises(dp.InvalidArgument, match=r"or \{'a': 1\}; the value to test is"):
        model.inference().t_test("a = 0.35")


def test_rows_far_below_their_norm_are_said_to_be_so():
    """At a tenth of it; not where they fill it, nor where they were fitted in released units. By
    hand: sqrt((400 + 2 3 sqrt 2)/(10,000 - 2 50))/2.
    """
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((20_000, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = rows @ np.array([0.3, -0.2, 0.1])

    def notes(length, scaling=0):
        regression = dp.JointSSP(scaling=scaling)
        model = fitted(1, BALL, regression, (length * rows, labels))
        return [one for one in model.summary().notes if "as long as their declared norm" in one]

    (note,) = notes(0.1)
    assert "at most 10% as long" in note
    assert "dp.JointSSP(scaling='0.03')" in note
    assert not notes(1.0)
    assert not notes(0.1, None)
    seen = Evidence(np.diag([300.0, 100]), 3.0, (), 0.0, 0.0, 10_000.0, 50.0)
    assert seen.filled(2.0) == pytest.approx(np.sqrt((400 + 6 * np.sqrt(2)) / 9_900) / 2)
    assert attrs.evolve(seen, count_std=5_000.0).filled(1.0) == math.inf
