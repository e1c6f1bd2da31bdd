"""One file a mechanism: its law, its guarantee, its calibrations."""

from .base import AdditiveNoise, Calibration, Mechanism, positive_formula
from .black_box import BlackBox
from .correlated_gaussian import CorrelatedGaussian
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .exponential import ExponentialMechanism
from .gaussian import Gaussian
from .l2_laplace import L2Laplace
from .laplace import Laplace
from .mirrored_gaussian import MirroredGaussian
from .noisy_max import ExponentialNoisyMax, GumbelNoisyMax
from .permute_and_flip import PermuteAndFlip
from .randomized_response import RandomizedResponse
from .selection import Selection
from .subsampled import PoissonSubsampled, SubsampledWithoutReplacement

__all__ = [
    "AdditiveNoise",
    "BlackBox",
    "Calibration",
    "CorrelatedGaussian",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "ExponentialNoisyMax",
    "Gaussian",
    "GumbelNoisyMax",
    "L2Laplace",
    "Laplace",
    "Mechanism",
    "MirroredGaussian",
    "PermuteAndFlip",
    "PoissonSubsampled",
    "RandomizedResponse",
    "Selection",
    "SubsampledWithoutReplacement",
    "positive_formula",
]
