"""The numbers and the picture of docs/splits.md, which this script writes."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

import dpframe as dp
from dpframe.audits.splits.criterion import Criterion
from dpframe.symbols.enclose_each import enclose_each

DOCS = Path(__file__).parents[2]
PAGE, PICTURE = DOCS / "splits.md", DOCS / "images" / "splits.svg"
BALL = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
ALIKE = 1.1
NONE = 3e-7  # a gamma below it is a way to 0
BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def target(epsilon: str) -> dp.Guarantee:
    """At delta = 1e-6."""
    return dp.ApproxDP(epsilon, "1e-6")


@cache
def best(
    regression: dp.Regression, epsilon: str, criterion: Criterion, relation: dp.Relation
) -> dp.audits.Split:
    """The best split at B = Y = 1."""
    setting = dp.Setting(X=BALL.X, y=BALL.y, relation=relation)
    return dp.best_split(regression, target=target(epsilon), setting=setting, criterion=criterion)


def alike(regression: dp.Regression, epsilon: str, found: dp.audits.Split) -> tuple[float, float]:
    """Between which gammas the criterion is at most a tenth above the best."""
    graph = regression.graph(BALL, target(epsilon).budget)
    symbol = regression.gamma
    formula = found.criterion.of(graph, (symbol,))
    grid = np.geomspace(1e-7, 0.5, 12_000)
    grid = np.unique(np.concatenate([grid, 1 - grid]))
    values = enclose_each(formula, {"gamma": (grid, grid)})[1]
    good = grid[values <= ALIKE * found.value]
    return float(good.min()), float(good.max())


def gammas(criterion: Criterion, epsilon: str) -> str:
    """For each version of adaSSPbudget: the best gamma, those alike, the price of a third."""
    cells = []
    for regression in (dp.literature.AdaSSPBudget(), dp.regressions.AdaSSPBudgetTight()):
        found = best(regression, epsilon, criterion, dp.ADD_REMOVE)
        low, high = alike(regression, epsilon, found)
        gamma = float(found.chosen["gamma"].value)
        said = f"{gamma:.2g}" if gamma > NONE else "none"
        price = "inf" if found.gain == float("inf") else f"{found.gain:.2f}"
        cells += [said, f"{low:.2g} to {high:.2g}", price]
    return " | ".join(cells)


HEAD = "best gamma | within a tenth | price of 1/3 | best, tight | within a tenth | price of 1/3 |"


def noise() -> str:
    """gamma by squared noise."""
    lines = [f"| d | {HEAD}", "|" + "---|" * 7]
    columns = (1, 2, 5, 10, 50, 200)
    lines += [f"| {d} | {gammas(dp.audits.NoiseCriterion(d=d), '1')} |" for d in columns]
    return "\n".join(lines) + "\n"


SIZES = [
    (20_480, "1", 1),
    (20_480, "0.1", 1),
    (327_680, "1", 1),
    (327_680, "1", 10),
    (327_680, "1", 100),
    (327_680, "0.1", 1),
]


def error() -> str:
    """gamma by the bound on the error, at d = 10."""
    lines = [f"| n | epsilon | condition | {HEAD}", "|" + "---|" * 9]
    for n, epsilon, condition in SIZES:
        criterion = dp.audits.ErrorCriterion(n=n, d=10, condition=condition)
        lines.append(f"| {n:,} | {epsilon} | {condition} | {gammas(criterion, epsilon)} |")
    return "\n".join(lines) + "\n"


def shares() -> str:
    """All shares, by both formulas."""
    noise, error = dp.audits.NoiseCriterion(d=10), dp.audits.ErrorCriterion(n=100_000, d=10)
    lines = [
        "| declaration | relation | criterion | floor | gram | moment | price as declared |",
        "|" + "---|" * 7,
    ]
    cases = [(dp.SSP(), noise), (dp.SSP(), error), (dp.regressions.ConstSSPFull(), error)]
    cases += [(dp.AdaSSP(), noise), (dp.AdaSSP(), error), (dp.literature.AdaSSPPiazza(), noise)]
    for regression, criterion in cases:
        for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE):
            found = best(regression, "1", criterion, relation)
            cells = [_percent(found.shares.get(name)) for name in ("floor", "gram", "moment")]
            kind = "noise" if criterion is noise else "error"
            said = f"| `{type(regression).__name__}` | {relation} | {kind} | {' | '.join(cells)}"
            lines.append(f"{said} | {found.gain:.2f} |")
    return "\n".join(lines) + "\n"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2g}%"


def pages() -> str:
    """A page, as it is printed."""
    criterion = dp.audits.NoiseCriterion(d=10)
    return f"```text\n{best(dp.literature.AdaSSPBudget(), '1', criterion, dp.ADD_REMOVE)}\n```\n"


BLOCKS: dict[str, Callable[[], str]] = {
    "page": pages,
    "noise": noise,
    "error": error,
    "shares": shares,
}


def renewed(text: str) -> str:
    """The page with its numbers computed anew."""
    return BLOCK.sub(lambda found: found[1] + BLOCKS[found[2]]() + found[3], text)


def draw() -> None:
    """gamma by noise and by error, for three sizes."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "splits", "svg.fonttype": "path", "font.size": 9})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained", sharey=True)
    sets = (
        [(f"d = {d}", dp.audits.NoiseCriterion(d=d)) for d in (1, 10, 200)],
        [(f"n = {n:,}", dp.audits.ErrorCriterion(n=n, d=10)) for n in (2_560, 20_480, 327_680)],
    )
    titles = ("squared noise", "bound on the error, d = 10")
    for ax, criteria, title in zip(axes, sets, titles, strict=True):
        for (label, criterion), style in zip(criteria, ("-", "--", ":"), strict=True):
            _draw(ax, label, criterion, style)
        ax.axvline(1 / 3, color="0.6", linewidth=1)
        ax.annotate("1/3", (1 / 3, 8.6), (-18, 0), textcoords="offset points", color="0.4")
        ax.set(xlabel="gamma", title=title, xscale="log", xlim=(1e-6, 1), ylim=(0.9, 10))
        ax.legend(frameon=False, loc="upper left" if ax is axes[0] else "center left")
        ax.minorticks_off()
    axes[0].set(yscale="log", ylabel="criterion / its least value")
    axes[0].set_yticks([1, 1.5, 2, 3, 5, 10], ["1", "1.5", "2", "3", "5", "10"])
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})


def _draw(ax: object, label: str, criterion: Criterion, style: str) -> None:
    """One curve, and a dot at its least value."""
    regression = dp.regressions.AdaSSPBudgetTight()
    found = best(regression, "1", criterion, dp.ADD_REMOVE)
    graph = regression.graph(BALL, target("1").budget)
    formula = criterion.of(graph, (regression.gamma,))
    grid = np.geomspace(1e-6, 0.999, 3000)
    values = enclose_each(formula, {"gamma": (grid, grid)})[1] / found.value
    (line,) = ax.plot(grid, values, style, label=label)
    ax.plot([float(Fraction(found.chosen["gamma"].value))], [1], "o", color=line.get_color())


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
    draw()
