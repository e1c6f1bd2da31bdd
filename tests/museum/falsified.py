"""Bugs that a counterexample shows, each with its correction: stated facts, probabilities, sums."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from math import inf, nextafter
from typing import ClassVar

import attrs
import numpy as np

import dpframe as dp
from dpframe.graph import RowsNode
from dpframe.graph.maps.base import RowMap
from tests.museum.gates import (
    CHANCES,
    FACTS,
    LAW,
    SUMS,
    certified,
    drawn,
    enumerated,
    stated,
    sums_up,
    together,
)
from tests.museum.museum import Exhibit, Finding
from tests.museum.own import Stated, added_in_pairs
from tests.randomness.fits import discrete_laplace

HALF = Fraction(1, 2)
ADD, REPLACE = dp.ADD_REMOVE, dp.REPLACE_ONE


def table(relation, bound=1, norm=1, **more):
    """Rows of this norm and labels up to this bound."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation, **more)


# ------------------------------------------------- 4: a sampler of noise, with division as in dashu
SCALE = Fraction(3)


def wrongly(x: Fraction, k: int) -> Fraction:
    """x/k with the denominator divided where the divisor should be: (2/3)/4 becomes 1/4."""
    shared = math.gcd(x.numerator, k)
    return Fraction(x.numerator // shared, x.denominator // shared * k)


def coin(rng, p: Fraction) -> bool:
    """True with probability p, from whole numbers."""
    return rng.randrange(p.denominator) < p.numerator


def exponential_coin(rng, x: Fraction, divide) -> bool:
    """True with probability e^-x, 0 <= x <= 1: the first k whose coin of x/k fails is odd."""
    k = 1
    while coin(rng, divide(x, k)):
        k += 1
    return k % 2 == 1


def laplace(rng, scale: Fraction, divide) -> int:
    """A discrete Laplace draw: a remainder kept by e^-(u/t), steps of t, a sign, and -0 anew."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = rng.randrange(t)
        if not exponential_coin(rng, Fraction(u, t), divide):
            continue
        steps = 0
        while exponential_coin(rng, Fraction(1), divide):
            steps += 1
        size, negative = (u + t * steps) // s, rng.random() < 0.5
        if size or not negative:
            return -size if negative else size


def sampler(divide):
    """The sampler of the system, with this division."""
    rng = random.Random(4)
    return drawn(lambda n: [laplace(rng, SCALE, divide) for _ in range(n)], SCALE, discrete_laplace)


# ------------------------------------------- 5: randomised response on vectors of at most one bit
LENGTH, FLIP = 4, Fraction(1, 4)
ONE_SET = [v for v in itertools.product((0, 1), repeat=LENGTH) if sum(v) <= 1]
TWO_BITS = dp.mechanisms.RandomizedResponse(dp.log(3)).guarantee(dp.constant(2))  # 2 log 3


def flipped(vector, *, protected):
    """The first `protected` bits are flipped with probability 1/4 each, the others are told."""
    flips = [FLIP if i < protected else Fraction(0) for i in range(LENGTH)]
    laws = [{bit: 1 - flip, 1 - bit: flip} for bit, flip in zip(vector, flips, strict=True)]
    return together(*laws)


def bits(protected):
    """All outcomes, for all pairs: any vector of at most one bit becomes any other."""
    pairs = list(itertools.combinations(ONE_SET, 2))
    return enumerated(partial(flipped, protected=protected), pairs, TWO_BITS)


# ------------------------------------------------------------------------- 6: permute and flip
RANGE = dp.constant(2)  # each score moves by at most 1
FLIPPED, WEIGHED = (
    kind(scale=1 / dp.log(2))  # the coin of a score 1 below the best has the chance 1/2
    for kind in (dp.mechanisms.PermuteAndFlipSelection, dp.mechanisms.ExponentialSelection)
)
BOUNDED_RANGE = WEIGHED.given_in(dp.ZeroConcentratedDP, RANGE)  # epsilon^2/8
IMPLIED = dp.ZeroConcentratedDP(FLIPPED.guarantee(RANGE).epsilon ** 2 / 2)
SCORES = [
    (scores, tuple(a + b for a, b in zip(scores, move, strict=True)))
    for m in (2, 3)
    for scores in itertools.product((0, 1, 2), repeat=m)
    for move in itertools.product((-1, 0, 1), repeat=m)
]


def permuted_and_flipped(scores):
    """Candidates in every order, each taken if its coin shows heads: the best one's always does."""
    coins = [HALF ** (max(scores) - score) for score in scores]
    orders = list(itertools.permutations(range(len(scores))))
    chances = dict.fromkeys(range(len(scores)), Fraction(0))
    for order in orders:
        waiting = Fraction(1, len(orders))
        for candidate in order:
            chances[candidate] += waiting * coins[candidate]
            waiting *= 1 - coins[candidate]
    return chances


# ------------------------------------------------------------- 7, 24: sums in doubles move further
LOW, FAR = 2**50, 2**52
RAW, UNIT = table(REPLACE, LOW + 1), table(REPLACE, LOW + 1, grid=20)


class Deviations(Stated):
    """sum (y - mean(y))^2 in doubles, of labels in [2^50, 2^50 + 1]."""

    kind = "sum_of_squared_deviations"

    def states(self):
        """(upper - lower)^2, and what is allowed for rounding the sum: 40.6 for 1024 records."""
        return 1 + dp.constant("39.6") / 1024 * self.rows.rows

    def whole(self, X, y):
        mean = added_in_pairs(y) / max(1, len(y))
        return added_in_pairs((y - mean) ** 2)


@attrs.frozen(cache_hash=True)
class WholeDeviations(Stated):
    """n sum (y - mean(y))^2 = n sum y^2 - (sum y)^2 in whole steps of a grid."""

    kind = "whole_deviations"
    step = property(lambda self: self.column.step**2)

    def states(self):
        """n - 1 times the squared length of the interval of labels, which is 1."""
        return self.rows.rows - 1

    def compute(self, values, number):
        steps = np.asarray(values[self.column]) / number(self.column.step)
        whole = [int(step) for step in np.rint(steps)]
        return np.array(len(whole) * sum(k * k for k in whole) - sum(whole) ** 2, dtype=object)


class FloatSum(Stated):
    """The sum of labels in [2^52, 2^52 + 1], in doubles."""

    kind = "float_sum"

    def states(self):
        """upper - lower: one record is replaced."""
        return 1

    def whole(self, X, y):
        return added_in_pairs(y)


def centred(y, low):
    """Labels less the public middle of [low, low + 1]."""
    return y.scaled(1, low + dp.constant("0.5")).clip("-1/2", "1/2")


# ------------------------------------------------------------------- 11: pairs of rows, 12: a ball
LEAST, MOST = -1, 4
LINES = {  # so many points on one line, so many off it: one comes, or one moves off
    ADD: [((line, 0), (line, 1)) for line in (2, 3, 4, 5)],
    REPLACE: [((line, 0), (line - 1, 1)) for line in (2, 3, 4, 5)],
}


@attrs.frozen(cache_hash=True)
class Predictions(Stated):
    """How many pairs of rows predict a label below 0 at x = 0, and how many another: shape (2,)."""

    kind = "pairwise_predictions"
    shape = property(lambda self: (dp.constant(2),))
    moves: int = 1

    def states(self):
        """One row changes so many predictions, says its author."""
        return self.moves

    def whole(self, X, y):
        """Rows in pairs as they come; a last one without a partner is left out."""
        even = len(y) // 2 * 2
        x, u = X[:even:2, 0], X[1:even:2, 0]
        v, w = y[:even:2], y[1:even:2]
        below = v * u < w * x if even else np.zeros(0)  # of positive u - x: where the line is
        return [np.sum(below), np.sum(~below.astype(bool))]


@cache
def shuffled(points):
    """The chances of both noisy counts, after a secret shuffle: points on one line predict alike in
    pairs, pairs with another one something else. The noise is discrete Laplace of scale 1/log 2,
    cut to [-1, 4].
    """
    line, off = points
    orders = list(itertools.permutations([0] * line + [1] * off))
    counts = Counter(tuple(map(predicted(order).count, (0, 1))) for order in orders)
    law = Counter()
    for (alike, other), times in counts.items():
        for outcome, chance in together(noisy(alike), noisy(other)).items():
            law[outcome] += Fraction(times, len(orders)) * chance
    return law


def predicted(order):
    """What each pair predicts."""
    return [max(pair) for pair in zip(order[::2], order[1::2], strict=False)]


def noisy(count):
    """Chances proportional to 2^-|x - count|, and what is beyond the ends at the ends."""
    inside = {x: HALF ** abs(x - count) / 3 for x in range(LEAST + 1, MOST)}
    ends = {x: 2 * HALF ** abs(x - count) / 3 for x in (LEAST, MOST)}
    return inside | ends


def paired(relation, moves):
    """The stated fact, of rows paired as they come, and the whole mechanism with its shuffle."""
    fact = stated(lambda X, y: Predictions(X, y, moves), setting=table(relation))
    whole = enumerated(shuffled, LINES[relation], dp.PureDP(moves * dp.log(2)))
    return Finding(fact.stopped and whole.stopped, f"{fact.says}\nand, shuffled: {whole.says}")


CENTRE = 10.0
AROUND = table(REPLACE, norm=11, grid=None)


@attrs.frozen(cache_hash=True)
class Around(RowMap):
    """Rows put into the ball of radius 1 around (10, 0), or less that point where `centred`."""

    kind: ClassVar[str] = "around"
    label: ClassVar[str] = "clip around (10, 0)"
    source: RowsNode
    centred: bool

    @property
    def norm(self):
        """1, says its author."""
        return dp.constant(1)

    def record(self):
        return {"centred": self.centred}

    def apply(self, block, number):
        centre = np.eye(block.shape[1])[0] * CENTRE
        off = block - centre
        length = np.linalg.norm(off, axis=1, keepdims=True)
        inside = off / np.maximum(1.0, length)
        return inside if self.centred else inside + centre


def around(*, centred):
    """dpframe's own X'X of rows whose map states its norm."""
    make = lambda X, _: (lambda rows: rows.T @ rows)(Around(X, centred))  # noqa: E731, PLC3002
    return stated(make, setting=AROUND, columns=2)


# ------------------------------------------------------------ 13: costs in doubles, 16: eigenvalues
def in_doubles(costs):
    """A ledger of doubles, each cost and each sum rounded up so that it is on the safe side."""
    total = 0.0
    for cost in costs:
        nearest = float(cost)
        up = nearest if Fraction(nearest) >= cost else nextafter(nearest, inf)
        exact = Fraction(total) + Fraction(up)
        total = float(exact) if Fraction(float(exact)) >= exact else nextafter(float(exact), inf)
    return total <= 1.0


def exactly(costs):
    """dpframe, for a budget of 1 and for a budget epsilon, whatever it is."""

    def counts(X, _, budget):
        shares = budget.split(*costs)
        return tuple(dp.release(dp.count(X), dp.Laplace.pure, share) for share in shares)

    targets = dp.PureDP(1), dp.PureDP(dp.EPSILON)
    verdicts = {certified(counts, target=one, setting=table(ADD)).stopped for one in targets}
    assert len(verdicts) == 1
    return not verdicts.pop()


class SmallestPositive(Stated):
    """The smallest eigenvalue of X'X that is above 0."""

    kind = "smallest_positive_eigenvalue"

    def states(self):
        """As the smallest of all, by Weyl's inequality."""
        return 1

    def whole(self, X, y):
        found = np.linalg.eigvalsh(X.T @ X)
        return min(found[found > 1e-9], default=0.0)


def of_two_columns(make):
    """Rows of two columns."""
    return stated(make, setting=table(ADD), columns=2)


EXHIBITS = (
    Exhibit(
        4,
        LAW,
        wrong=partial(sampler, wrongly),
        mended=partial(sampler, Fraction.__truediv__),
        shows=("refuted: p <",),
    ),
    Exhibit(
        5,
        CHANCES,
        wrong=partial(bits, LENGTH - 1),
        mended=partial(bits, LENGTH),
        shows=("epsilon is infinite",),
    ),
    Exhibit(
        6,
        CHANCES,
        wrong=partial(enumerated, permuted_and_flipped, SCORES, BOUNDED_RANGE),
        mended=partial(enumerated, permuted_and_flipped, SCORES, IMPLIED),
        shows=("rho is at least", "claimed 0.240227"),
    ),
    Exhibit(
        7,
        FACTS,
        wrong=lambda: stated(
            lambda X, y: Deviations(X, y.clip(LOW, LOW + 1)), setting=RAW, tries=2000
        ),
        mended=lambda: stated(
            lambda X, y: WholeDeviations(X, centred(y, LOW).on_grid(20)), setting=UNIT
        ),
        shows=("refuted: sum of squared deviations states",),
    ),
    Exhibit(
        11,
        FACTS,
        wrong=partial(paired, ADD, 1),
        mended=partial(paired, REPLACE, 2),
        shows=("pairwise predictions states 1 in L1", "claimed 0.693147"),
    ),
    Exhibit(
        12,
        FACTS,
        wrong=partial(around, centred=False),
        mended=partial(around, centred=True),
        shows=("refuted: X'X states", "in L2"),
    ),
    Exhibit(
        13,
        SUMS,
        wrong=partial(sums_up, in_doubles),
        mended=partial(sums_up, exactly),
        shows=("a true budget", "3, 6, 10, 11"),
    ),
    Exhibit(
        16,
        FACTS,
        wrong=partial(of_two_columns, SmallestPositive),
        mended=partial(of_two_columns, lambda X, y: dp.lambda_min(X.T @ X)),
        shows=("refuted: smallest positive eigenvalue states 1",),
    ),
    Exhibit(
        24,
        FACTS,
        wrong=lambda: stated(
            lambda X, y: FloatSum(X, y.clip(FAR, FAR + 1)), setting=table(REPLACE, FAR + 1)
        ),
        mended=lambda: stated(
            lambda X, y: dp.total(centred(y, FAR)), setting=table(REPLACE, FAR + 1)
        ),
        shows=("refuted: float sum states 1",),
    ),
)
