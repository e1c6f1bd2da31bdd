"""The working precision of ball arithmetic, raised until an answer is sharp enough.

flint keeps one precision for the whole process. It never affects what is true of a ball, only how
wide the ball is; a lock keeps threads from changing it under each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TypeVar

from flint import ctx

T = TypeVar("T")

LEAST_BITS = 128
MOST_BITS = 8192

_LADDER = (LEAST_BITS, 256, 512, 1024, 2048, 4096, MOST_BITS)
_ONE_AT_A_TIME = RLock()


@contextmanager
def working(bits: int) -> Iterator[None]:
    """Ball arithmetic at `bits` inside the block, in this thread alone."""
    with _ONE_AT_A_TIME, ctx.workprec(bits):
        yield


def at_rising_precision(make: Callable[[], T]) -> Iterator[T]:
    """`make()` at 128, 256, ... 8192 bits; each is an enclosure, usually ever sharper."""
    for bits in _LADDER:
        with working(bits):
            value = make()
        yield value
