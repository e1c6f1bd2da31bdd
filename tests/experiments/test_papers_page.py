"""docs/papers is what its maker makes; every row leads somewhere."""

import re
from pathlib import Path

import pytest

from docs.generate.pages.papers import (
    FOLDER,
    LINE,
    VERDICTS,
    as_expected,
    by,
    judged,
    kept,
    pages,
    records,
    verdict,
)
from docs.generate.pages.papers_claims import CLAIMS
from docs.generate.pages.papers_rows import (
    ALGORITHMS,
    FINDINGS,
    MISSING,
    NO_COMMAND,
    OURS,
    PAPERS,
    STATEMENTS,
)
from docs.generate.utility.statements import STATEMENTS as UTILITY
from dpframe.experiments.catalogue import ITEMS

ROOT = Path(__file__).parents[2]


@pytest.mark.page
def test_the_pages_are_up_to_date():
    """`python -m docs.generate.pages.papers` writes them anew."""
    for name, text in pages().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_every_paper_has_its_rows():
    """Algorithms, statements and what is missing, of the papers that are there."""
    assert set(ALGORITHMS) == set(STATEMENTS) == set(MISSING) == set(PAPERS)
    assert {one.paper for one in ITEMS.values()} == {key for key, _, _ in PAPERS.values()}
    assert set(FINDINGS) == set(ITEMS)


COMMAND = re.compile(
    r"`(dpframe audit|dpframe experiment|pytest|python -m docs\.generate\.utility) ([^`]+)`"
)


def test_every_row_has_a_command_and_a_verdict():
    """Of algorithms, statements, tables and figures; what a command names exists."""
    count = 0
    for name, text in pages().items():
        if name == "index.md":
            continue
        tables = text.split("\n## ")[1:]
        assert [part.split("\n")[0] for part in tables][:2] == ["Algorithms", "Theorems and lemmas"]
        for part in tables:
            title, *lines = part.partition("\n### ")[0].splitlines()
            for row in [line for line in lines if line.startswith("| ")][1:]:
                cells = [cell.strip() for cell in row.strip("|").split(" | ")]
                place, verdict = {"Algorithms": (3, 4), "Theorems and lemmas": (2, 3)}.get(
                    title, (1, 2)
                )
                commands = COMMAND.findall(cells[place])
                assert commands or cells[place] == NO_COMMAND, row
                assert cells[verdict], row
                for program, rest in commands:
                    assert leads(program, rest.split()), row
                count += 1
    assert count > 150


def leads(program, words):
    """Whether the command names a declaration, an item, statements, or tests of a file, folder."""
    if program == "dpframe audit":
        return words[0] in {one[0] for one in LINE.findall(VERDICTS.read_text("utf-8"))}
    if program == "dpframe experiment":
        return words[0] in ITEMS and words[1:] == ["--not-private"]
    if program == "pytest":
        path = ROOT / words[0]
        return path.is_file() or any(path.glob("test_*.py"))
    return set(words) <= set(UTILITY)


def test_links_lead_to_files():
    """Proofs, regressions, results and pictures."""
    for name, text in pages().items():
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert (FOLDER / link).is_file(), (name, link)


def test_every_item_has_results_that_are_labelled():
    """Of the declared repeats, with seed, time and machine; every line says NOT PRIVATE."""
    for item in ITEMS.values():
        facts = kept(item)
        assert facts is not None, item.name
        assert {"seed", "cpu_seconds", "machine"} <= set(facts)
        assert (facts["quick"], facts["repeats"]) == (False, item.amounts(quick=False)[0])
        found = records(item)
        assert found
        assert {one["label"] for one in found} == {"NOT PRIVATE"}
        assert {one["stand_in"] for one in found} == {item.stand_in}


NUMBERED = {  # everything with a number in the texts of the papers
    "wang": {
        "Definition": "1",
        "Algorithm": "1 2",
        "Theorem": "2 3",
        "Lemma": "6 12",
        "Eq.": "1 2 3 4 5 6 7 8",
        "Table": "1 2 3",
        "Figure": "1 2 3",
    },
    "acharya": {
        "Definition": "2.1 2.2",
        "Remark": "3.1",
        "Algorithm": "1",
        "Assumption": "3.3 3.5",
        "Theorem": "3.2 3.4 3.6 A.4",
        "Lemma": "A.1 A.2 A.3 A.5",
        "Table": "1 2 3 4 5 6 7 8 9 10 11 12",
        "Figure": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
    },
    "piazza": {
        "Proposition": "1 2 16",
        "Definition": "3 6",
        "Theorem": "4 5",
        "Lemma": "7 8 9 10 11 12 13 14 15 17 18",
        "Algorithm": "1 2 3 4",
        "Figure": "1 2 3 4 5 6",
    },
    "thesis": {
        "Definition": "2.4 2.5 2.6 2.8",
        "Theorem": "2.7",
        "Algorithm": "1 2 3",
        "Eq.": "2.1 2.2 2.3 2.9 2.10 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9",
        "Figure": "4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8",
    },
    "dandekar": {
        "Definition": "1 2 3 4",
        "Theorem": "1 2",
        "Lemma": "1 2",
        "Algorithm": "1",
        "Eq.": "1 2 3 4 5 6 7 8 9 10",
        "Figure": "1 2 3 4 5",
    },
}


def named(page, kind):
    """The numbers of a kind that the tables of a page name, "12 to 14" as three."""
    found = set()
    for line in page.splitlines():
        if not line.startswith("| "):
            continue
        for listed in re.findall(
            rf"\b{kind}s? ((?:[A-Z]?\.?\d[\d.]*(?:, | to )?)+)", line.split(" | ")[0]
        ):
            for part in listed.strip(", ").split(", "):
                first, _, last = part.partition(" to ")
                head, _, low = first.rpartition(".")
                high = (last or first).rpartition(".")[2]
                found |= {f"{head}.{k}".strip(".") for k in range(int(low), int(high) + 1)}
    return found


def test_nothing_with_a_number_is_missing():
    """Every definition, statement, algorithm, table and figure of the papers is in a table."""
    made = pages()
    for slug, kinds in NUMBERED.items():
        for kind, wanted in kinds.items():
            assert set(wanted.split()) - named(made[f"{slug}.md"], re.escape(kind)) == set(), slug
    assert named("| Lemmas 8, 12 to 14 | Lemma 9 |", "Lemma") == {"8", "12", "13", "14"}


def test_every_verdict_is_computed():
    """From published numbers where there are such, else from sentences of the paper, but for what
    is in no paper.
    """
    published = {name for name, item in ITEMS.items() if judged(records(item))}
    assert published | set(CLAIMS) | set(OURS) == set(ITEMS)
    assert published & set(CLAIMS) == {"wang-figure-2"}
    assert verdict(ITEMS["wang-figure-2"]) == "agrees"
    assert not (published | set(CLAIMS)) & set(OURS)


def disturbed(numbers, how):
    """Numbers by place and method, in another order or others."""
    places, values = list(numbers), list(numbers.values())
    if how == "places reversed":
        return dict(zip(places, values[::-1], strict=True))
    if how == "methods reversed":
        return {
            place: dict(zip(one, [*one.values()][::-1], strict=True))
            for place, one in numbers.items()
        }
    if how == "falling":
        lines = {name: sorted((one[name] for one in values), reverse=True) for name in values[0]}
        return {
            place: {name: line[i] for name, line in lines.items()} for i, place in enumerate(places)
        }
    if how == "growing":
        factors = (1.1**i for i in range(len(places)))
        return {
            place: {name: value * factor for name, value in one.items()}
            for (place, one), factor in zip(numbers.items(), factors, strict=True)
        }
    changed = {
        "inverse": lambda value: 1 / (value + 1e-3),
        "ones": lambda _: 1.0,
        "halved": lambda value: value / 2,
        "towards a half": lambda value: (value + 0.5) / 2,
    }[how]
    return {place: {k: changed(v) for k, v in one.items()} for place, one in numbers.items()}


HOWS = (
    "places reversed",
    "methods reversed",
    "growing",
    "falling",
    "inverse",
    "ones",
    "halved",
    "towards a half",
)


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_can_fail(name):
    """On the kept numbers in another order, or others; those of other figures stay."""

    def reader(how):
        def read(*axes, of="", **column):
            found = by(ITEMS[name], *axes, of=of, **column)
            return found if of else disturbed(found, how)

        return read

    for claim, holds in CLAIMS[name]:
        assert not all(holds(reader(how)) for how in HOWS), claim


def test_every_figure_has_a_curve_of_ours():
    """A repair or a better calibration, or the reason why there is none."""
    ours = {"JointSSP", "PersonalizedRidge", "AdaSSPBudgetTight", "FunctionalElasticNet"}
    for item in ITEMS.values():
        if item.figure is not None:
            names = {one["method"] for one in records(item)}
            assert names & ours or "No curve of ours:" in item.note, item.name


def test_too_few_inside_are_noticed():
    """Of 200 numbers of a method whose own runs are inside at 95%."""
    lines = [{"inside": str(int(k < 180)), "own": "0.95"} for k in range(200)]
    assert not as_expected(lines)
    assert as_expected([*lines[:180], *lines[:20]])


def test_counts_by_hand():
    """Published numbers, those inside, the share of our own runs, the ratio and the width."""
    lines = [
        {"inside": "1", "middle": "2", "published": "1", "own": "1", "low": "1", "high": "4"},
        {"inside": "0", "middle": "8", "published": "1", "own": "0.75", "low": "2", "high": "4"},
        {"inside": "", "middle": "", "published": "", "own": "", "low": "", "high": ""},
    ]
    assert judged(lines) == ("2", "1 (50.0%)", "87.5%", "4.000", "3")
    assert judged(lines[2:]) == ()
    assert VERDICTS.is_file()
