"""What SSP and AdaSSP have released is read from their graphs; and what follows from a joint law,
in the units of the codebook, beside statsmodels where noise is negligible.
"""

import attrs
import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from benchmarks.inferences import World, inferred, scores
from dpframe.estimators.released import evidence_of
from tests.support.ratings import JOINING, MUCH, fitted, people, variance_known


@pytest.fixture(scope="module")
def exact():
    """A fit whose noise is negligible."""
    return fitted(MUCH)


@pytest.fixture(scope="module")
def known():
    """Least squares of the same table."""
    api = pytest.importorskip("statsmodels.api")
    X, y = people()
    return api.OLS(y, X.assign(intercept=1.0)).fit(cov_type="HC0")


@pytest.mark.parametrize("regression", [dp.SSP(), dp.AdaSSP()])
def test_sums_and_their_noise_are_read_from_the_graph(regression):
    """X'X, X'y and their stds; n where it is public, else that of the intercept; no y'y."""
    model = fitted(regression=regression)
    run, result = model.certificate_, model.result_
    evidence = evidence_of(run, result, model._sizes, None)
    assert np.array_equal(evidence.gram, result.released["gram"])
    assert np.array_equal(evidence.moments[0].moment, result.released["moment"])
    stds = {node.name: node.mechanism.std for node in run.graph.nodes if hasattr(node, "mechanism")}
    assert evidence.gram_std == run.number(stds["gram"], up=True)
    assert evidence.moments[0].std == run.number(stds["moment"], up=True)
    assert (evidence.count, evidence.count_std) == (4000, 0)
    assert evidence.squares_std == np.inf
    joining = fitted(1, JOINING, regression)._evidence
    assert joining.count == joining.gram[2, 2]
    assert joining.count_std == joining.gram_std


@pytest.mark.parametrize("regression", [dp.SSP(), dp.AdaSSP()])
def test_without_squares_labels_may_vary_as_much_as_their_bound(regression):
    """Longer intervals than with them, new labels anywhere, and the summary says why."""
    model, joint = fitted(MUCH, regression=regression), fitted(MUCH)
    law = model.inference()
    assert law.params == pytest.approx(joint.inference().params, rel=1e-3)
    assert law.bse == pytest.approx(joint.inference().bse * 4 / 0.5, rel=0.05)
    assert law.get_prediction(people()[0][:2]).conf_int(obs=True).tolist() == [[1, 9]] * 2
    assert np.all(model.inference(equal_variance=False).bse > law.bse)
    text = str(model.summary())
    assert "not known" in text
    assert "dp.release(y @ y, ...)" in text
    assert "lost in noise" not in text
    assert [text.count(f"{title} not released") for title in ("std:", "R-squared:   ")] == [1, 1]


def test_squares_and_n_are_read_where_they_are_released():
    """Of one that releases all, with no intercept to count."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (3000, 2))
    regression = dp.regressions.BayesianSSP(sweeps=2)
    model = dp.PrivateRegressor(regression, epsilon=3, delta="1e-6", setting=setting, rng=0)
    evidence, released = model.fit(X, X[:, 0])._evidence, model.result_.released
    assert (evidence.squares, evidence.count) == (released["squares"], released["n"])
    assert np.isfinite([evidence.squares_std, evidence.count_std]).all()
    assert model.inference().rsquared > 0.5


def test_noise_that_is_not_gaussian_is_refused():
    """And statistics of other rows than the declared ones."""
    for regression in (dp.regressions.DPME(), dp.regressions.NoisyGradientDescent()):
        with pytest.raises(dp.InvalidArgument, match="regression"):
            fitted(regression=regression).inference()


# beside statsmodels --------------------------------------------------------------------------


def test_without_noise_everything_is_what_statsmodels_says(exact, known):
    """Covariance, tests, predictions, residual variance, R^2."""
    law, found = variance_known(exact.inference()), exact.summary()
    assert found.estimates.effect == pytest.approx(known.params.to_numpy(), rel=1e-3)
    assert found.estimates.sd == pytest.approx(known.bse.to_numpy(), rel=5e-3)
    assert found.estimates.statistic == pytest.approx(known.tvalues.to_numpy(), rel=5e-3)
    assert found.estimates.shares == pytest.approx([0, 0, 0], abs=1e-3)
    assert law.conf_int() == pytest.approx(known.conf_int().to_numpy(), rel=1e-3)
    longer = np.diff(found.intervals) / np.diff(law.conf_int())
    assert np.all((longer > 1) & (longer < 1.1))
    assert law.cov_params() == pytest.approx(known.cov_params().to_numpy(), rel=5e-3)
    assert law.bse == pytest.approx(known.bse.to_numpy(), rel=5e-3)
    assert law.tvalues == pytest.approx(known.tvalues.to_numpy(), rel=5e-3)
    rows, r = np.array([[1.0, 1, 0], [0, 1, 0]]), np.array([0.011, -0.0405])
    ours, theirs = law.t_test(rows, r), known.t_test((rows, r))
    assert ours.effect == pytest.approx(theirs.effect, rel=1e-2)
    assert ours.sd == pytest.approx(theirs.sd.ravel(), rel=5e-3)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=2e-2)
    assert ours.conf_int(0.1) == pytest.approx(theirs.conf_int(0.1), rel=1e-2)
    wald = known.wald_test((rows, r), use_f=True, scalar=True)
    assert law.wald_test(rows, r).pvalue == pytest.approx(float(wald.pvalue), rel=2e-2)
    assert law.scale == pytest.approx(known.scale, rel=2e-3)
    assert law.rsquared == pytest.approx(known.rsquared, rel=2e-3)
    X = people(seed=2)[0][:20]
    ours = law.get_prediction(X, residuals="normal").summary_frame(0.1)
    theirs = known.get_prediction(X.assign(intercept=1.0)).summary_frame(0.1)
    assert list(ours) == list(theirs)
    assert ours.to_numpy() == pytest.approx(theirs.to_numpy(), rel=1e-2)


def test_weights_are_of_coefficients_in_their_units(exact):
    """Ten years of age, by name."""
    law = exact.inference()
    assert law.names == ("age", "years", "intercept")
    found = law.t_test({"age": 10})
    assert found.effect == pytest.approx(10 * law.params[:1])
    assert found.conf_int() == pytest.approx(10 * law.conf_int()[:1])
    centre = law.get_prediction(pd.DataFrame({"age": [40.0], "years": [15.0]}))
    assert centre.predicted_mean == pytest.approx(law.params @ [40, 15, 1])
    assert centre.se_mean == pytest.approx(law.t_test([40, 15, 1]).sd)


# what is printed -----------------------------------------------------------------------------


def test_the_summary_has_every_format(exact):
    """With the same cells, signs of each format escaped."""
    found = attrs.evolve(exact.summary(simultaneous="bonferroni"), notes=("a & b_c < d [%]",))
    frame = found.summary_frame()
    assert list(frame.index) == ["age", "years", "intercept"]
    assert frame["upper"].to_numpy() == pytest.approx(found.intervals[:, 1])
    assert frame["fitted"].to_numpy() == pytest.approx(found.fitted)
    assert np.all(np.diff(found.intervals) > np.diff(exact.summary().intervals))
    assert "jointly" in exact.summary(simultaneous="bonferroni", notes=True).notes[-1]
    (cells,) = (line.split() for line in found.as_text().splitlines() if "age  " in line)
    assert cells[0] == "age"
    for cell in cells:
        assert f">{cell}<" in found.as_html()
        assert cell.replace("%", r"\%") in found.as_latex()
    assert "a &amp; b_c &lt; d [%]" in found._repr_html_()
    assert r"a \& b\_c $<$ d {[}\%]" in found.as_latex()
    assert found.as_latex().count(r"\begin{tabular}") == found.as_latex().count(r"\end{tabular}")


def test_the_plot_has_an_interval_a_slope(exact):
    """Over the declared range, in the label's unit; without the intercept. A row without an
    interval says so.
    """
    pytest.importorskip("matplotlib").use("Agg")
    axes = exact.summary().plot()
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["age\n20 to 60", "years\n0 to 30"]
    assert axes.get_xlabel() == "difference of rating over the range, 95% intervals"
    ends = exact.summary().intervals[:2] * [[40], [30]]
    drawn = [lines.get_segments()[0][:, 0] for bars in axes.containers for lines in bars[2]]
    assert np.array(drawn) == pytest.approx(ends)
    plain = attrs.evolve(exact.summary(), ranges=()).plot()
    assert plain.get_xlabel() == "coefficient, 95% intervals"
    assert [text.get_text() for text in plain.get_yticklabels()] == ["age", "years"]
    hidden = fitted("0.001").summary(simultaneous="max").plot()
    assert [text.get_text() for text in hidden.get_yticklabels()] == names
    assert [text.get_text() for text in hidden.texts] == ["no interval"] * 2


# coverage ------------------------------------------------------------------------------------


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "case",
    [
        ("JointSSP", 2_000, 3, "2", "skewed"),
        ("SSP", 2_000, 3, "1", "two values"),
        ("AdaSSP", 2_000, 4, "1", "heteroscedastic"),
        ("JointSSP", 4_000, 4, "8", "normal"),
    ],
)
def test_intervals_and_tests_hold(case):
    """60 tables of `benchmarks/inferences.py`, which has 400 of each of more settings: 95% of
    intervals hold and at most 5% of tests reject, but for four standard errors.
    """
    world, found = World.of(case[2], case[4]), []
    for seed in range(60):
        plain, equal = inferred(case, world, seed)
        assert not plain.open_ended
        found.append(scores(world, plain, equal, seed))
    means = {key: np.mean([one[key] for one in found]) for key in found[0]}
    for key in ("each", "all", "equal", "mean", "label", "variance", "R^2"):
        assert np.isnan(means[key]) or means[key] >= 0.84, key
    assert means["contrast"] <= 0.16
    assert means["Wald"] <= 0.16


def solved(gram, moment):
    """Least squares."""
    return np.linalg.solve(gram, moment)


class Unnamed(dp.Regression):
    """Least squares of sums without names of their own."""

    def declare(self, X, y, budget):
        shares = zip((X.T @ X, X.T @ y), budget.split_evenly(2), strict=True)
        read = [dp.release(one, dp.Gaussian.analytic, part) for one, part in shares]
        return dp.post(solved, *read)


def test_releases_without_names_of_their_own_have_intervals():
    """By the names that the result gives them."""
    law = fitted(MUCH, regression=Unnamed()).inference()
    assert law.conf_int()[:, 0] == pytest.approx(
        fitted(MUCH, regression=dp.SSP()).inference().conf_int()[:, 0], abs=0.5
    )
    assert law.names == ("age", "years", "intercept")
