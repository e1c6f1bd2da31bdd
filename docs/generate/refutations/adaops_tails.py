"""AdaOPS [Wang18, Alg. 1]: the two bounds that are to hold with high probability, and how often.

Both are shifted by sqrt(log(6/delta)) stds of Gaussian noise and charged delta/3 each.
"""

from __future__ import annotations

from flint import arb

from dpframe.numbers import Exact, open_unit
from dpframe.numerics.profile import ball, upper_tail
from dpframe.numerics.rounding import arb_float, to_float, working

from .refutation import Refutation, Rigour

_BITS = 192


def adaops_tails(epsilon: Exact, delta: Exact) -> Refutation:
    """The probability that a bound fails, as printed; epsilon does not matter. Against delta/3."""
    return _tails("AdaOPS, printed shift", 1, epsilon, delta)


def adaops_tails_mended(epsilon: Exact, delta: Exact) -> Refutation:
    """The control: shifts of sqrt(2 log(6/delta)) stds."""
    return _tails("AdaOPS, shift with sqrt(2)", 2, epsilon, delta)


def _tails(what: str, factor: int, epsilon: Exact, delta: Exact) -> Refutation:
    target = open_unit("delta", delta)
    with working(_BITS):
        tail = upper_tail((factor * (ball(6) / ball(target)).log()).sqrt())
    allowed = to_float(target / 3, up=True)
    return Refutation(
        what=what,
        parameters=(("epsilon", f"{float(epsilon):g}"),),
        quantity="failure probability",
        claimed=allowed,
        found=arb_float(tail, up=False),
        rigour=Rigour.PROVED,
        how=f"the tail of N(0, 1) is {_times(tail, allowed)} times delta/3",
        control=factor == 2,
    )


def _times(tail: arb, allowed: float) -> str:
    return f"{arb_float(tail, up=False) / allowed:.4g}"
