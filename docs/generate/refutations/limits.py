"""Claims refuted by one Gaussian pair: the exact epsilon of a mu that tables reach or approach.

delta(epsilon) is lower semicontinuous under weak convergence: pairs of tables whose laws approach
two limits lose, in the end, at least what these do. So a mu that is only approached counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flint import arb

from dpframe.audits.figures import figure
from dpframe.numbers import Exact, open_unit, positive
from dpframe.numerics import profile_epsilon_lower
from dpframe.numerics.calibrate import boundary
from dpframe.numerics.profile import ball, holds
from dpframe.numerics.rounding import arb_lower, working

from .refutation import Refutation, Rigour

Mu: TypeAlias = Callable[[arb, arb], arb]
"""mu from epsilon and delta, at the working precision."""

_BITS = 192


def epsilon_at_least(mu: Mu, epsilon: Exact, delta: Exact, spent: Exact | None = None) -> float:
    """The least epsilon of mu(epsilon, delta) at `spent`, or else at delta; rounded down."""
    with working(_BITS):
        low = arb_lower(mu(ball(positive("epsilon", epsilon)), ball(open_unit("delta", delta))))
    return profile_epsilon_lower(delta if spent is None else spent, low)


def refuted_above(mu: Mu, delta: Exact) -> float:
    """The epsilon from which on mu(epsilon, delta) is too large for (epsilon, delta); rounded up.

    For a mu / epsilon that does not decrease in epsilon, the profile at epsilon increases in
    epsilon, so every larger one is refuted too. (proofs/profile, F1)
    """
    target = open_unit("delta", delta)

    def refuted(epsilon: float) -> bool:
        return holds(epsilon, target, lambda: mu(arb(epsilon), ball(target))) is False

    return boundary(refuted, 1.0)[1]


def limit(what: str, mu: Mu, epsilon: Exact, delta: Exact, how: str) -> Refutation:
    """The record of a mu that tables approach, against (epsilon, delta)."""
    return Refutation(
        what=what,
        parameters=(("epsilon", f"{float(epsilon):g}"),),
        quantity="epsilon",
        claimed=float(epsilon),
        found=epsilon_at_least(mu, epsilon, delta),
        rigour=Rigour.PROVED,
        how=f"{how}; refuted from epsilon = {figure(refuted_above(mu, delta), 'up')} on",
    )
