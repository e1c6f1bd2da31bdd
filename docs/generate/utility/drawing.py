"""A picture of a statement: measured as dots, stated as lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpframe.sources.safe_errors import library

from .checked import Checked, Curve

LOOKS = (  # of each curve: colour, marker, its size and filling, the line of what is stated
    ("#0b5fa5", "o", 4, "full", "-"),
    ("#d1495b", "s", 7.5, "none", "--"),
    ("#2a9d5c", "^", 5, "full", "-."),
    ("#8a5a00", "D", 8, "none", ":"),
)


def plot(found: Checked, path: Path) -> None:
    """Draw the measured (dots) beside the stated (lines), and where it is false the counterexample.
    Raises MissingExtra.
    """
    context = library("matplotlib", "plots").rc_context
    sides = [
        [one for one in found.curves if (one.counterexample or one.family) == apart]
        for apart in (False, True)
    ]
    shown = [side for side in sides if side]
    with context({"svg.hashsalt": found.name, "font.size": 9}):
        figure = library("matplotlib.figure", "plots").Figure(
            figsize=(5.2, 3.9 * len(shown)), layout="constrained"
        )
        panels = np.ravel(figure.subplots(len(shown), 1))
        for place, (axes, curves) in enumerate(zip(panels, shown, strict=True)):
            x, y = (said.split("; ")[-place] for said in (found.axis, found.measure))
            axes.set(title="counterexample" if place else found.cite, xlabel=x, ylabel=y)
            _draw(axes, curves)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def _draw(axes: Any, curves: Sequence[Curve]) -> None:
    """Dots and lines; the legend stands below, where it hides no curve."""
    from matplotlib.ticker import NullFormatter

    for curve, (color, marker, size, fill, line) in zip(curves, LOOKS, strict=False):
        look = {"color": color, "markersize": size, "fillstyle": fill}
        axes.plot(curve.x, curve.measured, marker, label=curve.label, **look)
        axes.plot(curve.x, curve.stated, line, color=color, linewidth=1.2)
    positive = all((one.measured > 0).all() for one in curves)
    axes.set(xscale="log", yscale="log" if positive else "linear")
    axes.plot([], [], "-", color="grey", label="lines: as stated")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, which="major", alpha=0.3)
