"""Checkpoints: a charge and opening cost the same however long the chain is; what they claim is
computed again; and what opening alone cannot see is seen by `verify`.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.budgets.ledger import book, chain, store
from dpframe.budgets.ledger.book import Book
from dpframe.budgets.ledger.chain import BEGINNING
from dpframe.budgets.ledger.transaction import book_at_checkpoint

EVERY = 20


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    """A checkpoint after 20 entries."""
    monkeypatch.setattr(book, "EVERY", EVERY)


@pytest.fixture
def hashed(monkeypatch):
    """A function: how many hashes a call computes."""
    computed, true = [], chain.hash_of

    def counting(fields):
        computed.append(fields[0])
        return true(fields)

    monkeypatch.setattr(chain, "hash_of", counting)

    def hashed(function):
        computed.clear()
        function()
        return len(computed)

    return hashed


@pytest.fixture
def many(tmp_path, spend, cost):
    """A function: a ledger with so many charges of 1/1000 of "survey", beside another data set, and
    one charge that is not finished.
    """

    def many(count):
        ledger = dp.Ledger(tmp_path / f"{count}.sqlite")
        ledger.create("other", dp.ApproxDP(1, "1e-6"))
        ledger.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
        spend(ledger, "other", dp.GaussianDP("0.01"))
        ledger.charging("survey", cost(dp.PureDP("1e-9"))).__enter__()
        for _ in range(count):
            spend(ledger, "survey", dp.PureDP("1e-3"))
        return ledger

    return many


def places(rows):
    """The numbers of the checkpoints."""
    return [row.number for row in rows if row.action == "checkpoint"]


def test_opening_and_a_charge_cost_the_same_at_any_length(many, hashed, spend, rows_of):
    """In entries that are hashed: opening at most two stretches, a charge its own two entries."""
    for count in (30, 120):
        ledger = many(count)
        total = len(rows_of(ledger.path))
        assert total > 2 * count
        assert EVERY <= hashed(lambda: dp.Ledger(ledger.path)) <= 2 * (EVERY + 4)  # noqa: B023
        assert hashed(ledger.verify) == total
        due = places(rows_of(ledger.path))[-1] + EVERY
        while total + 2 >= due:  # the next charge appends no checkpoint
            spend(ledger, "survey", dp.PureDP("1e-6"))
            total = len(rows_of(ledger.path))
            due = places(rows_of(ledger.path))[-1] + EVERY
        computed = hashed(lambda: spend(ledger, "survey", dp.PureDP("1e-6")))  # noqa: B023
        assert computed == 2 * 2  # of each entry when it is made, and when it is read back


def test_books_agree_wherever_they_begin(many, rows_of):
    """Read from every checkpoint, from the start, and in the process that wrote: every field that a
    book has is the same, and none of them is what it is in an empty book.
    """
    ledger = many(60)
    ledger.account("survey")
    rows, fields = rows_of(ledger.path), vars(Book())
    whole = Book()
    whole.extend(rows)
    assert all(vars(whole)[name] != empty for name, empty in fields.items())
    assert vars(ledger._book) == vars(whole) == vars(dp.Ledger(ledger.path)._book)
    for number in places(rows):
        book = Book.at(rows[number - 1])
        book.extend(rows[number:])
        assert vars(book) == vars(whole)


def test_the_last_checkpoint_is_computed_again_on_opening(many, rows_of):
    """Opening begins at the one before it."""
    ledger = many(60)
    numbers = places(rows_of(ledger.path))
    with closing(sqlite3.connect(ledger.path)) as connection:
        assert book_at_checkpoint(connection, store.last(connection)).head.number == numbers[-2]
        assert book_at_checkpoint(connection, numbers[-1] - 1).head.number == numbers[-3]
        assert book_at_checkpoint(connection, numbers[1] - 1).head == BEGINNING


def test_many_unfinished_runs_and_data_sets_space_checkpoints_out():
    """What a checkpoint lists, over the entries up to the next, is bounded."""
    for entries, listed, due in (
        (EVERY, 0, True),
        (EVERY - 1, 0, False),
        (EVERY, 100 * EVERY * book.SHARE, False),
        (100 * EVERY, 100 * EVERY * book.SHARE, True),
    ):
        read = Book()
        read.head = BEGINNING._replace(number=entries)
        read.unreleased = dict.fromkeys(range(listed), "survey")
        assert read.due is due


def test_edits_before_the_checkpoints(many, tmp_path, rows_of, write):
    """Any field of any early row: opening is not told, and its totals are right all the same; a
    list of charges, an export and `verify` refuse. From the last checkpoint but one on, opening
    refuses.
    """
    ledger = many(40)
    rows, copy = rows_of(ledger.path), tmp_path / "copy.sqlite"
    first = places(rows)[-2]
    account = ledger.account("survey")
    for number in (2, 4, 5, 9, first - 2, first, first + 1, len(rows)):
        row = rows[number - 1]
        for field in ("time", "action", "dataset", "content", "previous", "hash"):
            shutil.copy(ledger.path, copy)
            changed = row._replace(**{field: getattr(row, field)[:-1] + "?"})
            write(copy, [*rows[: number - 1], changed, *rows[number:]])
            if number >= first or (number == first - 1 and field == "hash"):
                with pytest.raises(dp.errors.BadLedger):
                    dp.Ledger(copy)
                continue
            opened = dp.Ledger(copy)
            assert opened.account("survey") == account
            for use in (opened.verify, lambda: opened.charges("survey"), opened.export):  # noqa: B023
                with pytest.raises(dp.errors.BadLedger):
                    use()
    shutil.copy(ledger.path, copy)
    write(copy, rows)
    dp.Ledger(copy).verify()  # the control


def test_forged_sums_before_the_checkpoints(many, rows_of, rewritten, write):
    """With right hashes everywhere. An early charge: opening keeps to the checkpoints, whose totals
    hold what was charged; `verify` refuses. The last checkpoint: opening refuses. All of them, from
    some place on: opening believes it, `verify` refuses, and so does a kept head.
    """
    ledger = many(60)
    account, head, rows = ledger.account("survey"), ledger.head, rows_of(ledger.path)
    numbers = places(rows)
    early = next(row.number for row in rows if row.action == "charge" and row.number > 9)

    def less(row, content):
        if row.number == early:
            content["cost"]["guarantees"][0]["epsilon"] = "1/1000000"
        return content

    write(ledger.path, rewritten(rows, less))
    opened = dp.Ledger(ledger.path)
    assert opened.account("survey") == account
    with pytest.raises(dp.errors.BadLedger, match=f"entry {early} "):
        opened.verify()

    part = Fraction(1, 100)

    def lower(*where):
        def change(row, content):
            if row.number in where:
                (spent,) = [one for one in content["accounts"] if one["dataset"] == "survey"]
                (total,) = spent["totals"]
                total["spent"] = [str(Fraction(total["spent"][0]) - part)]
            if row.number > min(where) and row.action == "charge":
                content["totals"] = {"pure": [str(Fraction(content["totals"]["pure"][0]) - part)]}
            return content

        return change

    write(ledger.path, rewritten(rows, lower(numbers[-1])))
    with pytest.raises(dp.errors.BadLedger, match=f"entry {numbers[-1]} "):
        dp.Ledger(ledger.path)
    write(ledger.path, rewritten(rows, lower(*numbers[-2:])))
    forged = dp.Ledger(ledger.path)
    assert forged.account("survey").main.spent[0] == account.main.spent[0] - part
    with pytest.raises(dp.errors.BadLedger, match=f"entry {numbers[-2]} "):
        forged.verify()
    with pytest.raises(dp.errors.StaleLedger):
        dp.Ledger(ledger.path, head=head)


IMPOSSIBLE = {
    "beyond the budget": lambda one: one["totals"][0].update(spent=["2"]),
    "below 0": lambda one: one["totals"][0].update(spent=["-1/2"]),
    "another ceiling": lambda one: one["totals"][0]["ceiling"].update(epsilon="2"),
    "no totals": lambda one: one.update(totals=[]),
    "no unit": lambda one: one.update(unit=None),
    "no runs": lambda one: one.update(runs=0, unfinished=[]),
    "runs as truth": lambda one: one.update(runs=True),
    "unfinished runs of the future": lambda one: one.update(unfinished=[10**6]),
    "an escape in the name": lambda one: one.update(dataset="sur\x1b[2Jvey"),
    "an escape in the time": lambda one: one.update(created="\x1b[2J"),
    "something more": lambda one: one.update(more=1),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_checkpoints_that_nothing_adds_up_to(many, name, rows_of, rewritten, write):
    """Refused by opening alone, under right hashes."""
    ledger = many(60)
    rows = rows_of(ledger.path)
    last = places(rows)[-2:]

    def change(row, content):
        if row.number in last:
            IMPOSSIBLE[name](content["accounts"][1])
        return content

    write(ledger.path, rewritten(rows, change))
    with pytest.raises(dp.errors.BadLedger):
        dp.Ledger(ledger.path)


def test_a_kept_head_from_before_the_checkpoints(many, spend, rows_of, rewritten, write):
    """Found wherever it is, all after it computed again; an entry that was put in its place is not
    it.
    """
    ledger = many(60)
    rows = rows_of(ledger.path)
    for row in rows[:: len(rows) // 7]:
        opened = dp.Ledger(ledger.path, head=row.hash)
        opened.verify(head=row.hash)
        assert opened.account("survey") == ledger.account("survey")
        assert opened.head == ledger.head
    spend(opened, "survey", dp.PureDP("1e-3"))
    other = {"identity": "0"}
    forged = rewritten(rows, lambda row, content: content | (other if row.number == 1 else {}))
    forged[8] = forged[8]._replace(hash=rows[8].hash)  # the kept one, where it was
    write(ledger.path, forged)
    with pytest.raises(dp.errors.BadLedger):
        dp.Ledger(ledger.path, head=rows[8].hash)


def test_a_run_is_marked_across_checkpoints(ledger, spend, cost):
    """A charge that was entered several checkpoints ago, by another object, is still open, and is
    then released once.
    """
    body = ledger.charging("survey", cost(dp.PureDP("0.01")))
    charge = body.__enter__()
    for _ in range(3 * EVERY):
        spend(ledger, "survey", dp.PureDP("1e-4"))
    assert dp.Ledger(ledger.path).account("survey").unfinished == 1
    body.__exit__(None, None, None)
    assert dp.Ledger(ledger.path).account("survey").unfinished == 0
    assert ledger.charges("survey")[0].number == charge.number
    assert ledger.charges("survey")[0].status == "released"
    ledger.verify()


def test_what_was_not_committed_is_forgotten(ledger, spend, cost, monkeypatch):
    """A charge whose commit fails is not counted by the object that tried it, nor is its number
    taken.
    """
    spend(ledger, "survey", dp.PureDP("0.1"))

    def full(*_):
        raise sqlite3.OperationalError

    with monkeypatch.context() as patched:
        patched.setattr(store.LedgerFile, "commit", full)
        with (
            pytest.raises(dp.DPFrameError),
            ledger.charging("survey", cost(dp.PureDP("0.5"))),
        ):
            pytest.fail("the body ran")
    assert ledger.account("survey").main.spent == (Fraction(1, 10),)
    spend(ledger, "survey", dp.PureDP("0.9"))
    ledger.verify()
