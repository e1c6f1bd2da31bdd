"""Losses, and minimisers of strongly convex sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpframe.exact.documents import number
from dpframe.exact.formula import Formula
from dpframe.exact.limits import HALF, Json

from .at import At
from .book import BY_RECORD, PLAIN, kind
from .facts import Column, Loss, RecordWeights, Rows, Slope, Statistic


@kind("squared", answers=PLAIN)
def _squared(c: At) -> Loss:
    """(x'theta - y)^2/2: its slope is the residual."""
    slope: Slope = lambda margin, label: None if margin is None else margin + label  # noqa: E731
    return Loss(slope, lambda _: c.ring.lift(1), square=True)


@kind("logistic", answers=PLAIN)
def _logistic(_: At) -> Loss:
    """log(1 + exp(-y x'theta)): its slope is at most |y|."""
    return Loss(lambda _, label: label, lambda label: label**2 / 4)


@kind("huber", answers=PLAIN)
def _huber(c: At, *, knee: Json) -> Loss:
    """r^2/2 for residuals up to the knee, linear beyond: its slope is the clipped residual."""
    most = c.positive(knee, "knee")
    slope: Slope = lambda m, y: most if m is None else c.ring.extremum("min", [most, m + y])  # noqa: E731
    return Loss(slope, lambda _: c.ring.lift(1))


@kind("argmin", Rows, Column, Loss, RecordWeights, many=True, answers=BY_RECORD)
def _argmin(
    c: At, *inputs: Any, penalty: Json, radius: Json, tolerance: Json, weight: Json = None
) -> Statistic:
    """sum w phi(x'theta, y) + penalty/2 |theta|^2 is penalty-strongly convex, on the ball too: one
    record's gradient moves its argmin by |gradient|/penalty [ChaudhuriM09, Lem 1].
    """
    rows, column, loss, factor = losses(c, inputs, weight)
    size, far = c.positive(penalty, "penalty"), number(tolerance, c.where)
    ball = None if radius is None else c.positive(radius, "radius")
    rule = "tolerance must lie in (0, 1], or be 0 for the squared loss, which has a closed form"
    c.require(0 < far <= 1 or (far == 0 and loss.square), rule)
    if rows.norm is None or column.bound is None:
        return Statistic((rows.columns,), None, None)
    once, move = moves_of(c, loss, (rows.norm, column.bound, ball), size, factor)
    if once is None or move is None:
        return Statistic((rows.columns,), None, None)
    move = move + once * (2 * far)
    l2 = move if ball is None else c.ring.extremum("min", [ball * 2, move])
    return Statistic((rows.columns,), rows.columns**HALF * l2, l2)


def losses(c: At, inputs: Sequence[Any], weight: Json) -> tuple[Rows, Column, Loss, Formula | None]:
    """Rows, labels, a loss, and the weight of each record of these rows, None for 1."""
    weights = [i for i in inputs if isinstance(i, RecordWeights)]
    wanted = [Rows, Column, Loss] if weight is None else [Rows, Column, Loss, RecordWeights]
    c.require([*map(type, inputs)] == wanted, "rows, labels, a loss, and weights where it has any")
    for own in weights:
        stated = c.ring.formula(weight, c.where).key == own.factor.key
        c.require(stated and own.rows is inputs[0], "the weights must be those of these rows")
    factor = weights[0].factor if weights and weights[0].factor.constant != 1 else None
    return inputs[0], inputs[1], inputs[2], factor


def moves_of(
    c: At,
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
    weighed = row / size if factor is None else row * factor / size
    once = slope * weighed
    gap = (slope + label) * weighed  # of gradients of squared losses: |xx' - zz'| <= B^2
    if not loss.square:
        return once, once * 2 if c.replaced else once
    if factor is not None:
        return once, gap if c.replaced else once
    reach = c.ring.extremum("min", [row, size**HALF])
    once = slope * reach / (reach**2 + size)
    return once, c.ring.extremum("min", [once * 2, gap]) if c.replaced else once
