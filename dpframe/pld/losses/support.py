"""What a loss made of atoms declares: where they lie, and how likely each is when tilted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.numerics import ball

if TYPE_CHECKING:
    from flint import arb

TAIL_BITS = 128
"""A loss with infinitely many atoms may leave out 2^-128 of its tilted law."""


@attrs.frozen(eq=False)
class Support:
    """Equally spaced atoms (first + i stride) u of a finite L, u = 1 or log(odds), in rising order.

    `masses` are enclosures of P[L = l] e^(cl)/E[e^(cL); L < infinity], the law tilted by c; all
    together are 1, or less where atoms are left out.
    """

    first: Fraction
    stride: Fraction
    masses: Sequence[arb]
    log_moment: arb
    """log E[e^(cL); L < infinity]"""
    odds: Fraction | None = None

    @property
    def unit(self) -> arb:
        """u, at the working precision."""
        return unit(self.odds)

    @property
    def last(self) -> Fraction:
        """The largest atom, in units."""
        return self.first + self.stride * (len(self.masses) - 1)


def unit(odds: Fraction | None) -> arb:
    """1, or log(odds) at the working precision."""
    return ball(Fraction(1)) if odds is None else ball(odds).log()


def shares(weights: Sequence[arb]) -> tuple[list[arb], arb]:
    """Weights divided by their total, and log of it."""
    total = sum(weights[1:], weights[0])
    return [weight / total for weight in weights], total.log()
