"""docs/attacking.md has every row, with the numbers of these attacks."""

from __future__ import annotations

import pytest

from tests.falsifying.attacking_page import rows, shown


@pytest.mark.page
@pytest.mark.slow
def test_the_table_is_fresh():
    """Names and verdicts as they are; bounds within 0.05, which other libraries' rounding may move.

    If this fails: `python -m tests.falsifying.attacking_page`.
    """
    found, told = rows(), shown()
    assert [one[:4] + one[6:] for one in told] == [one[:4] + one[6:] for one in found]
    for have, want in zip(told, found, strict=True):
        for i in (4, 5):
            assert float(have[i]) == pytest.approx(float(want[i]), abs=0.05), want[0]
