"""Budgets of single records: seconds and peak memory to update and check ten million of them.

python benchmarks/records.py
python benchmarks/records.py --records 1000000 --releases 100
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path

import attrs
import numpy as np

import dpframe as dp
from dpframe.budgets.records import IndividualFilter, RecordLedger, gaussian_cost

GROUPS = {"careful": 1, "usual": 2, "open": 4}


@attrs.frozen
class Task:
    """So many people and releases; random numbers are drawn before time is taken."""

    n: int
    releases: int
    rng: np.random.Generator

    def codes(self) -> np.ndarray:
        return self.rng.integers(0, 3, self.n, dtype=np.uint8)

    def coins(self) -> np.ndarray:
        """Who takes part, each with probability 1/2."""
        return self.rng.random(self.n, np.float32) < 0.5

    def grouped(self) -> RecordLedger:
        return RecordLedger(GROUPS, self.codes(), kind=dp.PureDP)

    def single(self) -> RecordLedger:
        """A budget a record, between 1 and 4."""
        return RecordLedger(1 + 3 * self.rng.random(self.n), kind=dp.PureDP)


Steps = Iterator[Callable[[], object]]


def everybody(task: Task) -> Steps:
    ledger = task.grouped()
    for _ in range(task.releases):
        yield lambda: ledger.spend(1 / task.releases)


def masks(task: Task, ledger: RecordLedger) -> Steps:
    for _ in range(task.releases):
        who = task.coins()
        yield lambda who=who: ledger.spend(1 / task.releases, who=who)


def near_the_end(task: Task) -> Steps:
    """As `masks`, with so little left that every record has to be compared."""
    ledger = task.grouped()
    ledger.spend({name: budget - 0.6 for name, budget in GROUPS.items()})
    for _ in range(task.releases):
        who = task.coins()
        yield lambda who=who: ledger.fits(1 / task.releases, who) and ledger.spend(1e-3, who)


def arrays(task: Task, ledger: RecordLedger) -> Steps:
    for _ in range(task.releases):
        cost, who = (1 - task.rng.random(task.n)) / task.releases, task.coins()
        yield lambda cost=cost, who=who: ledger.spend(cost, who=who)


def whom_it_fits(task: Task) -> Steps:
    ledger = task.grouped()
    for _ in range(task.releases):
        yield lambda: ledger.spend(0.3, who=ledger.affords(0.3))


def individual(task: Task) -> Steps:
    """Realised costs: rounding up, admission, charge."""
    kind = dp.GaussianDP
    gate = IndividualFilter(GROUPS, task.codes(), kind=kind, relation=dp.ADD_REMOVE)
    for _ in range(task.releases):
        norms = task.rng.random(task.n)
        yield lambda norms=norms: gate.admit(gaussian_cost(norms, 1.5, kind=kind))


def files(task: Task) -> Steps:
    """Saved and loaded once."""
    ledger = task.grouped()
    ledger.spend(0.1, who=task.coins())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.json"
        yield lambda: ledger.save(path)
        yield lambda: RecordLedger.load(path)


CASES: dict[str, Callable[[Task], Steps]] = {
    "3 groups, everybody": everybody,
    "3 groups, a mask each": lambda task: masks(task, task.grouped()),
    "3 groups, masks, near the end": near_the_end,
    "3 groups, costs a record, masks": lambda task: arrays(task, task.grouped()),
    "3 groups, those whom it fits": whom_it_fits,
    "single budgets, a mask each": lambda task: masks(task, task.single()),
    "single budgets, costs a record": lambda task: arrays(task, task.single()),
    "individual filter, 3 groups": individual,
    "3 groups, save and load once": files,
}


def case(name: str, n: int, releases: int) -> None:
    """One case, in a process of its own, on one thread."""
    wall = work = 0.0
    for step in CASES[name](Task(n, releases, np.random.default_rng(1))):
        begun = time.perf_counter(), time.process_time()
        step()
        wall, work = wall + time.perf_counter() - begun[0], work + time.process_time() - begun[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3  # kB on Linux
    print(f"  {name:32} {wall:7.3f} s, of a core {work:7.3f} s, peak {peak:5.0f} MB", flush=True)


def main() -> None:
    """Every case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--releases", type=int, default=20)
    chosen = parser.parse_args()
    print(f"{chosen.records} records, {chosen.releases} releases; memory is that of the process:")
    for name in CASES:
        process = get_context("spawn").Process(
            target=case, args=(name, chosen.records, chosen.releases)
        )
        process.start()
        process.join()


if __name__ == "__main__":
    main()
