"""The privacy share is exact where sampling is known, and a lower bound, marked, elsewhere."""

import json

import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators.summary import share_text
from dpframe.inference.spread import Spread
from tests.support.ratings import JOINING, MUCH, fitted, people

BOUND = "Sampling enters as an upper bound here"


def true_shares(model, X, std):
    """By the variance of least squares on the table, for residuals of one std."""
    private = model.inference().t_test().spread.private
    rows = np.c_[X, np.ones(len(X))]
    return private / (private + std**2 * np.diag(np.linalg.inv(rows.T @ rows)))


@pytest.mark.parametrize(
    ("epsilon", "regression"),
    [
        ("0.5", None),
        ("0.3", dp.JointSSP.for_intervals()),
        (1, dp.SSP()),
        (1, dp.JointSSP(sandwich=0)),
    ],
)
def test_a_bound_is_below_the_true_share(epsilon, regression):
    """Where y'y is lost in noise or not released, and where the norm of rows bounds sampling."""
    X, _ = people()
    model = fitted(epsilon, JOINING, regression)
    estimates = model.inference().t_test()
    assert np.isfinite(estimates.hidden).all()
    assert estimates.bounded.all()
    assert np.all(estimates.shares <= true_shares(model, X.to_numpy(), 0.5))


def test_a_large_table_has_exact_shares():
    """Close to the true ones, with no mark and no note."""
    X, y = people(200_000)
    model = fitted(1, JOINING, data=(X, y))
    found = model.summary()
    assert not found.estimates.bounded.any()
    assert found.estimates.shares == pytest.approx(true_shares(model, X.to_numpy(), 0.5), abs=0.1)
    assert ">=" not in str(found)
    assert BOUND not in str(found)


def test_a_bound_is_marked_in_text_records_and_notes():
    """With a way out; nothing is marked where the table's own coefficients are the target."""
    found = fitted(1, JOINING, dp.SSP()).summary()
    assert BOUND in " ".join(found.notes)
    assert "release y @ y, fit dp.JointSSP()" in " ".join(found.notes)
    records = json.loads(json.dumps(found.to_dict()))["coefficients"]
    assert [one["privacy_share_is_bound"] for one in records] == [True] * 3
    assert found.summary_frame()["privacy_share_is_bound"].dtype == bool
    assert found.estimates.summary_frame()["privacy_share_is_bound"].all()
    sample = fitted(1, JOINING).summary(target="sample")
    assert not sample.estimates.bounded.any()
    assert sample.estimates.shares == pytest.approx([1, 1, 1])
    share, bound = records[0]["privacy_share"], f">= {int(100 * records[0]['privacy_share'])}%"
    assert share < 0.01 or bound in str(found)


def test_residuals_of_one_variance_make_the_share_exact():
    """The way out that is named for a bound by the norm of rows."""
    model = fitted(MUCH, JOINING, dp.JointSSP(sandwich=0))
    assert "summary(equal_variance=True)" in " ".join(model.summary().notes)
    assert model.summary().estimates.bounded.all() or np.all(
        model.summary().estimates.shares < 0.01
    )
    assert not model.summary(equal_variance=True).estimates.bounded.any()


def test_the_note_on_noise_stands_where_shares_are_bounds():
    """Where noise hides sampling, it is what makes intervals long."""
    found = fitted("0.5", JOINING).summary()
    assert found.estimates.bounded.all()
    assert "Noise for privacy is most of these intervals" in " ".join(found.notes)


def test_bounds_round_down_and_small_ones_say_nothing():
    """As text, and of one variance by hand."""
    assert share_text(0.319, bound=True) == ">= 31%"
    assert share_text(0.319, bound=False) == "32%"
    assert share_text(0.004, bound=True) == share_text(None, bound=False) == "-"
    one = np.ones(1)
    shares, bounded = Spread(4 * one, one, 2 * one, one).shares
    assert (shares[0], bounded[0]) == (1 / 4, True)
    shares, bounded = Spread(4 * one, one, 4 * one, 0.1 * one).shares
    assert (shares[0], bounded[0]) == (1 / 4, False)


def test_a_declaration_that_releases_y_y_is_not_told_to():
    """With public n and y'y the residual std is printed."""

    class WithSquares(dp.Regression):
        """X'X, X'y and y'y."""

        def declare(self, X, y, budget):
            """Three releases."""
            sums = zip((X.T @ X, X.T @ y, y @ y), budget.split_evenly(3), strict=True)
            gram, moment, squares = (dp.release(s, dp.Gaussian.analytic, b) for s, b in sums)
            return dp.post(solved, gram, moment, squares)

    header = fitted(8, regression=WithSquares()).summary().header
    assert "not released" not in header["residual std"]


def solved(gram, moment, squares):
    """Least squares."""
    del squares
    return np.linalg.solve(gram, moment)
