"""Totals that one pair of neighbours breaks: refuted ones are false by an independent computation,
and bounds stay below what is proved.
"""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.graph.maps.bounds import ClipNorm
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import RowSum
from dpframe.mechanisms import positive_formula
from dpframe.prover.attained import least_epsilon, one_pair
from dpframe.prover.certify import examine
from dpframe.sensitivity import L2

TARGET = dp.ApproxDP(1, "1e-6")


class Mixed(dp.Regression):
    """X'X with Gaussian noise, X'y and n with Laplace noise."""

    std: object = attrs.field(default="10.6")
    scale: object = attrs.field(default=2)
    noise: object = attrs.field(default=dp.Gaussian)

    def declare(self, X, y, budget):
        """Stated noise."""
        return (
            dp.release(X.T @ X, self.noise(self.std), name="gram"),
            dp.release(X.T @ y, dp.Laplace(self.scale), name="moment"),
        )


def setting(d=10, relation=dp.ADD_REMOVE):
    """Rows in a ball of radius 1."""
    return dp.Setting(X=dp.Rows(norm=1, d=d), y=dp.Column(bound=1), relation=relation)


def judged(regression, given, target=TARGET):
    """Whether the total is refuted."""
    return dp.audit(regression, target=target, setting=given)


def test_a_false_total_of_two_kinds_of_noise_is_refuted():
    """By the row with equal entries, as the composition of its losses says."""
    done = judged(Mixed(), setting())
    assert str(done.verdict) == "refuted"
    assert "10 Laplace losses" in done.sentence
    parts = (dp.Gaussian(std="10.6"), (dp.Laplace(scale="6.32456"), 10))
    true = dp.compose(*parts).epsilon("1e-6").lower
    least = least_epsilon(done.report.problem, {}, Fraction(1, 10**6))
    assert true - 0.005 < least <= true


@pytest.mark.parametrize(
    ("regression", "given"),
    [
        (Mixed(scale="3.846", std="20.4"), setting()),
        (Mixed(), setting(d=1)),
        (Mixed(scale=20), setting(d=3, relation=dp.REPLACE_ONE)),
    ],
)
def test_a_total_that_is_not_refuted_is_not_broken(regression, given):
    """Enough noise, one column, another relation."""
    assert str(judged(regression, given).verdict) != "refuted"


def test_one_release_that_breaks_the_total_refutes_it():
    """Under replace-one too, where no pair is known to attain several sensitivities."""
    done = judged(Mixed(scale=1), setting(d=2, relation=dp.REPLACE_ONE))
    assert str(done.verdict) == "refuted"
    assert one_pair(done.report.problem) is None
    small = judged(Mixed(std="1/2", scale=50), setting(d=2, relation=dp.REPLACE_ONE))
    assert "some pair moves" in small.sentence or "worst pair" in small.sentence


def test_pure_totals_are_refuted_by_the_sum_of_losses():
    """Of two Laplace releases; equal to the claim is not above it."""

    class Two(dp.Regression):
        """n and the sum of labels."""

        scale: object = attrs.field(default=2)

        def declare(self, X, y, budget):
            """Each costs 1/scale."""
            return (
                dp.release(dp.count(X), dp.Laplace(self.scale), name="n"),
                dp.release(y.sum(), dp.Laplace(self.scale), name="labels"),
            )

    assert str(judged(Two(), setting(), dp.PureDP(1)).verdict) == "proved"
    assert str(judged(Two("1.9"), setting(), dp.PureDP(1)).verdict) == "refuted"


def test_rounded_counts_have_no_lower_bound_by_a_pair():
    """A count moves by one step of its grid, so rounding may hide much of the noise's loss."""

    class Count(dp.Regression):
        """One release."""

        def declare(self, X, y, budget):
            """At the edge."""
            return dp.release(dp.count(X), dp.Laplace("0.999"), name="n")

    done = examine(Count(), target=dp.ApproxDP(1, "1e-9"), setting=setting())
    assert one_pair(done.problem) is None
    assert least_epsilon(done.problem, {}, Fraction(1, 10**9)) == 0


class HalfSum(RowSum):
    """A statistic from outside that moves by half of what its base does."""

    def block(self, values):
        """Half."""
        return super().block(values) / 2


class HalfClip(ClipNorm):
    """A row map from outside that never attains the bound of its base."""

    def apply(self, block, number):
        """Half."""
        return super().apply(block, number) / 2


class FromOutside(dp.Regression):
    """Releases that cost half of what they would with the base classes."""

    rows: bool = False

    def declare(self, X, y, budget):
        """A sum with half of the move, or a sum of rows of half the norm."""
        if self.rows:
            return dp.release(HalfClip(X.source, 1).sum(), dp.Gaussian(std=2), name="s")
        return dp.release(HalfSum(X), dp.Laplace(2), name="s")


@pytest.mark.parametrize(
    ("rows", "target"),
    [(False, dp.PureDP("0.6")), (False, dp.ApproxDP("0.6", "1e-6")), (True, dp.GaussianDP("0.3"))],
)
def test_nothing_is_attained_by_inheritance(rows, target):
    """A class from outside may move less than its base: true costs are 1/2, 1/2 and mu = 1/4."""
    trust = [HalfClip if rows else HalfSum]
    done = dp.audit(FromOutside(rows), target=target, setting=setting(4), trust=trust)
    assert str(done.verdict) == "unproved"


class Shrunk(dp.Regression):
    """Labels, or rows, divided by 3, which no clip keeps at the bound of the grid."""

    rows: bool = False

    def declare(self, X, y, budget):
        """Labels twice, so that no single release is above the claim."""
        if self.rows:
            third = X / 3
            return dp.release(third.T @ third, dp.Gaussian("1/100"), name="rows")
        squares, noise = (y / 3) @ (y / 3), dp.Laplace("1/50")
        return dp.release(squares, noise, name="a"), dp.release(squares, noise, name="b")


@pytest.mark.parametrize("rows", [False, True])
def test_coarse_grids_that_lose_a_step_attain_no_bound(rows):
    """At 4 bits the largest label has 15 steps of 16, so the cost is (15/16)^2 = 0.879."""
    given = dp.Setting(
        X=dp.Rows(norm="3/10", d=2), y=dp.Column(bound="3/10"), relation=dp.ADD_REMOVE, grid=4
    )
    target = dp.GaussianDP("0.98") if rows else dp.ApproxDP("0.88", "1e-6")
    done = dp.audit(Shrunk(rows), target=target, setting=given)
    assert str(done.verdict) == "unproved"
    assert least_epsilon(done.report.problem, {}, Fraction(1, 10**6)) < 0.879


class Chosen(dp.Regression):
    """The index of a bin of the labels, of their average, or the smallest eigenvalue."""

    what: str
    noise: object

    def declare(self, X, y, budget):
        """One release."""
        n = dp.maximum(X.rows, 1) if self.what != "clipped" else None
        statistics = {
            "clipped": lambda: dp.graph.bin_counts(y.clip(0, 1), ["-3/4", "-1/2"]),
            "average": lambda: dp.graph.bin_counts(y, ["-1/5", "1/10"]) / n,
            "eigenvalue": lambda: dp.lambda_min(X.T @ X) / n,
        }
        return dp.release(statistics[self.what](), self.noise, name="one")


def exponential(scores, scale):
    """The law of an index."""
    weights = [math.exp((score - max(scores)) / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


def test_bins_that_no_label_reaches_are_no_candidates_of_a_selection():
    """Two of three bins stay empty: no pair of tables has two candidates alone."""
    scale, epsilon = 0.5, 1.0
    true = max(
        sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(p, q, strict=True))
        for n in range(100)
        for one in [[exponential([0, 0, n + k], scale) for k in (0, 1)]]
        for p, q in (one, one[::-1])
    )
    assert true < 0.117
    select = dp.mechanisms.ExponentialSelection
    done = judged(Chosen("clipped", select("1/2")), setting(2), dp.ApproxDP(1, "0.117"))
    assert str(done.verdict) == "unproved"


def test_a_pair_of_few_rows_is_not_compared_with_other_rows():
    """At n = 1 the smallest eigenvalue of two columns is 0, so that mu is 1/2, at n = 2; and no
    candidate is far behind: the largest loss is 10, at n = 1, as enumeration says.
    """
    select = dp.mechanisms.ExponentialSelection("1/10")
    given = setting(2, dp.REPLACE_ONE)
    losses = []
    for n in range(1, 7):
        tables = [one for one in itertools.product(range(n + 1), repeat=3) if sum(one) == n]
        moved = lambda a, b: sum(abs(x - y) for x, y in zip(a, b, strict=True)) == 2  # noqa: E731
        laws = {one: exponential([k / n for k in one], 0.1) for one in tables}
        losses += [
            math.log(p / q)
            for a, b in itertools.permutations(tables, 2)
            if moved(a, b)
            for p, q in zip(laws[a], laws[b], strict=True)
        ]
    assert max(losses) == pytest.approx(10)
    done = judged(Chosen("average", select), given, dp.PureDP(15))
    assert str(done.verdict) == "unproved"
    low = Chosen("eigenvalue", dp.Gaussian(1))
    assert str(judged(low, given, dp.GaussianDP("1/2")).verdict) == "unproved"


class OneStatistic(dp.Regression):
    """X'X alone, or with y'y."""

    labels: bool = False
    wide: bool = False

    def declare(self, X, y, budget):
        """Noise of std 1, or d."""
        gram = dp.release(X.T @ X, dp.Gaussian(X.columns if self.wide else 1), name="gram")
        return (gram, dp.release(y @ y, dp.Gaussian(1), name="squares")) if self.labels else gram


@pytest.mark.parametrize(("labels", "true"), [(False, 1), (True, 2)])
def test_one_column_has_no_orthogonal_rows(labels, true):
    """x^2 - z^2 is at most 1, where X'X of several columns moves by sqrt(2)."""
    given = setting(1, dp.REPLACE_ONE)
    more, less = (dp.GaussianDP(str(mu)) for mu in (true**0.5 + 0.01, true**0.5 - 0.01))
    assert str(judged(OneStatistic(labels), given, more).verdict) != "refuted"
    assert str(judged(OneStatistic(labels), given, less).verdict) == "refuted"
    several = setting(2, dp.REPLACE_ONE)
    assert str(judged(OneStatistic(labels), several, more).verdict) == "refuted"


def test_a_pair_of_two_columns_is_not_compared_with_the_noise_of_one():
    """With std d, mu is 1 at one column and sqrt(2)/2 at two, never sqrt(2)."""
    done = judged(OneStatistic(wide=True), setting(None, dp.REPLACE_ONE), dp.GaussianDP("1.2"))
    assert str(done.verdict) == "unproved"


class Choice(dp.Regression):
    """A column by its sum."""

    def declare(self, X, y, budget):
        """Among one column there is no choice, and so no loss."""
        return dp.release(X.sum(), dp.mechanisms.ExponentialSelection(X.columns), name="one")


def test_a_selection_among_one_column_is_no_counterexample():
    """The range is 2 sqrt(2), the scale 2 or more where there is a choice: epsilon is sqrt(2)."""
    done = judged(Choice(), setting(None, dp.REPLACE_ONE), dp.PureDP(2))
    assert str(done.verdict) == "unproved"


@attrs.frozen(cache_hash=True)
class Cautious(dp.mechanisms.AdditiveNoise):
    """Normal noise, of which twice the mu is stated that holds."""

    kind, gives, norm, noise = "cautious", dp.GaussianDP, L2, "std"
    std: dp.Expression = attrs.field(converter=positive_formula)
    formula = property(lambda self: self.std)
    deviation = property(lambda self: self.std)

    def guarantee(self, sensitivity):
        """An upper bound."""
        return dp.GaussianDP(2 * sensitivity / self.std)

    @staticmethod
    def sample(size, shape, rng, *, symmetric):
        """Draws."""
        return rng.normal(0, size, shape)


@attrs.frozen(cache_hash=True)
class CautiousSelection(dp.mechanisms.ExponentialSelection):
    """A selection of which twice the epsilon is stated that holds."""

    kind = "cautious_selection"

    def guarantee(self, sensitivity):
        """An upper bound."""
        return dp.PureDP(2 * sensitivity / self.scale)


@pytest.mark.parametrize(
    ("noise", "target"),
    [
        (Cautious(5), dp.ApproxDP(1, "1e-3")),
        (CautiousSelection("3/2"), dp.PureDP(1)),
        (CautiousSelection("3/2"), dp.ApproxDP(1, "1e-3")),
    ],
)
def test_what_noise_from_outside_states_is_no_lower_bound(noise, target):
    """True costs are half of what is stated: within the claims."""

    class One(dp.Regression):
        """A count of each of two bins."""

        def declare(self, X, y, budget):
            """With the noise, or a selection."""
            bins = dp.graph.bin_counts(y, [0])
            return dp.release(bins if noise.selects else y.sum(), noise, name="one")

    done = dp.audit(One(), target=target, setting=setting(2), trust=[Cautious, CautiousSelection])
    assert str(done.verdict) == "unproved"


class Procedures(dp.Regression):
    """Objective perturbation, or a posterior sample, of rows that are clipped at `norm`."""

    norm: object
    temperature: object = None

    def declare(self, X, y, budget):
        """With stated noise, or a stated temperature."""
        Z = X if self.norm is None else X.clip(norm=self.norm)
        gram, moment = Z.T @ Z, Z.T @ y
        if self.temperature is not None:
            gamma = self.temperature
            return posterior(gram, moment, penalty=4, share=budget, temperature=gamma, name="one")
        make = dp.graph.perturbed_minimum
        return make(gram, moment, penalty=1000, radius=1, share=budget, size=25, name="one")


def test_rows_that_reach_no_bound_are_no_counterexample_to_objective_perturbation():
    """Rows of norm 1 do not reach a clip at 10, so that noise that is proved without the clip is
    enough, though no theorem says so.
    """
    assert str(judged(Procedures(None), setting(None)).verdict) == "proved"
    done = judged(Procedures(10), setting(None))
    assert all(one.witness is None for one in done.report.open_obligations)
    loose = judged(Procedures(10, "1e-4"), setting(None, dp.REPLACE_ONE))
    assert all(one.witness is None for one in loose.report.open_obligations)


def test_the_counterexample_to_a_temperature_is_a_table():
    """Leverage and residual of the record are those of a table of n rows, found in doubles."""
    done = judged(Procedures(None, "1e-4"), setting(None, dp.REPLACE_ONE))
    (witness,) = [one.witness for one in done.report.open_obligations if one.witness is not None]
    n, penalty = int(witness.values["n"]), 4
    rows = math.sqrt(penalty / (n - 1))
    theta = (n - 1) * rows / (2 * penalty)
    leverage, residual = map(float, re.findall(r"(?:leverage|residual) ([0-9.]+)", witness.says))
    assert leverage <= 1 / (2 * penalty)
    assert residual == pytest.approx(1 + theta, rel=1e-3)  # in four digits


def as_number(value):
    """A bound."""
    return float(value)


class Constant(dp.Regression):
    """The sum of labels, 1/100-DP by stated noise; a bound below it that fails too often."""

    bounded: bool = False

    def declare(self, X, y, budget):
        """Noise reads no budget; the bound is read by the output alone."""
        if not self.bounded:
            return dp.release(y.sum(), dp.Laplace(100), name="sum")
        total = dp.release(y.sum(), dp.Laplace(100), budget, name="sum")
        low = dp.graph.lower_bound(total, failure="1e-9", stds=15, name="low")
        return dp.post(as_number, low)


@pytest.mark.parametrize(
    ("bounded", "target"),
    [
        (False, dp.PersonalizedDP(dp.each("epsilon", 1), public=False)),
        (True, dp.ApproxDP(1, "1e-6")),
    ],
)
def test_an_open_hypothesis_is_no_counterexample_to_the_total(bounded, target):
    """Private budgets that no noise reads; a bound that costs nothing but its part of delta."""
    assert str(judged(Constant(bounded), setting(2), target).verdict) == "unproved"
