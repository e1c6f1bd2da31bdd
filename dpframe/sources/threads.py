"""Threads of our own for tables of many parts: reading and arithmetic leave Python's lock."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

FEW = 4  # parts, which are not worth a thread
MOST = 8  # threads: each holds parts of a table in memory


@contextmanager
def own_threads() -> Iterator[ThreadPoolExecutor]:
    """An executor with a thread a processor, whose matrix products use one each: blocks are too
    small for more, and threads of threads wait for each other.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    count = min(MOST, os.cpu_count() or 1)
    executor = ThreadPoolExecutor(count)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)  # an interrupted pass does not wait
