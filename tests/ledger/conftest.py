"""Costs and ledgers that the tests share, and the file seen from outside."""

import json
import os
import pickle
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.budgets.ledger import Cost, store
from dpframe.budgets.ledger.chain import BEGINNING, ChainEntry, entry_after
from dpframe.privacy import Unit

ROW = Unit(dp.ADD_REMOVE)


def cost(*guarantees, unit=ROW):
    """The cost of a run with these alternatives, for one row unless told otherwise."""
    return Cost(guarantees, unit, "ab" * 32, "a run")


@pytest.fixture
def tmp_path(tmp_path):
    """A folder in memory where there is such a thing: a charge waits for the disk, and tests need
    not. What is asked of processes that die does not depend on it.
    """
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture(name="cost")
def _cost():
    """The function `cost`."""
    return cost


@pytest.fixture
def ledger(tmp_path):
    """A ledger with a data set "survey" of budget epsilon = 1, and nothing spent."""
    made = dp.Ledger(tmp_path / "budget.sqlite", wait=20)
    made.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
    return made


@pytest.fixture
def spend():
    """A function: one run charged and released; its charge."""

    def spend(ledger, dataset, *guarantees):
        with ledger.charging(dataset, cost(*guarantees)) as charge:
            pass
        return charge

    return spend


@pytest.fixture
def raw():
    """A function: run statements on the file itself, without dpframe."""

    def raw(path, *statements):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return [connection.execute(*one).fetchall() for one in statements][-1]

    return raw


@pytest.fixture
def in_child():
    """A function: call another one in a forked child; what it returns, or the error it raises."""

    def in_child(function):
        out, into = os.pipe()
        child = os.fork()
        if not child:
            try:
                answer = function()
            except BaseException as error:  # noqa: BLE001 - whatever it is goes to the parent
                answer = error
            with os.fdopen(into, "wb") as pipe:
                pickle.dump(answer, pipe)
            os._exit(0)
        os.close(into)
        with os.fdopen(out, "rb") as pipe:
            answer = pickle.load(pipe)
        os.waitpid(child, 0)
        return answer

    return in_child


@pytest.fixture
def history(ledger, spend, cost):
    """A ledger with two data sets and six runs, one of them not finished."""
    ledger.create("other", dp.ApproxDP(1, "1e-6"), relation=dp.REPLACE_ONE, rows_per_person=3)
    for _ in range(5):
        spend(ledger, "survey", dp.PureDP("0.1"))

    def fail():
        with ledger.charging("survey", cost(dp.PureDP("0.3"))):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    return ledger


def entries_of(path):
    """The entries of a file, read without dpframe."""
    with closing(sqlite3.connect(path)) as connection:
        return [ChainEntry(*row) for row in connection.execute(f"{store.SELECT} ORDER BY number")]


def replaced(path, rows):
    """Put other entries in the place of those that are there."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for trigger in store.STATEMENTS[1:]:
            connection.execute(f"DROP TRIGGER {trigger.split()[2]}")
        connection.execute("DELETE FROM entries")
        connection.executemany(store.INSERT, rows)
        for trigger in store.STATEMENTS[1:]:
            connection.execute(trigger)


def chained(rows, change):
    """The chain with other contents and right hashes."""
    head, made = BEGINNING, []
    for row in rows:
        content = change(row, json.loads(row.content))
        made.append(entry_after(head, row.time, row.action, row.dataset, content))
        head = made[-1].head
    return made


@pytest.fixture
def rows_of():
    """The function `entries_of`."""
    return entries_of


@pytest.fixture
def write():
    """The function `replaced`."""
    return replaced


@pytest.fixture
def rewritten():
    """The function `chained`."""
    return chained
