"""Refusals come before the ledger is charged; sums in machine words do not wrap."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.lower_bounds.two_tables import opened, shifted
from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import known, post, release
from dpframe.graph.statistics import Histogram
from dpframe.randomness import Randomness

NOISE = dp.Gaussian(std=3)
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
CLAIM = dp.GaussianDP(3)


def half(number):
    """A width."""
    return 0.5 if number >= 0 else 0.25


class TwoPasses(dp.Regression):
    """Labels first; then what reads a width that was released."""

    def statistic(self, X, y):
        """What the first pass reads of rows."""
        return X.T @ X

    def noise(self):
        """And its noise."""
        return NOISE

    def declare(self, X, y, budget):
        """First a number of labels alone."""
        squares = release(y @ y, NOISE, name="squares")
        first = release(self.statistic(X, y), self.noise(), name="first")
        width = known(post(half, squares), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), NOISE, name="moment")
        again = release(X.scaled(by=width).clip(norm=1).T @ y, NOISE, name="again")
        return post(lambda *released: released, squares, first, moment, again)


class TooManyCells(TwoPasses):
    """Refused when a block is read."""

    def statistic(self, X, y):
        """4^14 cells."""
        return Histogram(X, y, 4)

    def noise(self):
        """Enough."""
        return dp.Gaussian(std=100)


class TooMuchNoise(TwoPasses):
    """Refused when noise is prepared."""

    def noise(self):
        """Of any size."""
        return dp.Gaussian(std=3 + dp.parameter("size", 0, None))


def proved(declaration):
    """By dp.certify."""
    return dp.certify(declaration, target=CLAIM, setting=SETTING)


def table(columns):
    """Some rows and labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, columns)), rng.uniform(-1, 1, 50)


@pytest.mark.parametrize(
    ("declaration", "numbers", "refusal"),
    [(TooManyCells(), {}, NotExecutable), (TooMuchNoise(), {"size": "1e130"}, InvalidArgument)],
)
def test_what_cannot_be_read_or_drawn_is_refused_before_the_ledger_is_charged(
    declaration, numbers, refusal, tmp_path
):
    """As dp.execute promises."""
    run = proved(declaration)
    run = run.at(**numbers) if numbers else run
    ledger = dp.Ledger(tmp_path / "ledger")
    ledger.create("people", dp.GaussianDP(10))
    with pytest.raises(refusal):
        dp.execute(run, *table(13), ledger=ledger, dataset="people")
    assert not list(ledger.charges("people"))


def test_a_move_beyond_a_machine_word_does_not_wrap():
    """Sums lie in words, sensitivities of large groups do not."""
    run = proved(TwoPasses())
    X, y = table(2)
    running = opened(run, type("Pair", (), {"X": X, "y": y}), Randomness.of(0))
    gram = next(one for one in running.values if one.label == "X^T X" or one.kind == "gram")
    before = int(np.ravel(running.values[gram])[0])
    moved = np.ravel(shifted(gram, running.values, 2.0**30, running)[gram])[0]
    assert moved - before == 2**70  # of a grid of 20 bits
