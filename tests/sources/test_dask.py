"""Dask distributed: the bits of an array, and workers that are lost."""

import logging
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dpframe.errors import BadData, InvalidArgument, SourceFailed
from dpframe.sources import open_source
from tests.sources.frames import Late, bits
from tests.support.workers import WHOLE_POOLS

# --------------------------------------------------------------------------------- Dask distributed
CANARY = 73194628.25


def rows(blocks):
    """All rows and labels of blocks in order."""
    parts = [np.column_stack([block.rows, block.labels]) for block in blocks]
    return np.concatenate(parts)


def where():
    """Work that says which process does it; sent by value, as it lives in a function."""

    def work(blocks):
        import os

        return [(os.getpid(), sum(len(block.rows) for block in blocks))]

    return work


COLLECTIONS = {
    "a data frame": lambda t: (dd.from_pandas(t, npartitions=40), None),
    "arrays": lambda t: (
        da.from_array(t[["u", "v"]].to_numpy(), chunks=(50, 1)),
        da.from_array(t["rating"].to_numpy(), chunks=50),
    ),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("make", COLLECTIONS.values(), ids=COLLECTIONS)
def test_a_cluster_gives_the_bits_of_the_array(make, table, named, cluster):
    """From collections, through the client that is active and through one that is given."""
    source = open_source(named, *make(table))
    wanted = bits(table.to_numpy())
    with cluster.as_current():
        assert bits(rows(source.total(list))) == wanted
    assert bits(rows(source.total(list, executor=cluster))) == wanted
    assert bits(rows(source.total(list, executor=cluster.get_executor()))) == wanted


@pytest.mark.parametrize("make", COLLECTIONS.values(), ids=COLLECTIONS)
def test_work_is_done_by_the_workers(make, table, named, cluster):
    """Not here; every row once."""
    done = open_source(named, *make(table)).total(where(), executor=cluster)
    assert os.getpid() not in {process for process, _ in done}
    assert sum(count for _, count in done) == len(table)


@pytest.mark.parametrize("kind", ["frame", "Parquet", "iterator"])
def test_a_cluster_is_an_executor_for_other_tables(kind, table, named, cluster, tmp_path):
    """Rows in memory are sent, files are read by the workers."""
    table.to_parquet(tmp_path / "t.parquet", row_group_size=90, index=False)
    make = {
        "frame": lambda: table,
        "Parquet": lambda: tmp_path / "t.parquet",
        "iterator": lambda: iter([table[:300], table[300:]]),
    }[kind]
    for executor in (cluster, cluster.get_executor()):
        assert bits(rows(open_source(named, make()).total(list, executor=executor))) == bits(
            table.to_numpy()
        )
    done = open_source(named, make()).total(where(), executor=cluster)
    assert os.getpid() not in {process for process, _ in done}


def test_equal_parts_are_each_counted(setting, cluster):
    """A cluster takes equal tasks for one; here they are different people."""
    source = open_source(setting, np.ones((9 * 16_384, 1)), np.ones(9 * 16_384), parts=1)
    assert sum(count for _, count in source.total(where(), executor=cluster)) == 9 * 16_384
    partitions = da.ones((90, 1), chunks=10), da.ones(90, chunks=10)
    done = open_source(setting, *partitions).total(where(), executor=cluster)
    assert [count for _, count in done] == [10] * 9


def test_a_refusal_on_a_worker_is_one_clear_error_and_is_not_logged(table, named, cluster, caplog):
    """The sentence of an array; neither here nor on a worker is a value logged."""
    bad = table.copy()
    bad["u"] = CANARY
    bad.loc[650, "u"] = np.nan
    before = logs(cluster)
    with caplog.at_level(logging.DEBUG):
        for given in (dd.from_pandas(bad, npartitions=3), bad):
            with pytest.raises(BadData, match="column u of X must be finite") as refusal:
                open_source(named, given).total(list, executor=cluster)
            assert "73194628" not in str(refusal.value)
    assert "73194628" not in caplog.text
    assert logs(cluster) == before


def logs(cluster):
    """What the workers have logged about failures."""
    lines = [line for lines in cluster.get_worker_logs().values() for line in lines]
    return [text for level, text in lines if level in {"WARNING", "ERROR", "CRITICAL"}]


def test_what_a_task_raises_is_logged_by_dask(cluster):
    """The control of the last test: had the refusal been raised there, it would be seen."""
    before = len(logs(cluster))

    def raises(value):
        raise ValueError(f"on purpose, {value}")

    with pytest.raises(ValueError, match="on purpose"):
        cluster.submit(raises, CANARY).result()
    assert "73194628" in "".join(logs(cluster)[before:])


def test_a_partition_that_fails_is_told_by_its_kind(named, cluster, table):
    """What its own code says is not repeated."""

    def spoil(part):
        raise KeyError(f"what about {CANARY}?")

    spoilt = dd.from_pandas(table, npartitions=2).map_partitions(spoil, meta=table[:0])
    with pytest.raises(SourceFailed, match=r"by Dask failed \(KeyError\)") as refusal:
        open_source(named, spoilt).total(list, executor=cluster)
    assert "73194628" not in str(refusal.value)


def dies():
    """Work that kills the worker."""

    def work(blocks):
        import os

        os._exit(3)

    return work


@pytest.mark.parametrize("kind", ["collection", "memory"])
@pytest.mark.slow
def test_workers_that_die_are_one_clear_error(kind, named, table):
    """After the scheduler has given up; of a cluster of its own, which ends with it."""
    import dask
    from dask.distributed import Client, LocalCluster

    given = dd.from_pandas(table, npartitions=2) if kind == "collection" else table
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": 100}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(**options, **quiet) as local,
        Client(local, set_as_default=False) as client,
        pytest.raises(SourceFailed, match=r"failed \((KilledWorker|FutureCancelledError)\)"),
    ):
        open_source(named, given).total(dies(), executor=client)


def test_dask_computes_only_the_columns_that_are_read(codebook, mixed):
    """A column that nobody named may fail."""
    frame = mixed.assign(other=1.0)
    collection = dd.from_pandas(frame, npartitions=2)
    source = open_source(codebook, collection)
    assert all(
        list(part.compute().columns) == ["v", "town", "u", "rating"] for part, _ in source.pieces
    )


def test_an_executor_that_dask_does_not_know_gets_partitions(table, named):
    """And a value that is no executor is refused."""
    source = open_source(named, dd.from_pandas(table, npartitions=3))
    assert bits(rows(source.total(list, executor=Late()))) == bits(table.to_numpy())
    with pytest.raises(InvalidArgument, match="executor must be"):
        source.total(list, executor="threads")


def test_rows_are_known_where_dask_knows_them(setting):
    """An array's, but not after a filter; no partition is computed for it."""
    X = da.ones((90, 2), chunks=10)
    assert open_source(setting, X, da.ones(90, chunks=10)).rows == 90
    some = X[X[:, 0] > 0]
    source = open_source(setting, some, da.ones(90, chunks=10)[X[:, 0] > 0])
    assert source.rows is None
    assert sum(len(block.rows) for block in source.total(list)) == 90


def test_a_frame_of_several_makes_is_one_table(named):
    """Partitions of other kinds of numbers are the same doubles."""
    whole = pd.DataFrame({"u": [1, 2, 3, 4], "rating": np.float32([0.5, 1, 2, 3])})
    source = open_source(named, dd.from_pandas(whole, npartitions=2))
    assert bits(rows(source.total(list))) == bits(whole.to_numpy(dtype=float))


# ----------------------------------------------- A worker that is lost ends the pass or is replaced
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


def total_of_shared(source):
    """A pass by the executor that this worker was forked with."""
    try:
        return source.total(count, executor=shared[0])
    except InvalidArgument as error:
        return str(error)


@WHOLE_POOLS
def test_a_killed_worker_of_a_process_pool_executor_is_one_error(source):
    """It says so itself."""
    with ProcessPoolExecutor(2, mp_context=FORK) as pool, pytest.raises(SourceFailed):
        source.total(killed, executor=pool)


def test_a_thread_does_not_wait_for_itself(source):
    """A call inside of its own executor is refused by name."""
    with ThreadPoolExecutor(1) as threads:
        shared[:] = [threads]
        said = threads.submit(total_of_shared, source).result()
        assert "the one that this call runs in" in said


def test_a_process_does_not_wait_for_the_pool_it_was_forked_from(source):
    """Nobody reads what it would send."""
    with (
        ProcessPoolExecutor(1, mp_context=FORK) as outer,
        ProcessPoolExecutor(1, mp_context=FORK) as others,
    ):
        outer.submit(abs, 1).result()
        shared[:] = [outer]
        assert "the one that this call runs in" in others.submit(total_of_shared, source).result()


@pytest.fixture(scope="module")
def failing():
    """A cluster of its own of two workers, which these tests kill."""
    from tests.support.workers import clustered

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
