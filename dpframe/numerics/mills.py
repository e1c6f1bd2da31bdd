"""The upper tail of the standard normal law, at any distance.

R(x) = (1 - Phi(x)) / phi(x) is the Mills ratio. arb's erfc gives up relative accuracy far out
(beyond x = 2^20), so from x = 512 on R comes from its asymptotic series.
"""

from __future__ import annotations

from flint import arb, ctx

_FAR = 512


def mills(x: arb) -> arb:
    """An enclosure of R(x), at the working precision."""
    if x >= _FAR:
        return _series(x)
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * _erfc(x)


def upper_tail(x: arb) -> arb:
    """An enclosure of 1 - Phi(x), at the working precision."""
    if x >= _FAR:
        return (-x * x / 2).exp() / (2 * arb.pi()).sqrt() * _series(x)
    return _erfc(x) / 2


def _erfc(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc()


def _series(x: arb) -> arb:
    """R(x) = 1/x - 1/x^3 + 3/x^5 - 15/x^7 + ..., for x >= 512.

    Cut anywhere, the remainder is smaller than the first term left out. [DLMF, 7.12(i)]
    """
    term = total = 1 / x
    small = abs(total) * arb(2) ** -ctx.prec
    square = x * x
    for k in range(ctx.prec // 6 + 2):
        term = -term * (2 * k + 1) / square
        if abs(term) < small:
            break
        total += term
    return total + arb(0, abs(term).upper())
