"""Whatever the prover certifies, the kernel accepts: every statistic, of a table, of the cells of a
partition, of a sample of the rows, of weighted records; under both relations.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import dpframe as dp
from dpframe.errors import DPFrameError, Uncertified
from dpframe.graph.facts import answers
from dpframe.graph.post import points_of
from dpframe.kernel import check
from dpframe.mechanisms import ExponentialSelection, PermuteAndFlipSelection
from dpframe.prover.parallel import cell_of
from dpframe.theory import KINDS
from dpframe.theory.book import answers_of, kind
from tests.support import checking, samples

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
PERSONAL = dp.PersonalizedDP(dp.each("epsilon"))
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
statistics = pytest.mark.parametrize(
    "ask", samples.STATISTICS.values(), ids=[one.kind for one in samples.STATISTICS]
)
Ask = Callable[[Any, Any], Any]


def made(declare: Callable[..., Any]) -> dp.Regression:
    """A declaration of this function."""
    return type("Made", (dp.Regression,), {"declare": declare})()


def certified(regression: dp.Regression, target: object, setting: dp.Setting) -> bool:
    """Whether the prover certifies it; then the kernel must accept the file."""
    try:
        run = dp.certify(regression, target=target, setting=setting)
    except Uncertified:
        return False
    document = checking.file_of(run)
    verdict = checking.check(document)
    assert verdict.accepted, verdict.reason
    return True


def in_cells(ask: Ask) -> dp.Regression:
    """The statistic of two cells of a partition, each released with the whole budget."""

    def declare(_: object, X: Any, y: Any, budget: Any) -> Any:
        partition = dp.graph.partition_at(X, y, [0])
        cells = [ask(*partition.cell(j)) for j in range(2)]
        return tuple(dp.release(one, dp.Gaussian.analytic, budget) for one in cells)

    return made(declare)


@relations
@statistics
def test_a_statistic_of_two_cells_costs_one_where_zeros_add_nothing(ask, relation):
    """Under add/remove each cell may spend everything; and the kernel agrees in every case."""
    setting = samples.setting(relation)
    try:
        proved = certified(in_cells(ask), TARGET, setting)
    except DPFrameError:
        pytest.skip("it cannot be asked of a cell")
    asked = ask(*dp.graph.partition_at(*setting.nodes(), [0]).cell(1))
    if answers(asked).one_cell or asked.sensitivity(dp.Gaussian.norm) is None:
        return  # a cell of its own; or nothing bounds it
    assert (cell_of(asked) is not None) == answers(asked).keeps_zeros(asked.record())
    if relation is dp.ADD_REMOVE:
        assert proved == (cell_of(asked) is not None)


@relations
@pytest.mark.parametrize(("lower", "upper"), [(-1, 1), (-1, 2), (0, 3), (1, 2)])
def test_labels_of_a_cell_stay_in_it_if_zero_lies_in_their_interval(relation, lower, upper):
    """A label of 0, of a record outside the cell, must not become another number."""

    def ask(X: Any, y: Any) -> Any:
        return dp.total(y.clip(lower=lower, upper=upper))

    setting = samples.setting(relation)
    X, y = setting.nodes()
    inside = lower <= 0 <= upper
    assert (cell_of(ask(*dp.graph.partition_at(X, y, [0]).cell(1))) is not None) == inside
    proved = certified(in_cells(ask), TARGET, setting)
    assert proved == (inside and relation is dp.ADD_REMOVE)


def stay(point: Any, answer: Any, step: int) -> Any:
    """The loop goes nowhere."""
    del answer, step
    return point


@relations
@statistics
def test_a_sum_over_records_may_be_asked_of_a_sample(ask, relation):
    """By a loop, at the cost of all records; what is no sum over records may not."""
    asked: list[Any] = []

    def declare(_: object, X: Any, y: Any, budget: Any) -> Any:
        point = dp.iterate(X.columns)
        rows = dp.graph.gradient(X, y, at=point, clip=1).rows
        asked.append(ask(rows, y))
        step = dp.release(asked[-1], dp.Gaussian.analytic, budget, sampled="1/4")
        return dp.loop(point, step, stay)

    try:
        proved = certified(made(declare), TARGET, samples.setting(relation))
    except DPFrameError:
        proved = False
    moved = asked[-1].sensitivity(dp.Gaussian.norm) if asked else None
    reads = bool(asked) and bool(points_of(asked[-1]))
    if reads and moved is not None and moved.value != dp.constant(0):
        assert proved == answers(asked[-1]).sum_over_records


@relations
@statistics
def test_the_kernel_accepts_what_is_proved_of_weighted_records(ask, relation):
    """Pure noise for the statistic of weighted rows and labels, by each record's own budget."""

    def declare(_: object, X: Any, y: Any, budget: Any) -> Any:
        weight = budget.epsilon / X.largest(budget.epsilon)
        statistic = ask(X.weighted(weight), y.weighted(weight))
        return dp.release(statistic, dp.L2Laplace.pure, budget)

    try:
        certified(made(declare), PERSONAL, samples.setting(relation))
    except DPFrameError:
        pytest.skip("it cannot be asked of weighted records")


def test_what_an_entry_does_not_claim_is_answered_no():
    """No is the safe answer to each question; a question that no rule reads is refused."""
    assert not any(answers_of("forgotten"))
    with pytest.raises(TypeError, match="unheard"):
        kind("forgotten", unheard=True)(lambda at: None)
    assert "forgotten" not in KINDS


# ------------------------------------------------- Costs of one draw in rho and in mu, written down
# The kernel accepts exactly these, and no claim that is 1% smaller.

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.ADD_REMOVE)
EIGHTH, HALF = Fraction(1, 8), Fraction(1, 2)
COSTS = {  # noise of size 2 of a number that moves by 1: rho, by which derivation
    "normal law": (dp.Gaussian(std=2), EIGHTH, ("gaussian", "zcdp")),
    "discrete Gaussian": (dp.DiscreteGaussian(std=2), EIGHTH, ("zcdp",)),
    "Laplace": (dp.Laplace(scale=2), EIGHTH, ("zcdp",)),
    "discrete Laplace": (dp.DiscreteLaplace(scale=2), EIGHTH, ("zcdp",)),
    "permute and flip": (PermuteAndFlipSelection(scale=2), EIGHTH, ("zcdp",)),
    "exponential": (ExponentialSelection(scale=2), Fraction(1, 32), ("zcdp",)),
}
CASES = [(name, by) for name, (_, _, ways) in COSTS.items() for by in ways]


def accepted(noise, target, by, less=Fraction(1)):
    """Whether the kernel accepts the certificate, its claim multiplied by `less`."""

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            counts = dp.graph.bin_counts(y, [-1, 1]) if noise.kind.endswith("selection") else None
            return dp.release(dp.count(X) if counts is None else counts, noise)

    made = dp.certify(Declared(), target=target, setting=SETTING, accountant=by).document
    found = copy.deepcopy(made)
    (amount,) = found["statement"]["target"]["amounts"]
    found["statement"]["target"]["amounts"] = [str(Fraction(amount) * less)]
    return check(checking.sealed(found)).accepted


@pytest.mark.parametrize(("name", "by"), CASES)
def test_rho_is_neither_more_nor_less(name, by):
    """mu^2/2 of normal laws, (move/size)^2/2 of others, an eighth of it by bounded range.
    [BunS16, Prop 1.4, 1.6] [CanonneKS20, Thm 4] [DongDR20]
    """
    noise, rho, _ = COSTS[name]
    assert accepted(noise, dp.ZeroConcentratedDP(rho), by)
    assert not accepted(noise, dp.ZeroConcentratedDP(rho), by, Fraction(99, 100))


def test_mu_is_neither_more_nor_less():
    """The move over the std. [DongRS22, Thm 2.7]"""
    assert accepted(dp.Gaussian(std=2), dp.GaussianDP(HALF), "gaussian")
    assert not accepted(dp.Gaussian(std=2), dp.GaussianDP(HALF), "gaussian", Fraction(99, 100))
