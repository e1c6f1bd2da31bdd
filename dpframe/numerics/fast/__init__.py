"""The Gaussian privacy profile and its inverses: vectorised in doubles, and as proved intervals."""

from __future__ import annotations

from .classical import classical_constants
from .gaussian import gaussian_delta, gaussian_epsilon, gaussian_mu, gaussian_sigma
from .intervals import (
    gaussian_delta_interval,
    gaussian_epsilon_interval,
    gaussian_mu_interval,
    gaussian_sigma_interval,
)

__all__ = [
    "classical_constants",
    "gaussian_delta",
    "gaussian_delta_interval",
    "gaussian_epsilon",
    "gaussian_epsilon_interval",
    "gaussian_mu",
    "gaussian_mu_interval",
    "gaussian_sigma",
    "gaussian_sigma_interval",
]
