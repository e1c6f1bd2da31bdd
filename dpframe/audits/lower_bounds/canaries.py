"""An audit in one run: canaries included by fair coins, how they are found again, and epsilon from
guesses of who was in.

Of r guesses about m canaries at least v are right with probability at most

    P[W >= v] + m delta min(1, 2 max_i P[v > W >= v - i]/i),   W ~ Binomial(r, e^eps/(1 + e^eps)),

under (eps, delta)-differential privacy. [SteinkeNJ23, Thm 5.2] (docs/attacking.md proves it with 1
in the place of the minimum.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc
from scipy.stats import binom

from dpframe.errors import InvalidArgument
from dpframe.execution.draws import Draw
from dpframe.execution.running import Running
from dpframe.mechanisms import (
    AdditiveNoise,
    PoissonSubsampled,
    RandomizedResponse,
    Selection,
    SubsampledWithoutReplacement,
)
from dpframe.numerics import working
from dpframe.numerics.rounding import to_float
from dpframe.privacy import REPLACE_ONE, Relation, number
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness

from .claims import Claim
from .events import ROUNDING, Reals
from .laws import PRECISION, law_of, worst_scores
from .page import Finding
from .running import opened
from .scores import log_density
from .tables import Person, Space, Table
from .ways import Way

WIDEST = 60.0  # epsilons beyond this are not told apart
HALVINGS = 60


def chance_of(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """At least the chance of `right` or more right guesses among `guesses`, about `canaries`
    canaries, under (epsilon, delta)-differential privacy. Raises InvalidArgument.
    """
    if not 0 <= right <= guesses <= canaries:
        wanted = f"from 0 to {guesses}, the guesses, of at most {canaries} canaries"
        raise InvalidArgument("right guesses", wanted, right)
    accuracy = 1 / (1 + math.exp(-epsilon))
    tail = 1.0 if right == 0 else float(bdtrc(right - 1, guesses, accuracy))
    if delta == 0 or right == 0:
        return min(1.0, tail * (1 + ROUNDING))
    below: Reals = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, accuracy))
    steepest = float(np.max(below / np.arange(1, right + 1)))
    confessed = canaries * delta * min(1.0, 2 * steepest)
    return min(1.0, (tail + confessed) * (1 + ROUNDING))


def epsilon_of(
    right: int, guesses: int, canaries: int, *, delta: float = 0.0, failing: float = 0.05
) -> float:
    """The largest epsilon that so many right guesses refute with confidence 1 - `failing`; 0 where
    they refute none.
    """
    if chance_of(right, guesses, canaries, 0.0, delta) > failing:
        return 0.0
    low, high = 0.0, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if chance_of(right, guesses, canaries, middle, delta) <= failing:
            low = middle
        else:
            high = middle
    return low


Array = NDArray[Any]
Audited = Callable[[Array, Randomness], Reals]
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)  # of the canaries that are guessed
REHEARSALS = 6
MOST = 100_000


@attrs.frozen(eq=False)
class Planted:
    """m canaries; `scores`, of one run with those that are included, are above 0 where a canary
    seems to be in. `told` says what they are.
    """

    m: int
    scores: Audited
    told: str


def one_run(planted: Planted, claim: Claim, failing: float, randomness: Randomness) -> Finding:
    """One run, audited: epsilon at least so much, wrong with probability at most `failing`. How
    many guesses are made is chosen on other runs before.
    """
    delta = 0.0 if claim.pure is not None else float(claim.at)
    told = claim.told if claim.pure is None else claim.pure
    guesses = _rehearsed(planted, delta, failing, randomness)
    included = coins(planted.m, randomness)
    right = guessed(planted.scores(included, randomness), included, guesses)
    return found_in(right, guesses, planted.m, delta, told, failing=failing, told_of=planted.told)


def found_in(
    right: int,
    guesses: int,
    m: int,
    delta: float,
    told: float,
    *,
    failing: float,
    told_of: str,
) -> Finding:
    """The finding of an audit in one run."""
    epsilon = epsilon_of(right, guesses, m, delta=delta, failing=failing)
    at = "" if delta == 0 else f" at delta {delta:.3g}"
    return Finding(
        what="one run",
        pair=f"{m} canaries, each in by a fair coin: {told_of}",
        method=f"{right} of {guesses} guesses are right [SteinkeNJ23]",
        quantity=f"epsilon{at}",
        found=epsilon,
        allowed=told,
        epsilon=epsilon,
        told=told,
    )


def coins(m: int, randomness: Randomness) -> Array:
    """Which of m canaries are in: fair coins."""
    return np.asarray(randomness.bits.below(2, m) == 1)


def guessed(scores: Reals, included: Array, guesses: int) -> int:
    """How many of so many guesses are right: about the canaries whose scores are the furthest from
    0, in where they are above. Ties fall as they are ordered, which knows nothing of the coins.
    """
    chosen = np.argsort(-np.abs(scores), kind="stable")[:guesses]
    return int(((scores[chosen] > 0) == included[chosen]).sum())


def _rehearsed(planted: Planted, delta: float, failing: float, randomness: Randomness) -> int:
    """The number of guesses that is best on average of other runs."""
    sizes = sorted({max(1, round(share * planted.m)) for share in SHARES})
    total = np.zeros(len(sizes))
    for _ in range(REHEARSALS):
        included = coins(planted.m, randomness)
        scores = planted.scores(included, randomness)
        total += [
            epsilon_of(guessed(scores, included, r), r, planted.m, delta=delta, failing=failing)
            for r in sizes
        ]
    return sizes[int(np.argmax(total))]


def how_many(value: object) -> int:
    """A number of canaries. Raises InvalidArgument."""
    if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= MOST:
        raise InvalidArgument("canaries", f"a whole number from 2 to {MOST}", value)
    return value


@singledispatch
def planted(target: object, m: int, sensitivity: Fraction, relation: Relation) -> Planted:
    """Canaries for a mechanism: each moves a number, a value or a contest of its own. Raises
    InvalidArgument.
    """
    del m, sensitivity, relation
    way_out = "Give canaries as a table, and a score: dp.attack(run, canaries=(X, y), score=...)."
    raise InvalidArgument(
        "canaries", "for a mechanism that hides each of them alone", target, way_out
    )


@planted.register
def _(mechanism: AdditiveNoise, m: int, sensitivity: Fraction, *_: object) -> Planted:
    """One number each, which moves by all of the sensitivity."""
    return _numbers(mechanism, m, sensitivity, lambda included, _: included)


def _numbers(
    mechanism: AdditiveNoise,
    m: int,
    sensitivity: Fraction,
    seen: Callable[[Array, Randomness], Array],
) -> Planted:
    kind, size = type(mechanism), number(mechanism.noise, mechanism.formula)
    scale, moved = to_float(size, up=True), float(sensitivity)
    if kind.integer and sensitivity.denominator != 1:
        way_out = "Attack with draws, or at another sensitivity."
        raise InvalidArgument("canaries", "such as move whole numbers", str(sensitivity), way_out)

    def scores(included: Array, randomness: Randomness) -> Reals:
        if kind.integer:
            noise = kind.on_grid(size, m, randomness.bits).astype(float)
        else:
            noise = kind.sample(scale, (m,), randomness.generator, symmetric=False)
        released = noise + moved * seen(included, randomness)
        logs = [
            log_density(kind, scale, (released - at)[:, None], symmetric=False)
            for at in (moved, 0.0)
        ]
        if kind.joint or logs[0] is None or logs[1] is None:
            return np.asarray(released - moved / 2)
        return np.asarray(logs[0] - logs[1])

    return Planted(m, scores, f"one number each, {moved:g} larger where it is in")


@planted.register
def _(mechanism: PoissonSubsampled, m: int, sensitivity: Fraction, *_: object) -> Planted:
    """One row each, of which a sample has some."""

    def seen(included: Array, randomness: Randomness) -> Array:
        kept = np.zeros(m)
        kept[mechanism.rows(m, randomness.bits)] = 1.0
        return np.asarray(kept * included)

    return _numbers(_base(mechanism.mechanism), m, sensitivity, seen)


@planted.register
def _(
    mechanism: SubsampledWithoutReplacement, m: int, sensitivity: Fraction, *_: object
) -> Planted:
    """One of the rows each, which moves its own number by half of the sensitivity: an exchange of
    one row of the sample for another moves two numbers.
    """
    many = min(m, mechanism.of)

    def seen(included: Array, randomness: Randomness) -> Array:
        kept = np.zeros(mechanism.of)
        kept[mechanism.rows(mechanism.of, randomness.bits)] = 1.0
        return np.asarray(kept[:many] * included)

    return _numbers(_base(mechanism.mechanism), many, sensitivity / 2, seen)


def _base(mechanism: object) -> AdditiveNoise:
    if not isinstance(mechanism, AdditiveNoise):
        raise InvalidArgument("mechanism", "additive noise on a sample", mechanism)
    return mechanism


@planted.register
def _(mechanism: RandomizedResponse, m: int, *_: object) -> Planted:
    """One answer each: of the value 1 where it is in."""

    def scores(included: Array, randomness: Randomness) -> Reals:
        answers = mechanism.sample(included.astype(np.int64), randomness.bits)
        return np.asarray((answers == 1) * 1.0 - (answers == 0) * 1.0)

    return Planted(m, scores, "one answer each, to the value 1 where it is in, to 0 elsewhere")


@planted.register
def _(mechanism: Selection, m: int, sensitivity: Fraction, *_: object) -> Planted:
    """One contest each, on the worst pair of score vectors."""
    pair = worst_scores(mechanism, sensitivity)
    scale = number("scale", mechanism.scale)
    with working(PRECISION):
        laws = [
            np.array(
                [float(one.mid()) for one in law_of(mechanism, [Fraction(s) / scale for s in row])]
            )
            for row in pair
        ]
    ratios = np.log(laws[0] / laws[1])

    def scores(included: Array, randomness: Randomness) -> Reals:
        rows = np.where(included[:, None], np.array(pair[0]), np.array(pair[1]))
        return np.asarray(ratios[mechanism.sample(rows, randomness.bits)])

    return Planted(m, scores, "one contest each, with other scores where it is in")


@planted.register
def _(run: AtNumbers, m: int, sensitivity: Fraction, relation: Relation) -> Planted:
    """One row each along an axis of its own, of m columns. (docs/attacking.md)"""
    del sensitivity
    space = Space.of(run)
    if space.columns is not None:
        way_out = "Give canaries as a table, and a score."
        raise InvalidArgument("setting", "with rows of any width", run.setting, way_out)
    inside, outside = _people(space, m, replaced=relation is REPLACE_ONE)
    calm = Randomness.of(0)
    shifts = _shifts(run, inside, outside, calm)

    def scores(included: Array, randomness: Randomness) -> Reals:
        people = [
            one if kept else other
            for one, other, kept in zip(inside, outside, included, strict=True)
        ]
        running = opened(run, _table(people, m, space), randomness)
        return _found(running, shifts, randomness)

    told = f"one row each along an axis of its own, {m} columns"
    return Planted(m, scores, told)


def _people(space: Space, m: int, *, replaced: bool) -> tuple[list[Person], list[Person]]:
    """What is in for a canary, and what is in its place where it is out."""
    high, low = space.labels[0], space.labels[min(1, len(space.labels) - 1)]
    rows = [space.along(axis) for axis in np.eye(m)]
    out = [Person(row, low) if replaced else Person(None, 0.0) for row in rows]
    return [Person(row, high) for row in rows], out


def _table(people: list[Person], m: int, space: Space) -> Table:
    rows = [one for one in people if one.x is not None for _ in range(space.each)]
    X = np.array([one.x for one in rows]).reshape(len(rows), m)
    return Table(X, None if space.low is None else np.array([one.y for one in rows], dtype=float))


def _shifts(
    run: AtNumbers, inside: list[Person], outside: list[Person], randomness: Randomness
) -> list[list[tuple[Way, Way]]]:
    """For every canary, every release of the first stage with it in and with it out, on an
    otherwise empty table.
    """
    space, m = Space.of(run), len(inside)

    def alone(person: Person) -> list[Way]:
        return ways_of(opened(run, _table([person], m, space), randomness))

    pairs = zip(inside, outside, strict=True)
    return [list(zip(alone(one), alone(other), strict=True)) for one, other in pairs]


def ways_of(running: Running) -> list[Way]:
    """The releases of noise in the first stage."""
    draws = [one for one in running.draws(0) if isinstance(one, Draw) and not one.copies]
    return [Way(one, running.numbers, running.values) for one in draws]


def _found(running: Running, shifts: list[list[tuple[Way, Way]]], randomness: Randomness) -> Reals:
    """Each canary's likelihood ratio, as if what it moves were moved by nobody else."""
    released = [way.many(1, randomness)[0] for way in ways_of(running)]
    scores = np.zeros(len(shifts))
    for i, parts in enumerate(shifts):
        for seen, (inside, outside) in zip(released, parts, strict=True):
            here, away = inside.mean, outside.mean
            own = np.asarray(here != away)
            logs = [inside.density(np.where(own, seen - at, 0.0)[None]) for at in (here, away)]
            if logs[0] is not None and logs[1] is not None:
                scores[i] += float(logs[0][0] - logs[1][0])
    return scores
