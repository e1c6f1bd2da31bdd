"""Does a Gaussian move stay inside (epsilon, delta)? By definition of the std, by the exact
profile at numbers, by rule E1, by boxes; or a counterexample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from dpframe.numerics.rounding import arb_lower
from dpframe.symbols import Domain, Expression, Number, Symbol, analytic_sigma, power

from .algebra import Field
from .e1 import Totals, larger, tail_rule
from .edit import Edit
from .enclose import enclose
from .obligation import PROVED, REFUTED, UNPROVED, Constraint, Obligation
from .problem import Problem
from .profile_rule import Claim, holds, known_delta, on_boxes, refute
from .resolve import atoms, resolve
from .sign import nonnegative, positive

UNKNOWN = Symbol("the value of analytic_sigma", Domain(Fraction(0)))  # no parameter has a blank
RANGES = {"log": Domain(), "analytic_sigma": Domain(Fraction(0))}
PROFILE = "exact Gaussian privacy profile"
SOURCE = "[BalleW18, Thm 8]"


@attrs.frozen
class Earned:
    """What became of a claim: its obligation, and the hypotheses that it needs."""

    obligation: Obligation
    constraints: tuple[Constraint, ...] = ()


@attrs.frozen(eq=False)
class Move:
    """A Gaussian claim: `claim` as formulas, the m_i = `moves` whose joint total is the largest of
    `totals`, and how to speak of it and to mend it.
    """

    kind: str
    label: str
    claim: Claim
    moves: Sequence[Expression]
    totals: Totals
    fact: str
    edit: Edit | None = None

    def obligation(self, rule: str, *facts: str) -> Obligation:
        """The claim, proved by `rule`."""
        return Obligation(self.kind, self.label, rule, (self.fact, *facts), PROVED)


def judge(problem: Problem, move: Move) -> Earned:
    """Decide the claim, cheapest rule first."""
    if by_definition(problem, move):
        rule = f"analytic_sigma: the std is enough by its definition {SOURCE}"
        return Earned(move.obligation(rule))
    proved = _at_numbers(move) if not move.claim.symbols else _symbolic(problem, move)
    return proved or Earned(_open(move))


def by_definition(problem: Problem, move: Move) -> bool:
    """Whether mu^2 <= 1/analytic_sigma(x, y)^2, exactly, for x <= epsilon and y <= delta: what is
    (x, y)-DP is (epsilon, delta)-DP.
    """
    epsilon, delta = move.claim.epsilon, move.claim.delta
    found = frozenset().union(*(atoms(part) for part in move.moves))
    own = analytic_sigma(epsilon, delta)
    others = sorted((one for one in found if one.name == "analytic_sigma" and one != own), key=str)
    field, claims = problem.field, [own] if own in found else []
    for atom in others:
        x, y = atom.parts
        if nonnegative(epsilon - x, field).proved and nonnegative(delta - y, field).proved:
            claims.append(atom)
    return any(_by_atom(problem, move, atom) for atom in claims)


def _by_atom(problem: Problem, move: Move, atom: Expression) -> bool:
    """With the atom as a positive unknown s, every branch of the total times s^2 is at most 1; its
    epsilon > 0 and 0 < delta < 1.
    """
    epsilon, delta = atom.parts
    if not all(positive(part, problem.field).proved for part in (epsilon, delta, 1 - delta)):
        return False
    opaque = {atom: UNKNOWN}
    return _within(problem, move, opaque) or _within(problem, move, _unknowns(move) | opaque)


def _within(problem: Problem, move: Move, opaque: Mapping[Expression, Symbol]) -> bool:
    """Whether every branch of the total times s^2 is at most 1, subformulas being `opaque`."""
    field = Field((*problem.symbols, *opaque.values()))
    settled = [resolve(part, field, opaque) for part in move.moves]
    branches = move.totals(settled, lambda a, b: larger(a, b, field))
    return all(nonnegative(1 - branch * power(UNKNOWN, 2), field).proved for branch in branches)


def _unknowns(move: Move) -> dict[Expression, Symbol]:
    """Every logarithm in the moves as an unknown number of any sign, and every other analytic_sigma
    as a positive one: what holds then holds.
    """
    found = frozenset().union(*(atoms(part) for part in move.moves))
    calls = sorted((call for call in found if call.name in RANGES), key=str)
    return {call: Symbol(f"{call.name} {i}", RANGES[call.name]) for i, call in enumerate(calls)}


def _at_numbers(move: Move) -> Earned | None:
    if not holds(move.claim, {}):
        return None
    return Earned(move.obligation(f"{PROFILE} {SOURCE}", known_delta(move.claim, {})))


def _symbolic(problem: Problem, move: Move) -> Earned | None:
    claim = move.claim
    tail = tail_rule(move.moves, move.totals, claim.epsilon, claim.delta, problem.field)
    if tail is not None:
        inside = within(problem, tail.constraint)
        if inside is not False:
            rule = "rule E1, a Gaussian tail bound (proofs/e1)"
            done = move.obligation(rule, f"a = {tail.a}, S = {tail.S}")
            return Earned(done, () if inside else (tail.constraint,))
    boxed = on_boxes(claim)
    if boxed is None:
        return None
    rule = f"{PROFILE} on {boxed.boxes} boxes (ball arithmetic) {SOURCE}"
    return Earned(move.obligation(rule), boxed.constraints)


def _open(move: Move) -> Obligation:
    witness = refute(move.claim)
    rule = f"the {PROFILE} must stay inside the claim {SOURCE}"
    facts = (move.fact,) if move.claim.symbols else (move.fact, known_delta(move.claim, {}))
    if witness is None:
        repair = "give numbers, or bounded ranges: dp.parameter(name, lower, upper); or calibrate "
        repair += "the noise (dp.Gaussian.analytic, dp.Jointly), which holds by definition."
        return Obligation(
            move.kind, move.label, rule, facts, UNPROVED, repair=repair, edit=move.edit
        )
    repair = "raise the std, calibrate it (dp.Gaussian.analytic is exact), or lower the claim."
    return Obligation(move.kind, move.label, rule, facts, REFUTED, witness, repair, edit=move.edit)


def within(problem: Problem, constraint: Constraint) -> bool | None:
    """True where the domain implies the constraint, False where it excludes it everywhere, None
    where it carves (or where that is not seen).
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
