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
from scipy.special import logsumexp

from dpframe.errors import InvalidArgument
from dpframe.execution.draws import ReleaseDraw, times_of
from dpframe.execution.execution import first_pass
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.running import ONE, AnyDraw, Execution, finite
from dpframe.execution.totals import in_integers, real
from dpframe.graph import Loop, Node, Release, Sampler
from dpframe.graph.procedures import DeepPoint
from dpframe.graph.statistics import Stack, Statistic
from dpframe.identity import own
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness
from dpframe.randomness.laws import bernoulli
from dpframe.sources import open_source
from dpframe.sources.table import Block
from dpframe.symbols import exact

from .bounds import Array, Scores, density_scores, learned_scores, log_density
from .claims import ClaimedProfile, claim_of
from .neighbours import AttackedTable, Neighbours


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
        claim = _claimed(release, running, Fraction(plain.size), Fraction(most))
        moved = {**plain.values, **shifted(statistic, plain.values, least, running)}
        return cls(plain, attrs.evolve(plain, values=moved), claim, least)


def _claimed(
    release: Release, running: Execution, size: Fraction, most: Fraction
) -> ClaimedProfile:
    """The profile of one draw: of noise from outside, what it states of all numbers together."""
    noise, numbers = release.mechanism, running.numbers
    parameters = {name: Fraction(numbers.up(one)) for name, one in noise.parameters.items()}
    noise = noise.resized(size, **parameters)
    if own(type(noise)):
        return claim_of(noise, most, release.statistic.unit.relation)
    return claim_of(noise.guarantee_among(exact(most), exact(numbers.up(release.entries))))


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


# ------------------------------------------------------------------------- One release on one table
Values = Mapping[Node, Array]
ROWS = 4  # of a table whose samples are listed


@attrs.frozen(eq=False)
class TableRelease:
    """A release of noise and the values that it reads."""

    draw: ReleaseDraw
    numbers: PublicNumbers
    values: Values

    @classmethod
    def of(cls, release: Release, running: Execution, values: Values) -> TableRelease:
        """Raises NotExecutable, InvalidArgument."""
        return cls(ReleaseDraw.of(release, running.numbers), running.numbers, values)

    @classmethod
    def once(
        cls, release: Release, running: Execution, loop: Loop | None, at: Array | None = None
    ) -> TableRelease:
        """One draw on all rows; in a loop, at a point or at its start."""
        values = dict(running.values)
        if loop is not None:
            values |= running.at_point(loop, start(loop, running) if at is None else at)
        return cls.of(attrs.evolve(release, times=ONE, sampled=None), running, values)

    @property
    def release(self) -> Release:
        """The node of the graph."""
        return self.draw.release

    @property
    def size(self) -> float:
        """The size of the noise that is drawn."""
        return self.numbers.up(self.release.mechanism.formula)

    @property
    def copies(self) -> int:
        """The number of draws that it consists of."""
        return self.draw.copies[0] if self.draw.copies else 1

    @property
    def mean(self) -> Array:
        """The statistic's value in doubles."""
        return np.asarray(real(self.release.statistic, self.values, self.numbers.towards_zero))

    def answer(self, randomness: Randomness) -> Any:
        """One draw, as it is released."""
        return self.draw.released(self.values, randomness)

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws of it, (n, *shape), by the path that an execution takes."""
        drawn = attrs.evolve(self.draw, copies=(n * self.copies,)).sample(self.values, randomness)
        return drawn if not self.draw.copies else drawn.reshape(n, self.copies, *drawn.shape[1:])

    def density(self, at: Array) -> Array | None:
        """The logarithm of the stated density of answers, (n, *shape)."""
        return self.noise_density(at - self.mean)

    def noise_density(self, noise: Array) -> Array | None:
        """That of noise; copies add."""
        flat = noise.reshape(-1, *noise.shape[2:]) if self.draw.copies else noise
        release, kind = self.release, type(self.release.mechanism)
        logs = log_density(kind, self.size, flat, symmetric=release.symmetric)
        return logs if logs is None else logs.reshape(len(noise), -1).sum(axis=1)

    def squared_distance(self, other: TableRelease) -> float:
        """Between the statistics, in stds or scales of the noise, of all copies: mu squared where
        the noise is Gaussian.
        """
        once = attrs.evolve(self, draw=attrs.evolve(self.draw, copies=()))
        gap = self.mean - other.mean
        logs = once.noise_density(gap[None])
        if logs is None:
            return float(np.sum(gap**2)) / self.size**2
        away = -float(logs[0])
        return self.copies * (2 * away if self.release.noise.noise == "std" else away**2)


def start(loop: Loop, running: Execution) -> Array:
    """The first point of a loop: zero."""
    return np.zeros(round(running.numbers.up(loop.point.size)))


def masked(bits: int, block: Block) -> Block:
    """The rows whose bit is set, of a table that is one block."""
    mask = (bits >> np.arange(len(block.rows))) & 1 > 0
    return block.only(mask)


@attrs.frozen(eq=False)
class PossibleSamples:
    """A loop's step at one point, on each possible sample of the rows."""

    rows: int
    rate: Fraction
    releases: tuple[TableRelease, ...]

    @classmethod
    def of(cls, running: Execution, loop: Loop, at: Array, rate: Fraction) -> PossibleSamples:
        """One pass for each subset of the rows. Raises InvalidArgument for a table of many."""
        rows = running.source.rows
        if rows is None or rows > ROWS:
            way_out = "The attacker may know all other rows: they only cost time."
            raise InvalidArgument("tables", f"of at most {ROWS} rows here", rows, way_out)
        once = attrs.evolve(loop.step, times=ONE)
        samples = (running.at_point(loop, at, partial(masked, bits)) for bits in range(2**rows))
        return cls(rows, rate, tuple(TableRelease.of(once, running, one) for one in samples))

    @property
    def release(self) -> Release:
        """The node of the graph."""
        return self.releases[0].release

    def subsets(self, n: int, randomness: Randomness) -> Array:
        """The rows of n samples, as bits, by the inclusion indicators of an execution."""
        included = bernoulli(randomness.bits, self.rate, n * self.rows).reshape(n, self.rows)
        return np.asarray(included @ (1 << np.arange(self.rows)), dtype=np.int64)

    def answer(self, randomness: Randomness) -> Any:
        """One draw, on one sample."""
        sample = self.releases[int(self.subsets(1, randomness)[0])].values
        return attrs.evolve(self.releases[0], values=sample).answer(randomness)

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws, each on a fresh sample."""
        subsets = self.subsets(n, randomness)
        answers = np.zeros((n, *self.releases[0].mean.shape))
        for subset in np.unique(subsets):
            places = np.flatnonzero(subsets == subset)
            answers[places] = self.releases[int(subset)].many(len(places), randomness)
        return answers

    def density(self, at: Array) -> Array | None:
        """The logarithm of the density of answers, over all samples."""
        q, logs = float(self.rate), []
        for subset, release in enumerate(self.releases):
            one = release.density(at)
            if one is None:
                return None
            chance = q ** subset.bit_count() * (1 - q) ** (self.rows - subset.bit_count())
            logs.append(one + np.log(max(chance, 1e-300)))
        return np.asarray(logsumexp(logs, axis=0))


def scores_of(
    first: TableRelease | PossibleSamples,
    second: TableRelease | PossibleSamples,
    n: int,
    randomness: Randomness,
) -> Scores:
    """Draws of noise on both tables, or on fresh samples of their rows, by the ratio of the stated
    densities; learned where no density is stated, as of an index, to which nothing was added.
    """
    one, other = (release.many(n, randomness) for release in (first, second))
    if first.release.noise.selects:
        return learned_scores(one, other)
    return density_scores(one, other, (first.density, second.density))
