"""Work on the parts of a table: here, or by an executor, and added in the order of the parts."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import lru_cache, partial
from typing import Any, TypeVar

import attrs
import numpy as np

from dpframe.errors import DPFrameError, InvalidArgument, Plain, SourceFailed

from .progress import Progress
from .safe_errors import safely, without_context
from .table import Block, TablePart

Work = Callable[[Iterable[Block]], Any]
T = TypeVar("T")
AHEAD = 2  # parts in flight for every worker
DIED = "A worker that died was perhaps out of memory: fewer workers need less."


@attrs.frozen(repr=False)
class PartOutcome:
    """The result of the work on a part, a value or an error. The error is not raised where it
    occurred, since libraries log exceptions with their arguments.
    """

    value: Any
    error: DPFrameError | None = None

    def get(self) -> Any:
        """The value. Raises DPFrameError."""
        if self.error is not None:
            raise without_context(self.error)
        return self.value


def worked(work: Work, blocks: Iterable[Block]) -> Any:
    """The work on blocks, where floating-point errors neither raise nor warn: both would depend on
    the data.
    """
    with np.errstate(all="ignore"):
        return work(blocks)


def outcome(work: Work, part: TablePart) -> PartOutcome:
    """The work on one part, done wherever this is called."""
    try:
        return PartOutcome(worked(work, part.blocks()))
    except DPFrameError as error:
        return PartOutcome(None, without_context(error))
    except Exception as error:  # noqa: BLE001 - may quote data
        return PartOutcome(None, SourceFailed(part.name, type(error).__name__))


def sum_here(work: Work, parts: Iterable[TablePart], bar: Progress) -> Any:
    """The sum over all parts, read here one after the other."""
    pairs = ((part.name, bar.steps(part.blocks())) for part in parts)
    return left_sum(safely(partial(worked, work, blocks), name) for name, blocks in pairs)


def sum_by_executor(work: Work, parts: Iterable[TablePart], bar: Progress, executor: Any) -> Any:
    """The sum over all parts, read by an executor, a bounded number of them at a time."""
    with closing(outcomes(work, parts, executor)) as results:
        return left_sum(bar.steps(one.get() for one in results))


def left_sum(values: Iterable[Any]) -> Any:
    """v1 + v2 + ..., from the left; there is at least one."""
    remaining = iter(values)
    total = next(remaining)
    for value in remaining:
        total = total + value
    return total


def outcomes(work: Work, parts: Iterable[TablePart], executor: Any) -> Generator[PartOutcome]:
    """One outcome a part, in the order of the parts, by anything with submit(function, *arguments)
    that gives futures. Raises SourceFailed or InvalidArgument.

    Submitted work is cancelled where anything stops the pass, Ctrl-C included.
    """
    check_executor(executor)
    width, pending = AHEAD * workers(executor), deque[Any]()
    try:
        for part in parts:
            pending.append(_safely(partial(executor.submit, outcome, work, part)))
            if len(pending) >= width:
                yield _safely(pending.popleft().result)
        while pending:
            yield _safely(pending.popleft().result)
    finally:
        for future in pending:
            future.cancel()


def _safely(call: Callable[[], T]) -> T:
    return safely(call, "by the executor", DIED)


def check_executor(executor: Any) -> None:
    """Refuse what is no executor, and one whose worker calls. Raises InvalidArgument."""
    if is_nested(executor):
        wanted = "another than the one that this call runs in, or was started from"
        got, way_out = Plain(type(executor).__name__), "Its workers would wait for themselves."
        raise InvalidArgument("executor", wanted, got, way_out)
    if not callable(getattr(executor, "submit", None)):
        wanted = "an executor, with submit(function, *arguments)"
        way_out = "concurrent.futures.ThreadPoolExecutor() is one."
        raise InvalidArgument("executor", wanted, type(executor).__name__, way_out)


def is_nested(executor: Any) -> bool:
    """Whether this thread is a worker of the executor, or the executor belongs to the process from
    which this one was forked: submitted work would then wait for ever.
    """
    if isinstance(executor, ThreadPoolExecutor):
        with executor._shutdown_lock:  # noqa: SLF001 - held until a thread that started is listed
            return threading.current_thread() in executor._threads  # noqa: SLF001
    queue = getattr(executor, "_call_queue", None)  # of a ProcessPoolExecutor
    return getattr(queue, "_opid", None) not in {None, os.getpid()}


def workers(executor: Any) -> int:
    """The number of its workers; of processors where it does not tell."""
    count = getattr(executor, "_max_workers", None)
    return count if isinstance(count, int) else os.cpu_count() or 1


FEW = 4  # parts, which are not worth a thread
MOST = 8  # threads: each holds parts of a table in memory
NARROW = 256  # columns, whose matrices are not worth threads of BLAS


LIMITED = threading.Lock()  # locked while BLAS is limited


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


def limited_blas(columns: int) -> AbstractContextManager[None]:
    """One thread of BLAS for a table of few columns. A second thread, used for a matrix of 50 x 50,
    spins for a tenth of a second: a processor less for the next pass.
    """
    return one_thread_of_blas() if columns <= NARROW else nullcontext()


@contextmanager
def one_thread_of_blas() -> Iterator[None]:
    """The limit is global to the process: the first caller sets and lifts it; nested and concurrent
    calls do neither.
    """
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
    """The loaded BLAS libraries, with SciPy's own or without; cached."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    del scipy
    return ThreadpoolController()
