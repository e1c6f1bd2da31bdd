"""Journal modes, a first entry that was half-written, and who waits for whom."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.budgets.ledger import store
from dpframe.budgets.ledger.store import Gate


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


def test_a_fork_waits_for_open_connections_alone():
    """The gate shuts once the thread inside is out, and lets nobody in before it is open again."""
    gate, inside, leave, shut, entered = Gate(), *(threading.Event() for _ in range(4))

    def work():
        with gate.passage():
            inside.set()
            leave.wait()
            assert not shut.is_set()

    def late():
        with gate.passage():
            entered.set()

    def fork():
        gate.shut()
        shut.set()
        assert not entered.wait(0.05)
        gate.open()

    threads = [threading.Thread(target=work)]
    threads[0].start()
    inside.wait()
    threads += [threading.Thread(target=fork)]
    threads[1].start()
    while not gate._forks:
        pass
    threads += [threading.Thread(target=late)]
    threads[2].start()
    assert not shut.wait(0.05)
    leave.set()
    for thread in threads:
        thread.join()
    assert shut.is_set()
    assert entered.is_set()


def test_a_fork_inside_a_passage_of_its_own_does_not_wait():
    """And the child, where no other thread is, comes out of it."""
    gate = Gate()

    def work():
        with gate.passage():
            gate.shut()
            gate.renew()
        gate.shut()
        gate.open()
        with gate.passage():
            pass

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert (gate._forks, gate._inside) == (0, {})


def test_a_wait_may_be_longer_than_sqlite_can_count(ledger, spend):
    """As good as for ever; the charge is entered."""
    spend(dp.Ledger(ledger.path, wait=1e15), "survey", dp.PureDP("0.1"))
    assert ledger.account("survey").runs == 1
