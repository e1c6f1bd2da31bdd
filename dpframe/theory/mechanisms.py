"""Mechanisms that add noise to a statistic: what rules about releases ask of each."""

from __future__ import annotations

from typing import NamedTuple


class Loss(NamedTuple):
    """The privacy loss of one draw whose statistic moves by as much as is derived."""

    name: str
    pure: bool  # at most epsilon = move/size, dominated by the pair of this name
    gaussian: bool  # that of N(0, 1) and N(move/size, 1): squares of joint moves add
    concentrated: bool  # rho = (move/size)^2/2


# [DongRS22, Thm 2.7] [BunS16, Prop 1.4, 1.6] [KairouzOV15, Thm 3.2] [CanonneKS20, Thm 4]
NORMAL = Loss("gaussian", pure=False, gaussian=True, concentrated=True)
LAPLACIAN = Loss("laplace", pure=True, gaussian=False, concentrated=True)
RESPONSE = Loss("response", pure=True, gaussian=False, concentrated=True)
UNKNOWN = Loss("unknown", pure=False, gaussian=False, concentrated=False)
RHO = Loss("concentrated", pure=False, gaussian=False, concentrated=True)


class Noise(NamedTuple):
    """Independent noise, of a std or a scale. No question has a default."""

    norm: str
    """"L1" or "L2": that in which its cost follows from the move of the statistic."""
    on_grid: bool
    """It is drawn exactly, in whole steps of a grid."""
    whole: bool
    """It is for whole numbers only."""
    loss: Loss
    attained: bool
    """The neighbours that move the statistic furthest cost most. Where noise is uneven, a row along
    an axis is meant, which moves nothing off the diagonal.
    """
    uneven: bool
    """It is larger off the diagonal of a symmetric matrix."""
    instead_of: str | None
    """The mechanism than which it hides at least as much at the same stated size: it is charged
    as that one.
    """


GAUSSIAN_NOISE = Noise(
    "L2", on_grid=True, whole=False, loss=NORMAL, attained=True, uneven=False, instead_of=None
)
FULL = GAUSSIAN_NOISE._replace(instead_of="gaussian")  # proofs/matrix_noise
MIRRORED = FULL._replace(uneven=True)
LAPLACE = GAUSSIAN_NOISE._replace(norm="L1", loss=LAPLACIAN)
L2_LAPLACE = GAUSSIAN_NOISE._replace(on_grid=False, loss=RESPONSE)
NOISES = {
    "gaussian": GAUSSIAN_NOISE,
    "mirrored_gaussian": MIRRORED,
    "full_gaussian": FULL,
    "laplace": LAPLACE,
    "l2_laplace": L2_LAPLACE,
    "discrete_gaussian": GAUSSIAN_NOISE._replace(whole=True, loss=RHO),
    "discrete_laplace": LAPLACE._replace(whole=True, loss=RESPONSE),
}
FOREIGN = GAUSSIAN_NOISE._replace(on_grid=False, loss=UNKNOWN, attained=False)


def noise_of(mechanism: str) -> Noise:
    """What is answered of a mechanism: of one from outside nothing but what it states."""
    return NOISES.get(mechanism, FOREIGN)
