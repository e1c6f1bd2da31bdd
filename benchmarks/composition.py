"""Composition of many mechanisms: width of the interval, time and memory, beside peers.

    python benchmarks/composition.py            # without the slow peer runs, half a minute
    python benchmarks/composition.py --all      # peers at 10,000 distinct mechanisms too: minutes

Peers: dp_accounting (PLD and RDP) and prv_accountant, where they are installed; absent is fine and
said. Every problem is run in this one process, dpframe and peers in turn; times are medians of the
rounds, memory is the peak that tracemalloc sees beyond the inputs.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpframe.accountants import NumericAccountant, parts_of
from dpframe.pld.losses import GaussianLoss, LaplaceLoss, PrivacyLoss, ResponseLoss

Problem = list[tuple[PrivacyLoss, int]]
DELTAS = (1e-6, 1e-12, 1e-30)
SLOW = 1000  # distinct mechanisms beyond which peers take minutes


def spread(k: int) -> np.ndarray:
    """k distinct scales around sqrt(k)."""
    return np.sqrt(k) * np.linspace(0.7, 1.5, k)


def mixed(k: int) -> Problem:
    """k distinct mechanisms of sensitivity 1, Gaussian and Laplace in turn."""
    kinds = (GaussianLoss, LaplaceLoss)
    return [(kinds[i % 2](1 / Fraction(float(s))), 1) for i, s in enumerate(spread(k))]


def problems() -> dict[str, Problem]:
    """What is composed."""
    four = [GaussianLoss(Fraction(1, 80)), LaplaceLoss(Fraction(1, 90))]
    four += [GaussianLoss(Fraction(1, 110)), LaplaceLoss(Fraction(1, 130))]
    return {
        "3 distinct": mixed(3),
        "100 distinct": mixed(100),
        "1,000 distinct": mixed(1000),
        "10,000 distinct": mixed(10_000),
        "4 kinds x 2,500": [(loss, 2500) for loss in four],
        "10,000 distinct Laplace": [
            (LaplaceLoss(1 / Fraction(float(s))), 1) for s in spread(10_000)
        ],
        "Laplace x 10,000": [(LaplaceLoss(Fraction(1, 100)), 10_000)],
        "randomised response x 10,000": [(ResponseLoss(Fraction(1, 100)), 10_000)],
    }


def clock(run: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Median seconds of `rounds` runs, and the last answer."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - start)
    return statistics.median(times), answer


def memory(run: Callable[[], Any]) -> float:
    """The peak of one run beyond what was held before, in MiB."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - before) / 2**20


def ours(problem: Problem, delta: float) -> Callable[[], Any]:
    """dpframe's certified interval."""
    parts = parts_of(*problem)
    return lambda: NumericAccountant().epsilon(parts, delta)


def dp_accounting(kind: str) -> Callable[[Problem, float], float] | None:
    """dp_accounting's epsilon with its PLD or RDP accountant, with its defaults."""
    try:
        events = importlib.import_module("dp_accounting")
        module = importlib.import_module(f"dp_accounting.{kind}")
    except ImportError:
        return None
    accountant = {"pld": "PLDAccountant", "rdp": "RdpAccountant"}[kind]

    def event(loss: PrivacyLoss) -> Any:
        size = float(1 / loss.parameters[0])
        made = {"gaussian": "GaussianDpEvent", "laplace": "LaplaceDpEvent"}.get(loss.kind)
        if made is None:
            # the same pair as randomised response, which their add/remove accountant does not take
            return events.dp_event.DiscreteLaplaceDpEvent(float(loss.parameters[0]), 1)
        return getattr(events, made)(size)

    def answer(problem: Problem, delta: float) -> float:
        # as a list of (event, count): a SelfComposed event loses its count for some kinds
        account = getattr(module, accountant)()
        for loss, count in problem:
            account.compose(event(loss), count)
        return float(account.get_epsilon(delta))

    return answer


def prv(problem: Problem, delta: float) -> tuple[float, float]:
    """prv_accountant's lower and upper bound at eps_error 0.1."""
    library = importlib.import_module("prv_accountant")
    kinds = {"gaussian": "GaussianMechanism", "laplace": "LaplaceMechanism"}
    made = [getattr(library, kinds[loss.kind])(_size(loss)) for loss, _ in problem]
    counts = [count for _, count in problem]
    account = library.PRVAccountant(
        prvs=made, max_self_compositions=counts, eps_error=0.1, delta_error=delta / 1000
    )
    low, _, up = account.compute_epsilon(delta=delta, num_self_compositions=counts)
    return float(low), float(up)


def _size(loss: PrivacyLoss) -> float:
    """What prv_accountant calls a Gaussian and a Laplace mechanism by: noise, and its inverse."""
    own = float(loss.parameters[0])
    return own if loss.kind == "laplace" else 1 / own


def versions() -> str:
    """What is compared."""
    found = []
    for name in ("dpframe", "dp-accounting", "prv-accountant", "numpy", "scipy"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


def table(*, every: bool) -> None:
    """One line a problem and delta, then the peers at delta 1e-6."""
    print(f"{'problem':30s} {'delta':>6s} {'epsilon':>15s} {'width':>8s} {'ms':>8s} {'MiB':>6s}")
    for name, problem in problems().items():
        rounds = 5 if len(problem) > 1000 else 11
        for delta in DELTAS:
            run = ours(problem, delta)
            run()
            seconds, found = clock(run, rounds)
            print(
                f"{name:30s} {delta:6.0e} {found.upper:15.10f} {found.width:8.1e} "
                f"{1e3 * seconds:8.2f} {memory(run):6.1f}"
            )
        peers(problem, every=every)


def peers(problem: Problem, *, every: bool) -> None:
    """What the peers answer at delta 1e-6, how far from the truth, and how many times as long."""
    slow = len(problem) > SLOW and not every
    base, truth = clock(ours(problem, 1e-6), 3)
    for kind in ("pld", "rdp"):
        answer = dp_accounting(kind)
        if answer is None or (slow and kind == "pld"):
            print(f"    dp_accounting {kind:4s} {'absent' if answer is None else 'skipped: --all'}")
            continue
        _line(f"dp_accounting {kind}", lambda a=answer: a(problem, 1e-6), base, truth)
    if all(loss.kind in ("gaussian", "laplace") for loss, _ in problem) and len(problem) <= 100:
        _line("prv_accountant", lambda: prv(problem, 1e-6), base, truth)


def figure(ratio: float) -> str:
    """Two figures below 100, whole numbers above."""
    return f"{ratio:.2g}" if ratio < 100 else f"{ratio:,.0f}"


def _line(label: str, run: Callable[[], Any], base: float, truth: Any) -> None:
    try:
        seconds, found = clock(run, 1)
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
        print(f"    {label:20s} {type(error).__name__}: {str(error)[:60]}")
        return
    ends = found if isinstance(found, tuple) else (found,)
    off = ", ".join(f"{end - truth.upper:+.1e}" for end in ends)
    print(f"    {label:20s} off by {off:22s} {figure(seconds / base):>8s} x the time")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="slow peer runs too")
    warnings.filterwarnings("ignore")
    print(versions())
    table(every=parser.parse_args().all)


if __name__ == "__main__":
    main()
