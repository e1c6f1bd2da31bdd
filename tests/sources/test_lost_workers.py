"""A worker that is lost ends the pass or is replaced; nothing waits for it for ever."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

from dpframe.errors import InvalidArgument, SourceFailed
from dpframe.sources import open_source
from dpframe.sources.running import engine
from tests.support.pools import WHOLE_POOLS

LONG = 900  # seconds after which a test that hangs is ended
FORK = multiprocessing.get_context("fork")
shared = []  # an executor that workers have by being forked


@pytest.fixture(autouse=True)
def _never_for_ever():
    """A hang fails: no test here measures time otherwise."""

    def end(*_):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LONG)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def source(setting):
    """Six parts, a block each."""
    rng = np.random.default_rng(5)
    return open_source(setting, rng.normal(size=(6 * 8192, 3)), rng.normal(size=6 * 8192), parts=1)


def count(blocks):
    """The number of rows."""
    return sum(len(block.rows) for block in blocks)


def killed(blocks):
    """What a machine without memory does to a process."""
    del blocks
    os.kill(os.getpid(), signal.SIGKILL)


def killed_once(mark, blocks):
    """The first worker that works is killed; a file remembers that it was."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return count(blocks)
    return killed(blocks)


def total_of_shared(source):
    """A pass by the executor that this worker was forked with."""
    try:
        return source.total(count, executor=shared[0])
    except InvalidArgument as error:
        return str(error)


def test_a_killed_worker_of_a_pool_is_one_error(source, tmp_path):
    """The pool itself would wait for ever."""
    with FORK.Pool(2) as pool, pytest.raises(SourceFailed, match="a worker died"):
        source.total(partial(killed_once, str(tmp_path / "mark")), executor=pool)


@WHOLE_POOLS
def test_a_killed_worker_of_a_process_pool_executor_is_one_error(source):
    """It says so itself."""
    with ProcessPoolExecutor(2, mp_context=FORK) as pool, pytest.raises(SourceFailed):
        source.total(killed, executor=pool)


@pytest.mark.parametrize("kind", [FORK.Pool, ThreadPool], ids=["processes", "threads"])
def test_pools_add_what_everybody_adds(source, kind):
    """The same number as here."""
    with kind(2) as pool:
        assert source.total(count, executor=pool) == source.total(count) == 6 * 8192


def test_a_pool_that_replaces_its_workers_is_refused():
    """Those cannot be told from workers that died."""
    with (
        FORK.Pool(1, maxtasksperchild=1) as pool,
        pytest.raises(InvalidArgument, match="maxtasksperchild"),
    ):
        engine(pool)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ThreadPool])
def test_a_thread_does_not_wait_for_itself(source, kind):
    """A call inside of its own executor is refused by name."""
    with kind(1) as threads:
        shared[:] = [threads]
        start = getattr(threads, "submit", None) or threads.apply_async
        arguments = (source,) if kind is ThreadPoolExecutor else ((source,),)
        future = start(total_of_shared, *arguments)
        said = future.result() if kind is ThreadPoolExecutor else future.get()
        assert "the one that this call runs in" in said


@pytest.mark.parametrize("kind", [ProcessPoolExecutor, FORK.Pool], ids=["executor", "pool"])
def test_a_process_does_not_wait_for_the_pool_it_was_forked_from(source, kind):
    """Nobody reads what it would send."""
    outer = kind(1, mp_context=FORK) if kind is ProcessPoolExecutor else kind(1)
    with outer, ProcessPoolExecutor(1, mp_context=FORK) as others:
        outer.map(abs, [1]) if kind is not ProcessPoolExecutor else outer.submit(abs, 1).result()
        shared[:] = [outer]
        assert "the one that this call runs in" in others.submit(total_of_shared, source).result()


@pytest.fixture(scope="module")
def failing():
    """A cluster of its own of two workers, which these tests kill."""
    from tests.support.clusters import clustered

    with clustered() as client:
        yield client


def test_rows_that_a_cluster_lost_are_sent_again(source, tmp_path, failing):
    """Dask alone repeats only what it can make again. The first worker that works is killed."""
    mark = str(tmp_path / "mark")

    def killed_once(blocks):
        import os
        import signal
        from pathlib import Path

        if not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return sum(len(block.rows) for block in blocks)

    assert source.total(killed_once, executor=failing) == 6 * 8192
    assert (tmp_path / "mark").exists()


def test_a_cluster_that_loses_every_worker_is_one_error(source, failing):
    """After as many attempts as there are."""

    def always_killed(blocks):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(SourceFailed, match="by the executor"):
        source.total(always_killed, executor=failing)


def test_an_interrupt_keeps_nothing_behind_it(setting):
    """Neither the value in hand, nor the error that quoted it."""

    def blocks():
        yield np.zeros((3, 2)), np.zeros(3)
        try:
            float("73194628 pounds")
        except ValueError:
            raise KeyboardInterrupt from None

    source = open_source(setting, blocks())
    with pytest.raises(KeyboardInterrupt) as caught:
        source.total(count)
    assert caught.value.__context__ is caught.value.__cause__ is None
