"""What one claim really costs: the verdict at numbers, and bounds on the true epsilon."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from dpframe.audits.figures import figure
from dpframe.audits.findings.accountants import cost
from dpframe.audits.report import Audit, audit
from dpframe.errors import DPFrameError
from dpframe.graph import Regression
from dpframe.literature.catalogue import setting_of
from dpframe.numerics import profile_epsilon, profile_epsilon_lower
from dpframe.numerics.rounding import working
from dpframe.privacy import ApproxDP, PureDP, Relation
from dpframe.prover import Verdict

from .attacked import Attacked, attacked
from .limit import Limit

PROVED, REFUTED, OPEN = "proved", "refuted", "open"
SAME = 1e-5  # relative: rounding on a grid moves an eigenvalue by a millionth
DIGITS = 5
INFINITE = math.inf
LEAKS = ("structure", "sensitivity")


@attrs.frozen(kw_only=True)
class Account:
    """The claim (`claimed`, delta), or `claimed` alone where it is pure, at B = Y = 1.

    Some pair of neighbours costs at least `lower` (0 where none is known; more than it where
    `strict`), none more than `upper` (infinite where nothing bounds it, or the declaration says
    that what it leaves out costs more). `leaks` says that private
    data is read without noise, or that nothing bounds what is released. `verdict` is `proved`,
    `refuted` or `open`.
    """

    claimed: Fraction
    delta: Fraction
    verdict: str
    lower: float
    upper: float
    leaks: bool
    rule: str
    strict: bool = False
    attack: Attacked | None = None

    @property
    def exact(self) -> bool:
        """Whether both bounds are one number."""
        return self.upper - self.lower <= SAME * self.upper < INFINITE

    def __str__(self) -> str:
        """Five digits on the honest side: `0.59560` where exact (rounded up), `<= 0.14319`, `0.1 to
        0.2`, `>= 3.4921`, `none`, `open`.
        """
        most = _short(figure(self.upper, "up", DIGITS))
        if self.exact:
            return most
        least = _short(figure(self.lower, "down", DIGITS))
        sign = ">" if self.strict else ">="
        if self.upper < INFINITE:
            return f"{least} to {most}" if self.lower > 0 else f"<= {most}"
        if self.lower > 0:
            return f"none, {sign} {least}" if self.leaks else f"{sign} {least}"
        return "none" if self.leaks else "open"


def _short(text: str) -> str:
    """A number without zeros that follow a point: `0.5`, `10`."""
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def account(
    regression: Regression,
    relation: Relation,
    claimed: Fraction,
    delta: Fraction,
    *,
    bound: Limit | None,
    box: bool,
) -> Account:
    """The account of one claim, pure where delta is 0. `bound` is the declaration's limit, which
    also knows the worst value of a free parameter.
    """
    target = ApproxDP(claimed, delta) if delta else PureDP(claimed)
    try:
        judged = audit(regression, target=target, setting=setting_of(relation, 1, box=box))
    except DPFrameError:
        return Account(claimed=claimed, delta=delta, verdict=OPEN, lower=0.0, upper=INFINITE,
                       leaks=False, rule="it cannot be declared")  # fmt: skip
    lower, upper, rule = _bounds(judged, claimed, delta, bound)
    if type(regression).understated:
        upper, rule = INFINITE, type(regression).understated
    attack = attacked(type(regression).__name__, claimed, delta, relation)
    strict = False
    if attack is not None and attack.epsilon >= lower:
        lower, strict = attack.epsilon, attack.strict
    return Account(
        claimed=claimed,
        delta=delta,
        verdict=_verdict(judged, claimed, lower, strict=strict, bound=bound, tried=attack),
        lower=lower,
        upper=upper,
        leaks=_leaks(judged),
        rule=rule,
        strict=strict,
        attack=attack,
    )


def _bounds(
    judged: Audit, claimed: Fraction, delta: Fraction, bound: Limit | None
) -> tuple[float, float, str]:
    """Bounds on the true epsilon, of the worst value of a parameter where there is one."""
    if bound is not None and bound.parameter and delta:
        return (*_worst(bound, claimed, delta), bound.rule)
    found = cost(judged)
    return (0.0, INFINITE, "") if found is None else (found.lower, found.upper, found.rule)


def _worst(bound: Limit, claimed: Fraction, delta: Fraction) -> tuple[float, float]:
    """From bounds on mu^2/epsilon^2."""
    from flint import arb

    from dpframe.prover.algebra import rational_ball

    low, high = bound.square
    with working(128):
        least, most = (
            rational_ball(square * claimed**2).sqrt() if square else arb(0)
            for square in (low, high)
        )
        ends = least.lower(), most.upper()
    return (
        profile_epsilon_lower(delta, _exact(ends[0])),
        profile_epsilon(delta, _exact(ends[1])),
    )


def _exact(end: object) -> Fraction:
    man, exponent = end.man_exp()  # type: ignore[attr-defined]  # an exact arb
    return Fraction(int(man)) * Fraction(2) ** int(exponent)


def _leaks(judged: Audit) -> bool:
    """Whether private data is read without noise, or nothing bounds a release."""
    report = judged.report
    tried = (o for attempt in report.attempts for o in attempt.obligations)
    unbounded = any(o.kind == "sensitivity" and o.verdict is Verdict.REFUTED for o in tried)
    return unbounded or any(o.verdict is Verdict.REFUTED and o.kind in LEAKS for o in report.common)


def _verdict(
    judged: Audit,
    claimed: Fraction,
    lower: float,
    *,
    strict: bool,
    bound: Limit | None,
    tried: Attacked | None,
) -> str:
    """What is read without noise refutes a claim unless an attack on just that shows less."""
    if judged.report.proved or (bound is not None and claimed <= Fraction(bound.epsilon)):
        return PROVED
    above = Fraction(lower) > claimed or (strict and Fraction(lower) >= claimed)
    if above or (tried is None and _leaks(judged)):
        return REFUTED
    return OPEN
