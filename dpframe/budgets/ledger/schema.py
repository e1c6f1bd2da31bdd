"""The table of a ledger file, and triggers that refuse changes of the past."""

from __future__ import annotations

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
CHECKPOINTS = f"{SELECT} WHERE action = 'checkpoint' AND number <= ? ORDER BY number DESC LIMIT 2"
