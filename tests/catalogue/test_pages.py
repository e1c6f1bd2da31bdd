"""docs/regressions: a page for each regression, none more, all fresh."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import pytest
from entries import everything

import dpframe as dp
from dpframe.auditing.catalogue import EXAMPLES

SPEC = importlib.util.spec_from_file_location("catalogue_page", Path(__file__).with_name("page.py"))
PAGE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PAGE)


@cache
def made():
    """Every page as it should be."""
    return PAGE.pages(everything())


def stale(folder):
    """Names of pages that are old, missing, or too many."""
    found = {path.name: path.read_text() for path in folder.glob("*.md")}
    return sorted(n for n in {*found, *made()} if found.get(n) != made().get(n))


def test_the_pages_are_fresh():
    """docs/regressions is what `python tests/catalogue/page.py` writes."""
    assert stale(PAGE.FOLDER) == [], "stale: run python tests/catalogue/page.py"


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
    names = {cls.__name__ for cls in (*dp.REGRESSIONS, *EXAMPLES)}
    assert set(made()) == {f"{name}.md" for name in names} | {"index.md"}
    for name in names:
        assert f"[{name}]({name}.md)" in made()["index.md"]
    assert "regressions/index" in (PAGE.FOLDER.parent / "index.md").read_text()


@pytest.mark.parametrize("part", ["## When to use it", "## Verdicts", "## Graph", "add/remove"])
def test_every_page_has_its_parts(part):
    """Whatever became of the claim."""
    assert [name for name, text in made().items() if name != "index.md" and part not in text] == []


def test_text_means_itself():
    """Marks of Markdown are escaped, code is not."""
    assert PAGE.prose("`a_b` |x|_2 [Key] a*b*c") == "`a_b` \\|x\\|\\_2 \\[Key\\] a\\*b\\*c"
    assert PAGE.code("|x| <= 1") == "`\\|x\\| <= 1`"
