"""Approximate minima: the exact minimum's theorem, and noise for the difference."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph.procedures.approximate import ApproximateMinimum
from dpframe.graph.procedures.perturbed import PerturbedMinimum
from dpframe.privacy import Share

from ..obligation import Obligation
from ..problem import Problem
from ..sign import nonnegative, positive, positive_size
from .base import entered, needed
from .perturbed import perturbed


@entered(ApproximateMinimum)
def approximate(problem: Problem, found: ApproximateMinimum) -> Sequence[Obligation]:
    """Both parts inside the share."""
    field, own = problem.field, (found.minimum.share, found.noise_share)
    gaps = [
        whole - one - other
        for whole, one, other in zip(
            found.share.amounts, own[0].amounts, own[1].amounts, strict=True
        )
    ]
    parts = [amount for share in own for amount in share.amounts]
    plain = type(found.noise_share) is type(found.minimum.share) is Share
    return [
        *perturbed(problem, found.minimum),
        needed(
            found,
            plain
            and type(found.minimum) is PerturbedMinimum
            and all(nonnegative(gap, field).proved for gap in gaps)
            and all(positive(part, field).proved for part in parts),
            "the parts for the minimum and for the difference are positive and fit the share",
            f"({own[0]}) and ({own[1]}) of ({found.share})",
            "split the share by positive weights that sum to 1.",
        ),
        needed(
            found,
            positive_size(found.tolerance, field),
            "the tolerance must be positive",
            f"tolerance = {found.tolerance}",
            "give a small public number.",
        ),
    ]
