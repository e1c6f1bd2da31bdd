"""A picture of a comparison. Needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpframe.errors import MissingExtra

from .figures import exactly

if TYPE_CHECKING:
    from .comparison import Cell, Comparison


def draw(comparison: Comparison, ax: Any) -> Any:
    """Std against epsilon, a line a theorem; solid where it holds, dashed where it does not."""
    axes = new_axes() if ax is None else ax
    order = sorted(range(len(comparison.epsilons)), key=comparison.epsilons.__getitem__)
    epsilons = [float(comparison.epsilons[i]) for i in order]
    for column, theorem in enumerate(comparison.theorems):
        cells = [comparison.cells[i][column] for i in order]
        (line,) = axes.plot(epsilons, _stds(cells, valid=True), marker="o", label=theorem.name)
        if not all(cell.valid for cell in cells):
            label = f"{theorem.name}, outside its theorem"
            style = {"linestyle": "--", "marker": "x", "color": line.get_color()}
            axes.plot(epsilons, _stds(cells, valid=False), label=label, **style)
    axes.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="std of the noise")
    axes.set_title(f"delta = {exactly(comparison.delta)}")
    axes.legend(loc="lower left", fontsize="small")
    return axes


def _stds(cells: list[Cell], *, valid: bool) -> list[float]:
    """The stds where the theorem does or does not hold; gaps elsewhere."""
    return [cell.std if cell.valid is valid else float("nan") for cell in cells]


def new_axes(rows: int = 1, **options: Any) -> Any:
    """Axes of a new figure, one below the other. Raises MissingExtra without matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error
    return plt.subplots(rows, layout="constrained", **options)[1]
