"""Bad, locked, read-only and full files: each one sentence, and nothing lost."""

import os
import random
import resource
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.budgets.ledger import store

TRIGGER = store.STATEMENTS[1].split()[2]


def _text(path):
    path.write_text("a,b\n1,2\n" * 100)


def _other(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entries (number INTEGER)")


def _half(path):
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def _ragged(path):
    path.write_bytes(path.read_bytes()[:-700])


def _zeros(path):
    path.write_bytes(bytes(len(path.read_bytes())))


def _pragma(text):
    def change(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA {text}")

    return change


def _statement(text):
    def change(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(text)

    return change


BAD = {
    "text": (_text, "no SQLite file"),
    "another SQLite file": (lambda path: (path.unlink(), _other(path)), "another SQLite file"),
    "cut in half": (_half, "damaged"),
    "cut in a page": (_ragged, "damaged|entry"),
    "zeros": (_zeros, "no SQLite file"),
    "another application": (_pragma("application_id=7"), "another SQLite file"),
    "another format": (_pragma("user_version=9"), "format 9.*version of dpframe that wrote it"),
    "a trigger dropped": (_statement(f"DROP TRIGGER {TRIGGER}"), "own table and triggers"),
    "a table more": (_statement("CREATE TABLE more (x)"), "own table and triggers"),
    "a column more": (_statement("ALTER TABLE entries ADD COLUMN x TEXT"), "own table"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(history, cost, name):
    """Refused at opening, by the process that has it open, at creation, at a charge; and left as
    they are, to the byte.
    """
    spoil, text = BAD[name]
    path = history.path
    spoil(path)
    before = path.read_bytes()

    def charge():
        with history.charging("survey", cost(dp.PureDP("0.1"))):
            pytest.fail("the body ran")

    def create():
        history.create("third", dp.PureDP(1), relation=dp.ADD_REMOVE)

    for use in (lambda: dp.Ledger(path), history.verify, charge, create):
        with pytest.raises(dp.errors.BadLedger, match=text):
            use()
    assert path.read_bytes() == before
    assert not Path(f"{path}-journal").exists()


def test_a_flipped_byte_is_refused_or_harmless(history):
    """At 400 places drawn at random: BadLedger, or exactly the same contents; both occur."""
    rng, path = random.Random(11), history.path
    whole, said, outcomes = path.read_bytes(), history.export(), set()
    for _ in range(400):
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            assert dp.Ledger(path).export() == said
            outcomes.add("harmless")
        except dp.errors.BadLedger:
            outcomes.add("refused")
    assert outcomes == {"harmless", "refused"}


def test_a_locked_file(history, cost, tmp_path):
    """Another connection writes: a sentence that names the lock, nothing charged; then it works."""
    waiting = dp.Ledger(history.path, wait=0.05)
    with closing(sqlite3.connect(history.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert waiting.account("survey").runs == 6  # readers need not wait
        with (
            pytest.raises(
                dp.errors.LedgerUnavailable, match=r"write lock for 0.05 seconds.*longer wait="
            ),
            waiting.charging("survey", cost(dp.PureDP("0.1"))),
        ):
            pytest.fail("the body ran")
        other.execute("ROLLBACK")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(dp.errors.LedgerUnavailable, match="locked"):
            waiting.account("survey")
    with waiting.charging("survey", cost(dp.PureDP("0.1"))):
        assert waiting.account("survey").runs == 7


def test_a_release_that_cannot_be_marked(history, cost):
    """Warned of, not raised: the result is not lost, and the charge counts."""
    quick = dp.Ledger(history.path, wait=0)
    with closing(sqlite3.connect(history.path, isolation_level=None)) as other:
        with (
            pytest.warns(dp.PrivacyWarning, match="the ledger is locked.* and counts"),
            quick.charging("survey", cost(dp.PureDP("0.1"))) as charge,
        ):
            other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    assert history.charges("survey")[-1] == charge
    assert charge.status == "charged, not finished"


@pytest.fixture
def public(ledger, tmp_path):
    """A ledger in a folder that everybody may enter, and a function that locks folder and file."""
    folder = tmp_path / "public"
    folder.mkdir()
    tmp_path.chmod(0o755)
    path = folder / "budget.sqlite"
    shutil.copy(ledger.path, path)

    def lock(file, directory):
        path.chmod(file)
        folder.chmod(directory)

    yield path, lock
    lock(0o600, 0o700)


def as_nobody():
    """Give up being root, for whom no file is read-only."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


@pytest.mark.parametrize("modes", [(0o444, 0o555), (0o666, 0o555), (0o444, 0o777), (0o000, 0o777)])
def test_read_only_files_and_folders(public, cost, in_child, modes):
    """A charge is refused and nothing changes; reading works where the file may be read."""
    path, lock = public
    before = path.read_bytes()
    lock(*modes)

    def charge():
        as_nobody()
        with dp.Ledger(path, wait=0.1).charging("survey", cost(dp.PureDP("0.1"))):
            return "charged"

    def read():
        as_nobody()
        return dp.Ledger(path).account("survey").runs

    refused = in_child(charge)
    assert isinstance(refused, dp.errors.LedgerUnavailable), refused
    assert "read-only" in str(refused)
    answer = in_child(read)
    assert answer == 0 if modes[0] else isinstance(answer, dp.errors.LedgerUnavailable)
    lock(0o600, 0o700)
    assert path.read_bytes() == before


def test_a_writable_file_is_charged_by_somebody_else(public, cost, in_child):
    """The control of the test above: with permission the same child charges."""
    path, lock = public
    lock(0o666, 0o777)

    def charge():
        as_nobody()
        with dp.Ledger(path, wait=0.1).charging("survey", cost(dp.PureDP("0.1"))):
            return "charged"

    assert in_child(charge) == "charged"
    assert dp.Ledger(path).account("survey").runs == 1


def test_a_folder_that_is_not_there(tmp_path):
    """And a folder in place of a file."""
    with pytest.raises(dp.errors.LedgerUnavailable, match="missing"):
        dp.Ledger(tmp_path / "no" / "x").create("a", dp.PureDP(1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.errors.LedgerUnavailable):
        dp.Ledger(tmp_path)
    for path in (b"x", 3, None):
        with pytest.raises(dp.InvalidArgument, match="path"):
            dp.Ledger(path)


def test_a_full_disk(ledger, cost, in_child):
    """Files may grow by 8 kB more: charges work, then one is refused as LedgerUnavailable, and all
    that were admitted are there, whole.
    """
    limit = ledger.path.stat().st_size + 8192

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        admitted = 0
        try:
            while True:
                with ledger.charging("survey", cost(dp.PureDP("1e-9"))):
                    admitted += 1
        except dp.errors.LedgerUnavailable as error:
            return admitted, str(error)

    admitted, text = in_child(fill)
    assert "disk is full" in text
    assert "nothing was charged" in text
    assert admitted > 3
    ledger.verify()
    assert ledger.account("survey").runs == admitted


def test_the_file_is_private_and_holds_text_alone(ledger):
    """Mode 0600 whatever the umask is; the times are UTC."""
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert ledger.account("survey").created.endswith("+00:00")
    assert not [one for one in ledger.path.parent.iterdir() if one != ledger.path]


def test_nothing_is_written_before_create(tmp_path):
    """Opening, reading and verifying make no file; an empty file is begun by create."""
    path = tmp_path / "new.sqlite"
    empty = dp.Ledger(path)
    assert (empty.datasets, empty.head) == ((), "0" * 64)
    empty.verify(head="0" * 64)
    assert not path.exists()
    path.touch()
    assert dp.Ledger(path).datasets == ()
    with pytest.raises(dp.errors.StaleLedger):
        dp.Ledger(path, head="1" * 64)
    dp.Ledger(path).create("a", dp.PureDP(1), relation=dp.ADD_REMOVE)
    assert dp.Ledger(path).datasets == ("a",)


@pytest.mark.parametrize("kind", ["folder", "pipe", "null"])
def test_a_place_that_is_no_file_is_named_as_such(tmp_path, kind):
    """Not as a full disk, nor as a file of two names; nothing is made."""
    places = {"folder": tmp_path, "pipe": tmp_path / "pipe", "null": Path("/dev/null")}
    if kind == "pipe":
        os.mkfifo(places[kind])
    with pytest.raises(dp.errors.LedgerUnavailable, match="is a folder or a device, not a file"):
        dp.Ledger(places[kind]).create("survey", dp.PureDP(1))


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_text_that_is_no_path_is_refused(path):
    """In words; the empty one is not the current folder."""
    with pytest.raises(dp.InvalidArgument, match=r"path must be text or a pathlib\.Path"):
        dp.Ledger(path)
