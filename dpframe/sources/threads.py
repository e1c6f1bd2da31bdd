"""Threads of our own for tables of many parts: reading and arithmetic leave Python's lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

FEW = 4  # parts, which are not worth a thread
MOST = 8  # threads: each holds parts of a table in memory


LIMITED = threading.Lock()  # held by the one pass that limits BLAS


@contextmanager
def own_threads() -> Iterator[ThreadPoolExecutor]:
    """An executor with a thread a processor, whose matrix products use one each: blocks are too
    small for more, and threads of threads wait for each other.
    """
    executor = ThreadPoolExecutor(min(MOST, os.cpu_count() or 1))
    try:
        with _one_thread_of_blas():
            yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)  # an interrupted pass does not wait


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """The limit is the process's: one pass sets and lifts it, those beside it do neither."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if not LIMITED.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        LIMITED.release()
