"""One release that is drawn once: what the pair that dominates the draw costs, in formulas where
these are closed, or else between rational bounds. (proofs/currencies)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from dpframe.exact.documents import HALF, ONE, ZERO
from dpframe.exact.formula import Formula
from dpframe.exact.interval import Interval, exp, pi, raised, root_ends
from dpframe.exact.profile import mills

from .at import At
from .boxes import on_boxes
from .calibrations import moved_by, shown
from .derivations import derivation
from .facts import Release
from .guarantees import APPROX, GAUSSIAN, PURE, ZCDP

BITS, MOST_STEPS, MOST_AMOUNT = 128, 6_000, 1_000
WHOLE = ("discrete_laplace", "discrete_gaussian")


@derivation("single", PURE, APPROX, ZCDP, GAUSSIAN)
def _single(c: At) -> None:
    """What one draw costs is inside the target; of noise in whole numbers, moved so far in L1."""
    once = len(c.releases) == 1 and c.releases[0].times.constant == 1 and not c.personal_budgets()
    c.require(once, "one release, drawn once, for one budget")
    r, noise = c.releases[0], c.releases[0].noise
    law = r.mechanism if r.mechanism in ("laplace", *WHOLE) else "response"
    one = r.statistic.l1 if law in WHOLE else r.statistic.move(noise.norm)
    known = one is not None and (noise.loss.pure or law in WHOLE)
    c.require(known, "the pair that dominates its noise must be known")
    moved = moved_by(c, r) if one is None else c.ring.factored(c.rows * one)
    cost = COSTS.get((law, c.guarantee.name))

    def decide(ends: Sequence[Interval] | None) -> bool:
        if ends is None or cost is None or min(low for low, _ in ends) <= 0:
            return False
        size, (_, most), *amounts = ends
        if max(most / size.lower, *(high for _, high in amounts)) > MOST_AMOUNT:
            return False
        return (law not in WHOLE or most >= 1) and cost(size, most, *(low for low, _ in amounts))

    closed = any(shown(c, gap) for gap in gaps(c, r, moved))
    paid = closed or (cost is not None and on_boxes(c, law, [r.size, moved, *c.amounts], decide))
    c.require(paid, "what one draw costs was not shown to be inside the target")


def gaps(c: At, r: Release, moved: Formula) -> Iterator[Formula]:
    """Formulas that are >= 0 only where a pure draw is inside the target. With x its largest loss:
    x; rho = x + e^-x - 1 of Laplace noise, x tanh(x/2) of any; delta = 1 - e^((epsilon - x)/2) of
    Laplace noise, (1 - e^(epsilon - x))/(1 + e^-x) of any.
    """
    x, laplace, (most, *more) = moved / r.size, r.mechanism == "laplace", c.amounts
    if not r.noise.loss.pure or c.guarantee is GAUSSIAN:
        return
    fall = c.exp(-x)
    if c.guarantee is ZCDP:
        yield most - (x + fall - 1 if laplace else x * (1 - fall) / (1 + fall))
    else:
        yield most - x
    if laplace and more and c.ring.prove(1 - more[0], strict=True):
        yield most - c.log(1 - more[0]) * 2 - x
    elif more:
        yield more[0] * (1 + fall) - 1 + c.exp(most - x)


def tail(x: Fraction) -> Fraction:
    """An upper bound on 1 - Phi(x), x >= 0."""
    below = raised(Interval(*(2 * end for end in pi(BITS))), -HALF, BITS).upper
    return exp(-x * x / 2, BITS).upper * mills(x, BITS).upper * below


def laplace_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = 2 Phi^-1(1 - e^(-x/2)/2)."""
    return tail(root_ends(square, 2, BITS).lower / 2) <= exp(-move / size.lower / 2, BITS).lower / 2


def response_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = 2 Phi^-1(1/(1 + e^-x))."""
    fall = exp(-move / size.lower, BITS).lower
    return tail(root_ends(square, 2, BITS).lower / 2) <= fall / (1 + fall)


def discrete_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = h(u) + h(v), Phi(-h(u)) = a^u/(1 + a), a = e^(-1/b): any y >= h(u), mu - y >= h(v)."""
    rate, steps = 1 / size.lower, math.floor(move) + 1
    mu, under = root_ends(square, 2, BITS).lower, 1 + exp(-rate, BITS).upper
    near, far = (exp(-u * rate, BITS).lower / under for u in (steps // 2, steps - steps // 2))
    low, high = ZERO, mu / 2
    for _ in range(BITS * (steps % 2)):
        y = (low + high) / 2
        low, high = (low, y) if tail(y) <= near else (y, high)
    return tail(high) <= near and tail(mu - high) <= far


def discrete_rho(size: Interval, move: Fraction, rho: Fraction) -> bool:
    """(k - 2 a (1 - a^k)/(1 - a^2))/b, a = e^(-1/b)."""
    rate, k = 1 / size.lower, math.floor(move)
    a = exp(-rate, BITS).lower
    return rate * (k - 2 * a * (1 - exp(-k * rate, BITS).upper) / (1 - a * a)) <= rho


def normal_delta(size: Interval, move: Fraction, e: Fraction, d: Fraction) -> bool:
    """The sum over whole x of what is positive of g(x - k) - e^epsilon g(x), over the sum of g,
    g(x) = e^(-x^2/(2 s^2)): none is below `first`, where the loss is k (2x - k)/(2 s^2); from
    `last` on, g(x - k) falls by the factor `fall` or more.
    """
    k, (low, high) = math.floor(move), (2 * size.lower**2, 2 * size.upper**2)
    first = math.floor(e * low / (2 * k) + Fraction(k, 2))
    last = max(first, k) + 1 + math.ceil(14 * size.upper)
    if last - min(first - k, 0) > MOST_STEPS:
        return False
    most = {x: exp(-x * x / high, BITS).upper for x in range(first - k, last - k + 1)}
    least = [exp(-x * x / low, BITS).lower for x in range(last)]
    scale, fall = exp(e, BITS).lower, exp(-(2 * (last - k) + 1) / high, BITS).upper
    parts = (most[x - k] - scale * least[x] for x in range(first, last))
    rest, whole = most[last - k] / (1 - fall), 2 * sum(least, ZERO) - ONE
    return (sum((part for part in parts if part > 0), ZERO) + rest) / whole <= d


COSTS: dict[tuple[str, str], Callable[..., bool]] = {
    ("laplace", "gaussian"): laplace_mu,
    ("response", "gaussian"): response_mu,
    ("discrete_laplace", "gaussian"): discrete_mu,
    ("discrete_laplace", "zcdp"): discrete_rho,
    ("discrete_gaussian", "approx"): normal_delta,
}
