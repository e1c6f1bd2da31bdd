"""Noise and calibrations of one's own: draws are what the guarantee says, shares are not exceeded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from dpframe.accountants import NumericAccountant, Part
from dpframe.accountants.conversions import delta_of
from dpframe.errors import InvalidArgument, check_kind
from dpframe.mechanisms import AdditiveNoise, Calibration, Mechanism
from dpframe.privacy import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    Share,
    ZeroConcentratedDP,
    as_kind,
)
from dpframe.prover.enclose import number
from dpframe.randomness import Randomness
from dpframe.symbols import Expression, exact

from ..lower_bounds import attack
from .suite import Contradictions, Suite, refused

NOISE, THEOREM = Suite(), Suite()
SIZES = (Fraction(1, 7), Fraction(1), Fraction(10))
SHAPES, SQUARES = ((), (3,), (2, 3), (5, 2, 2)), ((1, 1), (4, 4), (3, 2, 2))
MANY, ALONE = 200_000, 20_000  # numbers of one draw, and draws of one number
CLOSE, CLOSER = 0.04, 0.02  # how far stds of so many draws may be from the stated one
DRAWS, SURE = 20_000, 0.9999
WIDE = 2.0**40  # noise in whole numbers is then rarely the same twice
DELTA, ROOM = Fraction(1, 10**6), 1 + Fraction(1, 10**9)
FACTORS = (Fraction(1, 100), Fraction(1, 3), Fraction(9, 10), Fraction(3))


def check_mechanism(mechanism: AdditiveNoise, *, seed: int | None = 0) -> tuple[str, ...]:
    """Check noise of your own, at its size and at others: its guarantee, its draws, and an attack
    that holds them against each other. Returns the properties, all of which hold.

    Draws are a simulation with this `seed`; None is the operating system's. Raises NonConforming,
    an AssertionError, for the first that does not hold.

    >>> import dpframe as dp
    >>> len(dp.audits.check_mechanism(dp.Laplace(scale=2)))
    10
    """
    check_kind("mechanism", mechanism, AdditiveNoise, "an instance of dp.mechanisms.AdditiveNoise")
    return NOISE.check(mechanism, mechanism, Randomness.of(seed).generator)


def check_calibration(calibration: Calibration) -> tuple[str, ...]:
    """Check a theorem of your own that turns shares into noise, in every currency that it spends.
    `check_mechanism` checks the noise. Returns the properties. Raises NonConforming.

    >>> import dpframe as dp
    >>> dp.audits.check_calibration(dp.Gaussian.analytic)[0]
    'it refuses a share that is missing or in another currency'
    """
    check_kind("calibration", calibration, Calibration, "an instance of dp.Calibration")
    return THEOREM.check(calibration, calibration)


def worth(formula: Expression) -> float:
    """A formula of numbers, rounded up."""
    return number(formula, {}, up=True)


@NOISE.holds("a size that is not above 0 is refused", "converter=positive_formula sees to that.")
def _positive(noise: AdditiveNoise, _: np.random.Generator) -> Contradictions:
    yield from (f"size {n}" for n in (0, -1) if not refused(lambda n=n: noise.scaled(exact(n))))


@NOISE.holds("noise of one size is one value", "attrs.frozen(cache_hash=True) makes it comparable.")
def _value(noise: AdditiveNoise, _: np.random.Generator) -> Contradictions:
    again = noise.scaled(exact(1))
    if again != noise or hash(again) != hash(noise):
        yield f"{noise!r} and {again!r}"
    twice = worth(noise.scaled(exact(2)).formula)
    if not math.isclose(twice, 2 * worth(noise.formula), rel_tol=1e-12):
        yield f"size {twice} for twice {worth(noise.formula)}"


@NOISE.holds(
    "more sensitivity never costs less, and more noise never more", "Look at `guarantee`."
)
def _monotone(noise: AdditiveNoise, _: np.random.Generator) -> Contradictions:
    def cost(sensitivity: Fraction, factor: Fraction) -> list[float]:
        found = noise.scaled(exact(factor)).guarantee(exact(sensitivity))
        check_kind("guarantee", found, type(noise).gives, "of the kind that its class `gives`")
        return [worth(amount) for amount in found.amounts]

    for few, many in pairwise(SIZES):
        for other in SIZES:
            at = [cost(few, other), cost(many, other), cost(other, many), cost(other, few)]
            for less, more in (at[:2], at[2:]):
                if any(a > b for a, b in zip(less, more, strict=True)):
                    yield f"{less} against {more} where one factor grows from {few} to {many}"


@NOISE.holds("a sample has the shape that is asked for, and is finite", "Draw all of `shape`.")
def _shape(noise: AdditiveNoise, rng: np.random.Generator) -> Contradictions:
    for shape in SHAPES:
        drawn = np.asarray(_drawn(noise, shape, rng))
        if drawn.shape != shape or not np.isfinite(drawn).all():
            yield f"shape {drawn.shape} for {shape}, {np.isfinite(drawn).mean():.0%} of it finite"


@NOISE.holds("every number has a draw of its own", "Draw `shape` numbers, not one for all.")
def _distinct(noise: AdditiveNoise, rng: np.random.Generator) -> Contradictions:
    for shape in SHAPES:
        drawn = np.asarray(_drawn(noise, shape, rng))
        if len(np.unique(drawn)) < drawn.size:
            yield f"{len(np.unique(drawn))} numbers among {drawn.size}"


@NOISE.holds(
    "noise on a symmetric matrix is symmetric, with a draw for each entry of its upper triangle",
    "np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) mirrors it.",
)
def _symmetric(noise: AdditiveNoise, rng: np.random.Generator) -> Contradictions:
    for shape in SQUARES:
        drawn = np.asarray(_drawn(noise, shape, rng, symmetric=True))
        upper = drawn[(..., *np.triu_indices(shape[-1]))]
        mirrored = np.array_equal(drawn, drawn.swapaxes(-1, -2))
        if drawn.shape != shape or not mirrored or len(np.unique(upper)) < upper.size:
            yield f"an array of shape {drawn.shape} for {shape} that is {mirrored=}"


@NOISE.holds("equal generators draw equal noise", "Draw from `rng` alone.")
def _reproducible(noise: AdditiveNoise, _: np.random.Generator) -> Contradictions:
    first, second = (_drawn(noise, (4,), np.random.default_rng(7)) for _ in range(2))
    if not np.array_equal(first, second):
        yield f"{first} and {second}"


@NOISE.holds("`deviation` and `deviation_among` are the std of the draws", "Look at `deviation`.")
def _deviation(noise: AdditiveNoise, rng: np.random.Generator) -> Contradictions:
    size = worth(noise.formula)
    drawn = float(np.std(noise.sample(size, (MANY,), rng, symmetric=False)))
    stated = worth(noise.deviation_among(exact(MANY)))
    if abs(drawn / stated - 1) > CLOSER:
        yield f"{drawn:.4g} where {stated:.4g} is stated"
    if not math.isclose(worth(noise.deviation_among(exact(1))), worth(noise.deviation)):
        yield "another std among 1 number than alone"
    if noise.joint:
        some = [float(noise.sample(size, (), rng, symmetric=False)) for _ in range(ALONE)]
        if abs(np.std(some) / worth(noise.deviation) - 1) > CLOSE:
            yield f"{np.std(some):.4g} where {worth(noise.deviation):.4g} is stated"


@NOISE.holds(
    "its draws hide what the guarantee says (an attack of their law)",
    "Prove the guarantee for the law that `sample` draws; dp.attack(mechanism) tells more.",
)
def _hidden(noise: AdditiveNoise, rng: np.random.Generator) -> Contradictions:
    size = Fraction(worth(noise.formula))
    for factor in (1, 3):
        moved = Fraction(math.ceil(factor * size)) if noise.integer else factor * size
        stated = [noise.guarantee(exact(moved))]
        for claim in stated if type(noise).loss is Mechanism.loss else [*stated, None]:
            chosen: Any = {"draws": DRAWS, "confidence": SURE, "seed": int(rng.integers(2**31))}
            for one in attack(noise, claim=claim, sensitivity=moved, **chosen).findings:
                if one.flagged:
                    told = f"{one.found:.4g}, where at most {one.allowed:.4g} is stated"
                    yield f"{one.quantity} of at least {told}, for {one.pair}"


def _drawn(
    noise: AdditiveNoise, shape: tuple[int, ...], rng: np.random.Generator, *, symmetric: bool = False
) -> np.ndarray:
    size = WIDE if noise.integer else worth(noise.formula)
    return noise.sample(size, shape, rng, symmetric=symmetric)


@THEOREM.holds("it refuses a share that is missing or in another currency", "Look at `currencies`.")
def _currencies(rule: Calibration) -> Contradictions:
    spent = [share for share, _ in _shares(rule)]
    if not spent:
        yield "no currency of dpframe that it spends"
    shares = [None, *(one.budget for one in _targets(Fraction(1, 3)))]
    for share in shares:
        known = share is not None and share.currency in rule.currencies
        if not known and not refused(lambda one=share: rule.check(one)):
            yield f"{share} taken"


@THEOREM.holds("it prescribes noise of its `mechanism`", "LogisticPure.mechanism = Logistic.")
def _prescribed(rule: Calibration) -> Contradictions:
    for share, _ in _shares(rule):
        noise = rule.calibrate(share, exact(1))
        if not isinstance(noise, rule.mechanism):
            yield type(noise).__name__


@THEOREM.holds("more budget never means more noise", "Look at `calibrate`.")
def _decreasing(rule: Calibration) -> Contradictions:
    for few, many in pairwise(_shares(rule)):
        if few[0].currency == many[0].currency and _size(rule, few[0]) < _size(rule, many[0]):
            yield f"less for {few[1]} than for {many[1]}"


@THEOREM.holds("noise scales with the sensitivity", "Look at `calibrate`.")
def _scales(rule: Calibration) -> Contradictions:
    for share, target in _shares(rule):
        once, thrice = _size(rule, share), _size(rule, share, 3)
        if not math.isclose(thrice, 3 * once, rel_tol=1e-9):
            yield f"sizes {once:.4g} and {thrice:.4g} at sensitivities 1 and 3, for {target}"


@THEOREM.holds("what its noise costs is inside the share", "Prescribe more noise.")
def _earned(rule: Calibration) -> Contradictions:
    for share, target in _shares(rule):
        for moved in (1, 7):
            size = Fraction(_size(rule, share, moved))
            noise: AdditiveNoise = rule.mechanism(size)  # type: ignore[call-arg]  # its one field
            cost = noise.guarantee(exact(moved))
            own = as_kind(cost, type(target))
            if isinstance(target, ApproxDP):
                epsilon, delta = (Fraction(worth(amount)) for amount in target.amounts)
                spent = _delta(noise, cost, moved, epsilon)
                if spent > delta * ROOM:
                    yield f"a delta of {spent:.4g} for {target}"
            elif own is not None and worth(own.amounts[0]) > worth(target.amounts[0]) * ROOM:
                yield f"{own} for {target}"


def _delta(noise: AdditiveNoise, cost: Guarantee, moved: int, epsilon: Fraction) -> float:
    """What it costs at least: by its own loss where it has one, else by its guarantee."""
    try:
        return NumericAccountant().delta([Part(noise.loss(moved))], epsilon).lower
    except InvalidArgument:
        return delta_of(cost, epsilon).lower


def _size(rule: Calibration, share: Share, sensitivity: int = 1) -> float:
    return worth(rule.calibrate(share, exact(sensitivity)).formula)


def _targets(factor: Fraction) -> Iterator[Guarantee]:
    yield from (PureDP(factor), ApproxDP(factor, DELTA))
    yield from (ZeroConcentratedDP(factor), GaussianDP(factor))


def _shares(rule: Calibration) -> list[tuple[Share, Guarantee]]:
    """Budgets that it spends, inside its hypothesis, of one currency in rising order."""
    each = zip(*(_targets(factor) for factor in FACTORS), strict=True)
    targets = [target for some in each for target in some]
    spent = [one for one in targets if one.budget.currency in rule.currencies]
    found = []
    for target in spent:
        limit = rule.limit(target.budget)
        if limit is None or worth(limit[0]) < worth(limit[1]):
            found.append((target.budget, target))
    return found
