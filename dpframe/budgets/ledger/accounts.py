"""A data set's account and its charges; the exact cost of a run in each running total, by a cited
or proved rule; the rest of a budget and the runs that fit, in words, rounded to the safe side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import attrs
from flint import arb

from dpframe.accountants.conversions import epsilon_of
from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.notebooks import bar, card, sentences
from dpframe.numbers import shortest
from dpframe.numerics import (
    arb_float,
    ball,
    boundary,
    certainly_at_most,
    next_up,
    profile_epsilon_lower,
    to_float,
    working,
)
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, Share, Unit, as_kind, number
from dpframe.prover import Certificate

from ..filters.prices import (
    KINDS,
    Amounts,
    Kind,
    Total,
    amounts_of,
    exactly,
    kind_names,
    price,
    share_of,
    short,
    target_of,
)
from ..saved_ledger import check_unit

HASH = re.compile(r"[0-9a-f]{64}")
LONGEST = 200  # characters of a description or a note


def _several(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def check_line(name: str, text: object) -> str:
    """`text`, if it is one printable line, which forges no record where it is printed. Raises
    InvalidArgument.
    """
    if not (isinstance(text, str) and len(text) <= LONGEST and (text + "x").isprintable()):
        raise InvalidArgument(name, f"one printable line of at most {LONGEST} characters", text)
    return text


@attrs.frozen
class Cost:
    """`guarantees` are alternatives: each one holds for the whole run, given all that was released
    before it; a ledger takes the one that leaves most.

    `unit` is the unit of privacy; `certificate` is the hash of the certificate, 64 hexadecimal
    digits; `description` is for people, and must hold no data. Raises InvalidArgument.
    """

    guarantees: tuple[Guarantee, ...] = attrs.field(converter=_several)
    unit: Unit
    certificate: str
    description: str = ""

    def __attrs_post_init__(self) -> None:
        values, certificate = self.guarantees, self.certificate
        if not values or any(type(value) not in KINDS.values() for value in values):
            raise InvalidArgument("guarantees", f"at least one of {kind_names()}", values)
        for value in values:
            price(value, type(value))
        check_unit(self.unit)
        if not (isinstance(certificate, str) and HASH.fullmatch(certificate)):
            raise InvalidArgument("certificate", "a hash of 64 hexadecimal digits", certificate)
        check_line("description", self.description)

    @classmethod
    def of(cls, certificate: Certificate, *also: Guarantee, description: str | None = None) -> Cost:
        """The cost of one execution of a certificate: its target at its numbers, and `also`, other
        proved guarantees. Raises NotExecutable while a number is missing.
        """
        if not isinstance(certificate, Certificate):
            raise NotExecutable(f"a cost is of a certificate; got {type(certificate).__name__}.")
        if certificate.free:
            missing = ", ".join(f"{name}=..." for name in sorted(certificate.free))
            raise NotExecutable(f"the certificate lacks numbers. run = run.at({missing})")
        text = certificate.regression.full_name if description is None else description
        guarantees = (target_of(certificate), *also)
        return cls(guarantees, certificate.setting.unit, certificate.hash, text)

    def __str__(self) -> str:
        """`(1, 1e-6)-differential privacy, also 1/5-Gaussian differential privacy`."""
        return ", also ".join(map(str, self.guarantees))


BITS = 256
MOST_EPSILON = 1000


def cheapest(guarantees: Sequence[Guarantee], total: Total) -> Amounts | None:
    """The amounts of the alternative that takes the smallest part of the rest of a total (of the
    scarcer of epsilon and delta); None where no theorem applies.
    """
    converted = (amounts_in(guarantee, total.kind) for guarantee in guarantees)
    offers = (amounts for amounts in converted if amounts is not None)
    return min(offers, key=lambda offer: _part(offer, total.remaining), default=None)


@lru_cache(maxsize=1024)
def amounts_in(guarantee: Guarantee, kind: Kind) -> Amounts | None:
    """The amounts of `guarantee` as one of `kind`, exact or rounded up; None without a theorem.

    Besides the implications of filters: pure privacy as Gaussian, by `chord`.
    """
    if kind is GaussianDP and type(guarantee) is PureDP:
        epsilon = amounts_of(guarantee, PureDP)[0]
        return (chord(epsilon) ** 2,) if epsilon <= MOST_EPSILON else None
    if type(guarantee) is not PureDP and as_kind(guarantee, kind) is None:
        return None
    return amounts_of(guarantee, kind)


@lru_cache(maxsize=1024)
def chord(epsilon: Fraction) -> Fraction:
    """A mu, rounded up to a decimal, such that epsilon-DP implies mu-Gaussian DP.

    The least one is 2 Phi^-1(e^epsilon/(1 + e^epsilon)): the trade-off curve of mu-Gaussian DP is
    convex, so it lies below the chords of that of epsilon-DP as soon as it does at the corner where
    both errors are 1/(1 + e^epsilon). 0 < epsilon <= 1000. [DongRS22, Def 2.6]
    """
    above = boundary(lambda mu: _implied(epsilon, Fraction(mu)), _guess(to_float(epsilon, up=True)))
    decimal = shortest(above[1])
    return decimal if decimal >= Fraction(above[1]) else shortest(next_up(above[1]))


def corner(mu: Fraction) -> arb:
    """Phi(-mu/2), where both errors of mu-Gaussian DP are equal; at the working precision."""
    return (ball(mu) / arb(8).sqrt()).erfc() / 2


def _part(offer: Amounts, left: Amounts) -> tuple[bool, Fraction]:
    beyond = any(amount > most for amount, most in zip(offer, left, strict=True))
    parts = [amount / most for amount, most in zip(offer, left, strict=True) if most]
    return beyond, max(parts, default=Fraction(0))


def _implied(epsilon: Fraction, mu: Fraction) -> bool:
    """Whether Phi(-mu/2) <= 1/(1 + e^epsilon) is proved."""
    with working(BITS):
        return certainly_at_most(corner(mu) * (1 + ball(epsilon).exp()), Fraction(1))


def _guess(epsilon: float) -> float:
    return -2 * NormalDist().inv_cdf(1 / (1 + math.exp(min(epsilon, 600.0)))) or 1.0


def spent_line(total: Total, budget: Guarantee) -> str:
    """`mu^2 1/100 of 0.0560289 (epsilon 0.383453 at delta 1e-6)`: the spent amounts, rounded up, of
    the ceiling, rounded down; also in the currency of the budget where that is another.
    """
    line = total.of_ceiling(total.spent, up=True)
    (spent, *_) = total.spent
    if type(budget) is not ApproxDP or "epsilon" in total.kind.currency or not spent:
        return line
    delta = number("delta", budget.delta)
    epsilon = Fraction(epsilon_of(exactly(total.kind, total.spent), delta).upper)
    epsilon = min(epsilon, number("epsilon", budget.epsilon))  # the total is within the budget
    return f"{line} (epsilon {short(epsilon, up=True)} at delta {short(delta)})"


def largest_fit(total: Total, requested: Sequence[Guarantee]) -> str:
    """The largest run that a total could still hold, in its own kind, and the largest epsilon at
    the requested delta; rounded down.
    """
    left = total.remaining
    name = total.kind.currency[0]
    if not left[0]:
        return f"nothing that costs {name}"
    if total.kind is GaussianDP:
        return _gaussian_fit(root(left[0]), requested)
    if total.kind is ApproxDP:
        return f"a run of epsilon up to {short(left[0])} at delta up to {short(left[1])}"
    return f"a {'pure ' if total.kind is PureDP else ''}run of {name} up to {short(left[0])}"


def root(value: Fraction) -> Fraction:
    """The square root of a positive number, rounded down to about 9 digits."""
    digits = 9 + max(0, value.denominator.bit_length() - value.numerator.bit_length()) // 6
    unit = 10**digits
    return Fraction(math.isqrt(value.numerator * unit**2 // value.denominator), unit)


def _gaussian_fit(mu: Fraction, requested: Sequence[Guarantee]) -> str:
    """The first requested kind that mu bounds, else mu itself."""
    for one in requested:
        if type(one) is ApproxDP:
            delta = number("delta", one.delta)
            epsilon = _printed(profile_epsilon_lower(delta, mu))
            at = f"a fit at epsilon {epsilon}, delta {short(delta)}"
            return f"{at}; at a smaller delta its epsilon may be larger (mu up to {short(mu)})"
        if type(one) is PureDP:  # whose chord is mu: Phi(mu/2) = e^epsilon/(1 + e^epsilon)
            with working(BITS):
                tail = corner(mu)
                epsilon = _printed(max(0.0, arb_float(((1 - tail) / tail).log(), up=False)))
            return f"a pure run of epsilon up to {epsilon}"
    return f"Gaussian noise of mu up to {short(mu)}"


def _printed(epsilon: float) -> str:
    return short(Fraction(epsilon)) if epsilon < math.inf else "any"


@attrs.frozen(kw_only=True)
class Charge:
    """One run that was charged. `number` is its place in the chain and `hash` the head after it;
    `prices` are its exact amounts in each total that holds it; `time`
    and `released` are UTC in ISO 8601, and `released` is None while, or because, it did not finish.
    `note` is text for people, which no total depends on.
    """

    number: int
    hash: str
    dataset: str
    cost: Cost
    prices: Mapping[str, tuple[Fraction, ...]]
    time: str
    note: str = ""
    released: str | None = None

    @property
    def status(self) -> str:
        """`released`, or `charged, not finished`: both are spent."""
        return "charged, not finished" if self.released is None else "released"


@attrs.frozen(kw_only=True)
class Account:
    """The budget of a data set and its spent amounts.

    `totals` are the sums that guard the budget: everything charged so far is within each of them,
    and the next run must stay within at least one. They are empty until the first run determines
    them, where the budget is (epsilon, delta) and `by` was left out. `runs` counts charges,
    `unfinished` those of them that are not known to have been released. `unit` is None until the
    first run determines it, where it was not given.
    """

    dataset: str
    budget: Guarantee
    unit: Unit | None
    by: str | None
    created: str
    totals: tuple[Total, ...] = ()
    runs: int = 0
    unfinished: int = 0

    @property
    def spent(self) -> Share:
        """The main total, exactly."""
        return share_of(self.main.kind, self.main.spent)

    @property
    def remaining(self) -> Share:
        """The rest of the main total's ceiling, exactly."""
        return share_of(self.main.kind, self.main.remaining)

    @property
    def sums(self) -> tuple[Total, ...]:
        """Its totals; while they are not determined, that of the budget itself."""
        return self.totals or (Total.within(self.budget),)

    @property
    def main(self) -> Total:
        """The total that is printed: the last, which holds most kinds of runs."""
        return self.sums[-1]

    @property
    def lines(self) -> tuple[str, str, str, str]:
        """Unit of privacy, spent amounts, largest run that fits, and number of runs, in words."""
        unit = "the unit of privacy of its first run" if self.unit is None else self.unit
        spent = ", or ".join(spent_line(total, self.budget) for total in self.sums)
        spent += "" if self.totals else "; the first run fixes the rule that adds up costs"
        fits = ", or ".join(largest_fit(total, (self.budget,)) for total in self.sums)
        unfinished = f", {self.unfinished} of them not finished" if self.unfinished else ""
        runs = f"{self.runs} run{'' if self.runs == 1 else 's'}{unfinished}"
        return f"for {unit}", f"spent {spent}", f"What fits: {fits}", runs

    def __str__(self) -> str:
        """A page of a few lines."""
        first, *rest = self.lines
        return "\n  ".join([f"{self.dataset}: {self.budget} {first}", *rest])

    def _repr_html_(self) -> str:
        return accounts_html([self])


def accounts_html(accounts: Sequence[Account]) -> str:
    """A card an account: its budget, the spent part in words and as a bar, its runs."""
    return "".join(map(_card, accounts)) or card("a ledger without data sets")


def _card(account: Account) -> str:
    unit, spent, fits, runs = account.lines
    pairs = zip(account.main.spent, account.main.most or (), strict=True)
    shares = [float(part / whole) for part, whole in pairs if whole]
    words = sentences([unit, f"{spent}; {runs}", fits])
    return card(f"{account.dataset}: {account.budget}", words, *map(bar, shares))
