"""Journal modes, a first entry that was half-written, and who waits for whom."""

import os
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.budgets.ledger import store


def switched(path, mode):
    """A connection of another tool that switches the journal mode."""
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute(f"PRAGMA journal_mode={mode}").fetchone() == (mode,)
    return connection


def test_write_ahead_logging_is_refused_with_the_way_out(ledger, spend, cost):
    """By everything, also while the other tool is there; the way out brings every charge back."""
    spend(ledger, "survey", dp.PureDP("0.1"))

    def charge():
        with ledger.charging("survey", cost(dp.PureDP("0.1"))):
            pytest.fail("the body ran")

    def create():
        ledger.create("more", dp.PureDP(1))

    uses = (lambda: dp.Ledger(ledger.path), ledger.verify, charge, create, lambda: ledger.head)
    with closing(switched(ledger.path, "wal")):
        for use in uses:
            with pytest.raises(dp.errors.BadLedger, match="journal_mode=DELETE"):
                use()
    for use in uses:
        with pytest.raises(dp.errors.BadLedger, match="journal_mode=DELETE"):
            use()
    switched(ledger.path, "delete").close()
    assert dp.Ledger(ledger.path).account("survey").runs == 1
    spend(ledger, "survey", dp.PureDP("0.1"))
    ledger.verify()


@pytest.mark.parametrize("mode", ["truncate", "persist", "memory"])
def test_modes_that_a_file_does_not_keep_are_no_matter(ledger, spend, mode):
    """The control: they are those of the other tool's connection."""
    switched(ledger.path, mode).close()
    spend(ledger, "survey", dp.PureDP("0.1"))
    assert dp.Ledger(ledger.path).account("survey").runs == 1


def half_created(path):
    """A child lays out a ledger, writes pages of it, and is killed before it commits."""
    path.touch()
    child = os.fork()
    if not child:
        connection = sqlite3.connect(path, isolation_level=None)
        for pragma in ("cache_size=1", "cache_spill=1"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id={store.APPLICATION}")
        for statement in store.STATEMENTS:
            connection.execute(statement)
        for number in range(1, 300):
            connection.execute(store.INSERT, (number, *["x" * 2000] * 6))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert path.stat().st_size > 10**5  # it did leave a file that was half-written
    assert Path(f"{path}-journal").exists()


def test_a_crash_inside_the_first_create_leaves_no_ledger(tmp_path):
    """The next opening finds none, and `create` begins it; also without reading first."""
    path = tmp_path / "new.sqlite"
    half_created(path)
    opened = dp.Ledger(path)
    assert opened.datasets == ()
    half_created(path)
    opened.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
    assert dp.Ledger(path).datasets == ("survey",)


def test_a_charge_after_such_a_crash_is_refused(tmp_path, cost):
    """As where there is no file."""
    path = tmp_path / "new.sqlite"
    opened = dp.Ledger(path)
    half_created(path)
    with (
        pytest.raises(dp.InvalidArgument, match="an existing file"),
        opened.charging("survey", cost(dp.PureDP(1))),
    ):
        pytest.fail("the body ran")


@pytest.fixture
def waiting(ledger, cost, monkeypatch):
    """A function that begins a charge in a thread while another tool holds the lock, and returns
    once it waits: the thread, and a function that lets it go on and says how it ended.
    """
    other = sqlite3.connect(ledger.path, isolation_level=None, check_same_thread=False)
    sleeps, ended, true = threading.Event(), [], store.time.sleep

    def sleep(seconds):
        sleeps.set()
        true(seconds)

    def charge():
        try:
            with ledger.charging("survey", cost(dp.PureDP("0.1"))):
                ended.append("charged")
        except dp.DPFrameError as error:
            ended.append(error)

    def begin():
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(store.time, "sleep", sleep)
        thread = threading.Thread(target=charge)
        thread.start()
        sleeps.wait()

        def end():
            assert ended == []
            other.execute("ROLLBACK")
            thread.join()
            return ended

        return end

    yield begin
    other.close()


def test_a_ledger_that_waits_holds_up_no_other(waiting, tmp_path, spend):
    """Another ledger is charged meanwhile; the thread that waits is not through."""
    other = dp.Ledger(tmp_path / "other.sqlite")
    other.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
    end = waiting()
    spend(other, "survey", dp.PureDP("0.1"))
    assert end() == ["charged"]


def test_a_ledger_that_waits_is_read(waiting, ledger):
    """Also by the same object."""
    end = waiting()
    assert ledger.account("survey").runs == dp.Ledger(ledger.path).account("survey").runs == 0
    assert end() == ["charged"]
    assert ledger.account("survey").runs == 1


def test_a_ledger_that_waits_holds_up_no_fork(waiting, in_child, ledger):
    """A child is made and reads meanwhile; what it inherits works."""
    end = waiting()
    assert in_child(lambda: ledger.account("survey").runs) == 0
    assert end() == ["charged"]


def test_a_fork_waits_for_open_connections_alone(ledger, in_child):
    """Another thread's; one of its own thread does not stop it, and the child is out of it."""
    inside, leave = threading.Event(), threading.Event()

    def work():
        with store.LOCK:
            inside.set()
            leave.wait()

    def fork():
        runs.append(in_child(lambda: ledger.account("survey").runs))

    runs = []
    threads = [threading.Thread(target=target) for target in (work, fork)]
    threads[0].start()
    inside.wait()
    threads[1].start()
    threads[1].join(0.2)
    assert runs == []
    leave.set()
    for thread in threads:
        thread.join()
    with store.LOCK:
        fork()
    assert runs == [0, 0]


def test_a_wait_may_be_longer_than_sqlite_can_count(ledger, spend):
    """As good as for ever; the charge is entered."""
    spend(dp.Ledger(ledger.path, wait=1e15), "survey", dp.PureDP("0.1"))
    assert ledger.account("survey").runs == 1
