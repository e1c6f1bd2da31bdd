"""docs/regressions: a page for each regression, none more, all fresh."""

from __future__ import annotations

from functools import cache

import pytest

import dpframe as dp
from docs.generate.pages.regressions import FOLDER, code, pages, prose
from dpframe.literature.catalogue import EXAMPLES
from tests.catalogue.entries import everything


@cache
def made():
    """Every page as it should be."""
    return pages(everything())


def stale(folder):
    """Names of pages that are old, missing, or too many."""
    found = {path.name: path.read_text() for path in folder.glob("*.md")}
    return sorted(n for n in {*found, *made()} if found.get(n) != made().get(n))


@pytest.mark.page
def test_the_pages_are_fresh():
    """docs/regressions is what `python -m docs.generate.pages.regressions` writes."""
    assert stale(FOLDER) == [], "stale: run python -m docs.generate.pages.regressions"


def test_a_stale_a_missing_and_an_extra_page_are_noticed(tmp_path):
    """One of each."""
    for name, text in made().items():
        (tmp_path / name).write_text(text)
    assert stale(tmp_path) == []
    (tmp_path / "SSP.md").write_text(made()["SSP.md"].replace("certified", "refused"))
    (tmp_path / "AdaSSP.md").unlink()
    (tmp_path / "Another.md").write_text("# Another\n")
    assert stale(tmp_path) == ["AdaSSP.md", "Another.md", "SSP.md"]


def test_every_regression_has_a_page_and_a_row():
    """By name; the index is in the documentation."""
    names = {cls.__name__ for cls in (*dp.literature.REGRESSIONS, *EXAMPLES)}
    assert set(made()) == {f"{name}.md" for name in names} | {"index.md"}
    for name in names:
        assert f"[{name}]({name}.md)" in made()["index.md"]
    assert "regressions/index" in (FOLDER.parent / "index.md").read_text()


@pytest.mark.parametrize("part", ["## When to use it", "## Verdicts", "## Graph", "add/remove"])
def test_every_page_has_its_parts(part):
    """Whatever became of the claim."""
    assert [name for name, text in made().items() if name != "index.md" and part not in text] == []


def test_text_means_itself():
    """Marks of Markdown are escaped, code is not."""
    assert prose("`a_b` |x|_2 [Key] a*b*c") == "`a_b` \\|x\\|\\_2 \\[Key\\] a\\*b\\*c"
    assert code("|x| <= 1") == "`\\|x\\| <= 1`"
