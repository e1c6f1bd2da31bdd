"""How often intervals and tests of what a fit has released hold, over drawn tables.

    python benchmarks/inferences.py                # 400 tables a setting: half an hour on one core
    python benchmarks/inferences.py --tables 40
    python benchmarks/inferences.py --only 3 7     # these settings, from the first, 0

Rows are an intercept and d - 1 columns uniform in [-1, 1], over sqrt d; labels in [-1, 1] have a
linear mean, slopes 1.5, 1, -0.5, 0, ... times a constant; delta = 1e-6, add/remove. In percent of
the tables that are not refused. Covered: coefficients by 95% intervals, each; by those that hold
together, "max"; with equal_variance=True. Mean: that at a new row; label: one there, residuals of
any law. Rejected at 5% though true: what two slopes differ by, and what all slopes are (Wald).
Residual variance and R^2: their 95% intervals. Private: the median part of variances that noise
makes.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.estimators.released import evidence_of
from dpframe.inference.inference import Specification, infer
from dpframe.inference.result import Inference
from dpframe.inference.row_set import RowSet

Array = NDArray[Any]
TABLES, ALPHA, SLOPE = 400, 0.05, 0.1
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
REGRESSIONS = {"JointSSP": dp.JointSSP(), "SSP": dp.SSP(), "AdaSSP": dp.AdaSSP()}

Law = tuple[Callable[[Array, Array, np.random.Generator], Array], float]
LAWS: dict[str, Law] = {  # labels of means m and first columns u, and their residual variance
    "normal": (lambda m, _, rng: m + 0.15 * rng.standard_normal(len(m)), 0.15**2),
    "heteroscedastic": (
        lambda m, u, rng: m + 0.25 * np.abs(u) * rng.standard_normal(len(m)),
        0.25**2 / 3,
    ),
    "skewed": (lambda m, _, rng: m + 0.08 * (rng.exponential(size=len(m)) - 1), 0.08**2),
    "two values": (
        lambda m, _, rng: np.where(rng.random(len(m)) < (1 + m) / 2, 1.0, -1.0),
        1.0,
    ),
}
Setting = tuple[str, int, int, str, str]
SETTINGS: tuple[Setting, ...] = (
    ("JointSSP", 2_000, 3, "1", "normal"),
    ("JointSSP", 2_000, 3, "8", "skewed"),
    ("JointSSP", 10_000, 5, "0.3", "normal"),
    ("JointSSP", 10_000, 5, "1", "heteroscedastic"),
    ("JointSSP", 10_000, 5, "1", "two values"),
    ("JointSSP", 10_000, 10, "8", "skewed"),
    ("JointSSP", 50_000, 10, "0.3", "normal"),
    ("JointSSP", 50_000, 10, "1", "skewed"),
    ("JointSSP", 50_000, 5, "8", "heteroscedastic"),
    ("SSP", 2_000, 3, "8", "normal"),
    ("SSP", 10_000, 5, "0.3", "normal"),
    ("SSP", 10_000, 5, "1", "skewed"),
    ("SSP", 50_000, 10, "1", "heteroscedastic"),
    ("SSP", 50_000, 3, "0.3", "two values"),
    ("AdaSSP", 2_000, 3, "1", "skewed"),
    ("AdaSSP", 10_000, 5, "1", "normal"),
    ("AdaSSP", 50_000, 10, "0.3", "heteroscedastic"),
    ("AdaSSP", 50_000, 5, "8", "two values"),
    ("SSP", 10_000, 10, "0.3", "two values"),
    ("AdaSSP", 10_000, 5, "0.3", "two values"),
)


@attrs.frozen(eq=False)
class World:
    """Coefficients (d,) of the mapped rows, the intercept first, and a law of labels."""

    theta: Array
    law: str

    @classmethod
    def of(cls, d: int, law: str) -> World:
        """Slopes of which two are alike where there are that many."""
        slopes = np.zeros(d - 1)
        slopes[:3] = [1.5, 1.0, -0.5][: d - 1]
        return cls(np.sqrt(d) * SLOPE * np.append(0.5, slopes), law)

    def table(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Rows (n, d) and labels (n,)."""
        d = len(self.theta)
        u = rng.uniform(-1, 1, (n, d - 1))
        rows = np.c_[np.ones(n), u] / np.sqrt(d)
        return rows, np.clip(LAWS[self.law][0](rows @ self.theta, u[:, 0], rng), -1, 1)

    @property
    def scale(self) -> float:
        """The residual variance."""
        of_mean = np.mean(self.theta[:1] ** 2) / len(self.theta) + self.explained
        return float(1 - of_mean) if self.law == "two values" else LAWS[self.law][1]

    @property
    def explained(self) -> float:
        """The variance of means."""
        return float(self.theta[1:] @ self.theta[1:] / 3 / len(self.theta))


def held(ends: Array, truth: Any) -> Array:
    """Whether each interval (q, 2) contains its number."""
    found: Array = (ends[..., 0] <= truth) & (truth <= ends[..., 1])
    return found


def scores(world: World, found: Inference, equal: Inference | None, seed: int) -> dict[str, Any]:
    """What held in one table."""
    theta, d = world.theta, len(world.theta)
    X, y = world.table(1, np.random.default_rng([seed, 1]))
    at, slopes = found.get_prediction(X), np.eye(d)[1:]
    same = slopes[-1] - slopes[-2]
    r2 = world.explained / (world.explained + world.scale)
    return {
        "each": held(found.conf_int(ALPHA), theta),
        "all": np.all(held(found.conf_int(ALPHA, simultaneous="max"), theta)),
        "equal": np.nan if equal is None else held(equal.conf_int(ALPHA), theta),
        "mean": held(at.conf_int(ALPHA), X @ theta),
        "label": held(at.conf_int(ALPHA, obs=True), y),
        "contrast": found.t_test(same, same @ theta).pvalue < ALPHA,
        "Wald": found.wald_test(slopes, theta[1:]).pvalue < ALPHA,
        "variance": held(found.scale_conf_int(ALPHA), world.scale) if found.variation else np.nan,
        "R^2": held(found.rsquared_conf_int(ALPHA), r2) if found.variation else np.nan,
        "private": found.t_test().shares,
    }


@functools.cache
def certified(name: str, epsilon: str) -> dp.Certificate:
    """A regression at a budget."""
    target = dp.ApproxDP(epsilon, "1e-6")
    return dp.certify(REGRESSIONS[name], target=target, setting=SETTING)


def inferred(setting: Setting, world: World, seed: int) -> tuple[Inference, Inference | None]:
    """Of one table; the second without equal variance, where n was released."""
    name, n, d, epsilon, _ = setting
    rng = np.random.default_rng([n, d, seed])
    run = certified(name, epsilon)
    result = dp.execute(run, *world.table(n, rng), rng=int(rng.integers(2**60)))
    constant = np.sqrt(d) * np.eye(d)[0]
    evidence = evidence_of(run, result, {"d": d}, constant)
    given: dict[str, Any] = {"bound": 1.0, "rows": RowSet(1.0), "constant": constant}
    try:
        equal = infer(evidence, Specification(**given, equal_variance=True))
    except InvalidArgument:
        equal = None
    return infer(evidence, Specification(**given)), equal


def line(setting: Setting, tables: int) -> list[str]:
    """One row: refused tables, then what held in the others."""
    world, found = World.of(setting[2], setting[4]), []
    for seed in range(tables):
        plain, equal = inferred(setting, world, seed)
        if not plain.open_ended and not plain.unseen.lost.size:
            found.append(scores(world, plain, equal, seed))
    name, n, d, epsilon, law = setting
    head = [name, f"{n:,}", str(d), epsilon, law, f"{100 * (1 - len(found) / tables):.1f}"]
    if not found:
        return [*head, *["-"] * 10]
    means = [
        float((np.median if key == "private" else np.mean)([one[key] for one in found]))
        for key in found[0]
    ]
    return [*head, *("-" if np.isnan(mean) else f"{100 * mean:.1f}" for mean in means)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--only", type=int, nargs="*", default=range(len(SETTINGS)))
    given = parser.parse_args()
    shown = Table("", "n", "d", "epsilon", "labels", "refused", "each", "all", "equal", "mean")
    for title in ("label", "contrast", "Wald", "variance", "R^2", "private"):
        shown.add_column(title)
    for place in track(given.only, description="settings", transient=True):
        shown.add_row(*line(SETTINGS[place], given.tables))
    Console(width=150).print(shown)


if __name__ == "__main__":
    main()
