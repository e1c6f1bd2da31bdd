"""Time of a query to a filter: microseconds each, early and late, beside OpenDP's filter.

python benchmarks/filters.py
python benchmarks/filters.py --queries 1000000
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import threading
import time
from collections.abc import Callable
from fractions import Fraction

import dpframe as dp

PEER_QUERIES = 400  # its time grows with the square


def ledgers(queries: int) -> dict[str, tuple[dp.Filter, dp.Guarantee]]:
    """A filter and a cost that fits it `queries` times."""
    return {
        "pure": (dp.Filter(dp.PureDP(queries)), dp.PureDP(0.1)),
        "approximate": (dp.Filter(dp.ApproxDP(queries, 0.5)), dp.ApproxDP(0.1, 1e-12)),
        "zCDP": (dp.Filter(dp.ZeroConcentratedDP(queries)), dp.ZeroConcentratedDP(0.1)),
        "zCDP, pure costs": (dp.Filter(dp.ZeroConcentratedDP(queries)), dp.PureDP(0.1)),
        "Gaussian": (dp.Filter(dp.GaussianDP(queries)), dp.GaussianDP(1 / 3)),
    }


def per_query(spend: Callable[[dp.Guarantee], None], costs: list[dp.Guarantee]) -> float:
    """Microseconds."""
    start = time.perf_counter()
    for cost in costs:
        spend(cost)
    return 1e6 * (time.perf_counter() - start) / len(costs)


def measure(queries: int) -> float:
    """One line a currency; the time of pure queries."""
    pure = 0.0
    for name, (gate, cost) in ledgers(queries).items():
        tenth = [cost] * (queries // 10)
        times = [per_query(gate.spend, tenth) for _ in range(10)]
        print(
            f"  {name:18} {gate.queries} queries: {sum(times) / 10:.2f} us each; "
            f"first tenth {times[0]:.2f}, last tenth {times[-1]:.2f}"
        )
        pure = pure or sum(times) / 10
    fresh = [dp.PureDP(Fraction(k, 10**6)) for k in range(1, 10_001)]
    gate = dp.Filter(dp.PureDP(10**6))
    print(f"  {'all costs differ':18} {len(fresh)} queries: {per_query(gate.spend, fresh):.2f} us")
    print(f"  {'the lock alone':18} {lock_cost():.3f} us")
    return pure


def lock_cost(times: int = 100_000) -> float:
    """Microseconds to take and free a lock that nobody else wants."""
    lock = threading.Lock()
    start = time.perf_counter()
    for _ in range(times):
        with lock:
            pass
    return 1e6 * (time.perf_counter() - start) / times


def peer() -> float | None:
    """Microseconds a query of OpenDP's fully adaptive filter; None where it is absent."""
    if importlib.util.find_spec("opendp") is None:
        return None
    import opendp.prelude as odp

    odp.enable_features("contrib")
    space = odp.vector_domain(odp.atom_domain(T=int)), odp.symmetric_distance()
    query = space >> odp.t.then_count() >> odp.m.then_laplace(10.0)
    odometer = odp.c.make_fully_adaptive_composition(*space, odp.max_divergence())
    gate = odp.c.make_privacy_filter(odometer, d_in=1, d_out=float(PEER_QUERIES))([1, 2, 3])
    start = time.perf_counter()
    for _ in range(PEER_QUERIES):
        gate(query)
    return 1e6 * (time.perf_counter() - start) / PEER_QUERIES


def main() -> None:
    """Ours, then theirs as a ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--queries", type=int, default=100_000)
    print("spending from a filter:")
    ours = measure(parser.parse_args().queries)
    try:
        theirs = peer()
    except Exception as error:  # noqa: BLE001 - a failure of theirs is a result
        print(f"  opendp             failed: {error}")
        return
    if theirs is None:
        print("  opendp             absent: not installed here, so not compared")
        return
    version = importlib.metadata.version("opendp")
    print(
        f"  opendp {version}      {PEER_QUERIES} queries, answers included: {theirs:.0f} us each, "
        f"{theirs / ours:.0f} x"
    )


if __name__ == "__main__":
    main()
