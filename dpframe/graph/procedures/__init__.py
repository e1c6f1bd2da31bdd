"""One file a procedure: what it reads, and how it draws. Their theorems are in `dpframe.theory`."""

from .approximate import ApproximateMinimum, approximate_minimum
from .bounded_monomials import BoundedMonomials
from .deep_point import DeepPoint, deep_point
from .gaussian_mixing import GaussianMixing, gaussian_mixing
from .perturbed import PerturbedMinimum, perturbed_minimum
from .posterior import Posterior, posterior
from .random_stopping import RandomStopping
from .tested_distance import DepthSample, TestedDistance
from .tested_point import TestedPoint, deep_point_tested
from .tilted import TiltedMinimum, tilted_minimum
from .transposed import TransposedPosterior

__all__ = [
    "ApproximateMinimum",
    "BoundedMonomials",
    "DeepPoint",
    "DepthSample",
    "GaussianMixing",
    "PerturbedMinimum",
    "Posterior",
    "RandomStopping",
    "TestedDistance",
    "TestedPoint",
    "TiltedMinimum",
    "TransposedPosterior",
    "approximate_minimum",
    "deep_point",
    "deep_point_tested",
    "gaussian_mixing",
    "perturbed_minimum",
    "posterior",
    "tilted_minimum",
]
