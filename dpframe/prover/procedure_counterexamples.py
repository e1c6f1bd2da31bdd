"""Obligations of procedures that stay open, evaluated at numbers: counterexamples, and stated
temperatures that hold where they are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe import numerics
from dpframe.graph import Bound, Known, Node, Post
from dpframe.graph.procedures.perturbed import PerturbedMinimum
from dpframe.graph.procedures.posterior import Posterior
from dpframe.graph.statistics import Count
from dpframe.numerics import arb_lower, arb_upper
from dpframe.symbols import Expression, Symbol
from dpframe.theory import procedures as book
from dpframe.wording import Formula, digits, say

from .algebra import at_point, rational_ball
from .judge import shown_end
from .problem import PROVED, REFUTED, Obligation, Witness
from .sign import counterexample

MOST = Fraction(8, 5)
EPSILONS = tuple(Fraction(one) for one in ("1", "1/10", "3", "10", "1/100"))
ORDINARY = {"delta": Fraction(1, 10**6), "n": Fraction(10**4), "d": Fraction(5)}
Formulas = tuple[Expression, ...]


def refuted(obligation: Obligation, witness: Witness | None) -> Obligation:
    """An open obligation with a counterexample, where there is one."""
    if witness is None:
        return obligation
    return attrs.evolve(obligation, verdict=REFUTED, witness=witness)


# ------------------------------------------------------------------------ posterior samples
def temperature(sample: Posterior, obligation: Obligation) -> Obligation:
    """A temperature that is stated: at numbers, by the pair; else refuted at numbers. (A record of
    zeros changes nothing, so one added row is a replacement too.)
    """
    gamma, residual, share = sample.temperature, sample.residual, sample.share
    if gamma is None or residual is None:
        return obligation
    ends: Formulas = (gamma, sample.leverage, residual)
    if not any(f.symbols() for f in (*sample.claim, *ends)) and _holds((*sample.claim, *ends), {}):
        return attrs.evolve(obligation, verdict=PROVED, repair="", edit=None)
    if not _attained(sample):
        return obligation
    if sample.log_residual is None:
        ends = (gamma, *_long_table(sample, residual))
    whole = (share.epsilon, share.delta, *ends)
    tried = (_broken(whole, point) for point in _points(whole))
    return refuted(obligation, next((one for one in tried if one is not None), None))


def _attained(node: Posterior | PerturbedMinimum) -> bool:
    """Whether every row of the ball, and every label up to its bound, may occur."""
    return bool(node.gram.rows.ball and node.moment.column.ball)


def _long_table(sample: Posterior, residual: Expression) -> Formulas:
    """A leverage and a residual of one record, where the last formula is positive: beside zeros and
    n - 1 rows of which X'X is the penalty in one direction, all labels Y: H is twice the penalty.
    """
    n, B = sample.gram.rows.rows, sample.gram.rows.radius
    fewer = (n - 1) / n  # theta is less than the bound of n rows by the root of that
    return (sample.leverage / 2, residual * fewer, (n - 1) * B**2 - sample.penalty)


def _points(formulas: Formulas) -> Iterator[dict[str, Fraction]]:
    """Where a stated temperature is tried: ordinary numbers, epsilon from small to large, and what
    the declaration itself makes of them.
    """
    symbols = sorted(set().union(*map(_behind, formulas)), key=lambda one: one.name)
    for epsilon in EPSILONS:
        point: dict[str, Fraction] = {"epsilon": epsilon}
        missing = [one for one in symbols if not _given(one, point)]
        if not missing:
            yield {one.name: point[one.name] for one in symbols}


def _behind(formula: Expression) -> set[Symbol]:
    """The symbols of a formula, and those that its released numbers are made of."""
    symbols = set(formula.symbols())
    posts = [one.origin.value for one in symbols if type(one.origin) is Known]
    arguments = [a for one in posts if isinstance(one, Post) for a in one.arguments]
    return symbols.union(*(_behind(a) for a in arguments if isinstance(a, Expression)))


def _given(symbol: Symbol, point: dict[str, Fraction]) -> bool:
    """Enter a value that some table and its releases reach; False where none is known."""
    if symbol.name in point:
        return True
    origin = symbol.origin
    if type(origin) is Known:
        value = _made(origin, point)
    elif isinstance(origin, Bound):
        value = Fraction(1) if origin.upper_side else Fraction(100)  # a residual of e; a long table
    else:
        value = ORDINARY.get(symbol.name, symbol.domain.example())
    if value is not None:
        point[symbol.name] = value
    return value is not None


def _made(number: Known, point: dict[str, Fraction]) -> Fraction | None:
    """What a function of public numbers, n and bounds gives."""
    if not isinstance(number.value, Post):
        return None
    arguments = [_argument(argument, point) for argument in number.value.arguments]
    return None if None in arguments else number.inside(number.value.function(*arguments))


def _argument(argument: object, point: dict[str, Fraction]) -> object:
    if isinstance(argument, Count):
        return float(ORDINARY["n"])
    if not isinstance(argument, Expression):
        return None if isinstance(argument, Node) else argument
    if not all(_given(symbol, point) for symbol in argument.symbols()):
        return None
    return float(at_point([argument], point)[0].mid())


def _holds(formulas: Formulas, point: dict[str, Fraction]) -> bool:
    """Whether the pair is certainly inside the share, over all smaller leverages and residuals."""
    epsilon, delta, *others = at_point(formulas, point)
    gamma, leverage, residual = (max(arb_upper(ball), Fraction(0)) for ball in others)
    if leverage > MOST or arb_lower(epsilon) <= 0:
        return False
    bound = numerics.posterior_pair_bound(arb_lower(epsilon), gamma, leverage, residual)
    return bound.upper <= arb_lower(delta)


def _broken(formulas: Formulas, point: dict[str, Fraction]) -> Witness | None:
    """The point, if a record of that leverage and residual certainly breaks the share there."""
    epsilon, delta, *others = at_point(formulas, point)
    if not all(ball.is_finite() and ball > 0 for ball in (epsilon, delta, *others)):
        return None
    gamma, leverage, residual, *_ = (arb_lower(ball) for ball in others)
    true = numerics.posterior_pair_delta(arb_upper(epsilon), gamma, leverage, residual)
    if true.lower <= arb_upper(delta):
        return None
    claimed = float(arb_upper(delta))
    says = say(
        "a record of leverage {} and residual {} costs $delta$ = {} > {}",
        digits(float(leverage), 4),
        digits(float(residual), 4),
        digits(true.lower, 4),
        digits(claimed, 4),
    )
    return Witness(point, says)


# --------------------------------------------------------------------- objective perturbation
def tilt(node: Any, obligation: Obligation) -> Obligation:
    """Noise below the theorem's: long tables, where the curvature of one record is nothing, break
    it, since the tilt moves by A/size stds.
    """
    minimum: PerturbedMinimum = getattr(node, "minimum", node)
    formulas: Formulas = (*minimum.share.amounts, minimum.slope / minimum.size)
    learned = any(symbol.origin is not None for f in formulas for symbol in f.symbols())
    if learned or not _attained(minimum):
        return obligation
    return refuted(obligation, counterexample(formulas, _moved))


def _moved(e: Any, d: Any, mu: Any) -> str | None:
    if not all(ball.is_finite() and ball > 0 for ball in (e, d, mu)):
        return None
    true = numerics.profile_delta_lower(arb_upper(e), arb_lower(mu))
    if true <= arb_upper(d):
        return None
    return say(
        "in long tables one record moves the tilt by {} stds: $delta >=$ {} > {}",
        shown_end(arb_lower(mu), up=False),
        shown_end(Fraction(true), up=False, limit=arb_upper(d)),
        digits(float(arb_upper(d)), 4),
    )


def curved(node: Any, obligation: Obligation) -> Obligation:
    """A penalty that one record's curvature outweighs. In one dimension the tables of a record of
    zeros, and of that and (B, Y) or (B, 0), have the minimisers -z/penalty and (B y - z)/(B^2 +
    penalty), inside the ball without a change: what they show of z is compared there.
    """
    if type(node) is not PerturbedMinimum:
        return obligation
    rows, column = node.gram.rows, node.moment.column
    if not (_attained(node) and isinstance(rows.columns, Symbol)):
        return obligation
    share, (B, Y) = node.share, (rows.radius, column.radius)
    formulas: Formulas = (share.epsilon, share.delta, B, Y, node.radius, node.penalty, node.size)
    if any(symbol.origin is not None for f in formulas for symbol in f.symbols()):
        return obligation
    says = _in_the_middle if node.noise == "gaussian" else _at_the_peak
    return refuted(obligation, counterexample(formulas, says))


def _at_the_peak(*balls: Any) -> str | None:
    """Of Laplace noise, where the second table's density is largest."""
    e, d, B, Y, R, penalty, size = balls
    whole = B**2 + penalty
    if not all(one.is_finite() and one > 0 for one in (e, B, Y, R, penalty, size)) or not d <= 0:
        return None
    place = (B * Y / whole).min(R / 2)
    true = (whole / penalty).log() + penalty * place / size
    if not (true > e and B * Y >= whole * place):
        return None
    loss, given = float(true.mid()), float(e.mid())
    return say(
        "one record (B, Y) beside zeros, d = 1: its privacy loss reaches {} > {}",
        digits(loss),
        digits(given),
    )


def _in_the_middle(*balls: Any) -> str | None:
    """Of Gaussian noise, on intervals around the second table's peak."""
    e, d, B, Y, R, penalty, size = balls
    whole = B**2 + penalty
    if not all(one.is_finite() and one > 0 for one in (e, d, B, Y, R, penalty, size)):
        return None
    for name, label in (("0", 0 * Y), ("Y", Y)):
        peak = B * label / whole
        for width in (Fraction(1, 4), Fraction(1), Fraction(2)):
            half = (rational_ball(width) * size / whole).min(R - peak)
            if not half > 0:
                continue
            first = _normal((peak - half) * penalty / size, (peak + half) * penalty / size)
            true = _normal(-half * whole / size, half * whole / size) - e.exp() * first
            if true > d:
                at, wide, most = (digits(float(one.mid()), 4) for one in (peak, half, d))
                least = shown_end(arb_lower(true), up=False, limit=arb_upper(d))
                return say(
                    "one record (B, {}) beside zeros, d = 1: the event {} $<=$ {} shows $delta >=$ "
                    "{} > {}",
                    *(name, Formula(f"|theta - {at}|"), wide, least, most),
                )
    return None


def _normal(low: Any, high: Any) -> Any:
    """P[low <= N(0, 1) <= high]."""
    root = rational_ball(Fraction(2)).sqrt()
    return ((high / root).erf() - (low / root).erf()) / 2


EXAMINED: Mapping[str, Callable[[Any, Obligation], Obligation]] = {
    book.PAIR: temperature,
    book.SIZES["gaussian"]: tilt,
    book.CURVED: curved,
}
"""By the rule that stays open."""
