"""Time to certify, to give numbers, to check: least milliseconds, beside the targets.

python benchmarks/certify.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import dpframe as dp
from dpframe.kernel import check

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
RELEASES = 1000


def keep(*values: Any) -> tuple[Any, ...]:
    """Post-processing that keeps everything."""
    return values


class Equal(dp.Regression):
    """1,000 releases with equal shares. [here]"""

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        """X'X a thousand times."""
        shares = budget.split_evenly(RELEASES)
        kinds = [dp.release(X.T @ X, dp.Gaussian.kamath_ullman, share) for share in shares]
        return dp.post(keep, *kinds)


KNOBS = [dp.parameter(f"g{i}", 0, Fraction(1, 50)) for i in range(8)]
TOTAL = RELEASES * (RELEASES + 1) // 2
WEIGHTS = [Fraction(i + 1, TOTAL) * (1 - KNOBS[i % 8]) for i in range(RELEASES)]


class Distinct(dp.Regression):
    """1,000 releases with distinct shares over 10 symbols. [here]"""

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        """Shares (i/500500)(1 - g_(i mod 8)), all different."""
        shares = budget.split(*WEIGHTS)
        kinds = [dp.release(X.T @ X, dp.Gaussian.kamath_ullman, share) for share in shares]
        return dp.post(keep, *kinds)


def least(action: Callable[[], object], repeats: int = 15) -> float:
    """Least milliseconds of this process, after one warm-up: what others do counts for nothing."""
    action()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(1e3 * (time.process_time() - start))
    return min(times)


def certified(kind: type[dp.Regression]) -> Callable[[], object]:
    """Verify a shipped declaration, proved or not."""
    return lambda: dp.examine(kind(), target=TARGET, setting=SETTING)


def main() -> None:
    """One line a figure."""
    slowest = max((least(certified(kind)), kind.__name__) for kind in dp.literature.REGRESSIONS)
    print(f"slowest shipped declaration, symbolic: {slowest[0]:.1f} ms ({slowest[1]}), at most 10")
    proof = dp.certify(dp.literature.AdaSSPBudget(), target=TARGET, setting=SETTING)
    numbers = {"epsilon": 1, "delta": "1e-6", "gamma": Fraction(1, 3)}
    print(f".at(epsilon, delta, gamma): {least(lambda: proof.at(**numbers)):.2f} ms, at most 1")
    for kind, limit in ((Equal, 20), (Distinct, 40)):
        took = least(lambda kind=kind: dp.certify(kind(), target=TARGET, setting=SETTING))
        file = dp.certify(kind(), target=TARGET, setting=SETTING).document
        verdict = check(file)
        checked = least(lambda file=file: check(file), 3)
        print(
            f"{kind.__doc__.split('.')[0]}: certify {took:.1f} ms, at most {limit}; "
            f"checker {checked:.0f} ms, at most 500 (accepted: {verdict.accepted})"
        )


if __name__ == "__main__":
    main()
