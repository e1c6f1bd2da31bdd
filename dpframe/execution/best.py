"""The best of a random number of runs, each with noise of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from dpframe.errors import PostFailed
from dpframe.graph import Graph, Node
from dpframe.graph.procedures.random_stopping import RandomStopping
from dpframe.randomness import Randomness
from dpframe.randomness.coins import rational_coins

from .numbers import PublicNumbers
from .stages import staged

if TYPE_CHECKING:
    from .running import Running


def best_of(running: Running, search: RandomStopping, randomness: Randomness) -> Any:
    """The fit of the run with the lowest score; of equal scores, the first. Number and candidates
    of the runs are drawn by fair bits, whatever the table.
    """
    bits, found, lowest = randomness.bits, None, np.inf
    looked: dict[Graph, dict[Node, Any]] = {}
    stopped, failed = False, None
    while not stopped:
        graph = search.graphs[int(bits.below(len(search.graphs), 1)[0])]
        try:
            fit, score = one_run(running, graph, looked.setdefault(graph, {}), randomness)
        except PostFailed as error:
            failed = PostFailed(error.function, "an error, in one of the runs")
        if failed is not None:  # the theorem covers what is returned, not what one run released
            raise failed
        if found is None or score < lowest:  # the proof needs an order: no number is the last
            found, lowest = fit, score
        stopped = bool(rational_coins(bits, search.gamma, 1)[0])
    return found


def one_run(
    running: Running, graph: Graph, looked: dict[Node, Any], randomness: Randomness
) -> tuple[Any, float]:
    """A fit and its score. `looked` keeps what does not change from run to run."""
    from .execution import constants  # which runs this

    inner = attrs.evolve(
        running,
        stages=staged(graph),
        numbers=PublicNumbers(running.numbers.certificate),
        values=dict(looked),
        released={},
    )
    for stage in range(inner.stages.count):
        inner.learn(stage)
        inner.look(stage)
        if stage == 0:
            looked.update(inner.values)
            inner.released.update(constants(inner))
        inner.release(inner.draws(stage), randomness)
    inner.learn(inner.stages.count)
    fit, score = (inner.released[node] for node in graph.outputs)
    number = float(score)
    return fit, math.inf if math.isnan(number) else number
