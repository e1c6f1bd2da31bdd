"""Rounds of gradients: T adaptive draws by every accountant, and draws on samples by one."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.graph.joint import unit_std
from dpframe.prover.mixture import Mixture
from tests.support.oracles import delta_of, mpf

ROUNDS = dp.parameter("T", 1, closed="left", integer=True)
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
NUMBERS = dp.ApproxDP(1, "1e-6")
BOTH = pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
BODIES = {}


def stay(theta, answer, turn):
    """The next point: back to where it was."""
    del answer, turn
    return theta


class Declared(dp.Regression):
    """A body by name. [tests]"""

    name: str = ""

    def declare(self, X, y, budget):
        """The body's output."""
        return BODIES[self.name](X, y, budget)


def verdict(body, relation=dp.ADD_REMOVE, target=TARGET, rows_per_person=1, **how):
    """The report of a body."""
    BODIES["body"] = body
    table = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, rows_per_person=rows_per_person
    )
    return dp.examine(Declared("body"), target=target, setting=table, **how)


def rounds(X, y, noise, share=None, *, times=ROUNDS, clip=1, **how):
    """`times` draws of the sum of clipped gradients."""
    point = dp.iterate(X.columns)
    step = dp.release(
        dp.graph.gradient(X, y, at=point, clip=clip), noise, share, times=times, **how
    )
    return dp.loop(point, step, stay)


def size(X):
    """The sensitivity for C = 1."""
    return 1 if X.unit.relation is dp.ADD_REMOVE else 2


def words(report):
    """Every open obligation's verdict."""
    return {str(one.verdict) for one in report.open_obligations}


@BOTH
@pytest.mark.parametrize(
    "target",
    [TARGET, dp.GaussianDP(dp.parameter("mu", 0)), dp.ZeroConcentratedDP(dp.parameter("rho", 0))],
    ids=str,
)
def test_jointly_calibrated_rounds(relation, target):
    """Std sqrt(T) C sigma spends the whole, for all T; T + 1 rounds or less noise overspend."""

    def body(times, factor):
        return lambda X, y, b: rounds(
            X, y, dp.Gaussian(std=factor * size(X) * dp.sqrt(ROUNDS) * unit_std(b)), times=times
        )

    report = verdict(body(ROUNDS, 1), relation, target)
    assert report.proved
    assert report.chosen.name == "gaussian"
    for wrong in (body(ROUNDS + 1, 1), body(ROUNDS, Fraction(999, 1000))):
        assert words(verdict(wrong, relation, target)) == {"unproved"}


SAMPLED = {"times": 100, "sampled": "1/100"}
LITTLE = dp.Gaussian(std="6/5")


def test_samples_are_counted_by_the_numeric_accountant_alone():
    """At numbers, under add/remove, with one row a person; as if all rows were read elsewhere."""
    proved = verdict(lambda X, y, b: rounds(X, y, LITTLE, **SAMPLED), target=NUMBERS)
    assert proved.proved
    assert proved.chosen.name == "numeric"
    for report in (
        verdict(lambda X, y, b: rounds(X, y, LITTLE, times=100), target=NUMBERS),
        verdict(lambda X, y, b: rounds(X, y, LITTLE, **SAMPLED), dp.REPLACE_ONE, NUMBERS),
        verdict(
            lambda X, y, b: rounds(X, y, dp.Gaussian(std="12/5"), **SAMPLED),
            target=NUMBERS,
            rows_per_person=2,
        ),
        *(
            verdict(
                lambda X, y, b: rounds(X, y, LITTLE, **SAMPLED), target=NUMBERS, accountant=name
            )
            for name in ("gaussian", "zcdp")
        ),
        verdict(lambda X, y, b: rounds(X, y, LITTLE, **SAMPLED)),
        verdict(
            lambda X, y, b: rounds(X, y, dp.Gaussian(std=1), times=150, sampled="1/25"),
            target=NUMBERS,
        ),
    ):
        assert not report.proved
        assert words(report) == {"unproved"}


@BOTH
def test_what_suffices_without_samples_suffices_with_them(relation):
    """Every derivation, in symbols too."""
    sigma = dp.analytic_sigma(dp.EPSILON, dp.DELTA)
    report = verdict(
        lambda X, y, b: rounds(
            X, y, dp.Gaussian(std=size(X) * dp.sqrt(ROUNDS) * sigma), sampled="1/3"
        ),
        relation,
    )
    assert report.proved
    shares = verdict(
        lambda X, y, b: rounds(X, y, dp.Gaussian.analytic, b.split(1 / ROUNDS)[0], sampled="1/3"),
        relation,
    )
    assert shares.proved


def test_one_draw_on_a_sample_is_the_amplified_profile():
    """delta = q delta_Gauss(log(1 + (e^epsilon - 1)/q)): proved just above, not below."""
    q, std = Fraction(1, 10), Fraction(4, 5)
    with mpmath.workdps(50):
        delta = mpf(q) * delta_of(mpmath.log(1 + mpmath.expm1(1) / mpf(q)), 1 / mpf(std))
    for factor, holds in (("1.000001", True), ("0.999999", False)):
        target = dp.ApproxDP(1, Fraction(factor) * Fraction(str(delta)))
        report = verdict(
            lambda X, y, b: rounds(X, y, dp.Gaussian(std=std), times=1, sampled=q), target=target
        )
        assert report.proved is holds


def test_the_parts_say_what_is_drawn():
    """A released n beside T draws on samples: one Gaussian part, T sampled ones."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    n = dp.release(dp.count(X), dp.Gaussian(std=20))
    walk = rounds(X, y, dp.Gaussian(std=4), **SAMPLED)
    mixture = Mixture.of([n, walk.step])
    gaussian, sampled = mixture.parts()
    assert float(gaussian.loss.mu) == pytest.approx(1 / 20)
    assert (float(sampled.loss.mu), sampled.loss.rate) == (pytest.approx(1 / 4), Fraction(1, 100))
    assert (gaussian.count, sampled.count) == (1, 100)
    assert "sampled at 1/100 (x100)" in str(mixture)


def test_what_may_be_sampled():
    """A number in (0, 1], of a sum over rows; a point has a loop that asks about it."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    for rate in (0, "3/2", -1, dp.parameter("q", 0, 1)):
        with pytest.raises(dp.InvalidArgument, match="sampled"):
            rounds(X, y, LITTLE, sampled=rate)
    point = dp.iterate(X.columns)
    doubled = 2 * dp.graph.gradient(X, y, at=point, clip=1)
    with pytest.raises(dp.InvalidArgument, match="a sum over rows"):
        dp.release(doubled, LITTLE, sampled="1/2")
    report = verdict(
        lambda X, y, b: rounds(X, y, dp.Gaussian.analytic, b, times=1, sampled="1/2").step
    )
    assert not report.proved
    assert any("the point of one loop" in one.rule for one in report.open_obligations)


def test_a_sample_is_part_of_the_hash():
    """Two rates, two graphs; none, the graph as ever."""
    found = []
    for how in ({}, {"sampled": 1}, {"sampled": "1/2"}):
        report = verdict(lambda X, y, b, how=how: rounds(X, y, LITTLE, times=9, **how))
        found.append(report.problem.graph)
    assert len({graph.hash for graph in found}) == 3
    assert "sampled" not in found[0].releases[0].record()


@pytest.mark.slow
def test_jointly_spends_what_samples_allow():
    """dp.regressions.Jointly at numbers: less noise than without samples, and proved."""
    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    BODIES["few"] = lambda X, y, b: rounds(X, y, dp.Gaussian(std=1), times=100)
    BODIES["sampled"] = lambda X, y, b: rounds(X, y, dp.Gaussian(std=1), **SAMPLED)
    stds = {}
    for name in ("few", "sampled"):
        proof = dp.certify(dp.regressions.Jointly(Declared(name)), target=NUMBERS, setting=table)
        (step,) = proof.graph.releases
        stds[name] = proof.number(step.std, up=True)
    assert stds["sampled"] < stds["few"] / 10
    dp.certify(dp.regressions.Jointly(Declared("sampled")), target=TARGET, setting=table)


def test_the_loop_has_its_arguments_before_it_starts():
    """An update cannot be given the answers that it makes."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    point = dp.iterate(X.columns)
    step = dp.release(dp.graph.gradient(X, y, at=point, clip=1), LITTLE)
    with pytest.raises(dp.InvalidArgument, match="known before the loop starts"):
        dp.loop(point, step, stay, step)
    with pytest.raises(dp.InvalidArgument, match="known before the loop starts"):
        dp.loop(point, step, stay, dp.post(total_of, step))


def total_of(answers):
    """A function of the answers."""
    return float(answers.sum())


@pytest.mark.parametrize(
    ("name", "target", "least"),
    [
        ("profile", dp.ApproxDP(1, "1e-6"), 6),
        ("rho", dp.ZeroConcentratedDP(1), 201),
        ("divergence", dp.RenyiDP(8, 1), 26),
    ],
)
def test_many_draws_of_stated_noise_are_refuted(name, target, least):
    """T draws of std 10 for a sensitivity of 1, any T: mu^2 = T/100. The counterexample is a number
    of draws from `least` on, at which the oracle says that the claim breaks.
    """

    class Repeated(dp.Regression):
        def declare(self, X, y, budget):
            times = dp.parameter("T", 1, closed="left", integer=True)
            return dp.release(X.T @ y, dp.Gaussian(10), times=times)

    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    found = dp.audit(Repeated(), target=target, setting=setting)
    assert str(found.verdict) == "refuted"
    draws = found.witness["T"]
    assert draws >= least
    if name == "profile":
        assert delta_of(1, mpmath.sqrt(int(draws)) / 10) > mpmath.mpf("1e-6")
        assert delta_of(1, mpmath.sqrt(least - 1) / 10) < mpmath.mpf("1e-6")
