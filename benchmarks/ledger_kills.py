"""Kill -9 at random moments: what killed processes reported as begun is in the ledger.

    python benchmarks/ledger_kills.py [500]

Each child charges in a loop. Inside the body of a charge, so before any release, it writes the
number of the charge to a pipe. The parent kills it after a random time, and reads the pipe.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.privacy import Unit

COST = Cost((dp.PureDP("0.1"),), Unit(dp.ADD_REMOVE), "cd" * 32, "a run that is killed")
LONGEST = 8  # charges that a child has time for, at most


class Killed(NamedTuple):
    """Numbers that children reported in the body and after it, and journals left behind."""

    begun: list[int]
    finished: list[int]
    journals: int


def kills(path: Path, count: int, *, seed: int, report_first: bool = False) -> Killed:
    """Start and kill `count` children, one after another."""
    rng, begun, finished, journals = random.Random(seed), [], [], 0  # noqa: S311 - moments, not noise
    ledger = dp.Ledger(path)
    longest = LONGEST * _seconds(ledger)
    for _ in range(count):
        lines = _one(ledger, rng.uniform(0, longest), report_first=report_first)
        begun += [int(line[1:]) for line in lines if line.startswith("b")]
        finished += [int(line[1:]) for line in lines if line.startswith("f")]
        journals += Path(f"{path}-journal").exists()
        ledger.account("survey")
    return Killed(begun, finished, journals)


def _seconds(ledger: dp.Ledger) -> float:
    """How long a charge takes here and now, the median of nine."""
    times = []
    for _ in range(9):
        start = time.perf_counter()
        with ledger.charging("survey", COST):
            times.append(time.perf_counter() - start)
    return sorted(times)[4]


def _one(ledger: dp.Ledger, seconds: float, *, report_first: bool) -> list[str]:
    out, into = os.pipe()
    child = os.fork()
    if not child:
        _spend(ledger, into, report_first=report_first)
    os.close(into)
    os.read(out, 2)  # the child is alive
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(out) as pipe:
        return pipe.read().splitlines()


def _spend(ledger: dp.Ledger, into: int, *, report_first: bool) -> None:
    os.write(into, b"a\n")
    while True:
        if report_first:
            os.write(into, b"b0\n")
        with ledger.charging("survey", COST) as charge:
            if not report_first:
                os.write(into, f"b{charge.number}\n".encode())
        os.write(into, f"f{charge.number}\n".encode())


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    path = Path(tempfile.mkdtemp()) / "budget.sqlite"
    dp.Ledger(path).create("survey", dp.PureDP(10**9), relation=dp.ADD_REMOVE)
    start = time.perf_counter()
    done = kills(path, count, seed=1)
    seconds = time.perf_counter() - start
    ledger = dp.Ledger(path)
    charges = {charge.number: charge for charge in ledger.charges("survey")}
    lost = [number for number in done.begun if number not in charges]
    account = ledger.account("survey")
    print(f"{count} kills in {seconds:.1f} s; {done.journals} of them left a journal behind")
    print(f"{len(done.begun)} releases reported as begun, {len(lost)} of them not in the ledger")
    print(f"{account.runs} runs charged, {account.unfinished} shown as not finished")
    print(f"chain whole: {ledger.verify() is None}; head {ledger.head[:12]}")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
