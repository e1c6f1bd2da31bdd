"""Accountants of one's own: they add in any order, and never less than the worst releases cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

from dpframe.accountants import Accountant, AdditiveAccountant, NumericAccountant, Part, parts_of
from dpframe.accountants.conversions import epsilon_of
from dpframe.errors import InvalidArgument, check_kind
from dpframe.numerics import Interval
from dpframe.pld.losses import GaussianLoss, PrivacyLoss
from dpframe.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from dpframe.symbols import parameter

from .suite import Contradictions, Suite, refused

SUM = Suite()
DELTAS = (Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12))
EPSILONS = (Fraction(0), Fraction(1, 2), Fraction(3))
NAN, INF = float("nan"), float("inf")
KNOWN = (PureDP(1), PureDP("1/3"), ApproxDP("1/2", "1e-7"))
KNOWN = (*KNOWN, GaussianDP("1/2"), GaussianDP(1), ZeroConcentratedDP("1/3"), ZeroConcentratedDP(1))
Parts = Sequence[Part]
Answer = tuple[str, Interval]


def check_accountant(accountant: Accountant, *parts: object) -> tuple[str, ...]:
    """Check an accountant of your own on these guarantees and privacy losses, two or more; by
    default on guarantees that it takes. Returns the properties, all of which hold. Raises
    NonConforming, an AssertionError, for the first that does not hold.

    >>> import dpframe as dp
    >>> dp.audits.check_accountant(dp.accountants.BasicAccountant())[-1]
    'it never says less than the worst releases with these guarantees cost together'
    """
    check_kind("accountant", accountant, Accountant, "an instance of dp.Accountant")
    some = [one.what for one in parts_of(*parts)]
    taken = [one for one in KNOWN if not refused(lambda: accountant.epsilon([Part(one)], DELTAS[1]))]
    if len(some or taken) < 2:
        way_out = "Such as check_accountant(accountant, dp.PureDP(1), dp.PureDP('1/3'))."
        raise InvalidArgument("parts", "two or more that the accountant adds", len(some), way_out)
    return SUM.check(accountant, accountant, some or taken)


def answers(accountant: Accountant, parts: Parts) -> Iterator[Answer]:
    """What it says of parts, and where."""
    for delta in DELTAS:
        yield f"epsilon at delta {float(delta):g}", accountant.epsilon(parts, delta)
    for epsilon in EPSILONS:
        yield f"delta at epsilon {float(epsilon):g}", accountant.delta(parts, epsilon)


def _pairs(one: Iterator[Answer], other: Iterator[Answer]) -> Iterator[tuple[str, Interval, Interval]]:
    for (where, first), (_, second) in zip(one, other, strict=True):
        yield where, first, second


def _doubled(some: Sequence[object], many: int = 2) -> Parts:
    return parts_of(*[(what, many) for what in some])


@SUM.holds("answers are in order and in range: 0 <= lower <= upper, delta <= 1", "Cut them off.")
def _range(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    for many in (1, 10**6):
        for where, found in answers(accountant, _doubled(some, many)):
            top = 1.0 if where.startswith("delta") else INF
            if not 0 <= found.lower <= found.upper <= top:
                yield f"{where} in {found} for each {many} times"


@SUM.holds("no parts cost nothing, and a part 0 times is none", "Pass over counts of 0.")
def _nothing(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    for parts in ((), parts_of((some[0], 0))):
        for where, found in answers(accountant, parts):
            if found.upper != 0:
                yield f"{where} of {found}"


@SUM.holds("order and grouping do not matter", "`grouped` of dpframe.accountants.parts counts them.")
def _order(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    counted = _doubled(some, 3)
    listed = parts_of(*some, *some[::-1], *some)
    for other in (listed, listed[::-1], (*counted, Part(some[0], 0))):  # type: ignore[arg-type]
        for where, one, two in _pairs(answers(accountant, counted), answers(accountant, other)):
            if not (_near(one.lower, two.lower) and _near(one.upper, two.upper)):
                yield f"{where} in {one} and {two}"


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-300)


@SUM.holds("more parts never cost less", "Each part adds something of at least 0.")
def _more(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    for k in range(len(some) + 1):
        fewer, more = parts_of(*some[:k]), _doubled(some[: k + 1])
        for where, one, two in _pairs(answers(accountant, fewer), answers(accountant, more)):
            if one.lower > two.upper or one.upper > two.upper * (1 + 1e-9):
                yield f"{where} in {one} of fewer parts, in {two} of more"


@SUM.holds("epsilon falls in delta, and delta in epsilon", "Look at how a total is converted.")
def _falling(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    found = [answer.upper for _, answer in answers(accountant, parts_of(*some))]
    epsilons, deltas = found[: len(DELTAS)], found[len(DELTAS) :]
    if epsilons != sorted(epsilons) or deltas != sorted(deltas, reverse=True):
        yield f"epsilons {epsilons}, deltas {deltas}"


@SUM.holds("the delta at the epsilon of a delta is no larger", "One must be the other's inverse.")
def _inverse(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    parts = _doubled(some)
    for delta in DELTAS:
        epsilon = accountant.epsilon(parts, delta).upper
        found = accountant.delta(parts, Fraction(epsilon)) if epsilon < INF else Interval(0.0, 0.0)
        if found.lower > delta or found.upper > float(delta) * (1 + 1e-4):
            yield f"{found} for {float(delta):g}, at epsilon {epsilon}"


@SUM.holds("numbers of every type are alike", "dpframe.accountants.arguments reads them.")
def _types(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    parts = parts_of(*some)
    for where, ask, alike in (
        ("delta", accountant.epsilon, (Fraction(1, 10**6), 1e-6, Decimal("1e-6"))),
        ("epsilon", accountant.delta, (2, 2.0, Fraction(2))),
    ):
        found = [ask(parts, one) for one in alike]
        if len(set(found)) > 1:
            yield f"{found} for one {where}"


@SUM.holds("a delta outside (0, 1) and an epsilon below 0 are refused, and so is what is no number",
           "dpframe.accountants.arguments refuses them.")
def _wrong(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    parts = parts_of(*some)
    deltas, epsilons = (0, 1, -1, 2.0, NAN, INF, True, None, "x"), (-1, -1e-300, NAN, INF, None, "x")
    asked: tuple[tuple[str, Callable[..., Interval], tuple[object, ...]], ...] = (
        ("delta", accountant.epsilon, deltas),
        ("epsilon", accountant.delta, (*epsilons, False)),
    )
    for where, ask, wrong in asked:
        yield from (f"{where}={one!r}" for one in wrong if not refused(lambda: ask(parts, one)))


@SUM.holds("what it cannot add is refused with a way out, and so are symbols", "InvalidArgument.")
def _refusals(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    for symbolic in (PureDP(parameter("e")), GaussianDP(parameter("m"))):
        if not refused(lambda: accountant.epsilon(parts_of(symbolic), DELTAS[0])):
            yield f"a number for {symbolic}"
    for what in (*KNOWN, GaussianLoss(1)):
        try:
            accountant.epsilon(parts_of(what), DELTAS[0])
        except InvalidArgument as refusal:
            if not refusal.way_out:
                yield str(refusal)


@SUM.holds("`total` is the same in any order", "Add all of them alike.")
def _total(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    if isinstance(accountant, AdditiveAccountant):
        totals = {accountant.total(list(order)) for order in permutations(_own(accountant, some))}
        if len(totals) > 1:
            yield ", ".join(sorted(map(str, totals)))


@SUM.holds(
    "it never says less than the worst releases with these guarantees cost together",
    "Releases may each depend on those before: state more, or say in `citation` for which it holds.",
)
def _covers(accountant: Accountant, some: Sequence[object]) -> Contradictions:
    for many in (1, 5):
        parts = _doubled(some, many)
        worst = [Part(_worst(what), many) for what in some]
        least = list(answers(NumericAccountant(), worst))
        for where, found, needed in _pairs(answers(accountant, parts), iter(least)):
            if found.upper < needed.lower:
                yield f"{where} of {found.upper:.6g} for each {many} times, which need {needed.lower:.6g}"
        if isinstance(accountant, AdditiveAccountant):
            total = accountant.total(_own(accountant, some) * many)
            for delta, (_, needed) in zip(DELTAS, least, strict=False):
                upper = epsilon_of(total, delta).upper
                if upper < needed.lower:
                    yield f"a total of {total} for each {many} times, whose epsilon at delta {float(delta):g} is {upper:.6g}, which need {needed.lower:.6g}"


def _own(accountant: AdditiveAccountant, some: Sequence[object]) -> list:
    return [accountant.admit(what) for what in some]


def _worst(what: object) -> PrivacyLoss:
    """The loss of a mechanism that has the guarantee and needs all of it; under zCDP of Gaussian
    noise.
    """
    if isinstance(what, ZeroConcentratedDP):
        return GaussianLoss(Fraction(math.sqrt(2 * float(what.rho.value)) * (1 - 1e-12)))
    return Part(what).loss
