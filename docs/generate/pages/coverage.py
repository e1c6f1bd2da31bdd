"""The tables of coverage in docs/coverage.md, one line for each cell, and in docs/uncertainty.md,
one line for each law, from docs/coverage.csv.

    python -m docs.generate.pages.coverage
    python -m docs.generate.pages.coverage laws.csv

With a file, one line for each table as benchmarks/laws.py writes it, the cells are computed from it
first.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dpframe as dp
from benchmarks import laws

KEPT = Path("docs/coverage.csv")
PAGE, SUMMARY = Path("docs/coverage.md"), Path("docs/uncertainty.md")
FIRST, LAST = "<!-- coverage -->\n\n", "\n\n<!-- end of coverage -->"
LEAST, MOST = 93.0, 97.5  # percent of 95% intervals
SPREAD = 1 / 3  # mean square of a uniform column over its squared bound
CELL = laws.KEY[:-1]
FIELDS = (
    *CELL,
    "tables",
    "predicted",
    "refused",
    "slopes",
    "slopes_error",
    "intercept",
    "intercept_error",
    "length",
    "intercept_length",
    "clipped",
)
HEADER = (
    "labels",
    "$n$",
    "$d$",
    r"$\varepsilon$",
    "tables",
    "predicted",
    "refused %",
    "slopes %",
    "intercept %",
    "length of slopes",
    "of the intercept",
    "clipped %",
)
Line = dict[str, str]


def cells(tables: Sequence[Line]) -> Iterator[Line]:
    """One line for each law, n, d and epsilon."""
    groups: dict[tuple[str, ...], list[Line]] = {}
    for line in tables:
        groups.setdefault(tuple(line[name] for name in CELL), []).append(line)
    names = list(laws.LAWS)
    for key in sorted(groups, key=lambda key: (names.index(key[0]), int(key[1]), key[3])):
        scores = {name: column(groups[key], name) for name in laws.SCORES}
        given = ~np.isnan(scores["slopes"])
        known = ~np.isnan(scores["intercept"])
        yield {
            **dict(zip(CELL, key, strict=True)),
            "tables": str(len(groups[key])),
            "predicted": predicted(int(key[1]), int(key[2]), key[3]),
            "refused": f"{100 * np.mean(~given):.2f}",
            **share("slopes", scores["slopes"][given]),
            **share("intercept", scores["intercept"][known]),
            "length": middle(scores["length"]),
            "intercept_length": middle(scores["intercept length"]),
            "clipped": f"{100 * np.mean(scores['clipped'][given]):.1f}" if given.any() else "nan",
        }


def column(tables: Sequence[Line], name: str) -> NDArray[np.float64]:
    """A score of all tables."""
    return np.array([float(line[name]) for line in tables])


def share(name: str, covered: NDArray[np.float64]) -> Line:
    """The mean in percent and its standard error over tables."""
    if len(covered) < 2:
        return {name: "nan", f"{name}_error": "nan"}
    error = np.std(covered, ddof=1) / np.sqrt(len(covered))
    return {name: f"{100 * np.mean(covered):.2f}", f"{name}_error": f"{100 * error:.2f}"}


def middle(lengths: NDArray[np.float64]) -> str:
    """The median, of those that are known."""
    known = lengths[np.isfinite(lengths)]
    return f"{np.median(known):.3f}" if len(known) else "nan"


def predicted(n: int, d: int, epsilon: str) -> str:
    """What `preview` says of intervals of slopes, for columns that are uniform on their range."""
    target = dp.ApproxDP(epsilon, "1e-6")
    proved = dp.certify(dp.JointSSP(), target=target, setting=laws.setting(d))
    part = proved.preview(n=n).intervals.parts[0]
    if part.beside <= SPREAD:
        return "intervals"
    return "none" if part.needed > SPREAD else "some"


def counted(found: Sequence[Line], name: str) -> str:
    """How many cells are in the range, above it and below it."""
    values = np.array([float(line[name]) for line in found if line[name] != "nan"])
    errors = np.array([float(line[f"{name}_error"]) for line in found if line[name] != "nan"])
    inside = int(np.sum((values >= LEAST) & (values <= MOST)))
    above, below = values > MOST, values < LEAST
    lowest = f"; the lowest is {values.min():.1f} ± {errors[values.argmin()]:.1f}%"
    return (
        f"{inside} of {len(values)} cells cover {LEAST:g} to {MOST:g}%, {int(above.sum())} more, "
        f"{int(below.sum())} less{lowest}"
    )


def claims(found: Sequence[Line]) -> list[str]:
    """How many cells of slopes and of intercepts cover as stated."""
    judged = [line for line in found if line["law"] != "constant"]
    return [
        f"Slopes, ten laws: {counted(judged, 'slopes')}.",
        f"Intercepts, ten laws: {counted(judged, 'intercept')}.",
    ]


def summary(found: Sequence[Line]) -> str:
    """The coverage of slopes, by law and cell; without cells whose tables are all refused."""
    places = {tuple(line[name] for name in CELL[1:]) for line in found if line["slopes"] != "nan"}
    cells = sorted(places, key=lambda cell: (int(cell[0]), int(cell[1]), cell[2]))
    slopes = {tuple(line[name] for name in CELL): shown(line["slopes"], 1) for line in found}
    columns = [f"{int(n):,}, {d}, {epsilon}" for n, d, epsilon in cells]
    rows = [
        "| " + " | ".join(["$n$, $d$, $\\varepsilon$", *columns]) + " |",
        "|---" + "|---:" * len(columns) + "|",
        *(
            f"| {law} | {' | '.join(slopes.get((law, *cell), '-') for cell in cells)} |"
            for law in dict.fromkeys(line["law"] for line in found)
        ),
    ]
    return "\n".join([*claims(found), "", *rows])


def section(found: Sequence[Line]) -> str:
    """The claims and the table of all cells."""
    rows = [
        "| " + " | ".join(HEADER) + " |",
        "|---" + "|---:" * 4 + "|---" + "|---:" * 6 + "|",
        *(f"| {' | '.join(row(line))} |" for line in found),
    ]
    return "\n".join([*claims(found), "", *rows])


def row(line: Line) -> Iterator[str]:
    """The texts of a line of the table."""
    n = f"{int(line['n']):,}"
    yield from (line["law"], n, line["d"], line["epsilon"], line["tables"], line["predicted"])
    yield shown(line["refused"], 1)
    for name in ("slopes", "intercept"):
        error = f" ± {float(line[f'{name}_error']):.1f}" if line[name] != "nan" else ""
        yield f"{shown(line[name], 1)}{error}"
    yield from (shown(line["length"], 2), shown(line["intercept_length"], 2))
    yield shown(line["clipped"], 0)


def shown(number: str, digits: int) -> str:
    """Rounded; a dash where nothing is known."""
    return "-" if number == "nan" else f"{float(number):.{digits}f}"


def between(text: str) -> tuple[str, str, str]:
    """What is before the table, the table, and what is after it. Raises ValueError."""
    before, rest = text.split(FIRST)
    found, after = rest.split(LAST)
    return before + FIRST, found, LAST + after


def main(tables: str | None = None, kept: Path = KEPT) -> None:
    """Write the cells where tables are given, then the pages."""
    if tables is not None:
        text = io.StringIO()
        writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(cells(laws.lines(Path(tables))))
        kept.write_text(text.getvalue(), "utf-8")
    found = laws.lines(kept)
    for page, text in ((PAGE, section(found)), (SUMMARY, summary(found))):
        before, _, after = between(page.read_text("utf-8"))
        page.write_text(before + text + after, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
