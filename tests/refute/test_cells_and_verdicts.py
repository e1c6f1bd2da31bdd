"""Cells, residuals, ranges and levels: what is charged, certified and executed is one thing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Graph, Release, post, release
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.partition import CellColumn, CellRows
from dpframe.graph.statistics import NormCounts
from dpframe.prover import examine
from dpframe.prover.problem import REFUTED
from tests.support.checking import check, file_of
from tests.support.samples import declared

# -------------------------------------------------------------------------- Cells of narrow columns
APPROX = dp.ApproxDP(1, Fraction(1, 10**6))


def setting(relation: dp.Relation = dp.ADD_REMOVE, **rows: Any) -> dp.Setting:
    """Rows of norm 1 where nothing else bounds them, labels of bound 1."""
    return dp.Setting(X=dp.Rows(**(rows or {"norm": 1})), y=dp.Column(bound=1), relation=relation)


def moment(X: Any, y: Any, budget: Any) -> Any:
    """X'y for the whole budget."""
    return dp.release(X.T @ y, dp.Gaussian.analytic, budget)


def certified(build: Callable[[Any, Any, Any], Any], **more: Any) -> dp.Certificate:
    """Its certificate for APPROX."""
    return dp.certify(declared(build), **{"target": APPROX, "setting": setting(), **more})


class TwoFaced(Graph):
    """A graph that shows its first release only, except to execution."""

    @property
    def releases(self) -> Any:
        """One of them."""
        return tuple(node for node in self.nodes if isinstance(node, Release))[:1]


class Forging(dp.Regression):
    """A regression that makes its graph itself."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        """X'y."""
        return moment(X, y, budget)

    def graph(self, setting: Any, budget: Any) -> Any:
        """With a second release that the proof never sees."""
        X, y = setting.nodes()
        bare = dp.release(X.T @ y, dp.Gaussian(std=Fraction(1, 10**6)))
        whole = Graph.of((moment(X, y, budget), bare))
        return TwoFaced(whole.output, whole.nodes)


def test_subclasses_of_graphs_are_not_believed() -> None:
    """A graph that hides a release is refused."""
    with pytest.raises(dp.DPFrameError):
        dp.certify(Forging(), target=APPROX, setting=setting())


@pytest.mark.parametrize("value", [0.0, 5e-311, 1.0])
def test_narrow_codebooks_release_numbers(value: float) -> None:
    """A value in the middle of an interval of width 1e-310 does not turn the release into nan."""
    try:
        run = certified(moment, setting=setting(columns=[dp.Numeric("a", 0, "1e-310")]))
    except dp.DPFrameError:
        return
    result = dp.execute(run, np.array([[value], [0.0]]), np.ones(2), rng=0)
    assert np.isfinite(result.output).all()


@pytest.mark.parametrize("target", [dp.PureDP(1), dp.PureDP(dp.EPSILON)])
def test_bounds_that_cancel_leave_a_verdict(target: dp.Guarantee) -> None:
    """Laplace noise 9/10 of what is needed, in units of a symbolic bound, is refused by name."""
    bound = dp.parameter("B", 0)
    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=bound), relation=dp.ADD_REMOVE)

    def build(_: Any, y: Any, budget: Any) -> Any:
        scale = bound * Fraction(9, 10) / budget.epsilon
        return dp.release(dp.total(y), dp.Laplace(scale=scale), budget)

    with pytest.raises(dp.Uncertified):
        dp.certify(declared(build), target=target, setting=table)


def test_a_claim_that_delta_saves_is_not_refuted() -> None:
    """Loss 1.0000001 on a count is (1, 5e-8)-private: a share of (1, 1e-6) is not refuted."""

    def build(X: Any, _: Any, budget: Any) -> Any:
        return dp.release(dp.count(X), dp.Laplace(scale=Fraction(9999999, 10**7)), budget)

    report = examine(declared(build), target=APPROX, setting=setting())
    assert all(obligation.verdict is not REFUTED for obligation in report.open_obligations)


def test_an_unknown_sensitivity_is_not_a_refutation() -> None:
    """max_abs of rows of norm 1 moves by at most 1: a std of 1e6 is unproved, and not refuted."""

    def build(X: Any, _y: Any, _b: Any) -> Any:
        return dp.release(dp.graph.aggregate("max_abs", X), dp.Gaussian(std=10**6))

    found = dp.audit(declared(build), target=APPROX, setting=setting())
    assert str(found.verdict) != "refuted"


@pytest.mark.parametrize("target", [APPROX, dp.GaussianDP(2)])
@pytest.mark.parametrize("shift", [0, 1])
def test_prover_and_checker_agree_on_coefficients_with_a_zero(target: Any, shift: int) -> None:
    """(gamma - 1/2) X'y has no noise at gamma = 1/2; with another statistic added, it has."""
    gamma = dp.parameter("gamma", 0, 1)

    def build(X: Any, y: Any, budget: Any) -> Any:
        queried = (gamma - Fraction(1, 2)) * (X.T @ y)
        queried = queried + dp.total(X) if shift else queried
        return dp.release(queried, dp.Gaussian.analytic, budget)

    try:
        found = dp.certify(declared(build), target=target, setting=setting())
    except dp.Uncertified:
        return
    assert check(file_of(found)).accepted


def test_a_fit_that_was_spent_is_kept() -> None:
    """An intercept that reads the public n does not lose a fit after its budget was spent."""
    pytest.importorskip("sklearn")

    class Shrinking(dp.Regression):
        def declare(self, X: Any, y: Any, budget: Any) -> Any:
            return moment(X.with_intercept(1 / (1 + X.rows)), y, budget)

    table = setting(dp.REPLACE_ONE)
    model = dp.PrivateRegressor(Shrinking(), epsilon=1, delta="1e-6", setting=table, rng=0)
    X, y = np.ones((5, 2)), np.ones(5)
    assert model.fit(X, y).predict(X).shape == (5,)


# ------------------------------------------------------------- Records outside a cell count nowhere
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def gathered(*counts):
    """All of them."""
    return counts


class CountsOverATinyDivisor(dp.Regression):
    """Counts of gradient norms of cells, over a number that is zero in doubles."""

    def declare(self, X, y, budget):
        """A count a cell."""
        cells = dp.partition(X, y, cells=4, salt="s")
        counts = []
        for j in range(4):
            each = GradientAt(CellRows(cells, j), CellColumn(cells, j), None)
            norms = NormCounts(each.scaled(Fraction(1, 10**400)), [1])
            counts.append(release(norms, dp.Gaussian(std=1), name=f"c{j}"))
        return post(gathered, *counts)


def test_a_record_outside_a_cell_is_not_counted_whatever_the_divisor():
    """0/0 was NaN, and NaN was counted in every cell."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(51, 2)), rng.normal(size=51)
    target = dp.GaussianDP(1)
    try:
        proof = dp.certify(CountsOverATinyDivisor(), target=target, setting=SETTING)
    except dp.Uncertified:
        return  # refused is as good
    fits = [np.array(dp.execute(proof, X[:n], y[:n], rng=1).output) for n in (50, 51)]
    moved = np.abs(fits[1] - fits[0]).ravel()
    assert np.sum(moved > 0.5) <= 1


@pytest.mark.parametrize("theta", [dp.graph.Squared(), 3, "theta"])
def test_residuals_are_at_something_that_was_released(theta):
    """A node that is no release has no value when rows are read."""
    X, y = SETTING.nodes()
    with pytest.raises(dp.InvalidArgument, match="released coefficients"):
        y.residuals(X, theta)


class CellsOfResiduals(dp.Regression):
    """Cells that released coefficients decide."""

    def declare(self, X, y, budget):
        """Four counts, charged as if a record were in one cell."""
        theta = release(X.T @ y, dp.Gaussian(std=2), name="t")
        left = y.residuals(X, theta).clip(-1, 1)
        cells = dp.partition(X, left, cells=4, salt="a")
        noise = dp.Gaussian(std="1.1548")
        return post(
            gathered, theta, *[release(cells.count(j), noise, name=f"k{j}") for j in range(4)]
        )


def test_cells_that_read_releases_are_charged_all():
    """The prover charges what the standalone checker charges."""
    with pytest.raises(dp.Uncertified):
        dp.certify(CellsOfResiduals(), target=dp.GaussianDP(1), setting=SETTING)


# -------------------------------------------------------- Ranges of a proof, levels and row numbers
X, Y = np.ones((5, 2)), np.ones(5)


@pytest.mark.parametrize("closed", ["neither", "left"])
def test_thinning_keeps_the_compact_ranges_of_boxes(closed: str) -> None:
    """Ten stds 600000 (1 - g_i), proved by boxes for g_i <= 999/1000, are not certified near 1."""
    names = [f"g{i}" for i in range(10)]
    gs = [dp.parameter(name, 0, 1, closed=closed) for name in names]

    def build(_: Any, y: Any, budget: Any) -> Any:
        shares = budget.split_evenly(10)
        stds = [600_000 * (1 - g) for g in gs]
        pairs = zip(stds, shares, strict=True)
        return tuple(dp.release(dp.total(y), dp.Gaussian(std=std), s) for std, s in pairs)

    target = dp.ApproxDP(Fraction(1, 2), Fraction(1, 10**6))
    certificate = dp.certify(declared(build), target=target, setting=setting())
    with pytest.raises(dp.InvalidArgument):
        certificate.at(**dict.fromkeys(names, 1 - Fraction(1, 10**9)))


def test_thinning_keeps_what_a_stated_std_needs_beside_a_named_theorem() -> None:
    """std 20, proved for epsilon >= 1, is not certified at 1/1000 beside ten named theorems."""
    epsilon = dp.parameter("epsilon", 0, 1000, closed="right")
    gamma = dp.parameter("gamma", 0, 1, closed="right")

    def build(_: Any, y: Any, budget: Any) -> Any:
        first, *others = budget.split("1/2", *[gamma**i / 20 for i in range(1, 11)])
        stated = dp.release(dp.total(y), dp.Gaussian(std=20), first)
        return (stated, *(dp.release(dp.total(y), dp.Gaussian.kamath_ullman, s) for s in others))

    target = dp.ApproxDP(epsilon, Fraction(1, 10**6))
    certificate = dp.certify(declared(build), target=target, setting=setting())
    with pytest.raises(dp.InvalidArgument):
        certificate.at(epsilon=Fraction(1, 1000), gamma=Fraction(1, 2))


def test_a_row_has_at_most_one_level() -> None:
    """Levels 2^53 and 2^53 + 1, one number as doubles, do not give a row two indicators."""
    level = 2**53
    try:
        rows = dp.Rows(columns=[dp.Categorical("a", (level, level + 1))])
    except dp.InvalidArgument:
        return
    table = dp.Setting(X=rows, relation=dp.ADD_REMOVE)
    loose = dp.ApproxDP(10**30, Fraction(1, 10))
    build = lambda X, _, __: dp.release(dp.total(X), dp.Gaussian(std=Fraction(1, 10**9)))  # noqa: E731
    certificate = dp.certify(declared(build), target=loose, setting=table)
    result = dp.execute(certificate, np.full((1, 1), float(level)), rng=0)
    assert np.sum(next(iter(result.released.values()))) < 3 / 2


def test_levels_of_different_types_are_different_declarations() -> None:
    """The levels 1, 2 and '1', '2' have different hashes."""

    def of(levels: tuple[Any, ...]) -> str:
        table = dp.Setting(X=dp.Rows(columns=[dp.Categorical("a", levels)]), relation=dp.ADD_REMOVE)
        build = lambda X, _, budget: dp.release(dp.total(X), dp.Gaussian.analytic, budget)  # noqa: E731
        return str(dp.certify(declared(build), target=APPROX, setting=table).hash)

    assert of((1, 2)) != of(("1", "2"))


def test_a_certificate_keeps_the_problem_that_was_proved() -> None:
    """A report whose problem was exchanged makes no certificate."""
    build = lambda _, y, budget: dp.release(dp.total(y), dp.Gaussian.analytic, budget)  # noqa: E731
    proved = dp.certify(declared(build), target=APPROX, setting=setting())
    forged = attrs.evolve(proved.report.problem, target=dp.PureDP(Fraction(1, 10**9)))
    with pytest.raises((dp.DPFrameError, TypeError)):
        attrs.evolve(proved, report=attrs.evolve(proved.report, problem=forged))


def identity(value: Any, other: Any) -> Any:
    """Both."""
    return value, other


@pytest.mark.parametrize("posted", [False, True])
def test_what_is_certified_constant_is_executed(posted: bool) -> None:
    """A count under replace-one, in the output or in post-processing, is executed too."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        noisy = dp.release(dp.total(y), dp.Gaussian.analytic, budget)
        return dp.post(identity, noisy, dp.count(X)) if posted else (noisy, dp.count(X))

    certificate = dp.certify(declared(build), target=APPROX, setting=setting(dp.REPLACE_ONE))
    assert dp.execute(certificate, X, Y, rng=0).output[1] == len(Y)


def test_one_n_for_every_view_of_a_table() -> None:
    """X.rows of two row maps of one table is one number, n."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        noisy = dp.release(dp.total(y), dp.Gaussian.analytic, budget)
        return dp.post(identity, noisy, X.rows + X.with_intercept().rows)

    certificate = dp.certify(declared(build), target=APPROX, setting=setting(dp.REPLACE_ONE))
    assert dp.execute(certificate, X, Y, rng=0).output[1] == 2 * len(Y)
