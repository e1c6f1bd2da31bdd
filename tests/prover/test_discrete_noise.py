"""Noise in whole numbers on statistics in whole numbers: proved, checked, forged, executed."""

import copy
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.randomness import SimulatedBits
from tests.support import checking as check

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
WIDE = dp.Setting(X=dp.Rows(norm=2**20), y=dp.Column(bound=2**20), relation=dp.ADD_REMOVE)


class Counted(dp.Regression):
    """n with discrete Laplace noise."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), dp.DiscreteLaplace.pure, budget, name="n")


class Concentrated(dp.Regression):
    """n with discrete Gaussian noise."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), dp.DiscreteGaussian.concentrated, budget, name="n")


class Both(dp.Regression):
    """n with discrete Gaussian, X'X with Gaussian noise."""

    def declare(self, X, y, budget):
        """Two releases."""
        half, other = budget.split_evenly(2)
        count = dp.release(dp.count(X), dp.DiscreteGaussian.concentrated, half, name="n")
        return count, dp.release(X.T @ X, dp.Gaussian.analytic, other, name="gram")


class Stated(dp.Regression):
    """n with discrete Gaussian noise of a stated std."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), dp.DiscreteGaussian(std=20), name="n")


CASES = {
    "stated in zCDP": (Stated(), dp.ZeroConcentratedDP("1/800")),
    "stated in approximate": (Stated(), dp.ApproxDP(1, "1e-6")),
    "pure": (Counted(), dp.PureDP(dp.EPSILON)),
    "Laplace in approximate": (Counted(), dp.ApproxDP(1, "1e-6")),
    "zCDP": (Concentrated(), dp.ZeroConcentratedDP("1/8")),
    "symbolic": (Concentrated(), dp.ApproxDP(dp.EPSILON, dp.DELTA)),
    "both": (Both(), dp.ApproxDP(1, "1e-6")),
    "both in zCDP": (Both(), dp.ZeroConcentratedDP("1/8")),
}


def document(name):
    """The file of a certificate."""
    return check.document(*CASES[name], SETTING)


@pytest.mark.parametrize("name", CASES)
def test_it_is_proved_exact_and_checked(name):
    """No idealized numerics, and the standalone checker agrees."""
    found = document(name)
    assert not any("idealized" in line for line in found["assumptions"])
    assert check.check(found).accepted, check.check(found).reason


@pytest.mark.parametrize("name", CASES)
def test_smaller_noise_is_not_accepted(name):
    """The same file with 0.99 (or, where there is slack, a tenth) of its discrete noise."""
    share = "1/10" if name == "stated in approximate" else "99/100"
    forged = copy.deepcopy(document(name))
    for node in forged["graph"]["nodes"]:
        if str(node.get("mechanism")).startswith("discrete"):
            node["size"] = ["*", share, node["size"]]
    assert forged != document(name)
    verdict = check.check(check.sealed(forged))
    assert not verdict.accepted
    assert "size" in verdict.reason or "rho" in verdict.reason or "sqrt" in verdict.reason


HALVES = {
    "a third of the rows": lambda X, y: dp.count(X) * "1/3",
    "X'X in steps of 2^-40": lambda X, y: X.T @ X,
    "labels": lambda X, y: dp.total(y),
}


@pytest.mark.parametrize("make", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize(
    "noise", [dp.DiscreteLaplace(scale=2), dp.DiscreteGaussian(std=2)], ids=["Laplace", "Gaussian"]
)
def test_other_statistics_are_refused(make, noise):
    """At declaration, saying which."""
    with pytest.raises(dp.InvalidArgument, match="not known to be in whole numbers"):
        dp.release(make(*SETTING.nodes()), noise)


FORGED = {
    "a third of n": (lambda X, y: dp.count(X) * "1/3", "1/3"),
    "a stack off the diagonal": (lambda X, y: dp.graph.stack(X.T @ X), 2**40),
}


@pytest.mark.parametrize("name", FORGED)
def test_the_checker_wants_whole_numbers(name):
    """A file with Laplace noise that is told to be discrete: rejected for what is not whole."""
    make, _ = FORGED[name]

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(make(X, y), dp.Laplace.pure, budget)

    found = check.document(Declared(), dp.PureDP(1), WIDE)
    assert check.check(found).accepted
    for node in found["graph"]["nodes"]:
        if node.get("mechanism") == "laplace":
            node["mechanism"], node["rule"] = "discrete_laplace", "DiscreteLaplace.pure"
    verdict = check.check(check.sealed(found))
    assert not verdict.accepted
    assert "whole numbers" in verdict.reason


def test_whole_matrices_are_whole():
    """Rows of norm 2^20 on a grid of 20 bits have steps of 1."""

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.DiscreteLaplace.pure, budget)

    proof = dp.certify(Declared(), target=dp.PureDP(1), setting=WIDE)
    assert check.check(check.file_of(proof)).accepted
    released = dp.execute(proof, np.eye(2) * 7.5, np.zeros(2), rng=0).output
    assert (released == np.trunc(released)).all()


def test_released_counts_are_the_count_plus_the_noise():
    """Of the seed, at the certified size."""
    run = dp.certify(Concentrated(), target=dp.ZeroConcentratedDP("1/8"), setting=SETTING)
    noise = dp.DiscreteGaussian.on_grid(Fraction(2), 1, SimulatedBits(np.random.default_rng(5)))
    assert dp.execute(run, np.eye(3), np.zeros(3), rng=5).output == 3 + noise[0]
