"""Propose, test, release as published in code: what its two steps would need, and do not have."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.graph.procedures.tested_distance import DepthSample, TestedDistance
from dpframe.privacy import REPLACE_ONE
from dpframe.symbols import Expression, Number, exp

from ..enclose import enclose, rational_ball
from ..obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness, named
from ..problem import Problem
from ..sign import nonnegative, points
from .base import entered, needed

HALF, ONE = Fraction(1, 2), Number(Fraction(1))
RULE = "the noise of the test earns its share: 1/scale is at most that epsilon"
PASSES = (
    "an unsafe table, of distance {}, passes with probability exp(-({})/scale)/2, at most its delta"
)
NOISE = "take noise of the scale 1/epsilon of its share: dp.Laplace.pure."


@entered(TestedDistance)
def tested_distance(problem: Problem, test: TestedDistance) -> Sequence[Obligation]:
    """One record moves the distance by at most one; the noise hides that, and fails seldom."""
    loss, share = 1 / test.scale, test.share
    tail = HALF * exp((test.unsafe - test.threshold) / test.scale)
    passes = PASSES.format(test.unsafe, _gap(test))
    replaced = problem.setting.relation is REPLACE_ONE and problem.rows == ONE
    return [
        needed(
            test,
            replaced,
            "one record is in one model: one row a person is replaced, none joins",
            "the size of every batch follows from n",
            "use dp.REPLACE_ONE, or batches of a public partition.",
        ),
        _below(problem, test, RULE, loss, share.epsilon),
        _below(problem, test, passes, tail, share.delta),
        needed(
            test,
            holds=False,
            rule="the number of models that would have to change is derived",
            fact="it is what the code says, and no rule here derives it",
            way_out="write a rule for this distance.",
        ),
    ]


@entered(DepthSample)
def depth_sample(problem: Problem, sample: DepthSample) -> Sequence[Obligation]:
    """Nothing is proved of a point that is drawn from other volumes than those weighed."""
    del problem
    return [
        needed(
            sample,
            holds=False,
            rule="the point is drawn with the density that was weighed, exp(rate depth)",
            fact="weighed: models t to m - t + 1; drawn: models t + 1 to m - t, one depth further",
            way_out="draw from the region that was weighed, and count volumes of depth >= theirs.",
        )
    ]


def _gap(test: TestedDistance) -> str:
    """`threshold + 1`: from an unsafe table to the threshold."""
    gap = -test.unsafe
    return "threshold" if gap == Number(Fraction(0)) else f"threshold + {gap}"


def _below(
    problem: Problem, test: TestedDistance, rule: str, amount: Expression, most: Expression
) -> Obligation:
    """amount <= most, proved by algebra, or refuted by numbers."""
    fact = f"{amount} against {most}"
    if nonnegative(most - amount, problem.field).proved:
        return Obligation("theorem", test.label, rule, (fact,), PROVED)
    witness = _witness(amount, most)
    verdict = UNPROVED if witness is None else REFUTED
    return Obligation("theorem", test.label, rule, (fact,), verdict, witness, NOISE)


def _witness(amount: Expression, most: Expression) -> Witness | None:
    symbols = sorted(amount.symbols() | most.symbols(), key=lambda symbol: symbol.name)
    for point in points(symbols):
        balls = {symbol.name: rational_ball(value) for symbol, value in point.items()}
        left, right = enclose(amount, balls), enclose(most, balls)
        if left > right:
            says = f"it is {float(left.mid()):.4g} > {float(right.mid()):.4g}"
            return Witness(named(point, amount, most), says)
    return None
