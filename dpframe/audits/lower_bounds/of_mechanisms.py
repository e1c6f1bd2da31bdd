"""A mechanism attacked: its law listed where that is short, its draws on the worst pair.

Any program attacked: run(X, y, seed) on two neighbouring tables.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import Mechanism, SelectionNoise
from dpframe.numerics import arb_float, working
from dpframe.privacy import Relation, ZeroConcentratedDP, number
from dpframe.symbols import exact

from .answers import Program, answers, failures, features
from .attack_page import Finding, of_bounds
from .exact_laws import ORDERS, PRECISION, Enumerated, divergence, enumerated, renyi
from .fresh import fresh, of_mechanism
from .neighbours import Neighbours, given
from .pairs import Drawn, draws_of, from_draws, neighbouring
from .threshold_events import bounds
from .two_tables import Job, summed


def program_findings(
    run: Program, on: object, job: Job, relation: Relation
) -> tuple[Neighbours, list[Finding]]:
    """Learned scores of what it returns; of how it fails, where it does. Raises InvalidArgument."""
    if on is None:
        way_out = "Such as on=((X, y), (X[:-1], y[:-1])), the hardest neighbours you know."
        raise InvalidArgument("on", "two neighbouring tables, for a program", None, way_out)
    pair = neighbouring(given(on), relation)
    drawn = [answers(run, table, job) for table in pair.tables]
    failed = failures([one for part in drawn for one in part])
    first, second = features(*drawn)
    found = bounds(from_draws(first, second), job.claim, job.failing)
    method = "learned scores: Clopper-Pearson bounds"
    return pair, [of_bounds(found, f"what it returns{failed}", str(pair), method=method)]


def mechanism_findings(
    mechanism: Mechanism, sensitivity: Fraction, relation: Relation, job: Job, given: object
) -> list[Finding]:
    """Every enumeration and every way of drawing. `given` is the claim as a person gave it."""
    found = listed(mechanism, sensitivity, job, given)
    ways = list(draws_of(mechanism, sensitivity, relation))
    repeats = job.repeats(job.claim)
    plans = [(way, count) for way in ways for count in dict.fromkeys((1, repeats))]
    noises = of_mechanism(mechanism, sensitivity)
    each = job.failing / (len(plans) + sum(way.doubles for way in ways) + bool(noises))
    found += [one for way, count in plans for one in drawn(way, count, each, job)]
    return found + (fresh(noises, job.randomness, each) if noises else [])


def drawn(way: Drawn, repeats: int, failing: float, job: Job) -> list[Finding]:
    """One way of drawing, against what is claimed of so many runs. Scores are rounded, so that the
    law is attacked; what the low bits of doubles tell beyond it is a finding of its own.
    """
    job.told(f"{way.what}: {job.draws * repeats} draws on each of {way.pair}")
    scores, claim = way.scores(job.draws * repeats, job.randomness), job.claim.times(repeats)
    found = bounds(summed(scores.rounded(), repeats), claim, failing)
    method = "likelihood ratios: Clopper-Pearson bounds"
    law = of_bounds(found, way.what, way.pair, method=method, repeats=repeats)
    if not way.doubles or repeats > 1:
        return [law]
    low = of_bounds(bounds(scores, claim, failing), way.what, way.pair, method=method)
    low = attrs.evolve(low, what=f"floating point, in {way.what}", floating=True)
    return [law, low] if low.above and not law.above else [law]


def listed(
    mechanism: Mechanism, sensitivity: Fraction, job: Job, given: object = None
) -> list[Finding]:
    """The worst of all listed pairs, for the profile, and for Renyi divergences where zCDP is
    claimed. Certain: balls, no draws.
    """
    worst: dict[str, Finding] = {}
    with working(PRECISION):
        pairs = list(enumerated(mechanism, sensitivity))
        rhos = _rhos(given if given is not None else mechanism, sensitivity) if pairs else []
        if pairs:
            job.told(f"{len(pairs)} pairs of laws, in balls")
        for laws in pairs:
            found = [_profile(laws, job)]
            if not laws.left_out:
                found += [_renyi(laws, order, rho) for rho in rhos for order in ORDERS]
            for one in found:
                kind = one.quantity.partition(" at ")[0]
                if kind not in worst or _margin(one) > _margin(worst[kind]):
                    worst[kind] = one
    return list(worst.values())


def _rhos(claimed: object, sensitivity: Fraction) -> list[Fraction]:
    """What is claimed under zCDP: by a guarantee; by a selection of bounded range."""
    if isinstance(claimed, SelectionNoise):
        claimed = claimed.given_in(ZeroConcentratedDP, exact(sensitivity))
    return [number("rho", claimed.rho)] if isinstance(claimed, ZeroConcentratedDP) else []


def _margin(finding: Finding) -> float:
    return finding.found - finding.allowed


def _profile(laws: Enumerated, job: Job) -> Finding:
    gains = [(at, arb_float(divergence(laws, Fraction(at)), up=False)) for at in job.claim.grid]
    at, gain = max(gains, key=lambda one: one[1] - job.claim.delta(one[0]))
    return _certain(laws, f"delta at epsilon {at:.4g}", gain, job.claim.delta(at))


def _renyi(laws: Enumerated, order: int, rho: Fraction) -> Finding:
    found = arb_float(renyi(laws, order), up=False)
    return _certain(laws, f"Renyi divergence at order {order}", found, float(rho * order))


def _certain(laws: Enumerated, quantity: str, found: float, allowed: float) -> Finding:
    return Finding(
        what="the law",
        pair=laws.pair,
        method="enumeration: all outcomes, in ball arithmetic",
        quantity=quantity,
        found=max(found, 0.0),
        allowed=allowed,
        certain=True,
    )
