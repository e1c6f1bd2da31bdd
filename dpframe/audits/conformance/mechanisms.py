"""Noise and calibrations from outside: draws hide what they should, and noise costs no more than
its share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np

from dpframe.accountants import NumericAccountant, Part
from dpframe.accountants.conversions import delta_of
from dpframe.errors import InvalidArgument, Plain, check_kind
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise, Calibration
from dpframe.mechanisms.base import states_loss
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, as_kind
from dpframe.prover.algebra import number
from dpframe.randomness import Randomness
from dpframe.symbols import Expression, exact

from ..lower_bounds import attack
from .suite import Contradictions, Suite, refused

NOISE, THEOREM = Suite(), Suite()
SIZES = (Fraction(1, 7), Fraction(1), Fraction(10))
SHAPES, SQUARES = ((), (3,), (2, 3), (5, 2, 2)), ((1, 1), (4, 4), (3, 2, 2))
MANY, ALONE = 200_000, 20_000  # numbers of one draw, and draws of one number
CLOSE = {MANY: 0.02, ALONE: 0.04}  # how far their std may be from the stated one
DRAWS, SURE = 100_000, 0.9999  # of an attack; a fifth of it where each draw is a call
FEW = 5_000  # where the move is small and many runs together are attacked
WIDE = 2.0**40  # noise in whole numbers is then rarely the same twice
DELTA, ROOM = Fraction(1, 10**6), 1 + Fraction(1, 10**9)
FACTORS = (Fraction(1, 100), Fraction(1, 3), Fraction(9, 10), Fraction(3))
MOVES = (Fraction(3), Fraction(1), Fraction(1, 20))  # sensitivities, as multiples of the size
TOGETHER = (1, 6)  # numbers that are released together
Rng = np.random.Generator


def check_mechanism(mechanism: AdditiveNoise, *, seed: int | None = 0) -> tuple[str, ...]:
    """Check noise of your own: its guarantee, its draws, and both against each other, by an attack.
    Draws are a simulation with this `seed`; None is the operating system's. Returns the properties,
    all of which hold. Raises NonConforming, an AssertionError, for the first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_mechanism(dp.Laplace(scale=2))[-1]
    'its draws hide what its guarantee says'
    """
    check_kind("mechanism", mechanism, AdditiveNoise, "an instance of dp.mechanisms.AdditiveNoise")
    if mechanism.selects:
        way_out = "Attack a certificate that releases it: dp.attack(proof.at(...))."
        raise InvalidArgument("mechanism", "one that adds noise", Plain("a selection"), way_out)
    return NOISE.check(mechanism, mechanism, Randomness.of(seed).generator)


def check_calibration(calibration: Calibration) -> tuple[str, ...]:
    """Check a theorem of your own that turns shares into noise, in every currency that it spends;
    `check_mechanism` checks the noise. Returns the properties, all of which hold. Raises
    NonConforming, an AssertionError, for the first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_calibration(dp.Gaussian.analytic)[-1]
    'what its noise costs is inside the share'
    """
    check_kind("calibration", calibration, Calibration, "an instance of dp.Calibration")
    return THEOREM.check(calibration, calibration)


def worth(formula: Expression) -> float:
    """A formula of numbers, rounded up."""
    return number(formula, {}, up=True)


@NOISE.holds("a size that is not above 0 is refused", "converter=positive_formula sees to that.")
def _positive(noise: AdditiveNoise, _: Rng) -> Contradictions:
    yield from (f"size {size}" for size in (0, -1) if not refused(noise.scaled, exact(size)))


@NOISE.holds("noise of one size is one value", "attrs.frozen(cache_hash=True) makes it that.")
def _value(noise: AdditiveNoise, _: Rng) -> Contradictions:
    again = noise.scaled(exact(1))
    if again != noise or hash(again) != hash(noise):
        yield f"{noise!r} and {again!r}"


@NOISE.holds("more sensitivity never costs less, nor does less noise", "Look at `guarantee`.")
def _monotone(noise: AdditiveNoise, _: Rng) -> Contradictions:
    def cost(sensitivity: Fraction, factor: Fraction) -> list[float]:
        guarantee = noise.scaled(exact(factor)).guarantee(exact(sensitivity))
        check_kind("guarantee", guarantee, type(noise).gives, "of the kind that its class `gives`")
        return [worth(amount) for amount in guarantee.amounts]

    for few, many in pairwise(SIZES):
        for other in SIZES:
            sides = (cost(few, other), cost(many, other)), (cost(other, many), cost(other, few))
            for less, more in sides:
                if any(one > two for one, two in zip(less, more, strict=True)):
                    yield f"{less} against {more} for {few} against {many}"


def _draw(
    noise: AdditiveNoise, shape: Any, rng: Rng, size: float, *, symmetric: bool = False
) -> Any:
    """A sample at its parameters."""
    law = {name: worth(formula) for name, formula in noise.parameters.items()}
    return np.asarray(noise.sample(size, shape, rng, symmetric=symmetric, **law))


@NOISE.holds(
    "a sample has its shape, and a finite draw of its own for each number; on a symmetric matrix"
    " it is symmetric, unless `symmetric` says otherwise",
    "np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) mirrors it.",
)
def _sample(noise: AdditiveNoise, rng: Rng) -> Contradictions:
    size = WIDE if noise.integer else worth(noise.formula)
    for shape, symmetric in [(one, False) for one in SHAPES] + [(one, True) for one in SQUARES]:
        drawn = _draw(noise, shape, rng, size, symmetric=symmetric)
        triangular = symmetric and noise.symmetric
        mirrored = not triangular or np.array_equal(drawn, drawn.swapaxes(-1, -2))
        if drawn.shape != shape or not mirrored or not np.isfinite(drawn).all():
            yield f"an array of shape {drawn.shape} for {shape}, {symmetric=}, {mirrored=}"
        apart = drawn[..., np.triu(np.ones(shape[-2:])) > 0] if triangular else drawn
        if len(np.unique(apart)) < apart.size:
            yield f"{len(np.unique(apart))} different numbers among {apart.size}"


@NOISE.holds("equal generators draw equal noise, and one draws it anew", "Draw from `rng` alone.")
def _reproducible(noise: AdditiveNoise, _: Rng) -> Contradictions:
    size = WIDE if noise.integer else worth(noise.formula)
    seeds = [np.random.default_rng(7) for _ in range(2)]
    first, second, anew = (_draw(noise, (4,), seed, size) for seed in (*seeds, seeds[0]))
    if not np.array_equal(first, second):
        yield f"{first} and {second}"
    if np.isin(anew, first).any():
        yield f"{first} and then {anew} of one generator"


@NOISE.holds("`deviation` and `deviation_among` are the std of its draws", "Compute them anew.")
def _deviation(noise: AdditiveNoise, rng: Rng) -> Contradictions:
    size = worth(noise.formula)
    stds = {MANY: noise.deviation_among(exact(MANY)), ALONE: noise.deviation}
    for n, stated in stds.items() if noise.joint else [(MANY, stds[MANY])]:
        shape, calls = ((n,), 1) if n == MANY else ((), n)
        drawn = np.std([_draw(noise, shape, rng, size) for _ in range(calls)])
        if abs(drawn / worth(stated) - 1) > CLOSE[n]:
            yield f"{drawn:.4g} where {worth(stated):.4g} is stated"
    among, alone = worth(noise.deviation_among(exact(1))), worth(noise.deviation)
    if not math.isclose(among, alone):
        yield f"{among} among 1 number and {alone} alone"


@NOISE.holds(
    "its draws hide what its guarantee says",
    "Prove the guarantee for the law that `sample` draws; dp.attack(mechanism) says more.",
)
def _hidden(noise: AdditiveNoise, rng: Rng) -> Contradictions:
    size = Fraction(worth(noise.formula))
    for factor in MOVES:
        moved = Fraction(math.ceil(factor * size)) if noise.integer else factor * size
        stated = [noise.guarantee(exact(moved))]
        for claim in [*stated, None] if states_loss(type(noise)) else stated:
            draws = FEW if factor < 1 else ALONE if noise.joint else DRAWS
            seed = int(rng.integers(2**31))
            options: Any = {"draws": draws, "confidence": SURE, "seed": seed}
            for one in attack(noise, claim=claim, sensitivity=moved, **options).findings:
                if one.flagged:
                    bound = f"{one.bound:.4g}, where at most {one.allowed:.4g} is stated"
                    yield f"{one.quantity} of at least {bound}, for {one.pair}"


def _targets(factor: Fraction) -> list[Guarantee]:
    return [PureDP(factor), ApproxDP(factor, DELTA), ZeroConcentratedDP(factor), GaussianDP(factor)]


def _spent(rule: Calibration) -> Iterator[Guarantee]:
    """Budgets that it spends, inside its hypothesis, of one currency in rising order."""
    for some in zip(*map(_targets, FACTORS), strict=True):
        for target in some:
            if target.budget.currency in rule.currencies:
                limit = rule.limit(target.budget)
                if limit is None or worth(limit[0]) < worth(limit[1]):
                    yield target


def _size(rule: Calibration, target: Guarantee, sensitivity: int = 1) -> float:
    noise = rule.calibrate(target.budget, exact(sensitivity))
    check_kind("noise", noise, rule.mechanism, "of its `mechanism`")
    return worth(noise.formula)


@THEOREM.holds("it refuses a share that is missing or in another currency", "See `currencies`.")
def _currencies(rule: Calibration) -> Contradictions:
    if not list(_spent(rule)):
        yield "no currency of dpframe that it spends"
    for share in (None, *(one.budget for one in _targets(FACTORS[0]))):
        foreign = share is None or share.currency not in rule.currencies
        if foreign and not refused(rule.check, share):
            yield f"{share} taken"


@THEOREM.holds("more budget never means more noise", "Look at `calibrate`.")
def _decreasing(rule: Calibration) -> Contradictions:
    for few, many in pairwise(_spent(rule)):
        if type(few) is type(many) and _size(rule, few) < _size(rule, many):
            yield f"less for {few} than for {many}"


@THEOREM.holds("noise scales with the sensitivity", "Look at `calibrate`.")
def _scales(rule: Calibration) -> Contradictions:
    for target in _spent(rule):
        once, thrice = _size(rule, target), _size(rule, target, 3)
        if not math.isclose(thrice, 3 * once, rel_tol=1e-9):
            yield f"sizes {once:.4g} and {thrice:.4g} at sensitivities 1 and 3, for {target}"


@THEOREM.holds("what its noise costs is inside the share", "Prescribe more noise.")
def _cost(rule: Calibration) -> Contradictions:
    for target, moved, entries in product(_spent(rule), (1, 7), TOGETHER):
        noise = rule.calibrate_among(target.budget, exact(moved), exact(entries))
        check_kind("noise", noise, rule.mechanism, "of its `mechanism`")
        law = {name: Fraction(worth(one)) for name, one in noise.parameters.items()}
        noise = noise.resized(Fraction(worth(noise.formula)), **law)
        stated = noise.guarantee_among(exact(moved), exact(entries))
        among = type(noise).guarantee_among is not AdditiveNoise.guarantee_among
        tighter = own(type(noise)) and not (among and entries > 1)  # as the prover reads it
        given = noise.given_in(type(target), exact(moved)) if tighter else stated
        cost = as_kind(given, type(target))
        if isinstance(target, ApproxDP):
            least = _delta(noise, moved, stated, Fraction(worth(target.epsilon)))
            if least > DELTA * ROOM:
                yield f"a delta of {least:.4g} for {target}, of {entries} numbers"
        elif cost is not None and worth(cost.amounts[0]) > worth(target.amounts[0]) * ROOM:
            yield f"{cost} for {target}, of {entries} numbers"


def _delta(noise: AdditiveNoise, moved: int, stated: Guarantee, epsilon: Fraction) -> float:
    """At least its cost: by its own loss if it has one, else by what it states."""
    if states_loss(type(noise)):
        with suppress(InvalidArgument):  # a loss that is known for other sensitivities only
            return NumericAccountant().delta([Part(noise.loss(moved))], epsilon).lower
    return delta_of(stated, epsilon).lower
