"""Answers of other libraries that are wrong, asked again: the table of docs/peers.md.

    python benchmarks/peers.py

Every probe runs against whatever peers are installed; absent is fine and said. Truth is twofold:
dpframe's certified interval, and a formula in mpmath that shares no code with it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath as mp

import dpframe as dp

mp.mp.dps = 60
Curve = Callable[[Any], Any]  # epsilon -> delta


class Row(NamedTuple):
    """One probe: `ask` returns what the peer says, `truth` what is true, both as text."""

    name: str
    library: str
    probe: str
    ask: Callable[[], str]
    truth: Callable[[], str]


# independent truth, in mpmath


def gaussian(mu: Any) -> Curve:
    """[BalleW18, Thm 8]"""
    mu = mp.mpf(mu)

    def delta(epsilon: Any) -> Any:
        near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return (mp.erfc(near / mp.sqrt(2)) - mp.exp(epsilon) * mp.erfc(far / mp.sqrt(2))) / 2

    return delta


def responses(epsilon: Any, k: int) -> Curve:
    """k randomised responses: binomial terms. [KairouzOV15, Thm 3.3]"""
    size = mp.mpf(epsilon)

    def delta(target: Any) -> Any:
        terms = (
            mp.binomial(k, j) * (mp.exp((k - j) * size) - mp.exp(target + j * size))
            for j in range(k + 1)
            if (k - 2 * j) * size > target
        )
        return mp.fsum(terms) / (1 + mp.exp(size)) ** k

    return delta


def subsampled(q: Any, mu: Any) -> Curve:
    """One subsampled Gaussian, a record removed: the likelihood ratio rises, so one threshold."""
    q, mu = mp.mpf(q), mp.mpf(mu)

    def delta(epsilon: Any) -> Any:
        point = mp.log1p((mp.exp(epsilon) - 1) / q) / mu + mu / 2
        tail, moved = (mp.erfc((point - m) / mp.sqrt(2)) / 2 for m in (0, mu))
        return q * moved - (mp.exp(epsilon) - 1 + q) * tail

    return delta


def mixture(gaussians: Sequence[tuple[Any, int]], laplaces: Sequence[tuple[Any, int]]) -> Curve:
    """(mu, count) and (epsilon, count): the contour integral of e^(-z epsilon) M(z)/(z (z + 1)),
    by the trapezoid rule at 50 digits.
    """
    square = mp.fsum(mp.mpf(mu) ** 2 * k for mu, k in gaussians)

    def log_m(z: Any) -> Any:
        total = z * (z + 1) * square / 2
        for e, k in laplaces:
            top = (z + 1) * mp.exp(z * e) + z * mp.exp(-(z + 1) * e)
            total += k * mp.log(top / (2 * z + 1))
        return total

    def delta(epsilon: Any) -> Any:
        variance = log_m(mp.mpf(1)) - log_m(mp.mpf(0))
        c, h = max(mp.mpf(1), mp.mpf(epsilon) / variance - 1), mp.mpf(1) / 32
        nodes = (mp.mpc(c, h * k) for k in range(int(16 / mp.sqrt(square) / h)))
        values = [mp.re(mp.exp(log_m(z) - z * epsilon) / (z * (z + 1))) for z in nodes]
        return h / mp.pi * (mp.fsum(values) - values[0] / 2)

    return delta


def least(curve: Curve, delta: str) -> Any:
    """The least epsilon, by halving [0, 200]."""
    low, high, target = mp.mpf(0), mp.mpf(200), mp.mpf(delta)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if curve(middle) > target else (low, middle)
    return high


def true(curve: Curve, delta: str, *parts: object) -> str:
    """mpmath's epsilon, and dpframe's interval around it."""
    found, exact = dp.compose(*parts).epsilon(delta), least(curve, delta)
    inside = found.lower - 1e-9 <= exact <= found.upper + 1e-9
    shown = f"[{found.lower:.7g}, {found.upper:.7g}]"
    return f"{mp.nstr(exact, 8)}; dpframe {shown}{'' if inside else ' DISAGREES'}"


# dp_accounting


def theirs(event: Any, delta: float, by: str = "pld", relation: str = "ADD_OR_REMOVE_ONE") -> float:
    """epsilon by one of dp_accounting's accountants."""
    library = importlib.import_module("dp_accounting")
    neighbours = library.NeighboringRelation[relation]
    if by == "pld":
        accountant = library.pld.PLDAccountant(neighbours)
    else:
        accountant = library.rdp.RdpAccountant(neighboring_relation=neighbours)
    accountant.compose(event)
    return float(accountant.get_epsilon(delta))


def event(name: str, *arguments: object) -> Any:
    """An event of dp_accounting."""
    kind = getattr(importlib.import_module("dp_accounting").dp_event, f"{name}DpEvent", None)
    if kind is None:
        raise LookupError(f"no {name}DpEvent in this version")
    return kind(*arguments)


def s1() -> str:
    """The same composition, written in two ways."""
    one = event("RandomizedResponse", 0.5, 2)
    both = (event("SelfComposed", one, 100), event("Composed", [one] * 100))
    return " / ".join(f"{theirs(each, 1e-6, relation='REPLACE_ONE'):.5g}" for each in both)


def s2() -> str:
    """The same composition, written in two ways."""
    one = event("ExponentialMechanism", 1.0)
    both = (event("SelfComposed", one, 100), event("Composed", [one] * 100))
    return " / ".join(f"{theirs(each, 1e-6, 'rdp'):.5g}" for each in both)


def s3() -> str:
    """An int and the float that equals it."""
    made = (
        event("PoissonSampled", 0.01, event("Composed", [event("Gaussian", s) for s in (one, 0.1)]))
        for one in (1, 1.0)
    )
    return " / ".join(f"{theirs(each, 1e-6, 'rdp'):.5g}" for each in made)


def s4() -> str:
    """What should be errors."""
    less = event("SelfComposed", event("Gaussian", 1.0), -1)
    wrong = (event("Composed", [event("Gaussian", 1.0), less]), event("Gaussian", float("nan")))
    return " / ".join(f"{theirs(each, 1e-6, 'rdp'):.5g}" for each in wrong)


def s4_truth() -> str:
    """dpframe refuses both."""
    said = []
    for ask in (
        lambda: dp.compose((dp.Gaussian(std=1), -1)),
        lambda: dp.Gaussian(std=float("nan")),
    ):
        try:
            ask()
            said.append("answered")
        except dp.InvalidArgument:
            said.append("refused")
    return f"errors; dpframe: {', '.join(said)}"


def s5() -> str:
    """Two accountants of one relation."""
    one = event("Gaussian", 1.0)
    return " / ".join(f"{theirs(one, 1e-6, by, 'REPLACE_ONE'):.5g}" for by in ("rdp", "pld"))


STDS = (70, 90, 120, 150)


def s6() -> str:
    """Four kinds, 2,500 of each."""
    names = ("Gaussian", "Laplace", "Gaussian", "Laplace")
    parts = [
        event("SelfComposed", event(name, float(size)), 2500)
        for name, size in zip(names, STDS, strict=True)
    ]
    return f"{theirs(event('Composed', parts), 1e-12):.7g}"


def s6_truth() -> str:
    """The same."""
    a, b, c, d = (1 / mp.mpf(size) for size in STDS)
    parts = [(dp.Gaussian(std=size), 2500) for size in STDS[::2]]
    parts += [(dp.Laplace(scale=size), 2500) for size in STDS[1::2]]  # type: ignore[misc]
    curve = mixture([(a, 2500), (c, 2500)], [(b, 2500), (d, 2500)])
    return true(curve, "1e-12", *parts)


DELTAS = ("1e-6", "1e-10", "1e-11")


def s7() -> str:
    """A million small Laplace mechanisms and a Gaussian one."""
    many = event("SelfComposed", event("Laplace", 1000.0), 10**6)
    whole = event("Composed", [event("Gaussian", 1.0), many])
    return " / ".join(f"{theirs(whole, float(delta)):.7g}" for delta in DELTAS)


def s7_truth() -> str:
    """The same."""
    curve = mixture([(1, 1)], [(mp.mpf("0.001"), 10**6)])
    parts = (dp.Gaussian(std=1), (dp.Laplace(scale=1000), 10**6))
    return " / ".join(true(curve, delta, *parts) for delta in DELTAS)


# other peers

PURE = ((1, 100), (2, 50), (3, 20))


def s8() -> str:
    """(lower, upper) of each."""
    library = importlib.import_module("prv_accountant")
    answers = []
    for epsilon, k in PURE:
        accountant = library.PRVAccountant(
            prvs=[library.PureDPMechanism(epsilon)],
            max_self_compositions=[k],
            eps_error=0.1,
            delta_error=1e-9,
        )
        low, _, high = accountant.compute_epsilon(1e-6, [k])
        answers.append(f"[{low:.4g}, {high:.4g}]")
    return " / ".join(answers)


def s8_truth() -> str:
    """The same."""
    return " / ".join(true(responses(e, k), "1e-6", (dp.PureDP(e), k)) for e, k in PURE)


def s9(sigma: float, counts: Sequence[int], deltas: Sequence[float]) -> str:
    """The Fourier accountant, without what it prints."""
    zoo = importlib.import_module("autodp.mechanism_zoo")
    compose = importlib.import_module("autodp.transformer_zoo").ComposeAFA()
    found = []
    with contextlib.redirect_stdout(io.StringIO()):
        for k in counts:
            whole = compose([zoo.GaussianMechanism(sigma, phi_off=False)], [k])
            found += [f"{float(whole.get_approxDP(delta)):.4g}" for delta in deltas]
    return " / ".join(found)


def gaussians(std: int, counts: Sequence[int], deltas: Sequence[str]) -> str:
    """k Gaussians are one of mu sqrt(k)/std."""
    return " / ".join(
        true(gaussian(mp.sqrt(k) / std), delta, (dp.Gaussian(std=std), k))
        for k in counts
        for delta in deltas
    )


TARGETS = (("1", "1e-6"), ("1", "1e-16"), ("1", "1e-30"), ("1e-8", "1e-300"))


def calibrated(sigma: Callable[[float, float], float]) -> str:
    """Each sigma, and the delta that it has."""
    found = []
    with mp.workdps(400):
        for epsilon, delta in TARGETS:
            said = sigma(float(epsilon), float(delta))
            had = gaussian(1 / mp.mpf(said))(mp.mpf(epsilon))
            found.append(f"{said:.6g} (delta {mp.nstr(had, 4)})")
    return " / ".join(found)


def diffprivlib_sigma(epsilon: float, delta: float) -> float:
    """Its analytic Gaussian mechanism."""
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    made = mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1)
    return float(made._scale)  # noqa: SLF001 - it has no public name


def autodp_sigma(epsilon: float, delta: float) -> float:
    """Its analytic Gaussian calibrator."""
    zoo = importlib.import_module("autodp.mechanism_zoo")
    calibrator = importlib.import_module("autodp.calibrator_zoo").ana_gaussian_calibrator()
    return float(calibrator(zoo.ExactGaussianMechanism, epsilon, delta).params["sigma"])


def s11_truth() -> str:
    """dpframe's certified least sigma, and its delta by mpmath."""
    return calibrated(
        lambda epsilon, delta: float(dp.mechanisms.gaussian_sigma_interval(epsilon, delta)[1])
    )


LOG3 = mp.log(3)
ROWS = (
    Row(
        "S1",
        "dp-accounting",
        "PLD, randomised response p = 1/2, 100 times, delta 1e-6: SelfComposed / list",
        s1,
        lambda: true(
            responses(LOG3, 100),
            "1e-6",
            (dp.mechanisms.RandomizedResponse.answering_at_random("1/2"), 100),
        ),
    ),
    Row(
        "S2",
        "dp-accounting",
        "RDP, exponential mechanism(1), 100 times: SelfComposed / list",
        s2,
        lambda: "at most 37.26, by their own list form",
    ),
    Row(
        "S3",
        "dp-accounting",
        "RDP, Poisson(0.01, [Gaussian(1), Gaussian(0.1)]), delta 1e-6: 1 / 1.0",
        s3,
        lambda: f"{mp.nstr(least(subsampled('0.01', mp.sqrt(101)), '1e-6'), 8)} (closed form)",
    ),
    Row("S4", "dp-accounting", "RDP, a count of -1 / std = nan", s4, s4_truth),
    Row(
        "S5",
        "dp-accounting",
        "Gaussian(1) under REPLACE_ONE, delta 1e-6: RDP / PLD",
        s5,
        lambda: "mu = 2: " + true(gaussian(2), "1e-6", dp.GaussianDP(2)),
    ),
    Row(
        "S6",
        "dp-accounting",
        "PLD, G(70), L(90), G(120), L(150), 2,500 times each, delta 1e-12",
        s6,
        s6_truth,
    ),
    Row("S7", "dp-accounting", "PLD, G(1), 10^6 L(1000), delta 1e-6 / 1e-10 / 1e-11", s7, s7_truth),
    Row(
        "S8",
        "prv-accountant",
        "bounds of PureDP(1) x 100 / (2) x 50 / (3) x 20, delta 1e-6, errors 0.1, 1e-9",
        s8,
        s8_truth,
    ),
    Row(
        "S9",
        "autodp",
        "Fourier accountant, G(2) once / twice / 10 times, delta 1e-6",
        lambda: s9(2.0, (1, 2, 10), (1e-6,)),
        lambda: gaussians(2, (1, 2, 10), ("1e-6",)),
    ),
    Row(
        "S10",
        "autodp",
        "Fourier accountant, G(1) 10 times, delta 1e-3 / 1e-6 / 1e-9",
        lambda: s9(1.0, (10,), (1e-3, 1e-6, 1e-9)),
        lambda: gaussians(1, (10,), ("1e-3", "1e-6", "1e-9")),
    ),
    Row(
        "S11",
        "diffprivlib",
        "GaussianAnalytic at (1, 1e-6) / (1, 1e-16) / (1, 1e-30) / (1e-8, 1e-300)",
        lambda: calibrated(diffprivlib_sigma),
        s11_truth,
    ),
    Row(
        "S11",
        "autodp",
        "analytic calibrator at the same targets",
        lambda: calibrated(autodp_sigma),
        s11_truth,
    ),
)


def answer(row: Row) -> str:
    """What the peer says, or why it says nothing."""
    try:
        return row.ask()
    except (ImportError, LookupError) as error:
        return f"not asked: {error}"


def version(library: str) -> str:
    """The installed version."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")  # theirs, on division by zero and old names
    print("| | library | probe | returned | true (mpmath; dpframe) |\n|---|---|---|---|---|")
    for row in ROWS:
        said, truth = answer(row), row.truth()
        print(f"| {row.name} | {row.library} {version(row.library)} | {row.probe}", end=" ")
        print(f"| {said} | {truth} |", flush=True)


if __name__ == "__main__":
    main()
