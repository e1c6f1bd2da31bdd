"""Power losses: what a disk may hold at any moment is a ledger with every run that had begun.

    python benchmarks/ledger_power.py [4000]

A child creates a ledger and charges it under strace, which writes down every write, truncation,
flush and removal. A loss of power at a moment keeps what was flushed and any part of the rest, in
sectors of 512 bytes, drawn at random, and likewise of names that were made or removed since their
folder was flushed. Each such disk is opened: the chain must be whole, and must contain each
charge whose body had begun. Opening and charging it again must work.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.privacy import Unit

COST = Cost((dp.PureDP("0.001"),), Unit(dp.ADD_REMOVE), "cd" * 32, "a run in the dark")
CHARGES, SECTOR = 40, 512
CHILD = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import dpframe as dp
from ledger_power import CHARGES, COST
ledger = dp.Ledger(sys.argv[1])
ledger.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
for _ in range(CHARGES):
    with ledger.charging("survey", COST) as charge:
        os.write(2, f"begun {{charge.number}} ".encode())
"""
CALLS = "openat,close,pwrite64,fsync,fdatasync,ftruncate,unlink,write"


class Event(NamedTuple):
    """What the program asked of the disk, in order."""

    kind: str
    name: str = ""
    place: int = 0
    data: bytes = b""


class Disk:
    """Files as flushed, and what was asked since."""

    def __init__(self) -> None:
        """Nothing is there."""
        self.files: dict[str, bytes] = {}
        self.waiting: dict[str, list[Event]] = {}
        self.names: set[str] = set()
        self.moves: list[Event] = []

    def take(self, event: Event) -> None:
        """The next request."""
        if event.kind in {"make", "remove"}:
            self.moves.append(event)
        elif event.kind == "flush" and not event.name:
            for move in self.moves:
                self._move(move)
            self.moves = []
        elif event.kind == "flush":
            for write in self.waiting.pop(event.name, []):
                self.files[event.name] = _written(self.files.get(event.name, b""), write)
            made = [move for move in self.moves if move.name == event.name and move.kind == "make"]
            for move in made:  # ext4 and others keep the name of a file that is flushed
                self._move(move)
                self.moves.remove(move)
        else:
            self.waiting.setdefault(event.name, []).append(event)

    def _move(self, move: Event) -> None:
        if move.kind == "make":
            self.names.add(move.name)
            return
        self.names.discard(move.name)
        self.files.pop(move.name, None)
        self.waiting.pop(move.name, None)

    def after_loss(self, rng: random.Random) -> dict[str, bytes]:
        """One of the disks that a loss of power may leave."""
        share, names = rng.choice((0.0, 0.5, 1.0)), set(self.names)
        kept = self.moves[: rng.randint(0, len(self.moves))]  # folders keep their order
        for move in kept:
            (names.add if move.kind == "make" else names.discard)(move.name)
        files = {name: self.files.get(name, b"") for name in names}
        for name in names:
            for write in self.waiting.get(name, []):
                for part in _sectors(write):
                    if rng.random() < share:
                        files[name] = _written(files[name], part)
        return files


def _sectors(write: Event) -> list[Event]:
    if write.kind == "cut":
        return [write]
    starts = range(0, len(write.data), SECTOR)
    return [
        write._replace(place=write.place + at, data=write.data[at : at + SECTOR]) for at in starts
    ]


def _written(old: bytes, write: Event) -> bytes:
    if write.kind == "cut":
        return old[: write.place].ljust(write.place, b"\0")
    padded = old.ljust(write.place, b"\0")
    return padded[: write.place] + write.data + padded[write.place + len(write.data) :]


def recorded(folder: Path) -> list[Event]:
    """Run the child, and read what it asked of files in the folder and what it reported."""
    log, target = folder / "log", folder / "disk"
    target.mkdir()
    command = ["strace", "-f", "-xx", "-s", "1000000", "-o", str(log), "-e", f"trace={CALLS}"]
    command += [sys.executable, "-c", CHILD, str(target / "budget.sqlite")]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # noqa: S603  # strace, ourselves
    open_: dict[int, str | None] = {}
    found: list[Event] = []
    for line in log.read_text().splitlines():
        found += _event(line, str(target), open_)
    return found


def _event(line: str, folder: str, open_: dict[int, str | None]) -> list[Event]:
    call = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
    if call is None or int(call[3]) < 0:
        return []
    kind, rest, result = call[1], call[2], int(call[3])
    texts = [bytes.fromhex(one.replace("\\x", "")) for one in re.findall(r'"((?:\\x..)*)"', rest)]
    if kind in {"openat", "unlink"}:
        path = texts[0].decode()
        name = path.removeprefix(folder).lstrip("/") if path.startswith(folder) else None
        if kind == "unlink":
            return [] if name is None else [Event("remove", name)]
        open_[result] = name
        return [Event("make", name)] if name and "O_CREAT" in rest else []
    file = int(rest.split(",")[0].split(")")[0])
    if kind == "write" and file == 2 and texts[0].startswith(b"begun"):
        return [Event("begun", place=int(texts[0].split()[1]))]
    if kind == "close":
        open_.pop(file, None)
    name = open_.get(file)
    if name is None or kind == "close":
        return []
    numbers = [int(one) for one in re.findall(r"(?<=, )\d+", rest)]
    return {
        "pwrite64": lambda: [Event("write", name, numbers[-1], texts[0])],
        "ftruncate": lambda: [Event("cut", name, numbers[0])],
        "fsync": lambda: [Event("flush", name)],
        "fdatasync": lambda: [Event("flush", name)],
        "write": list,
    }[kind]()


def tried(files: dict[str, bytes], begun: list[int]) -> str:
    """Open a disk, and compare with what had begun."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        ledger = dp.Ledger(Path(folder) / "budget.sqlite")
        if "survey" not in ledger.datasets:
            if begun:
                return "lost"
            ledger.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
        ledger.verify()
        charges = {charge.number for charge in ledger.charges("survey")}
        with ledger.charging("survey", COST):
            pass
        ledger.verify()
    return "whole" if charges.issuperset(begun) else "lost"


def main() -> None:
    """Print the figures; exit 1 where a loss of power lost a charge."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    with tempfile.TemporaryDirectory() as folder:
        events = recorded(Path(folder))
    kinds = Counter(event.kind for event in events)
    print(", ".join(f"{kinds[kind]} of {kind}" for kind in sorted(kinds)))
    rng, disk, begun, outcomes = random.Random(3), Disk(), list[int](), Counter[str]()  # noqa: S311
    for event in events:
        if event.kind == "begun":
            begun.append(event.place)
        else:
            disk.take(event)
        for _ in range(max(1, round(count / len(events)))):
            try:
                outcomes[tried(disk.after_loss(rng), begun)] += 1
            except dp.DPFrameError as error:
                outcomes[f"{type(error).__name__}: {error}"[:120]] += 1
    print(f"{sum(outcomes.values())} losses of power: {dict(outcomes)}")
    sys.exit(set(outcomes) != {"whole"})


if __name__ == "__main__":
    main()
