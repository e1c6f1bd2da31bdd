"""How many times as much noise a draw has as its share needs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpframe.accountants.single import inside
from dpframe.errors import InvalidArgument
from dpframe.privacy import Share
from dpframe.prover.algebra import Field
from dpframe.prover.exactly import OneDraw, ends
from dpframe.symbols import ZERO, Expression, analytic_sigma, sqrt
from dpframe.theory.mechanisms import NOISES


def noise_factor(draw: OneDraw, share: Share, field: Field) -> float | None:
    """To 4 digits; None where it depends on a symbol, where no noise of its kind is enough, or it
    is not known how much is.
    """
    try:
        read, needed = (draw.size, draw.moved, *share.amounts), _needed(draw, share)
    except InvalidArgument:  # of a share that is not positive
        return None
    if draw.moved == ZERO:
        return None
    if any(formula.symbols() for formula in read):
        square = None if needed is None else field.constant((draw.size / needed) ** 2)
        return None if square is None else float(square) ** 0.5
    known = ends(read if needed is None else (*read, draw.size / needed))
    if known is None or known[2][0] <= 0:
        return None
    size, moved, *amounts = (high for _, high in known)
    if needed is not None:
        return float(amounts[-1])

    def enough(factor: float) -> bool | None:
        loss = draw.loss(size * Fraction(factor), moved)
        return None if loss is None else inside(loss, share.currency, amounts)

    return _least(enough)


def _needed(draw: OneDraw, share: Share) -> Expression | None:
    """The size that the share needs, where it has a formula."""
    if draw.rate != 1:
        return None
    pure, amount = NOISES[draw.noise].loss.pure, share.amounts[0]
    match share.currency:
        case ("epsilon",) if pure:
            return draw.moved / amount
        case ("rho",) if not pure:
            return draw.moved / sqrt(2 * amount)
        case ("mu^2",) if draw.noise == "gaussian":
            return draw.moved / sqrt(amount)
        case ("epsilon", "delta") if draw.noise == "gaussian" and share.delta != ZERO:
            return draw.moved * analytic_sigma(*share.amounts)
    return None


def _least(enough: Callable[[float], bool | None]) -> float | None:
    """1/f for the least f at which `enough` holds, roughly: it holds for all larger ones."""
    high = 1.0
    while enough(high) is not True:
        high *= 4
        if high > 1e9:
            return None
    low = high / 4
    while enough(low) is True:
        low, high = low / 4, low
        if low < 1e-9:
            return None
    while high > low * (1 + 1e-5):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if enough(middle) is True else (middle, high)
    return 1 / high
