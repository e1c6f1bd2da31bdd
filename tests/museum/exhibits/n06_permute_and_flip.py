"""OpenDP pays for permute-and-flip what the exponential mechanism costs."""

import itertools
from fractions import Fraction
from functools import partial

import dpframe as dp
from tests.museum.gates import CHANCES, enumerated
from tests.museum.museum import FALSIFIED, Exhibit

HALF = Fraction(1, 2)  # the probability of the coin of a score 1 below the best
SCALE = 1 / dp.log(2)
FLIPPED, WEIGHED = (
    dp.mechanisms.PermuteAndFlipSelection(scale=SCALE),
    dp.mechanisms.ExponentialSelection(scale=SCALE),
)
PAIRS = [
    (scores, tuple(a + b for a, b in zip(scores, move, strict=True)))
    for m in (2, 3)
    for scores in itertools.product((0, 1, 2), repeat=m)
    for move in itertools.product((-1, 0, 1), repeat=m)
]
RANGE = dp.constant(2)  # each score moves by at most 1
EPSILON = FLIPPED.guarantee(RANGE).epsilon  # 2 log 2
BOUNDED_RANGE = WEIGHED.given_in(dp.ZeroConcentratedDP, RANGE)  # epsilon^2/8
IMPLIED = dp.ZeroConcentratedDP(EPSILON**2 / 2)


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


def exponential(scores):
    """In proportion to the coins."""
    coins = [HALF ** (max(scores) - score) for score in scores]
    return {i: coin / sum(coins) for i, coin in enumerate(coins)}


def put(mechanism, claim):
    """All outcomes, for all moves of every score by at most 1."""
    return enumerated(mechanism, PAIRS, claim)


EXHIBIT = Exhibit(
    number=6,
    name="A zCDP proof of another mechanism",
    system="OpenDP 0.15.1, `make_noisy_max` and `make_noisy_top_k`",
    source="opendp/opendp#2911 (fixed in 0.16.0)",
    claim="(epsilon^2/8)-zCDP; the attached proof is for the exponential mechanism.",
    fact="The code implements permute-and-flip. It is epsilon-DP, but the range of its loss is"
    " nearly 2 epsilon, so that only (epsilon^2/2)-zCDP holds: four times the cost.",
    port="Two and three candidates with scores 0, 1, 2, epsilon = 2 log 2; every probability "
    "is a fraction.",
    gate=CHANCES,
    verdict=FALSIFIED,
    wrong=partial(put, permuted_and_flipped, BOUNDED_RANGE),
    mended=partial(put, permuted_and_flipped, IMPLIED),
    repair="The claim is epsilon^2/2. dpframe's own claims pass the same gate: epsilon-DP for "
    "PermuteAndFlipSelection, and epsilon^2/8 for ExponentialSelection.",
    shows=("rho is at least", "claimed 0.240227"),
)
