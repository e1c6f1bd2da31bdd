"""The pages: each is reached from the first one, and the reference has every public name."""

import re
from pathlib import Path

import pytest

import dpframe as dp

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+\.(?:md|png|svg))")
DOC = re.compile(r"\{doc\}`[^<`]*<([^>`]+)>`")
CARDS = ["tutorials", "guides/index", "reference/index", "explanation"]
SEARCHED = {
    "install": "install.md",
    "outliers": "guides/choosing-bounds.md",
    "confidence interval": "guides/reading-a-summary.md",
    "logistic": "guides/binary-outcomes.md",
}


def below(page: Path) -> list[Path]:
    """What the tables of contents of a page name."""
    entries = "\n".join(TOCTREE.findall(page.read_text("utf-8"))).splitlines()
    names = [line.strip() for line in entries if line.strip() and not line.startswith(":")]
    named = [page.parent / f"{name}.md" for name in names if "*" not in name]
    matched = [one for name in names if "*" in name for one in page.parent.glob(f"{name}.md")]
    return [*named, *sorted({*matched} - {page})]


def test_every_page_is_in_a_table_of_contents_once() -> None:
    """What Sphinx says too, without a build; a name that leads nowhere is found."""
    found, todo = [DOCS / "index.md"], [DOCS / "index.md"]
    while todo:
        new = below(todo.pop())
        found += new
        todo += new
    names = [path.resolve() for path in found]
    assert len(set(names)) == len(names)
    assert set(names) == {path.resolve() for path in [*PAGES, *(DOCS / "notebooks").glob("*.md")]}


def test_every_link_of_a_page_leads_to_a_file() -> None:
    """Pages and pictures."""
    gone = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        paths = [page.parent / link for link in LINK.findall(text)]
        for name in DOC.findall(text):
            base = DOCS if name.startswith("/") else page.parent
            paths.append(base / f"{name.lstrip('/')}.md")
        gone |= {(page.name, str(path)) for path in paths if not path.exists()}
    assert gone == set()


def test_the_first_page_has_four_cards_and_no_proofs() -> None:
    """Use comes first; proofs stand behind a page of their own."""
    text = (DOCS / "index.md").read_text("utf-8")
    assert re.findall(r"\*\*\[\w+\]\(([\w/]+)\.md\)\*\*", text) == CARDS
    assert "proofs/" not in text


@pytest.mark.parametrize("words", SEARCHED)
def test_what_people_search_for_is_said_by_the_page_that_answers(words: str) -> None:
    """The search of the pages finds words, no meanings."""
    assert words in (DOCS / SEARCHED[words]).read_text("utf-8").lower()


def test_the_reference_has_every_public_name_once() -> None:
    """Of `dpframe`, by topic; and every namespace."""
    text = "".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"auto(?:class|function|data):: dpframe\.(\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(dp.__all__)
    spaces = {name for name in dir(dp) if name not in dp.__all__}
    assert set(re.findall(r"automodule:: dpframe\.(\w+)$", text, re.MULTILINE)) == spaces


def test_the_chart_of_regressions_names_what_is_recommended() -> None:
    """No baseline, which is not private, and nothing that is printed or coded elsewhere."""
    chart = (DOCS / "guides" / "which-regression.md").read_text("utf-8")
    names = re.findall(r"regressions/([A-Z]\w+)\.md", chart)
    spaces = (dp.regressions, dp)
    found = {name: next(getattr(s, name) for s in spaces if name in dir(s)) for name in names}
    assert len(found) > 15
    assert {name for name, cls in found.items() if cls.variant != "recommended"} == set()
