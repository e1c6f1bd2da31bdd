"""What a charge, and opening, take in a ledger with many charges.

    python benchmarks/ledger.py [100 1000 10000 100000] [--disk FOLDER]

A charge is entered and marked as released: two transactions. Between the sizes many charges are
written in one transaction, as fast as that goes. The file lies in memory where there is such a
folder, so that the program is measured and not the disk. Opening is that of a new process, with the
memory that it needs beyond an empty ledger's. CPU is what a process computed, whatever else the
machine does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.privacy import Unit

COST = Cost(
    (dp.ApproxDP("0.001", "1e-12"), dp.GaussianDP("0.0002")),
    Unit(dp.ADD_REMOVE),
    "cd" * 32,
    "a run among many",
)
SIZES = (100, 1_000, 10_000, 100_000)
TIMED = 200  # charges that a figure is the mean of, at most half of them
TOGETHER = 1_000  # charges that are written at once between the sizes

OPEN = """
import re, sys, time
from pathlib import Path
import dpframe as dp, dpframe.budgets.ledger
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
small = dp.Ledger(sys.argv[2]).datasets
Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
before, start, cpu = peak(), time.perf_counter(), time.process_time()
ledger = dp.Ledger(sys.argv[1])
print(time.perf_counter() - start, time.process_time() - cpu, peak() - before)
"""


class Line(NamedTuple):
    """A size, and what was measured there: milliseconds a charge, seconds and MB to open."""

    charges: int
    wall: float
    cpu: float
    opening: float
    opening_cpu: float
    megabytes: float


def measured(folder: Path, sizes: list[int]) -> list[Line]:
    """Charge up to each size, time the last charges before it, then opening."""
    path, small = folder / "budget.sqlite", folder / "small.sqlite"
    for each in (path, small):
        dp.Ledger(each).create("survey", dp.GaussianDP(1), relation=dp.ADD_REMOVE)
    ledger, done, lines = dp.Ledger(path), 0, []
    for size in sizes:
        timed = min(TIMED, size // 2)
        _fill(ledger, size - timed - done)
        ledger.account("survey")  # reads on
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(timed):
            with ledger.charging("survey", COST):
                pass
        each = 1e3 * (time.perf_counter() - wall) / timed, 1e3 * (time.process_time() - cpu) / timed
        done = size
        lines.append(Line(size, *each, *map(float, _opened(path, small))))
        print(_row(lines[-1]), flush=True)
    return lines


def _fill(ledger: dp.Ledger, count: int) -> None:
    """So many charges, each marked as released."""
    for first in range(0, count, TOGETHER):
        with ledger._writing() as step:  # noqa: SLF001  # a minute instead of ten
            for _ in range(min(TOGETHER, count - first)):
                step.released(step.charge("survey", COST))
                step.close()


def _opened(path: Path, small: Path) -> list[str]:
    command = [sys.executable, "-c", OPEN, str(path), str(small)]
    return subprocess.run(  # noqa: S603  # this interpreter, these files
        command, check=True, capture_output=True, text=True
    ).stdout.split()


def _row(line: Line) -> str:
    numbers = f"{line.wall:14.2f} {line.cpu:8.2f} {line.opening:10.3f} {line.opening_cpu:8.3f}"
    return f"{line.charges:10,} {numbers} {line.megabytes:8.1f}"


def _folder() -> str | None:
    if "--disk" in sys.argv:
        return sys.argv[sys.argv.index("--disk") + 1]
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108


def main() -> None:
    """Print the table, and the ratio of the last charge to the first."""
    sizes = [int(each) for each in sys.argv[1:] if each.isdecimal()] or list(SIZES)
    print("   charges  ms per charge   of CPU  s to open   of CPU       MB")
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        lines = measured(Path(folder), sizes)
    first, last = lines[0], lines[-1]
    print(
        f"charge {last.charges:,} takes {last.wall / first.wall:.2f} times charge "
        f"{first.charges:,}, and {last.cpu / first.cpu:.2f} times its CPU"
    )


if __name__ == "__main__":
    main()
