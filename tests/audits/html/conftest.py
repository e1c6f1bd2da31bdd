"""Every audit of which pages are made, one after the other."""

import pytest

from tests.support.html_pages import CASES, found_of, page_of


@pytest.fixture(params=CASES, ids=lambda name: name.replace(" ", "-"))
def case(request):
    """The name of an audit."""
    return request.param


@pytest.fixture
def found(case):
    """The findings of every case."""
    return found_of(case)


@pytest.fixture
def page(case):
    """The page of every case."""
    return page_of(case)
