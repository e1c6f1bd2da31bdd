"""Mechanisms that add noise to a statistic, or choose one of its entries: the properties that rules
about releases read.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class NoiseLoss(NamedTuple):
    """The privacy loss of one draw whose statistic moves by as much as is derived."""

    name: str
    pure: bool  # at most epsilon = move/size, dominated by the pair of this name
    gaussian: bool  # that of N(0, 1) and N(move/size, 1): squares of joint moves add
    rho: Fraction | None  # that of a move of one size, squares times it for others; not of NORMAL
    tail: bool  # a bound on one number may rest on its tail: of N(0, 1), or of Laplace(1)


HALF, EIGHTH = Fraction(1, 2), Fraction(1, 8)
# [DongRS22, Thm 2.7] [BunS16, Prop 1.4, 1.6] [KairouzOV15, Thm 3.2] [CanonneKS20, Thm 4]
NORMAL = NoiseLoss("gaussian", pure=False, gaussian=True, rho=None, tail=True)
LAPLACIAN = NoiseLoss("laplace", pure=True, gaussian=False, rho=HALF, tail=True)
RESPONSE = NoiseLoss("response", pure=True, gaussian=False, rho=HALF, tail=False)
RANGED = RESPONSE._replace(rho=EIGHTH)  # [DongDR20] [CesarBR21]
UNKNOWN = NoiseLoss("unknown", pure=False, gaussian=False, rho=None, tail=False)
RHO = NoiseLoss("concentrated", pure=False, gaussian=False, rho=HALF, tail=False)


class Noise(NamedTuple):
    """Independent noise, of a std or a scale. No question has a default."""

    # "L1", "L2" or "range": that in which its cost follows from the move of the statistic.
    norm: str
    # It is drawn exactly, in whole steps of a grid.
    on_grid: bool
    # It is for whole numbers only.
    whole: bool
    loss: NoiseLoss
    # The mechanism than which it hides at least as much at the same stated size: it is charged as
    # that one.
    instead_of: str | None
    # It adds nothing to a vector: the index of one entry is released. (proofs/selection)
    selects: bool


GAUSSIAN_NOISE = Noise("L2", on_grid=True, whole=False, loss=NORMAL, instead_of=None, selects=False)
FULL = GAUSSIAN_NOISE._replace(instead_of="gaussian")  # proofs/matrix_noise
LAPLACE = GAUSSIAN_NOISE._replace(norm="L1", loss=LAPLACIAN)
L2_LAPLACE = GAUSSIAN_NOISE._replace(on_grid=False, loss=RESPONSE)
FLIPS = LAPLACE._replace(norm="range", loss=RESPONSE, selects=True)
EXPONENTIAL = FLIPS._replace(loss=RANGED)
NOISES = {
    "gaussian": GAUSSIAN_NOISE,
    "mirrored_gaussian": FULL,
    "full_gaussian": FULL,
    "laplace": LAPLACE,
    "l2_laplace": L2_LAPLACE,
    "discrete_gaussian": GAUSSIAN_NOISE._replace(whole=True, loss=RHO),
    "discrete_laplace": LAPLACE._replace(whole=True, loss=RESPONSE),
    "exponential_selection": EXPONENTIAL,
    "gumbel_selection": EXPONENTIAL,
    "permute_and_flip_selection": FLIPS,
    "exponential_noise_selection": FLIPS,
    "laplace_selection": FLIPS,
}
FOREIGN = GAUSSIAN_NOISE._replace(on_grid=False, loss=UNKNOWN)


def noise_of(mechanism: str) -> Noise:
    """What is answered of a mechanism: of one from outside nothing but what it states."""
    return NOISES.get(mechanism, FOREIGN)
