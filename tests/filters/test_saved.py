"""Files of ledgers: what is restored spends the same; what was edited, cut or is old is seen."""

import json
import subprocess
import sys
import threading
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.budgets import files, saved_ledger
from tests.support.sealing import resealed

LEDGERS = {
    "pure": lambda: dp.Filter(dp.PureDP("0.7")),
    "approx": lambda: dp.Filter(dp.ApproxDP(1, "1e-6")),
    "zcdp": lambda: dp.Filter(dp.ZeroConcentratedDP("1/3")),
    "zcdp inside": lambda: dp.Filter(dp.ApproxDP(1, "1e-6"), by=dp.ZeroConcentratedDP),
    "gaussian": lambda: dp.Filter(dp.GaussianDP(dp.sqrt(2))),
    "gaussian inside": lambda: dp.Filter(dp.ApproxDP(1, "1e-6"), by=dp.GaussianDP),
    "odometer": lambda: dp.Odometer(dp.ApproxDP),
}


def part(ledger, k):
    """A cost in the kind of a ledger, about 1/k of anything."""
    small = Fraction(1, 1000 * k)
    return ledger.kind(small, small / 10**6) if ledger.kind is dp.ApproxDP else ledger.kind(small)


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("name", LEDGERS)
def test_what_is_restored_spends_the_same(name, keyed, key, tmp_path):
    """Equal seals after each of several queries, saves and loads, and equal text."""
    secret = key if keyed else None
    ledger = LEDGERS[name]()
    for k in (1, 3, 7):
        ledger.spend(part(ledger, k))
        ledger.save(tmp_path / "ledger", key=secret)
        restored = type(ledger).load(tmp_path / "ledger", key=secret)
        assert restored.seal == ledger.seal
        assert restored.to_json(key=secret) == (tmp_path / "ledger").read_text()
        ledger.spend(part(ledger, 11))
        restored.spend(part(restored, 11))
        assert restored.seal == ledger.seal
        assert (restored.spent, restored.queries) == (ledger.spent, ledger.queries)


def test_an_exhausted_filter_stays_exhausted(tmp_path):
    """What a peer forgets: its restored filter answers again."""
    gate = dp.Filter(dp.PureDP(1))
    gate.spend(dp.PureDP(1))
    gate.save(tmp_path / "ledger")
    for restored in (
        dp.Filter.load(tmp_path / "ledger"),
        dp.Filter.from_json(gate.to_json()),
    ):
        with pytest.raises(dp.BudgetExceeded):
            restored.spend(dp.PureDP("1e-9"))


@pytest.mark.parametrize("keyed", [False, True])
def test_every_changed_byte_is_seen(half_spent, keyed, key, tmp_path):
    """Each byte with each of its bits flipped, doubled, and left out."""
    secret = key if keyed else None
    half_spent.save(tmp_path / "ledger", key=secret)
    whole = (tmp_path / "ledger").read_bytes()
    assert dp.Filter.load(tmp_path / "ledger", key=secret)
    for place, byte in enumerate(whole):
        variants = [bytes([byte ^ (1 << bit)]) for bit in range(8)] + [bytes([byte, byte]), b""]
        for variant in variants:
            edited = whole[:place] + variant + whole[place + 1 :]
            if edited == whole:
                continue
            with pytest.raises(dp.errors.BadLedger):
                dp.Filter.from_json(edited.decode("ascii", "surrogateescape"), key=secret)


def test_every_truncation_is_seen(half_spent, tmp_path):
    """Every proper beginning of the file, and the file with something behind it."""
    half_spent.save(tmp_path / "ledger")
    whole = (tmp_path / "ledger").read_bytes()
    for text in [whole[:length] for length in range(len(whole))] + [whole + b"\n", whole * 2]:
        (tmp_path / "cut").write_bytes(text)
        with pytest.raises(dp.errors.BadLedger):
            dp.Filter.load(tmp_path / "cut")


def test_without_a_key_a_resealed_file_passes_and_with_one_it_does_not(half_spent, key):
    """Said in the docs: SHA-256 is against accidents, HMAC against people."""
    spent = ["0", "0"]
    plain, keyed = half_spent.to_json(), half_spent.to_json(key=key)
    saved_ledger._NEWEST.clear()
    assert dp.Filter.from_json(resealed(plain, spent=spent)).queries == 3
    saved_ledger._NEWEST.clear()
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(resealed(keyed, spent=spent), key=key)
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(resealed(keyed, key=b"another key of 24 bytes!", spent=spent), key=key)
    assert dp.Filter.from_json(resealed(keyed, key=key, spent=spent), key=key).queries == 3


def test_a_key_cannot_be_dropped(half_spent, key, tmp_path):
    """A keyed file needs its key, an unkeyed one is refused where a key is expected."""
    half_spent.save(tmp_path / "ledger", key=key)
    for other in (None, key[::-1]):
        with pytest.raises(dp.errors.BadLedger):
            dp.Filter.load(tmp_path / "ledger", key=other)
        with pytest.raises(dp.errors.BadLedger):
            half_spent.save(tmp_path / "ledger", key=other)
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(half_spent.to_json(), key=key)
    for bad in ("text" * 8, b"short", 7, True):
        with pytest.raises(dp.InvalidArgument):
            half_spent.to_json(key=bad)


IMPOSSIBLE = {
    "negative queries": {"queries": -1000},
    "huge queries": {"queries": 10**30},
    "queries that are no number": {"queries": True},
    "queries as float": {"queries": 3.0},
    "queries as text": {"queries": "3"},
    "negative spending": {"spent": ["-1", "0"]},
    "more than the ceiling": {"spent": ["2", "0"]},
    "more than the ceiling of delta": {"spent": ["1/2", "1/2"]},
    "nan": {"spent": ["nan", "0"]},
    "infinite": {"spent": ["inf", "0"]},
    "a float": {"spent": [0.5, 0]},
    "a decimal": {"spent": ["0.5", "0"]},
    "not in lowest terms": {"spent": ["2/4", "0"]},
    "divided by zero": {"spent": ["1/0", "0"]},
    "too few amounts": {"spent": ["1/2"]},
    "a huge amount": {"spent": ["1/" + "7" * 4000, "0"]},
    "another currency": {"currency": ["rho"]},
    "another kind": {"kind": "zcdp"},
    "an unknown kind": {"kind": "secret"},
    "a list as kind": {"kind": []},
    "no ceiling": {"ceiling": None},
    "delta of the ceiling above 1": {"ceiling": ["1", "2"]},
    "no epsilon in the ceiling": {"ceiling": ["0", "1/2"], "spent": ["0", "0"]},
    "a target it is not inside": {"target": ["1/1000", "1/1000000"]},
    "spent without a query": {"queries": 0},
    "another schema": {"schema": "dpframe-ledger/9"},
    "something more": {"data": [1, 2, 3]},
    "an identity that is none": {"identity": "me"},
    "an identity that is a number": {"identity": 7},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_history_is_refused(half_spent, key, name):
    """Even where the seal and the HMAC are right."""
    edited = resealed(half_spent.to_json(key=key), key=key, **IMPOSSIBLE[name])
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(edited, key=key)


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", "[" * 60_000, '{"a":' * 10_000, "1" * 5000, b"{}", None, "é"]
)
def test_other_texts_are_refused(text):
    """Without any other exception."""
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(text)


def test_a_filter_is_no_odometer(half_spent):
    """A ledger is opened as what it was."""
    with pytest.raises(dp.errors.BadLedger):
        dp.Odometer.from_json(half_spent.to_json())
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(dp.Odometer(dp.PureDP).to_json())


def test_an_older_copy_is_seen_in_this_process(half_spent, tmp_path):
    """The registry knows the newest state that was saved; `expect` overrides it, on purpose."""
    half_spent.save(tmp_path / "ledger")
    older, seal = (tmp_path / "ledger").read_bytes(), half_spent.seal
    half_spent.spend(dp.PureDP("0.1"))
    half_spent.save(tmp_path / "ledger")
    (tmp_path / "ledger").write_bytes(older)
    with pytest.raises(dp.errors.StaleLedger, match="3"):
        dp.Filter.load(tmp_path / "ledger")
    with pytest.raises(dp.errors.StaleLedger):
        half_spent.save(tmp_path / "ledger")
    assert dp.Filter.load(tmp_path / "ledger", expect=seal).queries == 3


def test_an_older_copy_is_seen_elsewhere_only_with_help(half_spent, key):
    """In another process a valid older copy passes, unless its seal or count is known outside."""
    older = half_spent.to_json(key=key)
    half_spent.spend(dp.PureDP("0.1"))
    seal, queries = half_spent.seal, half_spent.queries
    for known in ({"expect": seal}, {"at_least": queries}):
        saved_ledger._NEWEST.clear()  # as another process
        with pytest.raises(dp.errors.StaleLedger):
            dp.Filter.from_json(older, key=key, **known)
    assert dp.Filter.from_json(older, key=key).queries == 3
    for bad in ({"expect": 7}, {"at_least": -1}, {"at_least": True}, {"at_least": 1.0}):
        with pytest.raises(dp.InvalidArgument):
            dp.Filter.from_json(older, key=key, **bad)


def test_a_branch_and_another_ceiling_are_seen_in_this_process(half_spent):
    """As many queries but other totals, or the same identity with more to spend."""
    text = half_spent.to_json()
    for change in ({"spent": ["1/10", "0"]}, {"ceiling": ["2", "1/1000000"]}):
        with pytest.raises(dp.errors.StaleLedger):
            dp.Filter.from_json(resealed(text, **change))


def test_two_writers_cannot_both_win(half_spent, tmp_path, bytes_of):
    """The second to save is refused, loads what is there, and goes on from it."""
    half_spent.save(tmp_path / "ledger")
    other = dp.Filter.load(tmp_path / "ledger")
    half_spent.spend(dp.PureDP("0.1"))
    half_spent.save(tmp_path / "ledger")
    other.spend(dp.PureDP("0.2"))
    before = bytes_of(other), (tmp_path / "ledger").read_bytes()
    with pytest.raises(dp.errors.StaleLedger, match="load the file"):
        other.save(tmp_path / "ledger")
    assert (bytes_of(other), (tmp_path / "ledger").read_bytes()) == before
    again = dp.Filter.load(tmp_path / "ledger")
    again.spend(dp.PureDP("0.2"))
    again.save(tmp_path / "ledger")
    assert dp.Filter.load(tmp_path / "ledger").queries == 5


def test_a_new_filter_does_not_erase_an_old_one(half_spent, tmp_path):
    """Nor does one that was opened from text, nor one over a file that is no ledger."""
    half_spent.save(tmp_path / "ledger")
    for other in (dp.Filter(dp.PureDP(1)), dp.Filter.from_json(half_spent.to_json())):
        with pytest.raises(dp.errors.StaleLedger):
            other.save(tmp_path / "ledger")
    (tmp_path / "letter").write_text("Dear officer")
    with pytest.raises(dp.errors.BadLedger):
        half_spent.save(tmp_path / "letter")
    assert (tmp_path / "letter").read_text() == "Dear officer"


@pytest.mark.parametrize("breaks", ["fsync", "mkstemp"])
def test_a_save_that_fails_changes_nothing(half_spent, tmp_path, bytes_of, monkeypatch, breaks):
    """Neither the file nor the ledger, nothing is left beside it, and the next save works."""
    half_spent.save(tmp_path / "ledger")
    half_spent.spend(dp.PureDP("0.1"))
    before = bytes_of(half_spent), (tmp_path / "ledger").read_bytes(), sorted(tmp_path.iterdir())
    owner = files.os if breaks == "fsync" else files.tempfile

    def full(*_arguments, **_named):
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(owner, breaks, full)
        with pytest.raises(OSError, match="full"):
            half_spent.save(tmp_path / "ledger")
    after = bytes_of(half_spent), (tmp_path / "ledger").read_bytes(), sorted(tmp_path.iterdir())
    assert after == before
    half_spent.save(tmp_path / "ledger")
    assert dp.Filter.load(tmp_path / "ledger").queries == 4


def test_a_file_that_is_not_there_is_no_new_filter(tmp_path, half_spent):
    """Loading never begins anew; a link is followed; a path is text."""
    with pytest.raises(FileNotFoundError):
        dp.Filter.load(tmp_path / "nothing")
    (tmp_path / "link").symlink_to(tmp_path / "ledger")
    half_spent.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert dp.Filter.load(tmp_path / "ledger").seal == half_spent.seal
    for bad in (3, None, b"bytes", True):
        with pytest.raises(dp.InvalidArgument):
            half_spent.save(bad)


def test_threads_never_overspend(tmp_path):
    """Eight threads ask for twice the budget: exactly the budget is granted, saves in between."""
    gate, granted = dp.Filter(dp.PureDP(1)), []
    tenth = dp.PureDP("1/4000")

    def ask():
        mine = 0
        for step in range(1000):
            try:
                gate.spend(tenth)
                mine += 1
            except dp.BudgetExceeded:
                pass
            if step % 250 == 0:
                gate.save(tmp_path / "ledger")
        granted.append(mine)

    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(0.005)
    assert sum(granted) == gate.queries == 4000
    assert gate.remaining.epsilon == dp.constant(0)
    gate.save(tmp_path / "ledger")
    assert dp.Filter.load(tmp_path / "ledger").seal == gate.seal


FORK = """
import os, warnings
warnings.simplefilter("ignore")
import dpframe as dp
filter = dp.Filter(dp.PureDP(1))
child = os.fork()
if not child:
    try:
        filter.spend(dp.PureDP("0.1"))
    except dp.InvalidArgument:
        os._exit(7)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_does_not_spend():
    """A child process holds a copy of the ledger, which would be spent twice."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "7"


def test_writers_in_other_processes_lose_no_query(tmp_path):
    """Three processes spend, save, and load again where they lost: every saved query counts."""
    path = tmp_path / "ledger"
    dp.Filter(dp.PureDP(1)).save(path)
    program = f"""
import dpframe as dp
for _ in range(15):
    while True:
        filter = dp.Filter.load({str(path)!r})
        filter.spend(dp.PureDP("1/100"))
        try:
            filter.save({str(path)!r})
            break
        except dp.errors.StaleLedger:
            pass
"""
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    saved_ledger._NEWEST.clear()
    gate = dp.Filter.load(path)
    assert (gate.queries, gate.spent.epsilon) == (45, dp.constant("45/100"))


def test_the_file_holds_no_more_than_it_says(half_spent):
    """Its keys are these eight, so there is no room for data."""
    body = json.loads(half_spent.to_json())["ledger"]
    assert set(body) == {
        "schema", "identity", "kind", "currency", "ceiling", "target", "queries", "spent",
    }  # fmt: skip
