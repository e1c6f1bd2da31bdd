"""One file a procedure: what it reads, and how it draws. Their theorems are in `verify/rules`."""

from .approximate import ApproximateMinimum, approximate_minimum
from .perturbed import PerturbedMinimum, perturbed_minimum
from .posterior import Posterior, posterior
from .random_stopping import RandomStopping
from .tilted import TiltedMinimum, tilted_minimum
from .transposed import TransposedPosterior

__all__ = [
    "ApproximateMinimum",
    "PerturbedMinimum",
    "Posterior",
    "RandomStopping",
    "TiltedMinimum",
    "TransposedPosterior",
    "approximate_minimum",
    "perturbed_minimum",
    "posterior",
    "tilted_minimum",
]
