"""Notes on public bounds of labels that released sums contradict, at no cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Column
from dpframe.inference.evidence import Evidence

from .units import label_scale

Array = NDArray[Any]

SURE = 4.0  # stds of the noise by which a share of labels must exceed its threshold
SOME, NEARLY = 0.2, 0.9  # shares of labels
NEAR = 0.9  # the distance from the centre, over half the range, from which labels are near an end
ASIDE = 0.25  # the mean, over half the range, from which labels lean to an end
NARROW = 1 / 64  # a part of the range of labels
UNIFORM = 7 / 12  # the mean square of labels that are uniform between bound/2 and bound
NOTE = "are these bounds right, in the units of the table?"
AT_END = (
    "By released sums about {share:.0%} or more of labels lie near or beyond {end} of "
    f"{{ends}}: {NOTE} A concentration at one end is normal for zeros, classes or ratings. "
    "Otherwise the bounds are wrong: too narrow, far too wide, or in another unit."
)
IN_A_PART = (
    f"By released sums nearly all labels lie within 1/64 of the range {{ends}}, {{where}}: {NOTE} "
    "Noise is proportional to the range."
)


def notes_on_bounds(evidence: Evidence, labels: Column, constant: Array | None) -> Iterator[str]:
    """A note where labels are mostly near or beyond an end of their bounds, or in a small part of
    their range; `constant` (d,) has row @ constant = 1 for every row, None if there is none.
    """
    scale, n = label_scale(labels), evidence.count
    classes = labels.lower == 0 and labels.upper == 1
    if classes or not n > SURE * evidence.count_std:
        return
    ends = f"[{scale.centre - scale.half:.12g}, {scale.centre + scale.half:.12g}]"
    if inside(evidence) > NEARLY:
        yield IN_A_PART.format(ends=ends, where="around its centre")
        return
    if not np.isfinite(evidence.squares_std) or evidence.shrunk is not None:
        return
    mean = 0.0 if constant is None else float(constant @ evidence.moments[0].moment)
    side = np.sign(mean) if abs(mean) > ASIDE * n * bound_of(evidence) else 0.0
    end = {-1: "the lower end", 0: "an end", 1: "the upper end"}[int(side)]
    if side and beyond(evidence, 1 - 2 * NARROW) > NEARLY:
        yield IN_A_PART.format(ends=ends, where=f"near or beyond {end}")
        return
    shares = [beyond(evidence, NEAR), *([uniform_excess(evidence)] if side > 0 else [])]
    if max(shares) > (SOME if side else NEARLY):
        yield AT_END.format(share=max(shares), end=end, ends=ends)


def inside(evidence: Evidence) -> float:
    """The share of labels within NARROW of half the range of the centre, less SURE stds of noise;
    0 if sizes were not counted.
    """
    if evidence.counts is None:
        return 0.0
    sizes = evidence.counts.observed
    within = 2.0 ** np.arange(1 - len(sizes), 1) <= NARROW
    noise = evidence.counts.std * np.sqrt(np.sum(within))
    return float((np.sum(sizes[within]) - SURE * noise) / evidence.count)


def beyond(evidence: Evidence, distance: float) -> float:
    """A lower bound on the share of labels that are at least `distance` from the centre, over half
    the range, less SURE stds of noise: others are at most as large as the cuts allow.
    """
    return excess(evidence, lambda cuts: np.minimum(cuts, distance) ** 2)


def uniform_excess(evidence: Evidence) -> float:
    """The share of labels at the ends if all others are uniform between cuts, less SURE stds of
    noise.
    """
    return excess(evidence, lambda cuts: UNIFORM * cuts**2)


def excess(evidence: Evidence, square: Callable[[Array], Array]) -> float:
    """The share of labels that must be at the ends to explain the released y'y, less SURE stds of
    noise, where others have mean squares of `square` of the cuts above them, over half the range.
    """
    counts, n, bound = evidence.counts, evidence.count, bound_of(evidence)
    sizes = np.array([n]) if counts is None else counts.observed
    others = square(2.0 ** np.arange(1 - len(sizes), 1))
    noise = 0.0 if counts is None else counts.std * float(np.linalg.norm(others))
    left = evidence.squares / bound**2 - float(others @ sizes)
    unsure = SURE * math.hypot(evidence.squares_std / bound**2, noise)
    return min((left - unsure) / (n * float(1 - others[-1])), 1.0)


def bound_of(evidence: Evidence) -> float:
    """Half the declared range of labels."""
    return evidence.moments[0].width if evidence.counts is None else evidence.counts.bound
