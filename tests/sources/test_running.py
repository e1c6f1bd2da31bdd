"""Executors: the same sums in the same order, bounded, stopped cleanly, and told apart by kind."""

import multiprocessing
import os
import pickle
import signal
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import reduce
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

from dpframe import errors
from dpframe.errors import BadData, DPFrameError, InvalidArgument, SourceFailed
from dpframe.graph import Column, Rows, Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import open_source
from dpframe.sources.running import AHEAD
from dpframe.sources.table import block_rows
from tests.support.workers import WHOLE_POOLS

CANARY = 73194628.25
RNG = np.random.default_rng(9)
BLOCK = block_rows(1)
X = RNG.normal(size=(40 * BLOCK, 1)) * 10.0 ** RNG.integers(-20, 20, size=(40 * BLOCK, 1))
SETTING = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)


def table(values=X):
    """A source of 40 parts of one block, or of fewer."""
    return open_source(SETTING, values, np.zeros(len(values)), parts=1)


def sums(blocks):
    """The sum of a part, a double."""
    return float(sum(block.rows.sum() for block in blocks))


class Backwards:
    """An executor that does the newest job first, when any result is wanted."""

    _max_workers = 3

    def __init__(self):
        self.waiting, self.most, self.done = [], 0, []

    def submit(self, work, *arguments):
        future = Future()
        future.result = lambda timeout=None: self._result(future)
        self.waiting.append((future, work, arguments))
        self.most = max(self.most, len(self.waiting))
        return future

    def _result(self, future):
        while self.waiting:
            one, work, arguments = self.waiting.pop()
            self.done.append(one)
            one.set_result(work(*arguments))
        return Future.result(future)


def test_sums_are_added_in_the_order_of_parts_whoever_finishes_first():
    """Against a plain loop over the blocks; another order gives another double."""
    parts = [float(X[place : place + BLOCK].sum()) for place in range(0, len(X), BLOCK)]
    wanted = reduce(lambda left, right: left + right, parts)
    assert wanted != reduce(lambda left, right: left + right, parts[::-1])
    with ThreadPoolExecutor(4) as threads:
        for executor in (None, threads, Backwards()):
            assert table().total(sums, executor=executor) == wanted


def test_only_so_many_parts_are_in_flight():
    """Twice the workers, whatever the number of parts."""
    backwards = Backwards()
    table().total(sums, executor=backwards)
    assert backwards.most == AHEAD * 3
    assert len(backwards.done) == 40


def test_an_iterator_is_read_no_faster_than_it_is_worked_on():
    """Constant memory: a generator is ahead of the work by what is in flight."""
    drawn, executor, ahead = [], Backwards(), []

    def blocks():
        for number in range(40):
            drawn.append(number)
            ahead.append(len(drawn) - len(executor.done))
            yield X[:5], np.zeros(5)

    open_source(SETTING, blocks()).total(sums, executor=executor)
    assert len(drawn) == 40
    assert max(ahead) <= AHEAD * 3 + 1


# what goes wrong ------------------------------------------------------------------------------


class Dies:
    """Work that kills the process it is sent to."""

    def __reduce__(self):
        return os._exit, (3,)

    def __call__(self, blocks):
        raise AssertionError("never called")


def spoil(blocks):
    """Work that fails, quoting data."""
    raise ValueError(f"what about {CANARY}?")


@WHOLE_POOLS
def test_a_worker_that_dies_is_one_clear_error():
    """And so is what comes after it."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for work in (Dies(), list):
            with pytest.raises(SourceFailed, match=r"by the executor failed \(BrokenProcessPool\)"):
                table().total(work, executor=pool)


def test_an_executor_that_was_shut_down_is_one_clear_error():
    """By its kind."""
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(SourceFailed, match=r"by the executor failed \(RuntimeError\)"):
        table().total(list, executor=pool)


def test_work_that_cannot_be_sent_is_one_clear_error(processes):
    """A lambda does not reach another process."""
    with pytest.raises(SourceFailed, match="by the executor failed"):
        table().total(lambda blocks: list(blocks), executor=processes)  # noqa: PLW0108


@pytest.mark.parametrize("executor", [3, "threads", object(), ThreadPool(1)])
def test_what_is_no_executor_is_refused(executor):
    """With one that is."""
    with pytest.raises(InvalidArgument, match="ThreadPoolExecutor"):
        table().total(list, executor=executor)


def test_work_that_fails_elsewhere_quotes_no_data():
    """What is raised in a worker is told by its kind."""
    with ThreadPoolExecutor(2) as threads, pytest.raises(SourceFailed) as refusal:
        table().total(spoil, executor=threads)
    assert str(refusal.value).startswith("reading X failed (ValueError); nothing has been released")
    assert "73194628" not in repr(vars(refusal.value))


def test_a_refusal_comes_back_from_another_process_as_it_was(processes):
    """The same class, sentence and operands as in this one."""
    values = X[:9000].copy()
    values[5000] = np.nan
    caught = []
    for executor in (None, processes):
        with pytest.raises(BadData) as refusal:
            table(values).total(list, executor=executor)
        caught.append(refusal.value)
    assert str(caught[0]) == str(caught[1])
    assert "column 0 of X must be finite" in str(caught[0])
    assert vars(caught[0]).keys() == vars(caught[1]).keys()


ERRORS = {
    BadData: ("X", "finite", 3, "so"),
    errors.InvalidArgument: ("X", "finite", 3),
    errors.SourceFailed: ("block 3", "OSError", "so"),
    errors.MissingExtra: ("pyarrow", "arrow"),
    errors.NotExecutable: ("no",),
    errors.BudgetExceeded: ("1", "0", "text"),
    errors.Uncertified: ("report", "text"),
}


@pytest.mark.parametrize(("kind", "arguments"), ERRORS.items(), ids=lambda one: str(one)[-20:])
def test_errors_survive_pickling(kind, arguments):
    """Whatever __init__ wants, as the text and the operands."""
    error = kind(*arguments)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert vars(again) == vars(error)
    assert isinstance(again, DPFrameError)


class PanicException(BaseException):
    """What Polars raises where it did not expect to: no Exception."""


def test_a_panic_is_told_by_its_kind_and_ctrl_c_is_let_through():
    """A panic quotes data; an interruption is the person's."""

    def blocks(error):
        yield X[:5], np.zeros(5)
        raise error

    with pytest.raises(SourceFailed, match=r"block 2 failed \(PanicException\)") as refusal:
        open_source(SETTING, blocks(PanicException(CANARY))).total(list)
    assert "73194628" not in repr(vars(refusal.value))
    with pytest.raises(KeyboardInterrupt):
        open_source(SETTING, blocks(KeyboardInterrupt())).total(list)


def test_a_refusal_cancels_what_is_in_flight():
    """At once, though whoever caught the refusal still holds it."""
    values, futures = X.copy(), []
    values[5] = np.nan

    class First:
        """Does the first job only."""

        def submit(self, work, *arguments):
            futures.append(Future())
            if len(futures) == 1:
                futures[0].set_result(work(*arguments))
            return futures[-1]

    with pytest.raises(BadData) as refusal:
        table(values).total(list, executor=First())
    assert len(futures) > 1
    assert all(future.cancelled() for future in futures[1:])
    assert refusal.value is not None


# Ctrl-C ---------------------------------------------------------------------------------------


@pytest.fixture
def interrupted():
    """A function that notes that a part has begun, and sends Ctrl-C to this thread a moment after
    so many have.
    """
    before, main = signal.signal(signal.SIGALRM, signal.default_int_handler), threading.get_ident()

    def begins(begun, count):
        begun.append(1)
        if len(begun) == count:
            threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGALRM)).start()

    yield begins
    signal.signal(signal.SIGALRM, before)


def test_ctrl_c_cancels_what_is_in_flight(interrupted):
    """Parts that wait are never begun; the interruption is what is raised."""
    begun, go_on = [], threading.Event()

    def work(blocks):
        interrupted(begun, 2)
        go_on.wait()
        return list(blocks)

    with ThreadPoolExecutor(2) as threads:
        with pytest.raises(KeyboardInterrupt):
            table().total(work, executor=threads)
        go_on.set()
    assert len(begun) == 2


@pytest.mark.parametrize("own", [False, True], ids=["one thread", "own threads"])
def test_ctrl_c_stops_a_pass_alone(interrupted, monkeypatch, own):
    """At once; parts in threads of its own finish unheard, and no others begin."""
    begun, go_on = [], threading.Event()
    monkeypatch.setattr("dpframe.sources.source.FEW", 4 if own else 10**9)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    def work(blocks):
        interrupted(begun, 2 if own else 1)
        for _ in blocks:
            go_on.wait()

    with pytest.raises(KeyboardInterrupt):
        table().total(work)
    go_on.set()
    assert len(begun) == (2 if own else 1)


# what is sent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["array", "frame", "arrow", "polars", "nullable"])
def test_a_part_travels_alone(kind, processes):
    """A window of one block is pickled without the rest of its table."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame = pd.DataFrame({"u": X[:, 0], "y": 0.0})
    given = {
        "array": X,
        "frame": frame,
        "arrow": pa.Table.from_pandas(frame, preserve_index=False),
        "polars": pl.from_pandas(frame),
        "nullable": frame.convert_dtypes(),
    }[kind]
    source = open_source(SETTING, given, np.zeros(len(X)) if kind == "array" else None, parts=1)
    parts = list(source.parts())
    assert len(parts) == 40
    size = len(pickle.dumps(parts[7]))
    assert BLOCK * 8 <= size < 6 * BLOCK * 8
    (block,) = pickle.loads(pickle.dumps(parts[7])).blocks()
    np.testing.assert_array_equal(block.rows, X[7 * BLOCK : 8 * BLOCK])
    assert "73194628" not in repr(parts[7])
    assert "array" not in repr(parts[7])


def test_a_row_group_travels_by_name(tmp_path):
    """Its part holds no data."""
    import pandas as pd

    pd.DataFrame({"u": X[:, 0], "y": 0.0}).to_parquet(tmp_path / "t.parquet", row_group_size=BLOCK)
    parts = list(open_source(SETTING, tmp_path / "t.parquet").parts())
    assert len(parts) == 40
    assert all(len(pickle.dumps(part)) < 2000 for part in parts)


@pytest.mark.parametrize("n", [0, 1, BLOCK, 4 * BLOCK, 4 * BLOCK + 1, 40 * BLOCK - 3])
@pytest.mark.parametrize("blocks", [1, 2, 16])
def test_many_parts_of_a_table_in_memory_are_alike(n, blocks):
    """Every row once, in order; a multiple of 8 parts, or at most 4."""
    source = open_source(SETTING, X[:n], np.zeros(n), parts=blocks)
    lengths = [sum(len(block.rows) for block in part.blocks()) for part in source.parts()]
    assert len(lengths) == source.steps
    assert len(lengths) <= 4 or len(lengths) % 8 == 0
    assert sum(lengths) == n
    assert max(lengths) <= blocks * BLOCK
    assert max(lengths) - min(lengths[:-1], default=max(lengths)) == 0
    rows = [block.rows for part in source.parts() for block in part.blocks()]
    assert np.array_equal(np.concatenate(rows), X[:n])
