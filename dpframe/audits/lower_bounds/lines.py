"""Each release alone: its noise against the largest move that it is charged for."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.execution.running import ONE, Running
from dpframe.execution.whole import in_integers
from dpframe.graph import Loop, Node, Release
from dpframe.graph.statistics import Stack, Statistic
from dpframe.mechanisms import AdditiveNoise
from dpframe.randomness import Randomness

from .claims import Claim, claim_of
from .events import Scores
from .running import start, summed
from .ways import Way, of_noise

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Line:
    """One draw of a release on a statistic and on the same moved by its sensitivity."""

    still: Way
    moved: Way
    claim: Claim
    sensitivity: float

    @property
    def label(self) -> str:
        """The name of the release."""
        return self.still.release.label

    def scores(self, n: int, randomness: Randomness, repeats: int) -> Scores:
        """n times `repeats` draws with the move and without it."""
        scores = of_noise(self.moved, self.still, n * repeats, randomness)
        return summed(scores.rounded(), repeats)


def line(running: Running, release: Release, loop: Loop | None) -> Line:
    """The line of a release whose stage was looked at. Raises InvalidArgument where nothing bounds
    its statistic, or its noise has no one loss.
    """
    values = dict(running.values)
    if loop is not None:
        values.update(running.at_point(loop, start(loop, running)))
    statistic, numbers = release.statistic, running.numbers
    sensitivity = statistic.sensitivity(release.noise.norm)
    if sensitivity is None:
        raise InvalidArgument("statistic", "bounded", statistic.label, "Clip its rows.")
    most, least = numbers.up(sensitivity.value), numbers.down(sensitivity.value)
    still = Way.of(attrs.evolve(release, times=ONE, sampled=None), running, values)
    noise: Any = type(release.mechanism)
    mechanism: AdditiveNoise = noise(Fraction(still.size))
    claim = claim_of(mechanism, Fraction(most), statistic.unit.relation)
    moved = {**values, **shifted(statistic, values, least, running)}
    return Line(still, attrs.evolve(still, values=moved), claim, least)


def shifted(
    statistic: Statistic, values: Mapping[Node, Array], by: float, running: Running
) -> dict[Node, Array]:
    """The first number of the statistic, `by` larger; of one on a grid, in whole steps."""
    first = statistic.parts[0] if isinstance(statistic, Stack) else statistic
    if isinstance(first, Stack):
        return shifted(first, values, by, running)
    value = np.array(in_integers(np.asarray(values[first])))
    step = first.step
    move: Any = by if step is None else int(Fraction(by) / Fraction(running.numbers.up(step)))
    flat = value.reshape(-1)
    flat[0] = flat[0] + move
    return {first: flat.reshape(value.shape)}
