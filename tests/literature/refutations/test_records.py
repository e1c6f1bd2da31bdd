"""All records in order, their text, and the page."""

import pytest

from docs.generate.refutations import (
    REFUTATIONS,
    refutations,
    refutations_of,
)
from docs.generate.refutations.claim import power
from docs.generate.refutations.page import PAGE, page
from docs.generate.refutations.published import REGRESSIONS
from dpframe import literature


@pytest.fixture(scope="module")
def records():
    """Of epsilon = 1 at ten thousand rows."""
    return refutations(1, rows=10**4)


def test_every_file_is_refuted_and_no_control_is(records):
    """But ObjPert.m, which is refuted from epsilon = 1.21 on; the order is that of the names."""
    assert records == tuple(r for name in REFUTATIONS for r in refutations_of(name, 1, rows=10**4))
    assert [r.what for r in records if not r.control and not r.refuted] == ["ObjPert.m"]
    assert not any(r.refuted for r in records if r.control)
    assert sum(r.control for r in records) == 9
    assert all(r.refuted for r in refutations_of("ObjPert.m", 3))
    assert refutations_of("AdaSSP") == ()


def test_declarations_are_refuted_by_their_names():
    """Each names a file, and is a class of dpframe.literature."""
    assert set(REGRESSIONS) <= set(literature.__all__)
    assert sorted(REGRESSIONS.values()) == sorted(REFUTATIONS)
    assert refutations_of("ObjPertCoded", 3) == refutations_of("ObjPert.m", 3)


def test_the_same_seed_gives_the_same_records(records):
    """Bit by bit."""
    assert refutations(1, rows=10**4) == records


def test_power():
    """As a person writes it."""
    assert [power(n) for n in (1, 10, 1000, 10**6, 1234)] == ["1", "10", "1e3", "1e6", "1234"]


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh():
    """docs/refutations.md is what `python -m docs.generate.refutations.page` writes."""
    assert PAGE.read_text() == page(), "stale: run python -m docs.generate.refutations.page"
