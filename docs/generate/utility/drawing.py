"""A picture of a statement: measured as dots, stated as lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpframe.sources.telling import library

from .checked import Checked, Curve

COLOURS = ("#0b5fa5", "#d1495b", "#2a9d5c", "#8a5a00")


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
            figsize=(4.6 * len(shown), 3.4), layout="constrained"
        )
        titles = [found.cite, "counterexample"]
        for axes, curves, title in zip(
            np.ravel(figure.subplots(1, len(shown))), shown, titles, strict=False
        ):
            _draw(axes, curves, title, found.axis.split("; ")[-1 if title != found.cite else 0])
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def _draw(axes: Any, curves: Sequence[Curve], title: str, axis: str) -> None:
    from matplotlib.ticker import NullFormatter

    for curve, colour in zip(curves, COLOURS, strict=False):
        axes.plot(curve.x, curve.measured, "o", color=colour, label=curve.label, markersize=4)
        axes.plot(curve.x, curve.stated, "-", color=colour, linewidth=1.2)
    positive = all((one.measured > 0).all() for one in curves)
    axes.set(xscale="log", yscale="log" if positive else "linear", title=title, xlabel=axis)
    axes.plot([], [], "-", color="grey", label="as stated")
    axes.legend(fontsize=7, framealpha=0.6)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, which="major", alpha=0.3)
