"""What a hostile reading of events, procedures and adaptive graphs found: refused from now on."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.accounting import composition_of
from dpframe.graph import Bound, Known, known, lower_bound
from dpframe.graph.procedures import PerturbedMinimum, approximate_minimum, perturbed_minimum
from dpframe.graph.procedures.perturbed import minimiser
from dpframe.graph.release import Release
from dpframe.symbols import Number
from dpframe.verify.composed import joint_gaussian

TARGET = dp.ApproxDP(1, "1e-6")


def setting(relation=dp.ADD_REMOVE):
    """Bounds of 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def verdict(declared, relation=dp.ADD_REMOVE):
    """The report on a function declare(X, y, budget)."""

    class Declared(dp.Regression):
        """What is tried."""

        def declare(self, X, y, budget):
            return declared(X, y, budget)

    return dp.examine(Declared(), target=TARGET, setting=setting(relation))


class Cheap(dp.Regression):
    """A hundredth of the budget for X'y, the rest for a perturbed minimum."""

    def declare(self, X, y, budget):
        own, rest = budget.split("1/100", "99/100")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, own, name="moment")
        theta = perturbed_minimum(X.T @ X, X.T @ y, penalty=10, radius=1, share=rest)
        return (moment, theta)


class Floored(dp.Regression):
    """Gaussian releases alone, one of which is bounded only where a bound holds."""

    def declare(self, X, y, budget):
        own, rest = budget.split(epsilon=("1/2", "1/2"), delta=("1/4", "1/2"))
        noisy = dp.release(dp.lambda_min(X.T @ X), dp.Gaussian.analytic, own, name="floor")
        floor = lower_bound(noisy, budget.delta / 4, name="bound")
        size = dp.log_residual(X.T @ X, X.T @ y, 1, floor)
        return dp.release(size, dp.Gaussian.analytic, rest, name="size")


@pytest.mark.parametrize("cls", [Cheap, Floored, dp.AdaOPS])
def test_what_is_not_only_noise_costs_the_whole_target(cls):
    """Ledgers and accountants must not count the noise alone."""
    proof = dp.certify(cls(), target=TARGET, setting=setting())
    assert joint_gaussian(proof) is None
    spent = composition_of(proof).epsilon("1e-6").upper
    assert spent == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(dp.InvalidArgument, match="only adds noise"):
        dp.certify(cls(), target=TARGET, setting=setting(), calibrate="jointly")


def test_a_class_of_one_s_own_inside_a_procedure_needs_trust():
    """It could release anything."""

    class Mine(PerturbedMinimum):
        """X'y as it is."""

        def found(self, values, numbers, randomness):
            return np.asarray(values[self.moment], float), 0.0

    def declare(X, y, budget):
        own, rest = budget.split("1/2", "1/2")
        real = perturbed_minimum(X.T @ X, X.T @ y, penalty=10, radius=1, share=rest)
        fields = {field.name: getattr(real, field.name) for field in attrs.fields(PerturbedMinimum)}
        return approximate_minimum(
            Mine(**fields), tolerance=dp.constant("1e-6"), noise_share=own, share=budget, name="th"
        )

    found = verdict(declare)
    assert not found.proved
    assert any(one.kind == "trust" for one in found.open_obligations)


def forged_bound(X, budget, **changed):
    """A bound whose fields were not made by lower_bound."""
    noise = changed.pop("noise", dp.Gaussian.analytic)
    share = budget.split("1/4")[0]
    noisy = dp.release(dp.lambda_min(X.T @ X), noise, share, name="floor")
    fields = {
        "value": noisy,
        "name": "bound",
        "lower": Fraction(0),
        "upper": None,
        "upper_side": False,
        "stds": dp.constant(6),
        "margin": dp.constant(1),
        "failure": budget.delta / 4,
    }
    return Bound(**{**fields, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"lower": Fraction(10**6)},
        {"upper": Fraction(-20), "lower": None},
        {"noise": dp.Laplace.pure},
    ],
    ids=["floor", "ceiling", "Laplace"],
)
def test_a_forged_bound_is_refused(changed):
    """Its range and its noise are derived, not believed."""

    def declare(X, y, budget):
        bound = forged_bound(X, budget, **changed).symbol
        (rest,) = budget.split("1/2")
        size = dp.log_residual(X.T @ X, X.T @ y, 1, bound)
        return dp.release(size, dp.Gaussian.analytic, rest, name="size")

    assert not verdict(declare).proved


def test_a_forged_symbol_is_refused():
    """The proof and the run must mean one range."""

    def declare(X, y, budget):
        own, rest = budget.split_evenly(2)
        size = dp.release(dp.trace(X.T @ X), dp.Gaussian.analytic, own, name="size")
        honest = known(size, 1, 10**6, name="k")
        forged = attrs.evolve(dp.parameter("k", 1, 2, closed="both"), origin=honest.origin)
        rows = X.scaled(by=1 / forged)
        return dp.release(rows.T @ rows, dp.Gaussian.analytic, rest, name="gram")

    assert not verdict(declare).proved


def test_a_raw_number_is_not_known():
    """Known of a statistic, made without dp.known."""

    def declare(X, y, budget):
        raw = Known(dp.count(X), "k", Fraction(1), Fraction(2)).symbol
        rows = X.scaled(by=raw)
        return dp.release(rows.T @ rows, dp.Gaussian.analytic, budget, name="gram")

    assert not verdict(declare).proved


def test_half_draws_are_refused():
    """1.5 draws are paid, and two would be made."""

    def declare(X, y, budget):
        (own,) = budget.split("2/3")
        return Release(X.T @ y, dp.Gaussian.analytic, own, Number(Fraction(3, 2)), "m")

    assert not verdict(declare).proved


def test_a_tiny_ball_has_a_minimiser():
    """The multiplier is found however large it is."""
    rng = np.random.default_rng(0)
    for radius in (1e-20, 1e-17, 1e-3):
        for _ in range(50):
            moment = rng.normal(size=3) * 10
            theta = minimiser(np.zeros((3, 3)), moment, 1.0, radius)
            assert np.linalg.norm(theta) == pytest.approx(radius, rel=1e-6)


def test_the_largest_leverage_is_released_as_zeros_not_as_an_error():
    """A penalty of 5/8 makes leverage 8/5, beyond what is proved."""

    def declare(X, y, budget):
        return dp.posterior(X.T @ X, X.T @ y, penalty="5/8", share=budget, name="theta")

    class Edge(dp.Regression):
        """At the edge."""

        def declare(self, X, y, budget):
            return declare(X, y, budget)

    proof = dp.certify(Edge(), target=TARGET, setting=setting(dp.REPLACE_ONE))
    released = dp.execute(proof, np.ones((4, 2)), np.ones(4), rng=1).released["theta"]
    assert not np.any(released)
