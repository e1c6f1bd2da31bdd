"""docs/papers is what its maker makes; every row leads somewhere."""

import re

import pytest

from dpframe.experiments.catalogue import ITEMS
from tests.support.papers_page import FOLDER, VERDICTS, judged, kept, pages, records
from tests.support.papers_rows import ALGORITHMS, FOUND, MISSING, PAPERS, STATEMENTS


@pytest.mark.page
def test_the_pages_are_up_to_date():
    """`python -m tests.support.papers_page` writes them anew."""
    for name, text in pages().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_every_paper_has_its_rows():
    """Algorithms, statements and what is missing, of the papers that are there."""
    assert set(ALGORITHMS) == set(STATEMENTS) == set(MISSING) == set(PAPERS)
    assert {one.paper for one in ITEMS.values()} == {key for key, _, _ in PAPERS.values()}
    assert set(FOUND) <= set(ITEMS)


def test_links_lead_to_files():
    """Proofs, regressions, results and pictures."""
    for name, text in pages().items():
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert (FOLDER / link).is_file(), (name, link)


def test_every_item_has_results_that_are_labelled():
    """With their seed, repeats, time and machine; every line says NOT PRIVATE."""
    for item in ITEMS.values():
        facts = kept(item)
        assert facts is not None, item.name
        assert {"seed", "repeats", "cpu_seconds", "machine"} <= set(facts)
        found = records(item)
        assert found
        assert {one["label"] for one in found} == {"NOT PRIVATE"}
        assert {one["stand_in"] for one in found} == {item.stand_in}


def test_counts_by_hand():
    """Published numbers inside, all that are judged, and the geometric mean of ratios."""
    lines = [
        {"inside": "1", "value": "2", "published": "1"},
        {"inside": "0", "value": "8", "published": "1"},
        {"inside": "", "value": "3", "published": ""},
    ]
    inside, all_, ratio = judged(lines)
    assert (inside, all_) == (1, 2)
    assert ratio == pytest.approx(4)
    assert VERDICTS.is_file()
