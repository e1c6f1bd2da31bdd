"""Experiments as frozen values: data, methods, axes, repeats and metrics.

An `Experiment` is computed; an `Item`, a table or figure of a paper, shows a part of it. Nothing
here is private: the data is public, and preparations read it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import dpframe as dp
from dpframe.regressions.solve import Fit

from .data import Data

Array = NDArray[Any]
Point = Mapping[str, Any]
"""Values of the parameters of an experiment: of its axes, and the fixed ones."""

DELTAS: dict[str, Callable[[int], float]] = {
    "1/n^1.1": lambda n: n**-1.1,
    "1/n^2": lambda n: float(n) ** -2,
    "min(1e-6, 1/n^2)": lambda n: min(1e-6, float(n) ** -2),
}


@attrs.frozen(eq=False, kw_only=True)
class TrainTestSplit:
    """Training and test rows, in the units of the fit.

    `X`, `y` are for training; `rows` (m, d) and `labels` (m,) for testing. `truth` (d,) are the
    true coefficients, where they exist. `n` counts the rows of the whole table. A squared error
    times `factor`, or times that of its row in `weights` (m,), is in the units of the paper. `own`
    are parameters chosen by the split.
    """

    X: Array
    y: Array
    rows: Array
    labels: Array
    setting: dp.Setting
    n: int
    truth: Array | None = None
    budgets: Array | None = None
    factor: float = 1.0
    weights: Array | None = None
    own: Point = attrs.Factory(dict)

    def delta(self, point: Point) -> float:
        """The value of a delta such as "1/n^2"."""
        delta = point["delta"]
        return DELTAS[delta](self.n) if isinstance(delta, str) else float(delta)


@attrs.frozen(eq=False)
class World:
    """A source of rows, `splits(point, rng, data)`, which reads the parameters `reads`, of which
    `sets` names data sets; `costs`: whether it reads the medical costs.

    `same` are parameters that change the preparation of rows, and not which rows are drawn.
    """

    splits: Callable[[Point, Generator, Data], Iterable[TrainTestSplit]]
    reads: tuple[str, ...] = ()
    costs: bool = False
    sets: str | None = None
    same: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Metric:
    """A number of each fit, `of(split, fit, point)`, and its summaries: of one repeat by the
    `inner` mean or std, of all repeats by the `outer` mean, median or variance.

    Numbers are divided by those of the method `over` in the same repeat.
    """

    name: str
    of: Callable[[TrainTestSplit, Fit, Point], float]
    inner: str = "mean"
    outer: str = "mean"
    over: str | None = None
    reads: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Figure:
    """A picture of an item: `x` is an axis, its panels are the values of other axes, of "metric" or
    of "method", without the baselines, which are drawn in each of these.

    A curve shows a method at a value of the remaining axes. Its `band` is the 95% "interval" of the
    mean, the "std" of repeats, "20-80" for quantiles, or empty; `kind` is "lines" or "box". The
    y axis ends at `ceiling`, (method, factor of its largest value), so that no diverging curve
    hides the others. A linear y axis is that of a share, from 0 to 1.
    """

    x: str
    label: str
    y: str
    panels: tuple[str, ...] = ()
    log: str = "xy"
    band: str = ""
    kind: str = "lines"
    mark: float | None = None
    ceiling: tuple[str, float] | None = None


@attrs.frozen(eq=False)
class Experiment:
    """Every method on every split of the rows, at every point of the axes.

    A repeat draws new splits, and each split is fitted `draws` times. `quick` has fewer repeats,
    draws and values. `published` is a file of numbers, each the mean of `theirs` fits.
    """

    name: str
    world: World
    axes: Mapping[str, tuple[Any, ...]]
    methods: tuple[Any, ...]
    metrics: tuple[Metric, ...]
    given: Point = attrs.Factory(dict)
    repeats: int = 20
    draws: int = 1
    quick: Mapping[str, Any] = attrs.Factory(dict)
    published: str | None = None
    theirs: int = 1

    def reads(self, method: Any) -> tuple[str, ...]:
        """The parameters that the metrics of a fit of the method depend on."""
        measured = (name for metric in self.metrics for name in metric.reads)
        return tuple(dict.fromkeys((*self.world.reads, *method.reads, *measured)))


@attrs.frozen(eq=False)
class Item:
    """A table or figure of a paper: a part of an experiment.

    `where` restricts axes, `methods` and `metrics` by name; all where they are empty. `stand_in`
    describes data other than the paper's; `note` other differences. `over` names the method of the
    denominators in a column of ratios.
    """

    name: str
    paper: str
    title: str
    run: Experiment
    figure: Figure | None = None
    where: Mapping[str, tuple[Any, ...]] = attrs.Factory(dict)
    methods: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    stand_in: str = ""
    note: str = ""
    repeats: int | None = None
    published: str | None = None
    over: str = ""

    def values(self, *, quick: bool) -> dict[str, tuple[Any, ...]]:
        """The values of each axis; where quick, those that the run's quick version keeps."""
        values = {}
        for axis, whole in self.run.axes.items():
            shown = tuple(self.where.get(axis, whole))
            fewer = tuple(value for value in shown if value in self.run.quick.get(axis, shown))
            values[axis] = (fewer or shown[:1]) if quick else shown
        return values

    def points(self, *, quick: bool) -> Iterator[dict[str, Any]]:
        """Every combination, with what is given; other parameters of the world are None."""
        values = self.values(quick=quick)
        given = {**dict.fromkeys(self.run.world.reads), **self.run.given}
        for combination in itertools.product(*values.values()):
            yield {**given, **dict(zip(values, combination, strict=True))}

    def amounts(self, *, quick: bool) -> tuple[int, int]:
        """Repeats, and draws of noise for each split."""
        repeats = self.repeats or self.run.repeats
        if not quick:
            return repeats, self.run.draws
        fewer = min(repeats, self.run.quick.get("repeats", 2))
        return fewer, self.run.quick.get("draws", self.run.draws)

    def shown_methods(self) -> tuple[Any, ...]:
        """The methods that are shown."""
        return _named(self.run.methods, self.methods)

    def needed_methods(self) -> tuple[Any, ...]:
        """The methods that are shown, and those of denominators."""
        over = {metric.over for metric in self.shown_metrics()}
        shown = {one.name for one in self.shown_methods()} | over
        return tuple(one for one in self.run.methods if one.name in shown)

    def shown_metrics(self) -> tuple[Metric, ...]:
        """The metrics that are shown."""
        return _named(self.run.metrics, self.metrics)


def _named(things: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Those with these names; all where there are none."""
    return tuple(one for one in things if not names or one.name in names)


def squared_error(split: TrainTestSplit, fit: Fit, _point: Point) -> float:
    """The mean squared error on the test rows, in the units of the paper."""
    squares = (split.labels - split.rows @ fit.coefficients) ** 2
    return float(np.mean(squares * (split.factor if split.weights is None else split.weights)))


def root_squared_error(split: TrainTestSplit, fit: Fit, point: Point) -> float:
    """Its root."""
    return float(np.sqrt(squared_error(split, fit, point)))


def penalised_error(split: TrainTestSplit, fit: Fit, point: Point) -> float:
    """The mean squared error and penalty |theta|^2. [Acharya24, Sec 4]"""
    length = float(fit.coefficients @ fit.coefficients)
    return squared_error(split, fit, point) + float(point["penalty"]) * length


def distance(split: TrainTestSplit, fit: Fit, _point: Point) -> float:
    """|theta - truth|^2, in the units of the paper."""
    return split.factor * float(np.sum((fit.coefficients - split.truth) ** 2))


def no_ridge(_split: TrainTestSplit, fit: Fit, _point: Point) -> float:
    """1 where the adaptive ridge was 0, else 0."""
    return float(fit.ridge_was_zero)


def first_coefficient(_split: TrainTestSplit, fit: Fit, _point: Point) -> float:
    """The number of a formula."""
    return float(fit.coefficients[0])
