"""Whether a release satisfies its share: a Gaussian one (epsilon, delta) by the definition of the
std, by rule E1, or by the exact profile, as in the rule book; or a counterexample by the profile at
numbers.

Pure noise breaks its share at numbers: Laplace noise on a pair of neighbours that attains the
sensitivity; selections by two candidates, of which one is behind and rises by the range of the
move. (docs/proofs/selection.md)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import flint

from dpframe.accountants.single import quantile
from dpframe.errors import InvalidArgument
from dpframe.exact.documents import Refused
from dpframe.exact.formula import Formula
from dpframe.exact.interval import Interval
from dpframe.graph import Release
from dpframe.mechanisms import Laplace
from dpframe.numerics import ball
from dpframe.numerics.profile import certainly_above, delta_ball
from dpframe.numerics.rounding import arb_lower, arb_upper, working
from dpframe.privacy import Share
from dpframe.privacy.guarantees import order_of
from dpframe.symbols import RELEASED, ZERO, Expression, Number, Symbol, analytic_sigma, log, sqrt
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory.at import At
from dpframe.theory.facts import Hypothesis
from dpframe.theory.gaussian import Squares, Tail, by_definition, by_profile, tail_bound, tail_of
from dpframe.wording import RANGE, Cited, Spelled, Text, digits, say, ways
from dpframe.wording import Formula as Written

from .algebra import BITS, Field, at_point, enclose, rational_ball
from .problem import PROVED, Attempt, Constraint, Edit, Obligation, Problem, Witness, opened
from .rounding import hidden_onto_whole
from .sign import counterexample, nonnegative, positive

MAX_TRIES = 40
SIX = 6  # digits
MANY = tuple(Fraction(2) ** power for power in (4, 8, 16, 32))
Ball = Any


@attrs.frozen
class ProfileClaim:
    """delta(epsilon; mu) <= delta for mu^2 = `upper`; `lower` is a lower bound on the mu^2 that
    some pair of neighbours attains, whose delta at epsilon + `hidden` rounding leaves.
    """

    epsilon: Expression
    delta: Expression
    upper: Expression
    lower: Expression
    hidden: Expression = ZERO

    @property
    def exact(self) -> bool:
        """Whether some pair is known to attain the profile."""
        return self.lower == self.upper and self.hidden == ZERO

    @property
    def reached(self) -> tuple[Expression, Expression, Expression]:
        """What refutes it: the profile at `epsilon + hidden` of `lower`, above `delta`."""
        return self.epsilon + self.hidden, self.delta, self.lower

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, by name."""
        symbols = frozenset().union(
            *(f.symbols() for f in (*self.reached, self.epsilon, self.upper))
        )
        return tuple(sorted(symbols, key=lambda symbol: symbol.name))


def root(square: Ball) -> Ball:
    """sqrt of an enclosure of a nonnegative number."""
    with working(BITS):
        return square.max(flint.arb(0)).sqrt() if square.is_finite() else square


def holds(claim: ProfileClaim, values: Mapping[str, Ball]) -> bool:
    """Whether the claim certainly holds where every symbol lies in its ball (False: not seen)."""
    known: dict[Expression, Ball] = {}
    epsilon, delta, square = (
        enclose(formula, values, known) for formula in (claim.epsilon, claim.delta, claim.upper)
    )
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()):
        return False
    least, target = arb_lower(epsilon), arb_lower(delta)
    if least < 0 or target <= 0:
        return False
    mu = root(rational_ball(max(arb_upper(square), Fraction(0))))
    return bool(arb_upper(delta_ball(least, mu)) <= target)


def refute(claim: ProfileClaim, *, whole: bool = True) -> Witness | None:
    """Numbers at which the transcript certainly breaks the claim, or None."""
    broken = partial(_broken, exact=whole and claim.exact)
    read = (claim.epsilon, *claim.reached)
    witness = counterexample(read, broken, claim.symbols, MAX_TRIES)
    return witness or next(
        (one for one in _with_many_draws(claim, broken) if one is not None), None
    )


def _with_many_draws(
    claim: ProfileClaim, broken: Callable[..., str | None]
) -> Iterator[Witness | None]:
    """The same at large values of whole numbers without an upper end, such as numbers of draws."""
    counts = [one for one in claim.symbols if one.domain.integer and one.domain.upper is None]
    for size in MANY if counts else ():
        fixed = {one.name: Number(size) for one in counts if size in one.domain}
        names = {name: value.value for name, value in fixed.items()}
        read = [one.substitute(fixed) for one in (claim.epsilon, *claim.reached)]
        witness = counterexample(read, broken, (), MAX_TRIES)
        yield witness and attrs.evolve(witness, values={**witness.values, **names})


def _broken(epsilon: Ball, beyond: Ball, delta: Ball, square: Ball, *, exact: bool) -> str | None:
    known = all(one.is_finite() for one in (epsilon, beyond, delta, square))
    if not known or not epsilon >= 0:
        return None
    mu = root(square)
    true = delta_ball(beyond, mu)
    if not certainly_above(true, arb_upper(delta)):
        return None
    at, most = say("at $epsilon$ = {}", shown_ball(epsilon)), shown_ball(delta)
    if exact:
        return say(
            "the worst pair moves by $mu$ = {} stds, so the exact $delta$ {} is {} > {}",
            *(shown_ball(mu), at, digits(float(true.mid()), 4), most),
        )
    stds = shown_end(arb_lower(mu), up=False)
    least = shown_end(arb_lower(true), up=False, limit=arb_upper(delta))
    return say(
        "some pair moves by $mu$ >= {} stds, so its $delta$ {} is at least {} > {}",
        *(stds, at, least, most),
    )


def shown_ball(ball: Ball) -> str:
    """Six digits of an enclosure's middle."""
    return digits(float(ball.mid()))


def shown_end(end: Fraction, *, up: bool, limit: Fraction | None = None) -> Written:
    """A bound in six digits, rounded up or down; in more where six are on the other side of
    `limit`.
    """
    for count in (SIX, 10, 16):
        context = Context(prec=count, rounding=ROUND_CEILING if up else ROUND_FLOOR)
        rounded = context.divide(Decimal(end.numerator), Decimal(end.denominator))
        if limit is None or (Fraction(rounded) > limit) == (end > limit):
            break
    value = float(rounded)
    return digits(value, count) if math.isfinite(value) else Written(f"{rounded:.{SIX}g}")


def compact(symbol: Symbol) -> Interval | None:
    """The compact range on which boxes prove: closed ends as declared, open ends drawn in by 1/1000
    of the width; delta from 1e-300 to 1/2.
    """
    low, high = symbol.domain.lower, symbol.domain.upper
    if low is None or high is None:
        return None
    if symbol.name == "delta" and low == 0 and high == 1:
        return Interval(Fraction(1, 10**300), Fraction(1, 2))
    margin = Fraction(0) if low > 0 else (high - low) / 1000
    left = low if symbol.domain.lower_closed else low + margin
    return Interval(left, high if symbol.domain.upper_closed else high - margin)


def drawn_in(symbol: Symbol, span: Interval) -> list[Constraint]:
    """Where the range is less than the domain."""
    low, high = span
    wanted = []
    if low != symbol.domain.lower:
        wanted.append(Constraint(Number(low), symbol, source="compact range of the boxes"))
    if high != symbol.domain.upper:
        wanted.append(Constraint(symbol, Number(high), source="compact range of the boxes"))
    return wanted


def known_delta(claim: ProfileClaim, values: Mapping[str, Fraction]) -> str:
    """How the claim stands at numbers: `exact delta 8.848e-07 at epsilon 0.3333`, or `mu at most
    42.7, delta at most 1` where no pair is known to attain the bound, and what some pair attains.
    """
    beyond, _, attained = at_point(claim.reached, values)
    epsilon, square = at_point((claim.epsilon, claim.upper), values)
    mu, least = root(square), root(attained)
    if not mu.is_finite():
        return say("no finite $mu$ bounds it")
    if not epsilon >= 0:
        return say("$mu$ = {}, $epsilon$ {}", shown_ball(mu), shown_ball(epsilon))
    delta, at = delta_ball(epsilon, mu), say("at $epsilon$ {}", shown_ball(epsilon))
    if claim.exact:
        true = digits(float(delta.mid()), 4)
        return say("$mu$ = {}, exact $delta$ {} {}", shown_ball(mu), true, at)
    ends = arb_upper(mu), min(arb_upper(delta), Fraction(1))
    most = say(
        "$mu$ at most {}, $delta$ at most {} {}", *(shown_end(one, up=True) for one in ends), at
    )
    if not least > 0:
        return say("{}; no pair of neighbours is known to attain them", most)
    low = shown_end(arb_lower(delta_ball(beyond, least)), up=False)
    mu_low = shown_end(arb_lower(least), up=False)
    return say("{}; some pair has $mu$ >= {}, $delta$ >= {}", most, mu_low, low)


PROFILE = "exact Gaussian privacy profile"
DEFINITION = "analytic_sigma: the std is enough by its definition"
SOURCE = Cited("[BalleW18, Thm 8]")


@attrs.frozen
class Earned:
    """The decision on a claim: its obligation, and the hypotheses that it needs."""

    obligation: Obligation
    constraints: tuple[Constraint, ...] = ()


def earned_together(results: Sequence[Earned]) -> Attempt:
    """All decisions as one derivation, equal obligations and hypotheses once."""
    obligations = dict.fromkeys(one.obligation for one in results)
    constraints = dict.fromkeys(part for one in results for part in one.constraints)
    return Attempt(tuple(obligations), tuple(constraints))


@attrs.frozen(eq=False)
class Move:
    """A Gaussian claim: `claim` as formulas, the m_i = `squares` with their roles in the joint
    sensitivity, and its description and repair. `sampled`: it charges samples as all rows.
    """

    kind: str
    label: str
    claim: ProfileClaim
    squares: Sequence[tuple[str, Expression]]
    fact: str
    edit: Edit | None = None
    sampled: bool = False

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
    result = None
    with suppress(Refused):  # a part of the claim is not shown to be defined
        result = _proved(problem, move, epsilon, delta, squares)
    return result or Earned(_open(move))


def _proved(
    problem: Problem, move: Move, epsilon: Formula, delta: Formula, squares: Squares
) -> Earned | None:
    """What the rule book shows. Raises Refused."""
    c = Assuming(problem.field)
    if by_definition(c, epsilon, delta, squares):
        return Earned(move.obligation(say("{} {}", DEFINITION, SOURCE)))
    tail = tail_of(c, epsilon, delta, squares) if move.claim.symbols else None
    result = _by_tail(problem, move, tail)
    return result or _profile(c, move, epsilon, delta, squares)


def _by_tail(problem: Problem, move: Move, tail: Tail | None) -> Earned | None:
    """By rule E1, in its region."""
    region = region_of(tail, move.claim.epsilon, move.claim.delta)
    if region is None:
        return None
    a, S, constraint = region
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
    exact = Spelled(
        "(`dp.Gaussian.analytic` is exact)", '(``calibration = "analytic"`` with a share is exact)'
    )
    repair: Text = ways(
        say("raise the std") if claim.symbols or move.sampled else _multiplied(move),
        say("calibrate it {}", exact),
        "raise epsilon or delta",
        signs=(", ", ", or "),
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


LOG_2 = enclose(log(2), {})
MOST_ENTRIES = 60  # beyond, the event is too rare to look at


def selection_witness(release: Release, share: Share) -> Witness | None:
    """Numbers at which a selection breaks its share, in any currency, where some pair attains the
    range; None where none is found.
    """
    moved = release.moved
    sampled = release.sampled is not None
    if moved is None or not moved.attained or sampled or not release.reached:
        return None
    loss = release.guarantee(moved.value).amounts[0]
    if RELEASED in loss.scope:
        return None
    mechanism: Any = release.mechanism
    if "epsilon" in share.currency:
        formulas = (loss, share.epsilon, share.delta, moved.value)
        return counterexample(formulas, partial(_selection_loss, mechanism.two))
    says = partial(_selection_cost, mechanism.behind, share.currency)
    return counterexample((loss, share.amounts[0], moved.value), says)


def _selection_cost(
    behind: Any, currency: tuple[str, ...], loss: Ball, claimed: Ball, shift: Ball
) -> str | None:
    """Where a candidate of two, a few moves behind, catches up by one move, and its chances p and q
    alone cost more: the divergence of order 1 is at most rho, that of an order at most its bound,
    and mu at least Phi^-1(p) - Phi^-1(q).
    """
    if not (loss.is_finite() and loss > 0 and claimed.is_finite()):
        return None
    for moves in range(1, 6):
        q, p = behind(moves * loss), behind((moves - 1) * loss)
        if q is None:
            return None
        cost = _apart(p, q, currency)
        if cost > claimed:
            move, low, high, paid, most = (
                digits(float(x.mid())) for x in (shift, q, p, cost, claimed)
            )
            where = "one move" if moves == 1 else say("{} moves", moves)
            return say(
                "the difference of two scores changes by {}: the chance of a candidate {} "
                "behind rises from {} to {}: {} = {} > {}",
                *(move, where, low, high, Written(currency[0]), paid, most),
            )
    return None


EVENTS = 64  # that are looked at


def event_text(
    noise: str, currency: tuple[str, ...], size: Ball, moved: Ball, step: Ball, *amounts: Ball
) -> str | None:
    """What the chances p and q of an event show to cost more than the amounts: that a number with
    Gaussian or Laplace noise, moved by whole steps and rounded onto them, is at least k steps.
    """
    for k in range(EVENTS):
        least = step * (2 * k - 1) / 2
        p, q = (noise_tail(noise, one / size) for one in (least - moved, least))
        if currency == ("epsilon", "delta"):
            above = p - amounts[0].exp() * q > amounts[1]
        else:
            above = _apart(p, q, currency) > amounts[0]
        if above:
            shown = (digits(float(one.mid())) for one in (moved, step * k, q, p, *amounts))
            most = ", ".join(f"{Written(name)} = {{}}" for name in currency)
            text = "moved by {}, the chance of {} or more rises from {} to {}: more than " + most
            return say(text, *shown)
    return None


def noise_tail(noise: str, far: Ball) -> Ball:
    """The chance that noise of size 1 is above a number."""
    if noise == "gaussian":
        return (far / enclose(sqrt(2), {})).erfc() / 2
    return (-far).exp() / 2 if far >= 0 else 1 - far.exp() / 2


def _apart(p: Ball, q: Ball, currency: tuple[str, ...]) -> Ball:
    """The cost of two Bernoulli variables, the larger of both directions."""
    if currency == ("mu^2",):
        return (quantile(q) - quantile(p)) ** 2
    order = order_of(currency)
    both = ((p, q), (q, p))
    if order is None:
        costs = [a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log() for a, b in both]
    else:
        a = ball(order)
        sums = [x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a) for x, y in both]
        costs = [one.log() / (a - 1) for one in sums]
    return costs[0].max(costs[1])


def _selection_loss(two: Any, loss: Ball, claimed: Ball, delta: Ball, shift: Ball) -> str | None:
    """Where the loss passes epsilon: in the limit of a candidate far behind, which delta does not
    cover; or with a delta, by the two laws.
    """
    if not (loss.is_finite() and claimed.is_finite() and loss > claimed):
        return None
    moved = say("the difference of two scores changes by {}: ", digits(float(shift.mid())))
    if delta == 0:
        excess = say("{} > {}", digits(float(loss.mid())), digits(float(claimed.mid())))
        return say("{}the privacy loss of an index far below the best tends to {}", moved, excess)
    true = two(loss, claimed)
    if true is None or not true > delta:
        return None
    return say(
        "{}$delta >=$ {} > {} at its $epsilon$",
        moved,
        shown_end(arb_lower(true), up=False, limit=arb_upper(delta)),
        digits(float(delta.mid()), 4),
    )


def pure_witness(release: Release, share: Share) -> Witness | None:
    """Numbers at which a selection or Laplace noise breaks its share; None where none is found."""
    if release.noise.selects:
        return selection_witness(release, share)
    if release.noise is not Laplace:
        return None  # other noise reaches its loss in a limit, or for some moves only
    moved = release.moved
    if moved is None or not moved.attained or not release.reached:
        return None
    loss = release.guarantee(moved.value).amounts[0]
    if RELEASED in loss.scope or (release.sampled is not None and loss.symbols()):
        return None  # samples are counted at numbers alone
    whole = release.on_all_rows.guarantee(moved.value).amounts[0]
    lost = hidden_onto_whole(release)
    formulas = (loss, whole, share.epsilon, share.delta, moved.value, release.entries, lost)
    return counterexample(formulas, _laplace_loss)


def _laplace_loss(true: Ball, whole: Ball, claimed: Ball, *others: Ball) -> str | None:
    """Where the loss exceeds epsilon on so likely an event that delta does not cover it: beyond
    the shift in all k coordinates, where Q = 2^-k e^-w without the row, w the loss on all rows,
    P - e^epsilon Q = 2^-k (e^(loss - w) - e^(epsilon - w)). On samples, of a table of that row.
    Rounded onto whole numbers, beyond half a step more, which is less likely by u = e^(-lost/4); a
    single number also by half a step less, where P = 1 - u/2 and Q = e^-w/(2 u).
    """
    delta, shift, count, lost = others
    if not (true > claimed and count < MOST_ENTRIES):
        return None
    u, excess = (-lost / 4).exp(), (true - whole).exp() - (claimed - whole).exp()
    farther = excess * u * (-count * LOG_2).exp() > delta
    nearer = count == 1 and true == whole and 1 - u / 2 - (claimed - whole).exp() / (2 * u) > delta
    if not (farther or nearer):
        return None
    return say(
        "a row moves it by {} in its norm: privacy loss {} > {}",
        *(digits(float(shift.mid())), digits(float(true.mid())), digits(float(claimed.mid()))),
    )
