"""Several processes and threads, forks, and processes that are killed at random moments."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import threading
from fractions import Fraction
from pathlib import Path

import dpframe as dp
from benchmarks.ledger_kills import Killed, kills

COUNT = int(os.environ.get("DPFRAME_KILLS", "60"))


def enough(path, *, seed, **options):
    """Kills until 5 of the processes had begun: on a busy machine many die before."""
    rounds = (kills(path, COUNT, seed=one, **options) for one in range(seed, seed + 200, 10))
    done = next(rounds)
    while len(done.begun) < 5:
        more = next(rounds)
        done = Killed(
            done.begun + more.begun,
            done.finished + more.finished,
            done.journals,
        )
    return done


def test_killed_processes_are_never_undercounted(tmp_path):
    """Every release that a killed process reported as begun, before it began, is in the ledger; the
    chain is whole, the total is the sum, and what was not marked is shown as not finished.
    """
    path = tmp_path / "budget.sqlite"
    dp.Ledger(path).create("survey", dp.PureDP(10**6), relation=dp.ADD_REMOVE)
    done: Killed = enough(path, seed=7)
    ledger = dp.Ledger(path)
    charges = ledger.charges("survey")
    assert len(done.begun) >= 5
    assert set(done.begun) <= {charge.number for charge in charges}
    assert set(done.finished) <= {charge.number for charge in charges}
    (spent,) = (part.value for part in ledger.account("survey").spent.amounts)
    assert spent == Fraction(len(charges), 10)
    open_ = {charge.number for charge in charges if charge.status == "charged, not finished"}
    assert len(open_) == ledger.account("survey").unfinished
    assert len(open_ & set(done.begun)) > 0


def test_the_report_of_kills_can_fail(tmp_path):
    """The control: processes that report first and charge afterwards are undercounted."""
    path = tmp_path / "budget.sqlite"
    dp.Ledger(path).create("survey", dp.PureDP(10**6), relation=dp.ADD_REMOVE)
    done = enough(path, seed=8, report_first=True)
    assert len(done.begun) > len(dp.Ledger(path).charges("survey"))


def test_a_half_written_charge_is_undone(ledger, spend, cost):
    """A process is killed inside its transaction, when pages are in the file already: the next one
    sees the ledger as it was.
    """
    spend(ledger, "survey", dp.PureDP("0.1"))
    before = ledger.export()
    child = os.fork()
    if not child:
        other = sqlite3.connect(ledger.path, isolation_level=None)
        other.execute("PRAGMA cache_size=1")
        other.execute("PRAGMA cache_spill=1")
        other.execute("BEGIN IMMEDIATE")
        text = "x" * 2000
        for number in range(6, 500):
            other.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?)", (number, *[text] * 6))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    journal = Path(f"{ledger.path}-journal")
    assert journal.stat().st_size > 512  # the kill did leave a transaction half done
    assert ledger.path.stat().st_size > 10**6
    assert dp.Ledger(ledger.path).export() == before
    assert not journal.exists()
    spend(ledger, "survey", dp.PureDP("0.9"))


def spend_all(path, dataset, run, charged, go):
    """Charge once and wait for the others, then until refused; how often it was admitted."""
    ledger, admitted = dp.Ledger(path, wait=60), 0
    while True:
        try:
            with ledger.charging(dataset, run):
                admitted += 1
        except dp.BudgetExceeded:
            return admitted
        if admitted == 1:
            os.write(charged, b"x")
            os.read(go, 1)


def test_eight_processes_spend_it_all_and_no_more(ledger, cost):
    """Parts of 1/50: together exactly 50 runs, of all processes."""
    run = cost(dp.PureDP(Fraction(1, 50)))
    (ready, charged), (go, start) = os.pipe(), os.pipe()
    children = []
    for _ in range(8):
        child = os.fork()
        if not child:
            os._exit(spend_all(ledger.path, "survey", run, charged, go))
        children.append(child)
    for _ in children:
        os.read(ready, 1)
    os.write(start, b"x" * 8)
    counts = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    for end in (ready, charged, go, start):
        os.close(end)
    account = dp.Ledger(ledger.path).account("survey")
    assert sum(counts) == account.runs == 50
    assert account.unfinished == 0
    assert min(counts) >= 1
    assert [part.value for part in account.remaining.amounts] == [0]


def test_threads_share_one_ledger(ledger, cost):
    """Eight threads, one object: exactly 40 parts of 1/40."""
    run, admitted = cost(dp.PureDP(Fraction(1, 40))), []

    def work():
        while True:
            try:
                with ledger.charging("survey", run) as charge:
                    admitted.append(charge.number)
            except dp.BudgetExceeded:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == len(set(admitted)) == 40
    assert ledger.account("survey").unfinished == 0


def test_forks_between_threads_that_charge(ledger, spend, in_child):
    """A fork waits until no connection is open; the child charges with the same object."""
    stop = threading.Event()

    def work():
        while not stop.wait(0.002):
            spend(ledger, "survey", dp.PureDP("1e-6"))

    thread = threading.Thread(target=work)
    thread.start()
    numbers = [
        in_child(lambda: spend(ledger, "survey", dp.PureDP("1e-5")).number) for _ in range(10)
    ]
    stop.set()
    thread.join()
    assert set(numbers) <= {charge.number for charge in ledger.charges("survey")}
    ledger.verify()


def test_a_fork_inside_the_body_does_not_mark_the_release(ledger, cost):
    """A child that leaves the body says nothing of the parent's run; the parent does."""
    child = None
    with ledger.charging("survey", cost(dp.PureDP("0.1"))):
        child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    assert ledger.account("survey").unfinished == 0


def test_a_child_of_the_body_alone_leaves_it_unfinished(ledger, cost):
    """The control: where only the child leaves, the run stays as it is."""

    def fail():
        with ledger.charging("survey", cost(dp.PureDP("0.1"))):
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                raise RuntimeError

    parent = os.getpid()
    with contextlib.suppress(RuntimeError):
        fail()
    if os.getpid() != parent:
        os._exit(0)
    assert ledger.account("survey").unfinished == 1


def test_two_create_the_same_file_at_once(tmp_path):
    """One file, both data sets."""
    path, (go, start) = tmp_path / "new.sqlite", os.pipe()
    children = []
    for name in "abcd":
        child = os.fork()
        if not child:
            os.read(go, 1)
            dp.Ledger(path).create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)
            os._exit(0)
        children.append(child)
    os.write(start, b"xxxx")
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0, 0, 0, 0]
    assert sorted(dp.Ledger(path).datasets) == ["a", "b", "c", "d"]
