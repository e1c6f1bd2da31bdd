"""Families of cases: the names of cases, and which of them are quick."""

from __future__ import annotations

import re
from collections.abc import Sequence

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def named(value: object) -> str:
    """A name that every process gives to the same case: no address in memory."""
    return ADDRESS.sub("", repr(value))[:40]


def spread(cases: Sequence, few: int) -> list:
    """A few of the cases, spread from the first to the last.

    >>> spread("abcdefg", 3), spread("abcdefg", 1), spread("ab", 3)
    (['a', 'd', 'g'], ['a'], ['a', 'b'])
    """
    step = (len(cases) - 1) / max(few - 1, 1)
    return [cases[i] for i in sorted({round(k * step) for k in range(few)})]
