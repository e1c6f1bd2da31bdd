"""One file a procedure: what it reads, and how it draws. Their theorems are in `verify/rules`."""

from .approximate import ApproximateMinimum, approximate_minimum
from .bounded_monomials import BoundedMonomials
from .perturbed import PerturbedMinimum, perturbed_minimum
from .posterior import Posterior, posterior
from .random_stopping import RandomStopping
from .tested_distance import DepthSample, TestedDistance
from .tilted import TiltedMinimum, tilted_minimum
from .transposed import TransposedPosterior

__all__ = [
    "ApproximateMinimum",
    "BoundedMonomials",
    "DepthSample",
    "PerturbedMinimum",
    "Posterior",
    "RandomStopping",
    "TestedDistance",
    "TiltedMinimum",
    "TransposedPosterior",
    "approximate_minimum",
    "perturbed_minimum",
    "posterior",
    "tilted_minimum",
]
