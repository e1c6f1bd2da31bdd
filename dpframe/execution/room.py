"""Whether the sums that a graph asks for fit into memory, known from public sizes alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import prod

from dpframe.errors import BadData, Plain
from dpframe.graph.statistics import Statistic
from dpframe.symbols import Number

BYTES = 40  # at least, of an entry: its sum in words, its noise, the released value, copies
WAY_OUT = "Leave out columns or levels, or give the machine more memory; nothing was charged."


def check_room(
    statistics: Iterable[Statistic], sizes: Mapping[str, int], most: int | None = None
) -> None:
    """Refuse, before a row is read, statistics of more entries than `most` bytes hold, by default
    the memory of this machine. Raises BadData.
    """
    limit = memory() if most is None else most
    count = sum(entries(one, sizes) for one in statistics)
    if limit is not None and count * BYTES > limit:
        wanted = f"a table whose statistics fit into {_gigabytes(limit)} of memory"
        got = Plain(f"one of {count} numbers in its sums, at least {_gigabytes(count * BYTES)}")
        raise BadData("X", wanted, got, WAY_OUT)


def entries(statistic: Statistic, sizes: Mapping[str, int]) -> int:
    """The number of entries of its value, 0 where these sizes do not say."""
    numbers = {name: Number(Fraction(size)) for name, size in sizes.items()}
    shape = [length.substitute(numbers) for length in statistic.shape]
    known = [length.value for length in shape if isinstance(length, Number)]
    return int(prod(known)) if len(known) == len(shape) else 0


def memory() -> int | None:
    """Bytes of this machine's memory, None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
