"""The file: one SQLite database, one connection an operation, durable before it is believed.

The rollback journal with synchronous=EXTRA: a charge is on the disk, and so is the folder, when
COMMIT returns; and one file is the whole ledger whenever nobody is writing.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from dpframe.errors import BadLedger

from .chain import TRUSTED, Entry, Head
from .gate import GATE
from .schema import APPLICATION, CHECKPOINTS, INSERT, SELECT, STATEMENTS, VERSION
from .trouble import inaccessible, is_locked, no_ledger, other_journal, second_name, unavailable

PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02)  # seconds between two attempts; then the last again
MOST = (1 << 31) - 1  # milliseconds that SQLite can wait


class File:
    """Where a ledger lives, and how long to wait, in seconds, for those who write it.

    Threads that use one object come one after another. Nothing is held while one waits for another
    writer: other ledgers, other threads and forks go on.
    """

    def __init__(self, path: Path, wait: float) -> None:
        """Nothing is read or written yet."""
        self.path, self.wait = path, wait
        self._lock = RLock()

    def exists(self) -> bool:
        """Whether there is anything at all in the file. Raises LedgerUnavailable for a file of two
        names: SQLite finds its journal by name, and a crash under one undoes what the other wrote.
        """
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise inaccessible(self.path, error) from None
        if found.st_nlink > 1:
            raise second_name(self.path)
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
            if not self.exists():  # the first entry of all was half-written, and is undone
                yield None
                return
            self._check_size(connection)
            check_header(connection)
            yield connection

    @contextmanager
    def writing(self, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection that no other writer shares; what `commit` does not end is undone.

        Raises BadLedger, LedgerUnavailable, and InvalidArgument where there is no ledger. With
        `new`, an absent or empty file becomes a ledger in the same transaction: a crash leaves it
        empty.
        """
        if new:
            self._touch()
        elif not self.exists():
            raise no_ledger(self.path)
        with self._connection("BEGIN IMMEDIATE") as connection:
            if not self.exists():
                if not new:
                    raise no_ledger(self.path)
                _lay_out(connection)
            else:
                self._check_size(connection)
            check_header(connection)
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
            raise unavailable(self.path, self.wait, error) from None

    def _begun(self, begin: str, held: ExitStack) -> sqlite3.Connection:
        """A connection in a transaction, which `held` closes. Nothing is held between attempts."""
        end, pauses = time.monotonic() + self.wait, iter(PAUSES)
        while True:
            with ExitStack() as attempt:
                attempt.enter_context(GATE.passage())
                attempt.enter_context(self._lock)
                connection = attempt.enter_context(closing(self._connected()))
                try:
                    _begin(connection, begin)
                except sqlite3.OperationalError as error:
                    if not is_locked(error) or time.monotonic() >= end:
                        raise
                else:
                    held.push(attempt.pop_all())
                    return connection
            time.sleep(next(pauses, PAUSES[-1]))

    def _check_size(self, connection: sqlite3.Connection) -> None:
        """Refuse a file that was cut: SQLite reads what is missing of a page as zeros."""
        pages, size = (_number(connection, name) for name in ("page_count", "page_size"))
        if self.path.stat().st_size != pages * size:
            raise BadLedger("the ledger", "as long as its header says", "damaged, or cut", TRUSTED)

    def _connected(self) -> sqlite3.Connection:
        uri = f"{self.path.as_uri()}?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)

    def _touch(self) -> None:
        """An empty file that its owner alone may read, if there is none."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        try:
            with GATE.passage(), suppress(FileExistsError):
                os.close(os.open(self.path, flags, 0o600))
        except OSError as error:
            raise inaccessible(self.path, error) from None


def entries_after(connection: sqlite3.Connection, number: int, most: int = -1) -> Iterator[Entry]:
    """Every entry beyond `number`, in order, or so many of them."""
    rows = connection.execute(f"{SELECT} WHERE number > ? ORDER BY number LIMIT ?", (number, most))
    return map(Entry._make, rows)


def checkpoints(connection: sqlite3.Connection, number: int) -> list[Entry]:
    """The last two checkpoints at or before a number, the later one first."""
    return list(map(Entry._make, connection.execute(CHECKPOINTS, (number,))))


def contains(connection: sqlite3.Connection, head: Head) -> bool:
    """Whether the entry of that number has that hash; the beginning is in every file."""
    row = connection.execute("SELECT hash FROM entries WHERE number = ?", (head.number,)).fetchone()
    return not head.number or (row is not None and row[0] == head.hash)


def number_of(connection: sqlite3.Connection, head: str) -> int | None:
    """The number of the entry with a hash; None where there is none."""
    row = connection.execute("SELECT number FROM entries WHERE hash = ?", (head,)).fetchone()
    return None if row is None else int(row[0])


def last(connection: sqlite3.Connection) -> int:
    """The number of the last entry, 0 before the first. Raises BadLedger for one below 1."""
    least, most = connection.execute(
        "SELECT (SELECT min(number) FROM entries), (SELECT max(number) FROM entries)"
    ).fetchone()
    if least not in {None, 1}:
        raise BadLedger("the ledger", "numbered from 1 on", "otherwise", TRUSTED)
    return int(most or 0)


def check_numbers(connection: sqlite3.Connection) -> None:
    """Refuse a file with entries beside those from 1 to the last."""
    found = connection.execute("SELECT count(*), min(number), max(number) FROM entries").fetchone()
    if found[0] and found != (found[0], 1, found[0]):
        raise BadLedger("the ledger", "numbered from 1 on", "otherwise", TRUSTED)


def append(connection: sqlite3.Connection, entry: Entry) -> None:
    """Write one more entry."""
    connection.execute(INSERT, entry)


def check_pages(connection: sqlite3.Connection) -> None:
    """Refuse a file whose pages are damaged."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise BadLedger("the ledger", "an undamaged SQLite file", "damaged pages", TRUSTED)


def check_header(connection: sqlite3.Connection) -> None:
    """Refuse a file of another program or format, or without its table and triggers. Raises
    BadLedger.
    """
    if _number(connection, "application_id") != APPLICATION:
        way_out = "Give the path of a ledger; dp.Ledger(path).create(...) begins one in a new file."
        raise BadLedger("the file", "a dpframe ledger", "another SQLite file", way_out)
    version = _number(connection, "user_version")
    if version != VERSION:
        way_out = "Use the version of dpframe that wrote it."
        raise BadLedger("the ledger", f"of format {VERSION}", f"format {version}", way_out)
    found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_master")}
    if found != set(STATEMENTS):
        raise BadLedger("the ledger", "its own table and triggers", "another schema", TRUSTED)


def _begin(connection: sqlite3.Connection, begin: str) -> None:
    """Begin a transaction that holds its lock. Raises BadLedger for a file in another mode."""
    for pragma in ("synchronous=EXTRA", "fullfsync=ON", "trusted_schema=OFF"):
        connection.execute(f"PRAGMA {pragma}")
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "delete":
        raise other_journal(mode)
    connection.execute(begin)
    _number(connection, "schema_version")  # reads, so that the lock is taken


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for statement in STATEMENTS:
        connection.execute(statement)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
