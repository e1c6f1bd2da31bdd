"""What one draw of noise costs, in every currency, in mpmath: by sums over the integers, by
integrals and by searches over tests and orders. No formula and no code is dpframe's.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import mpmath
from mpmath import mpf

INFINITE = mpf("inf")
ORDERS = (
    "1.000001",
    "1.001",
    "1.01",
    "1.1",
    "1.25",
    "1.5",
    "1.75",
    "2",
    "2.5",
    "3",
    "4",
    "6",
    "10",
)


def number(value: object) -> mpf:
    """A Fraction, a text, an int or a float."""
    exact = Fraction(str(value)) if isinstance(value, float) else Fraction(value)  # type: ignore[arg-type]
    return mpf(exact.numerator) / exact.denominator


@lru_cache(maxsize=64)
def _law(kind: str, size: mpf, reach: int) -> tuple[mpf, ...]:
    """P[noise = x] for x = -reach ... reach."""
    rough = [
        mpmath.exp(-(mpf(x) ** 2) / (2 * size**2))
        if kind == "discrete gaussian"
        else mpmath.exp(-abs(mpf(x)) / size)
        for x in range(-reach, reach + 1)
    ]
    total = mpmath.fsum(rough)
    return tuple(one / total for one in rough)


def _pairs(kind: str, size: mpf, move: int) -> list[tuple[mpf, mpf]]:
    """(P, Q) at every whole number, where Q is P moved."""
    reach = int(size * (14 if kind == "discrete gaussian" else 90)) + 3 * move + 12
    law = _law(kind, size, reach)
    return [(law[i], law[i - move]) for i in range(move, len(law))]


def _laplace(integrand: Callable[[mpf, mpf], mpf], size: mpf, move: mpf) -> mpf:
    """The integral of a function of both densities, between and beyond where they have corners."""

    def density(x: mpf) -> mpf:
        return mpmath.exp(-abs(x) / size) / (2 * size)

    corners = [-40 * size, 0, move / 2, move, move + 40 * size]
    return mpmath.quad(lambda x: integrand(density(x), density(x - move)), corners)


def divergence(kind: str, size: mpf, move: mpf, order: mpf) -> mpf:
    """The Renyi divergence of an order above 1."""
    if kind == "gaussian":
        return order * (move / size) ** 2 / 2
    if kind == "laplace":
        whole = _laplace(
            lambda p, q: mpmath.exp(order * mpmath.log(p) - (order - 1) * mpmath.log(q)), size, move
        )
    else:
        pairs = _wide(kind, size, int(move), order)
        whole = mpmath.fsum(p**order * q ** (1 - order) for p, q in pairs)
    return mpmath.log(whole) / (order - 1)


def _wide(kind: str, size: mpf, move: int, order: mpf) -> list[tuple[mpf, mpf]]:
    """Enough of the integers for a sum that is tilted by an order."""
    far = int(size * (14 if kind == "discrete gaussian" else 90)) + int(order * move) * 2 + 12
    law = _law(kind, size, far + 2 * move)
    return [(law[i], law[i - move]) for i in range(move, len(law))]


def cost(kind: str, size: object, move: object, currency: str, at: object = 0) -> mpf:
    """What one draw costs: in "epsilon", "delta" (at an epsilon), "rho", "mu^2", "divergence" (of
    an order).
    """
    with mpmath.workdps(30):
        return _COSTS[currency](kind, number(size), number(move), number(at))


def _epsilon(kind: str, size: mpf, move: mpf, _: mpf) -> mpf:
    """The largest log of a likelihood ratio, which normal laws do not have."""
    if kind in ("gaussian", "discrete gaussian"):
        return INFINITE
    if kind == "laplace":
        points = [move * i / 8 for i in range(-16, 24)]
        return max(abs(x - move) - abs(x) for x in points) / size
    return max(mpmath.log(p / q) for p, q in _pairs(kind, size, int(move)))


def _delta(kind: str, size: mpf, move: mpf, epsilon: mpf) -> mpf:
    rise = mpmath.exp(epsilon)
    if kind == "gaussian":
        mu = move / size
        near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return mpmath.ncdf(-near) - rise * mpmath.ncdf(-far)
    if kind == "laplace":  # beyond the point where the ratio is e^epsilon, and a half line
        turn = (move - size * epsilon) / 2
        if move <= size * epsilon:
            return mpf(0)
        left = 1 - mpmath.exp(-turn / size) / 2
        return left - rise * mpmath.exp((turn - move) / size) / 2
    return mpmath.fsum(max(p - rise * q, 0) for p, q in _pairs(kind, size, int(move)))


def _rho(kind: str, size: mpf, move: mpf, _: mpf) -> mpf:
    """The largest D_a/a over orders, that of order 1 among them."""
    if kind == "gaussian":
        return (move / size) ** 2 / 2
    if kind == "laplace":
        first = _laplace(lambda p, q: p * mpmath.log(p / q), size, move)
    else:
        pairs = _pairs(kind, size, int(move))
        first = mpmath.fsum(p * mpmath.log(p / q) for p, q in pairs)
    return max(first, *(divergence(kind, size, move, mpf(a)) / mpf(a) for a in ORDERS))


def _score(tail: mpf) -> mpf:
    """z with P[N(0, 1) > z] = tail: by the secant rule on the logarithm of both."""
    if tail > 0.5:
        return -_score(1 - tail)
    start = mpmath.sqrt(-2 * mpmath.log(2 * tail)) if tail < 0.4 else mpf(1) / 2

    def gap(z: mpf) -> mpf:
        return mpmath.log(mpmath.erfc(z / mpmath.sqrt(2)) / 2) - mpmath.log(tail)

    return mpmath.findroot(gap, (start, start + mpf("0.01")), tol=1e-24)


def _square(kind: str, size: mpf, move: mpf, _: mpf) -> mpf:
    """The largest difference of normal scores over tests with a threshold."""
    if kind == "gaussian":
        return (move / size) ** 2
    if kind == "laplace":

        def gap(t: mpf) -> mpf:
            above = [mpmath.exp(-abs(x) / size) / 2 for x in (t, t - move)]
            tails = [a if x > 0 else 1 - a for a, x in zip(above, (t, t - move), strict=True)]
            return _score(tails[0]) - _score(tails[1])

        return max(gap(move * (mpf(1) / 2 + i * mpf("0.1"))) for i in range(-9, 10)) ** 2
    k, far = int(move), int(12 * size) + 8
    law = _law(kind, size, int(size * (40 if kind == "discrete laplace" else 26)) + 60 + k)
    middle = len(law) // 2
    tails: list[mpf] = []
    above = mpf(0)
    for mass in reversed(law):
        above += mass
        tails.append(above)
    tails.reverse()  # tails[middle + t] = P[noise >= t]

    def score(t: int) -> mpf:
        return _score(tails[middle + t]) if t > 0 else -score(1 - t)

    return max(score(t) - score(t - k) for t in range((k + 2) // 2, far)) ** 2


def _divergence(kind: str, size: mpf, move: mpf, order: mpf) -> mpf:
    return divergence(kind, size, move, order)


_COSTS = {
    "divergence": _divergence,
    "epsilon": _epsilon,
    "delta": _delta,
    "rho": _rho,
    "mu^2": _square,
}
