"""A statistic of one's own that answers None has no known bound, which refutes nothing; a share
without delta cannot calibrate Gaussian noise, and one message says so.
"""

import pytest

import dpframe as dp
from dpframe.prover.problem import Verdict

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def test_rows_without_a_bound_have_a_counterexample():
    """Of the statistics of dpframe None means that one row can move it by any amount."""

    class Raw(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(dp.graph.aggregate("std", X), dp.Gaussian(std=1))

    report = dp.audit(Raw(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING).report
    assert any(one.witness is not None for one in report.open_obligations)


def aggregate(name, data):
    """Of raw rows or labels."""
    return dp.graph.aggregate(name, data)


def noisy(statistic, size=1):
    """Its release with Gaussian noise."""
    return dp.release(statistic, dp.Gaussian(std=size))


def selected(scores, size=1):
    """The index of the largest."""
    return dp.release(scores, dp.mechanisms.ExponentialSelection(scale=size))


def divided(rows):
    """Each row over the largest norm."""
    return rows.scaled(aggregate("max_norm", rows))


def shrunk(X, y):
    """X'y of labels that shrink as rows are long, so that no record counts more than 1."""
    return X.origin.T @ y.shrunk_with(X.origin, norm=1)


FAR = dp.Column(bound=200)
ONE = dp.Rows(columns=[dp.Numeric("x", -1, 1)])
PRIVATE = {  # and no rule shows it; what would have to be another way is said
    "noise in [1, 1.01]": lambda _, y: noisy(
        y.clip(100, 101).sum(), 10**6 * aggregate("max_abs", y.clip(100, 101))
    ),
    "a divisor that is always 1": lambda X, _: noisy(divided(X.normalized()).sum(), 10**6),
    "noise that grows with n": lambda X, _: noisy(divided(X).sum(), 10**6 * X.rows),
    "scores and scale alike": lambda X, _: selected(
        X.sum(), 10**6 * X.rows * aggregate("max_norm", X)
    ),
    "one candidate": lambda X, _: selected(X.origin.sum()),
    "one candidate, divided": lambda X, _: selected(divided(X).sum()),
    "labels shrunk with their rows": lambda X, y: noisy(shrunk(X, y), 10**6),
    "a norm that is always 1": lambda X, _: aggregate("max_norm", X.normalized()),
    "n": lambda X, _: dp.trace(divided(X.normalized()).T @ divided(X.normalized())),
}
BROKEN = {
    "noise from 0 on": lambda X, _: noisy(X.sum(), aggregate("max_norm", X)),
    "all rows move": lambda X, _: noisy(divided(X).sum(), 10**6),
    "clipped rows, all move": lambda X, _: noisy(divided(X).clip(norm=1).sum(), 10**6),
    "unbounded sums": lambda X, _: noisy(X.origin.sum()),
    "unbounded scores": lambda X, _: selected(X.origin.sum()),
    "the largest norm": lambda X, _: aggregate("max_norm", X),
    "raw sums": lambda X, _: X.sum(),
    "raw sums, divided": lambda X, _: divided(X).sum(),
}


@pytest.mark.parametrize(
    ("name", "verdict"), [*((n, 0) for n in PRIVATE), *((n, 1) for n in BROKEN)]
)
def test_private_numbers_refute_where_they_break_the_claim(name, verdict):
    """Where n is public, some declarations that read them are private by a proof on paper."""
    of = (PRIVATE | BROKEN)[name]

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            return of(X, y)

    X = ONE if "one candidate" in name else dp.Rows(norm=1)
    own = dp.Setting(X=X, y=FAR, relation=dp.REPLACE_ONE)
    report = dp.audit(Declared(), target=dp.ApproxDP(1, "1e-6"), setting=own).report
    assert report.open_obligations
    verdicts = {one.verdict for one in report.open_obligations}
    assert (Verdict.REFUTED in verdicts) == bool(verdict)


def test_noise_over_a_private_number_is_refused_in_words():
    """It has no value where that number is 0, which nobody asks for."""

    class Over(dp.Regression):
        def declare(self, X, y, budget):
            return noisy(X.sum(), 1 / aggregate("max_norm", X).__expression__())

    with pytest.raises(dp.Uncertified, match="std must be public"):
        dp.certify(Over(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
