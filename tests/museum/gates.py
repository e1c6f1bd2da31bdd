"""The gates: each judges ports of one kind, and knows none of them by name."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

import mpmath
import numpy as np

import dpframe as dp
from tests.attacks.statistics.facts import Attacked, attack_statistic
from tests.museum.museum import VERIFIER, Finding
from tests.randomness.fits import LEAST, chances, counted, edges, fit
from tests.support.oracles import DIGITS, mpf, value

FACTS = "neighbours of a stated sensitivity"
CHANCES = "exact probabilities"
LAW = "the distribution of a sampler"
SUMS = "exact sums of costs"
GATES = {
    VERIFIER: (
        "`dp.certify`, without data: budget algebra, derived sensitivities, the exact "
        "Gaussian profile, public shapes and formulas."
    ),
    FACTS: (
        "`attack_statistic` evaluates a statistic with a stated sensitivity on neighbouring "
        "tables: random ones, ones at every bound, and ones made for floating point. Moves "
        "are compared exactly."
    ),
    CHANCES: (
        "The probability of every outcome of a small mechanism, as a fraction, for every pair"
        " of neighbouring inputs. The divergence that the guarantee bounds is computed, not "
        "sampled."
    ),
    LAW: "A chi-square test of 60 000 draws against probabilities with 50 digits.",
    SUMS: "k costs of exactly 1/k must fit a budget of 1, and a slightly larger total must not.",
}
ORDERS = (
    Fraction(3, 2),
    2,
    3,
    5,
    8,
)  # at which Renyi divergences are compared; a real one by mpmath
Chances = Mapping[object, Fraction]


# ------------------------------------------------------------------------------------- the verifier
def certified(declare: Callable[..., object], *, target, setting, trust=(), accountant="auto"):
    """What dp.certify says of a declaration: a function of X, y and the budget, or a Regression."""
    regression = declare if isinstance(declare, dp.Regression) else _declared(declare)
    try:
        proof = dp.certify(
            regression, target=target, setting=setting, trust=trust, accountant=accountant
        )
    except dp.DPFrameError as error:
        return Finding(stopped=True, says=str(error))
    return Finding(stopped=False, says=f"certified for {proof.target}")


def _declared(body: Callable[..., object]) -> dp.Regression:
    class Ported(dp.Regression):
        """A port. [tests]"""

        def declare(self, X, y, budget):
            return body(X, y, budget)

    return Ported()


# --------------------------------------------------------------------------------- what is stated
def stated(make: Callable[..., object], *, setting, columns=1, tries=1000) -> Finding:
    """What neighbouring tables say of a statistic's sensitivity."""
    found = attack_statistic(make, setting, columns=columns, tries=tries)
    assert found, "nothing is stated"
    says = "\n".join(map(_told, found))
    return Finding(stopped=any(one.refuted for one in found), says=says)


def _told(found: Attacked) -> str:
    """What is the same on every machine, where sums of doubles may steer the search elsewhere."""
    told = f"{found.label} states {float(found.stated):.6g} in {found.norm} ({found.unit})"
    if not found.refuted:
        return f"not refuted: {told}; none of {found.tried} pairs of neighbours moves it further"
    far = next((times for times in (100, 10, 2) if found.ratio > times), None)
    how = f"more than {far} times as far" if far else "further"
    return f"refuted: {told}; neighbours move it {how}"


# ----------------------------------------------------------------------------- exact probabilities
def enumerated(
    mechanism: Callable[[object], Chances],
    pairs: Iterable[tuple[object, object]],
    claim: dp.Guarantee,
) -> Finding:
    """What all chances say of a guarantee, for the worst of the pairs, both ways."""
    both = [pair for one in pairs for pair in (one, one[::-1])]
    worst = max(both, key=lambda pair: _divergence(*map(mechanism, pair), claim)[0])
    first, second = (mechanism(one) for one in worst)
    gap, says = _divergence(first, second, claim)
    stopped = gap > mpf(10) ** (10 - DIGITS)
    verdict = f"{'refuted' if stopped else 'not refuted'}: {claim} [{len(both)} pairs]"
    return Finding(stopped, f"{verdict}\n    inputs {worst[0]} and {worst[1]}: {says}")


def _divergence(first: Chances, second: Chances, claim: dp.Guarantee):
    assert sum(first.values()) == sum(second.values()) == 1
    with mpmath.workdps(2 * DIGITS):
        if isinstance(claim, dp.PureDP):
            return _loss(first, second, value(claim.epsilon, {}))
        assert isinstance(claim, dp.ZeroConcentratedDP)
        return max(_renyi(first, second, value(claim.rho, {}), order) for order in ORDERS)


def _loss(first, second, epsilon):
    outcome = max(first, key=lambda one: _ratio(first[one], second.get(one, 0)))
    here, there = first[outcome], second.get(outcome, Fraction(0))
    if not there:
        return mpmath.inf, f"outcome {outcome} has chances {here} and 0: epsilon is infinite"
    loss = mpmath.log(mpf(here / there))
    return loss - epsilon, (
        f"outcome {outcome} has chances {here} and {there}: epsilon is {_n(loss)}, "
        f"claimed {_n(epsilon)}"
    )


def _renyi(first, second, rho, order):
    if any(second.get(outcome, 0) == 0 for outcome, chance in first.items() if chance):
        return mpmath.inf, "an outcome is possible for one of them only"
    moments = [mpf(p) ** mpf(order) * mpf(second[o]) ** (1 - mpf(order)) for o, p in first.items()]
    found = mpmath.log(mpmath.fsum(moments)) / (mpf(order) - 1)
    return found - rho * mpf(order), (
        f"the Renyi divergence of order {order} is {_n(found)}, claimed {_n(rho * mpf(order))}: "
        f"rho is at least {_n(found / mpf(order))}, claimed {_n(rho)}"
    )


def _ratio(here, there):
    return mpmath.inf if not there and here else mpf(here / there) if here else mpf(0)


def _n(number) -> str:
    return mpmath.nstr(number, 6)


def together(*laws: Chances) -> Chances:
    """Independent outcomes, as one outcome."""
    joint = {}
    for outcomes in itertools.product(*(law.items() for law in laws)):
        chance = Fraction(1)
        for _, one in outcomes:
            chance *= one
        joint[tuple(outcome for outcome, _ in outcomes)] = chance
    return joint


# -------------------------------------------------------------------------------------------- laws
def drawn(sample: Callable[[int], np.ndarray], scale: Fraction, law: Callable) -> Finding:
    """What chi-square says of so many draws of a sampler, against a law of this scale."""
    draws, cuts = sample(60_000), edges(max(float(scale), 1.0))
    with mpmath.workdps(DIGITS):
        expected = chances(cuts, law(mpf(scale)))
    counts = counted(np.asarray(draws), cuts)
    p = fit(counts, expected)
    zero = float(np.mean(np.asarray(draws) == 0))
    wanted = float(law(mpf(scale))(0) - law(mpf(scale))(-1))
    stopped = bool(p < LEAST)
    verdict = f"refuted: p < {LEAST:.0e}" if stopped else f"not refuted: p >= {LEAST:.0e}"
    return Finding(
        stopped=stopped,
        says=f"{verdict}; 0 was drawn with frequency {zero:.3f}, and has the chance {wanted:.3f}",
    )


# -------------------------------------------------------------------------------------------- sums
def sums_up(fits: Callable[[list[Fraction]], bool], counts=(3, 6, 10, 11, 49, 1000)) -> Finding:
    """Whether a ledger accepts k costs of 1/k, and refuses 1e-30 more."""
    refused = [k for k in counts if not fits([Fraction(1, k)] * k)]
    over = [
        k
        for k in counts
        if fits([*[Fraction(1, k)] * (k - 1), Fraction(1, k) + Fraction(1, 10**30)])
    ]
    parts = [f"refuses k costs of 1/k, a true budget, for k = {refused}"] if refused else []
    parts += [f"accepts 10^-30 too much for k = {over}"] if over else []
    return Finding(
        stopped=bool(parts),
        says="refuted: " + "; ".join(parts)
        if parts
        else f"k costs of 1/k fit for k = {list(counts)}, 10^-30 more does not",
    )
