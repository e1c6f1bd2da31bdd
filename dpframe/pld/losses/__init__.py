"""Privacy losses: one dominating pair a file, as a vectorised cumulant with an error bound."""

from .base import PrivacyLoss
from .categorical import CategoricalLoss, OddsLoss
from .discrete_gaussian import DiscreteGaussianLoss
from .discrete_laplace import DiscreteLaplaceLoss
from .gaussian import GaussianLoss
from .laplace import LaplaceLoss
from .response import ResponseLoss
from .subsampled_gaussian import SubsampledGaussianLoss

__all__ = [
    "CategoricalLoss",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "GaussianLoss",
    "LaplaceLoss",
    "OddsLoss",
    "PrivacyLoss",
    "ResponseLoss",
    "SubsampledGaussianLoss",
]
