"""Running: a task is a world's repeat; tasks run here or in processes, and are written in order."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dpframe.experiments import NOT_PRIVATE
from dpframe.experiments.running import generator
from dpframe.sources import open_source

from .fitting import fitter, setting
from .plan import KEY, RELATIONS, Ask, Contest, Task
from .remembered import Remembered
from .results import Record, Results
from .worlds import Split

Seconds = dict[str, float]
Outcome = tuple[list[Record], Seconds]
DIGITS = 9  # of an error, in the file


def play(
    contest: Contest, results: Results, jobs: int = 1, again: Collection[str] = ()
) -> Iterator[tuple[Task, Seconds]]:
    """Everything that is missing, a task at a time, written before it is given, with the seconds
    that its methods took. Stopped anywhere, it goes on from there the next time. Methods that are
    to be run `again` have new lines, which count instead of the old.
    """
    results.mend()
    done = results.done(again)
    tasks = list(contest.tasks(done))
    with outcomes(tasks, jobs) as found:
        for task, (records, seconds) in zip(tasks, found, strict=True):
            results.append(records)
            yield task, seconds


@contextmanager
def outcomes(tasks: list[Task], jobs: int) -> Iterator[Iterable[Outcome]]:
    """The outcomes of tasks, in their order, from `jobs` processes; from this one where it is 1."""
    if jobs == 1 or len(tasks) < 2:
        with threadpool_limits(1, user_api="blas"):
            yield map(outcome, tasks)
        return
    # Forked processes would inherit the threads' locks; these start fresh.
    context, before = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, context, initializer=alone)
    flying: list[Future[Outcome]] = [pool.submit(outcome, task) for task in tasks]
    try:
        yield (future.result() for future in flying)
    except BaseException:  # Ctrl-C: nobody waits for what nobody will write
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(multiprocessing.active_children()) - before:
            worker.terminate()
        raise
    pool.shutdown()


def alone() -> None:
    """A worker: one thread for BLAS, and Ctrl-C is for whoever started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1, user_api="blas")


def outcome(task: Task) -> Outcome:
    """The lines of a task, and seconds by method."""
    contest, relation = task.contest, RELATIONS[task.contest.relation]
    names = task.world.name, task.world.bounds
    noise = {ask: _noise(task, ask) for ask in task.asks}
    errors: dict[Ask, list[float]] = {ask: [] for ask in task.asks}
    seconds: Seconds = dict.fromkeys((ask.spec for ask in task.asks), 0.0)
    folds = generator(contest.seed, task.repeat, names[0])
    for split in task.world.splits(folds, contest.folds):
        source = Remembered(open_source(setting(relation), split.rows, split.labels))
        for ask in task.asks:
            began = time.perf_counter()
            method = fitter(ask.spec, relation)
            theta = method.fit(source, ask.epsilon, contest.delta, noise[ask])
            seconds[ask.spec] += time.perf_counter() - began
            errors[ask].append(_error(split, theta))
    return [_line(task, ask, errors[ask]) for ask in task.asks], seconds


def _noise(task: Task, ask: Ask) -> np.random.Generator:
    claim = "" if ask.epsilon is None else f"{ask.epsilon:g}"
    return generator(task.contest.seed, task.repeat, task.world.name, ask.spec, claim)


def _error(split: Split, theta: Any) -> float:
    error = float(np.mean((split.test_labels - split.test_rows @ theta) ** 2))
    return float(f"{error:.{DIGITS}g}")


def _line(task: Task, ask: Ask, errors: list[float]) -> Record:
    n, d = task.world.size
    named = dict(zip(KEY, ask.key, strict=True))
    return {"label": NOT_PRIVATE, **named, "n": n, "d": d, "errors": errors}
