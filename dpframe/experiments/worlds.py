"""The worlds of the papers: tables of public sets, prepared as the papers do, and synthetic ones.

NOT PRIVATE: every preparation reads the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import dpframe as dp
from dpframe.errors import BadData
from dpframe.regressions.penalised import Quadratic, penalised

from .data import Data, DataSet, prepared, standardised
from .declared import Point, TrainTestSplit, World
from .medical_costs import View, synthetic, views

Array = NDArray[Any]


@attrs.frozen
class Preparation:
    """Rows over their own "row" norm or the largest norm, "max"; statistics of all rows, or of the
    training rows after the split; labels over the norm of their row too; a column of ones; training
    entries, and perhaps test entries, of at most `clip` deviations above the mean.
    """

    norm: str = "row"
    before: bool = False
    labels: bool = False
    intercept: bool = False
    clip: float | None = None
    clip_test: bool = False


PREPARATIONS = {
    "row norms, before": Preparation(before=True),
    "row norms": Preparation(),
    "row norms, y included": Preparation(labels=True),
    "maximum norm, before": Preparation("max", before=True),
    "maximum norm": Preparation("max"),
    "maximum norm, intercept": Preparation("max", intercept=True),
    **{f"clip {c}": Preparation("max", clip=c) for c in (1.0, 1.3, 1.6, 2.0)},
    **{
        f"clip {c}, test too": Preparation("max", clip=c, clip_test=True)
        for c in (1.0, 1.3, 1.6, 2.0)
    },
}


def prepared_split(
    table: DataSet, train: Array, test: Array, how: Preparation, setting: dp.Setting
) -> TrainTestSplit:
    """One split, prepared. Errors are in units of the largest training label, whatever the
    preparation does to labels.
    """
    fitted = np.arange(len(table.y)) if how.before else train
    X = table.X
    if how.clip is not None:
        X = clipped(X, fitted, how.clip, train, None if not how.clip_test else test)
    rows = standardised(X, fitted)
    if how.intercept:
        rows = np.column_stack([rows, np.ones(len(rows))])
    lengths = np.linalg.norm(rows, axis=1)
    own = np.where(lengths > 0, lengths, 1)
    if how.norm == "row":
        rows = rows / own[:, None]
    else:
        rows = rows / (lengths[fitted].max(initial=0) or 1)
    y = table.y / (np.abs(table.y[fitted]).max(initial=0) or 1)
    weights = None
    labels = y
    if how.labels:
        second = np.abs(y[fitted] / own[fitted]).max(initial=0) or 1
        labels = y / own / second
        weights = (own[test] * second) ** 2
    return TrainTestSplit(
        X=rows[train],
        y=labels[train],
        rows=rows[test],
        labels=labels[test],
        setting=setting,
        n=len(y),
        weights=weights,
    )


def clipped(X: Array, fitted: Array, c: float, train: Array, test: Array | None) -> Array:
    """Entries of at most mean + c std of the rows `fitted`, in the rows `train`, and in `test`
    where these are given. [Thesis, Eq. 3.8, 3.9]
    """
    upper = X[fitted].mean(axis=0) + c * X[fitted].std(axis=0)
    result = X.copy()
    for place in (train, test):
        if place is not None:
            result[place] = np.minimum(X[place], upper)
    return result


def scaled_columns(X: Array) -> Array:
    """Columns onto [-1, 1] by their least and largest entries; zeros where these are equal."""
    low, high = X.min(axis=0), X.max(axis=0)
    width = high - low
    scaled: Array = np.where(width > 0, 2 * (X - low) / np.where(width > 0, width, 1) - 1, 0)
    return scaled


Indices = NDArray[np.intp]

FOLDS = 10


def folds(
    n: int, rng: np.random.Generator, count: int = FOLDS
) -> Iterator[tuple[Indices, Indices]]:
    """Rows to train on and rows to test on, `count` times; every row is tested on once.

    Raises BadData where n < `count`: a fold would be empty.
    """
    if n < count:
        raise BadData("data", f"at least {count} rows, one a fold", n)
    tests = np.array_split(rng.permutation(n), count)
    return ((np.concatenate(tests[:i] + tests[i + 1 :]), test) for i, test in enumerate(tests))


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
    """Budgets (n,): groups stand one after the other, the last has the remaining records."""
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


UNIT = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
BOX = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TESTED = 0.1  # of the rows, where the paper has splits instead of folds


def _places(n: int, point: Point, rng: Generator) -> Iterator[tuple[Array, Array]]:
    """Ten folds; or, where the point has `splits`, as many random splits, a tenth to test on."""
    if "splits" not in point:
        yield from folds(n, rng, FOLDS)
        return
    for _ in range(point["splits"]):
        order = rng.permutation(n)
        tested = max(1, round(n * point.get("tested", TESTED)))
        yield order[tested:], order[:tested]


def _splits(table: DataSet, point: Point, rng: Generator, **of: Any) -> Iterator[TrainTestSplit]:
    """A table whose rows and labels are in the units of the fit."""
    n = len(table.y)
    for train, test in _places(n, point, rng):
        X, y = table.X[test], table.y[test]
        yield TrainTestSplit(
            X=table.X[train], y=table.y[train], rows=X, labels=y, setting=UNIT, n=n, **of
        )


def _set(point: Point, rng: Generator, data: Data) -> Iterator[TrainTestSplit]:
    yield from _splits(prepared(data.table(point["set"])), point, rng)


UCI = World(_set, ("set",), sets="set")
"""z-scores, rows of length 1, labels over the largest, all by the whole table. [Wang18, Sec 5]"""


def _prepared(point: Point, rng: Generator, data: Data) -> Iterator[TrainTestSplit]:
    table = data.table(point["set"])
    how = PREPARATIONS[point["preparation"]]
    for train, test in _places(len(table.y), point, rng):
        yield prepared_split(table, train, test, how, UNIT)


PREPARED = World(_prepared, ("set", "preparation"), sets="set", same=("preparation",))
"""The preparations of [Thesis, Ch. 3], by name."""


def _spherical(n: int, d: int, rng: Generator) -> Array:
    """Rows of standard normal entries over their lengths."""
    X = rng.standard_normal((n, d))
    found: Array = X / np.linalg.norm(X, axis=1, keepdims=True)
    return found


def _wang_coded(point: Point, rng: Generator, _: Data) -> Iterator[TrainTestSplit]:
    """Coefficients of length 1/sqrt 2, rows of length 1, uniform noise of width 0.1."""
    theta = _spherical(1, 10, rng)[0] / np.sqrt(2)
    X = _spherical(point["n"], 10, rng)
    y = X @ theta + 0.1 * (rng.random(point["n"]) - 0.5)
    yield from _splits(DataSet("coded", X, y), point, rng, truth=theta)


def _wang_printed(point: Point, rng: Generator, _: Data) -> Iterator[TrainTestSplit]:
    """Coefficients uniform in [0, 1]^10, rows and noise standard normal; as the regressions take
    rows of length 1 only, everything is divided by its largest size.
    """
    theta = rng.random(10)
    X = rng.standard_normal((point["n"], 10))
    y = X @ theta + rng.standard_normal(point["n"])
    row, label = np.linalg.norm(X, axis=1).max(), np.abs(y).max()
    table = DataSet("printed", X / row, y / label)
    yield from _splits(table, point, rng, truth=theta * row / label, factor=(label / row) ** 2)


WANG_CODED = World(_wang_coded, ("n",))
"""The linear Gaussian model as exp_simulation.m draws it. [Wang18]"""
WANG_PRINTED = World(_wang_printed, ("n",))
"""The linear Gaussian model of the caption. [Wang18, Fig 3]"""


def _piazza(point: Point, rng: Generator, _: Data) -> Iterator[TrainTestSplit]:
    """Coefficients and rows of length 1, normal noise of std 0.1; labels over the largest, where
    that exceeds the bound of 1.
    """
    theta = _spherical(1, 10, rng)[0]
    X = _spherical(point["n"], 10, rng)
    y = X @ theta + 0.1 * rng.standard_normal(point["n"])
    over = max(1.0, float(np.abs(y).max()))
    yield from _splits(
        DataSet("piazza", X, y / over), point, rng, truth=theta / over, factor=over**2
    )


PIAZZA = World(_piazza, ("n",))
"""The synthetic data of [Piazza21, Sec 5.2]."""

PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
SHAPES = {"ridge": 1.0, "LASSO": 0.0, "elastic net": 0.5}  # of the squares in the penalty


def _boxed(point: Point, rng: Generator, data: Data) -> Iterator[TrainTestSplit]:
    """Columns and labels onto [-1, 1], a fifth to test on, penalties by cross-validation of the
    model without noise; RMSE in the units of the scaled labels.
    """
    table = data.table(point["set"])
    columns = point.get("columns") or range(table.X.shape[1])
    X, y = scaled_columns(table.X[:, list(columns)]), scaled_columns(table.y[:, None])[:, 0]
    order = rng.permutation(len(y))
    test, train = np.split(order, [len(y) // 5])
    own = {f"penalty of {name}": _chosen(X[train], y[train], a) for name, a in SHAPES.items()}
    yield TrainTestSplit(
        X=X[train], y=y[train], rows=X[test], labels=y[test], setting=BOX, n=len(y), own=own
    )


def _chosen(X: Array, y: Array, alpha: float, count: int = 5) -> float:
    """The penalty with the least error over five folds of rows in a random order."""
    parts = np.array_split(np.arange(len(y)), count)
    grams = [(X[part].T @ X[part], X[part].T @ y[part]) for part in parts]
    gram, moment = (np.sum([one[i] for one in grams], axis=0) for i in (0, 1))
    errors = np.zeros(len(PENALTIES))
    for part, (less_gram, less_moment) in zip(parts, grams, strict=True):
        form = Quadratic(gram - less_gram, moment - less_moment)
        for i, lam in enumerate(PENALTIES):
            theta = penalised(form, lam, alpha).coefficients
            errors[i] += float(np.sum((y[part] - X[part] @ theta) ** 2))
    return PENALTIES[int(errors.argmin())]


BOXED = World(_boxed, ("set", "columns"), sets="set")
"""The data of [Dandekar18, Sec 5]."""


def _groups(point: Point) -> Groups:
    """Shares and ends of budgets, of those that the point names in the place of the usual."""
    exact = {name: Fraction(str(point[name])) for name in BUDGETS if name in point}
    (f_c, eps_c, eps_m), (f_m, _, eps_l) = GROUPS["conservative"], GROUPS["medium"]
    f_c, f_m = exact.get("f_c", f_c), exact.get("f_m", f_m)
    eps_c, eps_m = exact.get("eps_c", eps_c), exact.get("eps_m", eps_m)
    return {
        "conservative": (f_c, eps_c, eps_m),
        "medium": (f_m, eps_m, eps_l),
        "liberal": (1 - f_c - f_m, eps_l, eps_l),
    }


BUDGETS = ("f_c", "f_m", "eps_c", "eps_m")


def _personal(view: View, point: Point, rng: Generator) -> TrainTestSplit:
    """A fifth of the people to test on, rounded up, a fraction of the others in training."""
    n = len(view.labels)
    places = rng.permutation(n)
    test, rest = np.split(places, [-(-n // 5)])
    train = rest[: round(len(rest) * point.get("fraction", 1))]
    budgets = drawn(len(train), rng, _groups(point))
    return TrainTestSplit(
        X=view.X[train],
        y=view.y[train],
        rows=view.rows[test],
        labels=view.labels[test],
        setting=view.setting(dp.REPLACE_ONE),
        n=n,
        budgets=budgets,
        factor=view.factor,
        own={
            "kept, largest": max(1, round(len(train) * kept_share(1.0))),
            "records": len(train),
            "mean of labels": float(view.labels[train].mean()),
        },
    )


def _people(point: Point, rng: Generator, data: Data) -> Iterator[TrainTestSplit]:
    of = {one.name: one for one in views(data.people())}
    yield _personal(of[point.get("rows", "|x|^2 <= d")], point, rng)


def _synthetic(point: Point, rng: Generator, _: Data) -> Iterator[TrainTestSplit]:
    yield _personal(synthetic(point.get("n", 100), 30, rng), point, rng)


INSURANCE = World(_people, (*BUDGETS, "fraction", "rows"), costs=True)
"""The medical costs, encoded as in [Acharya24, Sec 4], and budgets drawn for them."""
UNIFORM = World(_synthetic, (*BUDGETS, "fraction", "n"))
"""The synthetic data of [Acharya24, Sec 4]: d = 30, n = 100, of which 20 are tested on."""


def _nothing(_point: Point, _rng: Generator, _data: Data) -> Iterator[TrainTestSplit]:
    none = np.zeros((1, 1))
    yield TrainTestSplit(X=none, y=none[0], rows=none, labels=none[0], setting=UNIT, n=1)


THEORY = World(_nothing)
"""No data: for formulas."""


def sampled_largest(kept: int) -> dp.Regression:
    """The sample at the largest threshold, of people of whom `kept` are expected in it."""
    return dp.regressions.SampledRidge(records=dp.constant(kept), threshold=1)


def joined(records: int) -> dp.Regression:
    """PersonalizedRidge where records join: a public number stands for the sum of all budgets."""
    return dp.PersonalizedRidge(total=dp.constant(records * MEAN))
