"""What was released and paid for outlives a function of it that raises."""

from __future__ import annotations

import copy
import pickle
import traceback

import numpy as np
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
FEW = 5000  # records, with which noise and sums are far below those of a rehearsal


def picky(gram, moment):
    """Fails on the sums of few records, not on those of many."""
    if np.trace(gram) < 2 * FEW:
        raise ValueError("too small")
    return np.linalg.solve(gram, moment)


def level_of(gram):
    """Fails alike."""
    picky(gram, gram[0])
    return 1.0


def step(theta, answer, turn):
    """Fails in the second round, on few records."""
    if turn == 1 and np.abs(answer).max() < 2 * FEW:
        raise ZeroDivisionError
    return theta


class AtTheEnd(dp.Regression):
    """Two releases, then a function."""

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        return dp.post(picky, gram, moment)


class InBetween(dp.Regression):
    """A function of the first release, which the second waits for."""

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        level = dp.known(dp.post(level_of, gram), "1/2", 1, name="level")
        moment = X.T @ y.scaled(by=level).clip(-1, 1)
        return dp.release(moment, dp.Gaussian.analytic, second, name="moment")


class InALoop(dp.Regression):
    """An update that fails."""

    def declare(self, X, y, budget):
        point = dp.iterate(X.columns)
        step_ = dp.release(
            dp.graph.gradient(X, y, at=point, clip=1),
            dp.Gaussian(std=20),
            times=3,
            name="gradients",
        )
        return dp.post(last, dp.loop(point, step_, step))


def last(path):
    """The last point."""
    return path[-1]


def table(n=FEW):
    """Rows and labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), np.ones(n)


def failed(regression, *, target=TARGET, **options):
    """The failure of a run."""
    run = dp.certify(regression, target=target, setting=SETTING)
    with pytest.raises(dp.errors.PostFailed) as caught:
        dp.execute(run, *table(), **options)
    return caught.value


def test_releases_and_receipt_survive():
    """By name, as a result would have them; the cause is the function's own error."""
    error = failed(AtTheEnd(), rng=0)
    assert list(error.released) == ["gram", "moment"]
    assert error.released["gram"].shape == (3, 3)
    assert error.receipt.guarantee == TARGET
    assert error.function == "picky"
    assert isinstance(error.__cause__, ValueError)
    assert "picky raised ValueError: too small" in str(error)
    assert ".released" in str(error)


def test_they_are_those_of_a_run_that_passes():
    """Rehearsals and failures draw nothing from the noise of the run."""
    error = failed(AtTheEnd(), rng=7)

    class Same(AtTheEnd):
        def declare(self, X, y, budget):
            made = super().declare(X, y, budget)
            return made.arguments

    run = dp.certify(Same(), target=TARGET, setting=SETTING)
    result = dp.execute(run, *table(), rng=7)
    for name, value in error.released.items():
        assert np.array_equal(result.released[name], value)


def test_a_step_in_between_keeps_what_was_drawn_so_far():
    """Not what was to come."""
    error = failed(InBetween(), rng=0)
    assert list(error.released) == ["gram"]
    assert error.receipt is not None


def test_a_loop_keeps_its_answers():
    """Those that were drawn before the update failed."""
    error = failed(InALoop(), target=dp.GaussianDP(1), rng=0)
    assert error.released["gradients"].shape == (2, 3)
    assert isinstance(error.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("regression", "status"),
    [(AtTheEnd(), "released"), (InBetween(), "charged, not finished")],
    ids=str,
)
def test_the_ledger_stays_charged(regression, status, tmp_path):
    """It was paid for; all of it was released, or a part."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("survey", dp.ApproxDP(10, "1e-3"), relation=dp.ADD_REMOVE)
    error = failed(regression, ledger=ledger, dataset="survey")
    assert error.receipt.private
    assert [charge.status for charge in ledger.charges("survey")] == [status]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_it_travels(copied):
    """Between processes too."""
    error = failed(AtTheEnd(), rng=0)
    other = copied(error)
    assert str(other) == str(error)
    assert np.array_equal(other.released["gram"], error.released["gram"])
    assert other.receipt == error.receipt


def test_the_cause_holds_no_frame_that_knows_the_table():
    """Its traceback starts in the function, which saw released values only."""
    error = failed(AtTheEnd(), rng=0)
    frames = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__cause__.__traceback__)]
    assert frames == ["picky"]
    assert error.__context__ is error.__cause__ or error.__context__ is None


def test_what_the_estimator_paid_for_is_counted():
    """A fit that fails after its charge is a fit."""
    X, y = table()
    model = dp.PrivateRegressor(AtTheEnd(), epsilon=1, delta="1e-6", setting=SETTING)
    with pytest.raises(dp.errors.PostFailed):
        model.fit(X, y)
    with pytest.warns(dp.PrivacyWarning, match="Fit 2"), pytest.raises(dp.errors.PostFailed):
        model.fit(X.copy(), y.copy())
