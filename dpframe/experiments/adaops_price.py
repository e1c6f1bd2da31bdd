"""What repairing AdaOPS costs: its error over that of the printed algorithm with an ideal sampler.

NOT PRIVATE: the preprocessing reads the data, and the printed algorithm has no proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import dpframe as dp

from . import NOT_PRIVATE
from .folds import FOLDS, folds
from .methods import FitFunction, certified, simulated
from .uci import Table, prepared
from .wang_table3 import generator, mean_squared_error

Array = NDArray[Any]

PRINTED = "printed, ideal sampler"
VERSIONS: dict[str, FitFunction] = {
    PRINTED: simulated(dp.literature.AdaOPSPrinted, dp.ADD_REMOVE),
    "AdaOPSRepaired": certified(dp.regressions.AdaOPSRepaired),
    "AdaOPS": certified(dp.regressions.AdaOPS),
}


@attrs.frozen
class Price:
    """Mean squared errors of one set: of zero, and of each version."""

    name: str
    zero: float
    errors: dict[str, float]

    @property
    def counts(self) -> bool:
        """Whether the printed version beats the zero predictor."""
        return self.errors[PRINTED] < self.zero

    def ratio(self, version: str) -> float:
        """Its error over that of the printed version."""
        return self.errors[version] / self.errors[PRINTED]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        ratios = {version: self.ratio(version) for version in VERSIONS}
        return {"label": NOT_PRIVATE, **attrs.asdict(self), "counts": self.counts, "ratios": ratios}


def price(
    table: Table, *, repeats: int = 10, seed: int = 0, epsilon: float = 0.1, delta: float = 1e-6
) -> Price:
    """One set, by 10-fold cross-validation, all versions on the same folds."""
    ready, zero = prepared(table), []
    errors: dict[str, list[float]] = {version: [] for version in VERSIONS}
    with threadpool_limits(1, user_api="blas"):
        for repeat in range(repeats):
            noise = {one: generator(seed, repeat, table.name, one) for one in VERSIONS}
            for train, test in folds(len(ready.y), generator(seed, repeat, table.name), FOLDS):
                X, y = ready.X[test], ready.y[test]
                zero.append(float(np.mean(y**2)))
                for one, fit in VERSIONS.items():
                    theta = fit(ready.X[train], ready.y[train], epsilon, delta, noise[one])
                    errors[one].append(mean_squared_error(X, y, theta))
    means = {one: float(np.mean(found)) for one, found in errors.items()}
    return Price(table.name, float(np.mean(zero)), means)


def medians(prices: Sequence[Price]) -> dict[str, float]:
    """The median ratio of each version, over the sets where the printed one beats zero."""
    counted = [one for one in prices if one.counts]
    ratios = {version: [one.ratio(version) for one in counted] for version in VERSIONS}
    return {
        version: float(np.median(found)) if found else np.nan for version, found in ratios.items()
    }


def lines(prices: Sequence[Price]) -> Iterator[str]:
    """A row a set, then the medians; every line is labelled."""
    yield f"{NOT_PRIVATE}  {'set':<16} {'zero':>9}" + "".join(f" {one:>23}" for one in VERSIONS)
    for one in prices:
        cells = "".join(
            f" {one.errors[version]:>14.4g} ({one.ratio(version):5.2f}x)" for version in VERSIONS
        )
        yield f"{NOT_PRIVATE}  {one.name:<16} {one.zero:>9.4g}{cells}{'' if one.counts else '  -'}"
    counted = sum(one.counts for one in prices)
    told = ", ".join(f"{version} {found:.3f}x" for version, found in medians(prices).items())
    yield f"{NOT_PRIVATE}  medians over the {counted} sets where the printed one beats zero: {told}"
