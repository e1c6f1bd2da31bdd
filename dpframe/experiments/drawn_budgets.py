"""Budgets as the paper draws them: conservative, medium and liberal people. [Acharya24, Sec 4]"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Groups = Mapping[str, tuple[Fraction, Fraction, Fraction]]

GROUPS: Groups = {  # the share of people, and the ends between which their budgets are uniform
    "conservative": (Fraction(34, 100), Fraction(1, 100), Fraction(1, 5)),
    "medium": (Fraction(43, 100), Fraction(1, 5), Fraction(1)),
    "liberal": (Fraction(23, 100), Fraction(1), Fraction(1)),
}
MEAN = sum((share * (low + high) / 2 for share, low, high in GROUPS.values()), Fraction(0))
LEVELS = {f"{level / 100:.2f}": Fraction(level, 100) for level in range(1, 101)}
"""Public groups for add/remove: budgets of whole hundredths."""


def drawn(n: int, rng: np.random.Generator, groups: Groups = GROUPS) -> Array:
    """Budgets (n,): groups stand one after the other, the last has whoever is left."""
    ends = [(float(low), float(high)) for _, low, high in groups.values()]
    sizes = [place.stop - place.start for place in members(n, groups).values()]
    return np.concatenate([rng.uniform(*ends[i], size) for i, size in enumerate(sizes)])


def members(n: int, groups: Groups = GROUPS) -> dict[str, slice]:
    """Where each group stands among n people."""
    sizes = [int(share * n) for share, _, _ in groups.values()]
    ends = [0, *np.cumsum(sizes[:-1]).tolist(), n]
    return {name: slice(ends[i], ends[i + 1]) for i, name in enumerate(groups)}


def rounded_down(own: Array) -> Array:
    """Names of levels (n,) at most the budgets (n,), which are in [0.01, 1]."""
    found: Array = np.array(list(LEVELS))[np.floor(own * 100).astype(int) - 1]
    return found


def kept_share(threshold: float) -> float:
    """The share of people that a sample with this threshold keeps, on average: public, as it
    follows from how budgets are drawn.
    """
    return math.fsum(_kept(threshold))


def _kept(threshold: float) -> Iterator[float]:
    """The mean of min(1, (e^epsilon - 1)/(e^threshold - 1)) of each group, times its share."""
    for share, low, high in GROUPS.values():
        a, b = float(low), float(high)
        if a >= threshold:
            yield float(share)
        else:
            most = min(b, threshold)
            area = (math.exp(most) - math.exp(a) - (most - a)) / math.expm1(threshold)
            yield float(share) * (area + b - most) / (b - a)
