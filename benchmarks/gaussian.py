"""The Gaussian privacy profile: sides, worst errors and times, beside its peers.

    python benchmarks/gaussian.py                       # 2,000 points, times, peers
    python benchmarks/gaussian.py --points 100000       # the full run, a minute
    python benchmarks/gaussian.py --points 0            # times and peers only

Peers: dp_accounting, diffprivlib and autodp, where they are installed.

Every answer of dpframe is judged by ball arithmetic (a proof, at 128 bits and more), and the first
`--mpmath` points once more by the definition in mpmath to 60 digits. Errors are in doubles (ulp).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from flint import arb

from dpframe.numerics import holds, working
from dpframe.numerics.fast import gaussian_delta, gaussian_epsilon, gaussian_mu, gaussian_sigma
from dpframe.numerics.profile import sharp_terms

Points = dict[str, np.ndarray]
CORNERS = [
    (epsilon, delta)
    for epsilon in (0.0, 1e-8, 1e-4, 1.0, 100.0, 1e4)
    for delta in (1e-300, 1e-100, 1e-12, 1e-3, 0.5, np.nextafter(0.5, 1), 0.9, 1 - 2.0**-53)
]


def draw(count: int, seed: int) -> Points:
    """Points over the whole domain, its corners first; every answer of dpframe at each."""
    rng = np.random.default_rng(seed)
    epsilon = 10 ** rng.uniform(-8, 4, count)
    epsilon[rng.random(count) < 0.03] = 0
    kind = rng.random(count)
    delta = np.select(
        [kind < 0.5, kind < 0.8, kind < 0.95],
        [
            10 ** rng.uniform(-300, -0.3, count),
            10 ** rng.uniform(-15, -0.3, count),
            rng.uniform(1e-9, 1, count),
        ],
        1 - 10 ** rng.uniform(-15, -0.3, count),
    )
    corners = np.array(CORNERS)[:count]
    epsilon[: len(corners)], delta[: len(corners)] = corners.T
    sensitivity = np.where(kind < 0.5, 1.0, 10 ** rng.uniform(-3, 3, count))
    mu = gaussian_mu(epsilon, delta)
    # the profile is also asked where nothing was calibrated, and near its value at epsilon = 0
    other = np.where(rng.random(count) < 0.5, mu, 10 ** rng.uniform(-8, 2.5, count))
    at_zero = gaussian_delta(0, other)
    below = np.where(rng.random(count) < 0.5, at_zero * 10 ** rng.uniform(-20, 0, count), delta)
    below = np.clip(below, 1e-300, 1 - 2.0**-53)
    return {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": sensitivity,
        "mu": mu,
        "sigma": gaussian_sigma(epsilon, delta, sensitivity),
        "other": other,
        "delta of": gaussian_delta(epsilon, other),
        "below": below,
        "epsilon of": gaussian_epsilon(below, other),
    }


def judge(point: dict[str, float]) -> dict[str, tuple[bool, float]]:
    """For each function: is the answer proved to be on the private side, and how many doubles off?

    For epsilon, how many doubles off beyond what 24 units of 2^-53 of delta are worth.
    """
    epsilon, delta, mu, sigma = (point[name] for name in ("epsilon", "delta", "mu", "sigma"))
    found = {
        "mu": (holds(epsilon, delta, mu) is True, off_mu(epsilon, delta, mu)),
        "sigma": off_sigma(epsilon, delta, sigma, point["sensitivity"]),
    }
    other, given = point["other"], point["delta of"]
    exact = sharp_terms(epsilon, other).delta
    with working(256):
        far = float(arb(given) - exact) / np.spacing(given)
        usual = 1e-300 < given < 0.999  # elsewhere the last double decides, not the error
        found["delta"] = (bool(arb(given) >= exact) or given == 1, far if usual else math.nan)
    found["epsilon"] = off_epsilon(point["below"], other, point["epsilon of"])
    return found


def off_mu(epsilon: float, delta: float, mu: float) -> float:
    """By how many doubles mu is too small."""
    at = sharp_terms(epsilon, mu)
    with working(256):
        return float((arb(delta) - at.delta) / at.density) / np.spacing(mu)


def off_sigma(epsilon: float, delta: float, sigma: float, shift: float) -> tuple[bool, float]:
    """Private? By how many doubles is sigma too large?"""

    def mu() -> arb:
        return arb(shift) / arb(sigma)

    at = sharp_terms(epsilon, mu)
    with working(256):
        share = float((arb(delta) - at.delta) / at.density / mu())
    return holds(epsilon, delta, mu) is True, share * sigma / np.spacing(sigma)


def off_epsilon(delta: float, mu: float, epsilon: float) -> tuple[bool, float]:
    """Private? By how many doubles is epsilon too large, less what delta's own last bits move?"""
    if epsilon == 0:
        return holds(0, delta, mu) is True, 0.0
    at = sharp_terms(epsilon, mu)
    with working(512):
        smaller = at.delta if delta <= 0.5 else 1 - at.delta
        excess = min(float((arb(delta) - at.delta) / at.tail), epsilon)  # the truth is >= 0
        moves = float(smaller / at.tail)
    beyond = max(excess - 24 * 2.0**-53 * moves, 0.0)
    return holds(epsilon, delta, mu) is True, beyond / np.spacing(epsilon)


def by_definition(epsilon: float, mu: float, over: float = 1.0) -> mpmath.mpf:
    """Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m) at m = mu/over, in mpmath alone.

    To 60 digits and more: of the two tails about log10((1 + epsilon/m) / m) digits cancel.
    """
    lost = math.log10(1 + epsilon * over / mu) + math.log10(over) - math.log10(mu)
    with mpmath.workdps(70 + math.ceil(max(lost, 0))):
        budget, shift = mpmath.mpf(epsilon), mpmath.mpf(mu) / over
        near, far = budget / shift - shift / 2, budget / shift + shift / 2
        root = mpmath.sqrt(2)
        return (mpmath.erfc(near / root) - mpmath.exp(budget) * mpmath.erfc(far / root)) / 2


def judge_by_mpmath(point: dict[str, float]) -> dict[str, bool]:
    """Is each answer on the private side, by an independent library?"""
    epsilon, delta, other = point["epsilon"], point["delta"], point["other"]
    return {
        "mu": by_definition(epsilon, point["mu"]) <= delta,
        "sigma": by_definition(epsilon, point["sensitivity"], point["sigma"]) <= delta,
        "delta": by_definition(epsilon, other) <= point["delta of"],
        "epsilon": by_definition(point["epsilon of"], other) <= point["below"],
    }


def check(count: int, by_mpmath: int, seed: int) -> bool:
    """Judge `count` points; print one line a function. True if all are on the private side."""
    drawn = draw(count, seed)
    wrong = dict.fromkeys(("sigma", "mu", "delta", "epsilon"), 0)
    most = dict.fromkeys(wrong, -np.inf)
    least = dict.fromkeys(wrong, np.inf)
    disagreed = 0
    for i in range(count):
        point = {name: float(values[i]) for name, values in drawn.items()}
        for name, (private, off) in judge(point).items():
            wrong[name] += not private
            most[name], least[name] = np.fmax(most[name], off), np.fmin(least[name], off)
        if i < by_mpmath:
            disagreed += sum(not right for right in judge_by_mpmath(point).values())
    print(f"{count} points (seed {seed}), proved by ball arithmetic:")
    for name in wrong:
        print(
            f"  gaussian_{name:8} {wrong[name]} on the wrong side; "
            f"{least[name]:.1f} to {most[name]:.1f} ulp outward"
        )
    print(f"  {min(by_mpmath, count)} of them by mpmath to 60 digits: {disagreed} wrong answers")
    return not (any(wrong.values()) or disagreed)


def timed(action: Callable[[], Any], repeats: int) -> float:
    """The best of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def peers() -> list[tuple[str, Callable[[float, float], float] | None]]:
    """Their calibrations of sigma at sensitivity 1; None where the library is absent."""
    return [
        ("dp_accounting", _load("dp_accounting", _dp_accounting)),
        ("diffprivlib", _load("diffprivlib", _diffprivlib)),
        ("autodp", _load("autodp", _autodp)),
    ]


def _load(
    library: str, make: Callable[[], Callable[[float, float], float]]
) -> Callable[[float, float], float] | None:
    try:
        importlib.import_module(library)
        return make()
    except ImportError:
        return None


def _dp_accounting() -> Callable[[float, float], float]:
    calibrate: Callable[[float, float], float] = importlib.import_module(
        "dp_accounting.gaussian_mechanism"
    ).get_sigma_gaussian
    return calibrate


def _diffprivlib() -> Callable[[float, float], float]:
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    return lambda epsilon, delta: (
        mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1)._scale  # noqa: SLF001
    )


def _autodp() -> Callable[[float, float], float]:
    calibrators = importlib.import_module("autodp.calibrator_zoo")
    mechanisms = importlib.import_module("autodp.mechanism_zoo")
    calibrate = calibrators.ana_gaussian_calibrator()
    return lambda epsilon, delta: calibrate(mechanisms.GaussianMechanism, epsilon, delta).params[
        "sigma"
    ]


def times(count: int) -> None:
    """A million answers in one call, in seconds."""
    rng = np.random.default_rng(0)
    epsilon, delta = 10 ** rng.uniform(-8, 4, count), 10 ** rng.uniform(-300, -0.3, count)
    mu = gaussian_mu(epsilon, delta)
    for name, action in (
        ("sigma", lambda: gaussian_sigma(epsilon, delta)),
        ("mu", lambda: gaussian_mu(epsilon, delta)),
        ("epsilon", lambda: gaussian_epsilon(delta, mu)),
        ("delta", lambda: gaussian_delta(epsilon, mu)),
    ):
        print(f"  gaussian_{name:8} {count} answers: {timed(action, 3):.2f} s on one core")
    one = timed(lambda: gaussian_sigma(1.0, 1e-6), 50)
    print(f"  gaussian_sigma    one number: {1e3 * one:.2f} ms")


def compare(count: int) -> None:
    """Time and worst error of each library on the same points, as ratios to dpframe."""
    rng = np.random.default_rng(1)
    epsilon, delta = 10 ** rng.uniform(-8, 4, count), 10 ** rng.uniform(-300, -0.3, count)
    everywhere = np.resize(epsilon, 10**5), np.resize(delta, 10**5)
    ours = timed(lambda: gaussian_sigma(*everywhere), 3) / 10**5
    print(f"calibrations of sigma at {count} random points of the domain:")
    points = list(zip(epsilon.tolist(), delta.tolist(), strict=True))
    report("dpframe", gaussian_sigma(epsilon, delta).tolist(), points, ours, 1)
    for name, calibrate in peers():
        if calibrate is None:
            print(f"  {name:22} absent: not installed here, so not compared")
            continue
        start = time.perf_counter()
        answers = [attempt(calibrate, *point) for point in points]
        took = (time.perf_counter() - start) / count
        version = importlib.metadata.version(name.replace("_", "-"))
        report(f"{name} {version}", answers, points, took, took / ours)


def attempt(calibrate: Callable[[float, float], float], epsilon: float, delta: float) -> float:
    """Their answer; nan where they fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(calibrate(epsilon, delta))
        except Exception:  # noqa: BLE001 - a failure of theirs is a result
            return math.nan


def report(
    name: str, answers: list[float], points: list[tuple[float, float]], took: float, ratio: float
) -> None:
    """One line: time, wrong sides, the range of errors."""
    judged = [
        off_sigma(*point, answer, 1.0)
        for point, answer in zip(points, answers, strict=True)
        if 0 < answer < math.inf
    ]
    under, off = sum(not private for private, _ in judged), [ulps for _, ulps in judged]
    print(
        f"  {name:22} {1e6 * took:8.2f} us each ({ratio:.0f} x), {len(points) - len(judged)} fail, "
        f"{under} under-noise; {min(off):.3g} to {max(off):.3g} ulp outward"
    )


def main() -> None:
    """Sides and errors, then times, then peers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=2_000)
    parser.add_argument("--mpmath", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=int, default=10**6)
    parser.add_argument("--peers", type=int, default=200)
    options = parser.parse_args()
    right = check(options.points, options.mpmath, options.seed) if options.points else True
    print("times:")
    times(options.answers)
    compare(options.peers)
    if not right:
        raise SystemExit("an answer is on the wrong side")


if __name__ == "__main__":
    main()
