"""Laws of small support, derived anew in ball arithmetic, and what a claim says of them.

Nothing here reads a mechanism's own probabilities or its privacy loss: each law follows from the
definition of the mechanism, so that an error in one of them is seen by the other.
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
from flint import arb

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
from dpframe.numerics import ball, working
from dpframe.privacy import number
from dpframe.symbols import Call

PRECISION = 160
LEVELS = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2))  # of a base, in ranges
CANDIDATES = (2, 3)
WIDE = (4, 10, 30)  # candidates of which one moves against all others
ORDERS = (2, 3, 5, 8, 16, 64)  # at which zCDP is asked about
WINDOW = 40  # scales of noise on the integers that are enumerated
"""a law is a tuple of balls, one for each outcome; what is left out is one more ball"""
Law = tuple[Any, ...]


@attrs.frozen(eq=False)
class Enumerated:
    """Two laws on the same outcomes, and the inputs that they are the laws of."""

    pair: str
    first: Law
    second: Law
    left_out: Any = 0
    """at most this much of either law is on outcomes that are not listed"""


@singledispatch
def enumerated(mechanism: object, sensitivity: Fraction) -> Iterator[Enumerated]:
    """The laws on every pair of neighbouring inputs of a small grid; nothing for a mechanism whose
    support is not small.
    """
    del mechanism, sensitivity
    yield from ()


@enumerated.register
def _(mechanism: RandomizedResponse, sensitivity: Fraction) -> Iterator[Enumerated]:
    """The truth has weight e^epsilon, every other category weight 1."""
    if mechanism.categories > 64 or sensitivity != 1:
        return
    epsilon = mechanism.epsilon
    odds = epsilon.parts[0].value if isinstance(epsilon, Call) else None  # type: ignore[attr-defined]
    weight = ball(odds) if odds is not None else ball(number("epsilon", epsilon)).exp()
    whole = weight + mechanism.categories - 1
    laws = [
        tuple(
            (weight if answer == truth else ball(1)) / whole
            for answer in range(mechanism.categories)
        )
        for truth in range(2)
    ]
    yield Enumerated("the value 0 against the value 1", laws[0], laws[1])


@enumerated.register
def _(mechanism: SelectionNoise, sensitivity: Fraction) -> Iterator[Enumerated]:
    """Every pair of score vectors on a small grid, whose moves have this range."""
    scale, law = number("scale", mechanism.scale), LAWS.get(type(mechanism))
    if law is None:
        return
    for pair in neighbours():
        first, second = (law([one * sensitivity / scale for one in row]) for row in pair)
        listed = " against ".join(f"[{', '.join(map(str, row))}]" for row in pair)
        yield Enumerated(f"scores {listed}, in ranges of the move", first, second)


@enumerated.register
def _(mechanism: DiscreteLaplace, sensitivity: Fraction) -> Iterator[Enumerated]:
    """Weights e^(-|x|/scale), normalised by their geometric series."""
    scale = number("scale", mechanism.scale)
    a = (-1 / ball(scale)).exp()
    norm = (1 - a) / (1 + a)
    shift, end = int(sensitivity), _window(scale, sensitivity)
    yield from _shifted(lambda x: norm * (-ball(abs(x)) / ball(scale)).exp(), shift, end)


@enumerated.register
def _(mechanism: DiscreteGaussian, sensitivity: Fraction) -> Iterator[Enumerated]:
    """Weights e^(-x^2/(2 std^2)), normalised by their sum, whose tail is a geometric series."""
    std = number("std", mechanism.std)
    shift, end = int(sensitivity), _window(std, sensitivity)
    if end > 20_000:
        return

    def weight(x: int) -> Any:
        return (-ball(Fraction(x * x) / (2 * std * std))).exp()

    last = end + shift
    total = sum((2 * weight(x) for x in range(1, last + 1)), ball(1))
    ratio = weight(last + 1) / weight(last)
    tail = 2 * weight(last + 1) / (1 - ratio)
    whole = total + _between(tail)
    yield from _shifted(lambda x: weight(x) / whole, shift, end)


def _between(most: Any) -> Any:
    """A ball that has everything from 0 to `most`."""
    return (most / 2).union(ball(0)).union(most)


def _window(size: Fraction, sensitivity: Fraction) -> int:
    return math.ceil(WINDOW * max(size, Fraction(1))) + int(sensitivity)


def _shifted(weight: Callable[[int], Any], shift: int, end: int) -> Iterator[Enumerated]:
    """The law and the same law moved by `shift`, on a window; the rest is one outcome."""
    places = range(-end, end + 1)
    known = {x: weight(x) for x in range(-end - shift, end + 1)}
    first, second = [known[x - shift] for x in places], [known[x] for x in places]
    left = [1 - sum(law, ball(0)) for law in (first, second)]
    yield Enumerated(f"0 against {shift}", tuple(first), tuple(second), left[0].union(left[1]))


def neighbours() -> Iterator[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """Score vectors whose moves have range 1: some scores rise by 1, and the others stay. Other
    moves by -1/2 and 1/2 have the same laws, which no common shift changes.
    """
    for m in CANDIDATES:
        for base in itertools.product(LEVELS, repeat=m):
            for move in itertools.product((0, 1), repeat=m):
                if not min(base) and min(move) < max(move):
                    yield base, tuple(a + b for a, b in zip(base, move, strict=True))
    for m in WIDE:
        for gap in LEVELS:
            base = (gap, *(Fraction(0),) * (m - 1))
            yield base, (gap + 1, *base[1:])
            yield base, (gap - 1, *base[1:])


def _weights(scores: Sequence[Fraction]) -> Law:
    """e^score over the sum of all."""
    weights = [ball(score - max(scores)).exp() for score in scores]
    whole = sum(weights, ball(0))
    return tuple(weight / whole for weight in weights)


def _flips(scores: Sequence[Fraction]) -> Law:
    """By who else shows heads: any one of those is as likely to be the first. A polynomial in the
    number of heads among the others, each coin (1 - a) + a t.
    """
    coins = [ball(score - max(scores)).exp() for score in scores]
    law = []
    for i, own in enumerate(coins):
        heads = [ball(1)]
        for coin in coins[:i] + coins[i + 1 :]:
            longer = [ball(0), *heads]
            heads = [
                coin * longer[k] + (1 - coin) * (heads[k] if k < len(heads) else 0)
                for k in range(len(longer))
            ]
        law.append(own * sum((one / (k + 1) for k, one in enumerate(heads)), ball(0)))
    return tuple(law)


def _noisy_max(scores: Sequence[Fraction]) -> Law:
    """The integral, over the height z of the winner, of its density e^(score_i - z) and of the
    others' distributions 1 - e^(score_j - z), which are 0 below the best score: with
    t = e^(best - z) a polynomial on [0, 1].
    """
    best = max(scores)
    weights = [ball(score - best).exp() for score in scores]
    law = []
    for i, own in enumerate(weights):
        product = [ball(1)]
        for weight in weights[:i] + weights[i + 1 :]:
            product = [
                (product[k] if k < len(product) else ball(0))
                - (weight * product[k - 1] if k else ball(0))
                for k in range(len(product) + 1)
            ]
        law.append(own * sum((one / (k + 1) for k, one in enumerate(product)), ball(0)))
    return tuple(law)


def _laplace_max(scores: Sequence[Fraction]) -> Law:
    """The integral of the winner's density and the others' distributions, between any two scores:
    sums of powers of e^x. A distribution is e^(x - score)/2 below its score, and
    1 - e^(score - x)/2 above.
    """
    cuts = sorted(set(scores))
    ends = [arb.neg_inf(), *map(ball, cuts), arb.pos_inf()]
    found = dict.fromkeys(cuts, ball(0))
    for i, (low, high) in enumerate(itertools.pairwise(ends)):
        side = {one: -1 if one in cuts[:i] else 1 for one in cuts}
        half = {one: ball(-sign * one).exp() / 2 for one, sign in side.items()}
        for own in cuts:
            terms = {side[own]: half[own]}
            for one, many in Counter(scores).items():
                for _ in range(many - (one == own)):
                    terms = _times(terms, side[one], half[one])
            found[own] += sum(one * _power(k, low, high) for k, one in terms.items())
    return tuple(found[score] for score in scores)


def _times(terms: Mapping[int, Any], sign: int, half: Any) -> dict[int, Any]:
    """Terms of powers of e^x, times `half` e^x, or times 1 - `half` e^-x where the sign is -1."""
    product: dict[int, Any] = dict(terms) if sign < 0 else {}
    for power, factor in terms.items():
        product[power + sign] = product.get(power + sign, 0) + sign * half * factor
    return product


def _power(k: int, low: Any, high: Any) -> Any:
    """The integral of e^(k x)."""
    return ((k * high).exp() - (k * low).exp()) / k if k else high - low


LAWS: Mapping[type[SelectionNoise], Callable[[Sequence[Fraction]], Law]] = {
    ExponentialSelection: _weights,
    GumbelSelection: _weights,
    PermuteAndFlipSelection: _flips,
    ExponentialNoiseSelection: _noisy_max,
    LaplaceSelection: _laplace_max,
}
"""The probability of each candidate, for scores in units of the scale."""


def worst_scores(mechanism: SelectionNoise, sensitivity: Fraction) -> list[list[float]]:
    """The neighbouring scores that draws tell apart best beyond the guarantee: where the ratio of
    some candidate's chances comes close to e^epsilon, and the candidate is not rare. A selection
    whose law is not listed gets those of the exponential mechanism.
    """
    epsilon = sensitivity / number("scale", mechanism.scale)
    law = LAWS.get(type(mechanism), _weights)

    def gain(pair: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]) -> float:
        laws = [[float(one.mid()) for one in law([s * epsilon for s in row])] for row in pair]
        both = (*zip(*laws, strict=True), *zip(*laws[::-1], strict=True))
        return max(_visible(p, q, float(epsilon)) for p, q in both)

    with working(PRECISION):
        worst = max(neighbours(), key=gain)
    return [[float(s * sensitivity) for s in row] for row in worst]


def _visible(p: float, q: float, epsilon: float) -> float:
    """In standard errors of one draw, p against e^(4 epsilon/3) q: noise a little too small."""
    if not 0 < q < p < 1:
        return -math.inf
    ratio = math.log(p / q) / epsilon
    return (ratio - 0.8) / math.sqrt((1 - p) / p + (1 - q) / q)


def divergence(laws: Enumerated, epsilon: Any) -> Any:
    """A ball below sup over events of P - e^epsilon Q, in either direction: what is left out adds
    nothing.
    """
    most = ball(0)
    for first, second in ((laws.first, laws.second), (laws.second, laws.first)):
        factor = ball(epsilon).exp()
        gains = [p - factor * q for p, q in zip(first, second, strict=True)]
        total = sum((gain for gain in gains if gain > 0), ball(0))
        most = max(most, total)
    return most


def renyi(laws: Enumerated, order: int) -> Any:
    """A ball below the Renyi divergence of this order, in the worse direction."""
    found = []
    for first, second in ((laws.first, laws.second), (laws.second, laws.first)):
        moment = sum(
            (p**order / q ** (order - 1) for p, q in zip(first, second, strict=True)), ball(0)
        )
        found.append(moment.log() / (order - 1))
    return max(*found)
