"""The file: one SQLite database, one connection an operation, durable before it is believed.

The rollback journal with synchronous=EXTRA: a charge is on the disk, and so is the folder, when
COMMIT returns; and one file is the whole ledger whenever nobody is writing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from dpframe.errors import BadLedger

from .chain import TRUSTED, Entry
from .schema import APPLICATION, INSERT, SELECT, STATEMENTS, VERSION
from .trouble import inaccessible, second_name, unavailable

ONE = RLock()  # held while a connection is open: a fork then never inherits one
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=ONE.acquire, after_in_parent=ONE.release, after_in_child=ONE.release)


class File:
    """Where a ledger lives, and how long to wait, in seconds, for those who write it."""

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
            raise inaccessible(self.path, error) from None
        if found.st_nlink > 1:
            raise second_name(self.path)
        return found.st_size > 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the file. Raises BadLedger, LedgerUnavailable."""
        with self._connection("BEGIN") as connection:
            check_header(connection)
            yield connection

    @contextmanager
    def writing(self, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection that no other writer shares, committed and flushed at the end.

        Raises BadLedger, LedgerUnavailable; then nothing was written. With `new`, an absent or
        empty file becomes a ledger without entries.
        """
        if new:
            self._touch()
        with self._connection("BEGIN IMMEDIATE") as connection:
            if new and not self.exists():
                _lay_out(connection)
            check_header(connection)
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _connection(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            with ONE, closing(self._connected()) as connection:
                connection.execute(begin)
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # damage makes text unreadable too
            raise unavailable(self.path, self.wait, error) from None

    def _connected(self) -> sqlite3.Connection:
        uri = f"{self.path.as_uri()}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, timeout=self.wait, isolation_level=None)
        for pragma in ("synchronous=EXTRA", "fullfsync=ON", "trusted_schema=OFF"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _touch(self) -> None:
        """An empty file that its owner alone may read, if there is none."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        try:
            with ONE, suppress(FileExistsError):
                os.close(os.open(self.path, flags, 0o600))
        except OSError as error:
            raise inaccessible(self.path, error) from None


def entries_after(connection: sqlite3.Connection, number: int) -> Iterator[Entry]:
    """Every entry beyond `number`, in order."""
    rows = connection.execute(f"{SELECT} WHERE number > ? ORDER BY number", (number,))
    return map(Entry._make, rows)


def hash_at(connection: sqlite3.Connection, number: int) -> object:
    """The hash that the file holds at a number; None where it ends before."""
    row = connection.execute("SELECT hash FROM entries WHERE number = ?", (number,)).fetchone()
    return None if row is None else row[0]


def count(connection: sqlite3.Connection) -> int:
    """How many entries there are, whatever their numbers."""
    return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])


def append(connection: sqlite3.Connection, entry: Entry) -> None:
    """Write one more entry."""
    connection.execute(INSERT, entry)


def check_pages(connection: sqlite3.Connection) -> None:
    """Refuse a file whose pages are damaged."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise BadLedger("the ledger", "an undamaged SQLite file", "damaged pages", TRUSTED)


def check_header(connection: sqlite3.Connection) -> None:
    """Refuse a file of another program or version, or without its table and triggers."""
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


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for statement in STATEMENTS:
        connection.execute(statement)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
