"""A mechanism attacked by its draws on the worst pair of inputs known for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial, singledispatch
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.identity import own
from dpframe.mechanisms import (
    AdditiveNoise,
    CorrelatedGaussian,
    Mechanism,
    PoissonSubsampled,
    RandomizedResponse,
    SelectionNoise,
    SubsampledWithoutReplacement,
)
from dpframe.numerics.rounding import to_float
from dpframe.privacy import ADD_REMOVE, Relation, number
from dpframe.randomness import Randomness
from dpframe.symbols import exact

from .bounds import (
    Array,
    Finding,
    Job,
    Scores,
    density_scores,
    learned_scores,
    log_density,
    rounded,
    threshold_finding,
)
from .claims import ClaimedProfile, claim_of

FINE = 2**20  # steps of the grid to a unit of sensitivity
VECTOR = 3  # numbers of a joint draw
SCORES = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])  # of candidates, in ranges of the move


@attrs.frozen(eq=False)
class DrawnPair:
    """Draws on both inputs of a pair, as scores; `doubles` where noise is drawn in floating
    point. `claim` is that of several numbers, where it differs from the claim of one.
    """

    what: str
    pair: str
    scores: Callable[[int, Randomness], Scores]
    doubles: bool = False
    claim: ClaimedProfile | None = None


def mechanism_findings(
    mechanism: Mechanism, sensitivity: Fraction, relation: Relation, job: Job, given: object
) -> list[Finding]:
    """Every way of drawing. `given` is the claim as the user gave it."""
    findings: list[Finding] = []
    additive = isinstance(mechanism, AdditiveNoise)
    stated = mechanism.guarantee(exact(sensitivity)) if additive else None
    drawn = draws_of(mechanism, sensitivity, relation)
    pairs = [pair for pair in drawn if pair.claim is None or given in (None, stated)]
    repeats = dict.fromkeys((1, job.repeats(job.claim)))
    doubles = sum(pair.doubles for pair in pairs)
    each = job.failing / (len(pairs) * len(repeats) + doubles)
    for pair in pairs:
        for count in repeats if pair.claim is None else (1,):
            findings += _findings(pair, count, each, job)
    return findings


def _findings(drawn: DrawnPair, repeats: int, failing: float, job: Job) -> list[Finding]:
    """One way of drawing, against the claim for so many runs. Scores are rounded, so that the law
    is attacked; what the low bits of doubles reveal beyond it is a separate finding.
    """
    job.on_progress(f"{drawn.what}: {job.draws * repeats} draws on each of {drawn.pair}")
    scores = drawn.scores(job.draws * repeats, job.randomness)
    claim = (drawn.claim or job.claim).times(repeats)
    law = threshold_finding(
        rounded(scores, repeats), claim, failing, what=drawn.what, pair=drawn.pair, repeats=repeats
    )
    if not drawn.doubles or repeats > 1 or law.above:
        return [law]
    what = f"floating point, in {drawn.what}"
    low_bits = threshold_finding(scores, claim, failing, what=what, pair=drawn.pair, floating=True)
    return [law, low_bits] if low_bits.above else [law]


@singledispatch
def draws_of(mechanism: object, sensitivity: Fraction, relation: Relation) -> Iterator[DrawnPair]:
    """Every way in which a mechanism is drawn, on its worst pair. Raises InvalidArgument."""
    del sensitivity, relation
    raise _unknown("one whose draws are known here", mechanism)


def _unknown(requirement: str, mechanism: object) -> InvalidArgument:
    way_out = "Attack a function that draws it: dp.attack(run, on=(D, E), claim=mechanism)."
    return InvalidArgument("mechanism", requirement, getattr(mechanism, "kind", mechanism), way_out)


def law_of(noise: AdditiveNoise) -> type[AdditiveNoise]:
    """Its class; of noise from outside with parameters, a class that draws at these."""
    kind = type(noise)
    if own(kind) or not noise.parameters:
        return kind
    law = {name: to_float(number(name, one), up=True) for name, one in noise.parameters.items()}
    draw: Callable[..., Array] = kind.sample
    drawing = staticmethod(partial(draw, **law))
    return type(kind.__name__, (kind,), {"__slots__": (), "sample": drawing})


@draws_of.register
def _(mechanism: AdditiveNoise, sensitivity: Fraction, *_: object) -> Iterator[DrawnPair]:
    """One number that moves by all of the sensitivity; on a grid, in doubles, and in a matrix."""
    kind, size = law_of(mechanism), number(mechanism.noise, mechanism.formula)
    move = float(sensitivity)
    moved = f"one number that is {move:g} larger"
    doubles = partial(_in_doubles, kind, to_float(size, up=True))
    among = move / (VECTOR**0.5 if str(kind.norm) == "L2" else VECTOR)
    if not own(type(mechanism)) and not (kind.integer and among < 1):
        each = float(int(among)) if kind.integer else among
        claim = claim_of(mechanism.guarantee_among(exact(sensitivity), exact(VECTOR)))
        what, larger = f"a vector of {VECTOR} numbers", f"numbers that are each {each:g} larger"
        vector = partial(doubles, np.full(VECTOR, each))
        if not kind.joint:
            vector = partial(_moved_alike, kind, to_float(size, up=True), each)
        yield DrawnPair(what, larger, vector, doubles=not kind.integer, claim=claim)
    if kind.exact:
        what = "whole numbers" if kind.integer else "noise in steps of a grid"
        yield DrawnPair(what, moved, partial(_on_grid, kind, size, sensitivity))
    elif kind.integer:
        yield DrawnPair("whole numbers", moved, partial(doubles, np.array([move])))
    if kind.integer:
        return
    yield DrawnPair("noise in doubles", moved, partial(doubles, np.array([move])), doubles=True)
    if kind.joint:
        first = np.array([move] + [0.0] * (VECTOR - 1))
        what = f"a vector of {VECTOR} numbers"
        yield DrawnPair(what, moved, partial(doubles, first), doubles=True)
    entry = move / (2**0.5 if str(kind.norm) == "L2" else 1.0)  # L1 counts the upper triangle
    matrix = partial(doubles, np.array([[0.0, entry], [entry, 0.0]]))
    off = f"entries off the diagonal that are larger, by {move:g} in all"
    yield DrawnPair("a symmetric matrix", off, matrix, doubles=True)


def _on_grid(
    kind: type[AdditiveNoise], size: Fraction, moved: Fraction, n: int, randomness: Randomness
) -> Scores:
    step = Fraction(1) if kind.integer else moved / FINE
    first, second = (kind.on_grid(size / step, n, randomness.bits)[:, None] for _ in range(2))
    shift = np.array([float(moved / step)])
    return _scores(kind, to_float(size / step, up=True), shift, first + shift[0], second)


def _in_doubles(
    kind: type[AdditiveNoise], scale: float, shift: Array, n: int, randomness: Randomness
) -> Scores:
    """A move by `shift`, of a vector or of a symmetric matrix."""
    first, second = (sampled(kind, scale, n, shift.shape, randomness.generator) for _ in range(2))
    return _scores(kind, scale, shift, first + shift, second)


def _moved_alike(
    kind: type[AdditiveNoise], size: float, each: float, n: int, randomness: Randomness
) -> Scores:
    """VECTOR independent numbers, each of which moves by `each`."""
    rng = randomness.generator
    first, second = (sampled(kind, size, n, (VECTOR,), rng) for _ in range(2))
    return learned_scores(first + each, second, alike=True)


def sampled(
    kind: type[AdditiveNoise],
    size: float,
    n: int,
    shape: tuple[int, ...],
    rng: np.random.Generator,
) -> Array:
    """n draws of the mechanism's own sampler, (n, *shape), of matrices symmetric ones; one call
    each where numbers depend on each other, as in an execution.
    """
    symmetric = len(shape) == 2
    if not kind.joint or symmetric:  # each symmetric matrix is a draw
        return kind.sample(size, (n, *shape), rng, symmetric=symmetric)
    return np.stack([kind.sample(size, shape, rng, symmetric=False) for _ in range(n)])


def _scores(
    kind: type[AdditiveNoise], scale: float, shift: Array, first: Array, second: Array
) -> Scores:
    """By the stated densities around the shift and around 0."""
    density = partial(log_density, kind, scale, symmetric=shift.ndim == 2)
    return density_scores(first, second, (lambda at: density(at - shift), density))


@draws_of.register
def _(mechanism: CorrelatedGaussian, sensitivity: Fraction, *_: object) -> Iterator[DrawnPair]:
    rows = np.array([[float(entry) for entry in row] for row in mechanism.covariance])
    shift = float(sensitivity) * np.linalg.eigh(rows)[1][:, 0]

    def scores(n: int, randomness: Randomness) -> Scores:
        first, second = (mechanism.sample((n,), randomness.generator) for _ in range(2))
        towards = np.linalg.solve(rows, shift)
        return np.array([(first + shift) @ towards, second @ towards])

    moved = "a move along the direction of least noise"
    yield DrawnPair("noise in doubles", moved, scores, doubles=True)


@draws_of.register
def _(mechanism: RandomizedResponse, sensitivity: Fraction, *_: object) -> Iterator[DrawnPair]:
    changed = int(sensitivity)

    def scores(n: int, randomness: Randomness) -> Scores:
        drawn = (mechanism.sample(np.full((n, changed), one), randomness.bits) for one in (0, 1))
        return np.array([(1.0 * (a == 0) - (a == 1)).sum(axis=1) for a in drawn])

    values = "the value 0 against 1" if changed == 1 else f"{changed} values 0 against 1"
    yield DrawnPair("answers", values, scores)


@draws_of.register
def _(mechanism: SelectionNoise, sensitivity: Fraction, *_: object) -> Iterator[DrawnPair]:
    """Two of three equal scores rise, which no selection hides better than its claim."""
    pair, scale = SCORES * float(sensitivity), number("scale", mechanism.scale)

    def scores(n: int, randomness: Randomness) -> Scores:
        drawn = (mechanism.chosen(np.tile(row, (n, 1)), scale, randomness.bits) for row in pair)
        return learned_scores(*(one.astype(float) for one in drawn))

    rows = " against ".join(str([round(one, 6) for one in row]) for row in pair.tolist())
    yield DrawnPair("the index", f"scores {rows}", scores)


@draws_of.register(PoissonSubsampled)
@draws_of.register(SubsampledWithoutReplacement)
def _(mechanism: Any, sensitivity: Fraction, relation: Relation) -> Iterator[DrawnPair]:
    """A Poisson sample of a table of one row, against the empty one: n inclusion indicators are n
    samples of it. Without replacement the first row of the table is replaced.
    """
    poisson, base = isinstance(mechanism, PoissonSubsampled), mechanism.mechanism
    if poisson and relation is not ADD_REMOVE:
        raise InvalidArgument("relation", "add/remove for a Poisson sample", relation)
    if not isinstance(base, AdditiveNoise):
        raise _unknown("additive noise on a sample", base)
    kind, size = type(base), to_float(number(base.noise, base.formula), up=True)
    shape = (1,) if kind.joint else ()

    def included(n: int, randomness: Randomness) -> Array:
        if poisson:
            return np.isin(np.arange(n), mechanism.rows(n, randomness.bits))
        samples = (mechanism.rows(mechanism.of, randomness.bits) for _ in range(n))
        return np.array([rows[0] == 0 for rows in samples])

    def scores(n: int, randomness: Randomness) -> Scores:
        first, second = (
            sampled(kind, size, n, shape, randomness.generator).reshape(n) for _ in range(2)
        )
        return np.array([first + float(sensitivity) * included(n, randomness), second])

    yield DrawnPair("fresh samples of the rows", "one row, which a sample may lack", scores)


def sensitivity_of(value: object) -> Fraction:
    """A sensitivity as an exact number above 0. Raises InvalidArgument."""
    size = number("sensitivity", exact(value, "sensitivity"))
    if size <= 0:
        raise InvalidArgument("sensitivity", "above 0", size)
    return size
