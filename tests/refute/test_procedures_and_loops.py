"""Procedures, loops and searches: what they cost, what they may read, and that they run."""

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.accountants import composition_of
from dpframe.graph import lower_bound
from dpframe.graph.node import noting
from dpframe.graph.procedures import ApproximateMinimum, PerturbedMinimum, perturbed_minimum
from dpframe.graph.procedures.perturbed import minimiser
from dpframe.prover.mixture import joint_gaussian
from tests.support.samples import declared

TARGET = dp.ApproxDP(1, "1e-6")


def setting(relation=dp.ADD_REMOVE):
    """Bounds of 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def verdict(body, relation=dp.ADD_REMOVE):
    """The report on a function declare(X, y, budget)."""
    return dp.examine(declared(body), target=TARGET, setting=setting(relation))


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
        size = dp.graph.log_residual(X.T @ X, X.T @ y, 1, floor)
        return dp.release(size, dp.Gaussian.analytic, rest, name="size")


@pytest.mark.parametrize("cls", [Cheap, Floored, dp.regressions.AdaOPS])
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
        with noting():  # made for its fields, never released
            real = perturbed_minimum(X.T @ X, X.T @ y, penalty=10, radius=1, share=rest)
        fields = {field.name: getattr(real, field.name) for field in attrs.fields(PerturbedMinimum)}
        return ApproximateMinimum(
            Mine(**fields), tolerance=dp.constant("1e-6"), noise_share=own, share=budget, name="th"
        )

    found = verdict(declare)
    assert not found.proved
    assert any(one.kind == "trust" for one in found.open_obligations)


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
        return dp.graph.posterior(X.T @ X, X.T @ y, penalty="5/8", share=budget, name="theta")

    proof = dp.certify(declared(declare), target=TARGET, setting=setting(dp.REPLACE_ONE))
    released = dp.execute(proof, np.ones((4, 2)), np.ones(4), rng=1).released["theta"]
    assert not np.any(released)


def stay(point, answer, turn):
    """The point does not move."""
    return point


def first(point):
    """Its first number."""
    return float(point[0])


def test_two_loops_in_a_row_are_certified_and_run():
    """The second starts where the first has been: it reads the loop, not its point."""

    class Two(dp.Regression):
        """Two loops of one round each."""

        def declare(self, X, y, budget):
            own, rest = budget.split_evenly(2)
            one, other = dp.iterate(X.columns, name="a"), dp.iterate(X.columns, name="b")
            slope = dp.release(
                dp.graph.gradient(X, y, at=one, clip=1), dp.Gaussian.analytic, own, name="slope"
            )
            path = dp.loop(one, slope, stay)
            again = dp.release(
                dp.graph.gradient(X, y, at=other, clip=1), dp.Gaussian.analytic, rest, name="again"
            )
            return dp.loop(other, again, moved, path)

    proof = dp.certify(Two(), target=TARGET, setting=setting())
    assert dp.execute(proof, np.ones((5, 2)), np.ones(5), rng=0).output.shape == (2, 2)


def moved(point, answer, turn, path):
    """The last point of another loop."""
    return path[-1]


def scored_oddly(z):
    """Not a number in the middle."""
    return 0.0 if z < -25 else 1.0 if z < 0 else -1.0 if z > 4 else float("nan")


def test_a_score_that_is_no_number_is_the_last():
    """Random stopping needs an order of its runs."""
    from dpframe.graph import Graph
    from dpframe.graph.procedures import RandomStopping

    class Odd(dp.Regression):
        """The best of runs whose scores may be no numbers."""

        def declare(self, X, y, budget):
            (each,) = budget.split("1/3")
            z = dp.release(dp.total(y), dp.Laplace.pure, each, name="z")
            graph = Graph.of((z, dp.post(scored_oddly, z)))
            return RandomStopping(rows=X, column=y, graphs=(graph,), gamma="1/2", share=budget)

    proof = dp.certify(Odd(), target=dp.PureDP(1), setting=setting())
    runs = [dp.execute(proof, np.ones((3, 1)), np.ones(3), rng=seed).output for seed in range(200)]
    assert np.mean(np.array(runs) > 4) > np.mean((np.array(runs) > 0) & (np.array(runs) < 4))


def test_graphs_of_a_search_are_derived_anew():
    """A graph that hides what it spends is built again from its output."""
    from dpframe.graph import Graph
    from dpframe.graph.procedures import RandomStopping

    class Hidden(Graph):
        """No release, it says."""

        releases = ()

    def declare(X, y, budget):
        (small,) = budget.split("1/6")
        leak = dp.release(dp.total(y), dp.Laplace(scale="1e-6"), small, name="leak")
        honest = Graph.of((leak, dp.post(scored_oddly, leak)))
        forged = Hidden(honest.output, honest.nodes)
        return RandomStopping(rows=X, column=y, graphs=(forged,), gamma="1/2", share=budget)

    assert not dp.examine(declared(declare), target=dp.PureDP(1), setting=setting()).proved


def test_many_small_cells_are_not_refuted():
    """Beyond the choices that are looked at, all cells are added up: that refutes nothing."""

    class Cells(dp.Regression):
        """300 cells with shares of their own, of which one changes."""

        def declare(self, X, y, budget):
            parts = dp.partition(X, y, cells=300)
            shares = [budget.split(Fraction(1, 2 + j))[0] for j in range(300)]
            noisy = [
                dp.release(dp.total(parts.cell(j)[1]), dp.Laplace.pure, share, name=f"c{j}")
                for j, share in enumerate(shares)
            ]
            return tuple(noisy)

    found = dp.examine(Cells(), target=dp.PureDP(1), setting=setting())
    assert all(str(one.verdict) != "refuted" for one in found.open_obligations)


def test_a_public_n_is_read_as_before():
    """Under replace-one, noise may read the number of rows."""

    def declare(X, y, budget):
        unit = dp.analytic_sigma(budget.epsilon, budget.delta)
        return dp.release(dp.total(y), dp.Gaussian(std=2 * unit * (1 + X.rows)), budget)

    assert verdict(declare, dp.REPLACE_ONE).proved
