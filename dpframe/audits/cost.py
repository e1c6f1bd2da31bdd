"""What a declaration costs at numbers, by the sharpest rule that applies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs

from dpframe.graph import Release
from dpframe.graph.rows import COLUMNS
from dpframe.numerics import arb_lower, arb_upper, to_float
from dpframe.privacy import PureDP
from dpframe.prover import Verdict
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.at_numbers import is_released
from dpframe.prover.problem import Problem
from dpframe.symbols import ZERO, Expression, Number, Symbol

from .figures import against, figure
from .joint_cost import joint_cost
from .report import Audit

SIZES = {"d": Fraction(10), "n": Fraction(1000)}  # of an example
JOINT = "Gaussian profile of all releases together"
SUM = "sum of what pure releases cost"
SHARES = "sum of shares"
CLAIM = "the claim, which is proved"
COMPOSED = "certified numeric composition"  # such as draws on samples
PROVED = {"numeric": COMPOSED}
ROUNDED = 1 + 1e-9  # what rounding adds at most


@attrs.frozen(kw_only=True)
class TotalCost:
    """Bounds on epsilon at the target's delta, at `at`, numbers for what is left of symbols.

    Some pair of neighbours costs at least `lower`, 0 where none is known.
    """

    lower: float
    upper: float
    claimed: Fraction
    delta: Fraction
    rule: str
    at: Mapping[str, Fraction]

    def record(self) -> dict[str, object]:
        """As JSON values; `epsilon` is the upper bound."""
        return {
            "epsilon": self.upper,
            "lower": self.lower,
            "claimed": float(self.claimed),
            "delta": float(self.delta),
            "rule": self.rule,
            "at": {name: float(value) for name, value in self.at.items()},
        }

    def __str__(self) -> str:
        """`0.596` where it is exact, `<= 1.0` for an upper bound, `> 44.3` for a lower bound that
        exceeds what is claimed.
        """
        if self.upper - self.lower <= 1e-6 * self.upper:
            return against(self.upper, self.claimed)
        if self.lower > self.claimed:
            return f"> {figure(self.lower, 'down', 3)}"
        return f"<= {figure(self.upper, 'up', 2)}"


def cost(judged: Audit) -> TotalCost | None:
    """The cost of an audit at numbers; what is left of symbols gets those of the counterexample, or
    of an example. None where nothing bounds it: also where private data reaches what is public,
    or a bound may fail.
    """
    problem = judged.report.problem
    if any(obligation.verdict is not Verdict.PROVED for obligation in judged.report.common):
        return None
    values = {**numbers_of(problem.symbols), **judged.counterexample}
    claimed, delta = _claim(problem)
    found = _joint(problem, values) or pure_cost(problem, values, delta) or _shares(judged, values)
    if found is None and judged.report.proved:  # such as noise that reads released numbers
        found = (0.0, float(claimed), CLAIM)
    if found is None:
        return None
    lower, upper, rule = found
    if judged.report.proved and upper > claimed:
        rule = rule if upper <= claimed * ROUNDED else PROVED.get(judged.derivation, CLAIM)
        upper = float(claimed)
    used = {name: value for name, value in values.items() if name in _names(problem)}
    return TotalCost(lower=lower, upper=upper, claimed=claimed, delta=delta, rule=rule, at=used)


def numbers_of(symbols: Iterable[Symbol]) -> dict[str, Fraction]:
    """A number for every symbol but those of released numbers: 10 columns, 1,000 rows, and a point
    of its range for a hyperparameter.
    """
    found = {}
    for symbol in symbols:
        size = SIZES.get(symbol.name) if symbol == COLUMNS or symbol.origin is not None else None
        example = symbol.domain.example() if size is None else size
        if not is_released(symbol) and example is not None:
            found[symbol.name] = example
    return found


def at(formula: Expression, values: Mapping[str, Fraction]) -> tuple[float, float] | None:
    """Bounds on a formula at numbers; None where a symbol or a number is missing."""
    if any(symbol.name not in values for symbol in formula.symbols()):
        return None
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    if not ball.is_finite():
        return None
    return to_float(arb_lower(ball), up=False), to_float(arb_upper(ball), up=True)


def _claim(problem: Problem) -> tuple[Fraction, Fraction]:
    """epsilon and delta of the target, as numbers."""
    target = problem.target
    parts = target.amounts if "epsilon" in target.currency else ()
    found = [part.value for part in parts if isinstance(part, Number)]
    return (found[0], found[1]) if len(found) == 2 else (found[0], Fraction(0))


def _names(problem: Problem) -> set[str]:
    """Symbols that formulas of releases and procedures read."""
    read = [f for one in problem.graph.charged for f in one.formulas.values()]
    noises = [one.mechanism.formula for one in problem.graph.releases]
    return {symbol.name for formula in (*read, *noises) for symbol in formula.symbols()}


Bounds = tuple[float, float, str]


def _joint(problem: Problem, values: Mapping[str, Fraction]) -> Bounds | None:
    found = (
        None if problem.graph.procedures or problem.graph.bounds else joint_cost(problem, values)
    )
    if found is None or found.epsilon is None:
        return None
    return (*found.epsilon, COMPOSED if found.sampled else JOINT)


def pure_cost(problem: Problem, values: Mapping[str, Fraction], delta: Fraction) -> Bounds | None:
    """epsilon = sensitivity/scale of each pure draw, in sum [DworkR14, Thm B.1]. Of one draw that
    attains it no less, where delta is 0: any delta above that covers some of it.
    """
    releases = problem.graph.releases
    alone = not (problem.graph.procedures or problem.graph.bounds)
    if not releases or not alone or any(one.gives is not PureDP for one in releases):
        return None
    parts = [_epsilon(one, values) for one in releases]
    known = [part for part in parts if part is not None]
    sharp = delta == 0 and len(parts) == len(known) == 1 and _attained(releases[0])
    lower = known[0][0] if sharp else 0.0
    return (lower, _summed(part[1] for part in known), SUM) if len(known) == len(parts) else None


def _epsilon(release: Release, values: Mapping[str, Fraction]) -> tuple[float, float] | None:
    moved = release.statistic.sensitivity(release.noise.norm)
    if moved is None or moved.value == ZERO:
        return None
    guarantee = release.guarantee(moved.value)
    return at(guarantee.amounts[0] * release.times, values)


def _attained(release: Release) -> bool:
    found = release.statistic.one_row(release.noise.norm, release.statistic.unit.relation)
    return found is not None and found.attained and release.reached


def _shares(judged: Audit, values: Mapping[str, Fraction]) -> Bounds | None:
    """The shares of a proved plan, in sum, and no more than the target."""
    charged = judged.report.problem.graph.charged
    shares = [one.share for one in charged]
    if not judged.report.proved or judged.derivation != "basic":
        return None
    amounts = [
        at(share.epsilon * one.times, values)
        for one, share in zip(charged, shares, strict=True)
        if share is not None
    ]
    known = [amount[1] for amount in amounts if amount is not None]
    claimed = float(_claim(judged.report.problem)[0])
    whole = _summed(known) if len(known) == len(charged) else claimed
    return (0.0, min(whole, claimed), SHARES)


def _summed(parts: Iterable[float]) -> float:
    """The sum of doubles, rounded up."""
    return to_float(sum((Fraction(part) for part in parts), Fraction(0)), up=True)
