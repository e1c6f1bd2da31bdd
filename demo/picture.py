"""The picture of the demo: coefficients with and without privacy, and two ways to set the noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpframe as dp
from dpframe.audits import compare
from dpframe.sources.safe_errors import library

from .survey import NAMES, WIDTHS, LeastSquares

Array = NDArray[Any]

TITLES = {
    "age": "age",
    "yrs_married": "years married",
    "children": "children",
    "religious": "religious",
    "educ": "education",
    "occupation": "her occupation",
    "occupation_husb": "his occupation",
}
PRIVATE, PUBLIC, SIMULATED = "#0b5fa5", "#d1495b", "#9db4c0"


def picture(path: Path, private: Array, noise: Array, public: LeastSquares, spread: Array) -> None:
    """Write the picture. Slopes and stds are of shape (7,), `spread` of (repeats, 7).

    Raises MissingExtra.
    """
    figure = library("matplotlib.figure", "plots").Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
    _coefficients(left, private, noise, public, spread)
    _noise(right)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _coefficients(
    axes: Any, private: Array, noise: Array, public: LeastSquares, spread: Array
) -> None:
    """Slopes times the width of the codebook: from the lowest answer to the highest."""
    place = np.arange(len(NAMES))[::-1]
    for j, row in enumerate(place):
        label = f"simulation: {len(spread)} repeats" if j == 0 else None
        height = np.full(len(spread), row - 0.16)
        axes.plot(spread[:, j] * WIDTHS[j], height, "|", color=SIMULATED, alpha=0.4, label=label)
    style = {"capsize": 3, "elinewidth": 1.6}
    axes.errorbar(
        private * WIDTHS,
        place,
        xerr=2 * noise * WIDTHS,
        fmt="o",
        color=PRIVATE,
        label="private, ± 2 std of the noise",
        **style,
    )
    axes.errorbar(
        public.coefficients * WIDTHS,
        place + 0.2,
        xerr=2 * public.std * WIDTHS,
        fmt="D",
        markersize=4.5,
        color=PUBLIC,
        label="without privacy, ± 2 std of sampling",
        **style,
    )
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(place, [TITLES[name] for name in NAMES])
    axes.set_ylim(-0.6, len(NAMES) - 0.4)
    axes.set_xlabel("points of rating, from the lowest answer to the highest")
    axes.set_title("What goes with a better rating, at epsilon = 1", loc="left", weight="bold")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.42, -0.13), ncols=3, fontsize=8, frameon=False
    )
    axes.spines[["top", "right"]].set_visible(False)


def _noise(axes: Any) -> None:
    """Classical noise over the least that is enough."""
    epsilons = [f"{one:.4g}" for one in np.geomspace(0.1, 10, 61)]
    compared = compare(dp.Gaussian.classical, epsilon=epsilons).records()
    for valid, line, label in ((True, "-", "inside its theorem"), (False, "--", "outside")):
        some = [one for one in compared if one["valid"] is valid]
        at, ratios = ([one[name] for one in some] for name in ("epsilon", "ratio"))
        axes.plot(at, ratios, line, color=PUBLIC, label=label)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="epsilon", ylabel="std over the std that is enough")
    axes.set_title("Noise, classical over analytic", loc="left", weight="bold")
    axes.legend(loc="upper right", fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
