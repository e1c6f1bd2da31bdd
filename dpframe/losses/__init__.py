"""Privacy losses: one dominating pair a file, as a vectorised cumulant with an error bound."""

from .base import PrivacyLoss
from .gaussian import GaussianLoss
from .laplace import LaplaceLoss
from .response import ResponseLoss

__all__ = ["GaussianLoss", "LaplaceLoss", "PrivacyLoss", "ResponseLoss"]
