"""Laws of mechanisms of small support, in ball arithmetic, on every pair of neighbours of a grid.

Nothing here reads a mechanism's own probabilities or its privacy loss: each law follows from the
definition of the mechanism, so that an error in either shows in the other.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

import attrs
from flint import arb, arb_poly

from dpframe.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialNoiseSelection,
    ExponentialSelection,
    GumbelSelection,
    LaplaceSelection,
    PermuteAndFlipSelection,
    RandomizedResponse,
    SelectionNoise,
)
from dpframe.numerics import ball
from dpframe.privacy import number
from dpframe.symbols import Call

PRECISION = 160
LEVELS = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2))  # of a base, in ranges
CANDIDATES = (2, 3)
WIDE = (4, 10, 30)  # candidates of which one moves against all others
ORDERS = (2, 3, 5, 8, 16, 64)  # of the Renyi divergences that are compared with zCDP
ONE = arb_poly([1])
WINDOW = 40  # scales of noise on the integers that are enumerated
Law = tuple[Any, ...]
"""A ball for each outcome."""
ScorePair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@attrs.frozen(eq=False)
class LawPair:
    """Two laws on the same outcomes, and their inputs in words. At most `left_out` of either is on
    outcomes that are not listed.
    """

    inputs: str
    first: Law
    second: Law
    left_out: Any = 0

    def both_ways(self) -> Iterator[list[tuple[Any, Any]]]:
        """Pairs of probabilities, in either direction."""
        for one, other in ((self.first, self.second), (self.second, self.first)):
            yield list(zip(one, other, strict=True))


@singledispatch
def enumerated(mechanism: object, sensitivity: Fraction) -> Iterator[LawPair]:
    """The laws on every pair of neighbouring inputs of a small grid; none for a mechanism whose
    support is not small.
    """
    del mechanism, sensitivity
    yield from ()


@enumerated.register
def _(mechanism: RandomizedResponse, sensitivity: Fraction) -> Iterator[LawPair]:
    """The truth has weight e^epsilon, every other category weight 1."""
    if mechanism.categories > 64 or sensitivity != 1:
        return
    epsilon, m = mechanism.epsilon, mechanism.categories
    odds = epsilon.parts[0].value if isinstance(epsilon, Call) else None  # type: ignore[attr-defined]
    weight = ball(odds) if odds is not None else ball(number("epsilon", epsilon)).exp()
    likely, other = weight / (weight + m - 1), ball(1) / (weight + m - 1)
    laws = (tuple(likely if one == truth else other for one in range(m)) for truth in range(2))
    yield LawPair("the value 0 against the value 1", *laws)


@enumerated.register
def _(mechanism: SelectionNoise, sensitivity: Fraction) -> Iterator[LawPair]:
    """Every pair of score vectors on a small grid, whose moves have this range."""
    scale, law = number("scale", mechanism.scale), LAWS.get(type(mechanism))
    for pair in neighbours() if law is not None else ():
        laws = (law([one * sensitivity / scale for one in row]) for row in pair)  # type: ignore[misc]
        scores = " against ".join(f"[{', '.join(map(str, row))}]" for row in pair)
        yield LawPair(f"scores {scores}, in ranges of the move", *laws)


@enumerated.register
def _(mechanism: DiscreteLaplace, sensitivity: Fraction) -> Iterator[LawPair]:
    """Weights e^(-|x|/scale), normalised by their geometric series."""
    scale = number("scale", mechanism.scale)
    a = (-1 / ball(scale)).exp()
    norm = (1 - a) / (1 + a)
    shift, end = int(sensitivity), _window(scale, sensitivity)
    yield _shifted(lambda x: norm * (-ball(abs(x)) / ball(scale)).exp(), shift, end)


@enumerated.register
def _(mechanism: DiscreteGaussian, sensitivity: Fraction) -> Iterator[LawPair]:
    """Weights e^(-x^2/(2 std^2)), normalised by their sum, whose tail is below a geometric
    series.
    """
    std = number("std", mechanism.std)
    shift, end = int(sensitivity), _window(std, sensitivity)
    if end > 20_000:
        return

    def weight(x: int) -> Any:
        return (-ball(Fraction(x * x) / (2 * std * std))).exp()

    last = end + shift
    total = sum((2 * weight(x) for x in range(1, last + 1)), ball(1))
    tail = 2 * weight(last + 1) / (1 - weight(last + 1) / weight(last))
    whole = total + (tail / 2).union(ball(0)).union(tail)
    yield _shifted(lambda x: weight(x) / whole, shift, end)


def _window(size: Fraction, sensitivity: Fraction) -> int:
    return math.ceil(WINDOW * max(size, Fraction(1))) + int(sensitivity)


def _shifted(weight: Callable[[int], Any], shift: int, end: int) -> LawPair:
    """A law and the same law moved by `shift`, on a window; the rest is one outcome."""
    weights = {x: weight(x) for x in range(-end - shift, end + 1)}
    first, second = (tuple(weights[x - move] for x in range(-end, end + 1)) for move in (shift, 0))
    rest = [1 - sum(law, ball(0)) for law in (first, second)]
    return LawPair(f"0 against {shift}", first, second, rest[0].union(rest[1]))


def neighbours() -> Iterator[ScorePair]:
    """Score vectors whose moves have range 1: some scores rise by 1, the others stay constant.
    Moves by -1/2 and 1/2 have the same laws, which no common shift changes.
    """
    for m in CANDIDATES:
        for base in itertools.product(LEVELS, repeat=m):
            for move in itertools.product((0, 1), repeat=m):
                if not min(base) and min(move) < max(move):
                    yield base, tuple(a + b for a, b in zip(base, move, strict=True))
    for m in WIDE:
        for gap in LEVELS:
            zeros = (Fraction(0),) * (m - 1)
            yield from (((gap, *zeros), (gap + move, *zeros)) for move in (1, -1))


def _weights(scores: Sequence[Fraction]) -> list[Any]:
    """e^score, the largest 1."""
    return [ball(score - max(scores)).exp() for score in scores]


def _softmax(scores: Sequence[Fraction]) -> Law:
    weights = _weights(scores)
    whole = sum(weights, ball(0))
    return tuple(weight / whole for weight in weights)


def _permute_and_flip(scores: Sequence[Fraction]) -> Law:
    """A candidate whose coin shows heads is the first of those with heads, k of the others, with
    probability 1/(k + 1): the integral of t^k. Each other coin is (1 - a) + a t.
    """
    return _integrals(_weights(scores), lambda a: [1 - a, a])


def _noisy_max(scores: Sequence[Fraction]) -> Law:
    """The integral, over the height z of the winner, of its density e^(score_i - z) and of the
    others' distributions 1 - e^(score_j - z), which are 0 below the best score: with
    t = e^(best - z) a polynomial on [0, 1].
    """
    return _integrals(_weights(scores), lambda a: [1, -a])


def _integrals(weights: list[Any], factor: Callable[[Any], list[Any]]) -> Law:
    """Each weight times the integral over t in [0, 1] of the product, over the others, of c + s t
    for [c, s] = factor(weight).
    """
    factors = [arb_poly(factor(one)) for one in weights]
    others = (math.prod(factors[:i] + factors[i + 1 :], start=ONE) for i in range(len(weights)))
    return tuple(own * one.integral()(1) for own, one in zip(weights, others, strict=True))


def _laplace_max(scores: Sequence[Fraction]) -> Law:
    """The integral of the winner's density and the others' distributions, between any two scores:
    sums of powers of e^x. A distribution is e^(x - score)/2 below its score, and
    1 - e^(score - x)/2 above.
    """
    cuts = sorted(set(scores))
    ends = [arb.neg_inf(), *map(ball, cuts), arb.pos_inf()]
    chances = dict.fromkeys(cuts, ball(0))
    for i, (low, high) in enumerate(itertools.pairwise(ends)):
        half = {one: ball(one if one in cuts[:i] else -one).exp() / 2 for one in cuts}
        for own in cuts:
            others = Counter(scores) - Counter([own])
            above = [one for one in others.elements() if one in cuts[:i]]
            below = [one for one in others.elements() if one not in cuts[:i]]
            powers = [ONE * half[own]]
            powers += [arb_poly([-half[one], 1]) for one in above]  # times e^-x
            powers += [arb_poly([0, half[one]]) for one in below]
            least = (-1 if own in cuts[:i] else 1) - len(above)
            chances[own] += sum(
                one * (((k * high).exp() - (k * low).exp()) / k if k else high - low)
                for k, one in enumerate(math.prod(powers, start=ONE).coeffs(), least)
                if one != 0
            )
    return tuple(chances[score] for score in scores)


LAWS: Mapping[type[SelectionNoise], Callable[[Sequence[Fraction]], Law]] = {
    ExponentialSelection: _softmax,
    GumbelSelection: _softmax,
    PermuteAndFlipSelection: _permute_and_flip,
    ExponentialNoiseSelection: _noisy_max,
    LaplaceSelection: _laplace_max,
}
"""The probability of each candidate, for scores in units of the scale."""


def divergence(laws: LawPair, epsilon: Any) -> Any:
    """A ball below sup over events of P - e^epsilon Q, in the worse direction; outcomes that are
    left out add nothing.
    """
    factor = ball(epsilon).exp()
    gains = ([p - factor * q for p, q in pairs] for pairs in laws.both_ways())
    return max(sum((gain for gain in some if gain > 0), ball(0)) for some in gains)


def renyi(laws: LawPair, order: int) -> Any:
    """A ball below the Renyi divergence of this order, in the worse direction."""
    moments = (
        sum((p**order / q ** (order - 1) for p, q in pairs), ball(0)) for pairs in laws.both_ways()
    )
    return max(moment.log() / (order - 1) for moment in moments)
