"""Events of dp_accounting, audited: read, never run, and costed as their own library does."""

from fractions import Fraction

import dp_accounting
import pytest
from dp_accounting import dp_event as e
from mpmath import mp, mpf

import dpframe as dp
from dpframe.audits.descriptions.events import EventRegression, draws, read_event
from dpframe.audits.findings import findings
from tests.support.oracles import delta_of, value

TABLE = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
ONE = dp.ApproxDP(1, "1e-6")

GAUSSIAN, LAPLACE = e.GaussianDpEvent(4.0), e.LaplaceDpEvent(10.0)
SAMPLED = e.PoissonSampledDpEvent(0.01, e.GaussianDpEvent(1.1))
BOTH = e.PoissonSampledDpEvent(0.25, e.ComposedDpEvent([GAUSSIAN, e.GaussianDpEvent(3.0)]))
EVENTS = [
    GAUSSIAN,
    LAPLACE,
    e.SelfComposedDpEvent(GAUSSIAN, 8),
    e.ComposedDpEvent([GAUSSIAN, LAPLACE, e.NoOpDpEvent()]),
    e.SelfComposedDpEvent(e.ComposedDpEvent([GAUSSIAN, LAPLACE]), 3),
    e.ComposedDpEvent([e.SelfComposedDpEvent(SAMPLED, 100), GAUSSIAN]),
]


def best(event):
    """The tightest upper bound that the page states."""
    audit = dp.audit(EventRegression(event), target=ONE, setting=TABLE)
    return findings(audit).opinions[0].upper


@pytest.mark.parametrize("event", EVENTS, ids=repr)
@pytest.mark.some(1)
def test_the_page_says_what_their_accountant_says(event):
    """Theirs is on a grid, from above; ours is no more, and near."""
    accountant = dp_accounting.pld.PLDAccountant()
    accountant.compose(event)
    theirs, ours = accountant.get_epsilon(1e-6), best(event)
    assert ours <= theirs * (1 + 1e-9) + 1e-9
    assert theirs <= ours * 1.002 + 2e-4
    assert draws(read_event(repr(event))) == draws(read_event(event))


def test_gaussians_together_are_those_of_fifty_digits():
    """mu^2 = 8/16."""
    epsilon = best("SelfComposedDpEvent(GaussianDpEvent(4), 8)")
    with mp.workdps(50):
        assert abs(delta_of(mpf(epsilon), mp.sqrt(mpf(1) / 2)) / mpf("1e-6") - 1) < 1e-9


def test_gaussians_on_one_sample_are_one():
    """1/sigma^2 = 1/16 + 1/9."""
    (one,) = draws(read_event(BOTH))
    assert abs(value(one.size, {}) - mpf(12) / 5) < mpf(10) ** -14
    assert (one.times, one.rate) == (1, Fraction(1, 4))


def test_assumptions_and_sentence_name_the_event():
    """What is taken on its word is listed, wherever something is certified."""
    audit = dp.audit(EventRegression(GAUSSIAN), target=dp.ApproxDP(2, "1e-6"), setting=TABLE)
    assert audit.certificate is not None
    assert any("stated, not derived" in one for one in audit.assumptions)
    assert any("stated, not derived" in one for one in audit.certificate.assumptions)
    assert "query 1" in audit.sentence


def test_too_little_noise_is_refuted():
    """At the worst pair of neighbours of which events speak."""
    audit = dp.audit(EventRegression("GaussianDpEvent(1)"), target=ONE, setting=TABLE)
    assert str(audit.verdict) == "refuted"


def test_it_cannot_be_run():
    """An event does not say what was asked."""
    certificate = dp.certify(
        EventRegression(GAUSSIAN), target=dp.ApproxDP(2, "1e-6"), setting=TABLE
    )
    with pytest.raises(dp.DPFrameError):
        dp.execute(certificate, [[0.5]])


NO_EVENTS = [
    "",
    "GaussianDpEvent",
    "GaussianDpEvent()",
    "GaussianDpEvent(0)",
    "GaussianDpEvent(-1)",
    "GaussianDpEvent(1e999)",
    "GaussianDpEvent(nan)",
    "GaussianDpEvent(True)",
    "GaussianDpEvent('4')",
    "GaussianDpEvent(4, 5)",
    "GaussianDpEvent(4, noise_multiplier=5)",
    "GaussianDpEvent(**{'noise_multiplier': 4})",
    "GaussianDpEvent(noise_multiplier=4, other=1)",
    "GaussianDpEvent(10**10**10)",
    "GaussianDpEvent(" + "9" * 5000 + ")",
    "SelfComposedDpEvent(GaussianDpEvent(4), 0)",
    "SelfComposedDpEvent(GaussianDpEvent(4), 1.5)",
    "SelfComposedDpEvent(GaussianDpEvent(4), -3)",
    "SelfComposedDpEvent(GaussianDpEvent(4), 1000000000000)",
    "SelfComposedDpEvent(" * 9 + "GaussianDpEvent(4)" + ", 1000000000)" * 9,
    "ComposedDpEvent([GaussianDpEvent(4), __import__('os').system('id')])",
    "ComposedDpEvent([x for x in ()])",
    "ComposedDpEvent([])",
    "ComposedDpEvent([1, 2])",
    "ComposedDpEvent(3)",
    "ComposedDpEvent(GaussianDpEvent(1))",
    "SelfComposedDpEvent(3, 4)",
    "SelfComposedDpEvent([GaussianDpEvent(1)], 3)",
    "PoissonSampledDpEvent(0.5, 3)",
    "PoissonSampledDpEvent(GaussianDpEvent(1), 0.5)",
    "GaussianDpEvent(1e-300)",
    "NoOpDpEvent()",
    "NonPrivateDpEvent()",
    "RandomizedResponseDpEvent(0.5, 2)",
    "PoissonSampledDpEvent(1.5, GaussianDpEvent(1))",
    "PoissonSampledDpEvent(-0.5, GaussianDpEvent(1))",
    "PoissonSampledDpEvent(0.5, LaplaceDpEvent(1))",
    "PoissonSampledDpEvent(0.5, PoissonSampledDpEvent(0.5, GaussianDpEvent(1)))",
    "().__class__.__bases__[0]",
    "ComposedDpEvent([" * 5000 + "])" * 5000,
    "(" * 100_000,
    "x" * 2_000_000,
    "GaussianDpEvent(4); import os",
    "GaussianDpEvent(4)\x00",
    "lambda: 1",
    "f'{1}'",
]


def test_what_is_no_event_is_refused():
    """By name and way out, and never run."""
    for text in NO_EVENTS:
        with pytest.raises(dp.InvalidArgument):
            EventRegression(text)


@pytest.mark.parametrize("thing", [None, 4, dp.Gaussian(std=1), [GAUSSIAN]])
def test_other_objects_are_refused(thing):
    """Events of dp_accounting, or text."""
    with pytest.raises(dp.InvalidArgument):
        read_event(thing)
