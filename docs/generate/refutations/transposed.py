"""OPS as the public code of [Wang18] draws it: with the transpose of the factor that it needs.

theta + (R')^-1 z / sqrt(gamma) with R'R = H has the covariance (gamma R R')^-1 in place of
(gamma H)^-1. Where much is known in one direction, that covariance is narrow in another, in which
one record moves theta far.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import attrs
from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact
from dpframe.numerics.profile import ball
from dpframe.numerics.rounding import working
from dpframe.privacy import ADD_REMOVE, Relation

from .claim import Claim
from .half_planes import best, enclosed
from .ops import CALIBRATIONS, Given
from .refutation import Refutation, Rigour
from .samplers import Law, Sampler, posterior, transposed
from .search import Laws, Searched, search
from .tables import Pair

_BITS = 192
LARGEST, HALVINGS = 300.0, 12  # epsilons that are looked for


def transposed_factor(
    calibration: str,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    *,
    relation: Relation = ADD_REMOVE,
    seed: int = 1,
) -> Refutation:
    """A lower bound on delta(epsilon) of OPS_epsdelta_`calibration`.m, at tables of `rows` rows.

    calibration: balanced, concentrated, diffused or conservative; rows even; epsilon <= 14. The
    claim is (epsilon, delta) at |x| <= 1, |y| <= 1, d = 2. The bound is proved: two Gaussian laws
    of known mean and covariance, a half-plane, and two enclosed values of the normal cdf.
    """
    return _attack(transposed, calibration, Claim.of(epsilon, delta, rows, seed, relation))


def transposed_epsilon(
    calibration: str,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    *,
    relation: Relation = ADD_REMOVE,
    seed: int = 1,
) -> Refutation:
    """A lower bound on the epsilon at delta of OPS_epsdelta_`calibration`.m called with (epsilon,
    delta), as `transposed_factor`: tables are searched for ever larger epsilons. It grows with the
    number of rows. Epsilons are doubled from the claim until one exceeds 300, and none beyond that
    one is looked for: the record says where that is what ends the search.
    """
    claim = Claim.of(epsilon, delta, rows, seed, relation)
    _check(calibration, claim)
    spent, searched, most = _spent(calibration, claim)
    record = claim.refutation(
        f"OPS_epsdelta_{calibration}.m", searched, spent, Rigour.PROVED, control=False
    )
    ended = "" if spent < most else f"; the search ends at {most:.5g}, the bound does not"
    how = record.how + ended
    return attrs.evolve(record, quantity="epsilon", claimed=float(claim.epsilon), how=how)


def _spent(name: str, claim: Claim) -> tuple[float, Searched, float]:
    """The largest of some epsilons that is proved to be violated at delta, the tables, and the
    largest of all that are looked at.
    """
    low, high = 0.0, float(claim.epsilon)
    most = _most(high)
    ahead = _searched(transposed, name, claim)
    while high <= LARGEST:
        found = _searched(transposed, name, claim, high)
        if not _proved(transposed, name, claim, found, high) > claim.delta:
            break
        low, high, ahead = high, 2 * high, found
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        laws = _in_doubles(transposed, name, claim)(ahead.pair)
        pair = (laws[1], laws[0]) if ahead.swapped else laws
        found = ahead._replace(found=best(*pair, middle))
        proved = _proved(transposed, name, claim, found, middle) > claim.delta
        low, high = (middle, high) if proved else (low, middle)
    return low, ahead, most


def _most(first: float) -> float:
    """The last epsilon that halving between the last two doublings looks at."""
    low, high = 0.0, first
    while high <= LARGEST:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        low = (low + high) / 2
    return low


def right_factor(
    calibration: str,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    *,
    relation: Relation = ADD_REMOVE,
    seed: int = 1,
) -> Refutation:
    """The control: the same search where the sampler draws N(theta, (gamma H)^-1)."""
    return _attack(posterior, calibration, Claim.of(epsilon, delta, rows, seed, relation))


def _check(name: str, claim: Claim) -> None:
    if name not in CALIBRATIONS:
        raise InvalidArgument("calibration", f"one of {', '.join(CALIBRATIONS)}", name)
    if claim.epsilon > 14:
        way_out = "Beyond, the files compute with complex numbers."
        raise InvalidArgument("epsilon", "at most 14", claim.epsilon, way_out)


def _attack(sampler: Sampler, name: str, claim: Claim) -> Refutation:
    _check(name, claim)
    searched = _searched(sampler, name, claim)
    control = sampler is posterior
    what = f"OPS_epsdelta_{name}.m" + (", right factor" if control else "")
    found = _proved(sampler, name, claim, searched)
    return claim.refutation(what, searched, found, Rigour.PROVED, control=control)


@lru_cache(maxsize=256)
def _searched(sampler: Sampler, name: str, claim: Claim, spent: float | None = None) -> Searched:
    """The search, in doubles, for the claimed epsilon or one that may have been spent."""
    calibrated = CALIBRATIONS[name](Given.of(claim.rows, *claim[:2], float, math.log))
    epsilon = float(claim.epsilon) if spent is None else spent
    laws = _in_doubles(sampler, name, claim)
    return search(
        laws, claim.rows, float(calibrated[0]), epsilon, claim.seed, replaced=claim.replaced
    )


def _in_doubles(sampler: Sampler, name: str, claim: Claim) -> Laws:
    """The laws of the output of a pair of tables."""
    calibrated = lru_cache(
        lambda rows: CALIBRATIONS[name](Given.of(rows, *claim[:2], float, math.log))
    )

    def laws(pair: Pair) -> tuple[Law, Law]:
        first, second = (sampler(t, *calibrated(t.rows)) for t in pair.tables(float))
        return first, second

    return laws


def _proved(
    sampler: Sampler, name: str, claim: Claim, searched: Searched, spent: float | None = None
) -> float:
    """The gain of the half-plane that was found, enclosed and rounded down."""

    def law(rows: int) -> tuple[arb, arb]:
        return CALIBRATIONS[name](Given.of(rows, *claim[:2], _ball, arb.log))

    with working(_BITS):
        first, second = (sampler(t, *law(t.rows)) for t in searched.pair.tables(_ball))
        laws = (second, first) if searched.swapped else (first, second)
        epsilon = ball(claim.epsilon) if spent is None else arb(spent)
        return enclosed(*laws, epsilon, searched.found.event)


def _ball(value: Fraction) -> arb:
    return ball(value)
