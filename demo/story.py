"""The sections of the demo: each prints a few lines."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.progress import track
from rich.syntax import Syntax
from rich.table import Table as Columns
from rich.text import Text

import dpframe as dp
from dpframe.audits import audit as audited
from dpframe.audits import compare
from dpframe.prover.text import release_lines, sentence

from . import declaration
from .declaration import CODEBOOK, REGRESSION, SETTING
from .survey import (
    NAMES,
    ROUGHLY,
    LeastSquares,
    Table,
    estimator,
    explained,
    made_up,
    noise_std,
    simulated,
    typical_error,
)

Array = NDArray[Any]

WIDEST = 102
CANDIDATES = (
    dp.SSP(),
    dp.AdaSSP(),
    dp.regressions.AdaSSPBudgetTight(gamma="0.1"),
    dp.regressions.ConstSSPFull(),
)
AUDITED = {
    "SSP, its code [Wang18, suffstats_perturb.m]": dp.literature.SSPWangCoded(),
    "adaSSP, the paper [Wang18, Alg. 2]": dp.literature.AdaSSPWang(),
    "SSP, as dpframe recommends it": dp.SSP(),
}
NORMS = ("1.5", "2", "2.5")
TARGET = dp.ApproxDP(1, "1e-6")


@attrs.frozen(eq=False)
class Page:
    """A terminal, or a file: then without colours and progress bars."""

    console: Console

    @classmethod
    def open(cls) -> Page:
        """Standard output, at most WIDEST columns wide."""
        console = Console(highlight=False)
        width = min(WIDEST, console.width) if console.is_terminal else WIDEST
        return cls(Console(highlight=False, width=width))

    def head(self, title: str) -> None:
        """A section begins."""
        self.console.print(f"\n[bold cyan]{title}[/]")

    def say(self, *lines: str) -> None:
        """Lines of text, indented."""
        for line in lines:
            for part in Text.from_markup(line).wrap(self.console, self.console.width - 2):
                part.rstrip()
                self.console.print(Text("  ") + part if part else "")

    def show(self, renderable: RenderableType) -> None:
        """A table or a listing, indented."""
        self.console.print(Padding(renderable, (0, 0, 0, 2), expand=False))

    def code(self, source: str) -> None:
        """Python, coloured on a terminal."""
        theme = {"theme": "ansi_dark", "background_color": "default"}
        if self.console.is_terminal:
            self.show(Syntax(source, "python", **theme))
        else:
            self.say(*map(escape, source.splitlines()))

    def watch(self, items: Sequence[Any], what: str) -> Iterator[Any]:
        """The items, with a bar on a terminal."""
        shown = self.console.is_terminal
        return iter(track(items, what, console=self.console, transient=True, disable=not shown))


def columns(*titles: str) -> Columns:
    """A table: text on the left of its column, numbers on the right."""
    table = Columns(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for index, title in enumerate(titles):
        table.add_column(title, justify="left" if index == 0 else "right", no_wrap=True)
    return table


def opening(page: Page) -> None:
    """What it is about."""
    page.console.print("[bold]How do women rate their marriage? A private answer.[/]")
    page.say(
        "In 1974 readers of a magazine were asked about their marriages. 6,366 answers remain "
        "[Fair 1978]. One row is one woman, and it is nobody's business what she said. We regress "
        "her rating of the marriage, 1 very poor to 5 very good, on seven other answers."
    )


def declare(page: Page) -> None:
    """The declaration, as it stands in its file."""
    page.head("1  Declare: bounds from the codebook, none from the data")
    source = inspect.getsource(declaration).partition("import dpframe as dp\n")[2].strip()
    page.code(source)


def prove(page: Page) -> dp.Certificate:
    """The certificate, symbolic in epsilon and delta."""
    page.head("2  Prove: for every epsilon and delta at once, before any data is read")
    start = time.perf_counter()
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    proof = dp.certify(REGRESSION, target=target, setting=SETTING)
    took = time.perf_counter() - start
    page.say(*sentence(proof), *(f"[dim]{line}[/]" for line in release_lines(proof)))
    page.say(f"[green]Proved in {took * 1000:.0f} ms.[/] What this assumes stands on the receipt.")
    return proof


def audit(page: Page) -> None:
    """Two published algorithms, and ours."""
    page.head("3  Audit: what published algorithms really cost")
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    table = columns("epsilon at delta = 1e-6", "claimed", "exact", "verdict")
    for title, regression in AUDITED.items():
        found = audited(regression, target=TARGET, setting=setting)
        colour = {"proved": "green", "refuted": "red"}.get(str(found.verdict), "yellow")
        exact = f"{found.joint_epsilon or math.nan:.3f}"
        table.add_row(escape(title), "1", exact, f"[{colour}]{found.verdict}[/]")
    page.show(table)
    page.say("What is refuted cannot be run; what costs less than it claims wastes accuracy.")


def noise(page: Page) -> None:
    """Classical against analytic noise."""
    page.head("4  Compare noise: the classical theorem ends at epsilon = 1")
    compared = compare(
        dp.Gaussian.classical, dp.Gaussian.analytic, epsilon=[0.1, 0.5, 0.9, 3], delta="1e-6"
    )
    *table, remark = str(compared).split("\n\n")
    page.say(*"\n\n".join(table).splitlines(), "", " ".join(remark.split()))


def choose(page: Page) -> None:
    """Which regression, and which bound of a row: tried on women made up from the codebook."""
    page.head(f"5  Choose on {ROUGHLY:,} made-up women, not on the real ones")
    women = made_up()
    table = columns("error of a rating, epsilon = 1", *(f"norm {norm}" for norm in NORMS))
    for regression in page.watch(CANDIDATES, "trying regressions"):
        errors = {norm: typical_error(regression, women, norm) for norm in NORMS}
        cells = [_chosen(regression, norm, f"{error:.3f}") for norm, error in errors.items()]
        table.add_row(str(regression), *cells)
    page.show(table)
    page.say("[dim]* declared above; a smaller bound means less noise, and more rows shortened[/]")


def _chosen(regression: dp.Regression, norm: str, text: str) -> str:
    """Marked where it is what was declared."""
    declared = regression == REGRESSION and dp.constant(norm) == SETTING.X.norm
    return f"[green]*{text}[/]" if declared else text


def look_ahead(page: Page, proof: dp.Certificate) -> None:
    """The noise at public sizes."""
    page.head("6  Look ahead: the noise, before anything is spent")
    run = proof.at(epsilon=1, delta="1e-6")
    page.say(*str(run.preview(n=ROUGHLY, d=len(CODEBOOK))).splitlines())


def fit(page: Page, table: Table) -> dp.PrivateRegressor:
    """The one private fit, beside the one without privacy."""
    page.head("7  Fit: once, with noise from the operating system")
    model = estimator(REGRESSION).fit(table.X, table.y)
    public, noise = LeastSquares.of(table), noise_std(model)
    shown = columns("rating per", "private", "± noise", "clear", "not private", "± sampling")
    for j, column in enumerate(CODEBOOK):
        clear = abs(model.coef_[j]) > 2 * noise[j]
        shown.add_row(
            f"{column.unit} of {column.name}",
            f"[bold]{model.coef_[j]:+.4f}[/]",
            f"{noise[j]:.4f}",
            "[green]yes[/]" if clear else "[dim]no[/]",
            f"{public.coefficients[j]:+.4f}",
            f"{public.std[j]:.4f}",
        )
    page.show(shown)
    page.say(
        "[dim]± noise follows from what was released and costs nothing; clear is twice that.[/]",
        "[dim]The columns that are not private may be seen since this survey is public.[/]",
    )
    plain = explained(table, public.predict(table.X))
    private = explained(table, model.predict(table.X))
    page.say(
        "Age and years married rise together: that is where noise hurts most. All seven answers "
        f"explain {private:.1%} of the variance of ratings; without privacy, {plain:.1%}."
    )
    return model


def receipt(page: Page, model: dp.PrivateRegressor) -> None:
    """What was spent."""
    page.head("8  Receipt")
    page.say(*str(model.receipt_).splitlines())


def spread(page: Page, table: Table, repeats: int = 200) -> Array:
    """Slopes of simulated repeats, shape (repeats, 7)."""
    seeds = page.watch(range(repeats), "simulating repeats for the picture")
    return np.array([fit.coef_ for fit in simulated(REGRESSION, table, seeds)]).reshape(
        -1, len(NAMES)
    )
