"""Samples a second of exact noise from the operating system's bits, beside numpy's and OpenDP's.

python benchmarks/noise.py
python benchmarks/noise.py --rounds 5

numpy's normal is a floor, not a rival: its doubles are neither private nor on a grid. OpenDP's
discrete Gaussian is the peer; it is timed where opendp is installed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

from dpframe import randomness

BITS = randomness.SystemBits()
STDS = {"0.3": 0.3, "3.7": 3.7, "1000.1": 1000.1, "2^20": 2.0**20, "2^40": 2.0**40, "2^48": 2.0**48}
WIDE = {"2^80": 2.0**80}
COUNTS = (100_000, 1_000, 10)
TARGETS = {100_000: 5e6, 1_000: 2e6}
PEER_COUNTS = {100_000: 20_000}  # OpenDP's time grows with n, so fewer tell as much
WORTH = 0.02  # seconds a round takes at least, by repeating what is quicker

Draw = Callable[[int], object]


def ours() -> dict[str, Draw]:
    """A name, and what draws n samples."""
    found = {}
    for name, std in {**STDS, **WIDE}.items():
        found[f"rounded Gaussian, {name}"] = lambda n, s=std: randomness.rounded_gaussian(
            BITS, s, n
        )
    for law in ("rounded_laplace", "discrete_laplace", "discrete_gaussian"):
        draw = getattr(randomness, law)
        found[f"{law.replace('_', ' ')}, 1000.1"] = lambda n, draw=draw: draw(BITS, 1000.1, n)
    return found


def floors() -> dict[str, Draw]:
    """numpy's normal, and the words that exact noise is made of: 16 bytes a sample."""
    rng = np.random.default_rng()
    return {
        "numpy normal (not private)": lambda n: rng.normal(0.0, 1000.1, n),
        "os.urandom, 16 bytes": lambda n: os.urandom(16 * n),
    }


def peers() -> dict[str, Draw]:
    """OpenDP's discrete Gaussian on vectors of whole numbers, or nothing where it is absent."""
    if importlib.util.find_spec("opendp") is None:
        print("opendp is not installed: its column is missing. pip install opendp\n")
        return {}
    import opendp.prelude as peer

    peer.enable_features("contrib")
    space = peer.vector_domain(peer.atom_domain(T=int)), peer.l2_distance(T=float)
    print(f"opendp {importlib.metadata.version('opendp')}\n")
    found = {}
    for name, std in {"1": 1.0, "1000.1": 1000.1, "2^40": 2.0**40}.items():
        noise = peer.m.make_gaussian(*space, scale=std)
        found[f"OpenDP discrete Gaussian, {name}"] = lambda n, noise=noise: noise([0] * n)
    return found


def seconds(draw: Draw, n: int) -> float:
    """One call, the mean of as many as make a round worth timing."""
    times, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < WORTH:
        draw(n)
        times += 1
    return spent / times


def rates(draws: dict[str, Draw], rounds: int) -> dict[str, dict[int, float]]:
    """Samples a second: medians over interleaved rounds."""
    found: dict[str, dict[int, list[float]]] = {name: {n: [] for n in COUNTS} for name in draws}
    for _ in range(rounds):
        for name, draw in draws.items():
            for n in COUNTS:
                asked = PEER_COUNTS.get(n, n) if name.startswith("OpenDP") else n
                found[name][n].append(asked / seconds(draw, asked))
    return {
        name: {n: statistics.median(values) for n, values in by_count.items()}
        for name, by_count in found.items()
    }


def show(found: dict[str, dict[int, float]]) -> None:
    """A line each; ratios are to OpenDP's draw of std 1000.1 and to numpy's normal."""
    numpy_rate = found["numpy normal (not private)"]
    peer_rate = found.get("OpenDP discrete Gaussian, 1000.1")
    print(f"{'samples a second':34}" + "".join(f"{f'n = {n}':>34}" for n in COUNTS))
    for name, by_count in found.items():
        cells = []
        for n, rate in by_count.items():
            peer = f"{rate / peer_rate[n]:7.1f} x OpenDP" if peer_rate else ""
            cells.append(f"{rate:10.2e} {peer} {rate / numpy_rate[n]:6.3f} x numpy")
        print(f"{name:34}" + "".join(f"{cell:>42}" for cell in cells))


def judge(found: dict[str, dict[int, float]]) -> bool:
    """Whether every rounded Gaussian with a std of at most 2^48 steps reaches the targets."""
    least = {n: min(found[f"rounded Gaussian, {name}"][n] for name in STDS) for n in TARGETS}
    for n, target in TARGETS.items():
        print(f"\nn = {n}: at least {least[n]:.2e} a second, target {target:.0e}", end="")
    print()
    return all(least[n] >= target for n, target in TARGETS.items())


def main() -> None:
    """Print the table; fail where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    found = rates({**ours(), **floors(), **peers()}, options.rounds)
    show(found)
    if not judge(found):
        raise SystemExit("a target is missed; were other programs running?")


if __name__ == "__main__":
    main()
