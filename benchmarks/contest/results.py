"""Results as JSON lines: appended as they come, so that what was done is never done again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import attrs

from dpframe.errors import BadData, InvalidArgument

from .plan import KEY, Key

FILE = "results.jsonl"
Record = dict[str, Any]


@attrs.frozen
class Results:
    """The file of a folder. One process at a time writes it."""

    folder: Path

    @property
    def file(self) -> Path:
        """Where the lines are."""
        return self.folder / FILE

    def records(self) -> list[Record]:
        """Every whole line. A last line that was cut off is left out. Raises BadData."""
        if not self.file.exists():
            return []
        whole = self.file.read_bytes().rpartition(b"\n")[0]
        return [_record(line, self.file) for line in whole.splitlines()]

    def done(self, again: Collection[str] = ()) -> set[Key]:
        """The keys that need not be run, but for methods that are to be run again."""
        return {key_of(one) for one in self.records() if one["method"] not in again}

    def mend(self) -> None:
        """Make the folder; cut off a last line that was not finished. Raises InvalidArgument."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            raise InvalidArgument("out", "a folder that can be made", str(self.folder)) from None
        if not self.file.exists():
            return
        text = self.file.read_bytes()
        whole = text.rpartition(b"\n")
        if whole[2]:
            with self.file.open("r+b") as file:
                file.truncate(len(text) - len(whole[2]))

    def append(self, records: Iterable[Record]) -> None:
        """Whole lines, in one writing."""
        text = "".join(json.dumps(one, allow_nan=False) + "\n" for one in records)
        with self.file.open("ab", buffering=0) as file:
            file.write(text.encode())


def key_of(record: Record) -> Key:
    """What names its line."""
    return tuple(record[name] for name in KEY)


def _record(line: bytes, file: Path) -> Record:
    try:
        record: Record = json.loads(line)
        key_of(record), record["errors"]
    except (ValueError, KeyError, TypeError):
        way_out = "Move the file away, or delete the line."
        raise BadData(
            "out", f"lines as the contest writes them, in {file}", line[:80], way_out
        ) from None
    return record
