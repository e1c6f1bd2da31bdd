"""A big-number library divides wrongly, and the noise of OpenDP is biased."""

import math
import random
from fractions import Fraction
from functools import partial

import numpy as np

import dpframe as dp
from dpframe.randomness import SimulatedBits
from tests.museum.gates import LAW, drawn
from tests.museum.museum import FALSIFIED, Exhibit
from tests.randomness.fits import discrete_laplace

SCALE = Fraction(3)


def wrongly(x: Fraction, k: int) -> Fraction:
    """x/k with the denominator divided where the divisor should be: (2/3)/4 becomes 1/4."""
    shared = math.gcd(x.numerator, k)
    return Fraction(x.numerator // shared, x.denominator // shared * k)


def rightly(x: Fraction, k: int) -> Fraction:
    """x/k."""
    return x / k


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


def ported(divide):
    """The sampler of the system, with this division."""
    rng = random.Random(4)
    return drawn(lambda n: [laplace(rng, SCALE, divide) for _ in range(n)], SCALE, discrete_laplace)


def ours():
    """dpframe's own sampler, before the same gate."""
    bits = SimulatedBits(np.random.default_rng(4))
    return drawn(lambda n: dp.DiscreteLaplace.on_grid(SCALE, n, bits), SCALE, discrete_laplace)


EXHIBIT = Exhibit(
    number=4,
    name="A wrong denominator in rational division",
    system="OpenDP before 0.14.2, all additive noise, through the library dashu",
    source="opendp/opendp#2638, cmpute/dashu#57",
    claim="Noise with the discrete Laplace or Gaussian distribution, by proved samplers.",
    fact="Division of a rational by an integer had a wrong denominator if the two had a common"
    " factor, so that Bernoulli variables of probability e^-x were biased.",
    port="The textbook sampler of discrete Laplace noise of scale 3, with that division.",
    gate=LAW,
    verdict=FALSIFIED,
    wrong=partial(ported, wrongly),
    mended=partial(ported, rightly),
    repair="The correct division; dpframe's own sampler passes the same gate.",
    shows=("refuted: p <",),
)
