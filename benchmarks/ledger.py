"""What a charge, and opening, take in a ledger with many charges.

    python benchmarks/ledger.py [100 1000 10000 100000]

A charge is entered and marked as released: two transactions. The file lies in memory where there is
such a folder, so that what is measured is the program and not the disk; `--disk FOLDER` puts it there.
Opening is that of a new process, with the memory that it needs beyond an empty ledger's.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import dpframe as dp
from dpframe.guarantees import Unit
from dpframe.ledger import Cost

COST = Cost(
    (dp.ApproxDP("0.001", "1e-12"), dp.GaussianDP("0.0002")),
    Unit(dp.ADD_REMOVE),
    "cd" * 32,
    "a run among many",
)
SIZES = (100, 1_000, 10_000, 100_000)
TIMED = 200  # charges that a figure is the mean of, at most as many as there are

OPEN = """
import resource, sys, time
import dpframe as dp, dpframe.ledger
from pathlib import Path
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
small = dp.Ledger(sys.argv[2]).datasets
before, start = peak(), time.perf_counter()
ledger = dp.Ledger(sys.argv[1])
seconds = time.perf_counter() - start
runs = ledger.account("survey").runs
print(seconds, peak() - before, runs)
"""


class Line(NamedTuple):
    """A size, and what was measured there."""

    charges: int
    milliseconds: float
    slowest: float
    seconds: float
    megabytes: float


def measured(folder: Path, sizes: list[int]) -> list[Line]:
    """Charge up to each size, and time the last charges before it, then opening."""
    path, small = folder / "budget.sqlite", folder / "small.sqlite"
    for each in (path, small):
        dp.Ledger(each).create("survey", dp.GaussianDP(1), relation=dp.ADD_REMOVE)
    ledger, done, lines = dp.Ledger(path), 0, []
    for size in sizes:
        times: list[float] = []
        while done < size:
            start = time.perf_counter()
            with ledger.charging("survey", COST):
                pass
            times.append(time.perf_counter() - start)
            done += 1
        last = [1e3 * each for each in times[-TIMED:]]
        opening = [float(each) for each in _opened(path, small)]
        lines.append(Line(size, statistics.fmean(last), max(last), *opening[:2]))
        print(_row(lines[-1]), flush=True)
    return lines


def _opened(path: Path, small: Path) -> list[str]:
    command = [sys.executable, "-c", OPEN, str(path), str(small)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def _row(line: Line) -> str:
    numbers = f"{line.milliseconds:14.2f} {line.slowest:14.2f} {line.seconds:10.3f}"
    return f"{line.charges:10,} {numbers} {line.megabytes:8.1f}"


def _folder() -> str | None:
    if "--disk" in sys.argv:
        return sys.argv[sys.argv.index("--disk") + 1]
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108


def main() -> None:
    """Print the table, and the ratio of the last charge to the first."""
    sizes = [int(each) for each in sys.argv[1:] if each.isdecimal()] or list(SIZES)
    print("   charges  ms per charge     slowest, ms  s to open       MB")
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        lines = measured(Path(folder), sizes)
    ratio = lines[-1].milliseconds / lines[0].milliseconds
    print(f"charge {lines[-1].charges:,} takes {ratio:.2f} times charge {lines[0].charges:,}")


if __name__ == "__main__":
    main()
