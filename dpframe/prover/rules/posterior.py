"""Posterior samples: what their one-dimensional pair needs. (proofs/posterior)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpframe.graph import Bound, Known, Node, Post
from dpframe.graph.procedures.posterior import Posterior
from dpframe.graph.statistics import Count
from dpframe.numerics import arb_lower, arb_upper
from dpframe.numerics.posterior_pair import posterior_pair_bound, posterior_pair_delta
from dpframe.symbols import Expression, Number, Symbol

from ..edit import FIELD, Edit
from ..enclose import enclose, rational_ball
from ..obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness
from ..problem import Problem
from ..sign import positive_size
from .base import entered, needed

MOST = Fraction(8, 5)
EPSILONS = tuple(Fraction(one) for one in ("1", "1/10", "3", "10", "1/100"))
ORDINARY = {"delta": Fraction(1, 10**6), "n": Fraction(10**4), "d": Fraction(5)}
Formulas = tuple[Expression, ...]


@entered(Posterior)
def posterior(problem: Problem, sample: Posterior) -> Sequence[Obligation]:
    """Leverage and residual are bounded for the table itself, and the temperature is admissible."""
    residual = sample.residual
    one = problem.rows == Number(Fraction(1))
    found = [
        needed(
            sample,
            sample.fits,
            "X'X, X'y and the floor are of one table",
            f"floor = {sample.floor}",
            "take the floor from dp.lower_bound of a released dp.lambda_min(X.T @ X).",
        ),
        needed(
            sample,
            residual is not None,
            "a bound on every residual y - x'theta of the table without the record",
            "none is known" if residual is None else f"|r| <= {residual}",
            "release a LogResidual and take dp.upper_bound of it; or dp.REPLACE_ONE, where n is "
            "public.",
            "a table of n rows makes |theta| as large as sqrt(n) Y/(2 sqrt(penalty)), and n is "
            "private",
        ),
        needed(
            sample,
            positive_size(sample.penalty, problem.field),
            "the penalty must be positive for every parameter value",
            f"penalty = {sample.penalty}",
            "add a positive ridge.",
        ),
        needed(
            sample,
            one,
            "one row a person",
            f"rows_per_person = {problem.rows}",
            "bound the rows of a person to 1 before this table is built.",
        ),
    ]
    if any(one.verdict is not PROVED for one in found) or residual is None:
        return found
    return [*found, _temperature(sample, residual)]


def _temperature(sample: Posterior, residual: Expression) -> Obligation:
    """Admissible by the guard of execution; or, where it is stated, at numbers."""
    epsilon, delta = sample.claim
    rule = "the pair N(0, 1), N(sqrt(gamma m) r/(1 + m), 1/(1 + m)) is inside the share"
    facts = (f"m <= {sample.leverage}, |r| <= {residual}, (epsilon, delta) = ({epsilon}, {delta})",)
    if sample.temperature is None:
        guarded = "gamma is the largest number for which that is so, rounded down at execution"
        return Obligation("theorem", sample.label, rule, (*facts, guarded), PROVED)
    stated = (*facts, f"gamma = {sample.temperature}")
    fix = "leave the temperature out: the largest admissible one is taken."
    edit = Edit(FIELD, sample, None, "temperature")
    formulas = (epsilon, delta, sample.temperature, sample.leverage, residual)
    if not any(formula.symbols() for formula in formulas) and _holds(formulas, {}):
        return Obligation("theorem", sample.label, rule, stated, PROVED)
    # a record of zeros changes nothing, so one added row is a replacement too
    whole = (sample.share.epsilon, sample.share.delta, *formulas[2:])
    found = (_broken(whole, point) for point in _points(whole))
    witness = next((one for one in found if one is not None), None)
    verdict = UNPROVED if witness is None else REFUTED
    return Obligation("theorem", sample.label, rule, stated, verdict, witness, fix, edit=edit)


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
    found = set(formula.symbols())
    posts = [one.origin.value for one in found if type(one.origin) is Known]
    arguments = [a for one in posts if isinstance(one, Post) for a in one.arguments]
    return found.union(*(_behind(a) for a in arguments if isinstance(a, Expression)))


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
    found = [_argument(argument, point) for argument in number.value.arguments]
    return None if None in found else number.inside(number.value.function(*found))


def _argument(argument: object, point: dict[str, Fraction]) -> object:
    if isinstance(argument, Count):
        return float(ORDINARY["n"])
    if not isinstance(argument, Expression):
        return None if isinstance(argument, Node) else argument
    if not all(_given(symbol, point) for symbol in argument.symbols()):
        return None
    balls = {name: rational_ball(value) for name, value in point.items()}
    return float(enclose(argument, balls).mid())


def _holds(formulas: Formulas, point: dict[str, Fraction]) -> bool:
    """Whether the pair is certainly inside the share, over all smaller leverages and residuals."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    epsilon, delta, *others = (enclose(formula, balls) for formula in formulas)
    gamma, leverage, residual = (max(arb_upper(ball), Fraction(0)) for ball in others)
    inside = leverage <= MOST and arb_lower(epsilon) > 0
    bound = posterior_pair_bound(arb_lower(epsilon), gamma, leverage, residual) if inside else None
    return bound is not None and bound.upper <= arb_lower(delta)


def _broken(formulas: Formulas, point: dict[str, Fraction]) -> Witness | None:
    """The point, if a record of that leverage and residual certainly breaks the share there."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    epsilon, delta, *others = (enclose(formula, balls) for formula in formulas)
    if not all(ball.is_finite() and ball > 0 for ball in (epsilon, delta, *others)):
        return None
    gamma, leverage, residual = (arb_lower(ball) for ball in others)
    true = posterior_pair_delta(arb_upper(epsilon), gamma, leverage, residual)
    if true.lower <= arb_upper(delta):
        return None
    claimed = float(arb_upper(delta))
    says = (
        f"a record of leverage {float(leverage):.4g} and residual {float(residual):.4g} costs "
        f"delta = {true.lower:.4g} > {claimed:.4g}"
    )
    return Witness(point, says)
