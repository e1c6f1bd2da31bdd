"""The chain: every edit of the past is seen, a forged price too."""

import json
import pickle
import random
import shutil
import sqlite3
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.budgets.ledger import store
from dpframe.budgets.ledger.chain import entry_after

# ---------------------------------------------------------------------------------------- The chain
COLUMNS = ("number", "time", "action", "dataset", "content", "previous", "hash")
TRIGGERS = store.STATEMENTS[1:]
NAMES = [statement.split()[2] for statement in TRIGGERS]


@pytest.fixture
def edit(raw):
    """A function: change the table with the triggers dropped, and put them back."""

    def edit(path, *statement):
        drops = [(f"DROP TRIGGER {name}",) for name in NAMES]
        raw(path, *drops, statement, *((trigger,) for trigger in TRIGGERS), ("SELECT 1",))

    return edit


def flipped(value, rng):
    """Another value of the same type: one bit of a number, one character of a text."""
    if isinstance(value, int):
        return value ^ (1 << rng.randrange(6, 12))
    if not value:
        return "x"
    place = rng.randrange(len(value))
    return value[:place] + ("0" if value[place] != "0" else "1") + value[place + 1 :]


def test_every_column_of_every_row(history, edit, raw, tmp_path):
    """One field changed, by one character or bit: opening refuses; as it was, it opens."""
    rng, rows = random.Random(5), raw(history.path, (store.SELECT,))
    assert {row[2] for row in rows} == {"ledger", "dataset", "rule", "charge", "released"}
    copy = tmp_path / "copy.sqlite"
    for row in rows:
        for column, value in zip(COLUMNS, row, strict=True):
            shutil.copy(history.path, copy)
            change = f"UPDATE entries SET {column} = ? WHERE number = ?"
            edit(copy, change, (value, row[0]))
            dp.Ledger(copy)  # the control: the same edit with the same value is accepted
            edit(copy, change, (flipped(value, rng), row[0]))
            with pytest.raises(dp.errors.BadLedger):
                dp.Ledger(copy)


def test_rows_deleted_doubled_and_renumbered(history, edit, raw, tmp_path):
    """Each row inserted again at the end, given a number below 1; each but the last deleted."""
    rows = raw(history.path, (store.SELECT,))
    copy = tmp_path / "copy.sqlite"
    for row in rows:
        statements = [
            (store.INSERT, (len(rows) + 1, *row[1:])),
            ("UPDATE entries SET number = -number WHERE number = ?", (row[0],)),
            ("DELETE FROM entries WHERE number = ?", (row[0],)),
        ]
        for statement in statements[: 3 if row != rows[-1] else 2]:
            shutil.copy(history.path, copy)
            edit(copy, *statement)
            with pytest.raises(dp.errors.BadLedger):
                dp.Ledger(copy)


def test_the_past_cannot_be_changed_by_accident(history, raw):
    """The triggers refuse UPDATE, DELETE and REPLACE, and rows out of order."""
    for statement in (
        "UPDATE entries SET time = ''",
        "DELETE FROM entries",
        "REPLACE INTO entries SELECT * FROM entries WHERE number = 3",
        store.INSERT.replace("?", "100"),
    ):
        with pytest.raises(sqlite3.IntegrityError, match="entries are"):
            raw(history.path, (statement,))
    history.verify()


def test_a_chain_rewritten_with_right_hashes_still_adds_up(history, rows_of, rewritten, write):
    """An edit with every hash computed again is seen where the sums or ceilings cannot be; where
    they can, only a kept head shows it. This is what the documentation says.
    """
    head, rows = history.head, rows_of(history.path)

    def edited(action, change):
        write(
            history.path,
            rewritten(rows, lambda row, c: c | change(c) if row.action == action else c),
        )

    for action, change in (
        ("charge", lambda _: {"totals": {"pure": ["1/10"]}}),
        ("charge", lambda _: {"prices": {"pure": ["2"]}}),
        ("charge", lambda c: {"prices": {**c["prices"], "zcdp": ["1/10"]}}),
        ("rule", lambda _: {"ceilings": [{"kind": "pure", "epsilon": "2"}]}),
    ):
        edited(action, change)
        with pytest.raises(dp.errors.BadLedger):
            dp.Ledger(history.path)
    edited("ledger", lambda _: {"identity": "00"})
    assert dp.Ledger(history.path).account("survey").runs == 6
    with pytest.raises(dp.errors.StaleLedger):
        dp.Ledger(history.path, head=head)
    with pytest.raises(dp.errors.StaleLedger):
        history.verify()


def test_roll_back(history, spend, tmp_path):
    """Last week's copy put back: seen by the process that knows better, and by a kept head; not
    without one, and the copy itself is a ledger (the controls).
    """
    old = tmp_path / "old.sqlite"
    shutil.copy(history.path, old)
    early = history.head
    spend(history, "survey", dp.PureDP("0.1"))
    kept = history.head
    dp.Ledger(history.path, head=early)  # an older head of the same chain is in it
    dp.Ledger(history.path, head=kept)
    shutil.copy(old, history.path)
    for use in (
        history.verify,
        lambda: history.head,
        lambda: spend(history, "survey", dp.PureDP("0.1")),
    ):
        with pytest.raises(dp.errors.StaleLedger):
            use()
    with pytest.raises(dp.errors.StaleLedger):
        dp.Ledger(history.path, head=kept)
    assert dp.Ledger(history.path, head=early).head == early
    assert dp.Ledger(history.path).account("survey").runs == 6


def test_the_last_rows_cut_off(history, edit):
    """As a roll-back: seen against a kept head only."""
    kept = history.head
    edit(history.path, "DELETE FROM entries WHERE number > 8")
    with pytest.raises(dp.errors.StaleLedger):
        dp.Ledger(history.path, head=kept)
    assert dp.Ledger(history.path).head != kept


def test_a_deleted_file_is_noticed(history, cost):
    """By the process that knew it, and by a kept head; a new object says that there is no file."""
    kept = history.head
    history.path.unlink()
    for use in (history.verify, lambda: dp.Ledger(history.path, head=kept)):
        with pytest.raises(dp.errors.StaleLedger):
            use()
    with (
        pytest.raises(dp.InvalidArgument, match="an existing file"),
        dp.Ledger(history.path).charging("survey", cost(dp.PureDP(1))),
    ):
        pytest.fail("the body ran")
    assert not history.path.exists()


@pytest.mark.parametrize("head", ["", "x", "0" * 63, "G" * 64, 7, b"0" * 64])
def test_bad_heads_are_refused(history, head):
    """Text of 64 hexadecimal digits, or nothing."""
    with pytest.raises(dp.InvalidArgument, match="64 hexadecimal digits"):
        history.verify(head=head)


def test_export_is_everything_exactly(history, raw):
    """By the standard library alone: sums of prices are totals; the chain is the table."""
    whole = json.loads(history.export())
    (survey, other) = whole["datasets"]
    charges = [json.loads(one["content"]) for one in whole["chain"] if one["action"] == "charge"]
    prices = [Fraction(charge["prices"]["pure"][0]) for charge in charges]
    assert sum(prices) == Fraction(survey["totals"][0]["spent"][0]) == Fraction(4, 5)
    assert (survey["totals"][0]["ceiling"]["epsilon"], survey["unfinished"]) == ("1", 1)
    assert other["unit"] == {"relation": "replace_one", "rows_per_person": 3}
    rows = [tuple(entry.values()) for entry in whole["chain"]]
    assert rows == raw(history.path, (store.SELECT,))
    assert whole["head"] == rows[-1][-1] == history.head


def test_a_pickled_ledger_opens_the_same_file_again(history, tmp_path):
    """And notices a roll-back in between."""
    text = pickle.dumps(history)
    assert pickle.loads(text).account("survey") == history.account("survey")
    history.path.unlink()
    with pytest.raises(dp.errors.StaleLedger):
        pickle.loads(text)


# --------------------------------- A chain with right hashes whose prices are not those of its runs
FORGED = {
    "a lower price": {"prices": {"pure": ["1/100"]}, "totals": {"pure": ["1/100"]}},
    "a higher price": {"prices": {"pure": ["1/2"]}, "totals": {"pure": ["1/2"]}},
    "no price": {"prices": {"pure": ["0"]}, "totals": {"pure": ["0"]}},
    "another total": {"totals": {"pure": ["1/100"]}},
    "a price of another kind": {"prices": {"zcdp": ["1/10"]}},
    "one more price": {"prices": {"pure": ["1/10"], "zcdp": ["1/200"]}},
    "something more": {"remark": "hello"},
}


@pytest.fixture
def tenth(ledger, spend):
    """A run of 1/10 in the ledger."""
    spend(ledger, "survey", dp.PureDP("0.1"))


@pytest.mark.usefixtures("tenth")
@pytest.mark.parametrize("name", FORGED)
def test_prices_are_computed_again_from_the_stated_cost(ledger, name, rows_of, rewritten, write):
    """At opening, without a kept head."""
    rows = rows_of(ledger.path)

    def change(row, content):
        return content | (FORGED[name] if row.action == "charge" else {})

    write(ledger.path, rewritten(rows, lambda _, content: content))
    dp.Ledger(ledger.path)  # the control
    write(ledger.path, rewritten(rows, change))
    with pytest.raises(dp.errors.BadLedger, match="entry 4 "):
        dp.Ledger(ledger.path)


def test_prices_by_implication_are_computed_again(ledger, spend, rows_of, rewritten, write):
    """Pure epsilon as Gaussian, by the chord: half of it is refused."""
    ledger.create("other", dp.GaussianDP(1), relation=dp.ADD_REMOVE)
    spend(ledger, "other", dp.PureDP("0.1"))
    rows = rows_of(ledger.path)

    def change(row, content):
        if row.action == "charge":
            (price,) = content["prices"]["gaussian"]
            top, bottom = price.split("/")
            half = [f"{top}/{2 * int(bottom)}"]
            content |= {"prices": {"gaussian": half}, "totals": {"gaussian": half}}
        return content

    write(ledger.path, rewritten(rows, change))
    with pytest.raises(dp.errors.BadLedger):
        dp.Ledger(ledger.path)


def test_checkpoints_of_earlier_versions_are_passed_over(ledger, spend, rows_of, write):
    """Whatever they claim, sums are those of all charges."""
    spend(ledger, "survey", dp.PureDP("0.1"))
    last = rows_of(ledger.path)[-1]
    claimed = {"accounts": [], "unfinished": {}}
    write(
        ledger.path,
        [*rows_of(ledger.path), entry_after(last.head, last.time, "checkpoint", "", claimed)],
    )
    opened = dp.Ledger(ledger.path, head=last.hash)
    spend(opened, "survey", dp.PureDP("0.2"))
    assert dp.Ledger(ledger.path).account("survey").main.spent == (Fraction(3, 10),)
    opened.verify()


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
