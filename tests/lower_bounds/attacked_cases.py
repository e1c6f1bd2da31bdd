"""Everything that is attacked: each mechanism and each certified regression of the package.

A new mechanism adds an entry of MECHANISMS; a new regression needs none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from functools import cache
from unittest import mock

import numpy as np

import dpframe as dp
from dpframe.graph.procedures import DeepPoint, GaussianMixing, Posterior
from dpframe.literature.catalogue import claims_pure, example
from dpframe.literature.every import everything
from dpframe.numerics.blocks.depths import base_of
from tests.support import samples
from tests.support.tables import numbered


# --------------------------------------------- Too little noise, injected where noise is drawn
def quieter(cls, factor):
    """The samplers of one kind of noise, called with a smaller size."""
    on_grid, sample = cls.on_grid, cls.sample

    def less(size, shape, rng, *, symmetric):
        size = Fraction(size) * factor if cls.integer else float(size * float(factor))
        return sample(size, shape, rng, symmetric=symmetric)

    grid = staticmethod(lambda size, n, bits: on_grid(size * factor, n, bits))
    return {"on_grid": grid, "sample": staticmethod(less)}


@contextmanager
def noise_times(factor: str) -> Iterator[None]:
    """All additive noise, and the noise of posterior samples, sketches and deep points, times the
    factor.
    """
    by, centred, mixed = Fraction(factor), Posterior.centred, GaussianMixing.mixed
    points = sys.modules[DeepPoint.__module__]
    with ExitStack() as stack:
        for cls in samples.NOISES:
            stack.enter_context(mock.patch.multiple(cls, **quieter(cls, by)))
        for place, name, less in (
            (Posterior, "centred", lambda theta, system, z: centred(theta, system, float(by) * z)),
            (GaussianMixing, "mixed", lambda root, z: mixed(root, np.asarray(z) * float(by))),
            (points, "base_of", lambda rate: base_of(rate / float(by))),
        ):
            stack.enter_context(mock.patch.object(place, name, staticmethod(less)))
        yield


# ------------------------------------------------------------------------------- What is attacked
HALF = Fraction(1, 2)
CONFIDENCE = 1 - 1e-6
DRAWS = 4000

# a mechanism whose noise is `size` times the right one, at a claim that 10,000 draws can test
MECHANISMS = {
    dp.Gaussian: dp.Gaussian,
    dp.Laplace: dp.Laplace,
    dp.DiscreteLaplace: dp.DiscreteLaplace,
    dp.DiscreteGaussian: dp.DiscreteGaussian,
    dp.L2Laplace: dp.L2Laplace,
    dp.mechanisms.MirroredGaussian: dp.mechanisms.MirroredGaussian,
    dp.mechanisms.FullGaussian: dp.mechanisms.FullGaussian,
    dp.mechanisms.CorrelatedGaussian: lambda size: dp.mechanisms.CorrelatedGaussian(
        [[4 * size**2, 2 * size**2], [2 * size**2, 2 * size**2]]
    ),
    dp.mechanisms.RandomizedResponse: lambda size: dp.mechanisms.RandomizedResponse(
        1 / size, categories=3
    ),
    **{
        cls: (lambda size, cls=cls: cls(scale=size * HALF))  # epsilon 2 at a range of 1
        for cls in samples.SELECTIONS
    },
    dp.mechanisms.PoissonSubsampled: lambda size: dp.mechanisms.PoissonSubsampled(
        dp.Gaussian(std=size * HALF), rate=HALF
    ),
    dp.mechanisms.SubsampledWithoutReplacement: lambda size: (
        dp.mechanisms.SubsampledWithoutReplacement(dp.Laplace(scale=size * HALF), size=2, of=3)
    ),
}
RELATIONS = {dp.mechanisms.SubsampledWithoutReplacement: dp.REPLACE_ONE}


def laplace_program(size):
    """A program that stands for a black box: a sum with Laplace noise."""
    return lambda X, seed: X.sum() + np.random.default_rng(seed).laplace(0.0, float(size))


@cache
def proof_of(cls, relation):
    """Its certificate, of a claim that few draws can test: epsilon 2 where pure, else mu near 1;
    None where there is none.
    """
    declared = numbered(example(cls))
    pure = claims_pure(declared, dp.ADD_REMOVE)
    target = dp.PureDP(2) if pure else dp.ApproxDP(6, "1e-6")
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
    try:
        return dp.certify(declared, target=target, setting=setting)
    except dp.DPFrameError:
        return None


def mechanism_attack(cls, factor="1"):
    """Noise times the factor, against the claim of the true noise; once in a session."""
    return _mechanism_attack(cls, factor)


@cache
def _mechanism_attack(cls, factor):
    mechanism, claim = (MECHANISMS[cls](Fraction(size)) for size in (factor, "1"))
    options = {"relation": RELATIONS.get(cls, dp.ADD_REMOVE), "confidence": CONFIDENCE}
    return dp.attack(mechanism, claim=claim, draws=16_000, seed=7, **options)


def regression_attack(cls, relation, factor="1"):
    """The attack on a certificate; too little noise on the pair that was searched for the true one,
    by a fault in the samplers, which the proof cannot see. Once in a session.
    """
    return _regression_attack(cls, relation, factor)


@cache
def _regression_attack(cls, relation, factor):
    proof, options = proof_of(cls, relation), {"draws": DRAWS, "confidence": CONFIDENCE, "seed": 1}
    if factor == "1":
        return dp.attack(proof, **options)
    pair = regression_attack(cls, relation).pair
    with noise_times(factor):
        return dp.attack(proof, on=pair, **options)


def certified():
    """Every regression and relation that is certified at these numbers."""
    listed = everything()
    cases = [one for one in samples.certified() if one[0] in listed]
    beyond = dp.literature.AdaSSPBudget  # its region ends below epsilon = 6
    return sorted((one for one in cases if one[0] is not beyond), key=lambda c: listed.index(c[0]))
