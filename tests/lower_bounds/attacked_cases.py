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

    def less_on_grid(size, n, bits):
        return on_grid(size * factor, n, bits)

    def less(size, shape, rng, *, symmetric):
        if not cls.integer:
            return sample(float(size * float(factor)), shape, rng, symmetric=symmetric)
        return sample(Fraction(size) * factor, shape, rng, symmetric=symmetric)

    return {"on_grid": staticmethod(less_on_grid), "sample": staticmethod(less)}


@contextmanager
def noise_times(factor: str) -> Iterator[None]:
    """All additive noise, and what posterior samples, sketches and deep points draw, times it."""
    by = Fraction(factor)
    centred = Posterior.centred
    less = staticmethod(
        lambda theta, system, noise: centred(theta, system, np.asarray(noise) * float(by))
    )
    mixed = GaussianMixing.mixed
    fewer = staticmethod(lambda root, noise: mixed(root, np.asarray(noise) * float(by)))
    points = sys.modules[DeepPoint.__module__]
    sharper = staticmethod(lambda rate: base_of(rate / float(by)))
    with ExitStack() as stack:
        for cls in samples.NOISES:
            stack.enter_context(mock.patch.multiple(cls, **quieter(cls, by)))
        stack.enter_context(mock.patch.object(Posterior, "centred", less))
        stack.enter_context(mock.patch.object(GaussianMixing, "mixed", fewer))
        stack.enter_context(mock.patch.object(points, "base_of", sharper))
        yield


# ------------------------------------------------------------------------------- What is attacked
HALF = Fraction(1, 2)
CONFIDENCE = 1 - 1e-6
DRAWS = 4000

# a mechanism whose noise is `size` times what it should be, at a claim that 10,000 draws can see
MECHANISMS = {
    dp.Gaussian: lambda size: dp.Gaussian(std=size),
    dp.Laplace: lambda size: dp.Laplace(scale=size),
    dp.DiscreteLaplace: lambda size: dp.DiscreteLaplace(scale=size),
    dp.DiscreteGaussian: lambda size: dp.DiscreteGaussian(std=size),
    dp.L2Laplace: lambda size: dp.L2Laplace(scale=size),
    dp.mechanisms.MirroredGaussian: lambda size: dp.mechanisms.MirroredGaussian(std=size),
    dp.mechanisms.FullGaussian: lambda size: dp.mechanisms.FullGaussian(std=size),
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

    def released(X, seed):
        import numpy as np

        return X.sum() + np.random.default_rng(seed).laplace(0.0, float(size))

    return released


def setting(relation):
    """Bounds of 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def target(declared):
    """A claim that few draws can see: epsilon 2 where pure, else mu near 1."""
    pure = claims_pure(declared, dp.ADD_REMOVE)
    return dp.PureDP(2) if pure else dp.ApproxDP(6, "1e-6")


@cache
def proof_of(cls, relation):
    """Its certificate at these numbers; None where there is none."""
    declared = numbered(example(cls))
    try:
        return dp.certify(declared, target=target(declared), setting=setting(relation))
    except dp.DPFrameError:
        return None


def mechanism_attack(cls, factor="1"):
    """Noise times the factor, against the claim of the true noise; once in a session."""
    return _mechanism_attack(cls, factor)


@cache
def _mechanism_attack(cls, factor):
    found, claim = (MECHANISMS[cls](Fraction(size)) for size in (factor, "1"))
    relation = RELATIONS.get(cls, dp.ADD_REMOVE)
    return dp.attack(
        found, claim=claim, relation=relation, confidence=CONFIDENCE, draws=16_000, seed=7
    )


def regression_attack(cls, relation, factor="1"):
    """The job on a certificate; too little noise on the pair that was found for the true one, by a
    fault in the samplers, which the proof cannot see. Once in a session.
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
    beyond = {dp.literature.AdaSSPBudget}  # its region ends below epsilon = 6
    listed = [cls for cls in everything() if cls not in beyond]
    return sorted(
        (one for one in samples.certified() if one[0] in listed),
        key=lambda one: listed.index(one[0]),
    )
