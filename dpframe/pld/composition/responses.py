"""Binary randomised responses composed: the least (epsilon, delta) of pure and approximate DP.

A response is infinite with probability delta_i, else +-epsilon_i as randomised response has it;
adaptive (epsilon_i, delta_i)-DP releases are dominated by the sum, and responses attain it.
[KairouzOV15, Thm 3.3] [MurtaghV16, Thm 1.5] For many distinct epsilon_i the exact value is
#P-hard [MurtaghV16, Thm 1.7]: the interval is wider there. docs/proofs/atoms.md
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.numerics import Interval

from ..losses import PrivacyLoss, ResponseLoss
from .atomic import MOST, AtomicSum
from .total import total_loss

Group = tuple[Fraction, Fraction, int]
"""epsilon >= 0, 0 <= delta < 1, and the count."""


def response_delta(groups: Iterable[Group], epsilon: Fraction) -> Interval:
    """The least delta at which responses (epsilon_i, delta_i), each n_i times, are (epsilon,
    delta)-DP together. epsilon >= 0, exact.

    One or two doubles wide for one distinct epsilon_i; about 1e-13 relatively for a few, by
    docs/proofs/atoms.md. Raises InvalidArgument for counts above 10^10.
    """
    given = list(groups)
    return _checked(_sum(given).delta(epsilon), given)


def response_epsilon(groups: Iterable[Group], delta: Fraction) -> Interval:
    """The least epsilon >= 0 at which these responses are (epsilon, delta)-DP together.

    0 < delta < 1, exact. Infinite where delta < D.
    """
    given = list(groups)
    return _checked(_sum(given).epsilon(delta), given)


def _sum(given: list[Group]) -> AtomicSum:
    """One loss for each distinct epsilon; probabilities of infinity apart."""
    counts: dict[PrivacyLoss, int] = {}
    for epsilon, _, count in given:
        if epsilon and count:
            loss = ResponseLoss(epsilon)
            counts[loss] = counts.get(loss, 0) + count
    instant = [(delta, count) for _, delta, count in given if delta and count]
    return AtomicSum(total_loss(counts), instant)


def _checked(answer: Interval | None, given: list[Group]) -> Interval:
    if answer is None:
        way_out = "The numeric accountant answers with a wider interval."
        required = f"of moderate size: at most {MOST} of one epsilon, fewer of several"
        raise InvalidArgument("responses", required, len(given), way_out)
    return answer
