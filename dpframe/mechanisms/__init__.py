"""One file a mechanism: its law, its guarantee, its calibrations."""

from .base import AdditiveNoise, Calibration, Mechanism
from .gaussian import Gaussian
from .laplace import Laplace

__all__ = ["AdditiveNoise", "Calibration", "Gaussian", "Laplace", "Mechanism"]
