"""Which directions of the coefficients a noisy X'X identifies."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

CLEAR = 1.5  # edges of the noise that an eigenvalue must reach, and at least
STDS = 4.0  # stds of its diagonal, for few columns; chosen by simulation


@attrs.frozen(eq=False)
class Directions:
    """Eigenvectors of the released X'X: `vectors` (d, k) with eigenvalues `values` (k,) clear of
    the noise, and the `lost` others (d, d - k).
    """

    values: Array
    vectors: Array
    lost: Array


def noise_edge(std: float, d: int) -> float:
    """The edge of the semicircle of symmetric noise (d, d) with `std` on the diagonal and std/sqrt
    2 off it: std sqrt(2 d). [Wigner58]
    """
    return float(std * np.sqrt(2 * d))


def directions(gram: Array, std: float) -> Directions:
    """Those with eigenvalues of CLEAR edges and STDS stds of the noise, and above rounding."""
    values, vectors = np.linalg.eigh(gram)
    rounding = len(gram) * np.finfo(float).eps * np.abs(values).max(initial=0)
    clear = values > max(CLEAR * noise_edge(std, len(gram)), STDS * std, rounding)
    return Directions(values[clear], vectors[:, clear], vectors[:, ~clear])
