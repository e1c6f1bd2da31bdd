"""The releases of a certificate, drawn many times on two tables along one history.

Everything is read and drawn by `dpframe.execution`, on both tables, as an execution does it. Later
stages read the same earlier releases on both: one draw of the first table. So the composition of
the releases must hide the pair of products that is sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.execution.draws import ReleaseDraw, times_of
from dpframe.execution.execution import first_pass
from dpframe.execution.running import AnyDraw, Execution, finite
from dpframe.execution.totals import in_integers, real
from dpframe.graph import Loop, Node, Release, Sampler
from dpframe.graph.procedures import DeepPoint
from dpframe.graph.statistics import Stack, Statistic
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness
from dpframe.sources import open_source

from .bounds import Scores
from .claims import ClaimedProfile, claim_of
from .neighbours import AttackedTable, Neighbours
from .scores import Array, learned_scores
from .table_releases import PossibleSamples, TableRelease, scores_of, start


@attrs.frozen(eq=False)
class ReleaseStep:
    """One release of a run; `running` is the execution on the first table that reaches it."""

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
        """The first stage read on both. Raises NotExecutable, BadData."""
        return cls(*(opened(run, table, randomness) for table in pair.tables))

    @property
    def both(self) -> tuple[Execution, Execution]:
        """The first and the second."""
        return self.first, self.second

    def steps(self, randomness: Randomness) -> Iterator[ReleaseStep]:
        """Every release, in order. A step must be drawn from before the next is requested."""
        for stage in range(self.first.stages.count):
            for running in self.both if stage else ():
                running.learn(stage)
                running.compute(stage)
            for drawn, other in self.draws(stage):
                if isinstance(drawn, Loop):
                    yield from self._turns(drawn, randomness)
                else:
                    yield self._once(drawn, other)
                    self._remember(drawn, randomness)

    def draws(self, stage: int) -> list[tuple[AnyDraw, AnyDraw]]:
        """The releases of a stage on either table."""
        return list(zip(self.first.draws(stage), self.second.draws(stage), strict=True))

    def releases(self, drawn: ReleaseDraw, other: ReleaseDraw) -> tuple[TableRelease, TableRelease]:
        """A release of noise on either table."""
        return (
            TableRelease(drawn, self.first.numbers, self.first.values),
            TableRelease(other, self.second.numbers, self.second.values),
        )

    def at(self, loop: Loop, at: Array) -> tuple[TableRelease, TableRelease]:
        """One turn of a loop at a point, on either table, which it reads in full."""
        first, second = (TableRelease.once(loop.step, one, loop, at) for one in self.both)
        return first, second

    def _once(self, drawn: AnyDraw, other: AnyDraw) -> ReleaseStep:
        if isinstance(drawn, ReleaseDraw) and isinstance(other, ReleaseDraw):
            scores = partial(scores_of, *self.releases(drawn, other))
            return ReleaseStep(drawn.release, self.first, scores)
        return ReleaseStep(drawn, self.first, partial(self._procedure_scores, drawn))  # type: ignore[arg-type]

    def _remember(self, drawn: AnyDraw, randomness: Randomness) -> None:
        """One draw of the first table, which later stages of both read."""
        self.first.release([drawn], randomness)
        node: Any = drawn.release if isinstance(drawn, ReleaseDraw) else drawn
        self.second.released[node] = self.first.released[node]

    def _procedure_scores(self, node: Any, n: int, randomness: Randomness) -> Scores:
        return learned_scores(*(procedure_draws(one, node, n, randomness) for one in self.both))

    def _turns(self, loop: Loop, randomness: Randomness) -> Iterator[ReleaseStep]:
        """As `Execution` walks through a loop, on both tables."""
        rate, at = loop.step.sampled, start(loop, self.first)
        path, answers = [at], []
        for turn in range(times_of(loop.step, self.first.numbers)):
            pair: Any = self.at(loop, at)
            if rate is not None:
                pair = [PossibleSamples.of(one, loop, at, rate.value) for one in self.both]
            yield ReleaseStep(loop.step, self.first, partial(scores_of, *pair))
            answers.append(pair[0].answer(randomness))
            arguments = self.first.arguments(loop.arguments)
            at = finite(loop.update(at.copy(), np.array(answers[-1]), turn, *arguments), at.shape)
            path.append(at)
        for running in self.both:
            running.released[loop.step] = np.array(answers)
            running.released[loop] = np.array(path)


def opened(run: AtNumbers, table: AttackedTable, randomness: Randomness) -> Execution:
    """An execution that has read the first stage of a table."""
    source = open_source(run.setting, table.X, table.y, drop=False, budgets=None)
    return first_pass(run, source, None, randomness, ahead=False)[0]


def procedure_draws(running: Execution, node: Any, n: int, randomness: Randomness) -> Array:
    """n draws of a procedure, (n, m), as `Execution` draws it; of a fit, its coefficients. None of
    them is remembered.
    """
    number = running.numbers.towards_zero
    values = {one: real(one, running.values, number) for one in running.values}

    def draw() -> Any:
        if isinstance(node, Sampler):
            return node.sample(values, running.numbers, randomness)
        running.release([node], randomness)
        return running.released.pop(node)

    if isinstance(node, DeepPoint):  # most of the work is the same for all draws
        draws: Any = node.samples(values, running.numbers, randomness, n)
    else:
        draws = (draw() for _ in range(n))
    arrays = (np.asarray(getattr(one, "coefficients", one), dtype=float) for one in draws)
    return np.array([np.ravel(one) for one in arrays])


@attrs.frozen(eq=False)
class MovedRelease:
    """One draw of a release, on its statistic and on that moved by its sensitivity; with the claim
    for that move.
    """

    plain: TableRelease
    moved: TableRelease
    claim: ClaimedProfile
    sensitivity: float

    @classmethod
    def of(cls, running: Execution, release: Release, loop: Loop | None) -> MovedRelease:
        """Raises InvalidArgument for an unbounded statistic, or noise without one loss."""
        statistic, numbers = release.statistic, running.numbers
        sensitivity = statistic.sensitivity(release.noise.norm)
        if sensitivity is None:
            raise InvalidArgument("statistic", "bounded", statistic.label, "Clip its rows.")
        most, least = numbers.up(sensitivity.value), numbers.down(sensitivity.value)
        plain = TableRelease.once(release, running, loop)
        noise: Any = type(release.mechanism)
        claim = claim_of(noise(Fraction(plain.size)), Fraction(most), statistic.unit.relation)
        moved = {**plain.values, **shifted(statistic, plain.values, least, running)}
        return cls(plain, attrs.evolve(plain, values=moved), claim, least)


def shifted(
    statistic: Statistic, values: Mapping[Node, Array], by: float, running: Execution
) -> dict[Node, Array]:
    """The first number of the statistic, `by` larger; of one on a grid, in whole steps."""
    first = statistic.parts[0] if isinstance(statistic, Stack) else statistic
    if isinstance(first, Stack):
        return shifted(first, values, by, running)
    value, step = np.array(in_integers(np.asarray(values[first]))), first.step
    move: Any = by if step is None else int(Fraction(by) / Fraction(running.numbers.up(step)))
    value.reshape(-1)[0] += move
    return {first: value}
