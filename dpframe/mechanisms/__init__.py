"""One file a mechanism: its noise, its guarantee, its calibrations."""

from .base import Calibration, Mechanism
from .gaussian import Gaussian
from .laplace import Laplace

__all__ = ["Calibration", "Gaussian", "Laplace", "Mechanism"]
