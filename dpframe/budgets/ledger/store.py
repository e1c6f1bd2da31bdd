"""The file: one SQLite database, one connection an operation, durable before a release.

The rollback journal with synchronous=EXTRA: a charge is on the disk, and so is the folder, when
COMMIT returns; and one file is the whole ledger while no process writes. Triggers refuse changes
of the past. A fork waits until no thread holds a connection, since a child that inherits one would
seem to hold the locks of its parent.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from dpframe.errors import BadLedger, DPFrameError, InvalidArgument, LedgerUnavailable, Plain

from .chain import TRUSTED, ChainEntry, Head

APPLICATION = 0x64704C31  # dpL1, in the header of the file
VERSION = 2

TABLE = """\
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    action TEXT NOT NULL,
    dataset TEXT NOT NULL,
    content TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT"""

NO_UPDATE = """\
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END"""

NO_DELETE = """\
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END"""

IN_ORDER = """\
CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entries)
BEGIN SELECT RAISE(ABORT, 'entries are appended in order'); END"""

STATEMENTS = (TABLE, NO_UPDATE, NO_DELETE, IN_ORDER)
SELECT = "SELECT number, time, action, dataset, content, previous, hash FROM entries"
INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)"
BEYOND = f"{SELECT} WHERE number > ? ORDER BY number LIMIT ?"
LEAST = -(1 << 62)


LOCK = RLock()  # held while a connection is open, and never while waiting for another writer
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


PRIMARY = 0xFF  # SQLite's extended codes carry the primary one in their low byte
LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def _code(error: Exception) -> int:
    """SQLite's primary error code; 0 where there is none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY


def unavailable(path: Path, error: Exception, wait: float = 0) -> DPFrameError:
    """dpframe's error for an error of SQLite or of the file system."""
    code = _code(error)
    if code in LOCKED:
        cause = f"is locked: another process has held SQLite's write lock for {wait:g} seconds"
        way_out = "Let it finish, or open with a longer wait=."
    elif code in FULL or getattr(error, "errno", None) in NO_ROOM:
        cause = "could not be written: the disk is full, a quota or size limit is reached, or it "
        cause, way_out = f"{cause}fails", "Make room, and run again; the ledger is as it was."
    elif code in CLOSED or isinstance(error, OSError):
        cause = "cannot be opened for writing: it or its folder is read-only, missing or not yours"
        way_out = "Charging needs write permission on the file and on its folder."
    else:
        way_out = f"It is no SQLite file, or a damaged one. {TRUSTED}"
        return BadLedger("the file", "an undamaged dpframe ledger", str(path), way_out)
    return LedgerUnavailable(path, cause, way_out)


def no_ledger(path: Path) -> InvalidArgument:
    """The error on charging where there is no ledger."""
    way_out = "Check the path; ledger.create(...) begins a new ledger."
    return InvalidArgument("ledger", "an existing file", str(path), way_out)


PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02)  # seconds between two attempts; then the last again
MOST = (1 << 31) - 1  # milliseconds that SQLite can wait


class LedgerFile:
    """The path of a ledger, and how many seconds to wait for other writers.

    Threads run one after another. No lock is held during the wait for another writer: other
    ledgers, other threads and forks go on.
    """

    def __init__(self, path: Path, wait: float) -> None:
        """Nothing is read or written yet."""
        self.path, self.wait = path, wait

    def exists(self) -> bool:
        """Whether there is anything at all in the file. Raises LedgerUnavailable for a file of two
        names: SQLite finds its journal by name, and a crash under one undoes what the other wrote.
        """
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise unavailable(self.path, error) from None
        if not stat.S_ISREG(found.st_mode):
            way_out = "Give the path of a file, which ledger.create(...) makes."
            raise LedgerUnavailable(self.path, "is a folder or a device, not a file", way_out)
        if found.st_nlink > 1:
            cause = "has a second name, a hard link, under which a charge could be undone"
            way_out = "Remove all names but one; a symbolic link is safe."
            raise LedgerUnavailable(self.path, cause, way_out)
        return found.st_size > 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one state of the file; None where nothing was ever committed to
        it. Raises BadLedger, LedgerUnavailable.
        """
        if not self.exists():
            yield None
            return
        with self._connection("BEGIN") as connection:
            yield connection if self._is_ledger(connection) else None

    @contextmanager
    def writing(self, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection without other writers; without `commit` everything is undone.

        Raises BadLedger, LedgerUnavailable, and InvalidArgument where there is no ledger. With
        `new`, an absent or empty file becomes a ledger in the same transaction: a crash leaves it
        empty.
        """
        if new and not self.exists():
            self._touch()
        elif not self.exists():
            raise no_ledger(self.path)
        with self._connection("BEGIN IMMEDIATE") as connection:
            if not self._is_ledger(connection):
                if not new:
                    raise no_ledger(self.path)
                _lay_out(connection)
            yield connection

    def commit(self, connection: sqlite3.Connection) -> None:
        """End `writing` with everything on the disk, once readers are out."""
        connection.execute(f"PRAGMA busy_timeout={int(min(1000 * self.wait, MOST))}")
        connection.execute("COMMIT")

    @contextmanager
    def _connection(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            with ExitStack() as held:
                yield self._begun(begin, held)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # damage makes text unreadable too
            raise unavailable(self.path, error, self.wait) from None

    def _begun(self, begin: str, held: ExitStack) -> sqlite3.Connection:
        """A connection in a transaction, which `held` closes. Nothing is held between attempts."""
        end, pauses = time.monotonic() + self.wait, iter(PAUSES)
        while True:
            with ExitStack() as attempt:
                attempt.enter_context(LOCK)
                connection = attempt.enter_context(closing(self._connected()))
                try:
                    _begin(connection, begin)
                except sqlite3.OperationalError as error:
                    if _code(error) not in LOCKED or time.monotonic() >= end:
                        raise
                else:
                    held.push(attempt.pop_all())
                    return connection
            time.sleep(next(pauses, PAUSES[-1]))

    def _is_ledger(self, connection: sqlite3.Connection) -> bool:
        """Whether anything was committed: a first entry that was half-written is undone. Refuses a
        file that was cut, since SQLite reads the missing part of a page as zeros, and one of
        another program.
        """
        if not self.exists():
            return False
        pages, size = (_number(connection, name) for name in ("page_count", "page_size"))
        if self.path.stat().st_size != pages * size:
            raise BadLedger(
                "the ledger", "as long as its header says", Plain("damaged, or cut"), TRUSTED
            )
        check_header(connection)
        return True

    def _connected(self) -> sqlite3.Connection:
        uri = f"{self.path.as_uri()}?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)

    def _touch(self) -> None:
        """An empty file that its owner alone may read, if there is none."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        try:
            with LOCK, suppress(FileExistsError):
                os.close(os.open(self.path, flags, 0o600))
        except OSError as error:
            raise unavailable(self.path, error) from None


def entries_after(
    connection: sqlite3.Connection, number: int, most: int = -1
) -> Iterator[ChainEntry]:
    """Every entry beyond `number`, in order, or so many of them. Beyond 0 those below 1 come first,
    which belong to no chain.
    """
    return map(ChainEntry._make, connection.execute(BEYOND, (number or LEAST, most)))


def contains(connection: sqlite3.Connection, head: Head) -> bool:
    """Whether the entry of that number has that hash; the beginning is in every file."""
    row = connection.execute("SELECT hash FROM entries WHERE number = ?", (head.number,)).fetchone()
    return not head.number or (row is not None and row[0] == head.hash)


def holds(connection: sqlite3.Connection, head: str) -> bool:
    """Whether an entry has this hash."""
    return (
        connection.execute("SELECT 1 FROM entries WHERE hash = ?", (head,)).fetchone() is not None
    )


def check_whole(connection: sqlite3.Connection) -> None:
    """Refuse a file with damaged pages, or with entries beside those from 1 to the last."""
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise BadLedger("the ledger", "an undamaged SQLite file", Plain("damaged pages"), TRUSTED)
    found = connection.execute("SELECT count(*), min(number), max(number) FROM entries").fetchone()
    if found[0] and found != (found[0], 1, found[0]):
        raise BadLedger("the ledger", "numbered from 1 on", Plain("otherwise"), TRUSTED)


def check_header(connection: sqlite3.Connection) -> None:
    """Refuse a file of another program or format, or without its table and triggers. Raises
    BadLedger.
    """
    if _number(connection, "application_id") != APPLICATION:
        way_out = "Give the path of a ledger; dp.Ledger(path).create(...) begins one in a new file."
        raise BadLedger("the file", "a dpframe ledger", Plain("another SQLite file"), way_out)
    version = _number(connection, "user_version")
    if version != VERSION:
        way_out = "Use the version of dpframe that wrote it."
        raise BadLedger("the ledger", f"of format {VERSION}", Plain(f"format {version}"), way_out)
    found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_master")}
    if found != set(STATEMENTS):
        raise BadLedger(
            "the ledger", "its own table and triggers", Plain("another schema"), TRUSTED
        )


def _begin(connection: sqlite3.Connection, begin: str) -> None:
    """Begin a transaction that holds its lock. Raises BadLedger for a file in another mode."""
    for pragma in ("synchronous=EXTRA", "fullfsync=ON", "trusted_schema=OFF"):
        connection.execute(f"PRAGMA {pragma}")
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "delete":
        way_out = (
            f"Charges may be in a second file, its -{mode}, and are lost where the first is copied "
            "alone. With both in place, and no other program using them: sqlite3 FILE 'PRAGMA "
            "journal_mode=DELETE'."
        )
        raise BadLedger("the ledger", "in journal mode delete", Plain(f"in mode {mode}"), way_out)
    connection.execute(begin)
    _number(connection, "schema_version")  # reads, so that the lock is taken


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for statement in STATEMENTS:
        connection.execute(statement)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
