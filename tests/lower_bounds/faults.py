"""Too little noise, injected where noise is drawn: for tests of the falsifier, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from unittest import mock

import numpy as np

from dpframe.graph.procedures import DeepPoint, GaussianMixing, Posterior
from dpframe.numerics.blocks.depths import base_of
from tests.support import samples


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
