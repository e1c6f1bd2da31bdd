"""Families of cases: the names of cases, and which of them are quick or slow."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def named(value: object) -> str:
    """A name that every process gives to the same case: no address in memory."""
    return ADDRESS.sub("", repr(value))[:40]


def spread(cases: Sequence, few: int) -> list:
    """A few of the cases, spread from the first to the last.

    >>> spread("abcdefg", 3), spread("abcdefg", 1), spread("ab", 3)
    (['a', 'd', 'g'], ['a'], ['a', 'b'])
    """
    few = min(few, len(cases))
    step = (len(cases) - 1) / max(few - 1, 1)
    return [cases[i] for i in sorted({round(k * step) for k in range(few)})]


def crossed(cases: Sequence[Mapping[str, object]], most: int) -> set[int]:
    """Which cases of a product of parameters to take: every value of two parameters occurs, every
    pair of values of more (pairwise testing), and the rest of `most` is spread.

    >>> sorted(crossed([{"a": i, "b": j} for i in range(2) for j in range(3)], 0))
    [0, 2, 4]
    >>> sorted(crossed([{"seed": i} for i in range(9)], 3))
    [0, 4, 8]
    """
    axes = set()
    for name in cases[0]:
        first: dict[int, int] = {}
        axes.add(tuple(first.setdefault(id(one[name]), i) for i, one in enumerate(cases)))
    together = min(len(axes) - 1, 2)
    held = [
        set(itertools.combinations(enumerate(values), together)) - {()}
        for values in zip(*sorted(axes), strict=True)
    ]
    left, chosen = set().union(*held), set()
    while left:
        best = max(range(len(held)), key=lambda i: len(left & held[i]))
        chosen.add(best)
        left -= held[best]
    return chosen | set(spread(range(len(cases)), most - len(chosen)))
