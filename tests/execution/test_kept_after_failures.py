"""What was released is kept, whatever breaks a run off; and functions that were mended run."""

from __future__ import annotations

import numpy as np
import pytest

import dpframe as dp

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
    worded: ValueError,
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
    from dpframe.execution.running import Running

    look = Running.look

    def gone(self, stage):
        if self.source.rows == len(ROWS):
            raise dp.errors.SourceFailed("X", "OSError")
        look(self, stage)

    monkeypatch.setattr(Running, "look", gone)
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
