"""Deep points: what the draw, and the test before it, cost. (proofs/tukey)"""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph.procedures.deep_point import DeepPoint
from dpframe.graph.procedures.tested_point import TestedPoint
from dpframe.privacy import REPLACE_ONE
from dpframe.symbols import Expression

from ..edit import FIELD, Edit
from ..obligation import Obligation
from ..problem import Problem
from ..sign import nonnegative, positive_size
from .base import entered, needed


@entered(DeepPoint)
def deep_point(problem: Problem, point: DeepPoint) -> Sequence[Obligation]:
    """The draw alone, inside epsilon."""
    sizes = {"radius": point.radius, "grain": point.grain, "rate": point.rate}
    return [*_common(problem, point, sizes), _cost(problem, point, problem_changed(problem) * 2)]


@entered(TestedPoint)
def tested_point(problem: Problem, point: TestedPoint) -> Sequence[Obligation]:
    """The test and the draw, inside epsilon; either fails with the share of delta."""
    sizes = {
        "radius": point.radius,
        "grain": point.grain,
        "rate": point.rate,
        "test": point.test,
        "delta": point.share.delta,
    }
    whole = type(point.least) is int and point.least >= 1
    return [
        *_common(problem, point, sizes),
        needed(
            point,
            whole,
            "the least depth is a whole number, 1 or more",
            f"least = {point.least!r}",
            "a quarter of the models is the paper's.",
        ),
        _cost(problem, point, problem_changed(problem) * 2, point.test),
    ]


def problem_changed(problem: Problem) -> Expression:
    """How many cells one change of the table changes, at most."""
    return problem.rows * (2 if problem.setting.relation is REPLACE_ONE else 1)


def _common(
    problem: Problem, point: DeepPoint, sizes: dict[str, Expression]
) -> Sequence[Obligation]:
    field = problem.field
    return [
        needed(
            point,
            point.sums.step is not None,
            "rows and labels must be bounded",
            f"{point.sums.rows.label}, {point.sums.column.label}",
            "clip them: X.clip(norm=...), y.clip(-Y, Y).",
        ),
        needed(
            point,
            all(positive_size(one, field) for one in sizes.values()),
            f"{', '.join(sizes)} must be positive",
            ", ".join(f"{name} = {formula}" for name, formula in sizes.items()),
            "declare them on open ranges.",
        ),
    ]


def _cost(
    problem: Problem, point: DeepPoint, factor: Expression, test: Expression | None = None
) -> Obligation:
    """factor rate, and the test, at most epsilon."""
    left = point.share.epsilon if test is None else point.share.epsilon - test
    spent = "2 rate" if test is None else "test + 2 rate"
    return needed(
        point,
        nonnegative(left - factor * point.rate, problem.field).proved,
        f"{spent} a cell that changes is at most epsilon",
        f"rate = {point.rate}, 2 cells = {factor}, {left} is left",
        "take rate = (epsilon - test)/(2 cells that change).",
        edit=Edit(FIELD, point, left / factor, "rate"),
    )
