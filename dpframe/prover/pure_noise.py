"""Pure noise that breaks its share, at numbers: Laplace noise on a pair of neighbours that attains
the sensitivity; selections by two candidates, of which one is behind and rises by the range of the
move. (docs/proofs/selection.md)
"""

from __future__ import annotations

from functools import partial
from typing import Any

from dpframe.accountants.single import quantile
from dpframe.graph import Release
from dpframe.mechanisms import Laplace
from dpframe.numerics import ball
from dpframe.privacy import Share
from dpframe.privacy.guarantees import order_of
from dpframe.symbols import RELEASED, log
from dpframe.wording import Formula, digits, say

from .algebra import enclose
from .problem import Witness
from .profile_rule import on_all_rows
from .sign import counterexample

LOG_2 = enclose(log(2), {})
MOST_ENTRIES = 60  # beyond, the event is too rare to look at
Ball = Any


def selection_witness(release: Release, share: Share) -> Witness | None:
    """Numbers at which a selection breaks its share, in any currency, where some pair attains the
    range; None where none is found.
    """
    moved = release.moved
    sampled = release.sampled is not None
    if moved is None or not moved.attained or sampled or not release.reached:
        return None
    loss = release.guarantee(moved.value).amounts[0]
    if RELEASED in loss.scope:
        return None
    mechanism: Any = release.mechanism
    if "epsilon" in share.currency:
        formulas = (loss, share.epsilon, share.delta, moved.value)
        return counterexample(formulas, partial(_selection_loss, mechanism.two))
    says = partial(_selection_cost, mechanism.behind, share.currency)
    return counterexample((loss, share.amounts[0], moved.value), says)


def _selection_cost(
    behind: Any, currency: tuple[str, ...], loss: Ball, claimed: Ball, shift: Ball
) -> str | None:
    """Where a candidate of two, a few moves behind, catches up by one move, and its chances p and q
    alone cost more: the divergence of order 1 is at most rho, that of an order at most its bound,
    and mu at least Phi^-1(p) - Phi^-1(q).
    """
    if not (loss.is_finite() and loss > 0 and claimed.is_finite()):
        return None
    for moves in range(1, 6):
        q, p = behind(moves * loss), behind((moves - 1) * loss)
        if q is None:
            return None
        cost = _apart(p, q, currency)
        if cost > claimed:
            move, low, high, paid, most = (
                digits(float(x.mid())) for x in (shift, q, p, cost, claimed)
            )
            where = "one move" if moves == 1 else say("{} moves", moves)
            return say(
                "the difference of two scores changes by {}: the chance of a candidate {} "
                "behind rises from {} to {}: {} = {} > {}",
                move,
                where,
                low,
                high,
                Formula(currency[0]),
                paid,
                most,
            )
    return None


def _apart(p: Ball, q: Ball, currency: tuple[str, ...]) -> Ball:
    """The cost of two Bernoulli variables, the larger of both directions."""
    if currency == ("mu^2",):
        return (quantile(q) - quantile(p)) ** 2
    order = order_of(currency)
    both = ((p, q), (q, p))
    if order is None:
        found = [a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log() for a, b in both]
    else:
        a = ball(order)
        sums = [x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a) for x, y in both]
        found = [one.log() / (a - 1) for one in sums]
    return found[0].max(found[1])


def _selection_loss(two: Any, loss: Ball, claimed: Ball, delta: Ball, shift: Ball) -> str | None:
    """Where the loss passes epsilon: in the limit of a candidate far behind, which delta does not
    cover; or with a delta, by the two laws.
    """
    if not (loss.is_finite() and claimed.is_finite() and loss > claimed):
        return None
    moved = say("the difference of two scores changes by {}: ", digits(float(shift.mid())))
    if delta == 0:
        found = say("{} > {}", digits(float(loss.mid())), digits(float(claimed.mid())))
        return say("{}the privacy loss of an index far below the best tends to {}", moved, found)
    true = two(loss, claimed)
    if true is None or not true > delta:
        return None
    return say(
        "{}$delta >=$ {} > {} at its $epsilon$",
        moved,
        digits(float(true.mid()), 4),
        digits(float(delta.mid()), 4),
    )


def pure_witness(release: Release, share: Share) -> Witness | None:
    """Numbers at which a selection or Laplace noise breaks its share; None where none is found."""
    if release.noise.selects:
        return selection_witness(release, share)
    if release.noise is not Laplace:
        return None  # other noise reaches its loss in a limit, or for some moves only
    moved = release.moved
    if moved is None or not moved.attained or not release.reached:
        return None
    loss = release.guarantee(moved.value).amounts[0]
    if RELEASED in loss.scope or (release.sampled is not None and loss.symbols()):
        return None  # samples are counted at numbers alone
    whole = on_all_rows(release).guarantee(moved.value).amounts[0]
    formulas = (loss, whole, share.epsilon, share.delta, moved.value, release.entries)
    return counterexample(formulas, _laplace_loss)


def _laplace_loss(true: Ball, whole: Ball, claimed: Ball, *others: Ball) -> str | None:
    """Where the loss exceeds epsilon on so likely an event that delta does not cover it: beyond
    the shift in all k coordinates, where Q = 2^-k e^-w without the row, w the loss on all rows,
    P - e^epsilon Q = 2^-k (e^(loss - w) - e^(epsilon - w)). On samples, of a table of that row.
    """
    delta, shift, count = others
    if not (true > claimed and count < MOST_ENTRIES):
        return None
    if not ((true - whole).exp() - (claimed - whole).exp()) * (-count * LOG_2).exp() > delta:
        return None
    return say(
        "a row moves it by {} in its norm: privacy loss {} > {}",
        digits(float(shift.mid())),
        digits(float(true.mid())),
        digits(float(claimed.mid())),
    )
