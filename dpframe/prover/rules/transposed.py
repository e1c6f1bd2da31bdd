"""The transposed factor: refuted, with two tables and a number."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph.procedures.transposed import TransposedPosterior
from dpframe.numbers import shortest
from dpframe.numerics.transposed import transposed_delta

from ..obligation import REFUTED, Obligation, Witness
from ..problem import Problem
from .base import entered

N, EPSILON, GAMMA, PENALTY = 10**6, 1.0, 0.02, 60.0


@entered(TransposedPosterior)
def transposed(problem: Problem, sample: TransposedPosterior) -> Sequence[Obligation]:
    """Its covariance turns with the data by more than a posterior's does."""
    del problem
    delta = transposed_delta(N, EPSILON, GAMMA, PENALTY)
    says = (
        f"{N} rows (1, 1)/sqrt 2 with label 0, and one row (1, -1)/sqrt 2 with label 1 or without "
        f"it: at gamma = {GAMMA}, penalty {PENALTY}, delta({EPSILON:g}) >= {delta:.3g}; at a "
        "posterior's own covariance it is below 1e-9"
    )
    witness = Witness({"gamma": shortest(GAMMA), "penalty": shortest(PENALTY)}, says)
    return [
        Obligation(
            "theorem",
            sample.label,
            "the noise must have the posterior's covariance, (gamma H)^-1",
            ("drawn: theta + R'^-1 z/sqrt(gamma) with R'R = H, of covariance (R R')^-1/gamma",),
            REFUTED,
            witness,
            "solve with R, not R': dp.posterior draws N(theta, (gamma H)^-1).",
        )
    ]
