"""docs/attacking.md has every row, with the numbers of these attacks."""

from __future__ import annotations

import pytest

import dpframe as dp
from docs.generate.pages.attacking import row, rows, shown
from tests.lower_bounds import attacked_cases as cases


@pytest.mark.page
@pytest.mark.exhaustive
def test_the_table_is_fresh():
    """Names and verdicts as they are; bounds are no more than a search finds, and not far below.

    If this fails: `python -m docs.generate.pages.attacking`.
    """
    found, told = rows(), shown()
    assert [one[:4] + one[6:] for one in told] == [one[:4] + one[6:] for one in found]
    for have, want in zip(told, found, strict=True):
        for i in (4, 5):
            assert float(want[i]) - 0.3 <= float(have[i]) <= float(want[i]) + 0.11, want[0]


@pytest.mark.parametrize(
    "cls", [dp.Laplace, dp.mechanisms.RandomizedResponse], ids=lambda cls: cls.__name__
)
def test_a_row_is_fresh(cls):
    """Two of them, which are quick."""
    (told,) = [one for one in shown() if one[0] == f"`{cls.__name__}`"]
    attacks = (cases.mechanism_attack(cls, factor) for factor in ("1", "0.7"))
    found = row(cls, dp.ADD_REMOVE, *attacks)
    assert told[:4] + told[6:] == found[:4] + found[6:]
    assert all(float(told[i]) <= float(found[i]) + 0.11 for i in (4, 5))
