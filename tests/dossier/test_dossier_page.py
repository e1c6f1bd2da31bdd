"""docs/dossier.md."""

from __future__ import annotations

import pytest

from docs.generate.dossier import page as dossier_page
from docs.generate.dossier import subjects
from tests.dossier.conftest import FEW, RELATIONS


@pytest.fixture
def page():
    """The page as it is."""
    return dossier_page.PAGE.read_text()


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh(page, cases):
    """docs/dossier.md is what `python -m docs.generate.dossier.page` writes."""
    stale = "stale: run python -m docs.generate.dossier.page"
    assert page == dossier_page.page(list(cases.values())), stale


@pytest.mark.slow
def test_rows_are_fresh(page, cases):
    """Of two regressions, in the tables of both relations."""
    few = [cases[name, relation] for name in FEW[:2] for relation in RELATIONS]
    rows = [line for line in dossier_page.page(few).splitlines() if line.startswith("| [")]
    assert len(rows) >= 4
    assert [line for line in rows if line not in page] == []


def test_every_subject_is_in_both_tables(page):
    """And who is refused has a paragraph."""
    for cls in subjects():
        assert page.count(f"| [{cls.__name__}](regressions/{cls.__name__}.md) |") == 2
    for name in ("TukeyCoded", "DiffprivlibWithIntercept", "SSPWangCoded", "AdaSSPBudget"):
        assert page.count(f"**{name}.**") == 1
    assert "**FunctionalLinearPrinted.**" not in page


def test_the_page_is_in_the_documentation():
    """In the index."""
    assert "\ndossier\n" in (dossier_page.PAGE.with_name("index.md")).read_text()


def test_known_cells(page):
    """A few that people look for."""
    lines = {
        line.split("]")[0][3:]: line for line in reversed(page.splitlines()) if "](reg" in line
    }
    assert "**\\>= 1112.1**" in lines["BoostedAdaSSPCoded"]
    assert "9.7327" in lines["AdaSSPBudget"]
    assert "0.59565" in lines["AdaSSPWang"]


def test_bold_is_for_the_relation_of_the_claim(page):
    """Wang claims add/remove, Acharya replace-one: no cell of the other table is bold."""
    rows = [line for line in page.splitlines() if "](regressions/" in line]
    for name in ("SSPWang", "AdaSSPPiazza", "PersonalizedRidgePrinted", "UniformRidge"):
        own = [row for row in rows if f"[{name}]" in row]
        assert len(own) == 2
        assert not any("**" in row for row in own), name
    assert "**1.1383**" in next(row for row in rows if "[SSPThesis]" in row)


def test_every_kind_of_cell_is_in_the_legend(page):
    """Signs and words of the tables."""
    legend, _, rest = page.partition("## Sufficient")
    for sign in ("<=", ">=", "| > ", " to ", "none", "open", "**bold**"):
        assert sign in legend
    rows = [line for line in rest.splitlines() if "](regressions/" in line]
    for verdict in {row.split(" | ")[3] for row in rows}:
        assert f"| {verdict} |" in legend, verdict
    for word in ("*std*", "*mu*", "*profile*", "enclosures", "*share*", "*worst pair*", "boxes"):
        assert word.lower() in legend.lower()


def test_what_a_search_does_not_show_is_said(page):
    """Where it ends, and with what sizes it was made."""
    assert "at a claim of 3 the search ends at 383.95, the bound does not" in page
    assert "at N = 20, t = 2, penalty = 1e+06" in page


def test_names_are_not_blamed_for_what_they_do_not_do(page):
    """Weights are clipped by dp-statsmodels; OPS as printed has no claim; hashed cells are ours."""
    assert "void any bound" not in page
    assert "to which every entry is clipped after rows are weighed" in page
    assert "[OPSPrinted](" not in page
    assert "not the papers' claim" in page
    assert "excess = " not in page
