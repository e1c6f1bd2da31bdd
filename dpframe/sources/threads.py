"""Threads of our own for tables of many parts: reading and arithmetic leave Python's lock."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

FEW = 4  # parts, which are not worth a thread
MOST = 8  # threads: each holds parts of a table in memory
NARROW = 256  # columns, whose matrices are not worth threads of BLAS


LIMITED = threading.Lock()  # held by the one who limits BLAS


@contextmanager
def own_threads() -> Iterator[ThreadPoolExecutor]:
    """An executor with a thread a processor, whose matrix products use one each: blocks are too
    small for more, and threads of threads wait for each other.
    """
    executor = ThreadPoolExecutor(min(MOST, os.cpu_count() or 1))
    try:
        with one_thread_of_blas():
            yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)  # an interrupted pass does not wait


def narrow(columns: int) -> AbstractContextManager[None]:
    """One thread of BLAS around all that is done with a table of few columns. A second one, called
    for a matrix of 50 x 50, spins for a tenth of a second: a processor less for the next pass.
    """
    return one_thread_of_blas() if columns <= NARROW else nullcontext()


@contextmanager
def one_thread_of_blas() -> Iterator[None]:
    """The limit is the process's: one sets and lifts it, those inside and beside do neither."""
    if not LIMITED.acquire(blocking=False):
        yield
        return
    try:
        with _libraries(scipy="scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
            yield
    finally:
        LIMITED.release()


@lru_cache(maxsize=2)
def _libraries(*, scipy: bool) -> Any:
    """What is loaded, with SciPy's own BLAS or without: found once."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    del scipy
    return ThreadpoolController()
