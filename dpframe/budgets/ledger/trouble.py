"""What the file system and SQLite complain of, as one sentence each with a way out."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from dpframe.errors import BadLedger, DPFrameError, InvalidArgument, LedgerUnavailable

from .chain import TRUSTED

PRIMARY = 0xFF  # SQLite's extended codes carry the primary one in their low byte
LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another connection is in the way, so that it may be tried again."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY in LOCKED


def unavailable(path: Path, wait: float, error: Exception) -> DPFrameError:
    """The error of dpframe that tells a person of what SQLite raised."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY
    if isinstance(error, sqlite3.Error) and is_locked(error):
        cause = f"is locked: another process has held SQLite's write lock for {wait:g} seconds"
        return LedgerUnavailable(path, cause, "Let it finish, or open with a longer wait=.")
    if code in FULL:
        return _no_room(path)
    if code in CLOSED:
        return _closed(path)
    way_out = f"It is no SQLite file, or a damaged one. {TRUSTED}"
    return BadLedger("the file", "an undamaged dpframe ledger", str(path), way_out)


def inaccessible(path: Path, error: OSError) -> LedgerUnavailable:
    """The error of dpframe that tells a person of the file system's."""
    return _no_room(path) if error.errno in NO_ROOM else _closed(path)


def second_name(path: Path) -> LedgerUnavailable:
    """The error on a file with a hard link."""
    cause = "has a second name, a hard link, under which a charge could be undone"
    return LedgerUnavailable(path, cause, "Remove all names but one; a symbolic link is safe.")


def no_ledger(path: Path) -> InvalidArgument:
    """The error on charging where there is no ledger."""
    way_out = "Check the path; ledger.create(...) begins a new ledger."
    return InvalidArgument("ledger", "an existing file", str(path), way_out)


def other_journal(mode: str) -> BadLedger:
    """The error on a file that another tool has switched to write-ahead logging."""
    way_out = (
        f"Charges may be in a second file, its -{mode}, and are lost where the first is copied "
        "alone. With both in place, and nobody else using them: sqlite3 FILE 'PRAGMA "
        "journal_mode=DELETE'."
    )
    return BadLedger("the ledger", "in journal mode delete", f"in mode {mode}", way_out)


def _no_room(path: Path) -> LedgerUnavailable:
    cause = "could not be written: the disk is full, a quota or size limit is reached, or it fails"
    return LedgerUnavailable(path, cause, "Make room, and run again; the ledger is as it was.")


def _closed(path: Path) -> LedgerUnavailable:
    cause = "cannot be opened for writing: it or its folder is read-only, missing or not yours"
    way_out = "Charging needs write permission on the file and on its folder."
    return LedgerUnavailable(path, cause, way_out)
