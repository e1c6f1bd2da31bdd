"""docs/regressions/: `python -m docs.generate.pages.regressions` makes it of the declarations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import attrs

import dpframe as dp
from dpframe.audits.cost import ball_at
from dpframe.audits.drawing import drawing
from dpframe.audits.figures import clipped, figure, formula
from dpframe.audits.findings.example import numbers_of
from dpframe.audits.lines import ReleaseLine
from dpframe.graph.graph import USE
from dpframe.literature.catalogue import HERE, Entry, catalogue
from dpframe.literature.every import family
from dpframe.numerics import arb_float

FOLDER = Path(__file__).parents[2] / "regressions"
MADE = "*This page is made by `python -m docs.generate.pages.regressions`; a test compares it.*"
COST = f"true epsilon (claim and bounds: {HERE})"
MARKED = {
    "region": "\\* Proved if the hypothesis of a theorem holds, which the last column states.",
    "numbers": "\\+ Proved at the numbers of the table, and refused for every epsilon and delta.",
}
SPECIAL = re.compile(r"([\\`*_\[\]{}<>|$~])")
CODE = re.compile(r"(`[^`]+`)")
LONG = 90
INDEX = f"""\
# Regressions

This table lists every regression of dpframe with its privacy verdict. To choose one, start with
[which regression](../guides/which-regression.md).

| variant | meaning |
| --- | --- |
| recommended | for use |
| printed | as a paper prints it |
| coded | as the authors or a library implement it |
| baseline | not private |

| verdict | meaning |
| --- | --- |
| certified | proved for every epsilon, delta, bound and hyperparameter in its range |
| certified\\* | proved if the hypothesis of a theorem holds |
| refused | not proved, or refuted |
| refused+ | refused for every epsilon and delta, but proved at the values below |
| no data | reads no row and no label, so there is nothing to certify |

The number is the true epsilon of all releases together, for a claim of 1, at {HERE};
`<=` marks an upper bound. A free hyperparameter (gamma) has an example value; the
[dossier](../dossier.md) has the cost for the worst value, and for other claims.

`dpframe list --verdicts` prints the table, `dpframe list --why` the reasons.

"""


def pages(found: Sequence[Entry]) -> dict[str, str]:
    """Every page by the name of its file."""
    rows = [list(same) for _, same in groupby(found, lambda entry: entry.name)]
    made = {f"{row[0].name}.md": page(row, rows) for row in rows}
    return {**made, "index.md": index(rows)}


def index(rows: Sequence[Sequence[Entry]]) -> str:
    """The table of all, and the pages' order."""
    names = "\n".join(row[0].name for row in rows)
    toc = f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    head = ["regression", "family, variant", "add/remove", "replace-one", "when to use it"]
    return INDEX + "\n".join(table(head, map(_index_row, rows))) + f"\n\n{toc}"


def _index_row(row: Sequence[Entry]) -> list[str]:
    cls = type(row[0].regression)
    use = escaped(_use(cls).partition(". ")[0].rstrip("."))
    verdicts = [f"{_verdict(entry)}{_cost(entry)}" for entry in row]
    name = f"[{cls.__name__}]({cls.__name__}.md)"
    return [name, f"{escaped(family(cls))}, {cls.variant}", *verdicts, use]


def _use(cls: type[dp.Regression]) -> str:
    return cls.use if cls.variant == "recommended" else ""


def _verdict(entry: Entry) -> str:
    return entry.verdict + {"region": "\\*", "numbers": "+"}.get(entry.scope, "")


def _cost(entry: Entry) -> str:
    return "" if entry.cost is None else f" {escaped(str(entry.cost))}"


def page(row: Sequence[Entry], rows: Sequence[Sequence[Entry]]) -> str:
    """What it is, when to use it, verdicts, drawing, noise."""
    cls = type(row[0].regression)
    parts = [
        f"# {cls.__name__}",
        *paragraphs(cls.__doc__ or ""),
        *table(["", ""], _facts(row[0])),
        "## When to use it",
        _advice(row[0], rows),
        "## Verdicts",
        *table(
            ["relation", "verdict", COST, "budgets of each record", "why"],
            map(_judged, row),
        ),
        *(MARKED[one.scope] for one in _marked(row)),
        *_drawn(row),
        *(block for entry in row for block in _noise(entry)),
        MADE,
    ]
    return "\n".join(_spaced(parts)) + "\n"


def _spaced(parts: Iterable[str]) -> Iterator[str]:
    """Blank lines between parts, none inside tables."""
    before = ""
    for part in parts:
        if before and not (before.startswith("|") and part.startswith("|")):
            yield ""
        yield part
        before = part


def paragraphs(doc: str) -> list[str]:
    """A docstring as paragraphs, without the one that says when to use it."""
    parts = (" ".join(part.split()) for part in doc.split("\n\n"))
    return [prose(part) for part in parts if part and not part.startswith(USE)]


def prose(text: str) -> str:
    """Text that means itself but for what stands in backticks."""
    pieces = CODE.split(text)
    pieces[::2] = map(escaped, pieces[::2])
    return "".join(pieces)


def escaped(text: str) -> str:
    """Text that means itself in Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def code(text: str, most: int = LONG) -> str:
    """A formula in a cell."""
    return "`" + clipped(" ".join(text.split()), most).replace("|", "\\|") + "`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, line by line."""
    cells = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in cells]


def _facts(entry: Entry) -> Iterator[list[str]]:
    cls = type(entry.regression)
    yield ["title", escaped(cls.title)]
    keys = escaped(cls.paper)
    yield ["paper", f"{keys} ([bibliography](../bibliography.md))"]
    yield ["variant", cls.variant]
    claim = f"{entry.claim}-differential privacy" if entry.claim != "nothing" else "nothing"
    yield ["claims", claim]
    fields = attrs.fields(cls)
    if fields:
        shown = ", ".join(f"`{f.name} = {getattr(entry.regression, f.name)}`" for f in fields)
        yield ["fields", shown]


def _advice(entry: Entry, rows: Sequence[Sequence[Entry]]) -> str:
    cls = type(entry.regression)
    if cls.variant == "recommended":
        return escaped(cls.use)
    if cls.variant == "baseline":
        blind = entry.blind
        return f"Baseline for comparisons. It {'reads no data' if blind else 'is not private'}."
    same = [
        type(row[0].regression) for row in rows if family(type(row[0].regression)) == family(cls)
    ]
    better = [one for one in same if one.variant == "recommended" and any(_certified(one, rows))]
    close = [one for one in better if one.title == cls.title] or better
    links = ", ".join(f"[{one.__name__}]({one.__name__}.md)" for one in close)
    instead = f" For use, choose {links}." if links else ""
    return f"For audits and comparisons with the {cls.variant} algorithm.{instead}"


def _certified(cls: type[dp.Regression], rows: Sequence[Sequence[Entry]]) -> Iterator[bool]:
    return (e.certified for row in rows for e in row if type(e.regression) is cls)


def _judged(entry: Entry) -> list[str]:
    pure = ", delta = 0" if entry.pure else ""
    cost = "-" if entry.cost is None else f"{escaped(str(entry.cost))}{pure} ({entry.cost.rule})"
    verdict = f"**{_verdict(entry)}**"
    return [str(entry.relation), verdict, cost, entry.each, escaped(entry.reason)]


def _marked(row: Sequence[Entry]) -> Iterator[Entry]:
    """Entries of which the verdict has a mark, each mark once."""
    yield from {one.scope: one for one in row if one.scope in MARKED}.values()


def _drawn(row: Sequence[Entry]) -> list[str]:
    """The graph, once where both relations have the same."""
    found: dict[str, list[str]] = {}
    for entry in row:
        if entry.every is not None:
            text = drawing(entry.every.report.problem.graph)
            found.setdefault(text, []).append(str(entry.relation))
    blocks = ["## Graph"]
    for text, relations in found.items():
        blocks += [f"Under {' and '.join(relations)}:"] if len(found) > 1 else []
        blocks.append(f"```text\n{text}\n```")
    runs = [run for entry in row[:1] for run in _runs(entry)]
    return blocks + [f"One run of it:\n\n```text\n{drawing(run)}\n```" for run in runs[:1]]


def _runs(entry: Entry) -> list[dp.graph.Graph]:
    """The graphs that a procedure runs."""
    graph = None if entry.every is None else entry.every.report.problem.graph
    return [run for one in graph.procedures for run in getattr(one, "graphs", ())] if graph else []


def _noise(entry: Entry) -> list[str]:
    """What is added, release by release; and what procedures read."""
    every, here = entry.every, entry.here
    if every is None or not every.report.problem.graph.charged:
        return []
    head = ["release", "of", "sensitivity", "noise", "size", "number", "share"]
    numbers = {line.name: line for line in here.lines} if here else {}
    values = {} if here is None else numbers_of(here.report.problem)
    counted = Counter(every.lines)
    rows = [_row(line, many, numbers.get(line.name), values) for line, many in counted.items()]
    rows += [_procedure(one) for one in every.report.problem.graph.procedures]
    return [f"## Noise, {entry.relation}", *table(head, rows), f"Numbers are at {_where(values)}."]


def _where(values: dict) -> str:
    own = {name: value for name, value in values.items() if name != "n"}
    return ", ".join([HERE, *(f"{name} = {value}" for name, value in sorted(own.items()))])


def _row(line: ReleaseLine, many: int, numbered: ReleaseLine | None, values: dict) -> list[str]:
    times = formula(line.times * many)
    name = line.name if times == "1" else f"{line.name} (x{times})"
    sensitivity = "unbounded" if line.sensitivity is None else code(formula(line.sensitivity))
    size = None if numbered is None else ball_at(numbered.formula, values)
    share = "-" if line.share is None else code(", ".join(map(formula, line.share.amounts)))
    return [
        escaped(name),
        code(line.statistic, 40),
        f"{sensitivity} ({line.norm})",
        line.kind.replace("_", " "),
        f"{line.noise} {code(formula(line.written))}",
        "-" if size is None else figure(arb_float(size, up=True), "up"),
        share,
    ]


def _procedure(one: dp.graph.Procedure) -> list[str]:
    own = "; ".join(f"{name} = {formula(value)}" for name, value in one.own_formulas.items())
    share = code(", ".join(map(formula, one.share.amounts)))
    kind = one.kind.replace("_", " ")
    return [escaped(one.label), escaped(one.summary), "-", kind, code(own), "-", share]


def write(folder: Path) -> None:
    """All pages, and no other."""
    made = pages(catalogue())
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(FOLDER)
