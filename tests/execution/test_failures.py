"""What was released and paid for is kept, whatever breaks a run off."""

import copy
import pickle
import traceback

import numpy as np
import pytest

import dpframe as dp

# --------------------------------------------- What was released is kept, whatever breaks a run off
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
ROWS, LABELS = np.full((2000, 2), 0.5), np.full(2000, 0.5)
CALLED = {"helper": None}


def between(moment):
    """Whether these are sums of the table above, not of one that was made up."""
    return 400 < abs(moment[0]) < 600


def longer(moment):
    """A coefficient too many."""
    return np.zeros(3 if between(moment) else 2)


def worded(moment):
    """No numbers."""
    return "words" if between(moment) else np.zeros(2)


def leaving(moment):
    """Ends the program."""
    if between(moment):
        raise SystemExit(3)
    return np.zeros(2)


def interrupted(moment):
    """Is stopped."""
    if between(moment):
        raise KeyboardInterrupt
    return np.zeros(2)


def second_look(function):
    """A moment, and the residuals at what a function makes of it."""

    class SecondLook(dp.Regression):
        def declare(self, X, y, budget):
            first, second = budget.split_evenly(2)
            moment = dp.release(X.T @ y, dp.Gaussian.analytic, first, name="moment")
            left = y.residuals(X, dp.post(function, moment)).clip(-1, 1)
            return dp.release(X.T @ left, dp.Gaussian.analytic, second, name="left")

    return dp.certify(SecondLook(), target=TARGET, setting=SETTING)


BROKEN = {
    longer: dp.NotExecutable,
    worded: dp.NotExecutable,
    leaving: SystemExit,
    interrupted: KeyboardInterrupt,
}


@pytest.mark.parametrize("function", BROKEN)
def test_whatever_breaks_off_after_a_release_has_it(function):
    """Whatever breaks off after a release has it."""
    run = second_look(function)
    with pytest.raises(BROKEN[function]) as failure:
        dp.execute(run, ROWS, LABELS, rng=0)
    assert list(failure.value.released) == ["moment"]
    assert failure.value.receipt.certificate == run.hash
    assert "The run was charged" in failure.value.__notes__[0]


def test_a_table_that_breaks_off_in_a_later_pass_says_what_was_released(monkeypatch):
    """A table that breaks off in a later pass says what was released."""
    from dpframe.execution.running import Execution

    look = Execution.compute

    def gone(self, stage):
        if self.source.rows == len(ROWS):
            raise dp.errors.SourceFailed("X", "OSError")
        look(self, stage)

    monkeypatch.setattr(Execution, "compute", gone)
    wanted = r"what was released is in \.released"
    with pytest.raises(dp.errors.SourceFailed, match=wanted) as failure:
        dp.execute(second_look(still), ROWS, LABELS, rng=0)
    assert list(failure.value.released) == ["moment"]


def still(moment):
    """Nothing is left."""
    return np.zeros(len(moment))


def calling(moment):
    """Relies on another."""
    return CALLED["helper"](moment)


def test_a_function_whose_helper_was_mended_is_rehearsed_anew(monkeypatch):
    """A function whose helper was mended is rehearsed anew."""
    run = second_look(calling)
    with pytest.raises(dp.errors.PostFailed, match="nothing was charged"):
        dp.execute(run, ROWS, LABELS, rng=0)
    monkeypatch.setitem(CALLED, "helper", still)
    assert dp.execute(run, ROWS, LABELS, rng=0).output.shape == (2,)


# ----------------------------- What was released and paid for outlives a function of it that raises
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
