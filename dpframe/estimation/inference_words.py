"""What an inference covers, assumes and refuses, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .inference_result import COVERED, Inference

ALL = 0.999  # of residuals inside their clip: more than this is not worth a sentence
WAY_OUT = (
    "More records, a larger budget or fewer columns identify more; or give largest=, a public "
    "bound on the length of all coefficients together"
)


def sentences(found: Inference) -> Iterator[str]:
    """What intervals cover, then what they assume, then what is refused and why."""
    yield f"Intervals cover {COVERED[found.target]}."
    yield from assumed(found)
    yield from refused(found)


def assumed(found: Inference) -> Iterator[str]:
    """Of residuals."""
    if found.target == "population":
        yield "Residuals are taken for equally spread in every row."
    if found.kept < ALL:
        clipped = 100 * (1 - found.kept)
        yield f"Up to {clipped:.2g}% of labels or residuals were clipped; they count as normal."


def refused(found: Inference) -> Iterator[str]:
    """Where nothing, or less, is claimed."""
    d, lost = len(found.centre), found.lost.shape[1]
    if not found.settled:
        yield "No fixed point was found, so nothing is claimed: noise is too large here."
    if lost:
        yield (
            f"{lost} of {d} directions of the coefficients are not identified: the noise on X'X "
            "may be all that is seen there."
        )
        yield (
            f"No coefficient has an interval then. {WAY_OUT}."
            if np.isinf(found.largest)
            else f"Intervals hold where all coefficients together have at most the length "
            f"{found.largest:g}, as was declared."
        )
    if found.residual is None or not np.isfinite(found.residual.std):
        yield "The residual variance is lost in noise: predictions have no interval but the bound."
    elif not found.residual.known:
        yield (
            "The residual variance is not clear of its noise: intervals hold as often as they say "
            "over noise, not in each table alike."
        )
