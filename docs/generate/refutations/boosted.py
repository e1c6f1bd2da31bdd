"""Boosted adaSSP in public code: of [Tang23] (BoostedAdaSSP.py), whose noise has the std mu where
1/mu is meant, and of google-research [Dick23] (boosted_adassp.py), whose mu is a little too large.

d = 1, n rows B of label 0, n large: the point stays near 0, whatever is released. One more record
(B, Y) moves the smallest eigenvalue and X'X by B^2, and, as its residual stays near Y, each of T
gradients by nearly B Y. Replaced by (B, -Y), it moves each gradient by nearly 2 B Y. The
laws of all releases approach Gaussian ones that far apart, so their profile counts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from flint import arb

from dpframe.literature.boosted_published import grid_mu
from dpframe.numbers import Exact, open_unit, positive
from dpframe.numerics import analytic_sigma_ball, arb_lower, profile_epsilon_lower
from dpframe.numerics.profile import ball
from dpframe.numerics.rounding import working
from dpframe.privacy import ADD_REMOVE, Relation

from .refutation import Refutation, Rigour

Moves: TypeAlias = tuple[arb, arb]
"""Squares of mu: of the eigenvalue and of X'X each; of all gradients together."""

_BITS = 192
ROUNDS = 100
HOW = "d = 1, n rows B of label 0, n large; (B, Y) {}: each of {} gradients moves by {}B Y"


def boosted_coded(
    epsilon: Exact, delta: Exact, rounds: int = ROUNDS, relation: Relation = ADD_REMOVE
) -> Refutation:
    """A lower bound on the epsilon at delta of all releases of BoostedAdaSSP.py."""
    spent, failing = positive("epsilon", epsilon), open_unit("delta", delta)
    with working(_BITS):
        one = analytic_sigma_ball(ball(spent), ball(failing)) ** 2  # std mu: (1/mu)^2 each
        moves = one, rounds * one
    return _approached("BoostedAdaSSP.py", moves, (spent, failing), rounds, relation)


def boosted_kendall(
    epsilon: Exact, delta: Exact, rounds: int = ROUNDS, relation: Relation = ADD_REMOVE
) -> Refutation:
    """A lower bound on the epsilon at delta of all releases of private_kendall/boosted_adassp.py.

    Its grid is searched in doubles, as the code does.
    """
    spent, failing = positive("epsilon", epsilon), open_unit("delta", delta)
    with working(_BITS):
        third = ball(grid_mu(spent, failing)) ** 2 / 3
    what = "private_kendall/boosted_adassp.py"
    return _approached(what, (third, third), (spent, failing), rounds, relation)


def _approached(
    what: str,
    moves: Moves,
    claim: tuple[Fraction, Fraction],
    rounds: int,
    relation: Relation,
) -> Refutation:
    """The exact epsilon of what the tables approach, rounded down."""
    epsilon, delta = claim
    joins = relation is ADD_REMOVE
    with working(_BITS):
        each, gradients = moves
        square = 2 * each + gradients if joins else 4 * gradients
        low = arb_lower(square.sqrt())
    return Refutation(
        what=what,
        parameters=(("epsilon", f"{float(epsilon):g}"), ("relation", str(relation))),
        quantity="epsilon",
        claimed=float(epsilon),
        found=profile_epsilon_lower(delta, low),
        rigour=Rigour.PROVED,
        how=HOW.format("joins" if joins else "is replaced by (B, -Y)", rounds, "" if joins else 2),
    )
