"""One execution on its way through the stages of its graph: pass, release, learn, pass again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable, PostFailed
from dpframe.graph import (
    Graph,
    Known,
    Loop,
    Node,
    Procedure,
    Release,
    RowsNode,
    Sampler,
    Searcher,
    points_of,
)
from dpframe.graph.procedures.random_stopping import RandomStopping
from dpframe.graph.statistics import RecordSum, Searched, Statistic
from dpframe.identity import own, strangers
from dpframe.prover.at_numbers import AtNumbers
from dpframe.prover.report import Report
from dpframe.randomness import Randomness
from dpframe.randomness.laws import bernoulli
from dpframe.sources import Source
from dpframe.sources.table import Block
from dpframe.symbols import Expression, Number

from .draws import ReleaseDraw, times_of
from .numbers import PublicNumbers
from .one_pass import FixedSample, InOrder, Sample, empty_block
from .receipts import applied
from .stages import NO_GUESS, EqualSums, Guess, Stages, staged
from .totals import NO_SUMS, Pass, PassSums, Search, derived, reading_of, real
from .views import NOTHING, Held, SourceOnGrid, needed, on_grid, reads_of

Array = NDArray[Any]
ONE = Number(Fraction(1))
AGAIN = (
    "rows that were sampled by budgets of their own are not sampled again: leave sampled= out, or "
    "use one budget for all records"
)


@attrs.frozen(eq=False)
class SampledDraw:
    """A release of which each of `turns` draws reads a fresh sample of the rows."""

    release: Release
    once: ReleaseDraw
    turns: int

    @classmethod
    def of(cls, release: Release, numbers: PublicNumbers) -> SampledDraw:
        """All that may be refused is refused here. Raises NotExecutable, InvalidArgument."""
        once = ReleaseDraw.of(attrs.evolve(release, times=ONE), numbers)
        return cls(release, once, times_of(release, numbers))


AnyDraw = ReleaseDraw | SampledDraw | Sampler | Searcher | RandomStopping | Loop


@attrs.frozen(eq=False, repr=False)  # it holds sums without noise
class Execution:
    """A certificate, a table and the results so far: `values` of statistics, in whole steps or in
    doubles, and everything `released`, with functions of it.
    """

    certificate: AtNumbers
    source: Source
    executor: Any
    numbers: PublicNumbers
    stages: Stages
    values: dict[Node, Any] = attrs.field(factory=dict)
    released: dict[Node, Any] = attrs.field(factory=dict)
    budgets: Mapping[Node, Array] = attrs.field(factory=dict)
    """The inputs of maps from the budgets of records."""
    fixed_sample: FixedSample | None = None
    """The secret sample that everything reads."""
    guess: Guess = NO_GUESS
    predicted: dict[Node, Any] = attrs.field(factory=dict)
    """Predicted sums, read by the first pass."""
    max_turns: int | None = None
    """Of every loop, in a rehearsal: later ones repeat the last."""

    @property
    def graph(self) -> Graph:
        """What is run."""
        return self.stages.graph

    @property
    def _empty(self) -> Block:
        """A block of the table without rows."""
        return empty_block(self.certificate.setting, self.source.columns)

    def compute(self, stage: int) -> None:
        """Compute the statistics of a stage, except those that wait for the point of a loop."""
        self.values.update(self._computed(self._pending(stage), {}))

    def reuse(self, stage: int) -> None:
        """Take over sums that were read already: predicted ones, or of the same rows and labels."""
        unknown = [one for one in self._pending(stage) if isinstance(one, RecordSum)]
        for one in unknown:
            if one in self.predicted and self.guess.holds(one, self.numbers.learned):
                self.values[one] = self.predicted[one]
        alike = EqualSums.of(self.graph, self.numbers, self.released)
        same = {
            one: alike.first(one, self.values) for one in unknown if alike.has_zero_residuals(one)
        }
        self.values.update(
            {one: self.values[other] for one, other in same.items() if other is not None}
        )

    def reads_rows(self, stage: int) -> bool:
        """Whether a stage has sums for which rows are read."""
        requested = [one for one in self._pending(stage) if isinstance(one, RecordSum)]
        return any(isinstance(one, RowsNode) for one in needed(self.graph, requested))

    def _pending(self, stage: int) -> list[Statistic]:
        """The statistics of a stage that are not yet computed, except those of points of loops."""
        result = [node for node in self.stages.statistics(stage) if node not in self.values]
        return [node for node in result if not points_of(node)] if self.graph.loops else result

    def take_over(self, reading: Pass, sums: PassSums, requested: Sequence[Statistic]) -> None:
        """Take over the results of the first pass."""
        number, first = self.numbers.towards_zero, set(requested)
        result = dict(zip(reading.sums, sums.parts, strict=True))
        self.predicted.update({one: value for one, value in result.items() if one not in first})
        given_values: dict[Node, Any] = {one: result[one] for one in reading.sums if one in first}
        self.values.update(derived(self.graph, (), NO_SUMS, number, requested, before=given_values))
        self.values.update(self._searched(requested, self.budgets))

    def on_grid(self, held: Held) -> Execution:
        """The same, with rows put onto their grid once, here and in memory. Results are
        shared.
        """
        if self.executor is not None or self.fixed_sample is not None or self.max_turns is not None:
            return self
        of = (held, self.graph, self.numbers.towards_zero, self._empty, self.released)
        return attrs.evolve(self, source=on_grid(self.source, *of))

    def draws(self, stage: int) -> list[AnyDraw]:
        """The draws of a stage, in order, with every number that they need. Raises NotExecutable
        where code of the declaration changed the graph meanwhile.
        """
        self._check_unchanged()  # and empty caches, into which a function may have put others
        draws = [self._draw(node) for node in self.stages.charged(stage)]
        self._check_unchanged()
        return draws

    def _check_unchanged(self) -> None:
        if not self.certificate.report.unchanged:
            raise changed_since(self.certificate.report)

    def learn(self, stage: int) -> None:
        """Compute functions of earlier stages, and give their numbers to formulas."""
        for node in self.stages.follows(stage):
            if isinstance(node, Known):
                released = self.released[node.value]
                number = applied(node.learned, node.label, [released, self.numbers.up])
                self.numbers.learn(node.name, number)
                self.released[node] = float(number)
            else:
                arguments = self.arguments(node.arguments)
                self.released[node] = applied(node.function, node.label, arguments)

    def release(self, draws: Iterable[AnyDraw], randomness: Randomness) -> None:
        """Draw, in order."""
        for draw in draws:
            if isinstance(draw, ReleaseDraw):
                self.released[draw.release] = draw.released(self.values, randomness)
            elif isinstance(draw, Loop):
                self._loop(draw, randomness)
            elif isinstance(draw, SampledDraw):
                self.released[draw.release] = self._sampled(draw, randomness)
            else:
                self.released[draw] = self._procedure(draw, randomness)

    def at_point(
        self, loop: Loop, at: Array, sample: Callable[[Block], Block] | None = None
    ) -> dict[Node, Any]:
        """The statistics of a loop's step at one of its points, of all rows or a sample of them."""
        requested = [node for node in self.graph.statistics if loop.point in points_of(node)]
        return self._computed(requested, {loop.point: at}, sample)

    def arguments(self, arguments: Sequence[Any]) -> list[Any]:
        """The arguments of a function: copies of arrays, formulas as numbers, constants."""
        return [self._argument(argument) for argument in arguments]

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, Expression):
            return self.numbers.up(argument)
        value = self._value(argument) if isinstance(argument, Node) else argument
        return value.copy() if isinstance(value, np.ndarray) else value

    def _value(self, node: Node) -> Any:
        """Released; or raw, which no certificate admits, in the simulation of a baseline."""
        if node in self.released:
            return self.released[node]
        return real(node, self.values, self.numbers.towards_zero)

    def _draw(self, node: Release | Procedure) -> AnyDraw:
        if isinstance(node, (Sampler, Searcher, RandomStopping)):
            return node
        if isinstance(node, Procedure):
            raise NotExecutable(f"{node.label} does not say how it draws. Derive it from Sampler.")
        loops = {loop.step: loop for loop in self.graph.loops}
        if node.sampled is not None and node not in loops:
            if self.fixed_sample is not None:
                raise NotExecutable(AGAIN)
            return SampledDraw.of(node, self.numbers)
        loop = loops.get(node)
        return ReleaseDraw.of(node, self.numbers) if loop is None else loop

    def _computed(
        self,
        requested: Sequence[Statistic],
        given: Mapping[Node, Array],
        sample: Callable[[Block], Block] | None = None,
    ) -> dict[Node, Any]:
        """The values of statistics, from one pass over the table, or a sample of it, and from
        searches.
        """
        number = self.numbers.towards_zero
        if self.fixed_sample is not None and sample is not None:
            raise NotExecutable(AGAIN)
        sample = sample if self.fixed_sample is None else self.fixed_sample.again()
        given_values = self._given(requested) | dict(given)
        held = self.source.held if isinstance(self.source, SourceOnGrid) else NOTHING
        reading = Pass.of(
            self.graph,
            number,
            self._empty,
            requested,
            given=given_values,
            sample=sample,
            rows=held.rows,
            labels=held.labels,
        )
        if not reading.sums and not any(isinstance(one, Searched) for one in requested):
            return derived(self.graph, (), NO_SUMS, number, requested, before=self.values)
        result = self.values
        if reading.sums:
            executor = self.executor if sample is None else InOrder()
            sums = self.source.total(reading, executor=executor)
            result = derived(self.graph, reading.sums, sums, number, requested, before=self.values)
        return {**result, **self._searched(requested, given_values)}

    def _given(self, requested: Sequence[Node]) -> dict[Node, Array]:
        """The released values that maps of records read."""
        read = [node for one in needed(self.graph, requested) for node in reads_of(one)]
        result = {node: self.released[node] for node in read if node in self.released}
        return {**self.budgets, **result}

    def _searched(
        self, requested: Sequence[Statistic], given_values: Mapping[Node, Array]
    ) -> dict[Node, Any]:
        """The values of the statistics among these that are searched for."""
        number, found = self.numbers.towards_zero, dict[Node, Any]()
        with np.errstate(all="ignore"):
            for one in requested:
                if isinstance(one, Searched):
                    value = one.search(self._summed(one, given_values), number)
                    found[one] = np.asarray(value, dtype=float)
        return found

    def _summed(
        self, node: Searched | Searcher, given_values: Mapping[Node, Array]
    ) -> Callable[[Any], Array]:
        """The sum of `work` over the blocks, as the node reads them."""
        maps, number = needed(self.graph, [node]), self.numbers.towards_zero
        given = {**self._given([node]), **given_values}

        def summed(work: Any) -> Array:
            fixed_sample = None if self.fixed_sample is None else self.fixed_sample.again()
            fields = reading_of(maps, number, self._empty, given)
            search = Search(**fields, reads=node.reads, work=work, sample=fixed_sample)
            executor = self.executor if fixed_sample is None else InOrder()
            return np.asarray(self.source.total(search, executor=executor))

        return summed

    def _procedure(
        self, procedure: Sampler | Searcher | RandomStopping, randomness: Randomness
    ) -> Any:
        if isinstance(procedure, RandomStopping):
            return best_of(self, procedure, randomness)
        with np.errstate(all="ignore"):
            if isinstance(procedure, Searcher):
                summed = self._summed(procedure, {})
                return procedure.search(summed, self.numbers, randomness)
            number = self.numbers.towards_zero
            views_of = {node: real(node, self.values, number) for node in self.values}
            return procedure.sample(views_of, self.numbers, randomness)

    def _sampled(self, draw: SampledDraw, randomness: Randomness) -> Any:
        """An answer about each sample: one, or an array of all."""
        release, answers = draw.release, []
        rate = ONE if release.sampled is None else release.sampled
        for _ in range(draw.turns):
            sample = Sample(rate.value, randomness.bits)
            values = self._computed([release.statistic], {}, sample)
            answers.append(draw.once.released(values, randomness))
        return answers[0] if release.times == ONE else np.array(answers)

    def _loop(self, loop: Loop, randomness: Randomness) -> None:
        point, arguments = loop.point, self.arguments(loop.arguments)
        requested = [node for node in self.graph.statistics if point in points_of(node)]
        once, rate = attrs.evolve(loop.step, times=ONE), loop.step.sampled
        if rate is not None and loop.step.statistic not in requested:
            raise NotExecutable(f"{loop.step.label} must read the point of its loop, to be sampled")
        at = np.zeros(round(self.numbers.up(point.size)))
        path, answers, draw = [at], [], ReleaseDraw.of(once, self.numbers)
        turns = times_of(loop.step, self.numbers)
        computed = turns if self.max_turns is None else min(turns, self.max_turns)
        for turn in range(computed):
            sample = None if rate is None else Sample(rate.value, randomness.bits)
            values = self._computed(requested, {point: at}, sample)
            self._check_unchanged()
            answers.append(draw.released(values, randomness))
            answer = np.array(answers[-1])
            try:
                at = applied(_moved, loop.label, [loop.update, at, answer, turn, arguments])
            except PostFailed:
                self.released[loop.step] = np.array(answers)  # drawn values are charged
                raise
            path.append(at)
        path += [at] * (turns - computed)
        answers += answers[-1:] * (turns - computed)
        self.released[loop.step], self.released[loop] = np.array(answers), np.array(path)


def changed_since(report: Report) -> NotExecutable:
    """The refusal of a graph that is no longer the one that was proved."""
    problem = report.problem
    changed = [kind for kind in strangers(problem.parts, own) if kind not in problem.trust]
    kinds = ", ".join(f"{kind.__module__}:{kind.__qualname__}" for kind in changed)
    names = f": {kinds}" if changed else ""
    what = "the graph, or a function or a constant that it reads,"
    return NotExecutable(f"{what} was changed since it was certified{names}. Certify again.")


def _moved(
    update: Callable[..., Any], at: Array, answer: Array, turn: int, arguments: Sequence[Any]
) -> Array:
    """The next point of a loop."""
    return finite(update(at.copy(), answer, turn, *arguments), at.shape)


def finite(point: Any, shape: tuple[int, ...]) -> Array:
    """The point of a loop as an array of its shape; values that are not finite become 0."""
    whole = np.broadcast_to(np.asarray(point, dtype=float), shape)
    return np.asarray(np.nan_to_num(whole.copy()))


def several_passes(stages: Stages) -> bool:
    """Whether the table must be read more than once."""
    later = [node for stage in range(1, stages.count) for node in stages.statistics(stage)]
    searched = any(isinstance(node, Searched) for node in stages.graph.statistics)
    kinds = (RandomStopping, Searcher)
    again = any(isinstance(one, kinds) for one in stages.graph.procedures)
    again = again or any(one.sampled is not None for one in stages.graph.releases)
    of_rows = any(not isinstance(one, Statistic) for node in later for one in node.inputs)
    return bool(stages.graph.loops) or searched or again or of_rows


def check_passes(stages: Stages, source: Source) -> None:
    """Refuse a table that can be read once where it must be read again. Raises BadData."""
    if several_passes(stages):
        wanted = "one that can be read several times, since later steps read released values"
        source.check_passes(wanted, source.again)


def best_of(running: Execution, search: RandomStopping, randomness: Randomness) -> Any:
    """The fit of the run with the lowest score; of equal scores, the first. Number and candidates
    of the runs are drawn by fair bits, independently of the table.
    """
    bits, result, lowest = randomness.bits, None, np.inf
    computed: dict[Graph, dict[Node, Any]] = {}
    stopped, failed = False, None
    while not stopped:
        place = int(bits.below(len(search.graphs), 1)[0])
        graph = search.graphs[place]
        try:
            fit, score = one_run(running, graph, computed.setdefault(graph, {}), randomness)
        except PostFailed as error:
            failed = PostFailed(error.function, "an error, in one of the runs")
        if failed is not None:  # the theorem covers the returned value, not the releases of one run
            raise failed
        if result is None or score < lowest:  # the proof needs an order: no number is the last
            result, lowest = _placed(fit, place), score
        stopped = bool(bernoulli(bits, search.gamma, 1)[0])
    return result


def _placed(fit: Any, place: int) -> Any:
    """A fit that can have it with the place of its candidate (proofs/tuning)."""
    has_place = attrs.has(type(fit)) and "chosen" in attrs.fields_dict(type(fit))
    return attrs.evolve(fit, chosen=place) if has_place else fit


def one_run(
    running: Execution, graph: Graph, computed: dict[Node, Any], randomness: Randomness
) -> tuple[Any, float]:
    """A fit and its score. `computed` has the values that do not change from run to run."""
    from .execution import constants, release_in_stages  # which run this

    stages, numbers = staged(graph), PublicNumbers(running.numbers.certificate)
    inner = attrs.evolve(
        running, stages=stages, numbers=numbers, values=dict(computed), released={}
    )
    inner.learn(0)
    inner.compute(0)
    computed.update(inner.values)
    inner.released.update(constants(inner))
    release_in_stages(inner, inner.draws(0), randomness)
    inner.learn(inner.stages.count)
    fit, score = (inner.released[node] for node in graph.outputs)
    number = float(score)
    return fit, math.inf if math.isnan(number) else number
