"""Losses, and minimisers of strongly convex sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpframe.exact.documents import HALF, Json
from dpframe.exact.formula import Formula

from .at import Context
from .book import BY_RECORD, PLAIN, kind
from .facts import LabelFacts, Loss, RecordWeights, RowFacts, Slope, StatisticFacts
from .keys import Number, Positive


@kind("squared", answers=PLAIN)
def _squared(at: Context) -> Loss:
    """(x'theta - y)^2/2: its slope is the residual."""
    slope: Slope = lambda margin, label: None if margin is None else margin + label  # noqa: E731
    return Loss(slope, lambda _: at.number(1), square=True)


@kind("logistic", answers=PLAIN)
def _logistic(_: Context) -> Loss:
    """log(1 + exp(-y x'theta)): its slope is at most |y|."""
    return Loss(lambda _, label: label, lambda label: label**2 / 4)


@kind("huber", answers=PLAIN)
def _huber(at: Context, *, knee: Positive) -> Loss:
    """r^2/2 for residuals up to the knee, linear beyond: its slope is the clipped residual."""
    slope: Slope = lambda m, y: knee if m is None else at.minimum(knee, m + y)  # noqa: E731
    return Loss(slope, lambda _: at.number(1))


@kind("argmin", RowFacts, LabelFacts, Loss, RecordWeights, many=True, answers=BY_RECORD)
def _argmin(
    at: Context,
    *inputs: Any,
    penalty: Positive,
    radius: Positive | None,
    tolerance: Number,
    weight: Json = None,
) -> StatisticFacts:
    """sum w phi(x'theta, y) + penalty/2 |theta|^2 is penalty-strongly convex, on the ball too: one
    record's gradient moves its argmin by |gradient|/penalty [ChaudhuriM09, Lem 1].
    """
    rows, column, loss, factor = losses(at, inputs, weight)
    rule = "tolerance must lie in (0, 1], or be 0 for the squared loss, which has a closed form"
    at.require(0 < tolerance <= 1 or (tolerance == 0 and loss.square), rule)
    once = move = None
    if rows.norm is not None and column.bound is not None:
        once, move = moves_of(at, loss, (rows.norm, column.bound, radius), penalty, factor)
    if once is None or move is None:
        return StatisticFacts((rows.columns,))
    move = move + once * (2 * tolerance)
    l2 = move if radius is None else at.minimum(radius * 2, move)
    return StatisticFacts((rows.columns,), rows.columns**HALF * l2, l2)


def losses(
    at: Context, inputs: Sequence[Any], weight: Json
) -> tuple[Any, Any, Loss, Formula | None]:
    """Rows, labels, a loss, and the weight of each record of these rows, None for 1."""
    weights = [i for i in inputs if isinstance(i, RecordWeights)]
    wanted = [RowFacts, LabelFacts, Loss, *([] if weight is None else [RecordWeights])]
    at.require([*map(type, inputs)] == wanted, "rows, labels, a loss, and weights where it has any")
    for own in weights:
        stated = at.same(at.of_record(weight), own.factor)
        at.require(stated and own.rows is inputs[0], "the weights must be those of these rows")
    factor = weights[0].factor if weights and at.constant(weights[0].factor) != 1 else None
    return inputs[0], inputs[1], inputs[2], factor


def moves_of(
    at: Context,
    loss: Loss,
    known: tuple[Formula, Formula, Formula | None],
    size: Formula,
    factor: Formula | None,
) -> tuple[Formula | None, Formula | None]:
    """How far a record more, or a change of the relation, moves an exact argmin. For squared losses
    of weight 1, penalty |v|^2 + u^2 <= (B R + Y) |u|, where u = x'v, bounds the move v.
    """
    row, label, ball = known
    slope = loss.slope(None if ball is None else row * ball, label)
    if slope is None:
        return None, None
    gap = row * (slope + label)  # of gradients of squared losses: |xx' - zz'| <= B^2
    if factor is not None:
        once, gap = factor * slope * row / size, factor * gap / size
        return once, (gap if loss.square else once * 2) if at.replaced else once
    if not loss.square:
        once = slope * row / size
        return once, once * 2 if at.replaced else once
    reach = at.minimum(row, size**HALF)
    once = slope * reach / (reach**2 + size)
    return once, at.minimum(once * 2, gap / size) if at.replaced else once
