"""Whether a Gaussian release satisfies (epsilon, delta): by the definition of the std, by rule E1,
or by the exact profile, as in the rule book; or a counterexample.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.exact.documents import Refused
from dpframe.exact.formula import Formula
from dpframe.numerics.rounding import arb_lower, arb_upper
from dpframe.symbols import Expression, Number, analytic_sigma, sqrt
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory.at import At
from dpframe.theory.facts import Hypothesis
from dpframe.theory.gaussian import Squares, Tail, by_definition, by_profile, tail_bound, tail_of
from dpframe.wording import RANGE, Cited, Spelled, Text, say

from .algebra import Field, enclose
from .problem import PROVED, Constraint, Edit, Obligation, Problem, opened
from .profile_rule import ProfileClaim, compact, drawn_in, known_delta, refute, shown_end
from .sign import nonnegative, positive

PROFILE = "exact Gaussian privacy profile"
DEFINITION = "analytic_sigma: the std is enough by its definition"
SOURCE = Cited("[BalleW18, Thm 8]")


@attrs.frozen
class Earned:
    """The decision on a claim: its obligation, and the hypotheses that it needs."""

    obligation: Obligation
    constraints: tuple[Constraint, ...] = ()


@attrs.frozen(eq=False)
class Move:
    """A Gaussian claim: `claim` as formulas, the m_i = `squares` with their roles in the joint
    sensitivity, and its description and repair.
    """

    kind: str
    label: str
    claim: ProfileClaim
    squares: Sequence[tuple[str, Expression]]
    fact: str
    edit: Edit | None = None

    def obligation(self, rule: str, *facts: str) -> Obligation:
        """The claim, proved by `rule`."""
        return Obligation(self.kind, self.label, rule, (self.fact, *facts), PROVED)


class Assuming(At):
    """The context in which the prover evaluates the theorems on Gaussian releases: their hypotheses
    about parameters are assumed, unless they hold nowhere.
    """

    def __init__(self, field: Field) -> None:
        super().__init__(field.ring)
        self.domains = {symbol.name: symbol.domain.span.whole for symbol in field.symbols}

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool:
        """Whether f <= g (f < g) may be assumed."""
        return self.ring.prove(g - f, strict=strict) or not self.ring.prove(f - g)


def judge(problem: Problem, move: Move) -> Earned:
    """Decide the claim, by the cheapest rule first."""
    field, claim = problem.field, move.claim
    epsilon, delta = field.formula(claim.epsilon), field.formula(claim.delta)
    formulas = [(part, field.formula(square)) for part, square in move.squares]
    squares = [(part, square) for part, square in formulas if square is not None]
    if epsilon is None or delta is None or len(squares) < len(formulas):
        return Earned(_open(move))
    found = None
    with suppress(Refused):  # a part of the claim is not shown to be defined
        found = _proved(problem, move, epsilon, delta, squares)
    return found or Earned(_open(move))


def _proved(
    problem: Problem, move: Move, epsilon: Formula, delta: Formula, squares: Squares
) -> Earned | None:
    """What the rule book shows. Raises Refused."""
    c = Assuming(problem.field)
    if by_definition(c, epsilon, delta, squares):
        return Earned(move.obligation(say("{} {}", DEFINITION, SOURCE)))
    tail = tail_of(c, epsilon, delta, squares) if move.claim.symbols else None
    found = _by_tail(problem, move, tail)
    return found or _profile(c, move, epsilon, delta, squares)


def _by_tail(problem: Problem, move: Move, tail: Tail | None) -> Earned | None:
    """By rule E1, in its region."""
    found = region_of(tail, move.claim.epsilon, move.claim.delta)
    if found is None:
        return None
    a, S, constraint = found
    done = move.obligation(
        "rule E1, a Gaussian tail bound (proofs/e1)", say("a = {}, S = {}", a, S)
    )
    return Earned(done, () if within(problem, constraint) else (constraint,))


def region_of(
    tail: Tail | None, epsilon: Expression, delta: Expression
) -> tuple[Fraction, Fraction, Constraint] | None:
    """The a and S chosen for rule E1, and its condition on epsilon; None if it does not apply."""
    if tail is None or not tail.c.ring.steps.closes(tail):
        return None
    step: Any = tail.c.ring.steps.find(tail)
    a, S = map(Fraction, step["pairs"][0])
    numbers: Any = (Formulas(None), a, S, delta)
    bound: Any = tail_bound(*numbers)
    return a, S, Constraint(epsilon, bound, source="rule E1")


def _profile(c: At, move: Move, e: Formula, d: Formula, squares: Squares) -> Earned | None:
    """By the profile, at numbers or on boxes of a compact range of the symbols."""
    ranges = {symbol: compact(symbol) for symbol in move.claim.symbols}
    spans = {symbol: span for symbol, span in ranges.items() if span is not None}
    if len(spans) < len(ranges):
        return None
    for symbol, (low, high) in spans.items():
        own = c.ring.symbols[symbol.name]
        ends = (c.number(low), own), (own, c.number(high))
        c.region += [Hypothesis(*sides, strict=False) for sides in ends]
    if not by_profile(c, e, d, squares):
        return None
    if not spans:
        return Earned(move.obligation(say("{} {}", PROFILE, SOURCE), known_delta(move.claim, {})))
    constraints = [part for symbol, span in spans.items() for part in drawn_in(symbol, span)]
    done = move.obligation(say("{} on boxes of the parameters {}", PROFILE, SOURCE))
    return Earned(done, tuple(constraints))


def _open(move: Move) -> Obligation:
    claim, witness = move.claim, refute(move.claim)
    rule = say("the {} must stay inside the claim {}", PROFILE, SOURCE)
    facts = (move.fact,) if claim.symbols else (move.fact, known_delta(claim, {}))
    repair = say(
        "{}, calibrate it {}, or raise epsilon or delta.",
        say("raise the std") if claim.symbols else _multiplied(move),
        Spelled(
            "(`dp.Gaussian.analytic` is exact)",
            '(``calibration = "analytic"`` with a share is exact)',
        ),
    )
    if witness is None and claim.symbols:
        repair = say(
            "give numbers, or bounded ranges: {}; or calibrate the noise {}, which holds by "
            "definition.",
            RANGE,
            Spelled(
                "(`dp.Gaussian.analytic`, `dp.regressions.Jointly`)",
                '(``calibration = "analytic"`` or ``calibration = "jointly"``)',
            ),
        )
    return opened(move.kind, move.label, rule, facts, repair, witness, move.edit)


def _multiplied(move: Move) -> Text:
    """By how much the noise of a claim at numbers must be multiplied, rounded up, to be proved."""
    claim = move.claim
    try:
        least = sqrt(claim.upper * analytic_sigma(claim.epsilon, claim.delta) ** 2)
        times = shown_end(arb_upper(enclose(least, {})), up=True)
    except InvalidArgument:  # no noise is enough
        return say("raise the std")
    return say(f"multiply {'all noise' if move.kind == 'total' else 'the std'} by {{}}", times)


def within(problem: Problem, constraint: Constraint) -> bool | None:
    """True if the domain implies the constraint, False if it excludes it everywhere, None if it
    restricts the domain (or that is unknown).
    """
    left, right = constraint.left, constraint.right
    if not left.symbols() and not right.symbols():
        gap = enclose(right - left, {})
        return bool(gap > 0 if constraint.strict else gap >= 0)
    if right.symbols() or any(symbol.domain.upper is None for symbol in left.symbols()):
        return None
    bound = Number(arb_lower(enclose(right, {})))
    decide = positive if constraint.strict else nonnegative
    if decide(bound - left, problem.field).proved:
        return True
    beyond = nonnegative(left - bound - Fraction(1, 10**12), problem.field)
    return False if beyond.proved else None
