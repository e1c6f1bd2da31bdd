"""Accountants from outside: they add in any order, and never less than the worst releases cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpframe.accountants import Accountant, AdditiveAccountant, NumericAccountant, Part, parts_of
from dpframe.accountants.conversions import epsilon_of
from dpframe.errors import InvalidArgument, check_kind
from dpframe.numerics import Interval
from dpframe.pld.losses import GaussianLoss, PrivacyLoss
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, number
from dpframe.symbols import parameter

from .suite import Contradictions, Suite, refused

SUM = Suite()
DELTAS = (Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12))
EPSILONS = (Fraction(0), Fraction(1, 2), Fraction(3))
WHERE = [f"epsilon at delta {float(delta):g}" for delta in DELTAS]
WHERE += [f"delta at epsilon {float(epsilon):g}" for epsilon in EPSILONS]
NONE, NAN, INF = Interval(0.0, 0.0), float("nan"), float("inf")
WRONG_DELTAS = (0, 1, -1, 2.0, NAN, INF, True, None, "x")
WRONG_EPSILONS = (-1, -1e-300, NAN, INF, False, None, "x")
KNOWN: tuple[Guarantee, ...] = (PureDP(1), PureDP("1/3"), ApproxDP("1/2", "1e-7"))
KNOWN += (GaussianDP(1), GaussianDP("1/2"), ZeroConcentratedDP(1), ZeroConcentratedDP("1/3"))
Parts = Sequence[Part]


def check_accountant(accountant: Accountant, *parts: object) -> tuple[str, ...]:
    """Check an accountant of your own on these guarantees and privacy losses, two or more; by
    default on guarantees that it adds. Returns the properties, all of which hold. Raises
    NonConforming, an AssertionError, for the first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_accountant(dp.accountants.BasicAccountant())[-1]
    'it never says less than the worst releases with these guarantees cost together'
    """
    check_kind("accountant", accountant, Accountant, "an instance of dp.Accountant")

    def adds(what: Guarantee) -> bool:
        return not refused(accountant.epsilon, parts_of(what), DELTAS[0])

    some = parts_of(*parts) or parts_of(*filter(adds, KNOWN))
    if len(some) < 2:
        way_out = "Such as check_accountant(accountant, dp.PureDP(1), dp.PureDP('1/3'))."
        raise InvalidArgument("parts", "two or more that it adds", len(some), way_out)
    return SUM.check(accountant, accountant, some)


def answers(accountant: Accountant, parts: Parts) -> list[Interval]:
    """Its answers at every point of WHERE."""
    return [accountant.epsilon(parts, delta) for delta in DELTAS] + [
        accountant.delta(parts, epsilon) for epsilon in EPSILONS
    ]


def times(parts: Parts, many: int) -> Parts:
    """Each so many times."""
    return [Part(one.what, many) for one in parts]


@SUM.holds("answers lie in order, epsilon and delta above 0 and delta below 1", "Cut them off.")
def _range(accountant: Accountant, parts: Parts) -> Contradictions:
    for many in (1, 10**6):
        for where, cost in zip(WHERE, answers(accountant, times(parts, many)), strict=True):
            if not 0 <= cost.lower <= cost.upper <= (1 if "delta at" in where else INF):
                yield f"{where} in {cost}, {many} times each"


@SUM.holds("no parts cost nothing, and a part 0 times is none", "Pass over counts of 0.")
def _nothing(accountant: Accountant, parts: Parts) -> Contradictions:
    for none in ((), times(parts, 0)):
        costs = answers(accountant, none)
        if any(one.upper > 0 for one in costs):
            yield f"{costs}"


@SUM.holds("neither order nor grouping matters", "dpframe.accountants.base.grouped counts parts.")
def _order(accountant: Accountant, parts: Parts) -> Contradictions:
    counted, listed = times(parts, 3), [*parts, *parts[::-1], *parts]
    for other in (listed, listed[::-1], [*counted, *times(parts, 0)]):
        both = answers(accountant, counted), answers(accountant, other)
        for where, one, two in zip(WHERE, *both, strict=True):
            if not (_near(one.lower, two.lower) and _near(one.upper, two.upper)):
                yield f"{where} in {one} and {two}"


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-300)


@SUM.holds("more parts never cost less", "Let each part add something.")
def _more(accountant: Accountant, parts: Parts) -> Contradictions:
    for k in range(len(parts) + 1):
        both = answers(accountant, parts[:k]), answers(accountant, times(parts[: k + 1], 2))
        for where, one, two in zip(WHERE, *both, strict=True):
            if one.lower > two.upper or one.upper > two.upper * (1 + 1e-9):
                yield f"{where} in {one} of fewer and in {two} of more"


@SUM.holds("epsilon falls in delta and delta in epsilon, one the inverse of the other", "Convert.")
def _inverse(accountant: Accountant, parts: Parts) -> Contradictions:
    upper = [one.upper for one in answers(accountant, parts)]
    if upper != [*sorted(upper[: len(DELTAS)]), *sorted(upper[len(DELTAS) :], reverse=True)]:
        yield f"{dict(zip(WHERE, upper, strict=True))}"
    for delta, epsilon in zip(DELTAS, upper, strict=False):
        again = accountant.delta(parts, Fraction(epsilon)) if epsilon < INF else NONE
        if again.lower > delta or again.upper > float(delta) * (1 + 1e-4):
            yield f"{again} at the epsilon of {float(delta):g}"


@SUM.holds(
    "a delta outside (0, 1), an epsilon below 0 and any value that is no number are refused",
    "delta_argument and epsilon_argument of dpframe.accountants.base raise InvalidArgument.",
)
def _refusals(accountant: Accountant, parts: Parts) -> Contradictions:
    for delta in WRONG_DELTAS:
        if not refused(accountant.epsilon, parts, delta):
            yield f"an epsilon for {delta=}"
    for epsilon in WRONG_EPSILONS:
        if not refused(accountant.delta, parts, epsilon):
            yield f"a delta for {epsilon=}"
    for symbolic in (parts_of(PureDP(parameter("e"))), parts_of(GaussianDP(parameter("m")))):
        if not refused(accountant.epsilon, symbolic, DELTAS[0]):
            yield f"an epsilon of {symbolic[0].what}"


@SUM.holds(
    "it never says less than the worst releases with these guarantees cost together",
    "Releases may each depend on those before. Add more, or say in `citation` where it holds.",
)
def _covers(accountant: Accountant, parts: Parts) -> Contradictions:
    for many in (1, 5):
        where, worst = [*WHERE], [Part(_worst(one), many) for one in parts]
        least = answers(NumericAccountant(), worst)
        most = [one.upper for one in answers(accountant, times(parts, many))]
        if isinstance(accountant, AdditiveAccountant):
            own = [accountant.admit(one.what) for one in parts if isinstance(one.what, Guarantee)]
            total = accountant.total([one for one in own if one is not None] * many)
            where += [f"{one} of the total" for one in WHERE[: len(DELTAS)]]
            least += least[: len(DELTAS)]
            most += [epsilon_of(total, delta).upper for delta in DELTAS]
        for place, cost, needed in zip(where, most, least, strict=True):
            if cost < needed.lower:
                yield f"{place}: {cost:.6g}, and {many} each need {needed.lower:.6g}"


def _worst(part: Part) -> PrivacyLoss:
    """The loss of a mechanism that needs all of a guarantee; under zCDP that of Gaussian noise."""
    if isinstance(part.what, ZeroConcentratedDP):
        mu = math.sqrt(2 * number("rho", part.what.rho))
        return GaussianLoss(Fraction(mu * (1 - 1e-12)))
    return part.loss
