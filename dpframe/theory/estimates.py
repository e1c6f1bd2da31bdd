"""Losses, and minimisers of strongly convex sums of them."""

from __future__ import annotations

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


@kind("argmin", answers=BY_RECORD)
def _argmin(
    at: Context,
    rows: RowFacts,
    column: LabelFacts,
    loss: Loss,
    weights: RecordWeights | None = None,
    *,
    penalty: Positive,
    radius: Positive | None,
    tolerance: Number,
    weight: Json = None,
) -> StatisticFacts:
    """sum w phi(x'theta, y) + penalty/2 |theta|^2 is penalty-strongly convex, on the ball too: one
    record's gradient moves its argmin by |gradient|/penalty [ChaudhuriM09, Lem 1].
    """
    factor = factor_of(at, rows, weights, weight)
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


def factor_of(
    at: Context, rows: RowFacts, weights: RecordWeights | None, weight: Json
) -> Formula | None:
    """The weight of each record of these rows; None for 1. Raises Refused."""
    at.require((weights is None) == (weight is None), "weights where it has any")
    if weights is None:
        return None
    own = at.same(at.of_record(weight), weights.factor) and weights.rows is rows
    at.require(own, "the weights must be those of these rows")
    return None if at.constant(weights.factor) == 1 else weights.factor


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
