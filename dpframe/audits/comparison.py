"""The std of noise by each of several methods, at each epsilon and delta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import attrs

from dpframe.notebooks import card, data_frame, sentences
from dpframe.notebooks import table as html_table

from .figures import WIDTH, against, exactly, figure, hanging, pair, table

ONE = Fraction(1)
Point = tuple[Fraction, Fraction]
Table = tuple[list[str], list[list[str]], int]  # head, rows, how many columns are words


@attrs.frozen
class Cell:
    """The std of one method at one epsilon and delta, rounded up; None where it reaches no target.

    `valid` says whether its theorem holds there; `suffices` whether the std gives (epsilon, delta),
    by the exact profile (None: not Gaussian, or not decided). `ratio` is the std over one that is
    enough; None where there is none to compare with. `above`: the std is enough, and less may be.
    """

    std: float | None
    valid: bool = True
    suffices: bool | None = None
    ratio: float | None = None
    above: bool = False

    def __str__(self) -> str:
        """`5.891`, `<= 5.9`, `(1.768)`, `(0.530, too small)`, rounded up; in brackets outside its
        theorem.
        """
        text = f"{'<= ' * self.above}{figure(self.std, 'up')}"
        return text if self.valid else f"({text}{', too small' if self.suffices is False else ''})"

    @property
    def times(self) -> str:
        """The ratio, `1.460`, in brackets outside the theorem; `-` where there is none."""
        text = "-" if self.ratio is None else against(round(self.ratio, 3), ONE)
        return text if self.valid else f"({text})"


@attrs.frozen
class Method:
    """A row of a comparison: a calibration, or a noise with its accountant `by`. `record` has
    further fields of its records.
    """

    name: str
    cells: tuple[Cell, ...]
    by: str = ""
    record: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def words(self) -> list[str]:
        """The cells that name it in a table."""
        return [self.name, *([self.by] if self.by else [])]


@attrs.frozen(eq=False, repr=False, str=False)
class Comparison:
    """Stds of `methods` at `points`, pairs of an epsilon and a delta: each method has a cell for
    each point. `subject` says what has the noise, and at which numbers; `head` names the columns
    of the methods, `common` are fields of all records.
    """

    subject: str
    head: tuple[str, ...]
    points: tuple[Point, ...]
    methods: tuple[Method, ...]
    notes: tuple[str, ...]
    common: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def deltas(self) -> tuple[Fraction, ...]:
        """Each delta once, in order."""
        return tuple(dict.fromkeys(delta for _, delta in self.points))

    @property
    def title(self) -> str:
        """The title of the table: its subject and its points."""
        if len(self.points) == 1:
            ((epsilon, delta),) = self.points
            return f"{self.subject}, at epsilon = {exactly(epsilon)}, delta = {exactly(delta)}"
        if len(self.deltas) == 1:
            return f"{self.subject}, by epsilon at delta = {exactly(self.deltas[0])}"
        return f"{self.subject}, by (epsilon, delta)"

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a point and method: epsilon, delta, the fields common to all, the method,
        std, ratio, valid, and suffices and above where they are so of any.
        """
        cells = [cell for one in self.methods for cell in one.cells]
        unused = {"suffices"} if all(cell.suffices is None for cell in cells) else set()
        unused |= set() if any(cell.above for cell in cells) else {"above"}
        return [
            {
                "epsilon": float(epsilon),
                "delta": float(delta),
                **self.common,
                **dict(zip(self.head, method.words, strict=True)),
                **attrs.asdict(method.cells[place], filter=lambda one, _: one.name not in unused),
                **method.record,
            }
            for place, (epsilon, delta) in enumerate(self.points)
            for method in self.methods
        ]

    def summary_frame(self) -> Any:
        """The records as a data frame. Raises MissingExtra without pandas."""
        return data_frame(self.records())

    def text(self, width: int = WIDTH) -> str:
        """A table and its notes, in at most `width` columns: columns for each point where they fit,
        else a row.
        """
        forms = (self._wide(), self._long())
        wide, long = (table(head, rows, range(words, len(head))) for head, rows, words in forms)
        shown = wide if max(map(len, wide)) <= width else long
        below = chain.from_iterable(hanging(note, width=width) for note in self.notes)
        return "\n".join([*hanging(self.title, width=width), "", *shown, "", *below]).rstrip()

    def __str__(self) -> str:
        """The table and its notes."""
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same as a table of HTML, for notebooks."""
        head, rows, words = self._wide()
        return card(self.title, html_table(rows, head, texts=words), sentences(self.notes))

    def _wide(self) -> Table:
        """A row for each method, columns for each point."""
        several = len(self.deltas) > 1
        head = [*self.head]
        for point in self.points:
            at = pair(*point) if several else exactly(point[0])
            head += ["std" if len(self.points) == 1 else at, "ratio"]
        rows = []
        for method in self.methods:
            cells = ((str(one), one.times) for one in method.cells)
            rows.append([*method.words, *chain.from_iterable(cells)])
        return head, rows, len(self.head)

    def _long(self) -> Table:
        """A row for each point and method."""
        rows = [
            [*map(exactly, point), *method.words, str(cell), cell.times]
            for place, point in enumerate(self.points)
            for method in self.methods
            for cell in [method.cells[place]]
        ]
        return ["epsilon", "delta", *self.head, "std", "ratio"], rows, 2 + len(self.head)


def rated(cells: Sequence[Cell], least: Sequence[float | None]) -> tuple[Cell, ...]:
    """The cells with their ratios to the least std at each point, where there is one."""
    return tuple(
        attrs.evolve(cell, ratio=cell.std / best if cell.std and best else None)
        for cell, best in zip(cells, least, strict=True)
    )
