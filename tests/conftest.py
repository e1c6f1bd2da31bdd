"""Which tests are quick; `make test` leaves out the others."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.support.cases import spread


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a family marked `some(k)`, k cases from first to last are quick, the others slow."""
    families = defaultdict(list)
    for item in items:
        if item.get_closest_marker("some") and not item.get_closest_marker("slow"):
            families[item.parent.nodeid, item.originalname].append(item)
    for family in families.values():
        (few,) = family[0].get_closest_marker("some").args
        quick = set(spread(family, few))
        for item in family:
            if item not in quick:
                item.add_marker(pytest.mark.slow)
