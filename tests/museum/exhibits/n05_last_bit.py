"""OpenDP's randomised response on bit vectors leaves the last bit as it is."""

import itertools
from fractions import Fraction
from functools import partial

import dpframe as dp
from tests.museum.gates import CHANCES, enumerated, together
from tests.museum.museum import FALSIFIED, Exhibit

LENGTH, FLIP = 4, Fraction(1, 4)
ONE_SET = [v for v in itertools.product((0, 1), repeat=LENGTH) if sum(v) <= 1]
PAIRS = list(itertools.combinations(ONE_SET, 2))  # any vector of at most one bit becomes any other
CLAIM = dp.mechanisms.RandomizedResponse(dp.log(3)).guarantee(
    dp.constant(2)
)  # two bits change: 2 log 3


def answers(vector, *, protected):
    """The first `protected` bits are flipped with probability 1/4 each, the others are told."""
    flips = [FLIP if i < protected else Fraction(0) for i in range(LENGTH)]
    laws = [{bit: 1 - flip, 1 - bit: flip} for bit, flip in zip(vector, flips, strict=True)]
    return together(*laws)


def put(protected):
    """All outcomes, for all pairs."""
    return enumerated(partial(answers, protected=protected), PAIRS, CLAIM)


EXHIBIT = Exhibit(
    number=5,
    name="The last bit without noise",
    system="OpenDP before 0.15.0, `make_randomized_response_bitvec`",
    source="opendp/opendp#2707",
    claim="2 log 3 = 2.197, for vectors with at most one bit set and flips of probability 1/4.",
    fact="The loop over the bits ran over 1..n, which excludes n. The shorter mask was "
    "silently padded with zeros, and the last bit was released without noise.",
    port="Four bits, of which three are randomised.",
    gate=CHANCES,
    verdict=FALSIFIED,
    wrong=partial(put, LENGTH - 1),
    mended=partial(put, LENGTH),
    repair="All four bits are randomised.",
    shows=("epsilon is infinite",),
)
