"""Experiments are run: every method at every point on every split; results are stored at once."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from .data import Data
from .declared import Experiment, Item, Point, TrainTestSplit

Array = NDArray[Any]

DIGITS = 9  # of stored results


@attrs.frozen(eq=False)
class Memory:
    """Results and their seconds of CPU, by a key, and the file to which every new result is
    appended; without a file they end with the process.
    """

    found: dict[str, list[list[float]]] = attrs.Factory(dict)
    seconds: dict[str, float] = attrs.Factory(dict)
    path: Path | None = None

    @classmethod
    def at(cls, path: Path) -> Memory:
        """The results of a file, without a truncated last line."""
        memory = cls(path=path)
        if path.is_file():
            whole = path.read_text("utf-8")
            for line in whole.splitlines():
                try:
                    key, values, seconds = json.loads(line)
                except ValueError:
                    continue
                memory.found[key], memory.seconds[key] = values, seconds
            if whole and not whole.endswith("\n"):
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n")
        return memory

    def put(self, key: str, values: list[list[float]], seconds: float) -> None:
        """Store a result, in the file too."""
        self.found[key], self.seconds[key] = values, round(seconds, 4)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, values, self.seconds[key]]) + "\n")


@attrs.frozen(eq=False)
class Work:
    """An item to compute on data, whole or quick, from a seed."""

    item: Item
    data: Data
    seed: int = 0
    quick: bool = False

    @property
    def points(self) -> list[dict[str, Any]]:
        """All points whose data sets exist."""
        sets, points = self.item.run.world.sets, list(self.item.points(quick=self.quick))
        present = set() if sets is None else set(self.data.present())
        return [point for point in points if sets is None or point[sets] in present]

    @property
    def absent(self) -> list[str]:
        """Data sets that are shown and missing."""
        sets = self.item.run.world.sets
        if sets is None:
            return []
        shown = dict.fromkeys(str(point[sets]) for point in self.item.points(quick=self.quick))
        return [name for name in shown if name not in self.data.present()]

    @property
    def repeats(self) -> int:
        """How often splits are drawn anew."""
        return self.item.amounts(quick=self.quick)[0]

    @property
    def draws(self) -> int:
        """How often noise is drawn for a split."""
        return self.item.amounts(quick=self.quick)[1]

    def key(self, point: Point, method: Any, repeat: int) -> str:
        """Everything that a result depends on, as JSON."""
        run = self.item.run
        values = {name: point[name] for name in run.reads(method) if name in point}
        file = None if run.world.sets is None else str(point[run.world.sets])
        reads_file = run.world.costs or run.world.sets is not None
        mark = self.data.mark(file) if reads_file else ""
        named = [metric.name for metric in run.metrics]
        return canonical(
            [run.name, method.name, values, named, self.draws, self.seed, repeat, mark]
        )

    def world_key(self, point: Point) -> str:
        """The parameters that the splits read, as JSON."""
        return canonical({name: point[name] for name in self.item.run.world.reads})

    def drawn_by(self, point: Point) -> str:
        """The parameters that decide which rows are drawn, as JSON."""
        world = self.item.run.world
        return canonical({name: point[name] for name in world.reads if name not in world.same})

    def tasks(self) -> dict[str, list[tuple[str, dict[str, Any], Any]]]:
        """For each world and repeat the points and methods there, each key once, in order."""
        tasks: dict[str, list[tuple[str, dict[str, Any], Any]]] = {}
        seen = set()
        for repeat in range(self.repeats):
            for point in self.points:
                place = canonical([repeat, self.world_key(point)])
                for method in self.item.needed_methods():
                    key = self.key(point, method, repeat)
                    if key not in seen:
                        seen.add(key)
                        tasks.setdefault(place, []).append((key, point, method))
        return tasks

    def seconds(self, memory: Memory) -> float:
        """The CPU time of all that is shown, whenever it was computed."""
        keys = {key for tasks in self.tasks().values() for key, _, _ in tasks}
        return sum(memory.seconds[key] for key in keys)

    def values(self, memory: Memory, point: Point, method: Any, metric: str) -> Array:
        """The values of a metric, (repeats, splits x draws)."""
        place = [one.name for one in self.item.run.metrics].index(metric)
        keys = [self.key(point, method, repeat) for repeat in range(self.repeats)]
        return np.array([[line[place] for line in memory.found[key]] for key in keys])


def computed(
    work: Work, memory: Memory, *, done: Callable[[int, int], None] = lambda _done, _all: None
) -> Memory:
    """All results of the item; those in memory are not computed again. `done` receives how many
    results there are, and of how many. BLAS has one thread meanwhile: matrices are small.
    """
    tasks = work.tasks()
    total = sum(map(len, tasks.values()))
    count = 0
    with threadpool_limits(1, user_api="blas"):
        for place, wanted in tasks.items():
            missing = [task for task in wanted if task[0] not in memory.found]
            count += len(wanted) - len(missing)
            done(count, total)
            if not missing:
                continue
            repeat = json.loads(place)[0]
            rows = generator(work.seed, repeat, work.item.run.name, work.drawn_by(missing[0][1]))
            splits = list(work.item.run.world.splits(missing[0][1], rows, work.data))
            for key, point, method in missing:
                noise = generator(work.seed, repeat, key)
                began = time.process_time()
                values = list(_fits(work, splits, point, method, noise))
                memory.put(key, values, time.process_time() - began)
                count += 1
                done(count, total)
    return memory


def _fits(
    work: Work, splits: list[TrainTestSplit], point: Point, method: Any, rng: np.random.Generator
) -> Iterator[list[float]]:
    """The metrics of every fit."""
    run: Experiment = work.item.run
    for split in splits:
        for _ in range(work.draws):
            fit = method.fit(split, point, rng)
            yield [float(f"{metric.of(split, fit, point):.{DIGITS}g}") for metric in run.metrics]


def canonical(value: object) -> str:
    """As JSON, the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def generator(seed: int, repeat: int, *names: str) -> np.random.Generator:
    """A generator for each repeat and names, so that methods do not depend on each other."""
    return np.random.default_rng([seed, repeat, *(zlib.crc32(name.encode()) for name in names)])
