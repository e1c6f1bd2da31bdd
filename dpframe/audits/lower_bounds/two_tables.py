"""What a certificate executes, drawn many times on two tables along one history.

Everything is read and drawn by `dpframe.execution`, on both tables, as an execution does it. What a
later stage reads of an earlier one is the same on both: one draw of the first table. So the pair of
products that is sampled is one that the composition of the releases must hide.

Also what an attack is asked to do, and each release alone: its noise against the largest move that
it is charged for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.execution.draws import ReleaseDraw, times_of
from dpframe.execution.execution import first_pass
from dpframe.execution.running import ONE, AnyDraw, Execution, finite
from dpframe.execution.totals import in_integers, real
from dpframe.graph import Loop, Node, Release, Sampler
from dpframe.graph.procedures import DeepPoint
from dpframe.graph.statistics import Stack, Statistic
from dpframe.mechanisms import AdditiveNoise
from dpframe.numbers import whole
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness
from dpframe.sources import open_source

from .claims import Claim, claim_of
from .neighbours import AttackedTable, Neighbours
from .pairs import from_draws
from .table_releases import Samples, TableRelease, of_draws
from .threshold_events import Scores

DRAWS, LEAST, MOST = 20_000, 100, 10_000_000
VISIBLE = 0.3  # the delta at epsilon 0 that a claim should have, to be put to the test by few draws
RUNS = 64
Told = Callable[[str], None]
"""is told what is being done"""


@attrs.frozen(eq=False)
class Job:
    """A claim, the number of draws, how likely the bounds may fail together, and the noise."""

    claim: Claim
    draws: int
    failing: float
    randomness: Randomness
    told: Told

    def repeats(self, claim: Claim) -> int:
        """How many runs make one draw, so that what they cost together can be seen."""
        count = 1
        while count < RUNS and claim.times(count).delta(0) < VISIBLE:
            count *= 2
        return count


def summed(scores: Scores, repeats: int) -> Scores:
    """Runs, one after the other, as draws of so many."""
    return Scores(
        *(np.asarray(one.reshape(-1, repeats).sum(axis=1)) for one in (scores.first, scores.second))
    )


def failing_of(confidence: object) -> float:
    """1 - confidence. Raises InvalidArgument."""
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
        raise InvalidArgument("confidence", "a number in (0, 1)", confidence)
    failing = 1 - float(confidence)
    if not 1e-15 < failing < 1:
        raise InvalidArgument("confidence", "in (0, 1), at most 1 - 1e-15", confidence)
    return failing


def draws_of_job(value: object) -> int:
    """A number of draws. Raises InvalidArgument."""
    return whole("draws", value, LEAST, MOST)


Array = NDArray[Any]


@attrs.frozen(eq=False)
class ReleaseStep:
    """One release on its way; `running` is the execution on the first table, which made it."""

    release: Node
    running: Execution
    scores: Callable[[int, Randomness], Scores]

    @property
    def label(self) -> str:
        """The name of the release."""
        return str(self.release.label)


@attrs.frozen(eq=False)
class TwoTables:
    """An execution on each of two neighbouring tables."""

    first: Execution
    second: Execution

    @classmethod
    def of(cls, run: AtNumbers, pair: Neighbours, randomness: Randomness) -> TwoTables:
        """The first look at both. Raises NotExecutable, BadData."""
        return cls(*(opened(run, table, randomness) for table in pair.tables))

    def steps(self, randomness: Randomness) -> Iterator[ReleaseStep]:
        """Every release, in order. A step must be drawn from before the next is asked for."""
        for stage in range(self.first.stages.count):
            if stage:
                for running in (self.first, self.second):
                    running.learn(stage)
                    running.compute(stage)
            for drawn, other in self.draws(stage):
                if isinstance(drawn, Loop):
                    yield from self._rounds(drawn, randomness)
                else:
                    yield self._once(drawn, other)
                    self._remember(drawn, randomness)

    def draws(self, stage: int) -> list[tuple[AnyDraw, AnyDraw]]:
        """What a stage releases of either table."""
        return list(zip(self.first.draws(stage), self.second.draws(stage), strict=True))

    def ways(self, drawn: ReleaseDraw, other: ReleaseDraw) -> tuple[TableRelease, TableRelease]:
        """A release of noise on either table."""
        return (
            TableRelease(drawn, self.first.numbers, self.first.values),
            TableRelease(other, self.second.numbers, self.second.values),
        )

    def at(self, loop: Loop, at: Array) -> tuple[TableRelease, TableRelease]:
        """One round of a loop at a point, on either table, which it reads in full."""
        once = attrs.evolve(loop.step, times=ONE, sampled=None)
        first, second = (
            TableRelease.of(once, one, {**one.values, **one.at_point(loop, at)})
            for one in (self.first, self.second)
        )
        return first, second

    def _once(self, drawn: AnyDraw, other: AnyDraw) -> ReleaseStep:
        if isinstance(drawn, ReleaseDraw) and isinstance(other, ReleaseDraw):
            ways = self.ways(drawn, other)
            return ReleaseStep(drawn.release, self.first, partial(of_draws, *ways))
        return ReleaseStep(drawn, self.first, partial(self._of_procedure, drawn))  # type: ignore[arg-type]

    def _remember(self, drawn: AnyDraw, randomness: Randomness) -> None:
        """One draw of the first table, which the second goes on from too."""
        self.first.release([drawn], randomness)
        node: Any = drawn.release if isinstance(drawn, ReleaseDraw) else drawn
        self.second.released[node] = self.first.released[node]

    def _of_procedure(self, node: Any, n: int, randomness: Randomness) -> Scores:
        drawn = [procedure_draws(one, node, n, randomness) for one in (self.first, self.second)]
        return from_draws(*drawn)

    def _rounds(self, loop: Loop, randomness: Randomness) -> Iterator[ReleaseStep]:
        """As `Running` walks through a loop, on both tables."""
        numbers, rate = self.first.numbers, loop.step.sampled
        at = start(loop, self.first)
        path, answers = [at], []
        for turn in range(times_of(loop.step, numbers)):
            if rate is None:
                ways = self.at(loop, at)
                yield ReleaseStep(loop.step, self.first, partial(of_draws, *ways))
                answers.append(ways[0].draw.released(ways[0].values, randomness))
            else:
                samples = [
                    Samples.of(one, loop, at, rate.value) for one in (self.first, self.second)
                ]
                yield ReleaseStep(loop.step, self.first, partial(of_draws, samples[0], samples[1]))
                drawn = samples[0].ways[0].draw
                answers.append(drawn.released(samples[0].one(randomness), randomness))
            arguments = self.first.arguments(loop.arguments)
            at = finite(loop.update(at.copy(), np.array(answers[-1]), turn, *arguments), at.shape)
            path.append(at)
        for running in (self.first, self.second):
            running.released[loop.step] = np.array(answers)
            running.released[loop] = np.array(path)


def start(loop: Loop, running: Execution) -> Array:
    """Where a loop starts: at zero."""
    return np.zeros(round(running.numbers.up(loop.point.size)))


def opened(run: AtNumbers, table: AttackedTable, randomness: Randomness) -> Execution:
    """Everything that the first stage reads of a table, as an execution looks at it."""
    source = open_source(run.setting, table.X, table.y, drop=False, budgets=None)
    return first_pass(run, source, None, randomness, ahead=False)[0]


def procedure_draws(running: Execution, node: Any, n: int, randomness: Randomness) -> Array:
    """n draws of a procedure, (n, m), as `Running` draws it. Nothing of them is remembered."""
    if isinstance(node, Sampler):
        number = running.numbers.towards_zero
        seen = {one: real(one, running.values, number) for one in running.values}
        drawn = drawings(node, seen, running, n, randomness)
    else:
        drawn = (_released(running, node, randomness) for _ in range(n))
    return np.array([np.ravel(np.asarray(_numbers(one), dtype=float)) for one in drawn])


def drawings(
    node: Sampler, seen: dict[Node, Array], running: Execution, n: int, randomness: Randomness
) -> Iterable[Any]:
    """n draws of a sampler; together, where most of the work is the same for all."""
    if isinstance(node, DeepPoint):
        return node.samples(seen, running.numbers, randomness, n)
    return (node.sample(seen, running.numbers, randomness) for _ in range(n))


def _numbers(released: Any) -> Any:
    """What is released as numbers: of a fit, its coefficients."""
    return getattr(released, "coefficients", released)


def _released(running: Execution, node: Any, randomness: Randomness) -> Any:
    running.release([node], randomness)
    return running.released.pop(node)


@attrs.frozen(eq=False)
class MovedRelease:
    """One draw of a release on a statistic and on the same moved by its sensitivity."""

    still: TableRelease
    moved: TableRelease
    claim: Claim
    sensitivity: float

    @property
    def label(self) -> str:
        """The name of the release."""
        return self.still.release.label

    def scores(self, n: int, randomness: Randomness, repeats: int) -> Scores:
        """n times `repeats` draws with the move and without it."""
        scores = of_draws(self.moved, self.still, n * repeats, randomness)
        return summed(scores.rounded(), repeats)


def line(running: Execution, release: Release, loop: Loop | None) -> MovedRelease:
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
    still = TableRelease.of(attrs.evolve(release, times=ONE, sampled=None), running, values)
    noise: Any = type(release.mechanism)
    mechanism: AdditiveNoise = noise(Fraction(still.size))
    claim = claim_of(mechanism, Fraction(most), statistic.unit.relation)
    moved = {**values, **shifted(statistic, values, least, running)}
    return MovedRelease(still, attrs.evolve(still, values=moved), claim, least)


def shifted(
    statistic: Statistic, values: Mapping[Node, Array], by: float, running: Execution
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
