"""adaops.m attacked: over both of its releases and its output, and by its output alone.

Given the releases, the output is Gaussian, with a known law under either table: so the average,
over simulated releases, of the gain of a half-plane at epsilon + log(f'/f) is a lower bound on
delta(epsilon) of all three, f and f' the densities of the releases under both tables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpframe.numbers import Exact

from .adaops import Constants, Table
from .claim import Claim
from .half_planes import Event, on_lines
from .means import mean_at_least
from .refutation import Refutation, Rigour
from .samplers import Law, Sampler, posterior, transposed
from .search import Searched, search
from .tables import Pair

PILOT = 2000


class Attack(NamedTuple):
    """One version of adaops.m: its sampler, and whether its Lipschitz constant is capped."""

    name: str
    sampler: Sampler
    capped: bool


CODED = Attack("adaops.m", transposed, capped=True)
TURNED = Attack("adaops.m, right factor", posterior, capped=True)
MENDED = Attack("adaops.m, right factor, no cap on L", posterior, capped=False)


class Found(NamedTuple):
    """The tables, of the first law and of the second, and what the search said of them."""

    first: Table
    second: Table
    event: Event
    searched: Searched


def adaops_releases(
    attack: Attack,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    *,
    draws: int = 20000,
    seed: int = 1,
) -> Refutation:
    """A lower bound on delta(epsilon) of both releases and theta together, over `draws` draws.

    Of a version of adaops.m at |x| <= 1, |y| <= 1, d = 2, add/remove, tables of `rows` rows, an
    even number. With confidence; releases and gains are computed in doubles.
    """
    claim = Claim.of(epsilon, delta, rows, seed)
    found = _found(attack, claim)
    rng = np.random.default_rng(seed)
    pilot, gains = (_gains(found, attack, rng.standard_normal((2, n))) for n in (PILOT, draws))
    bound = mean_at_least(gains, 0.0, min(2 * float(np.max(pilot)), 1.0))
    what, control = f"{attack.name}: releases and output", attack is MENDED
    return claim.refutation(what, found.searched, bound, Rigour.CONFIDENT, control=control)


def adaops_output(
    epsilon: Exact, delta: Exact, rows: int, *, draws: int = 20000, seed: int = 1
) -> Refutation:
    """A lower bound on delta(epsilon) of the output of adaops.m alone, as `adaops_releases`.

    Tables are searched where the released eigenvalue is nearly always 0, so that it blurs nothing.
    It takes the more draws the larger epsilon is, some e^epsilon / delta(epsilon) of them.
    """
    claim = Claim.of(epsilon, delta, rows, seed)
    found = _found(CODED, claim, quiet=True)
    rng = np.random.default_rng(seed)
    pilot, whole = (rng.standard_normal((2, n)) for n in (PILOT, draws))
    event = _threshold(found, pilot)
    bound = mean_at_least(_unseen(found, event, whole), -math.exp(claim.epsilon), 1.0)
    what = "adaops.m: output alone"
    return claim.refutation(what, found.searched, bound, Rigour.CONFIDENT, control=False)


def _found(attack: Attack, claim: Claim, *, quiet: bool = False) -> Found:
    """The worst tables for releases without noise; if `quiet`, where the first tells nothing."""
    constants = Constants.of(float(claim.epsilon), float(claim.delta))

    def tables(pair: Pair) -> tuple[Table, Table]:
        first, second = (Table(sums, constants, attack.capped) for sums in pair.tables(float))
        return first, second

    def laws(pair: Pair) -> tuple[Law, Law]:
        first, second = tables(pair)
        at = first.released(0.0, 0.0)
        seen = second if second.quiet or not quiet else first
        return first.law(at, attack.sampler), seen.law(at, attack.sampler)

    height = 10 / constants.epsilon if quiet else constants.best
    searched = search(laws, claim.rows, height, constants.epsilon, claim.seed)
    first, second = tables(searched.pair)
    pair = (second, first) if searched.swapped else (first, second)
    return Found(*pair, searched.found.event, searched)


def _gains(found: Found, attack: Attack, noise: np.ndarray) -> np.ndarray:
    """The gain of the best half-plane for each draw of the releases; 0 of the empty event."""
    at = found.first.released(*noise)
    ratio = found.second.log_density(at) - found.first.log_density(at)
    a, b, _ = found.event
    first, second = (t.law(at, attack.sampler).along(a, b) for t in (found.first, found.second))
    gains, _ = on_lines(first, second, found.first.constants.epsilon + ratio)
    return np.asarray(np.maximum(gains, 0))


def _unseen(found: Found, event: Event, noise: np.ndarray) -> np.ndarray:
    """P(E) - e^epsilon Q(E) of one half-plane, given the noise of the releases."""
    tails = []
    for table in (found.first, found.second):
        mean, variance = table.law(table.released(*noise), CODED.sampler).along(event.a, event.b)
        tails.append(ndtr((mean - event.t) / np.sqrt(variance)))
    return np.asarray(tails[0] - math.exp(found.first.constants.epsilon) * tails[1])


def _threshold(found: Found, noise: np.ndarray) -> Event:
    """The half-plane in the direction that was found, at the threshold best for the pilot."""
    a, b, t = found.event
    at = found.first.released(0.0, 0.0)
    std = math.sqrt(found.first.law(at, CODED.sampler).along(a, b)[1])
    events = [Event(a, b, t + step * std) for step in np.linspace(-3, 3, 49)]
    return max(events, key=lambda event: float(np.mean(_unseen(found, event, noise))))
